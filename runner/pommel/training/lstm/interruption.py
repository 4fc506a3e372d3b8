"""Ctrl-C and SIGTERM: asked to stop, a training keeps its state first."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StoppedError(Exception):
    """A signal has come, and nobody has acted on it yet."""


class Stop:
    """Whether a signal has come."""

    def __init__(self) -> None:
        """Begin without one."""
        self.signal: int | None = None

    def check(self) -> None:
        """Raise `StoppedError` if one has."""
        if self.signal is not None:
            raise StoppedError

    def end(self) -> NoReturn:
        """Do what the signal means: end the process as if nothing had been in between."""
        if self.signal == signal.SIGTERM:
            raise SystemExit(128 + signal.SIGTERM)
        raise KeyboardInterrupt


@contextmanager
def deferred_signals() -> Iterator[Stop]:
    """Keep the first signal for later; the second does at once what it always does.

    At the latest it is acted on at the end, unless an error is on its way. Signals reach the main
    thread only: in any other this changes nothing.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def restore() -> None:
        for number, handler in before.items():
            # None: it was not set from Python, and cannot be.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def take(number: int, _frame: FrameType | None) -> None:
        stop.signal = number
        restore()

    for number in _SIGNALS:
        signal.signal(number, take)
    try:
        yield stop
    finally:
        restore()
    # With the handlers of before: none can come in between.
    if stop.signal is not None:
        stop.end()
