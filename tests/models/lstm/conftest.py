"""One thread: tiny networks gain nothing from more."""

from importlib import import_module, util
from typing import Any

import pytest


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    if util.find_spec("torch") is not None:
        torch: Any = import_module("torch")
        torch.set_num_threads(1)
