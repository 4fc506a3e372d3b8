"""What downloads that were killed have left in the cache, and how others are not disturbed.

Whoever fetches a source shares a lock on its folder. Who gets the lock alone knows that nobody
else is at work: what is half there is left over. The lock ends with the process, however it ends.
"""

import contextlib
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

# As `pommel.files.writing.replacing` calls what it has begun; folders of ours are called so, too.
PART_PREFIX, PART_SUFFIX = ".", ".part"
# Far longer than a server may be silent.
_ABANDONED_SECONDS = 3600.0


@contextlib.contextmanager
def without_leftovers(folder: Path, others: Sequence[Path] = ()) -> Iterator[None]:
    """Remove what is left over in a source's folder and in `others`, and share the lock meanwhile.

    Where folders have no locks (Windows, some network drives), what has not been touched for an
    hour is left over. What cannot be removed stays.
    """
    with _opened(folder) as opened:
        is_alone = _lock(opened, alone=True)
        if is_alone is not False:
            seconds = 0.0 if is_alone else _ABANDONED_SECONDS
            _sweep((folder, *others), older_than_seconds=seconds)
        # Between the two locks others may sweep: nothing of ours has begun.
        _lock(opened, alone=False)
        yield


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    try:
        opened = os.open(folder, os.O_RDONLY)
    except OSError:
        # Windows opens no folders.
        yield None
        return
    try:
        yield opened
    finally:
        os.close(opened)


def _lock(opened: int | None, *, alone: bool) -> bool | None:
    """Take the lock, alone only if nobody else has it; return whether that went well.

    None: there are no locks.
    """
    try:
        import fcntl  # noqa: PLC0415 - Windows has none
    except ImportError:
        return None
    if opened is None:
        return None
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB if alone else fcntl.LOCK_SH)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _sweep(places: Sequence[Path], *, older_than_seconds: float) -> None:
    now = time.time()
    for place in places:
        for part in [*place.rglob(f"{PART_PREFIX}*{PART_SUFFIX}")]:
            with contextlib.suppress(OSError):
                if now - part.lstat().st_mtime < older_than_seconds:
                    continue
                if part.is_dir() and not part.is_symlink():
                    shutil.rmtree(part)
                else:
                    part.unlink()
