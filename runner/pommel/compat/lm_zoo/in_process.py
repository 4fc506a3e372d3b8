"""The commands of the LM Zoo protocol for a model that scores in this process."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.compat.lm_zoo.errors import UnsupportedFeatureError
from pommel.errors import InputError, ModelNotAvailableError, PommelError
from pommel.errors import UnsupportedFeatureError as UnsupportedByModel
from pommel.models import Model, ModelInfo, Policy, PrintedToken, TokenizerSpec, TokenizingModel
from pommel.surprisal import Token

if TYPE_CHECKING:
    import h5py
    import numpy as np


def require_h5py() -> Any:
    """Return the module; raises `ModelNotAvailableError`, with what to do, if it is missing."""
    try:
        return import_module("h5py")
    except ImportError:
        message = "predictions need h5py: pip install 'pommel[docker]'"
        raise ModelNotAvailableError(message) from None


_HUB = "https://huggingface.co"


def _spec_of(model: Model) -> dict[str, Any]:
    """Return the spec that a dummy or recorded model came with, otherwise what can be told.

    `vocabulary.items` is there for models that can list their tokens. What is not known (who
    maintains a model, when it was made) is left out.
    """
    info = model.info
    known = model if isinstance(model, TokenizingModel) else None
    if known and known.printed_spec is not None:
        return deepcopy(dict(known.printed_spec))
    spec = known.tokenizer_spec if known else TokenizerSpec()
    items = known.vocabulary_items if known else None
    tokenizer = {
        "sentinel_pattern": spec.sentinel,
        "sentinel_position": spec.sentinel_position,
        "metaspace": spec.metaspace,
        "drop_token_pattern": spec.drop_token_pattern,
        "behaviors": sorted(spec.behaviors),
    }
    return {
        "name": info.name,
        "image": {
            "version": info.revision or info.fingerprint,
            "supported_features": {
                "tokenize": True,
                "unkify": True,
                "get_surprisals": True,
                # What a masked model expects depends on what is masked.
                "get_predictions": bool(known and known.predictor and "causal" in info.methods),
                "mount_checkpoint": False,
            },
            "gpu": {"required": False, "supported": info.kind in {"huggingface", "lstm"}},
        },
        "vocabulary": {
            **({} if items is None else {"items": list(items)}),
            "unk_types": sorted(spec.unk_types),
            "prefix_types": sorted(spec.prefix_types),
            "suffix_types": sorted(spec.suffix_types),
            "special_types": sorted(spec.special_types),
        },
        "tokenizer": {
            "type": spec.type,
            "cased": spec.cased,
            **{key: value for key, value in tokenizer.items() if value},
        },
        **({"ref_url": f"{_HUB}/{name}"} if known and (name := _hub_name(info)) else {}),
    }


def _hub_name(info: ModelInfo) -> str:
    """Return what a model is called on the Hugging Face hub; "" for any other, and for a folder."""
    name = info.reference.removeprefix("huggingface://")
    is_folder = name == info.reference or Path(name).expanduser().exists()
    return "" if is_folder else name.partition("@")[0]


class ScoredCommands:
    """Answers from scored sentences, as the LM Zoo's own back-end did.

    The tokens are those that the model's tokenizer makes, its marks among them. The first has 0
    bits unless the model has scored it. A word that a model leaves out is no token.
    """

    def __init__(self, model: Model) -> None:
        """Take a loaded model."""
        self._model = model

    @property
    def repeated(self) -> str:
        """How far a server has repeated itself; "" for any other model."""
        return self._model.info.repeated

    def spec(self) -> dict[str, Any]:
        """Return the spec that a dummy or recorded model came with, otherwise a made-up one."""
        return _spec_of(self._model)

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each sentence."""
        return [[token.text for token in tokens] for tokens in self._tokens(sentences)]

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        """Return for each of these tokens whether it stands for an unknown word."""
        return [[token.oov for token in tokens] for tokens in self._tokens(sentences)]

    def get_surprisals(self, sentences: Sequence[str]) -> list[tuple[PrintedToken, ...]]:
        """Return the same tokens with their surprisals; `line` is 0: nothing was printed."""
        return [
            tuple(
                PrintedToken(
                    text=token.text, surprisal_bits=token.surprisal_bits, line=0, oov=token.oov
                )
                for token in tokens
                if token.surprisal_bits is not None
            )
            for tokens in self._scored(sentences)
        ]

    def write_predictions(self, sentences: Sequence[str], path: Path) -> None:
        """Write what a model predicts that does, or copy what a dummy model came with.

        `/vocabulary`, and for sentence k, from 0, `/sentence/k/tokens` and `.../predictions`.
        *Shape:* predictions (tokens x vocabulary), float32, natural logarithms of probabilities;
        the first row, before which there is nothing, is uniform. Tokens are indices into the
        vocabulary. Raises `UnsupportedFeatureError` for a model without predictions, `ModelError`
        as scoring does, and `PommelError` if the file can't be written.
        """
        model = self._model
        known = model if isinstance(model, TokenizingModel) else None
        predictor = None if known is None else known.predictor
        if predictor is None:
            self._copy_predictions(None if known is None else known.printed_predictions, path)
            return
        h5py = require_h5py()
        try:
            items = predictor.items()
        except UnsupportedByModel as error:
            raise UnsupportedFeatureError(
                model.info.reference, "get_predictions", str(error)
            ) from None
        # Every check that scoring makes beforehand; nothing runs yet.
        model.score(sentences, Policy.SYNTAXGYM)
        try:
            with h5py.File(path, "w") as file:
                file["vocabulary"] = _encoded(items)
                # There even if no sentence is.
                file.create_group("sentence")
                for index, ids in enumerate(predictor.ids_of(sentences, Policy.SYNTAXGYM)):
                    group = file.create_group(f"sentence/{index}")
                    group["tokens"] = ids
                    group["predictions"] = predictor.log_probabilities(ids.tolist())
        except OSError as error:
            raise PommelError(f"{path}: cannot be written: {error.strerror or error}") from None

    def _copy_predictions(self, stored: Path | None, path: Path) -> None:
        if stored is None:
            reference = self._model.info.reference
            message = f"{reference}: this model gives surprisals and no predictions"
            raise UnsupportedFeatureError(reference, "get_predictions", message)
        try:
            path.write_bytes(stored.read_bytes())
        except OSError as error:
            raise InputError(f"{error.filename}: {error.strerror}") from None

    def open_predictions(self, path: Path, *, n_sentences: int) -> "h5py.File":
        """Open a file that is ours or the user's; raises `InputError` if it is no HDF5."""
        del n_sentences
        hdf5 = require_h5py()
        try:
            return hdf5.File(path, "r")
        except OSError as error:
            message = f"its predictions cannot be read: {error}"
            raise InputError(f"{self._model.info.reference}: {message}") from None

    def _tokens(self, sentences: Sequence[str]) -> Iterator[list[Token]]:
        """Yield each sentence's tokens, with or without surprisals."""
        model = self._model
        if isinstance(model, TokenizingModel) and model.predictor is not None:
            # A network need not run for it.
            yield from model.predictor.tokens_of(sentences, Policy.SYNTAXGYM)
        else:
            yield from self._scored(sentences)

    def _scored(self, sentences: Sequence[str]) -> Iterator[list[Token]]:
        """Yield each sentence's tokens that have a surprisal."""
        model = self._model
        scored = dict(model.score(sentences, Policy.SYNTAXGYM))
        marks: list[list[Token]] = [[] for _ in sentences]
        if isinstance(model, TokenizingModel):
            marks = model.opening_marks(sentences, Policy.SYNTAXGYM)
        for index, before in enumerate(marks):
            tokens = [*before, *scored[index].tokens]
            yield [token for token in tokens if token.surprisal_bits is not None]


def _encoded(items: Sequence[str]) -> "np.ndarray":
    import numpy as np

    return np.array([item.encode() for item in items])
