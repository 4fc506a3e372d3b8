"""What every test may ask for."""

import os
import uuid
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

# The first example of a law also pays for imports, and a machine may be busy.
settings.register_profile("pommel", deadline=None)
settings.load_profile("pommel")

# Engines and images for tests marked `docker`; nothing happens unless a test asks for them.
pytest_plugins = ["tests.container_fixtures"]

REPOSITORY = Path(__file__).resolve().parents[1]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let several workers begin with the files that have the most slow tests.

    Otherwise one of them would still be at the last of these when the others have done all else.
    """
    if hasattr(config, "workerinput"):
        n_slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
        items.sort(key=lambda item: -n_slow[item.path])


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout that the tests run in."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Published data, no part of the repository: beside it in CI, maybe absent elsewhere."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"CI runs with the published data in {folder}, and it is not there")
        pytest.skip("the published data is not beside this checkout")
    return folder


@pytest.fixture(autouse=True)
def own_store(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where commands keep what they score: nothing of one test is known in another."""
    # The folder is not made here: most tests keep nothing.
    path = tmp_path_factory.getbasetemp() / "stores" / uuid.uuid4().hex / "store.sqlite"
    monkeypatch.setenv("POMMEL_STORE", str(path))
    return path
