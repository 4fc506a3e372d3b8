"""Exact tests against chance: published limits, scipy, and what sums of probabilities say."""

import math
from typing import Any

import pytest
from hypothesis import given, strategies as st
from scipy.stats import binomtest

from pommel.statistics import CriticalCounts, binomial_p

COUNTS = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
CHANCES = st.sampled_from([0.5, 0.25, 1 / 6, 1 / 3, 0.75])


def test_a_thousand_pairs_differ_from_chance_from_527_and_below_474() -> None:
    assert CriticalCounts.of(1000) == CriticalCounts(above=527, below=473)
    assert binomial_p(527, 1000) == pytest.approx(0.0468, abs=1e-4)
    assert binomial_p(526, 1000) == pytest.approx(0.0534, abs=1e-4)
    assert binomial_p(473, 1000, alternative="less") == pytest.approx(0.0468, abs=1e-4)


@pytest.mark.parametrize(
    ("n_items", "chance", "above", "below"),
    [
        (1, 0.5, None, None),
        (4, 0.5, None, None),
        (5, 0.5, 5, 0),
        (24, 0.5, 17, 7),
        (24, 0.25, 11, 2),
        (8, 0.25, 5, None),
        (3, 0.0, 1, None),
        (3, 1.0, None, 2),
        (24, math.nan, None, None),
    ],
)
def test_critical_counts(n_items: int, chance: float, above: int | None, below: int | None) -> None:
    assert CriticalCounts.of(n_items, chance=chance) == CriticalCounts(above=above, below=below)


def test_without_chance_there_is_no_test() -> None:
    assert math.isnan(binomial_p(1, 1, chance=math.nan))


@given(COUNTS, CHANCES, st.sampled_from(["greater", "less"]))
def test_it_is_scipys(counts: tuple[int, int], chance: float, alternative: Any) -> None:
    found = binomial_p(*counts, chance=chance, alternative=alternative)
    assert found == pytest.approx(binomtest(*counts, chance, alternative).pvalue, rel=1e-9)


@given(st.integers(1, 200), CHANCES, st.sampled_from([0.05, 0.01, 0.3]))
def test_critical_counts_are_where_p_passes_alpha(
    n_items: int, chance: float, alpha: float
) -> None:
    found = CriticalCounts.of(n_items, chance=chance, alpha=alpha)
    counts = range(n_items + 1)
    above = [k for k in counts if binomtest(k, n_items, chance, "greater").pvalue < alpha]
    below = [k for k in counts if binomtest(k, n_items, chance, "less").pvalue < alpha]
    assert found == CriticalCounts(above=min(above, default=None), below=max(below, default=None))


def test_what_is_no_share_and_no_chance() -> None:
    with pytest.raises(ValueError, match=r"^3 of 2 items is no share$"):
        binomial_p(3, 2)
    with pytest.raises(ValueError, match=r"^a share of 0 items says nothing$"):
        CriticalCounts.of(0)
    with pytest.raises(ValueError, match=r"^chance is a probability, and not 50$"):
        binomial_p(1, 2, chance=50)
