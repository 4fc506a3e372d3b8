"""Statistics of scores, from numbers to numbers; pure."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from pommel.values import frozen

CONFIDENCE = 0.95
ALPHA = 0.05
CHANCE = 0.5

Values = NDArray[np.float64]


@frozen
class Spread:
    """Mean and standard deviation of n values; those that are missing are NaN.

    `sd` divides by n-1 (of a sample: NaN for fewer than two values), `sd_population` by n.
    """

    n: int
    mean: float
    sd: float
    sd_population: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Self:
        """Return mean, standard deviations and range of values; NaN is none and does not count.

        Infinite values have an infinite mean, or none if they are so in both directions, and no
        standard deviation.
        """
        known = [value for value in values if not math.isnan(value)]
        n, mean = len(known), mean_score(known)
        low, high = min(known, default=math.nan), max(known, default=math.nan)
        # The mean is rounded, and differences from it could spread a little where nothing does.
        squares = math.fsum((value - mean) ** 2 for value in known) if low < high else 0.0
        return cls(
            n=n,
            mean=mean,
            sd=math.sqrt(squares / (n - 1)) if n > 1 else math.nan,
            sd_population=math.sqrt(squares / n) if n else math.nan,
            low=low,
            high=high,
        )

    @property
    def standard_error(self) -> float:
        """The standard error of the mean, sd / sqrt(n)."""
        return self.sd / math.sqrt(self.n) if self.n else math.nan

    @staticmethod
    def errors_within_items(values: Values) -> Values:
        """Return the standard errors within items of conditions' means, (n_conditions,).

        `values` (n_items x n_conditions) are what the same items have in each condition. Every
        item's values are moved so that its mean is that of all (Cousineau 2005, Tutorials in
        Quantitative Methods for Psychology 1:42-45), and the standard error of what is left is
        multiplied by sqrt(C / (C - 1)) for C conditions, without which it is too small (Morey 2008,
        same journal 4:61-64). Of two conditions it is the standard error of their paired
        difference, divided by sqrt(2).

        An item that lacks a value, or has an infinite one, does not count, nor does a condition in
        which no item has one; that one is NaN, and all are with fewer than two items. A condition
        alone has its plain standard error.
        """
        known = np.isfinite(values)
        there = known.any(axis=0)
        own = values[:, there][known[:, there].all(axis=1)]
        n_items, n_conditions = own.shape
        errors = np.full(values.shape[1], math.nan)
        if n_items > 1 and n_conditions:
            factor = 1.0
            if n_conditions > 1:
                own = own - own.mean(axis=1, keepdims=True)
                factor = n_conditions / (n_conditions - 1)
            errors[there] = np.sqrt(own.var(axis=0, ddof=1) * factor / n_items)
        return errors


def mean_score(scores: Iterable[float]) -> float:
    """Return the unweighted mean over suites; those without a score (NaN) do not count.

    NaN where there is none, and for scores (margins) that are infinite in both directions.
    """
    known = [score for score in scores if not math.isnan(score)]
    if not known or {-math.inf, math.inf} <= set(known):
        return math.nan
    return math.fsum(known) / len(known)


# Two values have a t interval of one degree of freedom, 13 times as wide as their standard error.
_FEWEST_VALUES = 3


@frozen
class Interval:
    """A confidence interval; that of a share has both ends between 0 and 1."""

    CONFIDENCE: ClassVar = CONFIDENCE

    low: float
    high: float

    @classmethod
    def of_share(
        cls,
        n_holding: int,
        n_items: int,
        *,
        method: Literal["wilson", "exact"] = "wilson",
        confidence: float = CONFIDENCE,
    ) -> Self:
        """Return the interval of a binomial share.

        "wilson" is Wilson's score interval (1927), "exact" that of Clopper and Pearson (1934).
        Raises `ValueError` unless 0 <= n_holding <= n_items and n_items > 0, and
        0 < confidence < 1.
        """
        _check_counts(n_holding, n_items)
        _check_confidence(confidence)
        n_failing, tail = n_items - n_holding, (1 - confidence) / 2
        if method == "wilson":
            z = -NormalDist().inv_cdf(tail)
            centre = n_holding + z**2 / 2
            half = z * math.sqrt(n_holding * n_failing / n_items + z**2 / 4)
            low, high = (centre - half) / (n_items + z**2), (centre + half) / (n_items + z**2)
        else:
            from scipy.special import betaincinv

            # The shares that neither one-sided test refuses.
            low = float(betaincinv(n_holding, n_failing + 1, tail))
            high = float(betaincinv(n_holding + 1, n_failing, 1 - tail))
        # The ends are exactly 0 and 1 where none or all hold.
        return cls(low=low if n_holding else 0.0, high=high if n_failing else 1.0)

    @classmethod
    def of_means(
        cls,
        groups: Iterable[Iterable[float]],
        *,
        weights: Iterable[float] | None = None,
        bounds: Iterable[tuple[float, float]] | tuple[float, float] = (0.0, 1.0),
        confidence: float = CONFIDENCE,
    ) -> Self:
        """Return the stratified score interval of a weighted sum of means over groups (suites).

        Groups hold values, one an item, that lie within `bounds`: one pair for all, or one a group.
        Weights are 1 / groups if nothing else is said, and may be negative; NaN is no value, and a
        group without values does not count (which needs weights to be left out). NaN without
        any value. Raises `ValueError` unless 0 < confidence < 1, and for values out of bounds.

        What was found is compared with the means that the groups would most likely have if the sum
        were another one: the interval has the sums that the Lagrange multiplier test (Aitchison and
        Silvey 1958), which is Rao's score test (1948), does not refuse. A group may have had any of
        the values in it, and its bounds; so the interval of values that are all alike keeps its
        width. Of shares (0 and 1) in one group it is Wilson's (1927), of differences of shares
        (-1, 0, 1) Tango's (1998), of the difference of two groups' shares Mee's (1984).
        """
        _check_confidence(confidence)
        strata = _Strata.of(groups, weights, bounds)
        if strata is None:
            return cls(low=math.nan, high=math.nan)
        squared_z = NormalDist().inv_cdf((1 - confidence) / 2) ** 2
        return cls(low=strata.least(squared_z), high=-strata.mirrored().least(squared_z))

    @classmethod
    def of_mean(cls, values: Iterable[float], *, confidence: float = CONFIDENCE) -> Self:
        """Return the t interval of the mean of a sample: n - 1 degrees of freedom.

        NaN is no value. NaN for fewer than three values, for infinite ones, and for values that are
        all alike, whose interval would have no width. Raises `ValueError` unless
        0 < confidence < 1.
        """
        _check_confidence(confidence)
        found = Spread.of(values)
        if found.n < _FEWEST_VALUES or not 0 < found.standard_error < math.inf:
            return cls(low=math.nan, high=math.nan)
        return cls.around(found.mean, found.standard_error, found.n - 1, confidence=confidence)

    @classmethod
    def around(
        cls,
        estimate: float,
        standard_error: float,
        n_free: float = math.inf,
        *,
        confidence: float = CONFIDENCE,
    ) -> Self:
        """Return the t interval of an estimate with its degrees of freedom; normal for infinity."""
        from scipy.special import stdtrit

        upper = (1 + confidence) / 2
        is_normal = math.isinf(n_free)
        quantile = NormalDist().inv_cdf(upper) if is_normal else float(stdtrit(n_free, upper))
        half = quantile * standard_error
        return cls(low=estimate - half, high=estimate + half)

    @classmethod
    def of_draws(cls, draws: Values, *, confidence: float = CONFIDENCE) -> Self:
        """Return the percentile interval of what was drawn.

        Of B draws it goes from the k-th smallest to the k-th largest, k = (B + 1) * .025 for a
        confidence of .95. Raises `ValueError` for too few.
        """
        rank = _percentile_rank(draws.size, confidence)
        parted = np.partition(draws, (rank - 1, draws.size - rank))
        return cls(low=float(parted[rank - 1]), high=float(parted[-rank]))


@frozen(eq=False)
class _Strata:
    """What groups of bounded values contribute to a sum of their means.

    `values` and `counts` have the shape (groups, distinct values) and are filled up with counts of
    0; the values, and their lower bounds `low` and upper bounds `high`, both of the shape
    (groups,), are multiplied by the groups' weights.
    """

    values: Values
    counts: Values
    low: Values
    high: Values

    @classmethod
    def of(
        cls,
        groups: Iterable[Iterable[float]],
        weights: Iterable[float] | None,
        bounds: Iterable[tuple[float, float]] | tuple[float, float],
    ) -> "_Strata | None":
        arrays = [np.fromiter(group, dtype=np.float64) for group in groups]
        shares = [1.0] * len(arrays) if weights is None else [*weights]
        ends = np.broadcast_to(np.array([*bounds], dtype=np.float64), (len(arrays), 2))
        known = [
            (array[~np.isnan(array)], weight, own)
            for array, weight, own in zip(arrays, shares, ends, strict=True)
            if not np.isnan(array).all()
        ]
        if not known:
            return None
        if any((array < own[0]).any() or (array > own[1]).any() for array, _, own in known):
            raise ValueError("a value lies outside its bounds")
        part = 1 / len(known) if weights is None else 1.0
        weighted = [(array * weight * part, own * weight * part) for array, weight, own in known]
        distinct = [np.unique(array, return_counts=True) for array, _ in weighted]
        shape = len(known), max(len(each) for each, _ in distinct)
        values, counts = np.zeros(shape), np.zeros(shape)
        for row, (own, n) in enumerate(distinct):
            values[row] = own[0]
            values[row, : len(own)] = own
            counts[row, : len(n)] = n
        limits = np.array([sorted(own) for _, own in weighted])
        return cls(values=values, counts=counts, low=limits[:, 0], high=limits[:, 1])

    def mirrored(self) -> "_Strata":
        """Return the same with other signs: its least sum is the greatest of this one."""
        return _Strata(values=-self.values, counts=self.counts, low=-self.high, high=-self.low)

    def least(self, squared_z: float) -> float:
        """Return the least sum that the test does not refuse.

        With the Lagrange multiplier m of the likeliest distributions whose sum is s, the statistic
        is m * (found - s): both factors rise with m, so that one m has `squared_z`.
        """
        from scipy.optimize import brentq

        means = (self.values * self.counts).sum(axis=1) / self.counts.sum(axis=1)
        above = math.fsum((means - self.low).tolist())
        if above <= _ROUNDED_SUM * math.fsum((self.high - self.low).tolist()):
            return math.fsum(self.low.tolist())

        def too_large(multiplier: float) -> float:
            return multiplier * (above - self._above_low(multiplier)) - squared_z

        # Then no more than half of it is left.
        highest = 2 * (squared_z + self.counts.sum()) / above
        found = brentq(too_large, 0.0, highest, xtol=1e-12 * highest, rtol=1e-12)
        return math.fsum(self.low.tolist()) + self._above_low(found)

    def _above_low(self, multiplier: float) -> float:
        """Return by how much the likeliest sum with this multiplier is above the least possible.

        In each group a value v that was seen n times has the probability n / (m * (v - low) + c),
        which is largest for c = 0: what is lacking to 1 then is the probability of `low` itself.
        """
        distances = self.values - self.low[:, np.newaxis]
        tilted = multiplier * distances
        seen = self.counts > 0
        rest = np.where(seen, self.counts - tilted, 0.0).max(axis=1, initial=0.0)
        # Newton's method from below, on a function that falls and is convex: never too far.
        for _ in range(_MOST_STEPS):
            with np.errstate(divide="ignore", invalid="ignore"):
                shares = np.where(seen, self.counts / (tilted + rest[:, np.newaxis]), 0.0)
                slopes = np.where(seen, shares**2 / self.counts, 0.0).sum(axis=1)
                steps = np.where(shares.sum(axis=1) > 1, (shares.sum(axis=1) - 1) / slopes, 0.0)
            rest += steps
            if (steps <= _ROUNDED_SUM * rest).all():
                break
        return math.fsum((shares * distances).sum(axis=1).tolist())


# What rounding may change in a sum, relative to the largest that there can be.
_ROUNDED_SUM = 1e-13
# Newton's method doubles its digits in each; 10 are usual.
_MOST_STEPS = 100


def _check_counts(n_holding: int, n_items: int) -> None:
    """Raise `ValueError` unless `n_holding` of `n_items` is a share."""
    if n_items <= 0:
        raise ValueError(f"a share of {n_items} items says nothing")
    if not 0 <= n_holding <= n_items:
        raise ValueError(f"{n_holding} of {n_items} items is no share")


def _check_confidence(confidence: float) -> None:
    """Raise `ValueError` unless `confidence` lies between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, and is not {confidence}")


