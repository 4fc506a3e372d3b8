"""The charts of pages, as SVG: those that `pommel report` draws, of what a page shows.

A chart is kept by what it shows, in light and in dark, so that it is drawn once.
"""

import hashlib
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from pommel.errors import UsageError
from pommel.models import Named
from pommel.report import PLOTS, Look
from pommel.serve import looking
from pommel.serve.shelf import Shelf
from pommel.serve.site import Download
from pommel.values import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    import altair as alt

Dark = Annotated[bool, msgspec.Meta(description="Whether it is for a page that is dark.")]
Narrow = Annotated[bool, msgspec.Meta(description="Whether facets stand below one another.")]


@frozen
class RegionsChartAsked:
    """Of which item of which suite (its key), and of which models' labels."""

    suite: str
    number: int
    model: tuple[str, ...]
    dark: Dark = False
    narrow: Narrow = False


def regions_chart(shelf: Shelf, asked: RegionsChartAsked) -> Download:
    """The surprisal of each region of an item, a line a condition and a facet a model."""
    catalog = shelf.catalog()
    with shelf.opened() as store:
        own = catalog.suite(asked.suite)
        on = catalog.by_model(own)
        wanted = [catalog.model(each) for each in asked.model[: looking.MOST_MODELS]]
        read = catalog.read(store, [on[each.number] for each in wanted if each.number in on])
        alone = looking.item_alone(looking.document_of(shelf, store, catalog, own), asked.number)
        found = {}
        for n, record in read.items():
            label = catalog.label(n)
            run = store.runs.evaluate_again(record, alone, record.choices)
            found[label] = run.renamed(Named(name=label))
    shows = [(label, run.surprisals.sentences) for label, run in found.items()]
    return _drawn(
        shelf,
        asked,
        f"regions {alone.sha256} {shows!r}",
        lambda: PLOTS["regions"].draw([*found.values()]),
    )


@frozen
class FamilyChartAsked:
    """Of which family (its key), and of which circuits or suites, as its page is asked."""

    key: str
    by: Literal["circuit", "suite", "all"] = "circuit"
    name: str = ""
    page: looking.PageNumber = 1
    baseline: str = ""
    dark: Dark = False
    narrow: Narrow = False


@frozen
class _Point:
    """The mean score at a step, of a circuit; with fields as `pommel.report` names them."""

    family: str
    axis: str
    name: str
    member: str
    axis_value: float
    accuracy: float
    n_items: int | None = None
    low: float = float("nan")
    high: float = float("nan")
    chance: float = float("nan")


@frozen
class _Path:
    """The points of a chart, and what is left out of it."""

    points: tuple[_Point, ...]
    incomplete: tuple[str, ...] = ()


def family_chart(shelf: Shelf, asked: FamilyChartAsked) -> Download:
    """The score along training, a facet a circuit; a baseline is a level line."""
    said = looking.family(
        shelf,
        looking.FamilyAsked(by=asked.by, name=asked.name, page=asked.page, baseline=asked.baseline),
        key=asked.key,
    )
    points = tuple(
        _Point(
            family=family_name,
            axis=said.axis,
            name=unit,
            member=f"{said.axis} {step:.15g}",
            axis_value=step,
            accuracy=score,
        )
        for unit, path, level in zip(said.units, said.paths, said.baseline, strict=True)
        for family_name, scores in (
            (said.name, path),
            (asked.baseline, [(step, level) for step, _ in path] if level is not None else []),
        )
        for step, score in scores
    )
    chart = PLOTS["training"].chart
    if not points or chart is None:
        raise UsageError("there is no step to be shown: no suite of these has a score")
    return _drawn(shelf, asked, f"family {points!r}", lambda: chart(_Path(points=points)))


def _drawn(
    shelf: Shelf,
    asked: RegionsChartAsked | FamilyChartAsked,
    shows: str,
    draw: "Callable[[], alt.TopLevelMixin]",
) -> Download:
    """Return a chart for a page that is light or dark; one thread draws at a time."""

    def made() -> tuple[str, str]:
        with shelf.drawing:
            return Look.on_pages(draw(), narrow=asked.narrow)

    key = hashlib.sha256(f"{asked.narrow} {shows}".encode("utf-8", "surrogatepass")).hexdigest()
    svg = shelf.charts.get(key, made)[asked.dark]
    return Download(name="", content=svg.encode(), media_type="image/svg+xml")
