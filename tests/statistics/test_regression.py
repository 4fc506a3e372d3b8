"""Lines against numpy and scipy."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.stats import linregress

from pommel.analysis.inference import Fit

NUMBERS = st.floats(-1000, 1000).map(lambda value: round(value, 3))
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3, max_size=20).filter(
    lambda points: len({x for x, _ in points}) > 1 and len({y for _, y in points}) > 1
)


def is_undefined(fit: Fit) -> bool:
    numbers = (fit.slope, fit.intercept, fit.r, fit.p, fit.standard_error)
    return all(map(math.isnan, numbers))


@given(POINTS)
def test_it_is_numpys_and_scipys(points: list[tuple[float, float]]) -> None:
    x, y = zip(*points, strict=True)
    found, theirs = Fit.of(x, y), linregress(x, y)
    # Theirs come from 1 - r^2, of which little is left near 1.
    assume(abs(theirs.rvalue) < 0.9999)
    assert [found.slope, found.intercept] == pytest.approx(np.polyfit(x, y, 1), rel=1e-6, abs=1e-6)
    ours = [found.slope, found.intercept, found.r, found.standard_error]
    expected = [theirs.slope, theirs.intercept, theirs.rvalue, theirs.stderr]
    assert ours == pytest.approx(expected, rel=1e-5, abs=1e-5)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-5, abs=1e-7)


@given(POINTS, st.permutations(range(3)))
def test_what_misses_a_coordinate_is_no_point(
    points: list[tuple[float, float]], order: list[int]
) -> None:
    x, y = zip(*points, strict=True)
    missing = [(math.nan, 1.0), (2.0, math.nan), (math.nan, math.nan)]
    with_gaps = [missing[order[0]], *points, missing[order[1]], missing[order[2]]]
    assert Fit.of(*zip(*with_gaps, strict=True)) == Fit.of(x, y)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([1], [2]),
        ([0.1] * 3, [1, 2, 3]),
        ([1, math.nan], [1, 2]),
        ([1, 2, math.inf], [1, 2, 3]),
        ([1, 2, 3], [1, 2, -math.inf]),
    ],
)
def test_no_line_through_fewer_than_two_x(x: list[float], y: list[float]) -> None:
    assert is_undefined(Fit.of(x, y))


def test_two_points_make_a_line_without_a_test() -> None:
    found = Fit.of([1, 3], [1, 0])
    assert (found.slope, found.intercept, found.n) == (-0.5, 1.5, 2)
    assert found.r == pytest.approx(-1)
    assert math.isnan(found.p)
    assert math.isnan(found.standard_error)


def test_a_level_line_correlates_with_nothing() -> None:
    found = Fit.of([1, 2, 3], [0.1] * 3)
    assert (found.slope, found.standard_error) == (0, 0)
    assert found.intercept == pytest.approx(0.1)
    assert math.isnan(found.r)
    assert math.isnan(found.p)


def test_x_and_y_come_in_pairs() -> None:
    with pytest.raises(ValueError, match=r"^2 values of x and 1 of y are no pairs$"):
        Fit.of([1, 2], [1])
