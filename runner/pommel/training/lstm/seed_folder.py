"""The folder of one member of a family: a state while it is trained, then a model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pommel.errors import InputError, PommelError, UsageError
from pommel.files.text import write_text
from pommel.models.lstm.folder import (
    CONFIG,
    RECORD,
    SAFETENSORS,
    VOCABULARY,
    LstmConfig,
    write_folder,
)
from pommel.models.reference_files import parse_json, read_text
from pommel.training.lstm.recipe import differences
from pommel.training.lstm.state import State, read_identity, write_state

if TYPE_CHECKING:
    from torch import Tensor

STATE = "state.safetensors"

Standing = Literal["empty", "begun", "finished"]

_RECORDED = ("recipe", "sha256", "figures")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedFolder:
    """A folder, and what is trained in it: by which recipe, on files with which hashes.

    A model is finished when its record is there, which is written last. A checkpoint is a folder
    below it, `step-N` or `epoch-N`.
    """

    path: Path
    recipe: Mapping[str, Any]
    sha256: Mapping[str, str | None]

    @property
    def identity(self) -> dict[str, Any]:
        """What has to be the same for a training to go on."""
        return {**self.recipe, **self.sha256}

    @property
    def state_path(self) -> Path:
        """Where the state is kept."""
        return self.path / STATE

    def standing(self) -> Standing:
        """Return how far it has come.

        Raises `UsageError` if the folder holds another training, a model from elsewhere, or a part
        of one.
        """
        if (self.path / RECORD).is_file() and (self.path / CONFIG).is_file():
            record = self.record()
            self._check_identity({**record["recipe"], **record["sha256"]})
            for name in (SAFETENSORS, VOCABULARY):
                if not (self.path / name).is_file():
                    message = f"{self.path} holds a trained model without its {name}"
                    raise UsageError(f"{message}; {_HINT}")
            return "finished"
        if self.state_path.is_file():
            self._check_identity(read_identity(self.state_path))
            return "begun"
        there = [path.name for path in self._files() if path.exists()]
        if there:
            message = f"{self.path} holds files of another training or another model"
            raise UsageError(f"{message} ({there[0]}); {_HINT}")
        return "empty"

    def record(self) -> dict[str, Any]:
        """Return the record of a finished model; raises `InputError` for what is none."""
        path = self.path / RECORD
        value = parse_json(read_text(path, asked_by=str(self.path)), where=str(path))
        parts = [value.get(name) if isinstance(value, dict) else None for name in _RECORDED]
        if not all(isinstance(part, dict) for part in parts):
            raise InputError(f"{path}: this is no record of a training; {_HINT}")
        return dict(value)

    def keep(self, state: State) -> None:
        """Write the state that the same training goes on from."""
        write_state(self.state_path, state)

    def write_checkpoint(
        self,
        name: str,
        config: LstmConfig,
        vocabulary: Sequence[str],
        weights: "Mapping[str, Tensor]",
        record: Mapping[str, Any],
    ) -> None:
        """Write a model of its own below this one; without its configuration it is none."""
        write_text(self.path / name / RECORD, _json(record))
        write_folder(self.path / name, config, vocabulary, weights)

    def finish(
        self,
        config: LstmConfig,
        vocabulary: Sequence[str],
        weights: "Mapping[str, Tensor]",
        record: Mapping[str, Any],
    ) -> None:
        """Write the model, then its record, and drop the state."""
        write_folder(self.path, config, vocabulary, weights)
        write_text(self.path / RECORD, _json(record))
        _delete(self.state_path)

    def clear(self) -> None:
        """Delete what a training has written, checkpoints too; other files stay."""
        for path in self._files():
            _delete(path)
        for folder in self._checkpoints():
            if not any(folder.iterdir()):
                folder.rmdir()

    def _files(self) -> Iterator[Path]:
        # The configuration goes first: what is left is no model at any time.
        for folder in (self.path, *self._checkpoints()):
            for name in (CONFIG, SAFETENSORS, VOCABULARY, RECORD, STATE):
                yield folder / name

    def _checkpoints(self) -> list[Path]:
        found = (*self.path.glob("step-*"), *self.path.glob("epoch-*"))
        return sorted(
            path for path in found if path.name.partition("-")[2].isdecimal() and path.is_dir()
        )

    def _check_identity(self, recorded: Mapping[str, Any]) -> None:
        differing = differences(recorded, self.identity)
        if differing:
            message = f"{self.path} holds another training: {', '.join(differing)}"
            raise UsageError(f"{message}; {_HINT}")


_HINT = "choose another folder, or give --restart to train anew in this one"


def _delete(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise PommelError(f"{path}: cannot be deleted: {error.strerror or error}") from None


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
