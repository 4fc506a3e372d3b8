"""A server with a board and a folder of suites, and those who come to it."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from tests.leaderboard.samples import board_at
from tests.serve.samples import HOST, TOKEN, door_of

from pommel.leaderboard import BoardFolder
from pommel.serve.app import make_app
from pommel.serve.guard import Limits
from pommel.serve.people import People, Scope
from pommel.serve.site import Site
from pommel.store import Store

# A check is a process, and machines are busy.
_SECONDS = 90.0


def site_of(folder: Path, *, is_open: bool = True, token: str = TOKEN) -> Site:
    """Return the site of the board `board` in a folder, with suites in `suites`."""
    people = People.at(
        folder / "serve.sqlite", owner_name="The owner", owner_token=token, is_open=is_open
    )
    board, suites = folder / "board", folder / "suites"
    store = folder / "store.sqlite"
    Store.open(store).close()
    return Site(store=store, people=people, board=board, suites=suites)


class Visitors:
    """Who comes to a server: each a client that says who that is."""

    def __init__(self, site: Site) -> None:
        self.site = site
        limits = Limits(burst=100_000, requests_per_second=100_000)
        self._app = make_app(site, door_of(site.people, limits=limits))
        self.anybody = self._client("")
        self.ann = self.called("Ann", "upload")
        self.ben = self.called("Ben", "upload")
        self.writer = self.called("Will", "write")
        self.keeper = self.called("Kay", "keep")
        self.second = self.called("Karl", "keep", "upload")

    def called(self, name: str, *scopes: Scope) -> TestClient:
        """Return the client of a person with a token of these scopes."""
        return self._client(self.site.people.grant(name, scopes, n_days=1))

    def _client(self, token: str) -> TestClient:
        client = TestClient(
            self._app,
            base_url=f"http://{HOST}",
            raise_server_exceptions=False,
            follow_redirects=False,
        )
        client.headers["Origin"] = f"http://{HOST}"
        if token:
            client.headers["Authorization"] = f"Bearer {token}"
        return client

    def sent(self, client: TestClient, path: Path) -> str:
        """Upload a submission, and return the address where its state stands, once it is known."""
        files = {"submission": (path.name, path.read_bytes())}
        answer = client.post("/board/submit", files=files)
        assert answer.status_code == 303, answer.text
        return self.checked(client, answer.headers["location"])

    def proposed(self, client: TestClient, name: str, content: bytes, words: str = "A test") -> str:
        """Propose a suite, and return the address where its state stands, once it is known."""
        files = {"suite": (name, content)}
        answer = client.post("/suites/propose", files=files, data={"words": words})
        assert answer.status_code == 303, answer.text
        return self.checked(client, answer.headers["location"])

    @staticmethod
    def checked(client: TestClient, address: str) -> str:
        """Wait until the check has ended, and return the address."""
        until = time.monotonic() + _SECONDS
        while state(client, address)["status"] == "sent":
            assert time.monotonic() < until, "the check does not end"
            time.sleep(0.05)
        return address


def state(client: TestClient, address: str) -> dict[str, Any]:
    """Return what is said of an upload."""
    answer = client.get(f"{address}.json")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["upload"]
    return found


def faults(client: TestClient, address: str) -> Sequence[str]:
    """Return what is wrong with an upload, which was not taken."""
    found = state(client, address)
    assert found["status"] == "faulty"
    said: Sequence[str] = found["found"]["faults"]
    return said


@contextmanager
def visited(folder: Path, **choices: Any) -> Iterator[tuple[BoardFolder, Visitors]]:
    """Give a new board in a folder, and the visitors of its server."""
    board = board_at(folder, **choices)
    site = site_of(folder)
    try:
        yield board, Visitors(site)
    finally:
        site.close()


def events(board: BoardFolder) -> list[tuple[str, str]]:
    """Return what the ledger says was done, and by whom, but for the making of the board."""
    ledger = board.ledger(board.board())
    return [(each.kind, each.by) for each in ledger.events()][1:]
