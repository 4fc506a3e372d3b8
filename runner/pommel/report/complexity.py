"""Accuracy against complexity as tables for people: models x complexities, one table a series."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pommel.analysis.complexity import (
    ComplexityPoint,
    ComplexityResult,
    ComplexityTrend,
)
from pommel.analysis.model_scores import Pooling
from pommel.analysis.suite_differences import SuiteDifference
from pommel.report.cells import mean_sd_cell, number_cell, step_cell
from pommel.report.plain_table import plain_table
from pommel.report.statistics_cells import ends_cell, p_cell

if TYPE_CHECKING:
    from rich.table import Table


def complexity_tables(result: ComplexityResult, pooling: Pooling) -> "list[Table]":
    """Return a table a series: one row a model (family), one column a complexity."""
    by_series: dict[str, list[ComplexityTrend]] = {}
    for trend in result.trends:
        by_series.setdefault(trend.series, []).append(trend)
    return [
        _table([each for each in result.points if each.series == series], trends, pooling)
        for series, trends in by_series.items()
    ]


def difference_table(differences: Sequence[SuiteDifference]) -> "Table":
    """Return one row a model (family), and one for all."""
    first = differences[0]
    rows = [
        [
            each.models,
            str(each.n_models),
            number_cell(each.difference, 3, sign="+"),
            number_cell(each.standard_error, 3),
            ends_cell(each, 3, sign="+"),
            p_cell(each.p),
        ]
        for each in differences
    ]
    return plain_table(
        f"Accuracy on {first.suite}, less that on {first.other_suite}",
        ["models", "n", "difference", "standard error", "95% interval", "p"],
        rows,
        caption="Mean over n models [t interval, from three models on]; p: the models' differences "
        "with their signs turned, two-sided.",
    )


def _table(
    points: Sequence[ComplexityPoint], trends: Sequence[ComplexityTrend], pooling: Pooling
) -> "Table":
    values = sorted({each.complexity for each in points})
    cells = {(each.models, each.complexity): each for each in points}
    rows = [
        [
            trend.models,
            *(_point_cell(cells.get((trend.models, value)), pooling) for value in values),
            number_cell(trend.slope_percent, sign="+"),
            p_cell(trend.slope_p),
            number_cell(trend.rho),
            p_cell(trend.rho_p),
            str(trend.n_suites if pooling == "none" else trend.n_models),
        ]
        for trend in trends
    ]
    what = "suites" if pooling == "none" else "models"
    series = f": {trends[0].series}" if trends[0].series else ""
    return plain_table(
        f"Accuracy by complexity of intervening material{series}",
        ["models", *map(step_cell, values), "slope", "p", "Spearman", "p", "n"],
        rows,
        caption=f"Mean ± standard error of the mean over {what} (n). Slope: percentage points per "
        f"unit of complexity, over the same n {what} throughout.",
    )


def _point_cell(point: ComplexityPoint | None, pooling: Pooling) -> str:
    if point is None:
        return "-"
    n = point.n_suites if pooling == "none" else point.n_models
    return f"{mean_sd_cell(point.accuracy, point.standard_error)} ({n})"
