"""A registry with one image, on this machine: engines fetch from it as from any other."""

import contextlib
import hashlib
import io
import json
import tarfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.containers_support.answering import connected

_TYPE = "application/vnd.docker."
_PIECE = 1 << 16


@dataclass(eq=False)
class ImageRegistry:
    """What it has by its digest, of which type, and how much of it was sent, and how slowly.

    A piece is 64 KiB.
    """

    contents: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    sent: dict[str, int] = field(default_factory=dict)
    seconds_a_piece: float = 0.001

    @classmethod
    def with_image(cls, engine: str, tag: str) -> "ImageRegistry":
        """Return one with an image of an engine, under the tag `latest`."""
        registry = cls()
        with connected(engine) as client:
            saved = b"".join(client.get_image(tag))
        with tarfile.open(fileobj=io.BytesIO(saved)) as archive:

            def described(name: str, kind: str) -> dict[str, Any]:
                file = archive.extractfile(name)
                assert file
                return registry.add(f"{_TYPE}{kind}", file.read())

            listed = archive.extractfile("manifest.json")
            assert listed
            (image,) = json.load(listed)
            kind = f"{_TYPE}distribution.manifest.v2+json"
            manifest = {
                "schemaVersion": 2,
                "mediaType": kind,
                "config": described(image["Config"], "container.image.v1+json"),
                "layers": [described(each, "image.rootfs.diff.tar") for each in image["Layers"]],
            }
        added = registry.add(kind, json.dumps(manifest).encode())
        registry.contents["latest"] = registry.contents[added["digest"]]
        return registry

    def add(self, kind: str, content: bytes) -> dict[str, Any]:
        """Have it keep something; return how manifests name it."""
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        self.contents[digest] = kind, content
        return {"mediaType": kind, "size": len(content), "digest": digest}

    @contextlib.contextmanager
    def listening(self) -> Iterator[str]:
        """Give its place, `127.0.0.1:PORT`, from which engines fetch without encryption."""
        ours = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                ours.answer(self)

            def do_HEAD(self) -> None:
                ours.answer(self)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"127.0.0.1:{server.server_port}"
            server.shutdown()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Send what is asked for, piece by piece."""
        name = request.path.rpartition("/")[2]
        kind, content = self.contents.get(name, ("application/json", b"{}"))
        is_there = name in self.contents or request.path == "/v2/"
        request.send_response(200 if is_there else 404)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(content)))
        request.send_header(
            "Docker-Content-Digest", f"sha256:{hashlib.sha256(content).hexdigest()}"
        )
        request.end_headers()
        if request.command == "HEAD":
            return
        with contextlib.suppress(ConnectionError):
            for at in range(0, len(content), _PIECE):
                piece = content[at : at + _PIECE]
                request.wfile.write(piece)
                self.sent[name] = at + len(piece)
                time.sleep(self.seconds_a_piece)