@frozen
class CriticalCounts:
    """The counts from which a share differs from chance; None where no count does.

    `above` is the smallest count significantly above chance, `below` the largest significantly
    below it.
    """

    above: int | None
    below: int | None

    @classmethod
    def of(cls, n_items: int, *, chance: float = CHANCE, alpha: float = ALPHA) -> Self:
        """Return from which count on a share differs from chance, one-sided p < `alpha`.

        Both are None where `chance` is NaN. Raises `ValueError` unless n_items > 0 and
        0 <= chance <= 1.
        """

        def is_above(count: int) -> bool:
            return binomial_p(count, n_items, chance=chance, alternative="greater") < alpha

        def is_not_below(count: int) -> bool:
            return not binomial_p(count, n_items, chance=chance, alternative="less") < alpha

        counts = range(max(n_items, 0) + 1)
        above = bisect_left(counts, x=True, key=is_above)
        below = bisect_right(counts, x=False, key=is_not_below) - 1
        return cls(above=above if above <= n_items else None, below=below if below >= 0 else None)


def binomial_p(
    n_holding: int,
    n_items: int,
    *,
    chance: float = CHANCE,
    alternative: Literal["greater", "less"] = "greater",
) -> float:
    """Return the exact one-sided p of `n_holding` items, each of which holds with `chance`.

    That is P(X >= n_holding) for "greater" and P(X <= n_holding) for "less", X binomial. NaN
    where `chance` is NaN: nobody knows what would be chance. Raises `ValueError` unless
    0 <= n_holding <= n_items, n_items > 0 and 0 <= chance <= 1.
    """
    from scipy.special import betainc

    _check_counts(n_holding, n_items)
    if math.isnan(chance):
        return math.nan
    if not 0 <= chance <= 1:
        raise ValueError(f"chance is a probability, and not {chance}")
    # "less" counts the items that fail, of which as many or more have to fail.
    n = n_holding if alternative == "greater" else n_items - n_holding
    share = chance if alternative == "greater" else 1 - chance
    return float(betainc(n, n_items - n + 1, share)) if n > 0 else 1.0


