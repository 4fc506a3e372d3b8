"""A server to fetch from, a cache of one's own, and no long waits."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.sources.fetch.birds import AT, TIT, WREN
from tests.sources.fetch.server import FileServer, file_server

from pommel.files.waiting import Waiting
from pommel.sources.fetch.source import FetchOptions, PublishedSource


@pytest.fixture
def server() -> Iterator[FileServer]:
    """A web server that does what it is told."""
    with file_server() as running:
        yield running


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """The folder of a cache."""
    return tmp_path / "cache"


@pytest.fixture
def options(cache: Path) -> FetchOptions:
    """What `FetchedSource.fetch` is told in most tests: hardly to wait between tries."""
    quick = Waiting(first_seconds=0.01)
    return FetchOptions(root=cache, n_retries=2, timeout_seconds=5, waiting=quick)


@pytest.fixture
def birds(server: FileServer) -> PublishedSource:
    """A source of two files that are served."""
    server.serve(f"{AT}/wren.json", WREN)
    server.serve(f"{AT}/a/tit.json", TIT)
    return server.source({"wren.json": WREN, "a/tit.json": TIT})
