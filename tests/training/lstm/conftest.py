"""A family that several files of tests look at; none of them changes it."""

from pathlib import Path

import pytest
from tests.training.lstm.samples import Recorder, tiny_plan


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the text and a family of one, trained without a pause."""
    pytest.importorskip("torch")
    from pommel.training.lstm.family import train_family  # noqa: PLC0415

    folder = tmp_path_factory.mktemp("undisturbed")
    train_family(tiny_plan(folder, checkpoints=10), Recorder())
    return folder
