"""Fixtures of other folders."""

from tests.cli.conftest import pommel  # noqa: F401 - a fixture
from tests.models.conftest import tiny_folder  # noqa: F401 - a fixture
from tests.models.container.conftest import engine, image  # noqa: F401 - fixtures
