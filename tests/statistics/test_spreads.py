"""Means that skip what is missing, and spreads against the standard library."""

import math
import statistics

import pytest
from hypothesis import given, strategies as st

from pommel.statistics import Spread, mean_score


def test_the_mean_over_suites_leaves_out_those_without_a_score() -> None:
    assert mean_score([0.5, math.nan, 1.0]) == 0.75
    assert mean_score(iter([0.1] * 10)) == 0.1
    assert math.isnan(mean_score([math.nan]))
    assert math.isnan(mean_score([]))


@given(st.lists(st.integers(0, 24).map(lambda n: n / 24), min_size=2, max_size=12))
def test_the_spread_is_that_of_the_standard_library(values: list[float]) -> None:
    found = Spread.of([math.nan, *values])
    assert (found.n, found.low, found.high) == (len(values), min(values), max(values))
    assert found.mean == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert found.sd == pytest.approx(statistics.stdev(values), abs=1e-12)
    assert found.sd_population == pytest.approx(statistics.pstdev(values), abs=1e-12)
    assert found.standard_error == pytest.approx(found.sd / math.sqrt(len(values)), abs=1e-12)


def test_equal_values_do_not_spread() -> None:
    found = Spread.of([0.1] * 3)
    assert found.mean == pytest.approx(0.1)
    assert found.sd == found.sd_population == found.standard_error == 0


def test_one_value_has_no_spread_and_none_has_no_mean() -> None:
    one = Spread.of([0.25, math.nan])
    assert (one.n, one.mean, one.sd_population, one.low, one.high) == (1, 0.25, 0, 0.25, 0.25)
    assert math.isnan(one.sd)
    assert math.isnan(one.standard_error)
    none = Spread.of([math.nan])
    assert none.n == 0
    values = (none.mean, none.sd, none.sd_population, none.standard_error, none.low, none.high)
    assert all(map(math.isnan, values))


def test_what_is_infinite_in_both_directions_has_no_mean() -> None:
    both, above = Spread.of([math.inf, 1.0, -math.inf]), Spread.of([math.inf, 1.0])
    assert math.isnan(mean_score([math.inf, -math.inf]))
    assert math.isnan(both.mean)
    assert (both.n, both.low, both.high) == (3, -math.inf, math.inf)
    assert math.isnan(both.sd)
    assert above.mean == math.inf
    assert math.isnan(above.sd)
