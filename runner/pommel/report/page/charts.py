"""Charts for a page: a specification, and the rows behind its marks apart from it, as columns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pommel.errors import UsageError
from pommel.report.page.sections import Packed, Section, packed
from pommel.report.plots.regions import NamedRun, region_chart, region_notes, region_rows
from pommel.report.plots.theme import data_of, note_lines, single_line

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart, or why there is none (`why_not`); `block` is what `report.js` draws it from.

    `block` is {"spec": ..., "tables": [...]}: where the specification had rows, {"table": n} stands
    for the n-th of the tables (see `packing.packed`).
    """

    key: str
    title: str
    block: Mapping[str, object] | None = None
    why_not: str = ""


def chart_of(key: str, title: str, make: "Callable[[], alt.TopLevelMixin]") -> Chart:
    """Return the chart that `make` makes, or what it says where it cannot make one."""
    try:
        spec = make().to_dict()
    except UsageError as error:
        return Chart(key=key, title=title, why_not=str(error))
    return _chart(key, title, spec)


def curves(key: str, section: Section) -> Chart:
    """Return the surprisal of each region, a line a condition and a facet a model."""
    title = "Surprisal by region"
    runs = [NamedRun(label=single_line(name), run=run) for name, run in section.runs.items()]
    if not runs:
        why_not = "no tokens are known of these runs, and so no surprisals of regions"
        return Chart(key=key, title=title, why_not=why_not)
    own_rows = [region_rows([each], each.run.surprisals.suite.metrics[0]) for each in runs]
    # Altair takes its time with rows, and what it makes of one model holds for all: of the one
    # that has most to show.
    n_shown = [sum(row["mean_bits"] is not None for row in rows) for rows in own_rows]
    fullest = runs[n_shown.index(max(n_shown))]
    try:
        spec = region_chart([fullest.run]).to_dict()
    except UsageError as error:
        return Chart(key=key, title=title, why_not=str(error))
    spec["facet"]["sort"] = [each.label for each in runs]
    rows = [row for own in own_rows for row in own]
    spec["data"] = data_of(rows)
    # Facets may stand below one another: lines are as long as one is wide.
    notes = region_notes(rows, "standard error")
    spec["title"]["subtitle"] = note_lines(notes, spec["spec"]["width"])
    return _chart(key, title, spec)


def _chart(key: str, title: str, spec: Mapping[str, object]) -> Chart:
    tables: list[Packed] = []
    block = {"spec": _without_rows(spec, tables), "tables": tables}
    return Chart(key=key, title=title, block=block)


def _without_rows(value: object, tables: list[Packed]) -> object:
    """Return a part of a specification; rows that it has are added to the tables."""
    if isinstance(value, list):
        return [_without_rows(each, tables) for each in value]
    if not isinstance(value, dict):
        return value
    kept: dict[str, object] = {}
    for key, each in value.items():
        rows = each.get("values") if key == "data" and isinstance(each, dict) else None
        if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
            kept[key] = {"table": len(tables)}
            tables.append(packed(rows))
        else:
            kept[key] = _without_rows(each, tables)
    return kept
