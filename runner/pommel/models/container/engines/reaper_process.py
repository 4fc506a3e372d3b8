"""The other end of the reaper's pipe, and ending a program with all that it has started.

Run as a script, which loads nothing else of ours.
"""

import contextlib
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_SECONDS_BETWEEN_LOOKS = 0.02
# How long an engine may take to make a container that was asked for, or to answer at all again.
_SECONDS_FOR_ENGINES = 600
_SECONDS_BETWEEN_TRIES = 0.5
# After these, whoever has ended need not wait for an engine that refuses.
_SECONDS_WAITED_FOR = 1


def main() -> None:
    """Read what is started and removed; when the other end has gone, remove what is left.

    Standard output is closed as soon as there is nothing that is worth waiting for.
    """
    # A terminal that is closed sends SIGHUP; Windows has none.
    for number in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        signal.signal(number, signal.SIG_IGN)
    left: dict[Any, Mapping[str, Any]] = {}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "add" in message:
            left[message["add"]["id"]] = message["add"]
        else:
            left.pop(message["discard"], None)
    began = time.monotonic()
    while left and time.monotonic() < began + _SECONDS_FOR_ENGINES:
        has_answer = False
        for name, thing in [*left.items()]:
            # One that fails is no reason to leave the others; it is tried again.
            with contextlib.suppress(Exception):
                if _REMOVE[thing["kind"]](thing):
                    del left[name]
                has_answer = True
        if not has_answer and time.monotonic() > began + _SECONDS_WAITED_FOR:
            # The old end of the pipe is closed with it, now or long since.
            os.dup2(sys.stdin.fileno(), sys.stdout.fileno())
        time.sleep(_SECONDS_BETWEEN_TRIES if left else 0)


def _remove_container(thing: Mapping[str, Any]) -> bool:
    """Remove a container; say whether it has gone for good.

    One that the engine has not yet answered for may still be made, however late: a request that
    waits in a busy engine is carried out although nobody waits for its answer any more.
    """
    from docker import APIClient
    from docker.errors import NotFound

    with contextlib.closing(APIClient(version="auto", **thing["settings"])) as client:
        try:
            client.remove_container(thing["id"], v=True, force=True)
        except NotFound:
            return bool(thing["is_answered"])
    return True


def _end_session(thing: Mapping[str, Any]) -> bool:
    end_session(
        thing["id"],
        patience_s=thing["patience_s"],
        ended=lambda: not _runs(thing["id"]),
    )
    return True


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _remove_folder(thing: Mapping[str, Any]) -> bool:
    shutil.rmtree(thing["id"], ignore_errors=True)
    return True


_REMOVE = {"docker": _remove_container, "process": _end_session, "folder": _remove_folder}


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


if __name__ == "__main__":
    main()
