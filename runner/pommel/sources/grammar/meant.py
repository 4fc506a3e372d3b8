"""Which known name was meant by one that there is not."""

from collections.abc import Collection

from pommel.errors import nearest

# So many comparisons of two names take about a second.
_MOST_COMPARED = 100_000


class Meant:
    """Finds the nearest of some known names, as long as all searches together are quick.

    Each one compares a name with all that are known. Of a file with thousands of faults the first
    ones are explained; the others are likely to be alike.
    """

    def __init__(self, *, most_compared: int = _MOST_COMPARED) -> None:
        """Take how many comparisons there may be; the search that goes beyond is the last one."""
        self._n_left = most_compared

    def __call__(self, name: str, known: Collection[str]) -> str | None:
        """Return the known name that was probably meant; None if none is like it, or too late."""
        if self._n_left <= 0:
            return None
        self._n_left -= len(known)
        return nearest(name, known)
