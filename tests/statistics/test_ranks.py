"""Correlations and AUC against scipy and brute force."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import pearsonr, rankdata, spearmanr

from pommel.analysis.inference import Correlation, auc

INF, NAN = math.inf, math.nan

# Few distinct values make ties.
VALUES = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.5])
SCORES = st.lists(st.one_of(VALUES, st.sampled_from([INF, -INF, -0.0])), max_size=12)


def pairs(least: int, most: int) -> st.SearchStrategy[list[tuple[float, float]]]:
    """Draw pairs with ties, of which neither side is all equal."""
    drawn = st.lists(st.tuples(VALUES, VALUES), min_size=least, max_size=most)
    return drawn.filter(lambda found: all(len(set(side)) > 1 for side in zip(*found, strict=True)))


def is_undefined(found: Correlation) -> bool:
    return math.isnan(found.rho) and math.isnan(found.p)


# --- Spearman


@pytest.mark.parametrize(
    ("y", "rho", "p"),
    [
        ([1, 2], 1.0, 1.0),
        ([1, 2, 3], 1.0, 2 / 6),
        ([3, 2, 1], -1.0, 2 / 6),
        ([1, 2, 3, 4, 5], 1.0, 2 / 120),
        ([5, 4, 3, 1, 2], -0.9, 10 / 120),
        ([1, 1, 2], math.sqrt(3) / 2, 4 / 6),
    ],
)
def test_few_pairs_are_tested_by_all_orders(y: list[float], rho: float, p: float) -> None:
    found = Correlation.spearman(range(1, len(y) + 1), y)
    assert [found.rho, found.p] == pytest.approx([rho, p])


@settings(max_examples=40)
@given(pairs(2, 6))
def test_the_exact_p_counts_orders_of_mean_ranks(found: list[tuple[float, float]]) -> None:
    x, y = zip(*found, strict=True)
    ranks_x, ranks_y = ([Fraction(rank) for rank in rankdata(side)] for side in (x, y))
    centre = Fraction(len(x) + 1, 2)

    def distance(order: Sequence[Fraction]) -> Fraction:
        products = ((a - centre) * (b - centre) for a, b in zip(ranks_x, order, strict=True))
        return abs(sum(products, Fraction(0)))

    orders = list(permutations(ranks_y))
    as_far = sum(distance(order) >= distance(ranks_y) for order in orders)
    ours = Correlation.spearman(x, y)
    assert ours.p == pytest.approx(as_far / len(orders))
    assert ours.rho == pytest.approx(spearmanr(x, y).statistic, abs=1e-9)


@given(pairs(10, 25))
def test_spearman_is_scipys(found: list[tuple[float, float]]) -> None:
    x, y = zip(*found, strict=True)
    ours, theirs = Correlation.spearman(x, y), spearmanr(x, y)
    assert ours.rho == pytest.approx(theirs.statistic, abs=1e-9)
    assert ours.p == pytest.approx(theirs.pvalue, abs=1e-7)


@given(pairs(2, 7))
def test_only_the_order_counts(found: list[tuple[float, float]]) -> None:
    x, y = zip(*found, strict=True)
    expected = Correlation.spearman(x, y)
    assert Correlation.spearman([math.exp(value) for value in x], y) == expected
    assert Correlation.spearman(y, x) == expected
    turned = Correlation.spearman(x, [-value for value in y])
    assert turned == replace(expected, rho=-expected.rho)


def test_nine_pairs_are_exact_and_ten_are_not() -> None:
    nine = [2, 1, 3, 4, 5, 6, 7, 9, 8]
    # Besides the two identical orders, those with one or two exchanges of neighbours, both ways.
    exact = Correlation.spearman(range(9), nine)
    assert exact.p * math.factorial(9) == pytest.approx(2 * (1 + 8 + 21))
    by_t = Correlation.spearman(range(10), [*nine, 10])
    assert by_t.p == pytest.approx(spearmanr(range(10), [*nine, 10]).pvalue, rel=1e-6)
    assert (exact.p_method, by_t.p_method) == ("exact", "t")
    assert Correlation.pearson(range(9), nine).p_method == "t"
    assert Correlation.spearman([1, 1], [1, 2]).p_method == ""


# --- Pearson


@given(pairs(3, 25))
def test_pearson_is_scipys(found: list[tuple[float, float]]) -> None:
    x, y = zip(*found, strict=True)
    ours, theirs = Correlation.pearson(x, y), pearsonr(x, y)
    assert ours.rho == pytest.approx(theirs.statistic, abs=1e-9)
    assert ours.p == pytest.approx(theirs.pvalue, abs=1e-6)


def test_two_pairs_correlate_but_are_not_tested() -> None:
    found = Correlation.pearson([1, 2], [5, 3])
    assert found.rho == pytest.approx(-1)
    assert math.isnan(found.p)


@pytest.mark.parametrize("correlation", [Correlation.spearman, Correlation.pearson])
@pytest.mark.parametrize(
    ("x", "y"), [([], []), ([1], [1]), ([1, 2], [3, 3]), ([0.1] * 3, [1, 2, 3]), ([NAN, 1], [1, 2])]
)
def test_no_correlation(
    correlation: Callable[[list[float], list[float]], Correlation], x: list[float], y: list[float]
) -> None:
    assert is_undefined(correlation(x, y))


def test_missing_pairs_and_infinite_values() -> None:
    assert Correlation.spearman([1, NAN, 2, 3], [4, 1, NAN, 5]) == Correlation.spearman(
        [1, 3], [4, 5]
    )
    assert Correlation.spearman([1, 2, INF], [-INF, 0, 1]).rho == 1
    assert is_undefined(Correlation.pearson([1, 2, INF], [1, 2, 3]))
    assert Correlation.pearson([1, NAN, 2, 4], [4, 1, 3, 5]) == Correlation.pearson(
        [1, 2, 4], [4, 3, 5]
    )
    with pytest.raises(ValueError, match=r"^1 values of x and 2 of y are no pairs$"):
        Correlation.spearman([1], [1, 2])


# --- AUC


@pytest.mark.parametrize(
    ("better", "worse", "expected"),
    [
        ([2, 3], [0, 1], 1.0),
        ([0, 1], [2, 3], 0.0),
        ([1, 2], [0, 1], 0.875),
        ([1], [1, 1], 0.5),
        ([INF, 0], [-INF, INF], 0.625),
        ([2, NAN], [1, NAN, 3], 0.5),
    ],
)
def test_auc(better: list[float], worse: list[float], expected: float) -> None:
    assert auc(better, worse) == expected


def test_nothing_to_compare_is_no_chance_level() -> None:
    assert math.isnan(auc([], [1]))
    assert math.isnan(auc([1], []))
    assert math.isnan(auc([NAN], [1]))


@given(SCORES.filter(bool), SCORES.filter(bool))
def test_auc_is_the_share_of_all_comparisons(better: list[float], worse: list[float]) -> None:
    comparisons = [(b > w) + (b == w) / 2 for b, w in product(better, worse)]
    assert auc(better, worse) == sum(comparisons) / len(comparisons)
    assert auc(better, worse) + auc(worse, better) == pytest.approx(1)
