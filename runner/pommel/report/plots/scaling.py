"""Accuracy against the number of parameters, a line a family."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pommel.analysis import Scaling
from pommel.errors import UsageError, listed
from pommel.report.plots.lines import LinePlot, factor_axis, line_chart
from pommel.report.plots.theme import Rows, check_installed, single_line, single_series, themed

if TYPE_CHECKING:
    import altair as alt


def scaling_chart(result: Scaling) -> "alt.typing.ChartType":
    """Return a facet for each suite (circuit, ...), in it a point a model and a line a family.

    Parameters are on a logarithmic axis where they grow by factors. The values are those of
    `scaling_rows`. Raises `UsageError` where no model is of a family, of known size and has an
    accuracy.
    """
    check_installed()
    rows = scaling_rows(result)
    if not rows:
        raise UsageError(
            "there is no point to be shown: no model is of a family, of known size, and has run "
            "all the suites; `pommel import-results --size-family` says which models are one"
        )
    plot = LinePlot(
        x=factor_axis("n_parameters", [row["n_parameters"] for row in rows], "parameters"),
        series_title="family",
        shown="model:N series:N facet:N n_parameters:Q accuracy:Q n_members:Q",
    )
    chart, width = line_chart(rows, plot)
    notes = [*single_series("family", [row["series"] for row in rows]), *_notes(result)]
    return themed(chart, "Accuracy by size", notes, width=width)


def scaling_rows(result: Scaling) -> Rows:
    """Return one row a point that has an accuracy, by size within a family."""
    points = [point for point in result.points if not math.isnan(point.accuracy)]
    return [
        {
            "facet": single_line(point.name),
            "series": single_line(point.family),
            "model": single_line(point.model_name),
            "n_parameters": point.n_parameters,
            "accuracy": point.accuracy,
            "n_members": point.n_members,
        }
        for point in points
    ]


def _notes(result: Scaling) -> Iterator[str]:
    mean = " Mean over suites." if any(each.level != "suite" for each in result.points) else ""
    yield f"A line joins the sizes of a family.{mean}"
    if result.without_family:
        yield f"Not shown, of no family: {listed(result.without_family, most=5)}."
    if result.without_size:
        yield f"Not shown, of unknown size: {listed(result.without_size, most=5)}."
