"""The six functions that people called."""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.compat.lm_zoo.commands import ModelLike, opened
from pommel.compat.lm_zoo.in_process import require_h5py
from pommel.compat.lm_zoo.models import Registry
from pommel.errors import InputError, UsageError
from pommel.models import LoadOptions

if TYPE_CHECKING:
    import h5py
    import pandas as pd

COLUMNS = ("sentence_id", "token_id", "token", "surprisal")


def get_registry() -> Registry:
    """Return the published models; nothing is downloaded."""
    return Registry()


def spec(
    model: ModelLike, backend: str | None = None, *, options: LoadOptions | None = None
) -> dict[str, Any]:
    """Return what a model says about itself, as `schemas/model_spec.json` has it.

    This one and the others raise what `commands.opened` says for a model that can't be had, and
    `ModelError` for one that fails.
    """
    with opened(model, backend, options) as commands:
        return commands.spec()


def tokenize(
    model: ModelLike,
    sentences: Iterable[str],
    backend: str | None = None,
    *,
    options: LoadOptions | None = None,
) -> list[list[str]]:
    """Return the tokens of each sentence, in the order of the sentences.

    They are those that `unkify` and `get_surprisals` speak of, one by one.
    """
    lines = single_lines(sentences)
    with opened(model, backend, options) as commands:
        return commands.tokenize(lines)


def unkify(
    model: ModelLike,
    sentences: Iterable[str],
    backend: str | None = None,
    *,
    options: LoadOptions | None = None,
) -> list[list[int]]:
    """Return 1 for each token that stands for a word the model does not know, otherwise 0."""
    lines = single_lines(sentences)
    with opened(model, backend, options) as commands:
        return [[int(flag) for flag in mask] for mask in commands.unkify(lines)]


def get_surprisals(
    model: ModelLike,
    sentences: Iterable[str],
    backend: str | None = None,
    *,
    options: LoadOptions | None = None,
) -> "pd.DataFrame":
    """Return -log2 p(token | tokens before it) for each token.

    Indexed by `sentence_id` and `token_id`, both from 1; the columns are `token` and `surprisal`.
    A sentence without tokens has no row.
    """
    import pandas as pd

    lines = single_lines(sentences)
    with opened(model, backend, options) as commands:
        table = commands.get_surprisals(lines)
    rows = [
        (sentence_id, token_id, token.text, token.surprisal_bits)
        for sentence_id, tokens in enumerate(table, start=1)
        for token_id, token in enumerate(tokens, start=1)
    ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    types = {"sentence_id": int, "token_id": int, "token": object, "surprisal": float}
    return frame.astype(types).set_index(["sentence_id", "token_id"])


def get_predictions(
    model: ModelLike,
    sentences: Iterable[str],
    backend: str | None = None,
    *,
    options: LoadOptions | None = None,
) -> "h5py.File":
    """Return an open HDF5 file with the model's distribution before each token.

    `/sentence/<i>/predictions`, with i from 0, is a matrix of natural logarithms (tokens x
    vocabulary), `/sentence/<i>/tokens` has the tokens' places in `/vocabulary`, and that holds the
    tokens in UTF-8. The file is gone when it is closed. Raises `UnsupportedFeatureError` for a
    model that has no predictions, and `ContainerError` for an image's file that cannot be read,
    leads out of itself, or claims to hold what it does not.
    """
    require_h5py()
    lines = single_lines(sentences)
    with tempfile.TemporaryDirectory(prefix="pommel-") as folder:
        path = Path(folder) / "predictions.hdf5"
        with opened(model, backend, options) as commands:
            commands.write_predictions(lines, path)
            # An open file outlives its name.
            return commands.open_predictions(path, n_sentences=len(lines))


def single_lines(sentences: Iterable[str]) -> list[str]:
    """Return the sentences without line breaks around them.

    Raises `UsageError` for a single text, and `InputError` for a line break within a sentence.
    """
    if isinstance(sentences, str):
        raise UsageError("the sentences are a list of texts, and this is one text")
    lines = [sentence.strip("\r\n") for sentence in sentences]
    for number, line in enumerate(lines, start=1):
        if "\n" in line or "\r" in line:
            raise InputError(f"sentence {number} has a line break in it: {line!r}")
    return lines
