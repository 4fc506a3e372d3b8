"""What region metrics are computed by; see `RegionMetric` for what goes in and comes out."""

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.float64]
Starts = NDArray[np.intp]

lowest, highest = np.minimum.reduceat, np.maximum.reduceat


def sums(bits: Bits, starts: Starts) -> Bits:
    """Add up, one after the other, as one would by hand: reduceat adds in another order."""
    return np.bincount(_group_of(bits, starts), weights=bits).astype(np.float64)


def means(bits: Bits, starts: Starts) -> Bits:
    """Divide sums by numbers of tokens."""
    return np.asarray(np.add.reduceat(bits, starts) / _lengths(bits, starts))


def medians(bits: Bits, starts: Starts) -> Bits:
    """Take the middle element of each group when it is sorted, or the mean of the middle two."""
    ordered = bits[np.lexsort((bits, _group_of(bits, starts)))]
    lengths = _lengths(bits, starts)
    low, high = starts + (lengths - 1) // 2, starts + lengths // 2
    return np.asarray((ordered[low] + ordered[high]) / 2)


def ranges(bits: Bits, starts: Starts) -> Bits:
    """Take the difference of the highest and the lowest."""
    with np.errstate(invalid="ignore"):  # a range of infinities only is not a number
        return np.asarray(highest(bits, starts) - lowest(bits, starts))


def _lengths(bits: Bits, starts: Starts) -> Starts:
    return np.diff(np.append(starts, len(bits)))


def _group_of(bits: Bits, starts: Starts) -> Starts:
    return np.repeat(np.arange(len(starts)), _lengths(bits, starts))
