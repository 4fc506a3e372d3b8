"""Cells of the report's tables: a text, what is smaller behind it, and what it is sorted by."""

import math
from dataclasses import dataclass

from pommel.analysis.accuracy import Accuracy
from pommel.analysis.cells import score_cell
from pommel.statistics import Estimate, Interval

NOTHING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell; `number` is what it is sorted by, None for what is sorted by its text or is missing.

    `shade` is a share between 0 and 1 that colours it, None for no colour.
    """

    text: str = ""
    detail: str = ""
    number: float | None = None
    shade: float | None = None


def accuracy_cell(row: Accuracy | None) -> Cell:
    """Return an accuracy with its interval, of a family with its standard deviation.

    A share of items has Wilson's interval, a mean over suites or predictions the bootstrap's.
    """
    if row is None or math.isnan(row.accuracy):
        return Cell(text=NOTHING if row is not None else "")
    detail = f"± {score_cell(row.sd)}" if row.is_family else interval_text(row.interval())
    return Cell(
        text=score_cell(row.accuracy), detail=detail, number=row.accuracy, shade=row.accuracy
    )


def interval_text(interval: Interval | Estimate, *, sign: str = "") -> str:
    """Return "[0.58, 0.88]", or nothing where there is no interval."""
    if math.isnan(interval.low):
        return ""
    low, high = (bits_text(end, sign=sign) for end in (interval.low, interval.high))
    return f"[{low}, {high}]"


def number_cell(value: float | None, *, sign: str = "") -> Cell:
    """Return a number with two digits, or a whole one; a dash for one that is missing."""
    if value is None or math.isnan(value):
        return Cell(text=NOTHING)
    if isinstance(value, int):
        return Cell(text=f"{value:,}", number=value)
    return Cell(text=bits_text(value, sign=sign), number=value)


def bits_text(value: float, *, sign: str = "") -> str:
    """Return bits with two digits; a dash for none, and a true minus."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return f"{_MINUS if value < 0 else sign}∞"
    # -0.001 would be shown as -0.00.
    return f"{round(value, 2) + 0.0:{sign}.2f}".replace("-", _MINUS)
