"""What a prediction came to: over all items, and in one of them. Values only."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PredictionResult:
    """One prediction over all items; the arrays have the shape (n_items,), in the suite's order.

    `prediction_id` counts from 0. `holds`, `margin_bits`, `tie` and `defined` are as in
    `pommel.suite.formula.Verdict`; `unscored` marks items in which a region that the formula names
    holds a token without a surprisal, `oov` those in which the comparison rests on an unknown word
    (see `pommel.scoring.predictions`). `skipped` marks items on which there is no verdict, because
    the scoring method cannot compare them or they rest on an unknown word and such are to be
    skipped: there `holds` and `tie` are False, `margin_bits` is NaN, and nothing is counted.
    """

    prediction_id: int
    formula: str
    description: str
    holds: NDArray[np.bool_]
    margin_bits: NDArray[np.float64]
    tie: NDArray[np.bool_]
    defined: NDArray[np.bool_]
    unscored: NDArray[np.bool_]
    oov: NDArray[np.bool_]
    skipped: NDArray[np.bool_]

    @property
    def results(self) -> tuple[bool | None, ...]:
        """Whether the prediction holds, item by item; None where the item is skipped."""
        pairs = zip(self.holds.tolist(), self.skipped.tolist(), strict=True)
        return tuple(None if skipped else holds for holds, skipped in pairs)

    @property
    def n_items(self) -> int:
        """How many items count: all that are not skipped."""
        return len(self.holds) - self.n_skipped

    @property
    def n_skipped(self) -> int:
        """How many items are skipped."""
        return int(self.skipped.sum())

    @property
    def n_holding(self) -> int:
        """In how many items the prediction holds."""
        return self._count(self.holds)

    @property
    def n_ties(self) -> int:
        """In how many items a strict comparison met two equal values."""
        return self._count(self.tie)

    @property
    def n_undefined(self) -> int:
        """In how many items a value was missing; the prediction counts as not holding there."""
        return self._count(~self.defined)

    @property
    def n_unscored(self) -> int:
        """In how many items a token without a surprisal was left out of a region."""
        return self._count(self.unscored)

    @property
    def n_oov(self) -> int:
        """In how many items that count the comparison rests on an unknown word."""
        return self._count(self.oov)

    def _count(self, items: NDArray[np.bool_]) -> int:
        return int((items & ~self.skipped).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemResult:
    """One item: whether each prediction holds, by how much, and whether it is skipped for it.

    Where it is skipped there is no verdict: `holds` is False and the margin NaN.
    """

    item_number: int
    holds: tuple[bool, ...]
    margins_bits: tuple[float, ...]
    skipped: tuple[bool, ...]
