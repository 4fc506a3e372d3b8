"""The region metrics: what a region's token surprisals are put together to.

numpy is imported where it computes: reading a suite needs no more of a metric than its name. A new
metric is an entry of `METRICS` (and its name in schemas/suite.json, for others' tools).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pommel.values import frozen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bits = NDArray[np.float64]
    Starts = NDArray[np.intp]

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


def _lengths(bits: "Bits", starts: "Starts") -> "Starts":
    import numpy as np

    return np.diff(np.append(starts, len(bits)))


def _group_of(bits: "Bits", starts: "Starts") -> "Starts":
    import numpy as np

    return np.repeat(np.arange(len(starts)), _lengths(bits, starts))


def _sums(bits: "Bits", starts: "Starts") -> "Bits":
    import numpy as np

    # One after the other, as one would by hand: reduceat adds in another order.
    return np.bincount(_group_of(bits, starts), weights=bits).astype(np.float64)


def _means(bits: "Bits", starts: "Starts") -> "Bits":
    import numpy as np

    return np.asarray(np.add.reduceat(bits, starts) / _lengths(bits, starts))


def _medians(bits: "Bits", starts: "Starts") -> "Bits":
    import numpy as np

    # Sorted within each group, the median is the middle element, or the mean of the middle two.
    ordered = bits[np.lexsort((bits, _group_of(bits, starts)))]
    lengths = _lengths(bits, starts)
    low, high = starts + (lengths - 1) // 2, starts + lengths // 2
    return np.asarray((ordered[low] + ordered[high]) / 2)


def _lowest(bits: "Bits", starts: "Starts") -> "Bits":
    import numpy as np

    return np.minimum.reduceat(bits, starts)


def _highest(bits: "Bits", starts: "Starts") -> "Bits":
    import numpy as np

    return np.maximum.reduceat(bits, starts)


def _ranges(bits: "Bits", starts: "Starts") -> "Bits":
    import numpy as np

    with np.errstate(invalid="ignore"):  # a range of infinities only is not a number
        return np.asarray(_highest(bits, starts) - _lowest(bits, starts))


METRICS: Mapping[str, RegionMetric] = {
    "sum": RegionMetric(of_groups=_sums, words="surprisal", of_nothing=0.0),
    "mean": RegionMetric(of_groups=_means, words="mean surprisal per token"),
    "median": RegionMetric(of_groups=_medians, words="median token surprisal"),
    "min": RegionMetric(of_groups=_lowest, words="lowest token surprisal"),
    "max": RegionMetric(of_groups=_highest, words="highest token surprisal"),
    "range": RegionMetric(of_groups=_ranges, words="range of token surprisals"),
}
