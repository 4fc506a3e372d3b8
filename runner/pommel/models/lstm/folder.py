"""The folder of a word-level LSTM: what it holds, how it is read and written.

config.json         {"embedding_size": 650, "hidden_size": 650, "n_layers": 2, "tied": false}
                    and maybe "unk" ("<unk>"), "eos" ("<eos>"), "cased" (true)
vocabulary.txt      a word a line, in the order of the weights; the two marks are among them
model.safetensors   or model.pt (a pickle): see `weights`
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import InputError, ModelNotAvailableError, UsageError
from pommel.files.writing import sha256_of, write_text
from pommel.models.lstm.config import LstmConfig
from pommel.models.lstm.weights import PICKLE, SAFETENSORS, read_weights, shapes, write_tensors
from pommel.models.reference_files import check_shape, parse_json, read_text
from pommel.models.word_level.vocabulary import read_vocabulary

if TYPE_CHECKING:
    import torch

__all__ = ["LstmConfig", "LstmFiles", "read_folder", "require_torch", "write_folder"]

CONFIG = "config.json"
VOCABULARY = "vocabulary.txt"
# What a training leaves beside a model; the model is read without it.
RECORD = "training.json"

_SIZE = {"type": "integer"}
_MARK = {"type": "string", "pattern": r"^\S+$"}
_CONFIG_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["embedding_size", "hidden_size", "n_layers"],
    "properties": {
        "embedding_size": _SIZE,
        "hidden_size": _SIZE,
        "n_layers": _SIZE,
        "tied": {"type": "boolean"},
        "unk": _MARK,
        "eos": _MARK,
        "cased": {"type": "boolean"},
    },
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LstmFiles:
    """What a folder holds, checked: every weight has the shape that it must have, and no other is.

    `weights` lie on the processor, in the number format in which they are stored; a tied model has
    no `decoder.weight`. `fingerprint` is the SHA-256 over configuration, vocabulary and weights.
    """

    config: LstmConfig
    vocabulary: tuple[str, ...]
    weights: "Mapping[str, torch.Tensor]"
    fingerprint: str


def read_folder(folder: Path, *, reference: str, allow_pickle: bool = False) -> LstmFiles:
    """Read and check the model in `folder`, from the cheapest check to the dearest.

    Weights are in `model.safetensors` or, with `allow_pickle`, in `model.pt`, of which tensors are
    read and no code. Raises `ModelNotAvailableError`, naming the reference, for what is missing
    (torch included), and `InputError` for what is there and wrong.
    """
    require_torch(reference)
    if not (folder / CONFIG).is_file():
        raise ModelNotAvailableError(f"{reference}: {_no_model(folder)}")
    config = _read_config(folder / CONFIG, reference=reference)
    vocabulary = read_vocabulary(folder / VOCABULARY, asked_by=reference)
    for name, mark in (("unk", config.unk), ("eos", config.eos)):
        if mark not in vocabulary:
            raise InputError(
                f"{folder / VOCABULARY}: the mark {mark!r} is not in it; "
                f"it has to be, or {CONFIG} has to name another as {name!r}"
            )
    path = _weights_file(folder, allow_pickle=allow_pickle, reference=reference)
    try:
        weights = read_weights(path, shapes(config, len(vocabulary)), tied=config.tied)
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise ModelNotAvailableError(f"{reference}: {path}: {reason}") from None
    return LstmFiles(
        config=config,
        vocabulary=vocabulary,
        weights=weights,
        fingerprint=_fingerprint(config, vocabulary, path),
    )


def write_folder(
    folder: Path,
    config: LstmConfig,
    vocabulary: Sequence[str],
    weights: "Mapping[str, torch.Tensor]",
) -> None:
    """Write a model that `read_folder` reads; the folder is made if it is missing.

    `weights` are those of `shapes`, on any device; a `decoder.weight` that is tied is left out.
    Each file takes its place as a whole, the configuration last: without it there is no model.
    Raises `PommelError` for what the file system refuses.
    """
    wanted = shapes(config, len(vocabulary))
    chosen = {name: weights[name].detach().cpu().contiguous() for name in wanted}
    assert {name: tuple(each.shape) for name, each in chosen.items()} == wanted  # noqa: S101 - the callers are ours
    write_tensors(folder / SAFETENSORS, chosen)
    write_text(folder / VOCABULARY, "".join(f"{word}\n" for word in vocabulary))
    write_text(folder / CONFIG, json.dumps(asdict(config), indent=1, ensure_ascii=False) + "\n")


def require_torch(reference: str) -> None:
    """Raise `ModelNotAvailableError` if torch or safetensors are not installed."""
    try:
        import safetensors  # noqa: F401, PLC0415 - an extra
        import torch  # noqa: F401, PLC0415 - an extra
    except ImportError:
        message = f"{reference} needs torch and safetensors: pip install 'pommel[hf]'"
        raise ModelNotAvailableError(message) from None


def _no_model(folder: Path) -> str:
    if not folder.exists():
        return f"there is no folder {folder}"
    if not folder.is_dir():
        return f"{folder} is a file; a model is a folder"
    return f"{folder} has no {CONFIG}; a model is a folder with {CONFIG}, {VOCABULARY} and weights"


def _read_config(path: Path, *, reference: str) -> LstmConfig:
    """Return the configuration in a file; keys that are not ours are nobody's business."""
    value = parse_json(read_text(path, asked_by=reference), where=str(path))
    check_shape(value, _CONFIG_SCHEMA, where=str(path), noun="configuration of an LSTM")
    known = {field.name: value[field.name] for field in fields(LstmConfig) if field.name in value}
    sizes = {name: int(known[name]) for name in _CONFIG_SCHEMA["required"]}
    try:
        return LstmConfig(**{**known, **sizes})
    except UsageError as error:
        raise InputError(f"{path}: {error}") from None


def _weights_file(folder: Path, *, allow_pickle: bool, reference: str) -> Path:
    if (folder / SAFETENSORS).is_file():
        return folder / SAFETENSORS
    if not (folder / PICKLE).is_file():
        raise ModelNotAvailableError(f"{reference}: {folder} has no weights ({SAFETENSORS})")
    if not allow_pickle:
        raise ModelNotAvailableError(
            f"{reference}: its weights are a pickle ({PICKLE}); "
            "only safetensors are read unless --allow-pickle is given"
        )
    return folder / PICKLE


def _fingerprint(config: LstmConfig, vocabulary: Sequence[str], weights: Path) -> str:
    canonical = json.dumps([asdict(config), vocabulary], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{canonical}\n{sha256_of(weights)}\n".encode()).hexdigest()
