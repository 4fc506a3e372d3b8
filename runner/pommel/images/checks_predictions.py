"""Checks of `get_predictions.hdf5`: whole distributions, against the other commands."""

import math
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import InputError
from pommel.images.check import SAME_BITS, Check, Failed
from pommel.images.subject import Skipped, Subject
from pommel.models.container.predictions_file import (
    open_predictions,
    read_numbers,
    read_words,
    sentence_names,
)

if TYPE_CHECKING:
    import numpy as np

# How far a distribution's sum may be from 1.
_TOLERANCE = 1e-3
_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """What the file holds for a sentence: token ids (n), natural logarithms (n, vocabulary)."""

    text: str
    ids: "np.ndarray[Any, Any]"
    rows: "np.ndarray[Any, Any]"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Predictions:
    vocabulary: list[str]
    sentences: list[_Sentence]


def _predictions(subject: Subject) -> _Predictions:
    subject.need("get_predictions")
    if find_spec("h5py") is None:
        raise Skipped("h5py is not installed here: pip install 'pommel[docker]'")
    texts = [sentence for sentence, _ in subject.plain()]

    def ask() -> _Predictions:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "predictions.hdf5"
            subject.commands.write_predictions(texts, path)
            return _read(path, texts)

    return subject.once("get_predictions.hdf5", ask)


def _read(path: Path, texts: list[str]) -> _Predictions:
    try:
        with open_predictions(path, n_sentences=len(texts)) as file:
            numbers = sentence_names(file)
            if numbers != [str(number) for number in range(len(texts))]:
                has = ", ".join(numbers[:_SHOWN]) or "nothing"
                raise Failed(
                    f"for {len(texts)} sentences, /sentence has {has}; they are numbered from 0"
                )
            vocabulary = read_words(file, "vocabulary")
            sentences = [
                _Sentence(
                    text=text,
                    ids=read_numbers(file, f"sentence/{number}/tokens", "int64"),
                    rows=read_numbers(file, f"sentence/{number}/predictions", "float64"),
                )
                for number, text in enumerate(texts)
            ]
    except InputError as error:
        raise Failed(str(error)) from error
    return _Predictions(vocabulary=vocabulary, sentences=sentences)


def _has_the_shape(subject: Subject) -> str:
    found = _predictions(subject)
    n_words = len(found.vocabulary)
    for sentence, (_, tokens) in zip(found.sentences, _tokens(subject), strict=True):
        wanted = (len(tokens), n_words)
        if sentence.rows.shape != wanted or sentence.ids.shape != wanted[:1]:
            raise Failed(
                f"{sentence.text!r}: predictions are {sentence.rows.shape} and tokens "
                f"{sentence.ids.shape}; with {len(tokens)} tokens and {n_words} words they "
                f"have to be {wanted} and ({len(tokens)},)"
            )
    return f"{n_words} words"


def _has_the_ids(subject: Subject) -> str:
    found = _well_shaped(subject)
    items = set((subject.spec.get("vocabulary") or {}).get("items") or found.vocabulary)
    if items != set(found.vocabulary):
        raise Failed("/vocabulary and the spec's vocabulary.items are not the same")
    for sentence, (_, tokens) in zip(found.sentences, _tokens(subject), strict=True):
        for number, (token, place) in enumerate(zip(tokens, sentence.ids, strict=True), start=1):
            word = found.vocabulary[place] if 0 <= place < len(found.vocabulary) else None
            if word != token and not {word, token} & subject.tokenizer.unk_types:
                raise Failed(
                    f"{sentence.text!r}: token {number} has the id {place}, which is {word!r} in "
                    f"/vocabulary, and it is {token!r}"
                )
    return ""


def _sums_to_1(subject: Subject) -> str:
    import numpy as np  # noqa: PLC0415 - commands start sooner

    for sentence in _well_shaped(subject).sentences:
        for number, row in enumerate(sentence.rows, start=1):
            where = f"{sentence.text!r}: token {number}"
            if np.isnan(row).any() or np.isposinf(row).any():
                raise Failed(f"{where}: not all predictions are numbers")
            if not np.isfinite(row).all():
                raise Failed(f"{where}: a word has the probability 0")
            if row.max() > _TOLERANCE:
                raise Failed(f"{where}: {row.max():g} is no logarithm of a probability")
            total = float(np.exp(row).sum())
            if not math.isclose(total, 1, abs_tol=_TOLERANCE):
                raise Failed(f"{where}: the probabilities sum to {total:g}")
    return ""


def _agrees_with_surprisals(subject: Subject) -> str:
    for sentence, (_, rows) in zip(_well_shaped(subject).sentences, subject.plain(), strict=True):
        for number, (row, place, predicted) in enumerate(
            zip(rows, sentence.ids, sentence.rows, strict=True)
        ):
            if number == 0 and row.surprisal_bits == 0:
                continue  # a first token without a probability
            bits = -float(predicted[place]) / math.log(2)
            if not math.isclose(bits, row.surprisal_bits, rel_tol=1e-4, abs_tol=SAME_BITS):
                raise Failed(
                    f"{sentence.text!r}: {row.text!r} has {bits:g} bits in the predictions, and "
                    f"{row.surprisal_bits:g} in get_surprisals"
                )
    return ""


def _tokens(subject: Subject) -> list[tuple[str, list[str]]]:
    """Return the plain sentences with the tokens that `get_surprisals` has for them."""
    return [(sentence, [row.text for row in rows]) for sentence, rows in subject.plain()]


def _well_shaped(subject: Subject) -> _Predictions:
    found = _predictions(subject)
    try:
        _has_the_shape(subject)
    except Failed:
        raise Skipped("the predictions do not have the right shape") from None
    for sentence in found.sentences:
        if ((sentence.ids < 0) | (sentence.ids >= len(found.vocabulary))).any():
            raise Failed(f"{sentence.text!r}: a token has an id outside /vocabulary")
    return found


PREDICTION_CHECKS = (
    Check(
        name="predictions",
        shows="`get_predictions.hdf5` writes a row of the vocabulary's size for each token",
        mend="write /sentence/0/predictions (tokens x words), /sentence/0/tokens and /vocabulary",
        run=_has_the_shape,
    ),
    Check(
        name="predictions-ids",
        shows="the ids of tokens are places in /vocabulary",
        mend="write /vocabulary in the order of the model's outputs, and the ids that it has there",
        run=_has_the_ids,
    ),
    Check(
        name="predictions-sum",
        shows="the predictions are natural logarithms of probabilities that sum to 1",
        mend="write the output of log_softmax over the whole vocabulary",
        run=_sums_to_1,
    ),
    Check(
        name="predictions-agree",
        shows="the predictions give the surprisals of `get_surprisals`",
        mend="row n is what the model expects as token n, after the tokens before it",
        run=_agrees_with_surprisals,
    ),
)
