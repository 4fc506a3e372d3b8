"""Removes what a process leaves behind when it cannot do so itself: `kill -9`, a crash.

A small process of its own reads a pipe whose other end we hold. We write down what is started and
what has been removed; when the pipe ends, we have ended, and it removes what is left.
"""

import atexit
import contextlib
import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_SECONDS_TO_TIDY_UP = 10
_SECONDS_TO_END = 0.5


class Reaper:
    """Our end of the pipe. The other process starts with the first thing to be watched."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._process: subprocess.Popen[bytes] | None = None
        # A collection of garbage in the middle of `add` may remove a container, and call `discard`.
        self._lock = threading.RLock()

    def get_ready(self) -> None:
        """Start the other process, if it does not run: later would be too late for a program."""
        with self._lock:
            if self._process is not None:
                return
            script = Path(__file__).with_name("reaper_process.py")
            self._process = subprocess.Popen(  # noqa: S603 - our own script
                [sys.executable, str(script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # Whole lines, each in one system call.
                bufsize=0,
                # Ctrl-C is for us, and so is a shell's signal to all it has started.
                start_new_session=True,
            )
            atexit.register(self.stop)

    def add(self, thing: Mapping[str, Any]) -> None:
        """Have `thing` removed when this process ends.

        `{"kind": "process", "id": process, "patience_s": seconds}` (see `end_session`),
        `{"kind": "folder", "id": path}` with all that is in it, or
        `{"kind": "docker", "id": container, "settings": {...}, "is_answered": False}`, and this
        again with True when the engine has said whether it is there.
        """
        with self._lock:
            self.get_ready()
            self._write({"add": dict(thing)})

    def discard(self, name: str | int) -> None:
        """Forget the thing with this `id`: it has been removed."""
        self._write({"discard": name})

    def stop(self) -> None:
        """Have the other process remove what is left, as at our end, and wait until it has.

        Where an engine refuses to answer, the other process goes on alone.
        Done by itself when Python ends. What is added later has another process.
        """
        with self._lock:
            process, self._process = self._process, None
        if process is None or process.stdin is None or process.stdout is None:
            return
        with contextlib.suppress(OSError, subprocess.TimeoutExpired), process.stdout:
            process.stdin.close()
            if sys.platform == "win32":
                # Nothing there waits for a pipe and for a time at once.
                process.wait(_SECONDS_TO_TIDY_UP)
                return
            waiting = select.poll()
            waiting.register(process.stdout)
            waiting.poll(_SECONDS_TO_TIDY_UP * 1000)
            process.wait(_SECONDS_TO_END)

    def forget(self) -> None:
        """After a fork: the other's reaper is not ours, and must not wait for our end."""
        self._lock = threading.RLock()
        process, self._process = self._process, None
        if process is not None and process.stdin is not None and process.stdout is not None:
            process.stdin.close()
            process.stdout.close()
            # It is no child of ours, and Python must not wait for it.
            process.returncode = 0

    def _write(self, message: dict[str, object]) -> None:
        line = json.dumps(message).encode() + b"\n"
        with self._lock:
            if self._process is None or self._process.stdin is None:
                return
            # A reaper that has ended, or that somebody has killed, is no reason to fail.
            with contextlib.suppress(OSError, ValueError):
                self._process.stdin.write(line)


REAPER = Reaper()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=REAPER.forget)
