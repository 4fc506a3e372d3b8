"""Suite and region surprisals to results; pure."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pommel.formula import judge
from pommel.regions import RegionTable
from pommel.results import PredictionResult, ScoreRule, SuiteResult
from pommel.suite import Metric, Prediction, Suite


def evaluate_predictions(
    suite: Suite,
    table: RegionTable,
    *,
    score_rule: ScoreRule = "all",
    model_name: str = "",
    provenance: Mapping[str, Any] | None = None,
) -> SuiteResult:
    """Check every prediction of a suite in every item.

    Predictions read the first of the suite's metrics. Raises `SurprisalError` for a table
    without it.
    """
    return SuiteResult(
        suite_name=suite.name,
        circuit=suite.circuit,
        model_name=model_name,
        score_rule=score_rule,
        item_numbers=table.item_numbers,
        predictions=tuple(
            _evaluate(index, prediction, table, suite.metrics[0])
            for index, prediction in enumerate(suite.predictions)
        ),
        provenance=provenance or {},
    )


def _evaluate(
    index: int, prediction: Prediction, table: RegionTable, metric: Metric
) -> PredictionResult:
    formula = prediction.formula
    n_items = len(table.item_numbers)
    verdict = judge(
        formula, lambda region, name: table.column(metric, region, name), n_items=n_items
    )
    unscored = np.zeros(n_items, dtype=np.bool_)
    for reference in formula.references:
        unscored |= table.unscored(reference.region, reference.condition)
    return PredictionResult(
        prediction_id=index,
        formula=formula.text,
        description=prediction.description,
        holds=verdict.holds,
        margin_bits=verdict.margin_bits,
        tie=verdict.tie,
        defined=verdict.defined,
        unscored=unscored,
    )
