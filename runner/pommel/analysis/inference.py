"""Tests, correlations and fits that questions ask: from numbers to numbers; pure."""

import math
from collections.abc import Iterable
from itertools import chain, permutations, product
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from pommel.statistics import Estimate
from pommel.values import frozen

Values = NDArray[np.float64]
Centred = NDArray[np.float64] | NDArray[np.int64]


def _known_points(x: Iterable[float], y: Iterable[float]) -> tuple[Values, Values]:
    """Return x and y of the pairs that have both; NaN is none.

    Raises `ValueError` where they differ in length.
    """
    across, up = (np.fromiter(values, dtype=np.float64) for values in (x, y))
    if across.size != up.size:
        raise ValueError(f"{across.size} values of x and {up.size} of y are no pairs")
    known = ~(np.isnan(across) | np.isnan(up))
    return across[known], up[known]


def _centred(values: Values) -> Values:
    """Return the distances of finite values from their mean; exactly 0 where all are equal."""
    # The mean of equal values is rounded.
    is_level = not values.size or np.ptp(values) == 0
    return np.zeros(values.size) if is_level else values - values.mean()


# At most so many signs are drawn at once, which bounds the memory: 9 bytes each.
_N_SIGNS_AT_ONCE = 2**20


# Of so many differences that are not 0 all ways to turn their signs are tried: 2^12 = 4,096.
N_TURNED = 12
# What rounding may change in a mean, relative to the largest that there can be.
_ROUNDING = 1e-12
_FEWEST = 2


# How a p is found: from all orders or signs, by t, from signs that are drawn; "" where there is
# none.
PMethod = Literal["exact", "t", "drawn", ""]


@frozen
class SignFlip:
    """The two-sided p of "the two that were compared could change places".

    If the two are as good, the sign of each of their differences might as well be the other one
    (Fisher 1935, section 21). `method` is "exact" if all ways to turn the signs are tried, "drawn"
    for as many as were asked for; "" where there is no p (NaN).
    """

    p: float = math.nan
    method: PMethod = ""

    @classmethod
    def of(
        cls,
        groups: Iterable[Iterable[float]],
        *,
        n_resamples: int = Estimate.N_RESAMPLES,
        seed: int = 0,
    ) -> Self:
        """Return the share of ways to turn the signs whose mean is as far from 0 as the one found.

        `groups` (suites) hold differences, one an item (or a model); what is looked at is the mean
        over groups of their means. Of up to 12 differences that are not 0 all ways are tried, so
        that with few of them no p can be small (5: not below 1/16); of more, p is (1 + count) /
        (1 + n_resamples) with signs that are drawn. Whatever the order of differences and groups, p
        is the same. NaN is no difference. There is no p for fewer than two differences, and where
        one is infinite.
        """
        arrays = (np.fromiter(group, dtype=np.float64) for group in groups)
        known = [own for array in arrays if (own := array[~np.isnan(array)]).size]
        shares = [group / (group.size * len(known)) for group in known]
        differences = np.concatenate([np.empty(0), *shares])
        if differences.size < _FEWEST or not np.isfinite(differences).all():
            return cls()
        found = abs(math.fsum(differences))
        # Sorted by size, the signs of a seed fall on the same differences in any order of them.
        sizes = np.sort(np.abs(differences[differences != 0]))
        least = found - _ROUNDING * float(sizes.sum())
        if sizes.size <= N_TURNED:
            signs = np.array(list(product((-1.0, 1.0), repeat=sizes.size)))
            return cls(p=float(np.mean(np.abs(signs @ sizes) >= least)), method="exact")
        n_as_far = int((np.abs(_turned_means(sizes, n_resamples, seed)) >= least).sum())
        return cls(p=(1 + n_as_far) / (1 + n_resamples), method="drawn")


