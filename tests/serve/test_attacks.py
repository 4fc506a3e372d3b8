"""What an attacker tries, at a real server: it stays alive, answers others, and gives nothing away.

What one request may be is in `test_guard` and `test_app`; here are those of a browser that another
site leads, those that no client would write, and very many at a time.
"""

import contextlib
import http.client
import http.server
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser
from starlette.testclient import TestClient
from tests.serve.raw import asked, connected, head
from tests.serve.samples import HOST, TOKEN, door_of, filled, people_of, served

from pommel.serve.app import PAGES, Page, make_app
from pommel.serve.guard import Limits
from pommel.serve.people import SCOPES, People
from pommel.serve.site import Site

BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with some runs."""
    return filled(tmp_path_factory.mktemp("attacked") / "store.sqlite")


@contextlib.contextmanager
def attacked(store: Path, **limits: Any) -> Iterator[str]:
    """Serve a store to its owner alone; give the address."""
    site = Site(store=store, people=people_of(store, token=TOKEN))
    with served(site, limits=Limits(**limits)) as address:
        yield address


def status(
    address: str, path: str = "/static/serve.css", *, method: str = "GET", **more: Any
) -> int:
    """Return the status of an answer to one who behaves."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
    with contextlib.closing(connection):
        connection.request(method, path, **more)
        answer = connection.getresponse()
        answer.read()
        return answer.status


# --- what each page needs


def _address(page: Page) -> str:
    return page.path.replace("{number}", "1").replace("{", "").replace("}", "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.method} {page.path}")
@pytest.mark.parametrize("is_open", [False, True], ids=["closed", "open"])
@pytest.mark.parametrize("ending", ["", ".json"])
def test_every_page_is_kept_from_who_may_not_see_it(
    store: Path, page: Page, ending: str, *, is_open: bool
) -> None:
    people = people_of(store, token=TOKEN)
    people = People(desk=people.desk, owner_name="The owner", owner_token=TOKEN, is_open=is_open)
    site = Site(store=store, people=people)
    server = TestClient(
        make_app(site, door_of(people)),
        base_url=f"http://{HOST}",
        follow_redirects=False,
        raise_server_exceptions=False,
        headers={"Origin": f"http://{HOST}"},
    )
    path = ("/index" if page.path == "/" and ending else _address(page)) + ending

    def said(token: str) -> int:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return server.request(page.method, path, headers=headers).status_code

    everything_else = [scope for scope in SCOPES if scope not in page.scopes]
    without = people.grant("Somebody", everything_else, n_days=1)
    expired = people.grant("Somebody", [page.scopes[0]], n_days=1)
    revoked = people.grant("Somebody", [page.scopes[0]], n_days=1)
    with people.desk.writing() as connection:
        connection.execute(
            "UPDATE tokens SET expires = '2026-01-01T00:00:00+00:00' WHERE token_id = "
            "(SELECT max(token_id) - 1 FROM tokens)"
        )
    people.revoke(people.grants()[-1].token_id)
    assert (said(expired), said(revoked), said("wrong")) == (401, 401, 401)
    if "read" not in page.scopes:
        # Whatever is asked: not even what is wrong with it is said.
        assert (said(without), said("")) == (403, 401)
    elif not is_open:
        assert said("") == 401
    else:
        assert said("") not in {401, 403}
    # It is the token that was missing, and nothing else.
    allowed = people.grant("Somebody", [page.scopes[0]], n_days=1)
    assert said(allowed) not in {401, 403}
    # Another site's form has the cookie of nobody.
    if page.method != "GET":
        evil = server.request(page.method, path, headers={"Origin": "http://evil.example"})
        assert evil.status_code == 403


# --- what no client would write


def _raw(line: str, *headers: str, host: str = "Host: {host}") -> str:
    own = [each for each in (host, *headers) if each]
    return "\r\n".join([line, *own, "Connection: close", "", ""])


