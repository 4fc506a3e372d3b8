"""A store with two models on two suites, and its server."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from starlette.testclient import TestClient
from tests.leaderboard.samples import NamedModel
from tests.store.run_samples import ITEMS, agreement, imported, made

from pommel.serve.app import make_app
from pommel.serve.guard import Door, Limits
from pommel.serve.listening import make_server
from pommel.serve.people import People
from pommel.serve.site import Site
from pommel.store import Store

HOST = "127.0.0.1:8765"
TOKEN = "a-token-of-this-test"

RIGHT = {"barks": 9.0, "purr": 9.0, "sit": 9.0, "bark": 0.5, "purrs": 0.5, "sat": 0.5}
# Is wrong on the first item, and by far.
WRONG = RIGHT | {"barks": 0.5, "bark": 20.0}


def model(name: str, bits: dict[str, float]) -> NamedModel:
    """Return a model that has a name of its own."""
    return NamedModel(name=name, reference=f"toy://{name}", fingerprint=name, bits=bits)


def filled(path: Path) -> Path:
    """Make a store with runs of two models, and one of others; return its path."""
    with Store.open(path) as store:
        for suite in (agreement(), agreement("more", [*ITEMS, *ITEMS])):
            made(store, suite, model("right", RIGHT))
            made(store, suite, model("wrong", WRONG))
        store.runs.save_records([imported()])
    return path


def people_of(store: Path, *, token: str = "") -> People:
    """Return those who may come in: the owner by a token, or else anybody, to look."""
    desk = store.with_name("serve.sqlite")
    return People.at(desk, owner_name="The owner", owner_token=token, is_open=not token)


def door_of(
    people: People,
    *,
    limits: Limits | None = None,
    host: str = HOST,
    tell: Callable[[str], object] = print,
) -> Door:
    """Return the door of a server of this machine."""
    return Door(hosts=frozenset({host}), people=people, limits=limits or Limits(), tell=tell)


@contextlib.contextmanager
def served(
    site: Site, *, limits: Limits | None = None, tell: Callable[[str], object] = print
) -> Iterator[str]:
    """Serve a site on a free port of this machine; give the address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host = f"127.0.0.1:{listening.getsockname()[1]}"
        server = make_server(site, door_of(site.people, limits=limits, host=host, tell=tell))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://{host}"
        finally:
            server.should_exit = True
            thread.join()
            site.close()


def client(store: Path, *, token: str = "") -> TestClient:
    """Return a client that speaks to the server of a store as a browser in its window would."""
    people = people_of(store, token=token)
    return TestClient(
        make_app(Site(store=store, people=people), door_of(people)),
        base_url=f"http://{HOST}",
        raise_server_exceptions=False,
        follow_redirects=False,
    )
