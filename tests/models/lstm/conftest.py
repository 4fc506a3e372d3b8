"""Models that the tests share; one thread: tiny networks gain nothing from more."""

from importlib import import_module, util
from pathlib import Path
from typing import Any

import pytest
from tests.models.lstm.folders import save_random_lstm
from tests.models.lstm.opened import WORDS, opened
from tests.models.lstm.reading import WORDS as FEW_WORDS

from pommel.models.lstm.model import LstmModel


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    if util.find_spec("torch") is not None:
        torch: Any = import_module("torch")
        torch.set_num_threads(1)


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """A sound model, to be spoiled."""
    return save_random_lstm(tmp_path / "model", FEW_WORDS)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that nobody changes."""
    return save_random_lstm(tmp_path_factory.mktemp("lstm") / "small", WORDS)


@pytest.fixture(scope="session")
def small(folder: Path) -> LstmModel:
    """That model, opened."""
    return opened(folder)
