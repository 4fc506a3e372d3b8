"""Charts for a page: a specification, and the rows behind its marks apart from it, as columns."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pommel.errors import UsageError
from pommel.report.page.sections import Row, Section, packed
from pommel.report.plots.regions import region_chart, region_notes, region_rows
from pommel.report.plots.theme import Spec, caption_of, data_of, distinct

if TYPE_CHECKING:
    import altair as alt


class Chart(NamedTuple):
    """A chart, or why there is none (`why_not`); `block` is what `report.js` draws it from.

    `block` is {"spec": ..., "tables": [rows]}: of the specification, "data" says which of the
    tables (see `sections.packed`) has its rows.
    """

    key: str
    title: str
    block: Spec | None = None
    why_not: str = ""

    @property
    def caption(self) -> str:
        """What is to be known of a chart, below it."""
        return str(self.block["spec"]["description"]) if self.block else ""


def chart_of(key: str, title: str, make: "Callable[[], alt.TopLevelMixin]") -> Chart:
    """Return the chart that `make` makes, or what it says where it cannot make one."""
    try:
        spec = make().to_dict()
    except UsageError as error:
        return Chart(key, title, why_not=str(error))
    (rows,) = spec["datasets"].values()
    return Chart(key, title, block=_block(spec, rows))


def curves(key: str, section: Section) -> Chart:
    """Return the surprisal of each region, a line a condition and a facet a model."""
    title = "Surprisal by region"
    runs = [*section.runs.values()]
    if not runs:
        why_not = "no tokens are known of these runs, and so no surprisals of regions"
        return Chart(key, title, why_not=why_not)
    own_rows = [region_rows([each], each.surprisals.suite.metrics[0]) for each in runs]
    # Altair takes its time with rows, and what it makes of one model holds for all: of the one
    # that has most to show.
    n_shown = [sum(row["mean_bits"] is not None for row in rows) for rows in own_rows]
    fullest = runs[n_shown.index(max(n_shown))]
    try:
        spec = region_chart([fullest]).to_dict()
    except UsageError as error:
        return Chart(key, title, why_not=str(error))
    rows = [row for own in own_rows for row in own]
    spec["facet"]["sort"] = distinct(rows, "model")
    spec["description"] = caption_of(region_notes(rows, runs))
    return Chart(key, title, block=_block(spec, data_of(rows)["values"]))


def _block(spec: Spec, rows: Sequence[Row]) -> Spec:
    kept = {key: each for key, each in spec.items() if key != "datasets"}
    return {"spec": {**kept, "data": {"table": 0}}, "tables": [packed(rows)]}
