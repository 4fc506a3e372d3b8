"""Ending a program together with all that it has started."""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

_SECONDS_BETWEEN_LOOKS = 0.02


def end_session(leader: int, *, patience_s: float, ended: Callable[[], bool]) -> None:
    """Kill every process of the session that the process `leader` leads.

    With `patience_s`, the leader goes last, and has that many seconds to tidy up after the others:
    Apptainer unmounts its image then, or deletes what it has unpacked. `ended` says whether the
    leader has gone. Where there is no /proc, only the leader's process group is killed.
    """
    until = time.monotonic() + patience_s
    while not ended() and time.monotonic() < until:
        # Again and again: it may be about to start one.
        for process in _processes_with(os.getpgid, leader):
            if process != leader:
                _kill(process)
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    for process in _processes_with(os.getsid, leader):
        _kill(process)


def _processes_with(number_of: Callable[[int], int], number: int) -> list[int]:
    """Return the processes whose group, or session, has this number."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        process = int(entry.name)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if number_of(process) == number:
                found.append(process)
    return found


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)
