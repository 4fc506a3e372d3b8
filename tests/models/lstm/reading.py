"""Reading a folder that has been changed, and what is said of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pommel.errors import PommelError
from pommel.models.lstm.folder import LstmFiles, read_folder

WORDS = ("The", "cat", "sleeps")
VOCABULARY = ("<unk>", "<eos>", *WORDS)

Change = Callable[[dict[str, Any]], None]


def read(folder: Path) -> LstmFiles:
    return read_folder(folder, reference="lstm://model")


def change_config(folder: Path, **changes: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))


def change_weights(folder: Path, change: Change) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")


def message_of(error: type[PommelError], folder: Path) -> str:
    """Return the one line that is said, with MODEL for the folder."""
    with pytest.raises(error) as caught:
        read(folder)
    # An input that is wrong is another thing than one that is missing.
    assert type(caught.value) is error
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(str(folder), "MODEL")
