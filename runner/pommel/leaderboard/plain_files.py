"""Reading files of a board, which may be a stranger's: no links, no pipes, nothing without an end.

A link leads wherever a stranger wants, opening a pipe waits for a writer, and a device may have
bytes for ever.
"""

import errno
import os
import stat
from pathlib import Path

from pommel.leaderboard.errors import BoardError

# What a board's files have at most, but for submissions (they have limits of their own) and pairs.
MOST_BYTES = 64 * 2**20

# Windows has neither links that are followed nor pipes among files.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_plain(path: Path) -> int:
    """Return the descriptor of a file, for reading; raises `OSError` for what is none."""
    # Opening a device may be enough to do something.
    _check_mode(path.lstat().st_mode)
    opened = os.open(path, _FLAGS)
    try:
        # It may have been replaced meanwhile.
        _check_mode(os.fstat(opened).st_mode)
    except OSError:
        os.close(opened)
        raise
    return opened


def read_plain(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Return a file's bytes; raises `OSError` for what is none, and for more than so many."""
    with os.fdopen(open_plain(path), "rb") as stream:
        n_bytes = os.fstat(stream.fileno()).st_size
        raw = stream.read(min(n_bytes, most_bytes) + 1)
    if len(raw) > most_bytes:
        raise OSError(errno.EFBIG, f"it has more than {most_bytes:,} bytes")
    return raw


def plain_text(path: Path) -> str:
    """Return the text of a file that the board needs; raises `BoardError`."""
    # Not `read_text`: a line of the ledger ends at a line feed, and at nothing else.
    try:
        return read_plain(path).decode()
    except UnicodeDecodeError as error:
        raise BoardError(f"{path}: the byte {error.start} is not UTF-8") from None
    except OSError as error:
        raise BoardError(f"{path}: cannot be read: {error.strerror or error}") from None


def _check_mode(mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "it is a link")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no file")
