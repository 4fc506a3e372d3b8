"""Sends a signal to the Python that begins with this, at a moment that can be met again.

A moment is an import, or a file that is opened, made, moved or deleted, from when pommel itself is
loaded: SIGNAL_AT says which. Without it, MOMENTS is the file that has how many there were.
"""

import atexit
import os
import sys
from pathlib import Path

_AT = int(os.environ.get("SIGNAL_AT", "0"))
_KINDS = {"import", "open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "sqlite3.connect"}
_n_moments = 0
_has_begun = False


def _moment(event: str, arguments: tuple[object, ...]) -> None:
    global _n_moments, _has_begun  # noqa: PLW0603 - a hook has nowhere else
    _has_begun = _has_begun or (event == "import" and arguments[0] == "pommel.cli")
    if _has_begun and event in _KINDS:
        _n_moments += 1
        if _n_moments == _AT:
            os.kill(os.getpid(), int(os.environ["SIGNAL"]))


sys.addaudithook(_moment)
if "MOMENTS" in os.environ:
    atexit.register(lambda: Path(os.environ["MOMENTS"]).write_text(f"{_n_moments}"))
