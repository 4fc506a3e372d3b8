"""Predictions as `syntaxgym` had them: called with one item, they return what Python makes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pommel.errors import InputError
from pommel.suite import METRICS, Formula

# (condition, region number) -> surprisal, of one item.
RegionSurprisals = Mapping[tuple[str, int], float]

# A comparison gives a bool, anything else a float, and `&` and `|` one of their operands.
Value = float | bool


class MissingValueError(InputError, KeyError):
    """A formula asks for a condition, a region or a surprisal that an item does not have."""

    # A KeyError would print its message in quotes.
    __str__ = Exception.__str__


class UnknownMetricError(InputError, ValueError):
    """A name that is no region metric."""


class UnknownPredictionError(InputError, ValueError):
    """A prediction that is not a formula."""


@dataclass(frozen=True, init=False)
class Prediction:
    """One prediction of a suite.

    `idx` is its number in the suite, from 0, and `metric` the region metric that it reads.
    Predictions are equal if all three are; the same formula twice in a suite stays two predictions.
    """

    idx: int
    formula: Formula
    metric: str

    # Positional, and with a formula's text or tree, as it has always been called.
    def __init__(self, idx: int, formula: str | Formula, metric: str) -> None:
        """Raises `FormulaError` for a bad formula and `UnknownMetricError`; both are ValueErrors.

        What the old parser did not know is refused, and so is `a < b < c`, of which it dropped
        the third part. Square brackets are read as the published suites have them.
        """
        if metric not in METRICS:
            known = " ".join(METRICS)
            raise UnknownMetricError(f"Unknown metric {metric}. Supported metrics: {known}")
        parsed = (
            Formula.parse(formula, dialect="syntaxgym") if isinstance(formula, str) else formula
        )
        object.__setattr__(self, "idx", idx)
        object.__setattr__(self, "formula", parsed)
        object.__setattr__(self, "metric", metric)

    @classmethod
    def from_dict(cls, pred_dict: Mapping[str, Any], idx: int, metric: str) -> "Prediction":
        """Read a prediction of a suite's JSON; raises `ValueError` for one that is no formula."""
        kind = pred_dict.get("type")
        if kind != "formula":
            raise UnknownPredictionError(
                f"prediction {idx}: unknown prediction type {kind}; "
                'write {"type": "formula", "formula": "(1;%a%) < (1;%b%)"}'
            )
        return cls(idx, pred_dict["formula"], metric)

    def as_dict(self) -> dict[str, str]:
        """Return the prediction's JSON value, the formula as its author wrote it.

        The retired package printed numbers with six decimals, so that 1e-7 came back as 0.
        """
        return {"type": "formula", "formula": self.formula.text}

    @property
    def referenced_regions(self) -> set[tuple[str, int | str]]:
        """All (condition, region number) that the formula names; the number is "*" for `*`."""
        return {
            (each.condition, "*" if each.region is None else each.region)
            for each in self.formula.references
        }

    def __call__(self, item: Mapping[str, Any]) -> Value:
        """Evaluate the prediction on an item of an evaluated suite's JSON.

        A metric that is null counts as NaN. Raises `MissingValueError`, a KeyError.
        """
        where = f"item {item.get('item_number')}"
        return self._evaluate(_region_surprisals(item, self.metric, where), where)

    def apply_prediction_formula(self, surps: RegionSurprisals) -> Value:
        """Evaluate the prediction on surprisals by (condition, region number)."""
        return self._evaluate(surps, f"prediction {self.idx}")

    def _evaluate(self, surprisals: RegionSurprisals, where: str) -> Value:
        regions_of: dict[str, set[int]] = {}
        for condition, number in surprisals:
            regions_of.setdefault(condition, set()).add(number)
        for remark in self.formula.reference_errors(regions_of):
            raise MissingValueError(f"{where}: {remark.message}; {remark.hint}")
        return self.formula.syntaxgym_value(surprisals)

    def __str__(self) -> str:
        return f"Prediction({self.formula})"

    __repr__ = __str__


def metric_value(region: Mapping[str, Any], metric: str, where: str) -> float:
    """Return a surprisal of an evaluated suite's region; NaN for null.

    Raises `MissingValueError`, which says `where`, for a region without that metric.
    """
    values = region.get("metric_value") or {}
    if metric not in values:
        raise MissingValueError(
            f"{where}: region {region['region_number']} has no metric_value {metric!r}; "
            "compute the suite's surprisals first"
        )
    bits = values[metric]
    return math.nan if bits is None else float(bits)


def _region_surprisals(item: Mapping[str, Any], metric: str, where: str) -> RegionSurprisals:
    return {
        (condition["condition_name"], region["region_number"]): metric_value(
            region, metric, f"{where}, condition {condition['condition_name']!r}"
        )
        for condition in item["conditions"]
        for region in condition["regions"]
    }
