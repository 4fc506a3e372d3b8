"""What a rule has to say of a suite."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pommel.errors import counted
from pommel.files.json import JsonPath

_SHOWN_ITEMS = 5

# What several rules may find each in its way: an empty region, or compared texts that are the same.
Cause = Literal["empty", "same"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A doubt about a suite: `path` is the place in its JSON where it is first seen.

    `item_numbers` are the items concerned, empty where it is not about items; `predictions` are
    the indexes of the predictions, and `cause` is set, where other rules may find the same.
    """

    rule: str
    path: JsonPath
    message: str
    hint: str = ""
    item_numbers: tuple[int, ...] = ()
    predictions: tuple[int, ...] = ()
    cause: Cause | None = None


def in_items(numbers: Sequence[int], n_items: int) -> str:
    """Return "in item 4", "in 3 of 24 items (4, 7, 9)", or "in every item"."""
    if len(numbers) == n_items:
        return "in every item"
    if len(numbers) == 1:
        return f"in item {numbers[0]}"
    shown = ", ".join(map(str, numbers[:_SHOWN_ITEMS]))
    dots = ", ..." if len(numbers) > _SHOWN_ITEMS else ""
    return f"in {len(numbers)} of {counted(n_items, 'item')} ({shown}{dots})"
