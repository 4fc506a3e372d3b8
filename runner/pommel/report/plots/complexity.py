"""Accuracy against complexity, as in figure 3 of Kryvosheieva and Levy (2025)."""

import math
from typing import TYPE_CHECKING, Any

from pommel.analysis import Complexity
from pommel.errors import UsageError
from pommel.report.plots.lines import LinePlot, line_chart
from pommel.report.plots.theme import Rows, check_installed, single_line, single_series, themed

if TYPE_CHECKING:
    import altair as alt

_MOST_TICKS = 8


def complexity_chart(result: Complexity) -> "alt.typing.ChartType":
    """Return a facet for each series of suites, in it a line for each model (family).

    The values are those of `complexity_rows`. Raises `UsageError` where there is no point.
    """
    check_installed()
    import altair as alt  # noqa: PLC0415 - `import pommel` stays fast without it

    rows = complexity_rows(result)
    if not rows:
        raise UsageError(
            "there is no point to be shown: no suite with a score says its meta.complexity"
        )
    values = sorted({row["complexity"] for row in rows})
    # A tick for each, where there is room for it.
    ticks: dict[str, Any] = {"values": values} if len(values) <= _MOST_TICKS else {}
    plot = LinePlot(
        x=alt.X(
            "complexity:Q",
            scale=alt.Scale(zero=False, padding=12),
            axis=alt.Axis(title="complexity of the intervening material", grid=False, **ticks),
        ),
        series_title="models",
        shown="series:N facet:N complexity:Q accuracy:Q standard_error:Q n_models:Q n_suites:Q",
        spread="whiskers",
    )
    chart, width = line_chart(rows, plot)
    is_alone = all(point.n_models == 1 for point in result.points)
    what = "suites" if is_alone else "models"
    notes = [f"Whiskers: ± 1 standard error of the mean over {what}."]
    if all(math.isnan(row["standard_error"]) for row in rows):
        notes = [f"Means over {what}; a single value has no standard error."]
    named = single_series("models", [row["series"] for row in rows])
    return themed(chart, "Accuracy by complexity", [*named, *notes], width=width)


def complexity_rows(result: Complexity) -> Rows:
    """Return one row a point; `low` and `high` are a standard error from the accuracy."""
    return [
        {
            "facet": single_line(point.series),
            "series": single_line(point.models),
            "complexity": point.complexity,
            "accuracy": point.accuracy,
            "standard_error": point.standard_error,
            "low": point.accuracy - point.standard_error,
            "high": point.accuracy + point.standard_error,
            "n_models": point.n_models,
            "n_suites": point.n_suites,
        }
        for point in result.points
    ]
