"""`pommel serve`: a server that prints its address, shows the store, and ends."""

import http.client
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.serve.samples import filled


def test_it_prints_its_address_and_ends_by_ctrl_c(tmp_path: Path) -> None:
    store = filled(tmp_path / "store.sqlite")
    command = [sys.executable, "-m", "pommel", "serve", "--port", "0", "--store", str(store)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout
        address = server.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        own = address.partition("?token=")[0]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        page = opener.open(address, timeout=30).read().decode()
        assert "5 runs of 3 models." in page
        host, port = own.removeprefix("http://").rstrip("/").split(":")
        stranger = http.client.HTTPConnection(host, int(port))
        stranger.request("GET", "/")
        assert stranger.getresponse().status == 401
        # Nothing but HTTP, and whole requests.
        with socket.create_connection((host, int(port))) as raw:
            raw.sendall(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
            assert raw.recv(100).startswith(b"HTTP/1.1 400")
        upgrade = http.client.HTTPConnection(host, int(port))
        headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        upgrade.request("GET", "/", headers={**headers, "Sec-WebSocket-Key": "eA=="})
        assert upgrade.getresponse().status in {400, 401, 403}
        server.send_signal(signal.SIGINT)
        said, noted = server.communicate(timeout=30)
    assert server.returncode == 130
    assert said == ""
    lines = noted.splitlines()
    assert lines[0] == "Ctrl-C ends it"
    assert [line.split()[2:5] for line in lines[1:4]] == [
        ["GET", "/", "303"],
        ["GET", "/", "200"],
        ["GET", "/", "401"],
    ]
    assert "Traceback" not in noted
    assert address.partition("=")[2] not in noted


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (
            ("--host", "0.0.0.0"),  # noqa: S104 - what is refused
            2,
            "--host 0.0.0.0: others could reach it; --read-only lets everybody look",
        ),
        (("--port", "70000"), 2, "70000 is not in the range"),
        (("--store", "none.sqlite"), 2, "none.sqlite: there is no store"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, pommel: Pommel, options: tuple[str, ...], status: int, said: str
) -> None:
    store = filled(tmp_path / "store.sqlite")
    done = pommel("serve", "--store", str(store), *options)
    assert (done.status, done.stdout) == (status, "")
    assert said in done.stderr


def test_a_port_that_another_program_has(tmp_path: Path, pommel: Pommel) -> None:
    store = filled(tmp_path / "store.sqlite")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        done = pommel("serve", "--store", str(store), "--port", str(port))
    assert done.status == 1
    assert f"127.0.0.1:{port}: Address already in use; --port 0 takes any free one" in done.stderr
