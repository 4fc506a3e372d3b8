"""Scores, their intervals and ranks, from numbers to numbers; pure.

A score is a weighted mean over suites of means over items: linear in the items' values. So what is
drawn once (items for intervals, signs for tests) serves all submissions, and pairs are differences
of two columns of one matrix.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pommel.statistics import ALPHA, CONFIDENCE, N_TURNED, Interval

Values = NDArray[np.float64]
Counts = NDArray[np.int64]

N_BOOTSTRAP = 9_999
N_SIGNS = 19_999

# At most so many signs are drawn at once, which bounds the memory: 9 bytes each.
_N_DRAWN_AT_ONCE = 2**21
_ROUNDING = 1e-9
# What rounding may change in a sum, relative to the largest that there can be.
_RELATIVE_ROUNDING = 1e-12
_DECIMALS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """How items come to a score: each suite's number of items, and its part of the score.

    `shares` add up to 1.
    """

    n_items: tuple[int, ...]
    shares: tuple[float, ...]

    @property
    def item_shares(self) -> Values:
        """What part of a score each item is, shape (items of all suites,)."""
        each = [share / n for share, n in zip(self.shares, self.n_items, strict=True)]
        return np.repeat(np.array(each), self.n_items)


def suite_means(values: Values, n_items: Sequence[int]) -> list[float]:
    """Return the mean over each suite's items; `values` has shape (items of all suites,)."""
    ends = np.cumsum(n_items)
    parts = np.split(values, ends[:-1])
    return [math.fsum(part.tolist()) / part.size for part in parts]


def weighted_mean(means: Sequence[float], shares: Sequence[float]) -> float:
    """Return the weighted mean; `shares` need not add up to 1. Equal scores come out equal."""
    # By the largest: shares may be so small that their products with means are 0.
    largest = max(shares)
    parts = [share / largest for share in shares]
    total = math.fsum(part * mean for part, mean in zip(parts, means, strict=True))
    return round(total / math.fsum(parts), _DECIMALS)


def drawn_means(
    values: Values, n_items: Sequence[int], *, seed: int, n_resamples: int = N_BOOTSTRAP
) -> Values:
    """Return the mean of each suite where items are drawn again, shape (draws, suites).

    Items are drawn with replacement within their suite, as many as it has (Efron and Tibshirani
    1993, chapter 13). The draws of a suite depend on its number and on the seed only.
    """
    columns = []
    start = 0
    for number, n in enumerate(n_items):
        generator = np.random.default_rng([seed, number])
        distinct, counts = np.unique(values[start : start + n], return_counts=True)
        # How often each value is drawn is all that there is to draw.
        drawn = generator.multinomial(n, counts / n, size=n_resamples)
        columns.append(drawn @ distinct / n)
        start += n
    return np.stack(columns, axis=1)


def interval_of(draws: Values) -> Interval:
    """Return the percentile interval: the k-th smallest and largest, k = (draws + 1) * .025."""
    rank = math.floor((draws.size + 1) * (1 - CONFIDENCE) / 2 + _ROUNDING)
    parted = np.partition(draws, (rank - 1, draws.size - rank))
    low, high = float(parted[rank - 1]), float(parted[-rank])
    return Interval(low=round(low, _DECIMALS), high=round(high, _DECIMALS))


def n_signs_for(n_submissions: int) -> int:
    """Return how often signs are drawn, so that Holm's method can still find a difference."""
    n_signs = N_SIGNS
    # The least p that there is, times the number of comparisons of a submission.
    while 2 * (n_submissions - 1) > ALPHA * (n_signs + 1):
        n_signs = 2 * n_signs + 1
    return n_signs


def pair_p(values: Values, weighing: Weighing, known: Values, *, seed: int, n_signs: int) -> Values:
    """Return the two-sided p of each pair of submissions, NaN for a submission and itself.

    `values` has shape (submissions, items), the result (submissions, submissions). `known` has the
    p of the first submissions among themselves, which are not computed again; of none it has shape
    (0, 0). If two submissions are as good, the sign of each item's difference might as well be the
    other one; p is the share of ways to turn the signs that put the two scores as far apart as they
    are (`statistics.sign_flip_p`): of all ways where at most 12 items differ, otherwise of
    `n_signs` that are drawn and the one found. The draws are the same for all pairs; the p of a
    pair does not depend on which others there are.
    """
    parts = values * weighing.item_shares
    n_known, n_all = len(known), len(values)
    p = np.full((n_all, n_all), math.nan)
    p[:n_known, :n_known] = known
    counts = _drawn_counts(parts, n_known, seed=seed, n_signs=n_signs)
    for row in range(n_known, n_all):
        own = (1 + counts[row, :row]) / (1 + n_signs)
        is_exact = np.count_nonzero(parts[:row] != parts[row], axis=1) <= N_TURNED
        own[is_exact] = exact_p(parts[:row][is_exact] - parts[row])
        p[row, :row] = p[:row, row] = own
    return p


