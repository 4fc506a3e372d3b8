"""Input for a command, written by a thread of its own."""

import queue
import threading
from collections.abc import Iterable

from pommel.models.container.engines.engine import Channel


class Feeder:
    """Writes pieces of input, in the order in which they were added.

    A command that stops reading is no error here: how it ends says what was wrong.
    """

    def __init__(self, channel: Channel) -> None:
        """Start nothing yet: the first piece does."""
        self._channel = channel
        self._waiting: queue.SimpleQueue[tuple[Iterable[bytes], bool] | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._error: Exception | None = None

    def add(self, chunks: Iterable[bytes], *, last: bool) -> None:
        """Write `chunks`, taken one by one; with `last` the input ends after them."""
        self._waiting.put((chunks, last))
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_all, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Write nothing more."""
        self._stopped.set()
        self._waiting.put(None)

    def check(self) -> None:
        """Raise what the pieces themselves raised while they were made."""
        if self._error is not None:
            raise self._error

    def _write_all(self) -> None:
        try:
            while not self._stopped.is_set() and (job := self._waiting.get()) is not None:
                chunks, last = job
                for chunk in chunks:
                    if self._stopped.is_set():
                        return
                    self._channel.write(chunk)
                if last:
                    self._channel.close_input()
                    return
        except ConnectionError:
            return
        except Exception as error:  # noqa: BLE001 - raised again where the output is read
            self._error = error
            self._channel.remove()
