"""Images for tests, and the engine that runs them without containers."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.models.container.local_engine import LocalEngine
from tests.models.container.toy_image import toy

from pommel.models.container.commands import ImageCommands
from pommel.models.container.engines import engine as engines
from pommel.models.model import LoadOptions

ImageOf = Callable[..., str]
CommandsOf = Callable[..., ImageCommands]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalEngine]:
    """An engine for `local://NAME`; at the end nothing that it has started may run."""
    local = LocalEngine(folder=tmp_path / "images")
    monkeypatch.setitem(engines.ENGINES, "local", lambda _reference: local)
    yield local
    assert local.n_running == 0


@pytest.fixture
def image(engine: LocalEngine) -> ImageOf:
    """A function that makes an image (see `toy`) and returns its reference, local://toy."""

    def add(protocol: int = 1, **scripts: object) -> str:
        return engine.add_image("toy", toy(protocol, **scripts))  # type: ignore[arg-type]

    return add


@pytest.fixture
def commands(image: ImageOf) -> CommandsOf:
    """A function that makes an image and returns its commands."""

    def make(protocol: int = 1, **scripts: object) -> ImageCommands:
        return ImageCommands.open(image(protocol, **scripts), LoadOptions())

    return make
