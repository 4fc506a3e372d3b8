"""Which tokens the spans of a request ask for."""

import numpy as np
from numpy.typing import NDArray

from pommel.models.model import Spans


def asked_for(starts: NDArray[np.integer], spans: Spans | None) -> NDArray[np.bool_]:
    """Return for each token whether one of `spans` holds its first character; None asks for all.

    *Shape:* `starts` (n_tokens,) are where the tokens begin in their sentence, in characters.
    """
    if spans is None:
        return np.ones(len(starts), dtype=np.bool_)
    asked = np.zeros(len(starts), dtype=np.bool_)
    for start, end in spans:
        asked |= (start <= starts) & (starts < end)
    return asked
