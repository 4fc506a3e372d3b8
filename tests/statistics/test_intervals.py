"""Intervals of shares against published numbers, scipy, and the tests that they invert."""

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binomtest

from pommel.statistics import Interval

COUNTS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
METHODS = st.sampled_from(["wilson", "exact"])
CONFIDENCES = st.sampled_from([0.5, 0.9, 0.95, 0.99])


@pytest.mark.parametrize(
    ("k", "low", "high"),
    [
        (351, 0.321, 0.381),
        (500, 0.469, 0.531),
        (527, 0.496, 0.558),
        (996, 0.990, 0.999),
        (1000, 0.996, 1.000),
    ],
)
def test_the_published_intervals_of_a_thousand(k: int, low: float, high: float) -> None:
    found = Interval.of_share(k, 1000, method="exact")
    assert (round(found.low, 3), round(found.high, 3)) == (low, high)


@given(COUNTS, CONFIDENCES, METHODS)
def test_both_are_scipys(counts: tuple[int, int], confidence: float, method: Any) -> None:
    found = Interval.of_share(*counts, method=method, confidence=confidence)
    theirs = binomtest(*counts).proportion_ci(confidence, method)
    assert [found.low, found.high] == pytest.approx([theirs.low, theirs.high], abs=1e-9)
    assert 0 <= found.low <= counts[0] / counts[1] <= found.high <= 1


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((0, 0), "a share of 0 items says nothing"),
        ((0, -1), "a share of -1 items says nothing"),
        ((3, 2), "3 of 2 items is no share"),
        ((-1, 2), "-1 of 2 items is no share"),
    ],
)
def test_shares_that_cannot_be(counts: tuple[int, int], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Interval.of_share(*counts)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, math.nan])
def test_a_confidence_is_no_percentage(confidence: float) -> None:
    message = re.escape(f"a confidence lies between 0 and 1, and is not {confidence}")
    with pytest.raises(ValueError, match=f"^{message}$"):
        Interval.of_share(1, 2, confidence=confidence)


def test_the_interval_of_a_mean_is_that_of_t() -> None:
    values = [0.3, 0.5, 0.4, 0.9, math.nan]
    from scipy.stats import sem, t

    low, high = t.interval(0.95, 3, loc=np.mean(values[:4]), scale=sem(values[:4]))
    found = Interval.of_mean(values)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert Interval.of_mean(values, confidence=0.5).low > found.low


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [1.0, 2.0, math.inf]])
def test_means_without_an_interval(values: list[float]) -> None:
    assert math.isnan(Interval.of_mean(values).low)


def shares(*counts: tuple[int, int]) -> list[list[float]]:
    return [[1.0] * held + [0.0] * (n - held) for held, n in counts]


@pytest.mark.parametrize("held", [0, 1, 17, 24])
def test_the_score_interval_of_one_share_is_wilsons(held: int) -> None:
    found, wilson = Interval.of_means(shares((held, 24))), Interval.of_share(held, 24)
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), abs=1e-9)


def test_the_score_interval_of_paired_shares_is_tangos() -> None:
    """The example of Fagerland, Lydersen and Laake (2014): 1 and 7 of 21 pairs differ."""
    found = Interval.of_means([[1.0] + [-1.0] * 7 + [0.0] * 13], bounds=(-1.0, 1.0))
    assert (found.low, found.high) == pytest.approx((-0.517, -0.026), abs=5e-4)


def test_the_score_interval_of_two_samples_is_mees() -> None:
    """Newcombe (1998), 56 of 70 and 48 of 80."""
    found = Interval.of_means(shares((56, 70), (48, 80)), weights=(1, -1))
    assert (found.low, found.high) == pytest.approx((0.0533, 0.3377), abs=5e-5)


def test_suites_that_are_alike_are_one() -> None:
    found, together = Interval.of_means(shares(*[(24, 24)] * 33)), Interval.of_share(792, 792)
    assert (found.low, found.high) == pytest.approx((together.low, together.high))


@pytest.mark.parametrize("seed", range(20))
def test_a_score_interval_holds_the_mean_and_has_a_width(seed: int) -> None:
    generator = np.random.default_rng(seed)
    groups = [
        generator.choice([0.0, 0.25, 0.5, 1.0], size=generator.integers(1, 40))
        for _ in range(generator.integers(1, 6))
    ]
    found, mean = Interval.of_means(groups), float(np.mean([each.mean() for each in groups]))
    assert 0 <= found.low <= mean <= found.high <= 1
    assert found.high - found.low > 0.01
    mirrored = Interval.of_means([1 - each for each in groups])
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - found.high, 1 - found.low))


GROUPS = st.lists(
    st.lists(st.sampled_from([0.0, 1.0]) | st.floats(0, 1) | st.just(math.nan), max_size=12),
    min_size=1,
    max_size=4,
)


@given(st.lists(GROUPS, max_size=6))
def test_intervals_of_many_rows_are_those_of_each(rows: list[list[list[float]]]) -> None:
    together = Interval.of_rows((groups, [(0.0, 1.0)] * len(groups)) for groups in rows)
    for found, groups in zip(together, rows, strict=True):
        alone = Interval.of_means(groups)
        expected = pytest.approx((alone.low, alone.high), rel=1e-12, nan_ok=True)
        assert (found.low, found.high) == expected


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), max_size=4))
def test_groups_that_are_one_array_are_as_if_each_were_its_own(rows: list[list[int]]) -> None:
    pool = [np.array(each) for each in ([0.0, 1.0, 1.0], [0.5, math.nan, 0.0], [1.0], [math.nan])]
    bounds = [[(0.0, 1.0 + place % 2) for place in range(len(own))] for own in rows]
    shared = ([pool[number] for number in own] for own in rows)
    copies = ([pool[number].copy() for number in own] for own in rows)
    found, expected = (
        Interval.of_rows(zip(each, bounds, strict=True)) for each in (shared, copies)
    )
    assert str(found) == str(expected)


def test_what_has_no_score_interval() -> None:
    assert math.isnan(Interval.of_means([[math.nan], []]).low)
    with pytest.raises(ValueError, match="outside its bounds"):
        Interval.of_means([[1.5]])
    # Nor may a weight of 0 hide it.
    with pytest.raises(ValueError, match="outside its bounds"):
        Interval.of_means([[1.5], [0.5]], weights=(0, 1))
