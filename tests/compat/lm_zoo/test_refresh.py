"""Fetching the list of images: from a real server, checked, bounded, all or nothing."""

import http.server
import json
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from tests.compat.lm_zoo.conftest import Answer, Serve
from tests.compat.lm_zoo.test_registry_file import PUBLISHED

from pommel.compat.lm_zoo import Registry
from pommel.compat.lm_zoo.refresh import (
    MAX_BYTES,
    download_registry,
    forget_registry,
    refresh_registry,
)
from pommel.errors import InputError, PommelError, UsageError
from pommel.models.container.names import LmZooRegistry


def with_body(body: bytes, status: int = 200) -> Answer:
    def answer(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def published(**more: Any) -> bytes:
    return json.dumps({**PUBLISHED, **more}).encode()


def test_what_is_fetched_goes_before_what_ships(serve: Serve, data_home: Path) -> None:
    assert "RNNG" in LmZooRegistry.installed()
    path, n_models = refresh_registry(serve(with_body(published())))
    assert (path, n_models) == (data_home / "pommel" / "lm_zoo_registry.json", 1)
    assert list(LmZooRegistry.installed()) == ["RNNG"]
    assert list(Registry()) == ["RNNG"]
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_what_was_fetched_can_be_forgotten(serve: Serve) -> None:
    path, _ = refresh_registry(serve(with_body(published())))
    assert forget_registry() == path
    assert len(LmZooRegistry.installed()) == 7
    assert forget_registry() is None


def test_a_copy_that_cannot_be_deleted(data_home: Path) -> None:
    path = data_home / "pommel" / "lm_zoo_registry.json"
    path.mkdir(parents=True)
    with pytest.raises(PommelError) as raised:
        forget_registry()
    assert str(raised.value) == f"{path}: cannot be deleted: Is a directory"


def test_a_place_that_cannot_be_written(serve: Serve, data_home: Path) -> None:
    data_home.write_text("a file, no folder")
    with pytest.raises(PommelError, match="cannot be written") as raised:
        refresh_registry(serve(with_body(published())))
    assert raised.value.exit_status == 1


def test_an_address_given_to_the_registry_is_asked(serve: Serve, data_home: Path) -> None:
    assert list(Registry(serve(with_body(published())))) == ["RNNG"]
    assert not data_home.exists()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", ":1: this is not JSON: "),
        (b"[]", ": this is no registry of images: [] is not of type 'object'"),
        (
            b'{"a": {}}',
            ": this is no registry of images: 'shortname' is a required property (at a)",
        ),
        (b"\xff", ":1:1: the byte 0xff is not UTF-8; save the file with the encoding UTF-8"),
        (
            published(other=PUBLISHED["RNNG"]),
            ": the model other has the shortname RNNG",
        ),
    ],
)
def test_what_is_no_registry_is_not_written(
    serve: Serve, data_home: Path, body: bytes, message: str
) -> None:
    url = serve(with_body(body))
    with pytest.raises(InputError) as raised:
        refresh_registry(url)
    assert str(raised.value).startswith(f"{url}{message}")
    assert not data_home.exists()


def test_a_server_that_has_no_such_page(serve: Serve) -> None:
    url = serve(with_body(b"nothing here", status=404))
    with pytest.raises(PommelError) as raised:
        refresh_registry(url)
    assert str(raised.value) == (
        f"{url}: the server says 404 Not Found; the list of images stays as it was"
    )


def test_a_server_that_is_not_there(data_home: Path) -> None:
    with socket.socket() as taken:
        # Bound, and nobody listens.
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        with pytest.raises(PommelError) as raised:
            refresh_registry(url)
    assert str(raised.value) == f"{url}: Connection refused; the list of images stays as it was"
    assert raised.value.exit_status == 1
    assert not data_home.exists()
    assert len(LmZooRegistry.installed()) == 7


def test_a_copy_from_before_stays_when_the_next_one_fails(serve: Serve) -> None:
    path, _ = refresh_registry(serve(with_body(published())))
    before = path.read_bytes()
    with pytest.raises(InputError):
        refresh_registry(serve(with_body(b"{}")))
    assert path.read_bytes() == before


def test_more_than_anybody_could_need_is_not_read(serve: Serve) -> None:
    def endless(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            for _ in range(2 * MAX_BYTES >> 16):
                handler.wfile.write(bytes(1 << 16))
        except OSError:
            handler.close_connection = True

    url = serve(endless)
    with pytest.raises(PommelError) as raised:
        download_registry(url)
    assert str(raised.value).startswith(f"{url}: it is bigger than 16 MiB; ")


@pytest.mark.parametrize("pause_s", [0.05, 20])
def test_a_slow_server_is_left(serve: Serve, pause_s: float) -> None:
    def slow(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            for _ in range(int(20 / pause_s)):
                time.sleep(pause_s)
                handler.wfile.write(b" ")
        except OSError:
            handler.close_connection = True

    url = serve(slow)
    started = time.monotonic()
    with pytest.raises(PommelError) as raised:
        download_registry(url, timeout_s=0.3)
    assert str(raised.value).startswith(f"{url}: it had not come after 0.3 s; ")
    assert time.monotonic() - started < 10


def test_a_server_that_speaks_no_http() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        # The queue of the system takes the request; nobody ever answers.
        with pytest.raises(PommelError) as raised:
            download_registry(url, timeout_s=0.3)
    assert str(raised.value).startswith(f"{url}: it had not come after 0.3 s; ")


def test_a_server_that_takes_no_connection() -> None:
    # Its queue is full, so that the system lets the next one wait.
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
        address = server.getsockname()
        with socket.create_connection(address):
            url = f"http://127.0.0.1:{address[1]}/"
            with pytest.raises(PommelError) as raised:
                download_registry(url, timeout_s=0.3)
    assert str(raised.value).startswith(f"{url}: it had not come after 0.3 s; ")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org/r", "registry.json", ""])
def test_only_web_addresses_are_asked(url: str) -> None:
    with pytest.raises(UsageError) as raised:
        download_registry(url)
    assert str(raised.value) == f"{url}: an address begins with https://"


@pytest.mark.parametrize("url", ["http://", "http://[::1", "http://127.0.0.1:port/"])
def test_addresses_that_cannot_be(url: str) -> None:
    with pytest.raises(PommelError) as raised:
        download_registry(url, timeout_s=0.3)
    assert str(raised.value).startswith(f"{url}: ")
