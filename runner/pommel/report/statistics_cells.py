"""Cells that tables of statistics have in common: intervals and p."""

import math
from typing import Protocol

from pommel.report.cells import number_cell

_LEAST_P = 0.001


class WithEnds(Protocol):
    """An interval, or what has one; NaN where there is none."""

    @property
    def low(self) -> float:
        """Where it begins."""
        ...

    @property
    def high(self) -> float:
        """Where it ends."""
        ...


def interval_cell(mean: float, interval: WithEnds, digits: int = 2, *, sign: str = "") -> str:
    """Return "0.83 [0.61, 0.94]", without an interval where there is none, a dash without a mean.

    `sign` "+" shows that of a difference.
    """
    shown = number_cell(mean, digits, sign=sign)
    if math.isnan(mean) or math.isnan(interval.low):
        return shown
    return f"{shown} {ends_cell(interval, digits, sign=sign)}"


def ends_cell(interval: WithEnds, digits: int = 2, *, sign: str = "") -> str:
    """Return "[0.61, 0.94]", a dash where there is no interval."""
    if math.isnan(interval.low):
        return "-"
    low, high = (number_cell(end, digits, sign=sign) for end in (interval.low, interval.high))
    return f"[{low}, {high}]"


def p_cell(p: float) -> str:
    """Return a p with three digits, "< .001" below, nothing where there is no test."""
    if math.isnan(p):
        return ""
    return "< .001" if p < _LEAST_P else f"{p:.3f}".removeprefix("0")
