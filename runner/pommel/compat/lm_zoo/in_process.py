"""The commands of the LM Zoo protocol for a model that scores in this process."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.compat.lm_zoo.errors import UnsupportedFeatureError
from pommel.errors import InputError, ModelNotAvailableError, PommelError
from pommel.errors import UnsupportedFeatureError as UnsupportedByModel
from pommel.models.alignment import PrintedToken, TokenizerSpec
from pommel.models.huggingface.model import HuggingFaceModel
from pommel.models.huggingface.tokens import vocabulary_spec
from pommel.models.lstm import LstmModel
from pommel.models.model import Model, ModelInfo, Policy, score_all
from pommel.models.ngram import NgramModel
from pommel.models.ngram.arpa import BOS
from pommel.models.printed import PrintedModel
from pommel.models.reference_files import check_spec, parse_json, read_text, split_reference
from pommel.surprisal import Token

if TYPE_CHECKING:
    import h5py
    import numpy as np

    from pommel.models.neural.questions import Ids


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
    model.score(sentences, Policy.SYNTAXGYM)
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
        return (model.ids(model.reader.read(text, Policy.SYNTAXGYM)) for text in sentences)
    return (each.ids for each in model.encoder.encode(sentences, Policy.SYNTAXGYM))


def _vocabulary(model: PredictingModel, width: int) -> "np.ndarray":
    import numpy as np  # noqa: PLC0415 - commands start sooner

    return np.array([item.encode() for item in vocabulary_items(model, width)])


_HUB = "https://huggingface.co"
# Every setting that a reference in this process may have.
_SETTINGS = ("bits", "sentences", "spec")
# A cased tokenizer keeps the capital of this word.
_PROBE = "Testing"


def spec_of(model: Model) -> dict[str, Any]:
    """Return the spec that a dummy or recorded model came with, otherwise what can be told.

    `vocabulary.items` is there for models that can list their tokens. What is not known (who
    maintains a model, when it was made) is left out.
    """
    stored = stored_spec(model.info)
    if stored is not None:
        return stored
    match model:
        case HuggingFaceModel():
            return _huggingface_spec(model)
        case NgramModel():
            return _ngram_spec(model)
        case LstmModel():
            return _lstm_spec(model)
        case PrintedModel():
            return _spec(model.info, model.spec)
    return _spec(model.info, TokenizerSpec())


def stored_spec(info: ModelInfo) -> dict[str, Any] | None:
    """Return the spec in a dummy's file, or the one that a `recorded://` reference names."""
    if info.kind == "recorded":
        path = split_reference(info.reference, _SETTINGS).settings.get("spec")
        return _read_spec(read_text(Path(path), asked_by=info.reference), path) if path else None
    answer = _dummy_answer(info, "spec")
    if answer is None or isinstance(answer, dict):
        return answer
    stored = stored_answer(info, "spec")
    if stored is None:
        return _read_spec(str(answer), info.reference)
    return _read_spec(read_text(stored, asked_by=info.reference), str(stored))


def stored_answer(info: ModelInfo, command: str) -> Path | None:
    """Return the file that a dummy's file names for a command, if it names one that is there."""
    answer = _dummy_answer(info, command)
    # A text of several lines, or a JSON object, is the answer itself.
    if not isinstance(answer, str) or "\n" in answer or "{" in answer:
        return None
    path = _dummy_file(info).parent / answer
    try:
        return path if path.is_file() else None
    except (OSError, ValueError):
        # Too long for a file's name, or with characters that none can have.
        return None


def _dummy_file(info: ModelInfo) -> Path:
    return Path(split_reference(info.reference, _SETTINGS).path).expanduser()


def _dummy_answer(info: ModelInfo, command: str) -> Any:
    if info.kind != "dummy":
        return None
    path = _dummy_file(info)
    answers = parse_json(read_text(path, asked_by=info.reference), where=str(path))
    return answers.get(command)


def _read_spec(text: str, where: str) -> dict[str, Any]:
    return check_spec(parse_json(text, where=where), where=where)


def _huggingface_spec(model: HuggingFaceModel) -> dict[str, Any]:
    # What the vocabulary looks like says more than how one word is cut.
    tokenizer = model.encoder.tokenizer
    found = vocabulary_spec(tokenizer)
    first = _types(model.encoder.text_of(model.encoder.marks.start))
    last = _types(model.info.eos)
    unknown = found.unk_types - first - last
    spec = replace(
        found,
        unk_types=unknown,
        prefix_types=first,
        suffix_types=last,
        special_types=frozenset(tokenizer.all_special_tokens) - first - last - unknown,
        cased=any(letter.isupper() for token in tokenizer.tokenize(_PROBE) for letter in token),
    )
    n_items = int(model.info.details["vocabulary_size"])
    items = [*vocabulary_items(model, n_items)]
    name = model.info.reference.removeprefix("huggingface://")
    is_folder = name == model.info.reference or Path(name).expanduser().exists()
    address = {} if is_folder else {"ref_url": f"{_HUB}/{name.partition('@')[0]}"}
    # What a masked model expects depends on what is masked.
    predictions = "causal" in model.info.methods
    return {**_spec(model.info, spec, items, predictions=predictions), **address}


