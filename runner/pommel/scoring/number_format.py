"""What a number format leaves open: verdicts that its rounding could have turned.

What is left open is scored again in float32, so that all verdicts are float32's. A verdict is left
open if no more than eight standard deviations of the format's noise lie between it and another.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pommel.scoring.choices import Choices
from pommel.scoring.predictions import looked_at_by
from pommel.scoring.regions import RegionTable
from pommel.suite import Suite
from pommel.surprisal import ScoredSentence

# So many sentences tell how noisy a format is: a hundred tokens and more.
_N_SAMPLED = 64
_DEVIATIONS = 8


def sampled(texts: Iterable[str]) -> list[str]:
    """Return some dozens of texts, the same of the same: evenly spaced among all, sorted."""
    every = sorted(texts)
    return every[:: 1 + len(every) // _N_SAMPLED]


def noise_bits(pairs: Iterable[tuple[ScoredSentence, ScoredSentence]]) -> float:
    """Return the standard deviation of a token in one format from the same token in another.

    It is that around 0, so that a bias counts, too. Where what tokens of a sentence are off by adds
    up to more than if each went its own way, it is so much larger: the sum over n tokens is off by
    sqrt(n) times as much, and by no more.
    """
    off: list[NDArray[np.float64]] = []
    for one, other in pairs:
        if one.failure or other.failure:
            continue
        bits = [[token.surprisal_bits for token in each.tokens] for each in (one, other)]
        # NumPy takes None for NaN; what is infinite in both does not differ.
        with np.errstate(invalid="ignore"):
            found = np.subtract(*np.array(bits, dtype=np.float64))
        off.append(found[np.isfinite(found)])
    scored = [each for each in off if len(each)]
    if not scored:
        return 0.0
    sums = [each.sum() / math.sqrt(len(each)) for each in scored]
    return float(max(np.sqrt(np.mean(np.square(own))) for own in (np.concatenate(scored), sums)))


def unsettled(
    suite: Suite, table: RegionTable, choices: Choices, *, noise_bits: float
) -> Iterator[tuple[int, int]]:
    """Yield (item, condition) of the sentences on which verdicts rest that noise could turn.

    A region of n tokens may be off by 8 sqrt(n) times the noise of a token, whatever the metric,
    since none moves more than the sum, and regions in the worst way for each other. If no region is
    off by more, all other verdicts are those of float32 (`Formula.settled`).
    """
    table = looked_at_by(choices, table)
    names, numbers = table.condition_names, table.region_numbers
    # *Axes:* items, conditions, regions.
    n_tokens = table.n_tokens - table.n_unscored

    def room(region: int | None, name: str) -> NDArray[np.float64]:
        own: Sequence[int] | slice = slice(None) if region is None else [numbers.index(region)]
        n_own = n_tokens[:, names.index(name), own].sum(axis=-1)
        return np.asarray(_DEVIATIONS * noise_bits * np.sqrt(n_own))

    for prediction in suite.predictions:
        value, formula = partial(table.column, suite.metric_of(prediction)), prediction.formula
        settled = formula.settled(value, room, n_items=len(suite.items))
        conditions = {names.index(each.condition) for each in formula.references}
        yield from itertools.product(np.flatnonzero(~settled).tolist(), conditions)
