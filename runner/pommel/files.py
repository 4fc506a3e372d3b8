"""Writing files so that nothing is ever half-written."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pommel.errors import PommelError


def write_text(path: Path, text: str) -> None:
    """Write a file beside its place and move it there; raises `PommelError` and leaves no trace.

    A link stays one, and what is no file (a pipe, a terminal, /dev/null) is written to as it is.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        try:
            target.write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            raise _refused(path, error) from None
        return
    with replacing(target) as aside:
        aside.write_text(text, encoding="utf-8", newline="")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a new file that takes the place of `path` when all has gone well.

    The folder is made if it is missing. Raises `PommelError` for what the file system refuses (a
    full disk, a folder that may not be written); `path` is then what it was.
    """
    aside: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        os.close(handle)
        aside = Path(name)
        yield aside
        # mkstemp makes files that nobody else may read; results are made to be shared.
        aside.chmod(0o666 & ~_umask())
        aside.replace(path)
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


def _refused(path: Path, error: OSError) -> PommelError:
    return PommelError(f"{path}: cannot be written: {error.strerror or error}")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
