"""Accuracy along the training of a model, with chance."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pommel.analysis import Training
from pommel.errors import UsageError, listed
from pommel.report.plots.lines import LinePlot, factor_axis, line_chart
from pommel.report.plots.theme import (
    Rows,
    check_installed,
    interval_note,
    single_line,
    single_series,
    themed,
)

if TYPE_CHECKING:
    import altair as alt


def training_chart(result: Training) -> "alt.typing.ChartType":
    """Return a facet for each suite (circuit, ...), in it a line for each family of steps.

    The values are those of `training_rows`. Raises `UsageError` where there is no step, and where
    some families have steps and others epochs, which have no common axis.
    """
    check_installed()
    rows = training_rows(result)
    if not rows:
        raise UsageError(
            "there is no step to be shown: no model is a step or epoch of a training with a score"
        )
    axes = [*dict.fromkeys(point.axis for point in result.points)]
    if len(axes) > 1:
        raise UsageError(
            f"some models are members by {axes[0]}, others by {axes[1]}; choose those of one axis"
        )
    plot = LinePlot(
        x=factor_axis("axis_value", [row["axis_value"] for row in rows], axes[0]),
        series_title="model",
        shown="series:N facet:N member:N accuracy:Q low:Q high:Q chance:Q",
        spread="band",
    )
    chart, width = line_chart(rows, plot)
    notes = [*single_series("model", [row["series"] for row in rows]), *_notes(result, rows)]
    return themed(chart, "Accuracy along training", notes, width=width)


def training_rows(result: Training) -> Rows:
    """Return one row a point, in the order of training."""
    return [
        {
            "facet": single_line(point.name),
            "series": single_line(point.family),
            "member": single_line(point.member),
            "axis_value": point.axis_value,
            "accuracy": point.accuracy,
            "low": point.low,
            "high": point.high,
            "chance": point.chance,
        }
        for point in result.points
    ]


def _notes(result: Training, rows: Rows) -> Iterator[str]:
    shown = [row for row in rows if not math.isnan(row["low"])]
    # Which of the two a point has, it does not say: of a single suite, Wilson's.
    first = [interval_note("band", ("wilson", "stratified"))] if shown else []
    if not all(math.isnan(row["chance"]) for row in rows):
        first.append("Dashed: chance.")
    yield " ".join(first)
    if result.incomplete:
        yield f"Without steps that lack a suite: {listed(result.incomplete, most=5)}."
