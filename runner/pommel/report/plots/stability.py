"""Stability: accuracy without and with intervening material, side by side."""

from typing import TYPE_CHECKING

from pommel.analysis import Stability, number_cell
from pommel.errors import UsageError
from pommel.report.plots.theme import (
    COLOURS,
    INK,
    PAPER,
    Rows,
    Spec,
    check_installed,
    distinct,
    in_facets,
    named_in,
    row_axis,
    share_axis,
    single_line,
    themed,
    tooltip,
)
from pommel.statistics import Interval

if TYPE_CHECKING:
    import altair as alt

MEAN = "mean over all"

_FACET_WIDTH = 190
# Where differences are written, right of the axis, which ends at 1.
_TEXT_AT = 1.06
_AXIS_END = 1.36


def stability_chart(stability: Stability) -> "alt.typing.ChartType":
    """Return a facet for each pair of suites, in it a row for each model.

    A hollow point is the accuracy without intervening material, a filled one that with it; beside
    them stands the difference, with a star where its interval excludes 0. The values are those of
    `stability_rows`. Raises `UsageError` where there is no pair.
    """
    check_installed()
    import altair as alt

    found = stability_rows(stability)
    if not found:
        raise UsageError(
            "there is no pair of suites to be shown: no run is of a suite that names another in "
            "meta.modifier_of, beside one of that suite"
        )
    pairs = sorted(distinct(found, "pair"), key=lambda pair: pair != MEAN)
    x = share_axis("accuracy", (0, _AXIS_END))
    shown = tooltip(_SHOWN)
    base = alt.Chart().encode(y=row_axis(found))
    points: Spec = {"size": 50, "opacity": 1, "color": COLOURS[0], "strokeWidth": 1.5}
    layers = [
        base.mark_rule(color=COLOURS[0], strokeWidth=1.5).encode(
            x=x, x2=alt.X2(field="modified_accuracy")
        ),
        base.mark_point(filled=False, fill=PAPER, **points).encode(x=x, tooltip=shown),
        base.mark_point(filled=True, **points).encode(
            x=alt.X("modified_accuracy:Q"), tooltip=shown
        ),
        base.mark_text(align="left", fontSize=10, color=INK).encode(
            x=alt.datum(_TEXT_AT), text=alt.Text("shown:N")
        ),
    ]
    chart, width = in_facets(
        layers, found, ("model", "pair"), facet_width=_FACET_WIDTH, facets=pairs
    )
    has_star = any(row["shown"].endswith("*") for row in found)
    notes = [
        named_in(found),
        "Share of items on which predictions hold. "
        "Hollow: without, filled: with intervening material. Numbers: with less without"
        + (", * where its 95% stratified score interval excludes 0." if has_star else "."),
    ]
    return themed(chart, "Accuracy without and with intervening material", notes, width=width)


_SHOWN = (
    "model:N suite:N modified_suite:N accuracy:Q modified_accuracy:Q difference:Q "
    "difference_low:Q difference_high:Q"
)


def stability_rows(stability: Stability) -> Rows:
    """Return one row each; families of one member are left out."""
    is_named = stability.has_languages
    return [
        {
            "model": single_line(
                f"{row.label} (mean of {row.n_members})" if row.is_family else row.label
            ),
            "pair": _pair(row.pairing.base, row.pairing.named(with_language=is_named)),
            "suite": row.pairing.base,
            "modified_suite": row.pairing.modified,
            "accuracy": row.accuracy_base,
            "modified_accuracy": row.accuracy_modified,
            "difference": row.difference,
            "difference_low": row.interval.low,
            "difference_high": row.interval.high,
            "shown": _shown(row.difference, row.interval),
        }
        for row in stability.shown
    ]


def _pair(base: str, modified: str) -> str:
    """Return two suites in two lines."""
    return f"{single_line(base)}\n→ {single_line(modified)}" if base else MEAN


def _shown(difference: float, interval: Interval) -> str:
    """Return a difference, with a star if its interval excludes 0."""
    is_clear = interval.low > 0 or interval.high < 0
    return f"{number_cell(difference, sign='+')}{'*' if is_clear else ''}"
