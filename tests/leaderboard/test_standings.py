"""Scores, intervals and ranks from numbers."""

import math
from collections.abc import Sequence
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from tests.store.run_samples import ITEMS, agreement

from pommel.analysis.inference import SignFlip
from pommel.leaderboard.board import Board, BoardPlan
from pommel.leaderboard.entry import Entry
from pommel.leaderboard.standings import (
    NO_PAIRS,
    Comparisons,
    Pairs,
    exact_p,
    n_signs_for,
    pair_p,
    ranks,
    weighted_mean,
)


def item_shares(n_items: Sequence[int], shares: Sequence[float]) -> NDArray[np.float64]:
    """Return what part of a score each item is."""
    return np.repeat(np.array(shares) / n_items, n_items)


SHARES = item_shares((4, 6), (0.25, 0.75))
NOTHING = np.zeros((0, 0))


def holding(*rows: str) -> NDArray[np.float64]:
    """Return one row a submission, with a mark (1 or 0) an item."""
    return np.array([[float(mark) for mark in row] for row in rows])


def one_suite_board(n_items: int) -> Board:
    """Return a board of one suite."""
    return BoardPlan(name="One").board([agreement(items=[ITEMS[0]] * n_items)])


def one_entry(board: Board, name: str, marks: str) -> Entry:
    """Return an entry with a mark (1 or 0) an item."""
    (sha256,) = (each.sha256 for each in board.suites)
    return Entry(
        **dict.fromkeys(("id", "content_sha256", "name", "by"), name),
        **dict.fromkeys(("url", "note", "created", "pommel"), ""),
        model={"reference": "toy://", "name": name, "fingerprint": name},
        image_digest=None,
        policy={"fingerprint": ""},
        n_tokens=1,
        n_predictions={sha256: 1},
        n_holding={sha256: [int(mark) for mark in marks]},
        n_swallowed={sha256: 0},
        named_sums={sha256: ""},
    )


def compared(
    values: NDArray[np.float64], shares: NDArray[np.float64] = SHARES, n_signs: int = 9_999
) -> NDArray[np.float64]:
    """Compare all pairs."""
    return pair_p(values * shares, NOTHING, seed=1, n_signs=n_signs)


def all_ways(differences: NDArray[np.float64]) -> float:
    """Return the share of ways to turn the signs that lead as far from 0, one after the other."""
    own = [float(each) for each in differences if each]
    found = abs(math.fsum(own))
    sums = [
        abs(math.fsum(sign * each for sign, each in zip(signs, own, strict=True)))
        for signs in product((-1, 1), repeat=len(own))
    ]
    return sum(each >= found - 1e-12 for each in sums) / len(sums)


def test_a_score_is_the_weighted_mean_of_the_means_of_suites() -> None:
    (values,) = holding("1100111110")
    means = [float(values[:4].mean()), float(values[4:].mean())]
    score = 0.25 * 0.5 + 0.75 * 5 / 6
    assert weighted_mean(means, (0.25, 0.75)) == pytest.approx(score)
    assert values @ SHARES == pytest.approx(score)
    assert weighted_mean([0.5, 1.0], [1, 3]) == 0.875


@settings(max_examples=40)
@given(st.lists(st.sampled_from([0.0, 1 / 3, 0.5, 1.0]), min_size=30, max_size=30))
def test_the_p_of_a_pair_is_that_of_all_ways_to_turn_signs(marks: list[float]) -> None:
    values = np.array(marks).reshape(3, 10)
    p = compared(values)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        expected = all_ways((values[one] - values[other]) * SHARES)
        assert p[one, other] == p[other, one] == expected
    assert np.isnan(np.diagonal(p)).all()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 999), st.integers(13, 15))
def test_signs_are_drawn_for_pairs_that_differ_in_many_items(seed: int, n_differing: int) -> None:
    generator = np.random.default_rng(seed)
    values = np.zeros((2, 40))
    values[0, :n_differing] = generator.choice([-0.5, 1.0], n_differing)
    shares = item_shares((7, 33), (0.25, 0.75))
    p = compared(values, shares)[0, 1]
    # Four standard errors of a share of 9,999 draws.
    assert p == pytest.approx(all_ways(values[0] * shares), abs=0.02 + 1e-4)
    assert p * 10_000 == pytest.approx(round(p * 10_000))


def test_eight_items_that_all_say_the_same() -> None:
    """Drawn signs would sometimes find p smaller than 2 of 256 ways, and a difference with it."""
    values = np.zeros((8, 60))
    values[0, :8] = 1
    shares = item_shares((60,), (1.0,))
    p = compared(values, shares)
    assert set(p[0, 1:].tolist()) == {2 / 256}
    assert set(Pairs(p).adjusted()[0, 1:].tolist()) == {7 * 2 / 256}


