"""Cells of intervals and of p."""

import math

import pytest

from pommel.analysis.cells import ends_cell, interval_cell, p_cell
from pommel.statistics import Interval

NAN = math.nan


@pytest.mark.parametrize(
    ("mean", "low", "high", "sign", "cell"),
    [
        (0.834, 0.5, 1.0, "", "0.83 [0.50, 1.00]"),
        (-0.25, -0.5, 0.0, "+", "-0.25 [-0.50, +0.00]"),
        # What is rounded to nothing has no direction.
        (-0.001, -0.002, 0.1, "+", "+0.00 [+0.00, +0.10]"),
        (0.5, NAN, NAN, "", "0.50"),
        (NAN, NAN, NAN, "", "-"),
        (math.inf, 1.0, math.inf, "+", "+inf [+1.00, +inf]"),
    ],
)
def test_intervals(mean: float, low: float, high: float, sign: str, cell: str) -> None:
    assert interval_cell(mean, Interval(low=low, high=high), sign=sign) == cell


def test_intervals_have_as_many_digits_as_their_mean() -> None:
    interval = Interval(low=-0.0004, high=1.5)
    assert interval_cell(0.25, interval, 3, sign="+") == "+0.250 [+0.000, +1.500]"
    assert ends_cell(interval, 1) == "[0.0, 1.5]"
    assert ends_cell(Interval(low=NAN, high=NAN)) == "-"


@pytest.mark.parametrize(
    ("p", "cell"),
    [(0.0004, "< .001"), (0.001, ".001"), (0.0468, ".047"), (1.0, "1.000"), (NAN, "")],
)
def test_p(p: float, cell: str) -> None:
    assert p_cell(p) == cell
