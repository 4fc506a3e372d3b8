"""A sound submission that many tests change."""

import pytest
from tests.leaderboard.submission.samples import Parts, packed


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    """The files of a submission of one model on two suites."""
    raw, _ = packed(tmp_path_factory.mktemp("sound"))
    return Parts.of(raw)
