"""One row of accuracies: what a model reaches on a prediction, a suite, or a mean over suites."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pommel.analysis.model_row import ModelRow
from pommel.analysis.subjects import SuiteKey
from pommel.analysis.suite_parts import Level, Unit
from pommel.models.family import Membership
from pommel.statistics import ALPHA, Estimate, Interval

# Which of the two intervals of a share of items is meant.
ShareInterval = Literal["wilson", "exact"]

NO_INTERVAL = Interval(low=math.nan, high=math.nan)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy(ModelRow):
    """What a model, or a family, reaches.

    `accuracy` is the unweighted mean over `suites`, those that have a score. `n_items` and
    `n_holding` are pooled over suites, under the score rule "each" over predictions, too; None
    where a suite was published without them. `wilson` and `exact` are intervals of the pooled
    share, `p_above` and `p_below` the exact one-sided p of the pooled count; under "each" they are
    missing for more than one prediction, since the predictions of an item depend on each other.
    `bootstrap` is the interval of a mean over suites or predictions. `chance` is the mean over
    suites.

    `margin_bits` is the mean over suites of the mean over items with its bootstrap interval, its n
    the items that have a margin; `median_margin_bits` the median over all items. `counts` are those
    of `suite_parts.COUNTS`, None where they are not known.

    The row of a family (`is_family`) is the mean over those `n_members` members that have a score
    on every suite on which another one has; it has no intervals and tests, and its counts are added
    up. `membership` is that of one of them then.
    """

    level: Level
    membership: Membership | None
    unit: Unit
    suites: frozenset[SuiteKey]
    accuracy: float
    n_items: int | None
    n_holding: int | None
    chance: float
    margin_bits: Estimate
    median_margin_bits: float
    counts: Mapping[str, int | None]
    bootstrap: Interval = NO_INTERVAL
    wilson: Interval = NO_INTERVAL
    exact: Interval = NO_INTERVAL
    p_above: float = math.nan
    p_below: float = math.nan

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean over suites or predictions, and no share of items."""
        return len(self.suites) > 1 or not math.isnan(self.bootstrap.low)

    def interval(self, of_share: ShareInterval = "wilson") -> Interval:
        """Return the interval of the accuracy: the bootstrap's of a mean, or that of a share."""
        if self.is_mean:
            return self.bootstrap
        return self.wilson if of_share == "wilson" else self.exact

    @property
    def pooled_accuracy(self) -> float:
        """The share of all items together; NaN where their number is not known."""
        if not self.n_items or self.n_holding is None:
            return math.nan
        return self.n_holding / self.n_items

    @property
    def mark(self) -> str:
        """Whether the pooled share is "above" or "below" chance, at p < .05, or ""."""
        if self.p_above < ALPHA:
            return "above"
        return "below" if self.p_below < ALPHA else ""
