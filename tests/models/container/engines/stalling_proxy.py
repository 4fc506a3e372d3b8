"""Between pommel and a real engine: all goes through, but for one kind of request, which stalls."""

import contextlib
import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

# Which half of the exchange waits: before the engine does it, or after.
Held = Literal["request", "answer"]
_PIECE = 1 << 16
_CREATE = re.compile(rb"POST \S+/containers/create\b")


@dataclass(eq=False)
class StallingProxy:
    """Stalls the first request to make a container until `go_on` is set.

    `stalls` is set when it has come, `removes` when somebody asks to remove a container. An engine
    carries out what it has been asked for although nobody waits any more: so the way to it stays
    open when the asker dies. `made` is what it has answered.
    """

    engine: Path
    held: Held
    stalls: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)
    answered: threading.Event = field(default_factory=threading.Event)
    removes: threading.Event = field(default_factory=threading.Event)
    made: bytes = b""

    @contextlib.contextmanager
    def listening(self, path: Path) -> Iterator[str]:
        """Give the URL to reach the engine by."""
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen(64)
            threading.Thread(target=self._serve, args=(listener,), daemon=True).start()
            yield f"unix://{path}"
            listener.shutdown(socket.SHUT_RDWR)

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                asker, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(asker,), daemon=True).start()

    def _pass_on(self, asker: socket.socket) -> None:
        stalling = threading.Event()
        with asker, socket.socket(socket.AF_UNIX) as engine:
            engine.connect(str(self.engine))
            asking = threading.Thread(target=self._ask, args=(asker, engine, stalling))
            asking.start()
            while piece := engine.recv(_PIECE):
                if stalling.is_set() and not self.answered.is_set():
                    self.made = piece
                    self.answered.set()
                    self.stalls.set()
                    self.go_on.wait()
                with contextlib.suppress(OSError):
                    asker.sendall(piece)
            with contextlib.suppress(OSError):
                asker.shutdown(socket.SHUT_RDWR)
            asking.join()

    def _ask(self, asker: socket.socket, engine: socket.socket, stalling: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while piece := asker.recv(_PIECE):
                if _CREATE.match(piece) and not self.stalls.is_set():
                    stalling.set()
                    if self.held == "request":
                        self.stalls.set()
                        self.go_on.wait()
                engine.sendall(piece)
                if piece.startswith(b"DELETE "):
                    self.removes.set()
        if stalling.is_set():
            self.answered.wait()
        with contextlib.suppress(OSError):
            engine.shutdown(socket.SHUT_WR)