@pytest.mark.parametrize(
    ("sent", "statuses"),
    [
        # A name of ours twice, none, another's, and another's in the first line.
        (_raw("GET / HTTP/1.1", "Host: {host}"), [{400}]),
        (_raw("GET / HTTP/1.1", host=""), [{400}]),
        (_raw("GET / HTTP/1.0", host=""), [{421}]),
        (_raw("GET / HTTP/1.1", host="Host: evil.example"), [{421}]),
        (_raw("GET / HTTP/1.1", host="Host: {host}@evil.example"), [{421}]),
        (_raw("GET / HTTP/1.1", host="Host: evil.example/{host}"), [{421}]),
        (_raw("GET http://evil.example/ HTTP/1.1", host="Host: evil.example"), [{421}]),
        (_raw("GET http://evil.example/../ HTTP/1.1"), [{401, 404}]),
        (_raw("GET / HTTP/1.1", "X-Forwarded-Host: {host}", host="Host: evil.example"), [{421}]),
        # Out of the folder of files.
        *[
            (_raw(f"GET /static/{path} HTTP/1.1", "Authorization: Bearer {token}"), [{404}])
            for path in (
                "../app.py",
                "../../../../../../../../etc/passwd",
                "%2e%2e/app.py",
                "%2e%2e%2fapp.py",
                "..%2fapp.py",
                "%252e%252e%252fapp.py",
                "..%5capp.py",
                "..\\app.py",
                "/etc/passwd",
                "%2fetc%2fpasswd",
                "serve.css%00.html",
                "%c0%ae%c0%ae/app.py",
                ".",
                "",
                "C:/Windows/win.ini",
                "....//app.py",
                "serve.css/../../app.py",
            )
        ],
        # Out of what an address names.
        *[
            (_raw(f"GET /suites/{key} HTTP/1.1", "Authorization: Bearer {token}"), [{400, 404}])
            for key in ("..", "%2e%2e%2f", "..%2f..%2fetc%2fpasswd", "%00", "'%20OR%201=1--", "*")
        ],
        # Lines of their own, in what is said back.
        (_raw("GET /runs%0d%0aSet-Cookie:%20a=b?token={token} HTTP/1.1"), [{303}]),
        (_raw("GET /%0d%0a%0d%0aHTTP/1.1%20200 HTTP/1.1"), [{401}]),
        # One request in another: of two lengths, or none, none is believed.
        (
            _raw("POST /enter HTTP/1.1", "Content-Length: 3", "Content-Length: 30", "")
            + "a=bGET / HTTP/1.1",
            [{400}],
        ),
        (_raw("POST /enter HTTP/1.1", "Content-Length: -1"), [{400}]),
        (_raw("POST /enter HTTP/1.1", "Content-Length: 1_0"), [{400}]),
        (_raw("POST /enter HTTP/1.1", "Transfer-Encoding: identity, chunked"), [{400, 501}]),
        (_raw("POST /enter HTTP/1.1", "Transfer-Encoding : chunked"), [{400}]),
        # Neither HTTP nor an end.
        ("\x16\x03\x01\x02", [{400}]),
        ("GET / HTTP/9.9\r\nHost: {host}\r\nConnection: close\r\n\r\n", [{400, 401}]),
        ("GET / HTTP/1.1\r\nHost: {host}\r\n", []),
        ("GET /\r\n\r\n", [{400}]),
        (_raw("GET / HTTP/1.1", "X: " + "x" * 100_000), [{400, 401}]),
        (_raw("GET / HTTP/1.1", *[f"X-{n}: x" for n in range(10_000)]), [{400, 401}]),
        (_raw("GET /" + "x" * 100_000 + " HTTP/1.1"), [{400, 401}]),
        ("x" * 1_000_000, [{400}]),
    ],
    ids=lambda each: each[:60] if isinstance(each, str) else "",
)
def test_what_no_client_would_write(
    attacked_once: str, sent: str, statuses: list[set[int]]
) -> None:
    host = urlsplit(attacked_once).netloc
    filled_in = sent.replace("{host}", host).replace("{token}", TOKEN)
    found = asked(attacked_once, filled_in.encode("latin-1"))
    assert len(found) == len(statuses)
    assert all(each in allowed for each, allowed in zip(found, statuses, strict=True)), found
    assert status(attacked_once) == 200


