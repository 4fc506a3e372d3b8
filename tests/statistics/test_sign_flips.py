"""The test of paired differences by turning their signs."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import permutation_test

from pommel.analysis.inference import SignFlip, mcnemar

NAN, INF = math.nan, math.inf
DIFFERENCES = st.lists(st.floats(-50, 50), min_size=2, max_size=16)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([], NAN),
        ([3], NAN),
        ([3, NAN], NAN),
        ([1, INF], NAN),
        ([0, 0, 0], 1),
        ([-1, 1], 1),
        ([1, 1], 2 / 4),
        ([0.1] * 5, 2 / 32),
        # All signs equal, or only the smallest one turned: 4 of 16 ways are as far.
        ([3, -1, 2, 2], 4 / 16),
    ],
)
def test_the_share_of_ways_to_turn_signs(differences: list[float], p: float) -> None:
    assert SignFlip.of([differences]).p == pytest.approx(p, nan_ok=True)


# Hundredths: of differences that are next to nothing beside others, scipy's rounding decides.
@given(st.lists(st.integers(-5000, 5000).map(lambda n: n / 100), min_size=2, max_size=9))
def test_all_ways_are_those_of_scipy(differences: list[float]) -> None:
    theirs = permutation_test(
        (differences, np.zeros(len(differences))),
        lambda a, b, axis: np.abs(np.sum(a - b, axis=axis)),
        permutation_type="samples",
        alternative="greater",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert SignFlip.of([differences]).p == pytest.approx(theirs.pvalue)


def test_groups_count_alike_whatever_their_size() -> None:
    groups = [[1.0, -0.5], [2.0], [NAN]]
    means = [(a * 1.0 + b * 0.5) / 2 + c * 2.0 for a, b, c in product((-1, 1), repeat=3)]
    expected = np.mean([abs(mean) >= 0.25 + 2 for mean in means])
    assert SignFlip.of(groups).p == expected == 4 / 8


@pytest.mark.parametrize(("n_only_a", "n_only_b"), [(15, 5), (30, 12), (40, 40), (200, 150)])
def test_of_items_that_hold_or_not_it_is_mcnemars(n_only_a: int, n_only_b: int) -> None:
    differences = [1.0] * n_only_a + [-1.0] * n_only_b + [0.0] * 30
    found = SignFlip.of([differences], n_resamples=99_999)
    assert found.method == "drawn"
    assert found.p == pytest.approx(mcnemar(n_only_a, n_only_b), abs=0.005)


def test_drawn_ways_are_like_all_ways() -> None:
    differences = np.random.default_rng(1).normal(0.4, 1, 12)
    exact = SignFlip.of([differences])
    # A thirteenth that is almost 0 changes nothing but that signs are drawn.
    drawn = SignFlip.of([[*(differences * 13 / 12), 1e-13]], n_resamples=99_999)
    assert drawn.p == pytest.approx(exact.p, abs=0.005)
    assert (exact.method, drawn.method) == ("exact", "drawn")
    assert SignFlip.of([[1.0]]).method == ""


@settings(max_examples=50)
@given(DIFFERENCES, st.randoms(use_true_random=False))
def test_neither_order_nor_direction_counts(differences: list[float], random: object) -> None:
    shuffled = [*differences]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    found = SignFlip.of([differences, differences[:2]], n_resamples=199)
    assert SignFlip.of([differences[:2], shuffled], n_resamples=199) == found
    mirrored = [[-each for each in shuffled], [-each for each in differences[:2]]]
    assert SignFlip.of(mirrored, n_resamples=199) == found
    assert 1 / 2 ** (len(differences) + 2) <= found.p <= 1


@pytest.mark.parametrize("n", [5, 8, 60])
def test_equals_differ_in_at_most_one_of_twenty(n: int) -> None:
    """The p of a bootstrap over five models is below .05 in 17 of 100 such samples."""
    samples = np.random.default_rng(6).normal(0.0, 1.0, size=(500, n))
    share = np.mean([SignFlip.of([each], n_resamples=399).p < 0.05 for each in samples])
    assert share <= 0.08
    assert (share == 0) == (n == 5)
