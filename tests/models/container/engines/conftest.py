"""Images that misbehave, and a look at what is left of containers."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders import suite_text, suite_value
from tests.container_fixtures import BuildImage
from tests.models.container.engines.samples import Misbehaving, containers_of

_FOLDER = Path(__file__).parent / "misbehaving"
_COMMANDS = ("spec", "tokenize", "get_surprisals", "score")


@pytest.fixture(scope="session")
def misbehaving(build_image: BuildImage) -> Misbehaving:
    """Return a function from a fault (see misbehaving/model.py) to an image's tag."""

    def build(fault: str = "", *, protocol: int = 1, without: str = "") -> str:
        commands = {f"commands/{name}" for name in _COMMANDS if name != without}
        return build_image(
            {
                "Dockerfile": (_FOLDER / "Dockerfile").read_text("utf-8"),
                **dict.fromkeys(commands, _FOLDER / "model.py"),
            },
            name=f"misbehaving-{fault or 'not'}",
            arguments={"FAULT": fault, "PROTOCOL": str(protocol)},
        )

    return build


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A file with a sound suite."""
    path = tmp_path / "suite.json"
    path.write_text(suite_text(suite_value()), "utf-8")
    return path


@pytest.fixture
def nothing_left(docker_engine: str) -> Iterator[None]:
    """No container of ours is left after the test."""
    yield
    assert containers_of(docker_engine, os.getpid()) == {}
