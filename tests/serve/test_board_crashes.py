"""Servers of a board that are killed at any moment, and several that change one board at once."""

import contextlib
import hashlib
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.leaderboard.samples import RIGHT, board_at, model, submission
from tests.posix import POSIX_ONLY
from tests.serve.samples import TOKEN

from pommel.leaderboard import BoardFolder
from pommel.serve.people import People

pytestmark = [pytest.mark.full, POSIX_ONLY]

_SECONDS = 120.0


class Server:
    """A real server, a process of its own, and a keeper's client of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder / "store.sqlite"
        key = folder / "key"
        key.write_text(TOKEN.ljust(30, "x"))
        command = [
            *(sys.executable, "-m", "pommel", "serve", "--port", "0", "--read-only"),
            *("--store", str(self.store), "--board", str(folder / "board")),
            *("--suites", str(folder / "suites"), "--token-file", str(key)),
        ]
        with (folder / "server.log").open("a") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout
        self.address = self.process.stdout.readline().strip().rstrip("/")
        assert self.address, (folder / "server.log").read_text()
        headers = {"Authorization": f"Bearer {TOKEN.ljust(30, 'x')}"}
        self.client = httpx.Client(base_url=self.address, headers=headers, timeout=_SECONDS)

    def ask(self, method: str, path: str, **what: Any) -> httpx.Response:
        """Ask for something, as often as the server says that it was too often."""
        while True:
            answer = self.client.request(method, path, **what)
            if answer.status_code != 429:
                return answer
            time.sleep(0.2)

    def send(self, path: Path) -> str:
        """Upload a submission, and return its id."""
        headers = {"Content-Type": "application/zip"}
        content = path.read_bytes()
        answer = self.ask("POST", "/board/submit.json", content=content, headers=headers)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["to"].rpartition("/")[2])

    def state(self, upload_id: str) -> dict[str, Any]:
        """Return what is said of an upload when its check has ended."""
        until = time.monotonic() + _SECONDS
        while True:
            answer = self.ask("GET", f"/board/uploads/{upload_id}.json")
            assert answer.status_code == 200, answer.text
            found: dict[str, Any] = answer.json()["upload"]
            if found["status"] != "sent":
                return found
            assert time.monotonic() < until, "the check does not end"
            time.sleep(0.25)

    def decide(self, upload_id: str, action: str) -> httpx.Response:
        """Accept or refuse."""
        path = f"/board/queue/{upload_id}/{action}.json"
        return self.ask("POST", path, data={"reason": "a test"})

    def kill(self) -> None:
        """End it as `kill -9` does."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout
        self.process.stdout.close()
        self.client.close()

    def end(self) -> None:
        """End it as Ctrl-C does."""
        self.process.terminate()
        self.process.wait(60)
        assert self.process.stdout
        self.process.stdout.close()
        self.client.close()


@contextlib.contextmanager
def killed_later(server: Server, seconds: float) -> Iterator[None]:
    """Kill a server while a block goes on, which then loses its connection."""
    timer = threading.Timer(seconds, server.kill)
    timer.start()
    try:
        with contextlib.suppress(httpx.HTTPError):
            yield
    finally:
        timer.join()