def test_suites_of_little_weight_are_compared_all_the_same() -> None:
    values = np.zeros((2, 4 + 6))
    values[0, :4] = 1
    shares = item_shares((4, 6), (1e-12, 1 - 1e-12))
    assert compared(values, shares)[0, 1] == 2 / 2**4


def test_nobody_to_be_compared_with() -> None:
    assert exact_p(np.zeros((0, 5))).tolist() == []
    assert exact_p(np.zeros((2, 5))).tolist() == [1, 1]


def test_with_equal_weights_it_is_the_test_of_compare() -> None:
    generator = np.random.default_rng(8)
    values = generator.integers(0, 2, (2, 70)).astype(float)
    values[0, :25] = 1
    differences = values[0] - values[1]
    theirs = SignFlip.of([differences[:30], differences[30:]]).p
    shares = item_shares((30, 40), (0.5, 0.5))
    ours = compared(values, shares, 19_999)[0, 1]
    assert ours == pytest.approx(theirs, abs=0.015)
    few = values.copy()
    few[1, 10:] = few[0, 10:]
    differences = few[0] - few[1]
    theirs = SignFlip.of([differences[:30], differences[30:]]).p
    assert 0 < np.count_nonzero(differences) <= 10
    assert compared(few, shares)[0, 1] == theirs


def test_the_p_of_a_pair_does_not_depend_on_who_came_when() -> None:
    generator = np.random.default_rng(2)
    values = generator.integers(0, 2, (5, 40)).astype(float)
    values[4] = values[3]
    values[4, :9] = 1
    shares = item_shares((10, 30), (0.25, 0.75))
    at_once = compared(values, shares)
    known = NOTHING
    for n in range(1, 6):
        known = pair_p(values[:n] * shares, known, seed=1, n_signs=9_999)
    assert np.array_equal(known, at_once, equal_nan=True)
    order = [3, 0, 4, 1, 2]
    expected = at_once[np.ix_(order, order)]
    assert np.array_equal(compared(values[order], shares), expected, equal_nan=True)


def test_ranks_that_are_possible() -> None:
    nan = math.nan
    adjusted = np.array(
        [
            [nan, 0.20, 0.01, 0.01],
            [0.20, nan, 0.50, 0.04],
            [0.01, 0.50, nan, 0.60],
            [0.01, 0.04, 0.60, nan],
        ]
    )
    assert ranks([0.9, 0.8, 0.6, 0.5], adjusted) == [
        (1, 1, 2),
        (2, 1, 3),
        (3, 2, 4),
        (4, 3, 4),
    ]


def test_equal_scores_share_a_rank() -> None:
    undecided = np.ones((4, 4))
    found = ranks([0.5, 0.9, 0.5, 0.1], undecided)
    assert [rank for rank, _, _ in found] == [2, 1, 2, 4]
    assert {(low, high) for _, low, high in found} == {(1, 4)}


def test_one_submission_has_the_first_rank() -> None:
    p = compared(holding("1100111110"))
    assert ranks([0.75], Pairs(p).adjusted()) == [(1, 1, 1)]


@pytest.mark.parametrize(("n", "n_signs"), [(1, 19_999), (500, 19_999), (1_000, 39_999)])
def test_signs_are_drawn_often_enough_to_find_a_difference(n: int, n_signs: int) -> None:
    assert n_signs_for(n) == n_signs
    assert (n - 1) / (n_signs + 1) < 0.05


def test_differences_lie_where_the_test_of_signs_says() -> None:
    board = one_suite_board(4)
    entries = [one_entry(board, name, marks) for name, marks in (("a", "1110"), ("b", "0010"))]
    found = Comparisons.of(board, entries, NO_PAIRS.updated(board, entries))
    # Two of four items differ: 1/2, and 1.96 times the root of 2/16, within -1 and 1.
    half = NormalDist().inv_cdf(0.975) * math.sqrt(2 / 16)
    assert found.difference.tolist() == [[0.0, 0.5], [-0.5, 0.0]]
    assert found.low == pytest.approx(np.array([[0, 0.5 - half], [-1.0, 0]]))
    assert found.high == pytest.approx(np.array([[0, 1.0], [half - 0.5, 0]]))
    # Two signs that are alike come out as often as two that are not.
    assert (found.p[0, 1], found.verdict(0, 1)) == (0.5, "")


def test_a_difference_without_doubt_is_a_verdict() -> None:
    board = one_suite_board(8)
    entries = [one_entry(board, name, mark * 8) for name, mark in (("a", "0"), ("b", "1"))]
    found = Comparisons.of(board, entries, NO_PAIRS.updated(board, entries))
    assert (found.verdict(0, 1), found.verdict(1, 0)) == ("worse", "better")
    assert found.verdict(0, 0) == ""


def test_there_is_nothing_to_compare() -> None:
    assert Comparisons.of(one_suite_board(1), [], NO_PAIRS).difference.shape == (0, 0)
