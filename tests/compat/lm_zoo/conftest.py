"""A real web server that hands out what a test gives it; fixtures of other folders."""

import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import pommel  # noqa: F401 - a fixture
from tests.models.conftest import tiny_folder  # noqa: F401 - a fixture
from tests.models.container.conftest import engine, image  # noqa: F401 - fixtures

Answer = Callable[[http.server.BaseHTTPRequestHandler], None]
Serve = Callable[[Answer], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server of this machine that answers every request; returns its address."""
    servers: list[http.server.HTTPServer] = []

    def start(answer: Answer) -> str:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer(self)

            def log_message(self, *_arguments: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # A handler that still sends must not keep the test waiting.
        server.block_on_close = False
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/registry.json"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home for the user's data, so that only what ships with pommel is seen."""
    home = tmp_path / "data home"
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    return home
