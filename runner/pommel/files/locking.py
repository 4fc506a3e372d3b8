"""Keeping other processes out, until what was opened is closed or its process is gone."""

import os
import sys
import time

# Windows wakes nobody who waits for a lock.
_SECONDS_BETWEEN_TRIES = 0.05
# No file that is locked has so many bytes.
_BEYOND_THE_END = 64 * 2**20


def locked_for_others(opened: int, *, waiting: bool = True) -> bool:
    """Keep others out of what is open, and return whether that was possible.

    Some folders of a network have no locks for what is only read.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            # What is locked cannot be read by others; they read nothing beyond the end.
            os.lseek(opened, _BEYOND_THE_END, os.SEEK_SET)
            while True:
                try:
                    msvcrt.locking(opened, msvcrt.LK_NBLCK, 1)
                except PermissionError:
                    time.sleep(_SECONDS_BETWEEN_TRIES)
                else:
                    return True
        import fcntl

        fcntl.flock(opened, fcntl.LOCK_EX | (0 if waiting else fcntl.LOCK_NB))
    except OSError:
        return False
    return True
