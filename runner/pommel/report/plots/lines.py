"""Plots with a line a series: accuracy against size, training, complexity."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pommel.report.plots.theme import (
    QUIET,
    SHORTENED,
    Rows,
    data_of,
    series_channels,
    share_domain,
    tooltip,
)

if TYPE_CHECKING:
    import altair as alt

_WIDTH, _HEIGHT = 250, 170
_MOST_COLUMNS = 3
_GAP = 24

# How far `low` and `high` reach: an area behind the line, or a whisker at each point.
Spread = Literal["band", "whiskers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePlot:
    """What is drawn of rows that have the fields `series`, `facet` and `accuracy`.

    `low` and `high` are drawn if there is a `spread`, and `chance` where rows have one. `shown` are
    the fields of the tooltip.
    """

    x: "alt.X"
    series_title: str
    shown: str
    spread: Spread | None = None


def line_chart(rows: Rows, plot: LinePlot) -> tuple["alt.FacetChart", float]:
    """Return a facet for each value of `facet`, and about how wide they are together.

    Series and facets come in the order of the rows.
    """
    import altair as alt  # noqa: PLC0415 - `import pommel` stays fast without it

    facets = [*dict.fromkeys(row["facet"] for row in rows)]
    series = [*dict.fromkeys(row["series"] for row in rows)]
    n_columns = math.ceil(len(facets) / math.ceil(len(facets) / _MOST_COLUMNS))
    chart = (
        alt.layer(*_layers(rows, series, plot), data=data_of(rows))
        .resolve_legend(strokeDash="independent")
        .properties(width=_WIDTH, height=_HEIGHT)
        .facet(
            facet=alt.Facet(
                "facet:N",
                sort=facets,
                title=None,
                header=alt.Header(labelExpr=SHORTENED, labelLimit=_WIDTH),
            ),
            columns=n_columns,
            spacing=_GAP,
        )
        .resolve_axis(x="independent")
    )
    return chart, n_columns * (_WIDTH + _GAP)


def _layers(rows: Rows, series: Sequence[str], plot: LinePlot) -> Iterator["alt.Chart"]:
    import altair as alt  # noqa: PLC0415 - `import pommel` stays fast without it

    channels = series_channels(series, "series", plot.series_title)
    colour, shape, dash = channels["color"], channels["shape"], channels["strokeDash"]
    base = alt.Chart().encode(x=plot.x)
    y = alt.Y("accuracy:Q", title="accuracy", scale=alt.Scale(domain=share_domain(rows)))
    low, high = alt.Y("low:Q"), alt.Y2(field="high")
    between = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    if plot.spread == "band":
        yield between.mark_area(opacity=0.18).encode(y=low, y2=high, color=colour)
    if any(not math.isnan(row.get("chance", math.nan)) for row in rows):
        yield (
            base.transform_filter("isValid(datum.chance)")
            .mark_line(color=QUIET, strokeWidth=1, strokeDash=[3, 3])
            .encode(y=alt.Y("chance:Q"), detail="series:N")
        )
    yield base.mark_line(strokeWidth=1.5).encode(y=y, color=colour, strokeDash=dash)
    if plot.spread == "whiskers":
        yield between.mark_rule(strokeWidth=1.2).encode(y=low, y2=high, color=colour)
    yield base.mark_point(filled=True, size=45, opacity=1).encode(
        y=y, color=colour, shape=shape, tooltip=tooltip(plot.shown)
    )


def factor_axis(field: str, values: Sequence[float], title: str) -> "alt.X":
    """Return the axis of numbers that may grow by factors: sizes, steps of a training.

    Where they do, it is logarithmic. Zero has no logarithm: with it the axis is linear up to the
    least other number.
    """
    import altair as alt  # noqa: PLC0415 - `import pommel` stays fast without it

    positive = [value for value in values if value > 0]
    grows = min(values) >= 0 and max(values) > _GROWS_BY * min(positive, default=math.inf)
    scale: dict[str, Any] = {"padding": _PADDING}
    axis: dict[str, Any] = {}
    if grows:
        has_zero = min(values) == 0
        scale |= {"type": "symlog", "constant": min(positive)} if has_zero else {"type": "log"}
        scale["nice"] = False
        axis["values"] = [*([0] if has_zero else []), *_ticks(min(positive), max(positive))]
    else:
        scale["zero"] = False
    # Vega writes a billion as SI does, "1G".
    shown = "replace(format(datum.value, '~s'), 'G', 'B')"
    return alt.X(
        f"{field}:Q",
        scale=alt.Scale(**scale),
        axis=alt.Axis(title=title, labelExpr=shown, grid=False, labelOverlap="greedy", **axis),
    )


_GROWS_BY = 8
_PADDING = 12
_FEW_DECADES = 2.5


def _ticks(low: float, high: float) -> list[float]:
    """Return powers of ten, over a few decades also twice and five times these."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1, 2, 5) if math.log10(high / low) < _FEW_DECADES else (1,)
    every = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
    return [tick for tick in every if low <= tick <= high]
