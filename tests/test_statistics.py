"""Intervals against published formulas and tables, means that skip what is missing."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.statistics import mean_score, share_interval, spread

Z = 1.959963984540054


def wilson(k: int, n: int) -> tuple[float, float]:
    """Wilson (1927), written out."""
    share = k / n
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return centre - half, centre + half


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_its_formula(counts: tuple[int, int]) -> None:
    found = share_interval(*counts)
    low, high = wilson(*counts)
    assert [found.low, found.high] == pytest.approx([low, high], abs=1e-9)
    assert 0 <= found.low <= counts[0] / counts[1] <= found.high <= 1


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(0, 10, 0.0, 0.3085), (10, 10, 0.6915, 1.0), (17, 24, 0.4891, 0.8738), (1, 2, 0.0126, 0.9874)],
)
def test_the_exact_interval(k: int, n: int, low: float, high: float) -> None:
    found = share_interval(k, n, method="exact")
    assert [found.low, found.high] == pytest.approx([low, high], abs=1e-4)


@pytest.mark.parametrize("counts", [(0, 0), (3, 2), (-1, 2), (0, -1)])
def test_shares_that_cannot_be(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"k|a share of"):
        share_interval(*counts)


def test_the_mean_over_suites_leaves_out_those_without_a_score() -> None:
    assert mean_score([0.5, math.nan, 1.0]) == 0.75
    assert mean_score(iter([0.1] * 10)) == 0.1
    assert math.isnan(mean_score([math.nan]))
    assert math.isnan(mean_score([]))


@given(st.lists(st.integers(0, 24).map(lambda n: n / 24), min_size=2, max_size=12))
def test_the_spread_is_that_of_the_standard_library(values: list[float]) -> None:
    found = spread([math.nan, *values])
    assert (found.n, found.low, found.high) == (len(values), min(values), max(values))
    assert found.mean == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert found.sd == pytest.approx(statistics.stdev(values), abs=1e-12)
    assert found.sd_population == pytest.approx(statistics.pstdev(values), abs=1e-12)


def test_equal_values_do_not_spread() -> None:
    found = spread([0.1] * 3)
    assert found.mean == pytest.approx(0.1)
    assert found.sd == found.sd_population == 0


def test_one_value_has_no_spread_and_none_has_no_mean() -> None:
    one = spread([0.25, math.nan])
    assert (one.n, one.mean, one.sd_population, one.low, one.high) == (1, 0.25, 0, 0.25, 0.25)
    assert math.isnan(one.sd)
    none = spread([math.nan])
    assert none.n == 0
    values = (none.mean, none.sd, none.sd_population, none.low, none.high)
    assert all(map(math.isnan, values))
