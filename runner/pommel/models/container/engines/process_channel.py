"""The channel of a program of this machine: its pipes, its process group, its end."""

import contextlib
import os
import select
import signal
import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, cast

from pommel.models.container.engines.engine import STDERR, STDOUT, ExitStatus
from pommel.models.container.engines.reaper import REAPER
from pommel.models.container.engines.reaper_process import end_session

_PIECE_BYTES = 1 << 16
# How long a read or a write may wait before it looks whether the program is still wanted.
_MILLISECONDS_BETWEEN_LOOKS = 200
_SECONDS_TO_DIE = 10
# What a shell adds to the number of a signal that has ended a program.
_SIGNALLED = 128


class ProcessChannel:
    """A program that runs in a session of its own; see `Channel`.

    All that it has started ends with it: at its own end, with `remove`, and with us.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        patience_s: float = 0,
    ) -> None:
        """Start a program; without an `environment` it has ours.

        With `patience_s`, `remove` kills what the program has started first, and gives the program
        itself that many seconds to tidy up. Raises `OSError` if it cannot be started
        (`FileNotFoundError` if it is not there).
        """
        REAPER.get_ready()
        self._patience_s = patience_s
        self._unwanted = threading.Event()
        self._session_ended = False
        self._ending = threading.Lock()
        self._reading = threading.Lock()
        self._writing = threading.Lock()
        self._process = subprocess.Popen(  # noqa: S603 - what is run is the caller's concern
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=folder,
            bufsize=0,
            # Ctrl-C is for us; and one signal ends all that the program has started.
            start_new_session=True,
        )
        try:
            REAPER.add({"kind": "process", "id": self._process.pid, "patience_s": patience_s})
            streams = (self._process.stdin, self._process.stdout, self._process.stderr)
            # They are there: pipes were asked for.
            self._input, output, errors = cast("tuple[IO[bytes], IO[bytes], IO[bytes]]", streams)
            self._outputs = {output.fileno(): (STDOUT, output), errors.fileno(): (STDERR, errors)}
            # A write must not wait for ever for a program that reads no more and does not end.
            os.set_blocking(self._input.fileno(), False)
        except BaseException:
            # Ctrl-C just now: nobody else would know of it.
            os.killpg(self._process.pid, signal.SIGKILL)
            raise

    def write(self, data: bytes) -> None:
        """Write all of `data` to the program's standard input; waits until it is taken."""
        left = memoryview(data)
        with self._writing:
            while left:
                if self._unwanted.is_set() or self._input.closed:
                    raise ConnectionError("its input has been closed")
                if not _ready([self._input.fileno()], select.POLLOUT):
                    continue
                try:
                    left = left[os.write(self._input.fileno(), left) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise ConnectionError(f"its input: {error.strerror}") from error

    def close_input(self) -> None:
        """Let the program see the end of its input."""
        with self._writing:
            self._input.close()

    def read(self) -> tuple[int, bytes] | None:
        """Return the next piece of output and whose it is; None at the end."""
        with self._reading:
            while self._outputs and not self._unwanted.is_set():
                ready = _ready(self._outputs, select.POLLIN)
                if not ready and self._process.poll() is not None:
                    # What it has left running would keep the streams open.
                    self._end_session()
                for handle in ready:
                    number, stream = self._outputs[handle]
                    if data := os.read(handle, _PIECE_BYTES):
                        return number, data
                    del self._outputs[handle]
                    stream.close()
        return None

    def exit_status(self, timeout_s: float) -> ExitStatus:
        """Return how the program ended; 128 and the signal's number, if it was a signal."""
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError from error
        self._end_session()
        return ExitStatus(code=code if code >= 0 else _SIGNALLED - code)

    def remove(self) -> None:
        """Kill the program and all that it has started; may be called twice, and by any thread."""
        self._unwanted.set()
        self._end_session()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_DIE)
        # A thread that reads or writes looks up soon, and lets go.
        self.close_input()
        with self._reading:
            for _, stream in self._outputs.values():
                stream.close()
            self._outputs.clear()

    def _end_session(self) -> None:
        """Kill whatever of the session still runs; once only: its number may be used again."""
        with self._ending:
            if self._session_ended:
                return
            self._session_ended = True
            end_session(
                self._process.pid,
                patience_s=self._patience_s,
                ended=lambda: self._process.poll() is not None,
            )
            REAPER.discard(self._process.pid)


def _ready(handles: Iterable[int], event: int) -> list[int]:
    """Return which of the handles have data, take data, or have lost their other end."""
    waiting = select.poll()
    for handle in handles:
        waiting.register(handle, event)
    return [handle for handle, _ in waiting.poll(_MILLISECONDS_BETWEEN_LOOKS)]
