"""Sends a signal to the Python that begins with this, at a moment that can be met again.

A moment is an import, or a file that is opened, made, moved or deleted, from when pommel itself is
loaded; where WRITTEN names a folder, only what is written, moved or deleted in that. SIGNAL_AT says
which: the signal comes before it is done. Without it, MOMENTS is the file that has all, one a line.
"""

import atexit
import os
import sys
from pathlib import Path

_AT = int(os.environ.get("SIGNAL_AT", "0"))
_KINDS = {"import", "open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "sqlite3.connect"}
_WRITTEN = os.environ.get("WRITTEN", "")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_moments: list[str] = []
_has_begun = False


def _moment(event: str, arguments: tuple[object, ...]) -> None:
    global _has_begun  # noqa: PLW0603 - a hook has nowhere else
    _has_begun = _has_begun or (event == "import" and arguments[0] == "pommel.cli")
    if _has_begun and event in _KINDS and _counts(event, arguments):
        _moments.append(f"{event} {arguments[0]!r}")
        if len(_moments) == _AT:
            os.kill(os.getpid(), int(os.environ["SIGNAL"]))


def _counts(event: str, arguments: tuple[object, ...]) -> bool:
    if not _WRITTEN:
        return True
    if event == "import" or (event == "open" and not _WRITING & int(str(arguments[2]))):
        return False
    names = (os.fsdecode(each) for each in arguments if isinstance(each, str | bytes | os.PathLike))
    return any(Path(each).absolute().is_relative_to(_WRITTEN) for each in names)


sys.addaudithook(_moment)
if "MOMENTS" in os.environ:
    atexit.register(lambda: Path(os.environ["MOMENTS"]).write_text("\n".join(_moments)))
