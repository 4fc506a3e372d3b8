"""The folder of a word-level LSTM: what it holds, how it is read and written.

config.json         {"embedding_size": 650, "hidden_size": 650, "n_layers": 2, "tied": false}
                    and maybe "unk" ("<unk>"), "eos" ("<eos>"), "cased" (true)
vocabulary.txt      a word a line, in the order of the weights; the two marks are among them
model.safetensors   see `read_weights`
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import InputError, ModelNotAvailableError, UsageError, counted, first_line
from pommel.files import parse_json, replacing, sha256_of, write_text
from pommel.models.neural.memory import require_torch
from pommel.models.reference_files import check_shape, read_text
from pommel.models.word_level import parse_vocabulary
from pommel.values import frozen, positional

if TYPE_CHECKING:
    import torch


# Each has four weights by name: a million would be a mistake, and take a while to list.
_MOST_LAYERS = 100


@frozen
class LstmConfig:
    """The shape of a network, and how it writes words.

    `tied` says that the decoder's matrix is the encoder's. `unk` stands for every unknown word,
    `eos` for the end of a sentence and for what is before the next. If not `cased`, words are
    looked up in lower case. Raises `UsageError` as `check_sizes` does.
    """

    embedding_size: int
    hidden_size: int
    n_layers: int
    tied: bool = False
    unk: str = "<unk>"
    eos: str = "<eos>"
    cased: bool = True

    def __post_init__(self) -> None:
        self.check_sizes(self.embedding_size, self.hidden_size, self.n_layers, tied=self.tied)

    @staticmethod
    def check_sizes(
        embedding_size: int,
        hidden_size: int,
        n_layers: int,
        *,
        tied: bool,
        called: Callable[[str], str] = str,
    ) -> None:
        """Raise `UsageError` for a network that cannot be.

        `called` gives what a message calls a setting: by default the name that it has here.
        """
        sizes = {"embedding_size": embedding_size, "hidden_size": hidden_size, "n_layers": n_layers}
        for name, size in sizes.items():
            if size < 1:
                raise UsageError(f"{called(name)} has to be at least 1, not {size}")
        if n_layers > _MOST_LAYERS:
            raise UsageError(
                f"{called('n_layers')} has to be at most {_MOST_LAYERS}, not {n_layers}"
            )
        if tied and embedding_size != hidden_size:
            raise UsageError(
                f"{called('tied')} needs {called('embedding_size')} and {called('hidden_size')} to "
                "be equal (the embedding is the decoder's matrix); "
                f"they are {embedding_size} and {hidden_size}"
            )


SAFETENSORS = "model.safetensors"

Shape = tuple[int, ...]

_TIED = "decoder.weight"


def shapes(config: LstmConfig, n_words: int) -> dict[str, Shape]:
    """Return the names and shapes of all weights of a network, in order."""
    hidden = config.hidden_size
    found: dict[str, Shape] = {"encoder.weight": (n_words, config.embedding_size)}
    for layer in range(config.n_layers):
        n_inputs = hidden if layer else config.embedding_size
        found[f"rnn.weight_ih_l{layer}"] = (4 * hidden, n_inputs)
        found[f"rnn.weight_hh_l{layer}"] = (4 * hidden, hidden)
        found[f"rnn.bias_ih_l{layer}"] = (4 * hidden,)
        found[f"rnn.bias_hh_l{layer}"] = (4 * hidden,)
    if not config.tied:
        found[_TIED] = (n_words, hidden)
    found["decoder.bias"] = (n_words,)
    return found


def read_weights(
    path: Path, wanted: Mapping[str, Shape], *, tied: bool
) -> "dict[str, torch.Tensor]":
    """Return the weights in a file: just those that are `wanted`.

    Shapes are checked before anything is read. Raises
    `InputError` for a file that is damaged or holds other weights, or numbers that are none, and
    `OSError` for one that can't be read.
    """
    from safetensors import SafetensorError, safe_open

    # torch lists a tied matrix under both names.
    accepted = {**wanted, _TIED: wanted["encoder.weight"]} if tied else wanted
    try:
        with safe_open(path, framework="pt") as file:
            found = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 - the file is no mapping
            _check_shapes(path, found, wanted=wanted, accepted=accepted)
            weights = {name: file.get_tensor(name) for name in found}
    except SafetensorError as error:
        raise InputError(
            f"{path}: this is no whole file of safetensors ({first_line(error)})"
        ) from None
    for name, each in weights.items():
        _check_numbers(path, name, each)
    if tied and _TIED in weights and not weights.pop(_TIED).equal(weights["encoder.weight"]):
        raise InputError(
            f"{path}: {_TIED} is not encoder.weight, and config.json says that they are tied"
        )
    return weights


def write_tensors(
    path: Path, tensors: "Mapping[str, torch.Tensor]", metadata: Mapping[str, str] | None = None
) -> None:
    """Write a file of safetensors, as a whole or not at all; raises `PommelError` as `replacing`.

    The tensors lie on the processor, contiguous, and share no memory.
    """
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    with replacing(path) as aside:
        try:
            save_file(dict(tensors), aside, metadata=dict(metadata) if metadata else None)
        except SafetensorError as error:
            # So it calls a full disk, too.
            raise OSError(first_line(error)) from None


def _check_shapes(
    path: Path,
    found: Mapping[str, Shape],
    *,
    wanted: Mapping[str, Shape],
    accepted: Mapping[str, Shape],
) -> None:
    """Raise `InputError` if not all that is `wanted` is there, or more than is `accepted`."""
    missing = [name for name in wanted if name not in found]
    if missing:
        hint = '; a model without one has "tied": true' if _TIED in missing else ""
        raise InputError(f"{path}: {_listed(missing)} missing, which config.json asks for{hint}")
    strange = sorted(name for name in found if name not in accepted)
    if strange:
        raise InputError(f"{path}: {_listed(strange)} there, and no part of config.json's network")
    for name, shape in accepted.items():
        if found.get(name, shape) != shape:
            raise InputError(
                f"{path}: a checkpoint of another shape: {name} is {_times(found[name])}, and "
                f"config.json and vocabulary.txt ask for {_times(shape)}"
            )


def _check_numbers(path: Path, name: str, weights: "torch.Tensor") -> None:
    import torch

    if weights.dtype not in {torch.float64, torch.float32, torch.float16, torch.bfloat16}:
        raise InputError(
            f"{path}: {name} has numbers of the kind {str(weights.dtype).removeprefix('torch.')}; "
            "they have to be float32, float64, float16 or bfloat16"
        )
    wrong = int((~torch.isfinite(weights)).sum())
    if wrong:
        raise InputError(
            f"{path}: {name} has {counted(wrong, 'number')} that "
            f"{'is' if wrong == 1 else 'are'} infinite or none at all (NaN)"
        )


def _listed(names: Sequence[str]) -> str:
    others = f" and {counted(len(names) - 1, 'other')}" if len(names) > 1 else ""
    return f"{names[0]}{others} {'are' if others else 'is'}"


def _times(shape: Shape) -> str:
    return " x ".join(map(str, shape)) or "a single number"


CONFIG = "config.json"
VOCABULARY = "vocabulary.txt"
# What a training leaves beside a model; the model is read without it.
RECORD = "training.json"

_SIZE = {"type": "integer"}
_MARK = {"type": "string", "pattern": r"^\S+$"}
_CONFIG_SCHEMA: Mapping[str, Any] = {
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


@positional(eq=False)
class LstmFiles:
    """What a folder holds, checked: every weight has the shape that it must have, and no other is.

    `weights` lie on the processor, in the number format in which they are stored; a tied model has
    no `decoder.weight`. `fingerprint` is the SHA-256 over configuration, vocabulary and weights.
    """

    config: LstmConfig
    vocabulary: tuple[str, ...]
    weights: "Mapping[str, torch.Tensor]"
    fingerprint: str


def read_folder(folder: Path, *, reference: str) -> LstmFiles:
    """Read and check the model in `folder`, from the cheapest check to the dearest.

    Raises `ModelNotAvailableError`, naming the reference, for what is missing (torch included), and
    `InputError` for what is there and wrong.
    """
    require_torch(reference)
    if not (folder / CONFIG).is_file():
        what = f"{folder} has no {CONFIG}"
        hint = f"a model is a folder with {CONFIG}, {VOCABULARY} and weights"
        if not folder.exists():
            raise ModelNotAvailableError(f"{reference}: there is no folder {folder}")
        if not folder.is_dir():
            what, hint = f"{folder} is a file", "a model is a folder"
        raise ModelNotAvailableError(f"{reference}: {what}; {hint}")
    config = _read_config(folder / CONFIG, reference=reference)
    vocabulary = parse_vocabulary(
        read_text(folder / VOCABULARY, asked_by=reference), file=str(folder / VOCABULARY)
    )
    for name, mark in (("unk", config.unk), ("eos", config.eos)):
        if mark not in vocabulary:
            raise InputError(
                f"{folder / VOCABULARY}: the mark {mark!r} is not in it; "
                f"it has to be, or {CONFIG} has to name another as {name!r}"
            )
    path = folder / SAFETENSORS
    if not path.is_file():
        raise ModelNotAvailableError(f"{reference}: {folder} has no weights ({SAFETENSORS})")
    try:
        weights = read_weights(path, shapes(config, len(vocabulary)), tied=config.tied)
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise ModelNotAvailableError(f"{reference}: {path}: {reason}") from None
    canonical = json.dumps([asdict(config), vocabulary], sort_keys=True, separators=(",", ":"))
    fingerprint = hashlib.sha256(f"{canonical}\n{sha256_of(path)}\n".encode()).hexdigest()
    return LstmFiles(config, vocabulary, weights, fingerprint)


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


@frozen
class LstmFolder:
    """A folder with a model, and what a training leaves beside it."""

    path: Path

    @property
    def files(self) -> tuple[Path, ...]:
        """Its files, there or not; without the first, the configuration, there is no model."""
        return tuple(self.path / name for name in (CONFIG, SAFETENSORS, VOCABULARY, RECORD))

    @property
    def record_path(self) -> Path:
        """Where a training writes what it has done."""
        return self.path / RECORD

    @property
    def is_recorded(self) -> bool:
        """Whether it has a configuration and the record of a training."""
        return self.record_path.is_file() and (self.path / CONFIG).is_file()

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the files that a configuration needs beside it, and that are not there."""
        return tuple(name for name in (SAFETENSORS, VOCABULARY) if not (self.path / name).is_file())

    def record(self) -> Any:
        """Return the JSON value of the record; raises as `read_text` and `parse_json` do."""
        text = read_text(self.record_path, asked_by=str(self.path))
        return parse_json(text, where=str(self.record_path))

    def write_record(self, record: Mapping[str, Any]) -> None:
        """Write the record; raises `PommelError` for what the file system refuses."""
        write_text(self.record_path, json.dumps(record, indent=1, ensure_ascii=False) + "\n")

    write_folder = staticmethod(write_folder)
    write_tensors = staticmethod(write_tensors)


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
