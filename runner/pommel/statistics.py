"""Statistics of scores, from numbers to numbers; pure."""

import contextlib
import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
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
        strata = _Strata.of(groups, weights, bounds)
        return cls._of_strata([strata], confidence)[0]

    @classmethod
    def of_rows(
        cls,
        rows: Iterable[tuple[Iterable[Iterable[float]], Iterable[tuple[float, float]]]],
        *,
        confidence: float = CONFIDENCE,
    ) -> list[Self]:
        """Return what `of_means` returns for each (groups, bounds), to the last bit, but sooner."""
        return cls._of_strata([_Strata.of(own, None, ends) for own, ends in rows], confidence)

    @classmethod
    def _of_strata(cls, strata: "Sequence[_Strata]", confidence: float) -> list[Self]:
        _check_confidence(confidence)
        squared_z = NormalDist().inv_cdf((1 - confidence) / 2) ** 2
        lows = _least_sums(strata, squared_z)
        highs = _least_sums([each.mirrored() for each in strata], squared_z)
        return [cls(low=low, high=-high) for low, high in zip(lows, highs, strict=True)]

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
    ) -> "_Strata":
        arrays = [
            np.asarray(group if isinstance(group, np.ndarray) else [*group]) for group in groups
        ]
        values = np.concatenate([np.empty(0), *arrays])
        places = np.repeat(np.arange(len(arrays)), [len(array) for array in arrays])
        values, places = values[~np.isnan(values)], places[~np.isnan(values)]
        known, places = np.unique(places, return_inverse=True)
        ends = np.broadcast_to(np.array([*bounds], dtype=np.float64), (len(arrays), 2))[known]
        if (values < ends[places, 0]).any() or (values > ends[places, 1]).any():
            raise ValueError("a value lies outside its bounds")
        part = np.ones(len(known)) if weights is None else np.array([*weights])[known]
        values, ends = values * part[places], ends * part[:, np.newaxis]
        if weights is None:
            values, ends = values * (1 / max(1, len(known))), ends * (1 / max(1, len(known)))
        order = np.lexsort((values, places))
        values, places = values[order], places[order]
        is_first = np.ones(len(values), dtype=np.bool_)
        is_first[1:] = (values[1:] != values[:-1]) | (places[1:] != places[:-1])
        firsts = np.flatnonzero(is_first)
        n_distinct = np.bincount(places[firsts], minlength=len(known))
        filled = np.arange(n_distinct.max(initial=0)) < n_distinct[:, np.newaxis]
        distinct, counts = np.zeros((2, *filled.shape))
        distinct[filled] = values[firsts]
        counts[filled] = np.diff(firsts, append=len(values))
        return cls(values=distinct, counts=counts, low=ends.min(axis=1), high=ends.max(axis=1))

    def mirrored(self) -> "_Strata":
        """Return the same with other signs: its least sum is the greatest of this one."""
        return _Strata(values=-self.values, counts=self.counts, low=-self.high, high=-self.low)


def _least_sums(strata: Sequence[_Strata], squared_z: float) -> list[float]:
    """Return the least sum of each that the test does not refuse; NaN where there is no group.

    With the Lagrange multiplier m of the likeliest distributions whose sum is s, the statistic is
    m * (found - s): both factors rise with m, so that one m has `squared_z`.
    """
    least = [math.fsum(each.low.tolist()) if each.low.size else math.nan for each in strata]
    searches: dict[int, dict[int, _Search]] = {}
    for place, each in enumerate(strata):
        means = (each.values * each.counts).sum(axis=1) / each.counts.sum(axis=1)
        above = math.fsum((means - each.low).tolist())
        if above > _ROUNDED_SUM * math.fsum((each.high - each.low).tolist()):
            # Then no more than half of it is left.
            highest = 2 * (squared_z + float(each.counts.sum())) / above
            # Sums of as many values are rounded alike, by themselves or with others.
            alike = searches.setdefault(each.values.shape[1], {})
            alike[place] = _search(above, squared_z, highest)
    for own in searches.values():
        tilted = _Tilted.of([strata[place] for place in own])
        places, waiting = [*own], dict(enumerate(own.values()))
        asked = {row: next(search) for row, search in waiting.items()}
        while asked:
            for row, above in zip([*asked], tilted.above_low(asked), strict=True):
                try:
                    asked[row] = waiting[row].send(above)
                except StopIteration as end:
                    least[places[row]] += end.value
                    del asked[row]
    return least


_Search = Generator[float, float, float]


