"""The region metrics: what a region's token surprisals are put together to.

How, is in `reductions`, which is imported when one is computed: reading a suite needs no more of
a metric than its name. A new metric is an entry of `METRICS` (and its name in schemas/suite.json,
for others' tools).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pommel.values import frozen

if TYPE_CHECKING:
    from pommel.suite.reductions import Bits, Starts

# Surprisals of groups of tokens, group after group, shape (n_tokens,), and where each group begins,
# (n_groups,), none of them empty -> the value of each group, (n_groups,).
Reduction = Callable[["Bits", "Starts"], "Bits"]


@frozen
class RegionMetric:
    """How a metric is computed, what predictions in words call it, and what an empty region has."""

    of_groups: Reduction
    words: str
    of_nothing: float = math.nan

    def of(self, bits: Sequence[float]) -> float:
        """Return the value of one region."""
        if not bits:
            return self.of_nothing
        import numpy as np

        return float(self.of_groups(np.asarray(bits, np.float64), np.zeros(1, np.intp))[0])


def _late(name: str) -> Reduction:
    """Return one of `reductions`."""

    def reduced(bits: "Bits", starts: "Starts") -> "Bits":
        from pommel.suite import reductions

        reduction: Reduction = getattr(reductions, name)
        return reduction(bits, starts)

    return reduced


METRICS: Mapping[str, RegionMetric] = {
    "sum": RegionMetric(of_groups=_late("sums"), words="surprisal", of_nothing=0.0),
    "mean": RegionMetric(of_groups=_late("means"), words="mean surprisal per token"),
    "median": RegionMetric(of_groups=_late("medians"), words="median token surprisal"),
    "min": RegionMetric(of_groups=_late("lowest"), words="lowest token surprisal"),
    "max": RegionMetric(of_groups=_late("highest"), words="highest token surprisal"),
    "range": RegionMetric(of_groups=_late("ranges"), words="range of token surprisals"),
}
