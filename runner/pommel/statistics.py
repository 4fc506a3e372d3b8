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


def mean_score(scores: Iterable[float]) -> float:
    """Return the unweighted mean over suites; those without a score (NaN) do not count."""
    known = [score for score in scores if not math.isnan(score)]
    return math.fsum(known) / len(known) if known else math.nan
