"""The file that a training goes on from: everything that decides what comes next."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import InputError
from pommel.models.lstm.weights import write_tensors
from pommel.training.lstm.progress import Progress

if TYPE_CHECKING:
    from torch import Tensor

# Of the file's layout: one of another version is not read.
_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A training between two steps.

    `identity` is the recipe and the hashes of the texts, `tensors` and `progress` are the
    trainer's; `n_threads` and `device` are what the arithmetic was done with.
    """

    identity: Mapping[str, Any]
    progress: Progress
    tensors: "Mapping[str, Tensor]"
    n_threads: int
    device: str


def write_state(path: Path, state: State) -> None:
    """Write the file; it takes its place as a whole. Raises `PommelError` where it cannot."""
    header = {
        "version": _VERSION,
        "identity": state.identity,
        "progress": state.progress.to_dict(),
        "n_threads": state.n_threads,
        "device": state.device,
    }
    write_tensors(path, state.tensors, {"pommel": json.dumps(header)})


def read_state(path: Path) -> State:
    """Return what `write_state` wrote, to the last bit; no code is run.

    Raises `InputError` for a file that is damaged, or was written by another version.
    """
    with _opened(path) as (file, header):
        return State(
            identity=header["identity"],
            progress=Progress.from_dict(header["progress"]),
            tensors={name: file.get_tensor(name) for name in file.keys()},  # noqa: SIM118 - the file is no mapping
            n_threads=header["n_threads"],
            device=header["device"],
        )


def read_identity(path: Path) -> dict[str, Any]:
    """Return the `identity` of a state without its tensors. Raises as `read_state` does."""
    with _opened(path) as (_, header):
        return dict(header["identity"])


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, dict[str, Any]]]:
    from safetensors import SafetensorError, safe_open  # noqa: PLC0415 - an extra

    hint = "give --restart to train from the beginning"
    try:
        with safe_open(path, framework="pt") as file:
            header = json.loads((file.metadata() or {})["pommel"])
            if header["version"] != _VERSION:
                raise InputError(f"{path}: written by another version of pommel; {hint}")
            yield file, header
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: the saved state cannot be read ({error}); {hint}") from None
