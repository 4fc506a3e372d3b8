"""The other end of the reaper's pipe; run as a script, so that it loads nothing of ours."""

import contextlib
import json
import os
import signal
import sys
from typing import Any


def main() -> None:
    """Read what is started and removed; when the other end has gone, remove what is left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    left: dict[Any, dict[str, Any]] = {}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "add" in message:
            left[message["add"]["id"]] = message["add"]
        else:
            left.pop(message["discard"], None)
    for thing in left.values():
        # One that fails is no reason to leave the others.
        with contextlib.suppress(Exception):
            _REMOVE[thing["kind"]](thing)


def _remove_container(thing: dict[str, Any]) -> None:
    from docker import APIClient  # noqa: PLC0415 - seldom needed, and slow to load
    from docker.utils import kwargs_from_env  # noqa: PLC0415 - an extra

    client = APIClient(version="auto", **(thing["settings"] or kwargs_from_env()))
    client.remove_container(thing["id"], v=True, force=True)


def _end_session(thing: dict[str, Any]) -> None:
    # Beside this script, whose folder is where Python looks first.
    from process_session import end_session  # type: ignore[import-not-found] # noqa: PLC0415 - this script's neighbour

    end_session(
        thing["id"],
        patience_s=thing.get("patience_s", 0),
        ended=lambda: not _runs(thing["id"]),
    )


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


_REMOVE = {"docker": _remove_container, "process": _end_session}


if __name__ == "__main__":
    main()