# At most so many values are drawn at once, which bounds the memory: 8 bytes each, twice.
_N_DRAWN_AT_ONCE = 2**20


@frozen
class Estimate:
    """The mean of n values (items) and its interval, NaN where it is not defined.

    That of shares is the stratified score interval. That of other values is that of the percentile
    bootstrap (Efron and Tibshirani 1993, chapter 13): items are drawn again with replacement, and
    it reaches from the 2.5th to the 97.5th percentile of the means of such draws. With B draws
    these are the k-th smallest and k-th largest mean, k = (B + 1) * .025: no interpolation, so that
    infinite margins do no harm. The same seed gives the same numbers.
    """

    N_RESAMPLES: ClassVar = 9999

    n: int
    mean: float
    low: float
    high: float

    @classmethod
    def of_values(
        cls,
        values: Iterable[float],
        *,
        n_resamples: int = N_RESAMPLES,
        seed: int = 0,
        confidence: float = CONFIDENCE,
    ) -> Self:
        """Return the mean of `values` (one an item) with its bootstrap interval.

        NaN is no value and does not count. An infinite value makes the mean infinite, and an end of
        the interval where enough draws have it; values infinite in both directions have no mean and
        no interval. Fewer than two values have no interval. Raises `ValueError` for a confidence
        outside (0, 1), or too few resamples for it.
        """
        return cls.of_groups([values], n_resamples=n_resamples, seed=seed, confidence=confidence)

    @classmethod
    def of_groups(
        cls,
        groups: Iterable[Iterable[float]],
        *,
        n_resamples: int = N_RESAMPLES,
        seed: int = 0,
        confidence: float = CONFIDENCE,
    ) -> Self:
        """Return the unweighted mean over groups (suites) of the means over their values (items).

        This is a circuit's score, or an SG score. Items are drawn again within each group, as many
        as it has; the groups are what they are, so the interval says nothing about other suites.
        NaN is no value, and a group without values does not count. `n` counts the values. A group
        of one value never varies, and where no group has two there is no interval. The rest is as
        for `of_values`.
        """
        _percentile_rank(n_resamples, confidence)
        known = _known_groups(groups)
        mean = _exact_mean([_exact_mean(group.tolist()) for group in known])
        means = _resampled_means(known, mean, n_resamples, seed)
        interval = Interval(low=math.nan, high=math.nan)
        if means.size:
            interval = Interval.of_draws(means, confidence=confidence)
        return cls(n=sum(map(len, known)), mean=mean, low=interval.low, high=interval.high)

    @classmethod
    def of_shares(
        cls,
        groups: Iterable[Iterable[float]],
        *,
        bounds: Iterable[tuple[float, float]] | tuple[float, float] = (0.0, 1.0),
    ) -> Self:
        """Return the mean over groups of the means over their values, which lie within `bounds`.

        The interval is that of `Interval.of_means`, which keeps its width where all values are
        alike; nothing is drawn. NaN is no value, and a group without values does not count.
        """
        known = [[value for value in group if not math.isnan(value)] for group in groups]
        interval = Interval.of_means(known, bounds=bounds)
        return cls(
            n=sum(map(len, known)),
            mean=mean_score(map(mean_score, known)),
            low=interval.low,
            high=interval.high,
        )


