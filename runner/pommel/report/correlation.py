"""Correlations as tables for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pommel.analysis.correlation import (
    AccuracyPair,
    Coefficient,
    PropertyResult,
)
from pommel.analysis.model_correlation import ModelCorrelation
from pommel.report.cells import circuit_cell, number_cell, score_cell, step_cell
from pommel.report.plain_table import plain_table
from pommel.report.statistics_cells import p_cell

if TYPE_CHECKING:
    from rich.table import Table

# More keys than these do not fit beside one another; --table pairs has them.
_MAX_KEYS = 8

_NAMES: dict[Coefficient, str] = {"spearman": "Spearman", "pearson": "Pearson"}


def correlation_table(result: PropertyResult, name: str) -> "Table":
    """Return one row a model (family): its accuracy by key, and the correlation with `name`."""
    values = {each.key: each.value for each in result.pairs}
    keys = sorted(values, key=lambda key: (values[key], key))
    shown = keys if len(keys) <= _MAX_KEYS else []
    accuracies = {(each.models, each.key): each.accuracy for each in result.pairs}
    rows = [
        [
            each.models,
            *(_accuracy_cell(accuracies.get((each.models, key))) for key in shown),
            number_cell(each.value),
            p_cell(each.p),
            str(each.n),
        ]
        for each in result.correlations
    ]
    first = result.correlations[0]
    headers = [f"{circuit_cell(key)} ({step_cell(values[key])})" for key in shown]
    return plain_table(
        f"Mean accuracy by {first.level}, and {name}",
        ["models", *headers, _NAMES[first.coefficient], "p", "n"],
        rows,
        caption=f"n: how many {first.level}s." + ("" if shown else " --table pairs has each."),
    )


def pair_table(pairs: Sequence[AccuracyPair], name: str) -> "Table":
    """Return one row a model (family) and key."""
    rows = [
        [
            each.models,
            circuit_cell(each.key),
            step_cell(each.value),
            number_cell(each.accuracy, 3),
            str(each.n_suites),
            str(each.n_models),
        ]
        for each in pairs
    ]
    level = pairs[0].level if pairs else "key"
    columns = ["models", level, name, "accuracy", "suites", "models averaged"]
    return plain_table("", columns, rows, n_names=2)


def model_table(correlations: Sequence[ModelCorrelation]) -> "Table":
    """Return one row a pair of models."""
    rows = [
        [
            each.model_name,
            each.other_model,
            number_cell(each.value),
            p_cell(each.p),
            str(each.n_suites),
        ]
        for each in correlations
    ]
    name = _NAMES[correlations[0].coefficient] if correlations else _NAMES["spearman"]
    return plain_table(
        "Scores of two models on the suites that both have",
        ["model", "other model", name, "p", "suites"],
        rows,
        n_names=2,
    )


def _accuracy_cell(accuracy: float | None) -> str:
    return "-" if accuracy is None else score_cell(accuracy)
