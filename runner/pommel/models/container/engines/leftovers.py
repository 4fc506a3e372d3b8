"""Containers that nobody removed: their owner was killed together with its reaper."""

import contextlib
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docker import APIClient

# On every container of ours: where the process runs that it belongs to, and which it is.
OWNER_LABEL = "org.pommel.owner"
_SEPARATOR = "/"


def owner() -> str:
    """Return this process as `OWNER_LABEL` has it: `_place`, its number, when it started."""
    return _SEPARATOR.join([_place(), str(os.getpid()), _started(os.getpid())])


def remove_leftovers(client: "APIClient") -> None:
    """Remove the containers of processes that were started where we were, and have ended.

    An engine that does not answer is no error here: whoever needs it will notice.
    """
    from docker.errors import APIError  # noqa: PLC0415 - an extra

    with contextlib.suppress(APIError, OSError):
        for container in client.containers(all=True, filters={"label": OWNER_LABEL}):
            if is_gone(container["Labels"].get(OWNER_LABEL, "")):
                # Somebody else may be removing it, too.
                with contextlib.suppress(APIError):
                    client.remove_container(container["Id"], v=True, force=True)


def is_gone(label: str) -> bool:
    """Return whether a label names a process of our place that has ended.

    Of processes elsewhere nothing is known: on another machine, in another container, of another
    user.
    """
    place, _, rest = label.removeprefix(_SEPARATOR).partition(_SEPARATOR)
    number, _, started = rest.partition(_SEPARATOR)
    if place != _place() or not (number.isascii() and number.isdecimal()):
        return False
    return _started(int(number)) != started


def _place() -> str:
    """Return a name for where numbers of processes mean what they mean to us.

    The machine, by its name and its id (two may have one name), the namespace of the numbers, and
    the user (one may not see another's processes).
    """
    parts = [socket.gethostname(), _text("/etc/machine-id"), _namespace(), _user()]
    return ".".join(part.strip().replace(_SEPARATOR, "-") for part in parts)


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError:
        return ""


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else ""


def _started(process: int) -> str:
    """Return when a process started, as the system counts; "" if it is not there.

    Numbers of processes are used again; only together with the time they name one.
    """
    stat = _text(f"/proc/{process}/stat")
    if stat:
        # The second field, in parentheses, may hold blanks and parentheses itself.
        return stat.rpartition(")")[2].split()[19]
    return "running" if _runs(process) else ""


def _runs(process: int) -> bool:
    """Do without the time where there is no /proc."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