def exact_p(differences: Values) -> Values:
    """Return p by all ways to turn the signs of differences, of which at most 12 a pair are not 0.

    `differences` has shape (pairs, items), in parts of a score; the result (pairs,).
    """
    n_differing = np.count_nonzero(differences, axis=1)
    rows, columns = np.nonzero(differences)
    # The differences of a pair, and then as many 0 as it has fewer than another.
    places = np.arange(rows.size) - np.repeat(np.cumsum(n_differing) - n_differing, n_differing)
    sizes = np.zeros((len(differences), max(1, n_differing.max(initial=0))))
    sizes[rows, places] = np.abs(differences[rows, columns])
    least = np.abs(differences.sum(axis=1)) - _RELATIVE_ROUNDING * sizes.sum(axis=1)
    # Turning all of them leaves two scores as far apart: half of the ways will do.
    turns = product((-1.0, 1.0), repeat=sizes.shape[1] - 1)
    signs = np.array([(1.0, *each) for each in turns])
    is_far = np.abs(sizes @ signs.T) >= least[:, None]
    p: Values = np.count_nonzero(is_far, axis=1) / len(signs)
    return p


def _drawn_counts(parts: Values, n_known: int, *, seed: int, n_signs: int) -> Counts:
    """Return how many draws of signs put two scores as far apart as they are.

    `parts` has shape (submissions, items), the result (submissions, submissions): 0 but for a
    submission that is not known and one before it.
    """
    scores = parts.sum(axis=1)
    generator = np.random.default_rng(seed)
    n_all, n_items = parts.shape
    counts = np.zeros((n_all, n_all), dtype=np.int64)
    n_rows = max(1, _N_DRAWN_AT_ONCE // max(1, n_items))
    for start in range(0, n_signs if n_known < n_all else 0, n_rows):
        shape = (min(n_rows, n_signs - start), n_items)
        signs = 2.0 * generator.integers(0, 2, size=shape, dtype=np.uint8) - 1.0
        sums = parts @ signs.T
        for row in range(n_known, n_all):
            least = np.abs(scores[:row] - scores[row]) - _ROUNDING
            is_far = np.abs(sums[:row] - sums[row]) >= least[:, None]
            counts[row, :row] += np.count_nonzero(is_far, axis=1)
    return counts


def holm_by_row(p: Values) -> Values:
    """Return p adjusted by Holm's method (1979), each row by itself, shape (n, n).

    A row has the comparisons of one submission with all others; its NaN stays.
    """
    n = len(p)
    if n == 0:
        return p
    order = np.argsort(p, axis=1)  # NaN comes last
    factors = np.maximum(1, np.arange(n - 1, -1, -1))
    ordered = np.take_along_axis(p, order, axis=1) * factors
    rising = np.minimum(1.0, np.maximum.accumulate(ordered, axis=1))
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, rising, axis=1)
    return adjusted


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """A rank and its range: `low` to `high` are those that the data leave possible."""

    rank: int
    low: int
    high: int


def ranks(scores: Sequence[float], adjusted: Values) -> list[Rank]:
    """Return the rank of each score: 1 for the highest; equal scores share one (1, 2, 2, 4).

    A submission's range leaves out the ranks of those that are better or worse than it by its own
    comparisons, `adjusted` (`holm_by_row`) below 5%. Then the range has the rank of the true score
    with 95% confidence (Mogstad et al. 2024, confidence sets for the rank of one).
    """
    values = np.array(scores, dtype=np.float64)
    found = []
    for index, score in enumerate(scores):
        differs = adjusted[index] < ALPHA
        n_better = int((differs & (values > score)).sum())
        n_worse = int((differs & (values < score)).sum())
        rank = 1 + int((values > score).sum())
        found.append(Rank(rank=rank, low=1 + n_better, high=len(scores) - n_worse))
    return found
