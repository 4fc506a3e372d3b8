"""What came out: predictions per item, scores per suite. Values only; computed elsewhere."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

ScoreRule = Literal["all", "first", "each"]
SCORE_RULES: tuple[ScoreRule, ...] = ("all", "first", "each")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PredictionResult:
    """One prediction over all items; the arrays have the shape (n_items,), in the suite's order.

    `prediction_id` counts from 0. `holds`, `margin_bits`, `tie` and `defined` are as in
    `pommel.formula.Verdict`; `unscored` marks items in which a region that the formula names holds
    a token without a surprisal.
    """

    prediction_id: int
    formula: str
    description: str
    holds: NDArray[np.bool_]
    margin_bits: NDArray[np.float64]
    tie: NDArray[np.bool_]
    defined: NDArray[np.bool_]
    unscored: NDArray[np.bool_]

    @property
    def n_items(self) -> int:
        """How many items were checked."""
        return len(self.holds)

    @property
    def n_holding(self) -> int:
        """In how many items the prediction holds."""
        return int(self.holds.sum())

    @property
    def n_ties(self) -> int:
        """In how many items a strict comparison met two equal values."""
        return int(self.tie.sum())

    @property
    def n_undefined(self) -> int:
        """In how many items a value was missing; the prediction counts as not holding there."""
        return int((~self.defined).sum())

    @property
    def n_unscored(self) -> int:
        """In how many items a token without a surprisal was left out of a region."""
        return int(self.unscored.sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemResult:
    """One item: whether each prediction holds, and by how much."""

    item_number: int
    holds: tuple[bool, ...]
    margins_bits: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A share of items. `label` is "", or the prediction's number where each has its own score."""

    label: str
    n_holding: int
    n_items: int

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return self.n_holding / self.n_items


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteResult:
    """A suite's predictions, checked for one model under one scoring policy and score rule.

    `provenance` says how the numbers came about, as plain JSON values.
    """

    suite_name: str
    circuit: str
    model_name: str
    score_rule: ScoreRule
    item_numbers: tuple[int, ...]
    predictions: tuple[PredictionResult, ...]
    provenance: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def n_items(self) -> int:
        """How many items the suite has."""
        return len(self.item_numbers)

    @property
    def counted(self) -> tuple[PredictionResult, ...]:
        """The predictions that the score rule looks at."""
        return self.predictions[:1] if self.score_rule == "first" else self.predictions

    @property
    def scores(self) -> tuple[Score, ...]:
        """The suite's scores under its score rule; none for a suite without predictions.

        "all": the share of items in which every prediction holds. "first": in which the first
        holds (Hu et al. 2020). "each": one score a prediction.
        """
        if not self.predictions:
            return ()
        if self.score_rule == "each":
            return tuple(
                Score(label=str(each.prediction_id), n_holding=each.n_holding, n_items=each.n_items)
                for each in self.predictions
            )
        holding = np.logical_and.reduce([each.holds for each in self.counted])
        return (Score(label="", n_holding=int(holding.sum()), n_items=self.n_items),)

    @property
    def score(self) -> float:
        """The SG score: the share, the mean of all under "each", NaN without predictions."""
        shares = [score.share for score in self.scores]
        return float(np.mean(shares)) if shares else float("nan")

    def items(self) -> Iterator[ItemResult]:
        """Yield one result an item, in the suite's order."""
        for index, number in enumerate(self.item_numbers):
            yield ItemResult(
                item_number=number,
                holds=tuple(bool(each.holds[index]) for each in self.predictions),
                margins_bits=tuple(float(each.margin_bits[index]) for each in self.predictions),
            )
