"""A container's input and output over Docker's attached socket."""

import contextlib
import math
import socket
import threading
from typing import TYPE_CHECKING, Any

from pommel.models.container.engines.engine import STDERR, STDOUT, ExitStatus
from pommel.models.container.engines.reaper import REAPER

if TYPE_CHECKING:
    from docker import APIClient

# Each piece of output comes behind eight bytes: which stream, three zeros, how long it is.
_HEADER_BYTES = 8
_PIECE_BYTES = 1 << 16
_GONE = (404, 409)


class DockerChannel:
    """The channel of one container; see `Channel`."""

    def __init__(self, *, client: "APIClient", container: str) -> None:
        """Remember the container, which need not exist yet; `attach` opens its streams."""
        self._client = client
        self._container = container
        self._stream: Any = None
        self._socket: Any = None
        self._left_bytes = 0
        self._from = STDOUT
        self._lock = threading.Lock()
        self._removed = False

    def attach(self) -> None:
        """Open the streams of the container. Before it starts: what it prints first is not lost."""
        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        self._stream = self._client.attach_socket(self._container, params=streams)
        # What comes back is a socket, or a file over one, as the connection is; the file has no
        # public way to end one direction only. A file that is closed forgets its socket.
        self._socket = getattr(self._stream, "_sock", self._stream)
        self._socket.settimeout(None)

    def write(self, data: bytes) -> None:
        """Write all of `data` to the command's standard input."""
        try:
            self._socket.sendall(data)
        except (OSError, ValueError) as error:
            raise ConnectionError(str(error)) from error

    def close_input(self) -> None:
        """Let the command see the end of its input."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except (OSError, ValueError) as error:
            raise ConnectionError(str(error)) from error

    def read(self) -> tuple[int, bytes] | None:
        """Return the next piece of output and whose it is; None at the end."""
        while self._left_bytes == 0:
            header = self._read_exactly(_HEADER_BYTES)
            if header is None:
                return None
            self._from = STDERR if header[0] == STDERR else STDOUT
            self._left_bytes = int.from_bytes(header[4:])
        data = self._read_some(min(self._left_bytes, _PIECE_BYTES))
        if not data:
            raise ConnectionError("the output ends in the middle of a piece")
        self._left_bytes -= len(data)
        return self._from, data

    def _read_exactly(self, n_bytes: int) -> bytes | None:
        data = b""
        while len(data) < n_bytes:
            more = self._read_some(n_bytes - len(data))
            if not more:
                if data:
                    raise ConnectionError("the output ends in the middle of a piece")
                return None
            data += more
        return data

    def _read_some(self, n_bytes: int) -> bytes:
        try:
            data: bytes = self._socket.recv(n_bytes)
        except (OSError, ValueError) as error:
            raise ConnectionError(str(error)) from error
        return data

    def exit_status(self, timeout_s: float) -> ExitStatus:
        """Return how the command ended; raises `TimeoutError` if it has not by then."""
        from docker.errors import APIError  # noqa: PLC0415 - an extra
        from requests.exceptions import RequestException  # noqa: PLC0415 - an extra

        try:
            self._client.wait(self._container, timeout=math.ceil(timeout_s))
        except RequestException as error:
            # A time-out here and an engine that has died raise the same; only one still answers.
            if not self._answers():
                raise ConnectionError(str(error)) from error
            raise TimeoutError from error
        except APIError as error:
            raise ConnectionError(str(error)) from error
        try:
            state = self._client.inspect_container(self._container)["State"]
        except (APIError, RequestException) as error:
            raise ConnectionError(str(error)) from error
        return ExitStatus(code=state["ExitCode"], out_of_memory=bool(state.get("OOMKilled")))

    def _answers(self) -> bool:
        from docker.errors import DockerException  # noqa: PLC0415 - an extra

        try:
            return bool(self._client.ping())
        except (DockerException, OSError):
            return False

    def remove(self) -> None:
        """Kill what runs and leave nothing behind."""
        from docker.errors import APIError  # noqa: PLC0415 - an extra

        with self._lock:
            if self._removed:
                return
            # First: the engine waits for output that nobody reads, until it gives up.
            self._hang_up()
            try:
                self._client.remove_container(self._container, v=True, force=True)
            except APIError as error:
                if error.status_code not in _GONE:
                    return  # the reaper tries again when we end
            except OSError:
                return
            self._removed = True
        REAPER.discard(self._container)

    def _hang_up(self) -> None:
        if self._stream is None:
            return
        for end in (self._end_transfers, self._stream.close, self._socket.close):
            with contextlib.suppress(OSError, ValueError):
                end()

    def _end_transfers(self) -> None:
        """End a read or a write that another thread is waiting in."""
        self._socket.shutdown(socket.SHUT_RDWR)
