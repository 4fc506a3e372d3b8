"""Intervals and means of scores; pure."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval for a share, both ends between 0 and 1."""

    low: float
    high: float


def share_interval(
    n_holding: int, n_items: int, *, method: Literal["wilson", "exact"] = "wilson"
) -> Interval:
    """Return the 95% interval of a binomial share.

    "wilson" is Wilson's score interval (1927), "exact" that of Clopper and Pearson (1934). Raises
    `ValueError` unless 0 <= n_holding <= n_items and n_items > 0.
    """
    from scipy.stats import binomtest  # noqa: PLC0415 - takes longer to import than pommel

    if n_items <= 0:
        raise ValueError(f"a share of {n_items} items has no interval")
    found = binomtest(n_holding, n_items).proportion_ci(confidence_level=CONFIDENCE, method=method)
    return Interval(low=float(found.low), high=float(found.high))


@dataclass(frozen=True, slots=True, kw_only=True)
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


def spread(values: Iterable[float]) -> Spread:
    """Return mean, standard deviations and range of values; NaN is none and does not count."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return Spread(
            n=0, **dict.fromkeys(("mean", "sd", "sd_population", "low", "high"), math.nan)
        )
    n, mean = len(known), mean_score(known)
    # The mean is rounded, and differences from it could spread a little where nothing does.
    squares = math.fsum((value - mean) ** 2 for value in known) if min(known) < max(known) else 0.0
    return Spread(
        n=n,
        mean=mean,
        sd=math.sqrt(squares / (n - 1)) if n > 1 else math.nan,
        sd_population=math.sqrt(squares / n),
        low=min(known),
        high=max(known),
    )


def mean_score(scores: Iterable[float]) -> float:
    """Return the unweighted mean over suites; those without a score (NaN) do not count."""
    known = [score for score in scores if not math.isnan(score)]
    return math.fsum(known) / len(known) if known else math.nan
