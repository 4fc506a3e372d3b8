"""Counts over parts that differ in chance, against every outcome and against scipy."""

import itertools
import math
from typing import Literal

import pytest
from scipy.stats import poisson_binom

from pommel import statistics
from pommel.statistics import binomial_p, binomial_sum_ps


def test_one_chance_is_a_binomial_test() -> None:
    found = binomial_sum_ps(527, [(600, 0.5), (400, 0.5)])
    assert found.above == binomial_p(527, 1000)
    assert found.below == binomial_p(527, 1000, alternative="less")
    assert found.above < 0.05 < binomial_sum_ps(526, [(1000, 0.5)]).above


@pytest.mark.parametrize(
    "parts", [[(3, 0.5), (4, 0.25)], [(2, 0.0), (3, 0.5)], [(2, 1.0), (3, 0.1)]]
)
def test_every_count_against_all_outcomes(parts: list[tuple[int, float]]) -> None:
    chances = [chance for n_items, chance in parts for _ in range(n_items)]
    masses = [0.0] * (len(chances) + 1)
    for outcome in itertools.product((0, 1), repeat=len(chances)):
        masses[sum(outcome)] += math.prod(
            chance if each else 1 - chance for each, chance in zip(outcome, chances, strict=True)
        )
    for count in range(len(masses)):
        found = binomial_sum_ps(count, parts)
        assert found.above == pytest.approx(sum(masses[count:]), abs=1e-12)
        assert found.below == pytest.approx(sum(masses[: count + 1]), abs=1e-12)


def test_hundreds_of_items_against_scipy() -> None:
    theirs = poisson_binom([0.5] * 266 + [0.125] * 96 + [0.25] * 24)
    found = binomial_sum_ps(180, [(266, 0.5), (96, 0.125), (24, 0.25)])
    assert found.above == pytest.approx(theirs.sf(179), rel=1e-6)
    assert found.below == pytest.approx(theirs.cdf(180), rel=1e-6)


def test_as_many_items_are_tested_once_however_they_are_parted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tested: list[str] = []

    def counted(
        n_holding: int, n_items: int, *, chance: float, alternative: Literal["greater", "less"]
    ) -> float:
        tested.append(alternative)
        return binomial_p(n_holding, n_items, chance=chance, alternative=alternative)

    monkeypatch.setattr(statistics, "binomial_p", counted)
    # No other test has 41 items.
    found = [binomial_sum_ps(17, parts) for parts in ([(41, 0.5)], [(20, 0.5), (21, 0.5)])]
    assert found[0] == found[1]
    assert tested == ["greater", "less"]


def test_without_chance_there_is_no_test() -> None:
    found = binomial_sum_ps(3, [(4, 0.5), (4, math.nan)])
    assert math.isnan(found.above)
    assert math.isnan(found.below)


@pytest.mark.parametrize(
    ("n_holding", "parts", "message"),
    [
        (1, [], "a share of 0 items says nothing"),
        (9, [(4, 0.5), (4, 0.25)], "9 of 8 items is no share"),
        (1, [(4, 0.5), (4, 1.5)], "chance is a probability, and not 1.5"),
    ],
)
def test_what_is_no_count(n_holding: int, parts: list[tuple[int, float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        binomial_sum_ps(n_holding, parts)