def _search(above: float, squared_z: float, highest: float) -> _Search:
    """Yield multipliers, is sent how far each is above the least, and return that of the one.

    Brent's method (1973, Algorithms for Minimization without Derivatives), step by step as in
    `scipy.optimize.brentq`, which cannot search for many at once.
    """
    before, here, f_before = 0.0, highest, -squared_z
    f_here = here * (above - (yield here)) - squared_z
    beyond = f_beyond = step = last = 0.0
    for _ in range(_MOST_STEPS):
        if f_before and f_here and (f_before < 0) != (f_here < 0):
            beyond, f_beyond = before, f_before
            last = step = here - before
        if abs(f_beyond) < abs(f_here):
            before, here, beyond = here, beyond, here
            f_before, f_here, f_beyond = f_here, f_beyond, f_here
        least = (1e-12 * highest + 1e-12 * abs(here)) / 2
        half = (beyond - here) / 2
        if f_here == 0 or abs(half) < least:
            break
        tried = math.inf
        if abs(last) > least and abs(f_here) < abs(f_before):
            with contextlib.suppress(ZeroDivisionError):
                if before == beyond:
                    tried = -f_here * (here - before) / (f_here - f_before)
                else:
                    one = (f_before - f_here) / (before - here)
                    other = (f_beyond - f_here) / (beyond - here)
                    rise = f_beyond * other - f_before * one
                    tried = -f_here * rise / (other * one * (f_beyond - f_before))
        if 2 * abs(tried) < min(abs(last), 3 * abs(half) - least):
            last, step = step, tried
        else:
            last = step = half
        before, f_before = here, f_here
        here += step if abs(step) > least else math.copysign(least, half)
        f_here = here * (above - (yield here)) - squared_z
    return (yield here)


@frozen(eq=False)
class _Tilted:
    """The groups of many sums: distances above the least value, counts, and which sum each is of.

    The first two have the shape (distinct values, groups), `sums` has (groups,) and rises.
    """

    distances: Values
    counts: Values
    sums: NDArray[np.int64]

    @classmethod
    def of(cls, strata: Sequence[_Strata]) -> Self:
        distances = [each.values.T - each.low for each in strata]
        return cls(
            distances=np.concatenate(distances, axis=1),
            counts=np.concatenate([each.counts.T for each in strata], axis=1),
            sums=np.repeat(np.arange(len(strata)), [len(each.low) for each in strata]),
        )

    def above_low(self, multipliers: Mapping[int, float]) -> list[float]:
        """Return by how much likeliest sums with these multipliers are above the least possible.

        In each group a value v that was seen n times has the probability n / (m * (v - low) + c),
        which is largest for c = 0: what is lacking to 1 then is the probability of `low` itself.
        """
        asked = np.full(self.sums[-1] + 1, math.nan)
        asked[[*multipliers]] = [*multipliers.values()]
        here = np.flatnonzero(~np.isnan(asked[self.sums]))
        distances, counts, sums = self.distances[:, here], self.counts[:, here], self.sums[here]
        n_groups = np.bincount(sums)[[*multipliers]]
        parts, busy = np.empty(len(here)), np.arange(len(here))
        tilted, seen = asked[sums] * distances, counts > 0
        rest = np.where(seen, counts - tilted, 0.0).max(axis=0, initial=0.0)
        # Newton's method from below, on a function that falls and is convex: never too far. A sum
        # is done when all its groups are.
        for n_steps in range(1, _MOST_STEPS + 1):
            with np.errstate(divide="ignore", invalid="ignore"):
                shares = np.where(seen, counts / (tilted + rest), 0.0)
                slopes = _added(np.where(seen, shares**2 / counts, 0.0))
                totals = _added(shares)
                steps = np.where(totals > 1, (totals - 1) / slopes, 0.0)
            rest += steps
            is_open = np.zeros(len(asked), dtype=np.bool_)
            if n_steps < _MOST_STEPS:
                is_open[sums[~(steps <= _ROUNDED_SUM * rest)]] = True
            kept = is_open[sums]
            if kept.all():
                continue
            parts[busy[~kept]] = _added(shares[:, ~kept] * distances[:, ~kept])
            if not kept.any():
                break
            distances, counts, tilted = (each[:, kept] for each in (distances, counts, tilted))
            seen = seen[:, kept]
            rest, sums, busy = rest[kept], sums[kept], busy[kept]
        own, ends = parts.tolist(), np.cumsum(n_groups).tolist()
        return [math.fsum(own[i:j]) for i, j in pairwise([0, *ends])]


def _added(values: Values) -> Values:
    """Return the sums over the first axis, rounded as those over the last one are."""
    return np.asarray(
        np.ascontiguousarray(values.T).sum(axis=1)
        if len(values) >= _FEWEST_IN_PAIRS
        else values.sum(axis=0)
    )


# Of fewer numbers in a row, NumPy adds one after the other.
_FEWEST_IN_PAIRS = 8
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