def _ngram_spec(model: NgramModel) -> dict[str, Any]:
    # Nothing predicts the mark in front, so that it is no token. A KenLM binary lists no words.
    listed = model.tables.vocabulary
    items = None if listed is None else [word for word in listed if word != BOS]
    unknown, last = _types(model.tables.unk), _types(model.info.eos)
    spec = TokenizerSpec(unk_types=unknown, suffix_types=last)
    return _spec(model.info, spec, items)


def _lstm_spec(model: LstmModel) -> dict[str, Any]:
    config = model.config
    spec = TokenizerSpec(
        unk_types=_types(config.unk), suffix_types=_types(config.eos), cased=config.cased
    )
    return _spec(model.info, spec, list(model.vocabulary), predictions=True)


def _types(token: str | None) -> frozenset[str]:
    return frozenset(() if token is None else (token,))


def _spec(
    info: ModelInfo,
    spec: TokenizerSpec,
    items: list[str] | None = None,
    *,
    predictions: bool = False,
) -> dict[str, Any]:
    return {
        "name": info.name,
        "image": {
            "version": info.revision or info.fingerprint,
            "supported_features": {
                "tokenize": True,
                "unkify": True,
                "get_surprisals": True,
                "get_predictions": predictions,
                "mount_checkpoint": False,
            },
            "gpu": {"required": False, "supported": info.kind in {"huggingface", "lstm"}},
        },
        "vocabulary": {
            **({} if items is None else {"items": items}),
            "unk_types": sorted(spec.unk_types),
            "prefix_types": sorted(spec.prefix_types),
            "suffix_types": sorted(spec.suffix_types),
            "special_types": sorted(spec.special_types),
        },
        "tokenizer": _tokenizer(spec),
    }


def _tokenizer(spec: TokenizerSpec) -> dict[str, Any]:
    maybe = {
        "sentinel_pattern": spec.sentinel,
        "sentinel_position": spec.sentinel_position,
        "metaspace": spec.metaspace,
        "drop_token_pattern": spec.drop_token_pattern,
        "behaviors": sorted(spec.behaviors),
    }
    known = {key: value for key, value in maybe.items() if value}
    return {"type": spec.type, "cased": spec.cased, **known}


class ScoredCommands:
    """Answers from scored sentences, as the LM Zoo's own back-end did.

    The tokens are those that the model's tokenizer makes, its marks among them. The first has 0
    bits unless the model has scored it. A word that a model leaves out is no token.
    """

    def __init__(self, model: Model) -> None:
        """Take a loaded model."""
        self._model = model

    def spec(self) -> dict[str, Any]:
        """Return the spec that a dummy or recorded model came with, otherwise a made-up one."""
        return spec_of(self._model)

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each sentence."""
        return [[token.text for token in tokens] for tokens in self._tokens(sentences)]

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        """Return for each of these tokens whether it stands for an unknown word."""
        return [[token.oov for token in tokens] for tokens in self._tokens(sentences)]

    def get_surprisals(self, sentences: Sequence[str]) -> tuple[tuple[PrintedToken, ...], ...]:
        """Return the same tokens with their surprisals; `line` is 0: nothing was printed."""
        return tuple(
            tuple(
                PrintedToken(
                    text=token.text, surprisal_bits=token.surprisal_bits, line=0, oov=token.oov
                )
                for token in tokens
                if token.surprisal_bits is not None
            )
            for tokens in self._scored(sentences)
        )

    def write_predictions(self, sentences: Sequence[str], path: Path) -> None:
        """Write what a model predicts that does, or copy what a dummy model came with."""
        if isinstance(self._model, PredictingModel):
            write_predictions(self._model, sentences, path)
            return
        stored = stored_answer(self._model.info, "get_predictions")
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
        if isinstance(self._model, HuggingFaceModel):
            # A network need not run for it.
            for each in self._model.encoder.encode(sentences, Policy.SYNTAXGYM):
                yield [*_marks(self._model, each.ids[: each.n_marks]), *each.tokens]
        elif isinstance(self._model, LstmModel):
            for text in sentences:
                yield [*self._model.reader.read(text, Policy.SYNTAXGYM).tokens]
        else:
            yield from self._scored(sentences)

    def _scored(self, sentences: Sequence[str]) -> Iterator[list[Token]]:
        """Yield each sentence's tokens that have a surprisal."""
        scored = score_all(self._model, sentences, Policy.SYNTAXGYM)
        marks: list[list[Token]] = [[] for _ in sentences]
        if isinstance(self._model, HuggingFaceModel):
            encoded = self._model.encoder.encode(sentences, Policy.SYNTAXGYM)
            marks = [list(_marks(self._model, each.ids[: each.n_marks])) for each in encoded]
        for before, sentence in zip(marks, scored, strict=True):
            tokens = [*before, *sentence.tokens]
            yield [token for token in tokens if token.surprisal_bits is not None]


def _marks(model: HuggingFaceModel, ids: Iterable[int]) -> Iterator[Token]:
    """Yield the marks in front of a sentence, which nothing predicts."""
    for token_id in ids:
        text = model.encoder.text_of(token_id) or ""
        yield Token(text=text, start=0, end=0, surprisal_bits=0.0, role="bos")
