"""A check sum over what a suite's regions add up to."""

import hashlib

import numpy as np

from pommel.scoring.regions import RegionTable


def region_sums_sha256(table: RegionTable) -> str:
    """Return the SHA-256 over the sums of all regions, and how many tokens each has.

    Items as in the suite, conditions as in `suite.condition_names`, regions by number: first all
    sums in bits as little-endian float64, then all counts as little-endian int64. A region of which
    tokens were not asked for has no sum; its NaN is 0x7ff8000000000000.
    """
    sums = table.values["sum"] + 0.0  # -0.0 becomes 0.0
    sums[np.isnan(sums)] = np.nan
    digest = hashlib.sha256(sums.astype("<f8").tobytes())
    digest.update(table.n_tokens.astype("<i8").tobytes())
    return digest.hexdigest()
