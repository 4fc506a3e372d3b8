"""Talking to an engine. It is there when it answers: a client in the PATH says nothing."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docker import APIClient

# To build an image takes that long without a word, on a bad day.
_SECONDS_TO_WORK = 600


def answers(url: str) -> bool:
    """Return whether an engine with Docker's interface answers at `url`."""
    from docker import APIClient
    from docker.errors import DockerException

    scheme, _, path = url.partition("://")
    if scheme == "unix" and not _listens(path):
        return False
    client = None
    try:
        client = APIClient(base_url=url, version="auto", timeout=10)
        return bool(client.ping())
    except (DockerException, OSError):
        return False
    finally:
        if client is not None:
            client.close()


@contextmanager
def connected(url: str) -> Iterator["APIClient"]:
    """Yield a client of the engine at `url`."""
    from docker import APIClient

    client = APIClient(base_url=url, version="auto", timeout=_SECONDS_TO_WORK)
    try:
        yield client
    finally:
        client.close()


def _listens(path: str) -> bool:
    # The client itself leaves its socket open where nobody listens.
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
        return True
