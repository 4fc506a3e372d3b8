"""`pommel serve`: a server that prints its address and ends; tokens for people."""

import contextlib
import http.client
import json
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.posix import POSIX_ONLY
from tests.serve.samples import filled

from pommel.serve.desk import Desk
from pommel.serve.people import People


class Server:
    """A server of the command line: a process, its address without the token, and the token."""

    def __init__(self, process: "subprocess.Popen[str]", printed: str) -> None:
        self.process = process
        self.printed = printed
        address, _, self.token = printed.partition("?token=")
        self.host = address.removeprefix("http://").rstrip("/")

    def ask(
        self, path: str, *, method: str = "GET", token: str = "", **headers: str
    ) -> tuple[int, str]:
        """Return the status and the text of an answer."""
        connection = http.client.HTTPConnection(self.host, timeout=30)
        own = {"Authorization": f"Bearer {token}"} if token else {}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with contextlib.closing(connection):
            connection.request(method, path, headers={**own, **named})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def end(self) -> str:
        """Have it end as Ctrl-C does; return what it has said on standard error."""
        self.process.send_signal(signal.SIGINT)
        said, noted = self.process.communicate(timeout=30)
        assert (self.process.returncode, said) == (130, "")
        assert "Traceback" not in noted
        return noted


@contextlib.contextmanager
def serving(*options: str | Path) -> Iterator[Server]:
    """Start `pommel serve` on a free port, and end it."""
    command = [sys.executable, "-m", "pommel", "serve", "--port", "0", *map(str, options)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        server = Server(process, process.stdout.readline().strip())
        try:
            yield server
            if process.poll() is None:
                server.end()
        finally:
            process.kill()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with some runs."""
    return filled(tmp_path / "store.sqlite")


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    """The owner's own token."""
    path = tmp_path / "key"
    path.write_text("the-token-of-the-owner\n")
    return path


def test_it_prints_its_address_and_ends_by_ctrl_c(store: Path) -> None:
    with serving("--store", store) as server:
        assert server.printed.startswith("http://127.0.0.1:")
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        page = opener.open(server.printed, timeout=30).read().decode()
        assert ">5 runs<" in page
        assert server.ask("/")[0] == 401
        host, port = server.host.split(":")
        # Nothing but HTTP, and whole requests.
        with socket.create_connection((host, int(port))) as raw:
            raw.sendall(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
            assert raw.recv(100).startswith(b"HTTP/1.1 400")
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
        assert server.ask("/", **upgrade, Sec_WebSocket_Key="eA==")[0] in {400, 401, 403}
        noted = server.end()
    lines = noted.splitlines()
    assert lines[0] == "Ctrl-C ends it"
    assert [line.split()[2:5] for line in lines[1:4]] == [
        ["GET", "/", "303"],
        ["GET", "/", "200"],
        ["GET", "/", "401"],
    ]
    assert server.token
    assert server.token not in noted


@POSIX_ONLY
def test_it_ends_by_sigterm_though_somebody_sends_for_ever(store: Path) -> None:
    with serving("--store", store) as server:
        host, port = server.host.split(":")
        with socket.create_connection((host, int(port))) as slow:
            head = (
                f"POST /enter HTTP/1.1\r\nHost: {server.host}\r\nOrigin: http://{server.host}\r\n"
            )
            slow.sendall(f"{head}Content-Length: 100\r\n\r\nx".encode())
            assert server.ask("/runs.json", token=server.token)[0] == 200
            server.process.send_signal(signal.SIGTERM)
            server.process.communicate(timeout=40)
    assert server.process.returncode == 143


def test_who_may_come_in(store: Path, token_file: Path, pommel: Pommel) -> None:
    made = pommel(
        "serve", "token", "new", "--name", "A. Linguist", "--scope", "upload", "--store", str(store)
    )
    assert made.status == 0
    personal = made.stdout.strip()
    owner = token_file.read_text().strip()

    def asked(*options: str | Path) -> list[int]:
        with serving("--store", store, *options) as server:
            # The token that it was given is not printed.
            assert bool(server.token) == ("--token-file" not in options and not options)
            tokens = ["", owner, personal, server.token or "wrong"]
            return [server.ask("/", token=token)[0] for token in tokens]

    assert asked() == [401, 401, 200, 200]
    assert asked("--token-file", token_file) == [401, 200, 200, 401]
    assert asked("--token-file", token_file, "--read-only") == [200, 200, 200, 401]
    # Where nothing can be changed no token opens anything.
    assert asked("--read-only") == [200, 401, 401, 401]


def test_a_store_that_is_only_read_is_shown(store: Path) -> None:
    before = {path.name for path in store.parent.iterdir()}
    with serving("--store", store, "--read-only") as server:
        status, text = server.ask("/index.json")
        assert (status, json.loads(text)["n_runs"]) == (200, 5)
        assert server.ask("/enter", method="POST", Origin=f"http://{server.host}")[0] == 401
    assert {path.name for path in store.parent.iterdir()} == before


def test_suites_are_run_on_two_of_the_built_in_models_if_none_is_named(
    store: Path, tmp_path: Path
) -> None:
    (tmp_path / "suites").mkdir()
    with serving("--store", store, "--suites", tmp_path / "suites") as server:
        status, page = server.ask("/write", token=server.token)
    assert status == 200
    for model, n in (("en-gpt2", 1), ("en-ngram", 1), ("en-unigram", 0), ("sw-gpt2", 0)):
        assert page.count(f'name="model" value="builtin://{model}"') == n


def test_a_token_that_is_revoked_opens_nothing_from_then_on(store: Path, pommel: Pommel) -> None:
    with serving("--store", store) as server:
        desk = ("--store", str(store))
        new = pommel("serve", "token", "new", "--name", "A. Linguist", "--scope", "keep", *desk)
        token = new.stdout.strip()
        assert "A. Linguist opens the server's address with /?token=TOKEN behind it" in new.stderr
        assert token not in new.stderr
        assert server.ask("/", token=token)[0] == 200
        assert pommel("serve", "token", "revoke", "1", *desk).status == 0
        status, text = server.ask("/", token=token)
        assert (status, "has expired, or was revoked" in text) == (401, True)
        noted = server.end()
    assert token not in noted


def test_a_proxy_on_this_machine_says_who_asks(store: Path, pommel: Pommel) -> None:
    pommel(
        "serve", "token", "new", "--name", "A. Linguist", "--scope", "read", "--store", str(store)
    )
    trusted = ("--trust-header", "person=X-Remote-User", "--trust-header", "address=X-Real-IP")
    with serving("--store", store, *trusted, "--name", "lab.example.org") as server:
        assert server.ask("/", X_Remote_User="A. Linguist")[0] == 200
        assert server.ask("/", X_Remote_User="A. Linguist", Host="lab.example.org")[0] == 200
        assert server.ask("/", X_Remote_User="A. Linguist", Host="evil.example.org")[0] == 421
        assert server.ask("/", X_Remote_User="Somebody")[0] == 401
        assert server.ask("/", X_Remote_User="Somebody", X_Real_IP="192.0.2.1")[0] == 401
    with serving("--store", store, *trusted, "--proxy", "192.0.2.0/24") as server:
        assert server.ask("/", X_Remote_User="A. Linguist")[0] == 401


def test_tokens_are_made_listed_and_taken_back(tmp_path: Path, pommel: Pommel) -> None:
    desk = ("--desk", str(tmp_path / "serve.sqlite"))
    scopes = ("--scope", "upload", "--scope", "write", "--scope", "upload")
    new = pommel("serve", "token", "new", "--name", "דנה <b>", *scopes, "--days", "30", *desk)
    assert (new.status, len(new.stdout.strip())) == (0, 43)
    pommel("serve", "token", "new", "--name", "A. Keeper", "--scope", "keep", *desk)
    assert pommel("serve", "token", "revoke", "2", *desk).stderr == (
        "the token of A. Keeper opens nothing any more\n"
    )
    listed = pommel("serve", "token", "list", *desk)
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in listed.stdout.splitlines()]
    assert [[row[0], row[1], row[2], row[5]] for row in rows if row] == [
        ["1", "דנה <b>", "write, upload", "valid"],
        ["2", "A. Keeper", "keep", "revoked"],
    ]
    assert new.stdout.strip() not in listed.stdout
    with Desk.open(tmp_path / "serve.sqlite").writing() as connection:
        connection.execute("UPDATE tokens SET expires = '2026-01-01T00:00:00+00:00'")
    assert "│ expired │" in pommel("serve", "token", "list", *desk).stdout
    unknown = pommel("serve", "token", "revoke", "3", *desk)
    assert (unknown.status, "there is no token 3; there are 1, 2" in unknown.stderr) == (2, True)
    people = People(desk=Desk.open(tmp_path / "serve.sqlite"))
    assert people.with_token(new.stdout.strip()) is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("new", "--scope", "read"), "Missing option '--name'"),
        (("new", "--name", "A"), "Missing option '--scope'"),
        (("new", "--name", "A", "--scope", "all"), "'all' is not one of"),
        (("new", "--name", "A", "--scope", "read", "--days", "0"), "0 is not in the range"),
        (("new", "--name", "A", "--scope", "read", "--days", "99999999"), "is not in the range"),
        (("new", "--name", "\n", "--scope", "read"), "the name cannot be"),
        (("revoke", "one"), "'one' is not a valid integer"),
    ],
)
def test_tokens_that_are_not_made(
    tmp_path: Path, pommel: Pommel, options: tuple[str, ...], said: str
) -> None:
    done = pommel("serve", "token", *options, "--desk", str(tmp_path / "serve.sqlite"))
    assert (done.status, done.stdout) == (2, "")
    assert said in done.stderr


