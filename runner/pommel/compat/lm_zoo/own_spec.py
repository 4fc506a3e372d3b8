"""What a model in this process would print as its `spec`, if it were in an image."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from pommel.compat.lm_zoo.predictions import vocabulary_items
from pommel.models.huggingface.model import HuggingFaceModel
from pommel.models.huggingface.vocabulary_marks import vocabulary_spec
from pommel.models.lstm import LstmModel
from pommel.models.model import Model, ModelInfo
from pommel.models.ngram import NgramModel
from pommel.models.ngram.arpa import BOS
from pommel.models.printed import PrintedModel
from pommel.models.reference_files import check_spec, parse_json, read_text, split_reference
from pommel.models.spec import TokenizerSpec

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
