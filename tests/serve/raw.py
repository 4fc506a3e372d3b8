"""HTTP byte by byte, as no client of good manners writes it."""

import contextlib
import re
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit


def connected(address: str, *, seconds: float = 30.0) -> socket.socket:
    """Return a connection to a server."""
    parts = urlsplit(address)
    assert parts.hostname
    assert parts.port
    return socket.create_connection((parts.hostname, parts.port), timeout=seconds)


def head(address: str, line: str, headers: Mapping[str, str] | None = None) -> bytes:
    """Return the head of a request: its first line without the version, and its headers."""
    host = {"Host": urlsplit(address).netloc}
    lines = [f"{name}: {value}" for name, value in {**host, **(headers or {})}.items()]
    return "\r\n".join([f"{line} HTTP/1.1", *lines, "", ""]).encode("utf-8")


def asked(address: str, sent: bytes, *, seconds: float = 30.0) -> list[int]:
    """Send bytes, and return the statuses of all answers until the server has closed.

    None where it closes without one.
    """
    found = b""
    with connected(address, seconds=seconds) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(sent)
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(1 << 16):
                found += piece
    return [int(each) for each in re.findall(rb"^HTTP/1\.1 (\d{3})", found, re.MULTILINE)]
