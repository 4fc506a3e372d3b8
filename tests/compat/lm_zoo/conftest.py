"""A home without a list of images; fixtures of other folders."""

from pathlib import Path

import pytest
from tests.cli.conftest import pommel  # noqa: F401 - a fixture
from tests.models.conftest import tiny_folder  # noqa: F401 - a fixture
from tests.models.container.conftest import engine, image  # noqa: F401 - fixtures


@pytest.fixture(autouse=True)
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home for the user's data, so that only what ships with pommel is seen."""
    home = tmp_path / "data home"
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    return home
