"""Accuracy of models by circuit (or suite, language, ...), with intervals and chance."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pommel.analysis import Accuracies
from pommel.errors import UsageError, listed
from pommel.report.plots.theme import (
    COLOURS,
    PAPER,
    Rows,
    chance_layer,
    check_installed,
    in_facets,
    interval_layer,
    interval_note,
    named_in,
    ranged,
    row_axis,
    share_axis,
    share_domain,
    single_line,
    themed,
    tooltip,
)

if TYPE_CHECKING:
    import altair as alt


def circuit_chart(found: Accuracies) -> "alt.typing.ChartType":
    """Return a facet for each circuit, in it a row for each model.

    The rows are those of one level, whichever it is. A share of items has Wilson's interval, a mean
    over suites the stratified one, a family mean ± sd; where it was asked for, every mean over
    suites has ± the standard deviation over these. A mean over some of the suites that other models
    have is a hollow point. The values are those of `circuit_rows`. Raises `UsageError` where there
    is no accuracy.
    """
    check_installed()
    import altair as alt

    rows = circuit_rows(found)
    if not rows:
        raise UsageError("there is no accuracy to be shown: no suite has a score")
    base = alt.Chart().encode(y=row_axis(rows))
    # Of a model, of a family.
    shapes = alt.Scale(domain=[False, True], range=["circle", "diamond"])
    points = base.encode(
        x=share_axis("accuracy", share_domain(rows)),
        shape=alt.Shape("is_family:N", legend=None, scale=shapes),
        color=alt.value(COLOURS[0]),
        tooltip=tooltip(_SHOWN),
    )
    filled = points.mark_point(filled=True, opacity=1, size=55)
    layers = [chance_layer(base), interval_layer(base, COLOURS[0]), filled]
    if _partial(rows):
        hollow = points.mark_point(filled=False, fill=PAPER, opacity=1, size=55)
        partial = alt.datum.n_suites < alt.datum.n_suites_of_all
        layers[-1:] = [filled.transform_filter(~partial), hollow.transform_filter(partial)]
    chart, width = in_facets(layers, rows, ("model", "unit"))
    level = found.rows[0].level
    title = f"Accuracy by {level}" if level != "model" else "Accuracy over all suites"
    return themed(chart, title, [named_in(rows), *_notes(rows, found)], width=width)


# More means than these that are over fewer suites are counted.
_MOST_NAMED = 8

_SHOWN = "model:N unit:N accuracy:Q low:Q high:Q chance:Q n_suites:Q n_items:Q interval:N"


def circuit_rows(found: Accuracies) -> Rows:
    """Return one row each that has an accuracy; families of one member are left out.

    Of `n_suites_of_all` suites some model has an accuracy there, the row of `n_suites`.
    """
    uneven = found.uneven
    languages = {row.unit.language for row in found.shown}
    rows = []
    for row in found.shown:
        if math.isnan(row.accuracy):
            continue
        interval, kind = row.interval(), "stratified" if row.is_mean else "wilson"
        low, high, family = interval.low, interval.high, ""
        if row.is_family:
            low, high, kind = row.accuracy - row.sd, row.accuracy + row.sd, "sd"
            family = f" (mean of {row.n_members})"
        if not math.isnan(sd := row.sd_over_suites(found.sd)):
            low, high, kind = row.accuracy - sd, row.accuracy + sd, "sd over suites"
        values = {
            "model": single_line(row.label + family),
            "unit": single_line(row.about(with_language=len(languages) > 1)),
            "accuracy": row.accuracy,
            "low": low,
            "high": high,
            "interval": kind,
            "chance": row.chance,
            "n_suites": row.n_suites,
            "n_suites_of_all": uneven.get((row.level, row.unit), row.n_suites),
            "n_items": row.n_items,
            "is_family": row.is_family,
        }
        rows.append(values)
    return rows


def _partial(rows: Rows) -> list[str]:
    """Return of how many suites those means are that are not of all; none if all are."""
    return [
        f"{row['model']} on {row['unit']}: {row['n_suites']} of {row['n_suites_of_all']}"
        for row in rows
        if row["n_suites"] < row["n_suites_of_all"]
    ]


def _notes(rows: Rows, found: Accuracies) -> Iterator[str]:
    if partial := _partial(rows):
        yield (
            "Hollow: over some of the suites that other models have, and not to be compared with "
            f"these ({listed(partial, most=_MOST_NAMED)})."
        )
    shown = [row for row in rows if not math.isnan(row["low"])]
    kinds = {row["interval"] for row in shown}
    if found.sd and "sd over suites" in kinds:
        n = ranged(rows, {"n_suites": "suite"})
        divisor = "n" if found.sd == "population" else "n - 1"
        yield f"Means over {n} ± their standard deviation ({divisor}). Grey ticks: chance."
        return
    own = [row for row in shown if row["interval"] != "sd"]
    if own:
        n = ranged(rows, {"n_suites": "suite", "n_items": "item"})
        yield f"{interval_note('line', kinds)} Each of {n}. Grey ticks: chance."
    else:
        yield "Grey ticks: chance. Without intervals: items are not known."
    if "sd" in kinds:
        yield "Diamonds: mean of a family's members ± standard deviation (n - 1)."