def test_options_that_would_be_for_nobody(tmp_path: Path, pommel: Pommel) -> None:
    done = pommel("serve", "--desk", str(tmp_path / "serve.sqlite"), "token", "list")
    assert (done.status, done.stderr) == (
        2,
        "pommel: write options behind `token` and its command\n",
    )


def test_tokens_need_no_server(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['uvicorn', 'starlette', 'jinja2', 'multipart']))\n"
        "from pommel.cli import main\n"
        "main(['serve', 'token', 'list', '--desk', sys.argv[1]])\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "serve.sqlite")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # It makes none where there is none: that is for `token new`.
    desk = tmp_path / "serve.sqlite"
    said = f"pommel: {desk}: there is no such file; `pommel serve token new` makes one\n"
    assert (done.returncode, done.stderr, desk.exists()) == (1, said, False)
    serving = program.replace("'token', 'list', '--desk', sys.argv[1]", "'--port', '0'")
    command = [sys.executable, "-c", serving, ""]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not installed: " in done.stderr
    assert "pip install 'pommel[serve]'" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--host", "0.0.0.0"),  # noqa: S104 - what is refused
            "--host 0.0.0.0: others could reach it; --token-file says your own token",
        ),
        (
            ("--host", "0.0.0.0", "--read-only"),  # noqa: S104 - what is refused
            "--host 0.0.0.0: say with --name what browsers call this machine, its name or an",
        ),
        (
            ("--name", "http://lab.example.org/"),
            "--name http://lab.example.org/: write what stands",
        ),
        (("--name", "*"), "--name *: write what stands"),
        (("--port", "70000"), "70000 is not in the range"),
        (("--trust-header", "X-Forwarded-For"), "write address=HEADER or person=HEADER"),
        (("--trust-header", "person=a b"), "write address=HEADER or person=HEADER"),
        (("--proxy", "192.0.2.0/24"), "--proxy: --trust-header says which header of it is trusted"),
        (
            ("--proxy", "proxy", "--trust-header", "person=X"),
            "--proxy proxy: 'proxy' does not appear to be an IPv4 or IPv6 network",
        ),
        (("--store", "none.sqlite", "--read-only"), "none.sqlite: there is no store"),
        (("--token-file", "none"), "--token-file none: cannot be read: No such file"),
        (("--token-file", "short"), "--token-file short: write one line of 20 letters and digits"),
        (("--token-file", "two"), "--token-file two: write one line of 20 letters and digits"),
        (("--token-file", "binary"), "--token-file binary: cannot be read: it is no text"),
    ],
)
def test_what_is_refused(here: Path, pommel: Pommel, options: tuple[str, ...], said: str) -> None:
    store = filled(here / "store.sqlite")
    (here / "short").write_text("x" * 19)
    (here / "two").write_text("first-line-of-a-token\nsecond-line-of-a-token\n")
    (here / "binary").write_bytes(b"\xff" * 40)
    done = pommel("serve", "--store", str(store), *options)
    assert (done.status, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_port_that_another_program_has(tmp_path: Path, pommel: Pommel) -> None:
    store = filled(tmp_path / "store.sqlite")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        done = pommel("serve", "--store", str(store), "--port", str(port))
    assert done.status == 1
    assert f"127.0.0.1:{port}: Address already in use; --port 0 takes any free one" in done.stderr
