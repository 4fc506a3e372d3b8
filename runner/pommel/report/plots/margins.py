"""Margins item by item: by how much a suite's predictions hold or fail."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pommel.analysis import ModelsCompared
from pommel.errors import UsageError, counted
from pommel.report.plots.theme import (
    COLOURS,
    FAILURE,
    INK,
    QUIET,
    ROW_HEIGHT,
    Rows,
    check_installed,
    in_facets,
    row_axis,
    single_line,
    themed,
    tooltip,
)
from pommel.scoring import RunRecord

if TYPE_CHECKING:
    import altair as alt

_FACET_WIDTH = 260


def margin_chart(records: Sequence[RunRecord]) -> "alt.typing.ChartType":
    """Return a facet for each model, in it a row for each suite with a mark for each item.

    Items on which the suite's predictions fail are crosses, those on which they hold thin ticks; a
    long tick is the median. The values are those of `margin_rows`. Raises `UsageError` where no
    margin is known, as of results that were published without their items.
    """
    check_installed()
    import altair as alt

    every = margin_rows(records)
    rows = [row for row in every if math.isfinite(row["margin_bits"])]
    if not rows:
        raise UsageError(
            "no item has a finite margin: a suite has no predictions, items are skipped, or "
            "results came without margins"
        )
    base = alt.Chart().encode(y=row_axis(rows, "suite"))
    x = alt.X("margin_bits:Q", axis=alt.Axis(title="margin (bits)", grid=False))
    shown = tooltip("model:N suite:N item_number:Q margin_bits:Q holds:N")
    layers = [
        base.transform_aggregate(groupby=["suite"], median_bits="median(margin_bits)")
        .mark_tick(color=INK, thickness=2, size=ROW_HEIGHT - 2)
        .encode(x=alt.X("median_bits:Q")),
        alt.Chart().mark_rule(color=QUIET, strokeWidth=1).encode(x=alt.datum(0)),
        base.transform_filter("datum.holds")
        .mark_tick(color=COLOURS[0], thickness=1, size=ROW_HEIGHT - 8, opacity=0.7)
        .encode(x=x, tooltip=shown),
        base.transform_filter("!datum.holds")
        .mark_point(shape=_CROSS, color=FAILURE, size=28, strokeWidth=1.2, opacity=0.9)
        .encode(x=x, tooltip=shown),
    ]
    chart, width = in_facets(layers, rows, ("suite", "model"), facet_width=_FACET_WIDTH)
    return themed(chart, "Margins of items by suite", [*_notes(every)], width=width)


# An x, in Vega's units: from -1 to 1.
_CROSS = "M-0.8,-0.8L0.8,0.8M-0.8,0.8L0.8,-0.8"


def margin_rows(records: Sequence[RunRecord]) -> Rows:
    """Return one row a model, suite and item that has a margin, suite by suite as in tables.

    The margin is the least of the predictions that have to hold together; under the score rule
    "each" every prediction is a row of its own (`suite` names it, too). It may be infinite.
    """
    found = ModelsCompared.of(records)
    return [
        {
            "model": single_line(each.label),
            "suite": single_line(f"{name} {column.label}".strip()),
            "item_number": int(number),
            "margin_bits": float(margin),
            "holds": bool(holds),
        }
        for name, keys in found.suites.items()
        for key in keys
        for each in found.models
        for column in each.columns(key)
        if column.is_listed
        for number, margin, holds in zip(
            column.item_numbers, column.margins_bits, column.holds, strict=True
        )
        if not math.isnan(margin)
    ]


def _notes(rows: Rows) -> Iterator[str]:
    n_failing = sum(not row["holds"] for row in rows)
    yield (
        f"A mark an item: x where predictions fail ({n_failing} of {len(rows)}), a thin tick where "
        "they hold; long ticks: medians."
    )
    if n_infinite := sum(math.isinf(row["margin_bits"]) for row in rows):
        yield f"Not shown: {counted(n_infinite, 'infinite margin')}."