# At most so many values are drawn at once, which bounds the memory: 8 bytes each, four times; and
# so many means, 4 bytes each.
_N_DRAWN_AT_ONCE = 2**20
_N_MEANS_AT_ONCE = 2**24
# One product of matrices has about so many columns, items of several groups: few are slow.
_N_COLUMNS = 512
# What single precision rounds by at most, and which values it is used for.
_SINGLE = 2.0**-23
_USUAL = 1e-25, 1e30


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
        """Return what `of_groups` returns for the groups of each row, to the last bit.

        One seed draws the same items from groups of the same sizes; so for models on the same
        suites they are drawn once for all.
        """
        rank = _percentile_rank(n_resamples, confidence)
        found, alike = [], dict[tuple[int, ...], list[int]]()
        for place, groups in enumerate(rows):
            known = _known_groups(groups)
            own_means = [_exact_mean(group.tolist()) for group in known]
            mean = _exact_mean(own_means)
            sizes = tuple(group.size for group in known)
            # Drawn are distances from the mean, so that rounding does not put it outside its
            # interval.
            if math.isfinite(mean):
                known = [group - own for group, own in zip(known, own_means, strict=True)]
            if not math.isnan(mean) and max(sizes) > 1:
                alike.setdefault(sizes, []).append(place)
            found.append((sum(sizes), mean, known))
        low, high = np.full((2, len(found)), math.nan)
        for places in alike.values():
            n_at_once = max(1, _N_MEANS_AT_ONCE // n_resamples)
            for start in range(0, len(places), n_at_once):
                few = places[start : start + n_at_once]
                stacked = map(np.array, zip(*(found[each][2] for each in few), strict=True))
                for ones, drawn in _DrawnAlike.parted([*stacked], n_resamples, seed):
                    own = [few[each] for each in ones]
                    low[own], high[own] = drawn.ends(rank) / len(drawn.groups)
        # An infinite mean has infinite values, whose distances from it are none.
        middles = [mean if math.isfinite(mean) else 0.0 for _, mean, _ in found]
        return [
            cls(n=n, mean=mean, low=float(low[i] + middles[i]), high=float(high[i] + middles[i]))
            for i, (n, mean, _) in enumerate(found)
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
    arrays = (np.fromiter(group, dtype=np.float64) for group in groups)
    known = (array[~np.isnan(array)] for array in arrays)
    return [array for array in known if array.size]


def _exact_mean(values: Sequence[float]) -> float:
    """Return the mean; NaN of nothing, of NaN, and of what is infinite in both directions."""
    # A quotient is rounded, and equal values would seem to differ from it.
    if len({*values}) == 1:
        return values[0]
    return math.nan if any(map(math.isnan, values)) else mean_score(values)


@frozen(eq=False)
class _DrawnAlike:
    """Rows of groups of which the same items are drawn.

    `groups` have the shape (rows, items). A group of two values (right and wrong) has in `shares`
    how many items have the first: how often that is drawn is all there is to draw. Others have NaN.
    """

    groups: Sequence[Values]
    shares: Sequence[float]
    n_resamples: int
    seed: int

    @classmethod
    def parted(
        cls, groups: Sequence[Values], n_resamples: int, seed: int
    ) -> "Iterator[tuple[list[int], Self]]":
        """Yield the rows of groups, and where they stand, by what is drawn of them."""
        shares = np.stack([_shares_of_first(group) for group in groups], axis=1)
        largest = _largest_sums(groups)
        # What single precision says something about.
        is_usual = (largest > _USUAL[0]) & (largest < _USUAL[1]) & np.isnan(shares).any(axis=1)
        alike: dict[tuple[bytes, int], list[int]] = {}
        for row, own in enumerate(shares):
            alike.setdefault((own.tobytes(), -1 if is_usual[row] else row), []).append(row)
        for rows in alike.values():
            yield (
                rows,
                cls(
                    groups=[group[rows] for group in groups],
                    shares=shares[rows[0]].tolist(),
                    n_resamples=n_resamples,
                    seed=seed,
                ),
            )

    def ends(self, rank: int) -> Values:
        """Return the `rank`-th least and greatest sum over groups of drawn means, (2, rows).

        Of many rows sums in single precision tell which draws may be the ends, and how many lie
        below these; only these are added up item by item.
        """
        places = rank - 1, self.n_resamples - rank
        n_rows = len(self.groups[0])
        if n_rows == 1:
            every = np.arange(self.n_resamples)
            return np.partition(self._sums(np.zeros_like(every), every), places)[[*places], None]
        widest = max(group.shape[1] for group in self.groups)
        # Thrice what the terms of a product, and the products, are rounded by at most.
        n_rounded = _N_COLUMNS + widest + len(self.groups)
        reach = 3 * _SINGLE * n_rounded * _largest_sums(self.groups)
        near, ranks = [], []
        for sums, far in zip(self._rough_sums(), reach, strict=True):
            ordered = np.sort(sums)
            for place in places:
                least, most = ordered[place] - far, ordered[place] + far
                near.append(np.flatnonzero((sums >= least) & (sums <= most)))
                ranks.append(place - int(np.searchsorted(ordered, least)))
        lengths = [len(draws) for draws in near]
        rows = np.repeat(np.arange(len(near)) // 2, lengths)
        own = np.split(self._sums(rows, np.concatenate(near)), np.cumsum(lengths)[:-1])
        found = [np.sort(sums)[place] for sums, place in zip(own, ranks, strict=True)]
        return np.asarray(np.array(found).reshape(n_rows, 2).T)

    def _draws(self) -> Iterator[tuple[Values, slice, NDArray[np.int64]]]:
        """Yield a group, which draws, and what is drawn: its items, or how often the first."""
        generator = np.random.default_rng(self.seed)
        for group, share in zip(self.groups, self.shares, strict=True):
            size = group.shape[1]
            if not math.isnan(share):
                whole = slice(0, self.n_resamples)
                yield group, whole, generator.binomial(size, share, size=self.n_resamples)
                continue
            n_at_once = max(1, _N_DRAWN_AT_ONCE // size)
            for start in range(0, self.n_resamples, n_at_once):
                some = slice(start, min(start + n_at_once, self.n_resamples))
                yield group, some, generator.integers(size, size=(some.stop - start, size))

    def _sums(self, rows: NDArray[np.int64], draws: NDArray[np.int64]) -> Values:
        """Return the sum over groups of the means of what is drawn, for pairs of row and draw."""
        sums = np.zeros(len(rows))
        with np.errstate(invalid="ignore"):
            for group, some, drawn in self._draws():
                here = np.flatnonzero((draws >= some.start) & (draws < some.stop))
                own, chosen = rows[here], drawn[draws[here] - some.start]
                if chosen.ndim == 1:
                    first, other = group[own, 0], _others(group)[own]
                    sums[here] += other + (first - other) * (chosen / group.shape[1])
                else:
                    sums[here] += group.ravel()[chosen + group.shape[1] * own[:, None]].mean(axis=1)
        return sums

    def _rough_sums(self) -> NDArray[np.float32]:
        """Return about the same for all pairs, (rows, draws): values times how often drawn."""
        sums = np.zeros((len(self.groups[0]), self.n_resamples), dtype=np.float32)
        for (_, some), columns in groupby(self._columns(), key=itemgetter(0)):
            _, values, counts = zip(*columns, strict=True)
            sums[:, some] += np.concatenate(values, axis=1) @ np.concatenate(counts, axis=1).T
        return sums

    def _columns(
        self,
    ) -> Iterator[tuple[tuple[int, slice], NDArray[np.float32], NDArray[np.float32]]]:
        """Yield which product and draws, values (rows, columns), and their counts by draw."""
        width = 0
        for group, some, drawn in self._draws():
            n_draws, size = some.stop - some.start, group.shape[1]
            if drawn.ndim == 1:
                other = _others(group)
                values = np.stack([group[:, 0] - other, other], axis=1)
                counts = np.stack([drawn / size, np.ones(n_draws)], axis=1)
            else:
                values = group / size
                places = drawn + size * np.arange(n_draws)[:, np.newaxis]
                counts = np.bincount(places.ravel(), minlength=n_draws * size)
                counts = counts.reshape(n_draws, size)
            width += values.shape[1]
            yield (
                (width // _N_COLUMNS, some),
                values.astype(np.float32),
                counts.astype(np.float32),
            )


def _shares_of_first(group: Values) -> Values:
    """Return how many items of groups of two values have the first, (rows,); NaN of others."""
    first, other = group[:, 0], _others(group)
    is_first = group == first[:, np.newaxis]
    is_two = (is_first | (group == other[:, np.newaxis])).all(axis=1)
    is_two &= np.isfinite(first) & np.isfinite(other)
    return np.asarray(np.where(is_two, 1 - (~is_first).sum(axis=1) / group.shape[1], math.nan))


def _others(group: Values) -> Values:
    """Return the first value of each row that is not its first value, or that, (rows,)."""
    places = np.argmax(group != group[:, :1], axis=1)
    return np.asarray(group[np.arange(len(group)), places])


def _largest_sums(groups: Sequence[Values]) -> Values:
    """Return the sum over groups of the largest value, without its sign, (rows,)."""
    return np.asarray(np.sum([np.abs(group).max(axis=1) for group in groups], axis=0))


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
