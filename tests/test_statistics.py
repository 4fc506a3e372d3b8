"""Intervals against published formulas and tables, means that skip what is missing."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.statistics import mean_score, share_interval

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
