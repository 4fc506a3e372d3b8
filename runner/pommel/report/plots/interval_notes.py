"""What is written of intervals of accuracies: which they are, and why one may not be seen."""

import math
from collections.abc import Collection, Iterator

from pommel.report.plots.theme import Rows

_KINDS = {
    "wilson": "Wilson's of a share of items",
    "bootstrap": "the bootstrap's over items of a mean of shares",
}


def interval_note(mark: str, kinds: Collection[str]) -> str:
    """Return which 95% intervals are drawn, as marks of this name ("line").

    `kinds` are "wilson", "bootstrap" or both.
    """
    used = "; ".join(words for kind, words in _KINDS.items() if kind in kinds)
    return f"{mark.capitalize()}s: 95% interval ({used})."


def no_width_notes(mark: str, rows: Rows, *, hidden_by: str) -> Iterator[str]:
    """Yield why some of the rows' intervals, `low` to `high`, are not seen, if some have no width.

    To the bootstrap, items that all hold (or all fail) are certain; Wilson's always has a width.
    """
    if any(math.isclose(row["low"], row["high"], abs_tol=1e-12) for row in rows):
        yield (
            f"No {mark}: narrower than the {hidden_by}, or of no width: the items of each suite "
            "all hold or all fail."
        )