@pytest.fixture(scope="module")
def attacked_once(store: Path) -> Iterator[str]:
    """The address of one server for many attacks."""
    with attacked(store, header_seconds=2.0) as address:
        yield address


# --- many, and slow


def test_who_never_ends_the_head_of_a_request_is_not_waited_for(store: Path) -> None:
    with attacked(store, header_seconds=1.0) as address, contextlib.ExitStack() as stack:
        slow = [stack.enter_context(connected(address)) for _ in range(100)]
        began = time.monotonic()
        n_left = len(slow)
        while n_left and time.monotonic() < began + 30:
            n_left = sum(map(_is_open, slow))
            # Others are answered all the time.
            assert status(address) == 200
            time.sleep(0.1)
        assert n_left == 0


def _is_open(connection: socket.socket) -> bool:
    """Send a bit more, and return whether the other end still listens."""
    try:
        connection.sendall(b"X")
        connection.settimeout(0)
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def test_who_sends_slowly_takes_no_thread(store: Path) -> None:
    slow = {"Content-Length": "1000", "Content-Type": "application/x-www-form-urlencoded"}
    limits = {"body_seconds": 3.0, "body_bytes_per_second": 1000.0, "at_once": 4}
    with attacked(store, **limits) as address, contextlib.ExitStack() as stack:
        own = {**slow, "Origin": address}
        connections = [stack.enter_context(connected(address)) for _ in range(100)]
        for each in connections:
            each.sendall(head(address, "POST /enter", own))
        for _ in range(10):
            assert status(address, "/runs", headers=BEARER) == 200
            for each in connections:
                each.sendall(b"x")
        answers = [each.recv(100) for each in connections]
        assert {answer.split()[1] for answer in answers} == {b"408"}


def test_who_is_refused_is_not_read_for_ever(store: Path) -> None:
    with attacked(store, header_seconds=1.0) as address, connected(address) as endless:
        chunked = {"Transfer-Encoding": "chunked", "Origin": "http://evil.example"}
        endless.sendall(head(address, "POST /enter", chunked))
        assert endless.recv(100).startswith(b"HTTP/1.1 403")
        assert _is_ended(endless, b"8000\r\n" + b"x" * 0x8000 + b"\r\n")


