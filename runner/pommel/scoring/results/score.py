"""A share of items on which predictions hold."""

import math
from dataclasses import dataclass

from pommel.statistics import Interval, share_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A share of items. `label` is "", or the prediction's number where each has its own score.

    `n_items` counts the items that are not skipped. Of a share that was published by itself
    (`reported_share`) nobody may know how many items there were: both counts are 0 then.
    """

    label: str
    n_holding: int
    n_items: int
    reported_share: float | None = None

    @property
    def is_counted(self) -> bool:
        """Whether the counts are known; they are not for a share that was published by itself."""
        return self.reported_share is None or self.n_items > 0

    @property
    def share(self) -> float:
        """Between 0 and 1; NaN if all items are skipped."""
        if self.reported_share is not None:
            return self.reported_share
        return self.n_holding / self.n_items if self.n_items else math.nan

    @property
    def interval(self) -> Interval:
        """Wilson's 95% interval of the share; NaN where no items are known to count."""
        if not self.n_items:
            return Interval(low=math.nan, high=math.nan)
        return share_interval(self.n_holding, self.n_items)
