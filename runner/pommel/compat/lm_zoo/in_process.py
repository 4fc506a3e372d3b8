"""The commands of the LM Zoo protocol for a model that scores in this process."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.compat.lm_zoo.errors import UnsupportedFeatureError
from pommel.errors import (
    InputError,
    ModelNotAvailableError,
    PommelError,
    UnsupportedFeatureError as UnsupportedByModel,
)
from pommel.files import expanded
from pommel.models import Model, ModelInfo, Policy, PrintedToken, TokenizerSpec, TokenizingModel
from pommel.surprisal import Token

if TYPE_CHECKING:
    import h5py


def require_h5py() -> Any:
    """Return the module; raises `ModelNotAvailableError`, with what to do, if it is missing."""
    try:
        return import_module("h5py")
    except ImportError:
        message = f"predictions need h5py: {PommelError.install('docker')}"
        raise ModelNotAvailableError(message) from None


_HUB = "https://huggingface.co"


def _spec_of(info: ModelInfo, known: TokenizingModel | None) -> dict[str, object]:
    """Return what can be told of a model, as an image's spec has it.

    `vocabulary.items` is there for models that can list their tokens. What is not known (who
    maintains a model, when it was made) is left out.
    """
    spec = known.tokenizer_spec if known else TokenizerSpec()
    items = known.vocabulary_items if known else None
    tokenizer = {
        "sentinel_pattern": spec.sentinel,
        "sentinel_position": spec.sentinel_position,
        "metaspace": spec.metaspace,
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
            **{name: sorted(getattr(spec, name)) for name in TokenizerSpec.VOCABULARY},
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
    is_folder = name == info.reference or expanded(name).exists()
    return "" if is_folder else name.partition("@")[0]


class ScoredCommands:
    """Answers from scored sentences, as the LM Zoo's own back-end did.

    The tokens are those that the model's tokenizer makes, its marks among them. The first has 0
    bits unless the model has scored it. A word that a model leaves out is no token.
    """

    def __init__(self, model: Model) -> None:
        """Take a loaded model."""
        self._model = model
        self._known = model if isinstance(model, TokenizingModel) else None

    @property
    def remarks(self) -> list[str]:
        """What is told of how the model has answered (`ModelInfo.remarks`)."""
        return self._model.info.remarks

    def spec(self) -> dict[str, object]:
        """Return the spec that a dummy or recorded model came with, otherwise a made-up one."""
        if self._known and self._known.printed_spec is not None:
            return deepcopy(dict(self._known.printed_spec))
        return _spec_of(self._model.info, self._known)

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
        import numpy as np

        reference, known = self._model.info.reference, self._known
        if known and known.printed_predictions:
            try:
                path.write_bytes(known.printed_predictions.read_bytes())
            except OSError as error:
                raise InputError(f"{error.filename}: {error.strerror}") from None
            return
        if known is None or known.predictor is None:
            message = f"{reference}: this model gives surprisals and no predictions"
            raise UnsupportedFeatureError(reference, "get_predictions", message)
        h5py = require_h5py()
        try:
            items = known.predictor.items()
        except UnsupportedByModel as error:
            raise UnsupportedFeatureError(reference, "get_predictions", str(error)) from None
        # Every check that scoring makes beforehand; nothing runs yet.
        self._model.score(sentences, Policy.SYNTAXGYM)
        try:
            with h5py.File(path, "w") as file:
                file["vocabulary"] = np.array([item.encode() for item in items])
                # There even if no sentence is.
                file.create_group("sentence")
                for index, ids in enumerate(known.predictor.ids_of(sentences, Policy.SYNTAXGYM)):
                    group = file.create_group(f"sentence/{index}")
                    group["tokens"] = ids
                    group["predictions"] = known.predictor.log_probabilities(ids.tolist())
        except OSError as error:
            raise PommelError(f"{path}: cannot be written: {error.strerror or error}") from None

    def open_predictions(self, path: Path, *, n_sentences: int) -> "h5py.File":
        """Open a file that is ours or the user's; raises `InputError` if it is no HDF5."""
        del n_sentences
        h5py = require_h5py()
        try:
            return h5py.File(path, "r")
        except OSError as error:
            message = f"its predictions cannot be read: {error}"
            raise InputError(f"{self._model.info.reference}: {message}") from None

    def _tokens(self, sentences: Sequence[str]) -> Iterator[list[Token]]:
        """Yield each sentence's tokens, with or without surprisals."""
        if self._known and self._known.predictor is not None:
            # A network need not run for it.
            yield from self._known.predictor.tokens_of(sentences, Policy.SYNTAXGYM)
        else:
            yield from self._scored(sentences)

    def _scored(self, sentences: Sequence[str]) -> Iterator[list[Token]]:
        """Yield each sentence's tokens that have a surprisal."""
        scored = dict(self._model.score(sentences, Policy.SYNTAXGYM))
        marks: list[list[Token]] = [[] for _ in sentences]
        if self._known:
            marks = self._known.opening_marks(sentences, Policy.SYNTAXGYM)
        for index, before in enumerate(marks):
            tokens = [*before, *scored[index].tokens]
            yield [token for token in tokens if token.surprisal_bits is not None]