def _is_ended(connection: socket.socket, sent: bytes, *, seconds: float = 30.0) -> bool:
    """Send the same again and again, and return whether the other end ends the connection."""
    late = time.monotonic() + seconds
    connection.settimeout(0)
    while time.monotonic() < late:
        try:
            connection.send(sent)
        except BlockingIOError:
            pass
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_who_does_not_read_is_not_written_to_for_ever(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pommel.serve.listening._SECONDS_UNREAD", 1.0)
    monkeypatch.setattr("pommel.serve.listening._SECONDS_BETWEEN_LOOKS", 0.2)
    with attacked(store, burst=100_000) as address, connected(address) as deaf:
        # As many as its own end and ours have no room for.
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        assert _is_ended(deaf, head(address, "GET /static/htmx.min.js") * 10)
        assert status(address) == 200


def test_an_address_has_so_many_connections(store: Path) -> None:
    with attacked(store, connections_each=20, header_seconds=5.0) as address:
        with contextlib.ExitStack() as stack:
            many = [stack.enter_context(connected(address)) for _ in range(50)]
            time.sleep(0.5)
            assert sum(map(_is_open, many)) == 20
        # Those that have ended make room.
        time.sleep(0.5)
        assert status(address) == 200


class _Running:
    """A server in a process of its own, whose memory can be seen."""

    def __init__(self, store: Path) -> None:
        command = [sys.executable, "-m", "pommel", "serve", "--port", "0", "--store", str(store)]
        self._log = store.with_name("log")
        self._stderr = self._log.open("wb")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._stderr)
        assert self.process.stdout
        printed = self.process.stdout.readline().decode().strip()
        self.address, _, self.token = printed.partition("/?token=")

    @property
    def memory_bytes(self) -> int:
        """How much memory it has now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("utf-8")
        return 1024 * int(status.partition("VmRSS:")[2].split()[0])

    @property
    def n_files(self) -> int:
        """How many files and connections it has open."""
        return len([*Path(f"/proc/{self.process.pid}/fd").iterdir()])

    def end(self) -> str:
        """End it, and return its log."""
        self.process.terminate()
        self.process.communicate(timeout=60)
        self._stderr.close()
        return self._log.read_text("utf-8")


@pytest.fixture
def running(tmp_path: Path) -> Iterator[_Running]:
    """A server of the command line."""
    server = _Running(filled(tmp_path / "store.sqlite"))
    yield server
    server.process.kill()
    server.end()


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_ten_thousand_requests(running: _Running) -> None:
    own = {"Authorization": f"Bearer {running.token}"}
    kinds = [
        ("/runs", own),
        ("/", {"Authorization": "Bearer wrong"}),
        ("/", {"Host": "evil.example"}),
        ("/static/serve.css", {}),
        ("/none?" + "x" * 4_000, own),
    ]

    def many(number: int) -> list[int]:
        found = []
        netloc = urlsplit(running.address).netloc
        with contextlib.closing(http.client.HTTPConnection(netloc, timeout=60)) as connection:
            for each in range(1_000):
                path, headers = kinds[(number + each) % len(kinds)]
                connection.request("GET", path, headers=headers)
                answer = connection.getresponse()
                answer.read()
                found.append(answer.status)
        return found

    def flooded() -> list[int]:
        with ThreadPoolExecutor(10) as pool:
            return [each for found in pool.map(many, range(10)) for each in found]

    statuses = flooded()
    before, n_files = running.memory_bytes, running.n_files
    statuses += flooded()
    assert {*statuses} <= {200, 401, 404, 421, 429}
    assert statuses.count(429) > 10_000
    # It is nobody's whom it does not answer, and the same later on.
    time.sleep(5)
    assert status(running.address, "/runs", headers=own) == 200
    assert running.memory_bytes < before + (8 << 20)
    # A few are SQLite's, of whoever was looking just then.
    assert running.n_files <= n_files + 10
    log = running.end()
    # One for each, and one for who looked in the end.
    assert sum(line.endswith(" ms") for line in log.splitlines()) == 20_001
    assert running.token not in log
    assert "xxx" not in log


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_large_bodies_are_not_held_by_many_at_once(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from typing import Any
from pommel.serve import app, guard, listening
from pommel.serve.site import Site, Sent
from pommel.serve.people import People
from pommel.values import frozen
import socket, time
@frozen
class Asked:
    file: Sent
@frozen
class Said:
    n_bytes: int
def big(_site: Site, asked: Asked) -> Said:
    time.sleep(1)
    return Said(n_bytes=len(asked.file.content))
people = People.at(Path(sys.argv[1]), owner_name="x", owner_token={TOKEN!r}, is_open=False)
app.PAGES = (app.Page(path="/big", says=big, about="", method="POST",
                      body_bytes=64 << 20),)
app.make_app.__defaults__ = (app.PAGES,)
with socket.create_server(("127.0.0.1", 0)) as listening_:
    host = "127.0.0.1:%d" % listening_.getsockname()[1]
    print("http://" + host, flush=True)
    door = guard.Door(hosts=frozenset({{host}}), people=people)
    site = Site(store=Path(sys.argv[1]), people=people)
    listening.make_server(site, door).run(sockets=[listening_])
"""
    command = [sys.executable, "-c", program, str(tmp_path / "desk.sqlite")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = process.stdout.readline().strip()
        content = b"x" * (60 << 20)
        part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
        body = part + content + b"\r\n--x--\r\n"
        headers = {**BEARER, "Content-Type": "multipart/form-data; boundary=x"}

        def send(_number: int) -> int:
            with contextlib.suppress(OSError):
                return status(address, "/big.json", method="POST", body=body, headers=headers)
            return 503

        most = 0

        def watch() -> None:
            nonlocal most
            while not ended.wait(0.05):
                text = Path(f"/proc/{process.pid}/status").read_text("utf-8")
                most = max(most, 1024 * int(text.partition("VmRSS:")[2].split()[0]))

        ended = threading.Event()
        watching = threading.Thread(target=watch)
        watching.start()
        with ThreadPoolExecutor(12) as pool:
            statuses = [*pool.map(send, range(12))]
        ended.set()
        watching.join()
        # There is room for four, and the others are told to come again.
        assert {*statuses} == {200, 503}
        assert 1 <= statuses.count(200) <= 8
        assert most < 900 << 20
        assert send(0) == 200
        process.terminate()


# --- another site


@contextlib.contextmanager
def another_site(page: str) -> Iterator[str]:
    """Serve a page of another site, from another port of this machine."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = page.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            # Another site to a browser, and the same machine.
            yield f"http://localhost:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.full
def test_another_site_in_the_same_browser(store: Path, chromium: Browser) -> None:
    lines: list[str] = []
    people = people_of(store, token=TOKEN)
    mallory = people.grant("Mallory", ["read"], n_days=1)
    with served(Site(store=store, people=people), tell=lines.append) as address:
        page = f"""<!DOCTYPE html><title>evil</title>
<form id=form method=post action="{address}/enter"><input name=token value={mallory}></form>
<form id=leave method=post action="{address}/leave"></form>
<a id=link href="{address}/runs">look</a>
<a id=trap href="{address}/?token={mallory}">look</a>
<img id=image src="{address}/runs"><script src="{address}/static/htmx.min.js"></script>
<link rel=stylesheet href="{address}/static/serve.css">
<iframe id=frame src="{address}/runs"></iframe>"""
        context = chromium.new_context()
        window = context.new_page()
        window.goto(f"{address}/?token={TOKEN}")
        assert "Leave" in window.content()
        with another_site(page) as evil:
            # Neither is anything of ours in its page, nor can its scripts read, or send.
            window.goto(evil)
            assert window.evaluate("image.naturalWidth") == 0
            assert window.evaluate("typeof htmx") == "undefined"
            assert "runs" not in (window.frames[1].content() or "").lower()
            for init in ("{}", "{credentials: 'include'}", "{method: 'POST', body: 'token=x'}"):
                sent = f"fetch('{address}/runs', {init}).then(r => r.status, () => 'refused')"
                assert window.evaluate(sent) == "refused"
            no_cors = "{mode: 'no-cors', method: 'POST', credentials: 'include', body: 'a=b'}"
            for path in ("/enter", "/leave", "/runs"):
                sent = f"fetch('{address}{path}', {no_cors}).then(r => r.type, () => 'refused')"
                assert window.evaluate(sent) in {"opaque", "refused"}
            for form in ("form", "leave"):
                window.goto(evil)
                window.evaluate(f"document.getElementById('{form}').submit()")
                window.wait_for_url(f"{address}/**")
                assert "another site has sent this request" in window.content()
            assert not [line for line in lines if line.split()[0] == "POST" and " 403 " not in line]
            # A link is followed, with the cookie of who follows it.
            window.goto(evil)
            window.click("#link")
            window.wait_for_selector("h1")
            assert (window.url, "The owner" in window.content()) == (f"{address}/runs", True)
            # One with a token asks before anybody is somebody else.
            window.goto(evil)
            window.click("#trap")
            window.wait_for_selector("form[action='/enter']")
            assert "go on as Mallory?" in window.content()
            window.goto(f"{address}/")
            assert "The owner" in window.content()
        # Nor has a window that it has opened a way back to it.
        assert window.evaluate("window.opener") is None
        window.click("text=Leave")
        window.wait_for_selector("input[name=token]")
        window.fill("input[name=token]", mallory)
        window.click("text=Go on")
        window.wait_for_selector("text=Mallory")
        context.close()
    assert not [line for line in lines if mallory in line or TOKEN in line]