def rows(folder: Path) -> list[tuple[str, str, bytes, int, str]]:
    """Return what the server's own file has of uploads: id, status, content, bytes, SHA-256."""
    with contextlib.closing(sqlite3.connect(folder / "serve.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        query = "SELECT upload_id, status, content, n_bytes, sha256 FROM uploads ORDER BY rowid"
        return connection.execute(query).fetchall()


def added_files(board: BoardFolder) -> list[str]:
    """Return the SHA-256 of all files that the ledger has, in their order."""
    ledger = board.ledger(board.board())
    return [each.file_sha256 for each in ledger.submissions.values()]


def test_an_upload_that_was_killed_is_there_or_is_not(tmp_path: Path) -> None:
    board_at(tmp_path)
    chance = random.Random(23)  # noqa: S311 - no secret
    n_lost = n_kept = 0
    for n in range(12):
        path = submission(tmp_path, model(f"model-{n}", {**RIGHT, "bark": n / 4}))
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        server = Server(tmp_path)
        server.ask("GET", "/board")
        with killed_later(server, chance.uniform(0, 0.15 if n % 2 else 2.0)):
            server.send(path)
        found = [each for each in rows(tmp_path) if each[4] == sha256]
        n_lost += not found
        n_kept += len(found)
        for _, status, content, n_bytes, _ in found:
            assert status in {"sent", "waiting"}
            assert (len(content), hashlib.sha256(content).hexdigest()) == (n_bytes, sha256)
    # What was not checked is checked by the next one.
    server = Server(tmp_path)
    for upload_id, *_ in rows(tmp_path):
        assert server.state(upload_id)["status"] == "waiting"
    server.end()
    assert n_lost + n_kept == 12
    assert n_kept > 0


def test_what_was_killed_while_it_was_decided_is_one_or_the_other(tmp_path: Path) -> None:
    board = board_at(tmp_path)
    chance = random.Random(24)  # noqa: S311 - no secret
    server = Server(tmp_path)
    seen: set[tuple[str, str, bool]] = set()
    for n in range(16):
        path = submission(tmp_path, model(f"model-{n}", {**RIGHT, "bark": n / 4}))
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        upload_id = server.send(path)
        assert server.state(upload_id)["status"] == "waiting"
        first = "refuse" if n % 4 == 3 else "accept"
        longest = 0.05 if first == "refuse" else 2.0
        with killed_later(server, chance.uniform(0, longest)):
            server.decide(upload_id, first)
        server = Server(tmp_path)
        # At once something else is asked, while what was begun may go on.
        then = chance.choice(["accept", "refuse", "look"])
        if then != "look":
            answer = server.decide(upload_id, then)
            assert answer.status_code in {200, 409}, answer.text
        status = server.state(upload_id)["status"]
        is_added = sha256 in added_files(board)
        if status == "waiting":
            # What goes on holds the lock: what is asked now has to wait for it.
            assert server.decide(upload_id, "refuse").status_code in {200, 409}
            status = server.state(upload_id)["status"]
            is_added = sha256 in added_files(board)
        assert status in {"accepted", "refused"}
        assert (status == "accepted") == is_added, (first, then)
        seen.add((first, status, then == "look"))
    server.end()
    # Nothing comes later.
    time.sleep(2)
    expected = [row[4] for row in rows(tmp_path) if row[1] == "accepted"]
    assert sorted(added_files(board)) == sorted(expected)
    assert [*board.verified()] == []
    assert len(seen) > 2
    # Of what was decided, the board has the file.
    assert all(not content for _, _, content, _, _ in rows(tmp_path))


_N_SUBMISSIONS = 200


@pytest.mark.timeout(1_500)
def test_two_servers_and_the_command_line_change_one_board(tmp_path: Path) -> None:
    board = board_at(tmp_path)
    paths = [
        submission(tmp_path, model(f"model-{n}", {**RIGHT, "bark": n / 16, "sing": n % 7 / 2}))
        for n in range(_N_SUBMISSIONS)
    ]
    # Two servers with one file of their own, as two workers of one machine.
    servers = [Server(tmp_path), Server(tmp_path)]
    people = People.at(tmp_path / "serve.sqlite", owner_name="x", owner_token="", is_open=False)
    for n, server in enumerate(servers):
        token = people.grant(f"Keeper {n}", ["upload", "keep"], n_days=1)
        server.client.headers["Authorization"] = f"Bearer {token}"

    def by_server(server: Server, own: Sequence[Path]) -> None:
        for path in own:
            upload_id = server.send(path)
            assert server.state(upload_id)["status"] == "waiting"
            answer = server.decide(upload_id, "accept")
            assert answer.status_code == 200, answer.text
            assert server.state(upload_id)["status"] == "accepted"

    def by_command(own: Sequence[Path]) -> None:
        for path in own:
            command = [sys.executable, "-m", "pommel", "leaderboard", "add", str(board.folder)]
            subprocess.run([*command, str(path), "--by", "CLI"], check=True)

    with ThreadPoolExecutor(3) as pool:
        going_on = [
            *(pool.submit(by_server, server, paths[n::3]) for n, server in enumerate(servers)),
            pool.submit(by_command, paths[2::3]),
        ]
        for each in going_on:
            each.result()
    for server in servers:
        shown = server.ask("GET", "/board.json").json()["submissions"]
        assert len(shown) == _N_SUBMISSIONS
        assert server.ask("GET", "/board/queue.json").json()["waiting"] == []
        server.end()
    sent = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
    assert sorted(added_files(board)) == sorted(sent)
    events = [each for each in board.ledger(board.board()).events() if each.kind == "added"]
    assert {each.by for each in events} == {"Keeper 0", "Keeper 1", "CLI"}
    assert [*board.verified()] == []
