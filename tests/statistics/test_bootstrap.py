"""Bootstrap intervals: what they must hold, which laws they keep, and how often they are right."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom, bootstrap

from pommel.statistics import Estimate, Interval

INF, NAN = math.inf, math.nan
MARGINS = st.lists(st.floats(-50, 50), min_size=2, max_size=12)


def ends(found: Estimate) -> tuple[float, float]:
    return found.low, found.high


def test_the_interval_of_four_items() -> None:
    """Of 4^4 = 256 draws, 1 has mean 0 and 4 mean .25: 2.5% are passed at a mean of .5."""
    found = Estimate.of_values([0, 1, 2, 3], n_resamples=99_999)
    draws = np.stack(np.meshgrid(*[[0, 1, 2, 3]] * 4)).reshape(4, -1).mean(axis=0)
    assert (found.n, found.mean) == (4, 1.5)
    assert ends(found) == tuple(np.quantile(draws, [0.025, 0.975], method="inverted_cdf"))


@pytest.mark.parametrize(("n_holding", "n_items"), [(12, 24), (18, 24), (23, 24), (351, 1000)])
def test_a_score_is_drawn_from_its_binomial(n_holding: int, n_items: int) -> None:
    found = Estimate.of_values([1] * n_holding + [0] * (n_items - n_holding), n_resamples=99_999)
    expected = binom.ppf([0.025, 0.975], n_items, n_holding / n_items) / n_items
    assert found.mean == n_holding / n_items
    assert ends(found) == pytest.approx(tuple(expected), abs=1.01 / n_items)


def test_it_is_scipys_percentile_interval() -> None:
    margins = np.random.default_rng(1).gamma(2, 3, 40) - 4
    ours = Estimate.of_values(margins, n_resamples=19_999)
    theirs = bootstrap(
        (margins,), np.mean, n_resamples=19_999, method="percentile", random_state=2
    ).confidence_interval
    assert ends(ours) == pytest.approx((theirs.low, theirs.high), abs=0.05)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], (0, NAN, NAN, NAN)),
        ([NAN], (0, NAN, NAN, NAN)),
        ([2], (1, 2, NAN, NAN)),
        ([2, NAN], (1, 2, NAN, NAN)),
        ([0.1] * 3, (3, 0.1, 0.1, 0.1)),
        ([1, 2, INF], (3, INF, 1, INF)),
        ([1] * 99 + [-INF], (100, -INF, -INF, 1)),
        ([1, INF, -INF], (3, NAN, NAN, NAN)),
    ],
)
def test_means_that_are_special(
    values: list[float], expected: tuple[int, float, float, float]
) -> None:
    found = Estimate.of_values(values)
    assert (found.n, found.mean, found.low, found.high) == pytest.approx(expected, nan_ok=True)


@settings(max_examples=50)
@given(MARGINS, st.integers(0, 5))
def test_laws_of_the_interval(margins: list[float], seed: int) -> None:
    found = Estimate.of_values(margins, n_resamples=199, seed=seed)
    assert found == Estimate.of_values([NAN, *margins], n_resamples=199, seed=seed)
    in_order = [min(margins), found.low, found.mean, found.high, max(margins)]
    assert in_order == pytest.approx(sorted(in_order), abs=1e-12)
    half = Estimate.of_values(margins, n_resamples=199, seed=seed, confidence=0.5)
    assert found.low <= half.low <= half.high <= found.high
    turned = Estimate.of_values([-each for each in margins], n_resamples=199, seed=seed)
    assert ends(turned) == pytest.approx((-found.high, -found.low), abs=1e-9)
    moved = Estimate.of_values([2 * each + 10 for each in margins], n_resamples=199, seed=seed)
    assert ends(moved) == pytest.approx((2 * found.low + 10, 2 * found.high + 10), abs=1e-9)


@given(st.floats(-50, 50), st.integers(2, 30))
def test_equal_margins_leave_no_doubt(margin: float, n_items: int) -> None:
    found = Estimate.of_values([margin] * n_items, n_resamples=39)
    assert found == Estimate(n=n_items, mean=margin, low=margin, high=margin)
    assert Estimate.of_groups([[margin] * n_items, [margin]], n_resamples=39).low == margin


def test_many_items_are_drawn_in_blocks_that_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    margins = np.random.default_rng(3).normal(size=500)
    expected = Estimate.of_values(margins, n_resamples=999)
    monkeypatch.setattr("pommel.statistics._N_DRAWN_AT_ONCE", 1700)
    found = Estimate.of_values(margins, n_resamples=999)
    assert (found.n, found.mean) == (expected.n, expected.mean)
    assert ends(found) == pytest.approx(ends(expected), rel=1e-12)


def plainly(groups: list[list[float]], n_resamples: int, seed: int) -> tuple[float, float]:
    """Return the interval of groups of more than two finite values, drawn one by one."""
    generator, sums = np.random.default_rng(seed), np.zeros(n_resamples)
    means = [math.fsum(group) / len(group) for group in groups]
    for group, mean in zip(groups, means, strict=True):
        around = np.array(group) - mean
        drawn = generator.integers(len(group), size=(n_resamples, len(group)))
        sums += np.array([around[each].mean() for each in drawn])
    drawn_means = np.sort(sums / len(groups) + math.fsum(means) / len(means))
    rank = (n_resamples + 1) // 40
    return drawn_means[rank - 1], drawn_means[-rank]


@settings(max_examples=30)
@given(st.data(), st.lists(st.integers(4, 40), min_size=1, max_size=3))
def test_rows_that_are_drawn_together_are_drawn_as_each_alone(
    data: st.DataObject, sizes: list[int]
) -> None:
    """Margins of any size, some of them alike, of models on the same suites."""
    margin = st.integers(-30, 30).map(lambda tenth: tenth / 10) | st.floats(-1e6, 1e6)

    def group(size: int) -> st.SearchStrategy[list[float]]:
        several = st.lists(margin, min_size=size, max_size=size)
        return several.filter(lambda own: len({each - np.mean(own) for each in own}) > 3)

    of_sizes = st.tuples(*map(group, sizes)).map(list)
    rows = data.draw(st.lists(of_sizes, min_size=2, max_size=5))
    seed = data.draw(st.integers(0, 3))
    found = Estimate.of_rows(rows, n_resamples=199, seed=seed)
    for each, row in zip(found, rows, strict=True):
        rounded = 1e-12 * max(abs(margin) for group in row for margin in group)
        assert ends(each) == pytest.approx(plainly(row, 199, seed), rel=1e-12, abs=rounded)


@given(
    st.lists(st.lists(st.sampled_from([-1, 0.5, 1, 2, 1e-30, 1e35, INF, -INF, NAN]), max_size=5))
)
def test_what_is_special_in_one_row_changes_no_other(groups: list[list[float]]) -> None:
    rows = [[group, [1.0, 2.0, 4.0]] for group in groups]
    together = Estimate.of_rows(rows, n_resamples=39)
    for found, row in zip(together, rows, strict=True):
        alone = Estimate.of_groups(row, n_resamples=39)
        assert repr((found.n, found.mean)) == repr((alone.n, alone.mean))
        rounded = 1e-12 * max(abs(each) for each in [*row[0], 1.0] if math.isfinite(each))
        assert ends(found) == pytest.approx(ends(alone), rel=1e-12, abs=rounded, nan_ok=True)


def test_what_is_drawn_for_models_on_the_same_suites_is_drawn_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n_made, made = 0, np.random.default_rng

    def counted(seed: int) -> np.random.Generator:
        nonlocal n_made
        n_made += 1
        return made(seed)

    margins = made(6).normal(size=(50, 3, 24))
    monkeypatch.setattr("numpy.random.default_rng", counted)
    Estimate.of_rows(margins, n_resamples=99)
    assert n_made == 1


def test_another_seed_draws_others() -> None:
    margins = np.random.default_rng(4).normal(size=50)
    first, second = (Estimate.of_values(margins, seed=seed) for seed in (0, 1))
    assert ends(first) != ends(second)
    assert ends(first) == pytest.approx(ends(second), abs=0.03)


# --- groups


def test_a_circuit_is_the_mean_of_its_suites() -> None:
    found = Estimate.of_groups([[1, 1, 0, 1], [0, 0], [], [NAN]])
    assert (found.n, found.mean) == (6, 0.375)
    assert ends(found) == (0.125, 0.5)


def test_one_group_is_its_items() -> None:
    margins = [1.0, 5.0, -2.0]
    assert Estimate.of_groups([margins]) == Estimate.of_values(margins)


def test_groups_of_one_item_do_not_vary() -> None:
    assert ends(Estimate.of_groups([[1], [0]])) == pytest.approx((NAN, NAN), nan_ok=True)
    assert ends(Estimate.of_groups([[1], [0, 1]])) == (0.5, 1.0)


def test_suites_of_the_same_items_spread_less_than_one() -> None:
    """The mean of k suites of n items varies like that of n * k items, here n = 24 and k = 9."""
    suite = [1.0] * 16 + [0.0] * 8
    found = Estimate.of_groups([suite] * 9)
    half = 1.96 * math.sqrt(2 / 9 / (24 * 9))
    assert ends(found) == pytest.approx((2 / 3 - half, 2 / 3 + half), abs=0.01)


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([], (0, NAN, NAN, NAN)),
        ([[1, 2], [INF, -INF]], (4, NAN, NAN, NAN)),
        ([[INF, INF], [-INF, -INF]], (4, NAN, NAN, NAN)),
        ([[1, 2], [INF, INF]], (4, INF, INF, INF)),
    ],
)
def test_groups_that_are_special(
    groups: list[list[float]], expected: tuple[int, float, float, float]
) -> None:
    found = Estimate.of_groups(groups)
    assert (found.n, found.mean, found.low, found.high) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("n_resamples", "confidence", "message"),
    [
        (38, 0.95, "38 resamples are too few for a confidence of 0.95"),
        (0, 0.5, "0 resamples are too few for a confidence of 0.5"),
        (99, 1.0, "a confidence lies between 0 and 1, and is not 1.0"),
    ],
)
def test_what_has_no_percentile(n_resamples: int, confidence: float, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Estimate.of_values([1, 2], n_resamples=n_resamples, confidence=confidence)


def test_39_resamples_are_just_enough() -> None:
    assert not math.isnan(Estimate.of_values([1, 2], n_resamples=39).low)


def test_shares_have_the_score_interval() -> None:
    groups = [[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, NAN], []]
    found, interval = Estimate.of_shares(groups), Interval.of_means(groups[:2])
    assert (found.n, found.mean) == (6, 0.625)
    assert ends(found) == (interval.low, interval.high)
    assert ends(Estimate.of_shares([[1.0] * 24])) == pytest.approx((0.862, 1.0), abs=0.001)
