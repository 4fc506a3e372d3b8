"""What a model of this process expects before each token, in the LM Zoo's HDF5 file."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.compat.lm_zoo.errors import UnsupportedFeatureError
from pommel.errors import ModelNotAvailableError, PommelError
from pommel.errors import UnsupportedFeatureError as UnsupportedByModel
from pommel.models.huggingface.model import HuggingFaceModel
from pommel.models.lstm import LstmModel
from pommel.models.policy import SYNTAXGYM_POLICY

if TYPE_CHECKING:
    import numpy as np

    from pommel.models.neural.requests import Ids

# The models that say what they expect next.
PredictingModel = HuggingFaceModel | LstmModel


def require_h5py() -> Any:
    """Return the module; raises `ModelNotAvailableError`, with what to do, if it is missing."""
    try:
        return import_module("h5py")
    except ImportError:
        message = "predictions need h5py: pip install 'pommel[docker]'"
        raise ModelNotAvailableError(message) from None


def write_predictions(model: PredictingModel, sentences: Sequence[str], path: Path) -> None:
    """Write `/vocabulary`, and for sentence k, from 0, `/sentence/k/tokens` and `.../predictions`.

    *Shape:* predictions (tokens x vocabulary), float32, natural logarithms of probabilities; the
    first row, before which there is nothing, is uniform. Tokens are indices into the vocabulary.
    Raises `UnsupportedFeatureError` for a masked model, `ModelError` as scoring does, and
    `PommelError` if the file can't be written.
    """
    h5py = require_h5py()
    try:
        n_outputs = model.n_outputs
    except UnsupportedByModel as error:
        reference = model.info.reference
        raise UnsupportedFeatureError(reference, "get_predictions", str(error)) from None
    # Every check that scoring makes beforehand; nothing runs yet.
    model.score(sentences, SYNTAXGYM_POLICY)
    try:
        with h5py.File(path, "w") as file:
            file["vocabulary"] = _vocabulary(model, n_outputs)
            # There even if no sentence is.
            file.create_group("sentence")
            for index, ids in enumerate(_ids(model, sentences)):
                group = file.create_group(f"sentence/{index}")
                group["tokens"] = ids
                group["predictions"] = model.log_probabilities(ids.tolist())
    except OSError as error:
        raise PommelError(f"{path}: cannot be written: {error.strerror or error}") from None


def vocabulary_items(model: PredictingModel, width: int) -> Iterator[str]:
    """Yield the tokens by their ids; a network may have room for more than its tokenizer has."""
    if isinstance(model, LstmModel):
        return iter(model.vocabulary)
    return model.encoder.names.items(width)


def _ids(model: PredictingModel, sentences: Sequence[str]) -> Iterator["Ids"]:
    if isinstance(model, LstmModel):
        return (model.ids(model.reader.read(text, SYNTAXGYM_POLICY)) for text in sentences)
    return (each.ids for each in model.encoder.encode(sentences, SYNTAXGYM_POLICY))


def _vocabulary(model: PredictingModel, width: int) -> "np.ndarray":
    import numpy as np  # noqa: PLC0415 - commands start sooner

    return np.array([item.encode() for item in vocabulary_items(model, width)])
