"""Statistics of scores, from numbers to numbers; pure."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
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
        ((low, high),) = _Strata.of([(groups, bounds)], weights).ends(confidence)
        return cls(low=low, high=high)

    @classmethod
    def of_rows(
        cls,
        rows: Iterable[tuple[Iterable[Iterable[float]], Iterable[tuple[float, float]]]],
        *,
        confidence: float = CONFIDENCE,
    ) -> list[Self]:
        """Return what `of_means` returns for each (groups, bounds), but sooner."""
        return [cls(low=low, high=high) for low, high in _Strata.of(rows).ends(confidence)]

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


_OUTSIDE = "a value lies outside its bounds"


@frozen(eq=False)
class _Strata:
    """Groups of bounded values, and the rows in which their means are added.

    `values` are the distinct values of each group, one group after the other from `firsts` on, and
    `counts` how often it has them. `low` and `high` bound a group's values, and `rows` tells its
    row. Groups of a row that are alike are one: `places` are where those that were given are. A
    row's sum is divided by what `divisors` (rows,) have: 0 where it has no group.
    """

    values: Values
    counts: Values
    firsts: NDArray[np.int64]
    low: Values
    high: Values
    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    divisors: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        rows: Iterable[tuple[Iterable[Iterable[float]], Iterable[tuple[float, float] | float]]],
        weights: Iterable[float] | None = None,
    ) -> Self:
        """Return the groups of each (groups, bounds); weights are those of the only row."""
        # The arrays are held with what is counted in them, so that no two have one id.
        counted: dict[int, tuple[Values, Values, NDArray[np.int64], list[float]]] = {}
        distinct: dict[tuple[int, int, float, float], int] = {}
        places: list[int] = []
        n_groups = [0]
        for row, (groups, bounds) in enumerate(rows):
            arrays = [_array(each) for each in groups]
            limits = np.broadcast_to(np.array([*bounds], dtype=np.float64), (len(arrays), 2))
            if weights is not None:
                # A weight of 0 would hide what lies outside.
                for array, (low, high) in zip(arrays, limits.tolist(), strict=True):
                    if ((array < low) | (array > high)).any():
                        raise ValueError(_OUTSIDE)
                factors = np.array([*weights])
                arrays = [array * factor for array, factor in zip(arrays, factors, strict=True)]
                limits = np.sort(limits * factors[:, np.newaxis])
            for array, (low, high) in zip(arrays, limits.tolist(), strict=True):
                if id(array) not in counted:
                    values, counts = np.unique(array[~np.isnan(array)], return_counts=True)
                    ends = values[[0, -1]].tolist() if values.size else []
                    counted[id(array)] = array, values, counts, ends
                if ends := counted[id(array)][3]:
                    if ends[0] < low or ends[1] > high:
                        raise ValueError(_OUTSIDE)
                    key = row, id(array), low, high
                    places.append(distinct.setdefault(key, len(distinct)))
            n_groups.append(len(places))
        rows_of, ids, low, high = zip(*distinct, strict=True) if distinct else [()] * 4
        parts = [counted[each] for each in ids]
        divisors = np.diff(n_groups)
        return cls(
            values=np.concatenate([np.empty(0), *(each[1] for each in parts)]),
            counts=np.concatenate([np.empty(0), *(each[2] for each in parts)]),
            firsts=np.cumsum([0, *(len(each[1]) for each in parts)])[:-1],
            low=np.array(low, dtype=np.float64),
            high=np.array(high, dtype=np.float64),
            rows=np.array(rows_of, dtype=np.int64),
            places=np.array(places, dtype=np.int64),
            divisors=divisors if weights is None else np.sign(divisors),
        )

    def ends(self, confidence: float) -> list[list[float]]:
        """Return the least and the greatest mean of each row that the test does not refuse."""
        _check_confidence(confidence)
        squared_z = NormalDist().inv_cdf((1 - confidence) / 2) ** 2
        low, high = self._by_value(self.low), self._by_value(self.high)
        least = self._by_row(self.low) + self._least_above(self.values - low, squared_z)
        greatest = self._by_row(self.high) - self._least_above(high - self.values, squared_z)
        with np.errstate(invalid="ignore"):
            ends: list[list[float]] = (np.array([least, greatest]) / self.divisors).T.tolist()
        return ends

    def _least_above(self, distances: Values, squared_z: float) -> Values:
        """Return by how much the least sums are above those of the bound, (rows,).

        With the Lagrange multiplier m of the likeliest distributions whose sum is s, the statistic
        is m * (found - s): both factors rise with m, so that one m has `squared_z`. In each group a
        value at the distance d that was seen n times has the probability n / (m * d + c), which is
        largest for c = 0: what is lacking to 1 then is the probability of the bound itself.
        """
        n_items = self._by_group(self.counts)
        above = self._by_row(self._by_group(distances * self.counts) / n_items)
        is_above = above > _ROUNDED_SUM * self._by_row(self.high - self.low)
        above = np.where(is_above, above, 1.0)
        # Then no more than half of it is left.
        multipliers = 2 * (squared_z + self._by_row(n_items)) / above
        # Newton's method from above: the statistic is m * found - n + c, which is convex, as c is.
        for _ in range(_MOST_STEPS):
            tilted = self._by_value(multipliers[self.rows]) * distances
            rest = self._rest(tilted)
            shares = self.counts / (tilted + self._by_value(rest))
            left = self._by_row(self._by_group(shares * distances))
            slopes = shares**2 / self.counts
            falls = self._by_group(slopes * distances) / self._by_group(slopes)
            rises = above - self._by_row(np.where(rest > 0, falls, 0.0))
            steps = (multipliers * (above - left) - squared_z) / rises
            multipliers -= steps
            if (steps <= _NEAR * multipliers).all():
                break
        return np.where(is_above, above - squared_z / multipliers, 0.0)

    def _rest(self, tilted: Values) -> Values:
        """Return the c of each group where its values have these m * d."""
        rest = np.maximum(np.maximum.reduceat(self.counts - tilted, self.firsts), 0.0)
        # Newton's method from below, on a function that falls and is convex: never too far.
        for _ in range(_MOST_STEPS):
            shares = self.counts / (tilted + self._by_value(rest))
            above = self._by_group(shares) - 1
            steps = np.maximum(above, 0.0) / self._by_group(shares**2 / self.counts)
            rest += steps
            if (steps <= _NEAR * rest).all():
                break
        return rest

    def _by_value(self, of_groups: Values) -> Values:
        return np.repeat(of_groups, np.diff(self.firsts, append=len(self.values)))

    def _by_group(self, of_values: Values) -> Values:
        return np.add.reduceat(of_values, self.firsts)

    def _by_row(self, of_groups: Values) -> Values:
        rows, own = self.rows[self.places], of_groups[self.places]
        return np.bincount(rows, weights=own, minlength=len(self.divisors)).astype(np.float64)


# What rounding may change in a sum, relative to the largest that there can be.
_ROUNDED_SUM = 1e-13
# From so near, the next step of Newton's method has all digits.
_NEAR = 1e-9
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


# At most so many values are drawn at once, which bounds the memory: 8 bytes each, four times; and
# so many means, 8 bytes each, twice.
_N_DRAWN_AT_ONCE = 2**20
_N_MEANS_AT_ONCE = 2**23
# The means of so many rows are added while they are in the processor's cache. Rows go through a
# matrix product in fours or eights: the bits are those of all rows together.
_N_ROWS_AT_ONCE = 96


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
        (found,) = cls.of_rows([groups], n_resamples=n_resamples, seed=seed, confidence=confidence)
        return found

    @classmethod
    def of_rows(
        cls,
        rows: Iterable[Iterable[Iterable[float]]],
        *,
        n_resamples: int = N_RESAMPLES,
        seed: int = 0,
        confidence: float = CONFIDENCE,
    ) -> list[Self]:
        """Return what `of_groups` returns for the groups of each row.

        One seed draws the same items from groups of the same sizes; so for models on the same
        suites they are drawn once for all.
        """
        rank = _percentile_rank(n_resamples, confidence)
        sizes, means, alike = [], [], dict[tuple[_Drawn, ...], list[tuple[int, list[Values]]]]()
        for place, groups in enumerate(rows):
            known = _known_groups(groups)
            own_means = [_exact_mean(group.tolist()) for group in known]
            mean = _exact_mean(own_means)
            sizes.append(sum(group.size for group in known))
            means.append(mean)
            if math.isnan(mean) or sizes[-1] == len(known):
                continue
            # Drawn are distances from the mean, so that rounding does not put it outside its
            # interval.
            if math.isfinite(mean):
                known = [group - own for group, own in zip(known, own_means, strict=True)]
            drawn, values = zip(*map(_Drawn.of, known), strict=True)
            alike.setdefault(drawn, []).append((place, [*values]))
        ends = np.full((len(means), 2), math.nan)
        n_at_once = max(1, _N_MEANS_AT_ONCE // n_resamples)
        for drawn, every in alike.items():
            for start in range(0, len(every), n_at_once):
                places, values = zip(*every[start : start + n_at_once], strict=True)
                stacked = [np.array(own) for own in zip(*values, strict=True)]
                sums = _drawn_sums(drawn, stacked, n_resamples, seed)
                # Sooner done than to find two ranks alone.
                sums.sort(axis=1)
                ends[[*places]] = sums[:, [rank - 1, -rank]] / len(drawn)
        # An infinite mean has infinite values, whose distances from it are none.
        ends += np.where(np.isfinite(means), means, 0.0)[:, np.newaxis]
        return [
            cls(n=n, mean=mean, low=low, high=high)
            for n, mean, (low, high) in zip(sizes, means, ends.tolist(), strict=True)
        ]

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
    known = (array[~np.isnan(array)] for array in map(_array, groups))
    return [array for array in known if array.size]


def _array(values: Iterable[float]) -> Values:
    is_array = isinstance(values, np.ndarray)
    return np.asarray(values if is_array else [*values], dtype=np.float64)


def _exact_mean(values: Sequence[float]) -> float:
    """Return the mean; NaN of nothing, of NaN, and of what is infinite in both directions."""
    # A quotient is rounded, and equal values would seem to differ from it.
    if len({*values}) <= 1:
        return next(iter(values), math.nan)
    try:
        return math.fsum(values) / len(values)
    except ValueError:
        # "-inf + inf in fsum"
        return math.nan


@frozen
class _Drawn:
    """What is drawn of a group: items, as many as it has.

    Of two values (right and wrong), how often the first is drawn is all there is to draw; `share`
    is how many items have it, None of others.
    """

    size: int
    share: float | None

    @classmethod
    def of(cls, group: Values) -> "tuple[_Drawn, Values]":
        """Return what is drawn of a group, and of which values its means are made."""
        values = group.tolist()
        first, *others = dict.fromkeys(values)
        if len(others) > 1 or not all(map(math.isfinite, (first, *others))):
            return cls(size=len(values), share=None), group
        share = 1 - (len(values) - values.count(first)) / len(values)
        other = others[0] if others else first
        return cls(size=len(values), share=share), np.array([first - other, other])

    def parts(self, n_draws: int, generator: "np.random.Generator") -> Values:
        """Return what part each value has in the means drawn, (values, draws)."""
        if self.share is not None:
            n_first = generator.binomial(self.size, self.share, size=n_draws)
            return np.array([n_first / self.size, np.ones(n_draws)])
        drawn = generator.integers(self.size, size=(n_draws, self.size))
        drawn += self.size * np.arange(n_draws)[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
        return np.asarray(counts.T / self.size)


def _drawn_sums(
    drawn: Sequence[_Drawn], groups: Sequence[Values], n_resamples: int, seed: int
) -> Values:
    """Return the sum over groups, (rows, values) each, of the means drawn, (rows, resamples).

    The infinite values of a row have one sign.
    """
    generator = np.random.default_rng(seed)
    sums = np.zeros((len(groups[0]), n_resamples))
    product = np.empty((min(len(sums), _N_ROWS_AT_ONCE), n_resamples))
    for each, group in zip(drawn, groups, strict=True):
        is_infinite = np.isinf(group)
        finite = np.where(is_infinite, 0.0, group)
        n_at_once = max(1, _N_DRAWN_AT_ONCE // each.size)
        for start in range(0, n_resamples, n_at_once):
            own = sums[:, start : start + n_at_once]
            parts = each.parts(own.shape[1], generator)
            for row in range(0, len(own), _N_ROWS_AT_ONCE):
                rows = slice(row, row + _N_ROWS_AT_ONCE)
                # Into memory that is there: to be given more of it takes longer than the product.
                into = product[: len(own[rows]), : own.shape[1]]
                own[rows] += np.matmul(finite[rows], parts, out=into)
            if is_infinite.any():
                # Infinity times none would be NaN.
                sign = np.where(is_infinite, np.sign(group), 0.0) @ parts
                own[sign != 0] = np.copysign(math.inf, sign[sign != 0])
    return sums


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
    return _sum_ps(n_holding, tuple(by_chance.items()))


# Of models on the same suites as many items hold again and again.
@lru_cache(maxsize=4096)
def _sum_ps(n_holding: int, parts: tuple[tuple[float, int], ...]) -> OneSidedPs:
    """Return the p of `n_holding` items over parts of (chance, n_items), no chance twice."""
    by_chance = dict(parts)
    n_items = sum(by_chance.values())
    _check_counts(n_holding, n_items)
    if any(map(math.isnan, by_chance)):
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
