"""A web server on loopback that does what it is told, also what no server should."""

import contextlib
import hashlib
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pommel.sources.fetch.source import PublishedSource, SourceFile

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer.

    `declared` is the length that the header says if it is not that of the body; `has_length` says
    whether there is such a header. `pause_s` comes before the body, `drip_s` after each byte;
    `is_reset` breaks the connection off behind it.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    declared: int | None = None
    has_length: bool = True
    pause_s: float = 0.0
    drip_s: float = 0.0
    is_reset: bool = False


class FileServer:
    """What answers, by path; the last of several replies stays. `asked` has the paths, in order."""

    def __init__(self) -> None:
        self.replies: dict[str, list[Reply]] = {}
        self.asked: list[str] = []
        self.address = ""
        self.n_at_once = 0
        self.most_at_once = 0
        self._lock = threading.Lock()

    def serve(self, path: str, *replies: Reply | bytes) -> None:
        """Answer requests for a path with these replies, one after the other."""
        made = [each if isinstance(each, Reply) else Reply(body=each) for each in replies]
        self.replies[f"/{path}"] = made

    def reply_to(self, path: str) -> Reply:
        """Return what is to be answered."""
        with self._lock:
            self.asked.append(path)
            left = self.replies.get(path, [Reply(status=404, body=b"no such file")])
            return left.pop(0) if len(left) > 1 else left[0]

    @contextlib.contextmanager
    def busy(self) -> Iterator[None]:
        """Count requests that are under way at once."""
        with self._lock:
            self.n_at_once += 1
            self.most_at_once = max(self.most_at_once, self.n_at_once)
        try:
            yield
        finally:
            with self._lock:
                self.n_at_once -= 1

    def source(self, files: Mapping[str, bytes | None], **fields: Any) -> PublishedSource:
        """Return a source whose files are here; None makes a file with an unknown checksum."""
        entries = []
        for path, content in files.items():
            sha256 = hashlib.sha256(content).hexdigest() if content is not None else None
            entries.append(SourceFile(path=path, sha256=sha256))
        return PublishedSource(
            **{
                "name": "birds",
                "title": "suites about birds",
                "address": f"{self.address}/birds/{COMMIT}",
                "commit": COMMIT,
                "licence": "MIT",
                "files": tuple(entries),
                **fields,
            }
        )


@contextlib.contextmanager
def file_server() -> Iterator[FileServer]:
    """Run a server for as long as the `with` lasts."""
    told = FileServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            with told.busy(), contextlib.suppress(ConnectionError):
                self._send(told.reply_to(self.path))

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.has_length:
                length = len(reply.body) if reply.declared is None else reply.declared
                self.send_header("Content-Length", str(length))
            self.close_connection = not reply.has_length or reply.declared is not None
            self.end_headers()
            time.sleep(reply.pause_s)
            step = 1 if reply.drip_s else max(len(reply.body), 1)
            for start in range(0, len(reply.body), step):
                self.wfile.write(reply.body[start : start + step])
                self.wfile.flush()
                time.sleep(reply.drip_s)
            if reply.is_reset:
                at_once = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
                # The stream that writes holds the connection, too.
                self.wfile.close()
                self.rfile.close()
                self.connection.close()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Handler) as server:
        told.address = f"http://127.0.0.1:{server.server_address[1]}"
        # The default poll makes the end of every test half a second long.
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield told
        finally:
            server.shutdown()
            thread.join()


def tree(folder: Any) -> Sequence[str]:
    """Return the files below a folder, hidden ones too."""
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
