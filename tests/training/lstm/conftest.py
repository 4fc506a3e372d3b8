"""A family that several files of tests look at, and copies of it for those who change it."""

import shutil
from pathlib import Path

import pytest
from tests.training.lstm.samples import Recorder, tiny_plan


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the text and a family of one, trained without a pause."""
    pytest.importorskip("torch")

    folder = tmp_path_factory.mktemp("undisturbed")
    tiny_plan(folder, checkpoints=10).train(Recorder())
    return folder


@pytest.fixture
def trained(undisturbed: Path, tmp_path: Path) -> Path:
    """A seed's folder in a copy of it below `tmp_path`."""
    shutil.copytree(undisturbed, tmp_path, dirs_exist_ok=True)
    return tmp_path / "family" / "seed-1"