def _turned_means(sizes: Values, n_resamples: int, seed: int) -> Values:
    """Return the sums of `sizes`, (n,), with signs that are drawn, (n_resamples,)."""
    generator = np.random.default_rng(seed)
    distinct, counts = np.unique(sizes, return_counts=True)
    means = np.zeros(n_resamples)
    # Of many equal ones (right and wrong), how many are positive is all there is to draw.
    for size, count in zip(distinct[counts > 1], counts[counts > 1], strict=True):
        means += size * (2.0 * generator.binomial(count, 0.5, size=n_resamples) - count)
    single = distinct[counts == 1]
    n_rows = max(1, _N_SIGNS_AT_ONCE // max(1, single.size))
    for start in range(0, n_resamples if single.size else 0, n_rows):
        shape = (min(n_rows, n_resamples - start), single.size)
        is_positive = generator.integers(0, 2, size=shape, dtype=np.uint8)
        means[start : start + shape[0]] += 2 * (is_positive @ single) - single.sum()
    return means


def holm(p_values: Iterable[float]) -> list[float]:
    """Return p-values adjusted for their number by Holm's step-down method (1979), in their order.

    The i-th smallest of m (from 0) is multiplied by m - i, and is at least the adjusted one before
    it and at most 1. NaN is no test: it stays NaN and m does not count it.
    """
    raw = list(p_values)
    adjusted = [math.nan] * len(raw)
    known = sorted((p, index) for index, p in enumerate(raw) if not math.isnan(p))
    least = 0.0
    for rank, (p, index) in enumerate(known):
        least = adjusted[index] = max(least, min(1.0, p * (len(known) - rank)))
    return adjusted


# Up to so many pairs all orders are tried (9! = 362,880).
N_EXACT = 9


@frozen
class Correlation:
    """A correlation coefficient of n pairs and its two-sided p; NaN where not defined.

    `p_method` says how p is found: "exact", from all orders, or "t"; "" where there is no p.
    """

    rho: float
    p: float
    n: int
    p_method: PMethod = ""

    @classmethod
    def spearman(cls, x: Iterable[float], y: Iterable[float]) -> Self:
        """Return Spearman's rank correlation; equal values share the mean of their ranks.

        Pairs of which one is NaN do not count. For up to 9 pairs p is exact: the share of all
        orders of y whose coefficient is as far from 0. For more it is that of t with n - 2 degrees
        of freedom. The coefficient is NaN for fewer than two distinct x or y. Raises `ValueError`
        where x and y differ in length.
        """
        across, up = _known_points(x, y)
        ranks_x, ranks_y = _centred_ranks(across), _centred_ranks(up)
        n = across.size
        rho = _coefficient(ranks_x, ranks_y)
        if math.isnan(rho):
            return cls(rho=rho, p=math.nan, n=n)
        if n <= N_EXACT:
            return cls(rho=rho, p=_permutation_p(ranks_x, ranks_y), n=n, p_method="exact")
        return cls(rho=rho, p=_t_p(rho, n), n=n, p_method="t")

    @classmethod
    def pearson(cls, x: Iterable[float], y: Iterable[float]) -> Self:
        """Return Pearson's correlation, and its p by t with n - 2 degrees of freedom.

        Pairs of which one is NaN do not count. The coefficient is NaN for fewer than two distinct
        x or y and for infinite values, p for fewer than three pairs. Raises `ValueError` where x
        and y differ in length.
        """
        across, up = _known_points(x, y)
        n = across.size
        if not np.isfinite([across, up]).all():
            return cls(rho=math.nan, p=math.nan, n=n)
        rho = _coefficient(_centred(across), _centred(up))
        p = _t_p(rho, n)
        return cls(rho=rho, p=p, n=n, p_method="" if math.isnan(p) else "t")


def auc(better: Iterable[float], worse: Iterable[float]) -> float:
    """Return how often a score of `better` is above one of `worse`: P(b > w) + P(b = w) / 2.

    This is the area under the ROC curve and Mann and Whitney's U over n * m, exact; .5 is chance.
    Infinite scores are compared like others. NaN does not count; NaN where a side is empty.
    """
    above, below = (_known_scores(scores) for scores in (better, worse))
    if not above.size or not below.size:
        return math.nan
    ordered = np.sort(below)
    # A score as high as others of `worse` counts half of these: the mean of both ends.
    n_halves = sum(int(np.searchsorted(ordered, above, side).sum()) for side in ("left", "right"))
    return n_halves / (2 * above.size * below.size)


def _known_scores(scores: Iterable[float]) -> Values:
    values = np.fromiter(scores, dtype=np.float64)
    return values[~np.isnan(values)]


def _centred_ranks(values: Values) -> NDArray[np.int64]:
    """Return twice the mean ranks less their mean: whole numbers, whose sums are exact."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (2 * last - counts - values.size)[which].astype(np.int64)


def _coefficient(x: Centred, y: Centred) -> float:
    """Return the correlation of two centred arrays; NaN where one is all 0."""
    size = math.sqrt(float(x @ x) * float(y @ y))
    return max(-1.0, min(1.0, float(x @ y) / size)) if size > 0 else math.nan


def _permutation_p(x: NDArray[np.int64], y: NDArray[np.int64]) -> float:
    orders = chain.from_iterable(permutations(y.tolist()))
    products = np.fromiter(orders, dtype=np.int64).reshape(-1, y.size) @ x
    return float(np.mean(np.abs(products) >= abs(int(x @ y))))


def _t_p(rho: float, n: int) -> float:
    """Return the two tails of t = rho * sqrt((n - 2) / (1 - rho^2)), by the beta distribution.

    NaN for fewer than three pairs.
    """
    from scipy.special import betainc

    n_free = n - 2
    return float(betainc(n_free / 2, 0.5, 1 - rho**2)) if n_free > 0 else math.nan


@frozen
class Fit:
    """The line y = slope * x + intercept through n points; NaN where it is not defined.

    `r` is Pearson's correlation (NaN where all y are equal), `standard_error` that of the slope,
    and `p` the two-sided p of "the slope is 0" (t test with n - 2 degrees of freedom); both need
    three points.
    """

    slope: float
    intercept: float
    n: int
    r: float
    p: float
    standard_error: float

    @classmethod
    def of(cls, x: Iterable[float], y: Iterable[float]) -> Self:
        """Fit a line to points by ordinary least squares.

        Points of which x or y is NaN do not count. Everything but `n` is NaN for fewer than two
        distinct x, and for infinite values. Raises `ValueError` where x and y differ in length.
        """
        from scipy.special import betainc

        across, up = _known_points(x, y)
        n = int(across.size)
        if not np.isfinite([across, up]).all():
            return cls._undefined(n)
        dx, dy = _centred(across), _centred(up)
        sxx, sxy, syy = float(dx @ dx), float(dx @ dy), float(dy @ dy)
        if sxx == 0:
            return cls._undefined(n)
        found, n_free = sxy / sxx, n - 2
        residuals = dy - found * dx
        unexplained = float(residuals @ residuals)
        return cls(
            slope=found,
            intercept=float(up.mean() - found * across.mean()),
            n=n,
            r=max(-1.0, min(1.0, sxy / math.sqrt(sxx) / math.sqrt(syy))) if syy > 0 else math.nan,
            # Both tails of t, as a function of the share that the line leaves unexplained.
            p=float(betainc(n_free / 2, 0.5, min(1.0, unexplained / syy)))
            if n_free > 0 and syy > 0
            else math.nan,
            standard_error=math.sqrt(unexplained / n_free / sxx) if n_free > 0 else math.nan,
        )

    @classmethod
    def _undefined(cls, n: int) -> Self:
        return cls(
            slope=math.nan, intercept=math.nan, n=n, r=math.nan, p=math.nan, standard_error=math.nan
        )


def mcnemar(n_only_first: int, n_only_second: int) -> float:
    """Return the two-sided p of McNemar's exact test (1947).

    The counts are the items on which only the first, and only the second of two models is right;
    if the two were as good, each such item would be a toss of a coin. 1 where there is none.
    Raises `ValueError` for a negative count.
    """
    if min(n_only_first, n_only_second) < 0:
        raise ValueError(f"a count of items is 0 or more: {n_only_first}, {n_only_second}")
    from scipy.special import bdtr

    n_discordant = n_only_first + n_only_second
    return min(1.0, 2 * float(bdtr(min(n_only_first, n_only_second), n_discordant, 0.5)))