def _percentile_rank(n_draws: int, confidence: float) -> int:
    """Return the rank of an interval's ends, counted from either end of the draws."""
    _check_confidence(confidence)
    # 10000 * (1 - .95) / 2 is a little less than 250.
    rank = math.floor((n_draws + 1) * (1 - confidence) / 2 + 1e-6)
    if rank < 1:
        raise ValueError(f"{n_draws} resamples are too few for a confidence of {confidence}")
    return rank


def _known_groups(groups: Iterable[Iterable[float]]) -> list[Values]:
    """Return the groups without NaN, and without those that have nothing else."""
    arrays = (np.fromiter(group, dtype=np.float64) for group in groups)
    known = (array[~np.isnan(array)] for array in arrays)
    return [array for array in known if array.size]


def _exact_mean(values: Sequence[float]) -> float:
    """Return the mean; NaN of nothing, of NaN, and of what is infinite in both directions."""
    # A quotient is rounded, and equal values would seem to differ from it.
    if len({*values}) == 1:
        return values[0]
    return math.nan if any(map(math.isnan, values)) else mean_score(values)


def _resampled_means(groups: Sequence[Values], mean: float, n_resamples: int, seed: int) -> Values:
    """Return the mean over groups of the means of what is drawn; none where nothing can vary."""
    if math.isnan(mean) or all(group.size == 1 for group in groups):
        return np.empty(0)
    # Drawn are distances from the mean, so that rounding does not put it outside its interval.
    is_finite = math.isfinite(mean)
    means = np.zeros(n_resamples)
    generator = np.random.default_rng(seed)
    with np.errstate(invalid="ignore"):
        for group in groups:
            around = group - _exact_mean(group.tolist()) if is_finite else group
            means += _drawn_means(around, n_resamples, generator)
        return means / len(groups) + (mean if is_finite else 0.0)


