"""Plots in which every model is a row and every suite or circuit a facet, or the reverse."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pommel.report.plots.theme import FAINT, QUIET, SHORTENED, label_width

if TYPE_CHECKING:
    import altair as alt

ROW_HEIGHT = 18
FACET_WIDTH = 150
# Facets stand beside one another while they are not wider than this together.
_PAGE_WIDTH = 960
_GAP = 14


def row_axis(names: Sequence[str], field: str = "model") -> "alt.Y":
    """Return the axis of models (or suites), from top to bottom in this order."""
    import altair as alt  # noqa: PLC0415 - `import pommel` stays fast without it

    return alt.Y(
        f"{field}:N",
        sort=None,
        scale=alt.Scale(domain=[*names]),
        axis=alt.Axis(
            title=None, labelExpr=SHORTENED, grid=True, gridColor=FAINT, ticks=False, domain=False
        ),
    )


def share_axis(field: str, domain: Sequence[float] = (0, 1)) -> "alt.X":
    """Return the axis of a share."""
    import altair as alt  # noqa: PLC0415 - `import pommel` stays fast without it

    return alt.X(
        f"{field}:Q",
        scale=alt.Scale(domain=[*domain]),
        axis=alt.Axis(title=None, values=[0, 0.25, 0.5, 0.75, 1], labelExpr=_SHORT, grid=True),
    )


# 0, .25 and so on: "0.25" beside "0.5" would stand too close.
_SHORT = (
    "datum.value == 0 ? '0' : datum.value == 1 ? '1' : substring(format(datum.value, '.2~f'), 1)"
)


def chance_layer(base: "alt.Chart", x: "alt.X") -> "alt.Chart":
    """Return the marks of chance, one a row."""
    known = base.transform_filter("isValid(datum.chance)")
    ticks: alt.Chart = known.mark_tick(color=QUIET, thickness=1.5, size=ROW_HEIGHT - 4).encode(x=x)
    return ticks


def in_facets(
    layers: "alt.LayerChart | alt.FacetChart",
    field: str,
    values: Sequence[str],
    rows: Sequence[str],
    *,
    facet_width: float = FACET_WIDTH,
) -> tuple["alt.FacetChart", float]:
    """Return a facet for each of the values, in this order, and about how wide they are together.

    All facets have the same rows; their names stand left of each row of facets.
    """
    import altair as alt  # noqa: PLC0415 - `import pommel` stays fast without it

    names_width = label_width(rows)
    fitting = int((_PAGE_WIDTH - names_width) / (facet_width + _GAP))
    n_columns = max(1, min(len(values), fitting))
    # The last row of facets is not to be a single one where rows can be even.
    n_columns = math.ceil(len(values) / math.ceil(len(values) / n_columns))
    chart = (
        layers.properties(width=facet_width, height=ROW_HEIGHT * len(rows))
        .facet(
            facet=alt.Facet(
                f"{field}:N",
                sort=[*values],
                title=None,
                header=alt.Header(labelExpr=SHORTENED, labelLimit=facet_width + _GAP),
            ),
            columns=n_columns,
            spacing={"row": 24, "column": _GAP},
        )
        .resolve_axis(x="independent")
    )
    return chart, names_width + n_columns * (facet_width + _GAP)
