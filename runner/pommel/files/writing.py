"""Writing files so that nothing is ever half-written, and what a file's content is known by."""

import contextlib
import errno
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pommel.errors import InputError, PommelError


def write_text(path: Path, text: str) -> None:
    """Write a file beside its place and move it there; raises `PommelError` and leaves no trace.

    A link stays one, and what is no file (a pipe, a terminal, /dev/null) is written to.
    """
    with replacing(path) as aside:
        aside.write_text(text, encoding="utf-8", newline="")


def file_name_fault(name: str) -> str | None:
    """Return why a name cannot be a file's name, on any system; None if it can."""
    if not name.strip(". ") or name != name.strip():
        return "is empty but for dots and blanks, or begins or ends with blanks"
    wrong = next((each for each in name if each in '/\\:*?"<>|' or not each.isprintable()), None)
    return f"has the character {wrong!r}" if wrong else None


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a new file that takes the place of `path` when all has gone well.

    A link stays one: what it leads to is replaced. What is no file (a pipe, a terminal, /dev/null)
    stays what it is, and the content is written to it at the end. The folder is made if it is
    missing. Raises `PommelError` for what the file system refuses (a full disk, a folder that may
    not be written); `path` is then what it was.
    """
    aside: Path | None = None
    try:
        # A link such as /dev/stdout leads to a pipe that has no name of its own.
        device = _is_device(path)
        target = path if device else Path(os.path.realpath(path))
        aside = _aside(None if device else target)
        yield aside
        if device:
            with aside.open("rb") as source, target.open("wb") as opened:
                shutil.copyfileobj(source, opened)
        else:
            # mkstemp makes files that nobody else may read; results are made to be shared.
            aside.chmod(0o666 & ~_umask())
            aside.replace(target)
    except OSError as error:
        raise _refused(path, error) from None
    finally:
        if aside is not None:
            aside.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; raises `PommelError` if that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(folder, error) from None


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as it lies there; raises `InputError` if it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def _is_device(path: Path) -> bool:
    """Return whether there is something that is no file; raises `OSError` for a folder."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return not stat.S_ISREG(mode)


def _aside(target: Path | None) -> Path:
    """Make an empty file beside `target`, on the same disk; for None, where such files are kept."""
    if target is None:
        handle, name = tempfile.mkstemp(prefix="pommel-", suffix=".part")
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        prefix = f".{target.name}."
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=prefix, suffix=".part")
    os.close(handle)
    return Path(name)


def _refused(path: Path, error: OSError) -> PommelError:
    return PommelError(f"{path}: cannot be written: {error.strerror or error}")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