def _drawn_means(group: Values, n_resamples: int, generator: np.random.Generator) -> Values:
    first, others = group[0], group[group != group[0]]
    other = others[0] if others.size else first
    if np.isfinite([first, other]).all() and (others == other).all():
        # Of two values (right and wrong), how often the first is drawn is all there is to draw.
        n_first = generator.binomial(group.size, 1 - others.size / group.size, size=n_resamples)
        return np.asarray(other + (first - other) * (n_first / group.size))
    n_rows = max(1, _N_DRAWN_AT_ONCE // group.size)
    blocks = []
    for start in range(0, n_resamples, n_rows):
        shape = (min(n_rows, n_resamples - start), group.size)
        blocks.append(group[generator.integers(group.size, size=shape)].mean(axis=1))
    return np.concatenate(blocks)


@frozen
class OneSidedPs:
    """P(X >= count) and P(X <= count) by chance; NaN where chance is not known."""

    above: float
    below: float


def binomial_sum_ps(n_holding: int, parts: Iterable[tuple[int, float]]) -> OneSidedPs:
    """Return the exact one-sided p of `n_holding` items over parts of (n_items, chance).

    X is the sum of one independent binomial count a part. With one chance for all parts this is
    `binomial_p`; otherwise the distributions are convolved. Both are NaN where one chance is.
    Raises `ValueError` as `binomial_p` does.
    """
    by_chance: Counter[float] = Counter()
    for n_items, chance in parts:
        _check_counts(0, n_items)
        by_chance[chance] += n_items
    n_items = by_chance.total()
    _check_counts(n_holding, n_items)
    if any(np.isnan(chance) for chance in by_chance):
        return OneSidedPs(above=np.nan, below=np.nan)
    if len(by_chance) == 1:
        (chance,) = by_chance
        return OneSidedPs(
            above=binomial_p(n_holding, n_items, chance=chance, alternative="greater"),
            below=binomial_p(n_holding, n_items, chance=chance, alternative="less"),
        )
    masses = np.ones(1)
    for chance, n in by_chance.items():
        masses = np.convolve(masses, _masses(n, chance))
    return OneSidedPs(
        above=min(1.0, float(masses[n_holding:].sum())),
        below=min(1.0, float(masses[: n_holding + 1].sum())),
    )


def _masses(n_items: int, chance: float) -> NDArray[np.float64]:
    """Return P(X = k) for k from 0 to n_items."""
    from scipy.special import gammaln, xlog1py, xlogy

    if not 0 <= chance <= 1:
        raise ValueError(f"chance is a probability, and not {chance}")
    k = np.arange(n_items + 1)
    logs = gammaln(n_items + 1) - gammaln(k + 1) - gammaln(n_items - k + 1)
    logs += xlogy(k, chance) + xlog1py(n_items - k, -chance)
    return np.asarray(np.exp(logs))
