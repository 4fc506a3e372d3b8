"""Surprisal region by region, a line a condition: the plot that the field thinks in."""

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pommel.analysis import ModelsCompared
from pommel.errors import UsageError, counted, listed
from pommel.models import Named
from pommel.report.plots.theme import (
    FAINT,
    INK,
    LABEL_LINES,
    Row,
    Rows,
    Spec,
    check_installed,
    data_of,
    distinct,
    label_width,
    series_channels,
    single_line,
    themed,
    tooltip,
)
from pommel.report.suite_preview import compared_cells
from pommel.scoring import Run, RunRecord
from pommel.statistics import Spread
from pommel.suite import Suite

if TYPE_CHECKING:
    import altair as alt


_LONGEST_LINE = 16
_MOST_LINES = 3
_MOST_CONTENTS = 2


def region_labels(suite: Suite) -> dict[int, str]:
    """Return the labels by region number, ascending; lines are parted by line breaks.

    Behind the name come what the first item has in the region, over its conditions: two different
    contents at most, dots for more.
    """
    found = {}
    for number in suite.region_numbers:
        name = single_line(suite.region_names[number]) if suite.region_names.get(number) else ""
        # The blanks are where a long name may be broken.
        text = f"{number} {name}".replace("_", " ").strip()
        lines = [*_lines(text, most=_MOST_LINES), *_contents(suite, number)]
        found[number] = "\n".join(lines)
    return found


def _contents(suite: Suite, number: int) -> list[str]:
    item = suite.items[0]
    found = dict.fromkeys(
        region.text
        for name in suite.condition_names
        for region in item.condition(name).regions
        if region.number == number and region.text
    )
    shown = [*found][:_MOST_CONTENTS]
    lines = [line for text in shown for line in _lines(f'"{single_line(text)}"', most=2)]
    return [*lines, "…"] if len(found) > len(shown) else lines


def _lines(text: str, *, most: int) -> list[str]:
    """Return the text broken into so many lines at most; what is left out has an ellipsis."""
    return textwrap.wrap(text, _LONGEST_LINE, max_lines=most, placeholder=" …") or [text]


# Why a region that has tokens has no surprisal (see `region_rows`).
NOT_ASKED_FOR, UNSCORED = "not asked for", "unscored"

SCORES_THE_OTHERS = "`pommel run --regions all` scores {}"

_MOST_MODELS = 5


def region_notes(rows: Rows) -> Iterator[str]:
    """Yield notes on rows as of `region_rows`, whatever models they are of."""
    known = [row for row in rows if row["n_items"]]
    least, most = (end(row["n_items"] for row in known) for end in (min, max))
    items = counted(most, "item") if least == most else f"{least} to {most} items"
    # Of an infinite mean there are none, and none of one item's.
    has_whiskers = any(row["low_bits"] is not None for row in known)
    whiskers = "; whiskers: ± 1 standard error" if has_whiskers else ""
    yield f"Mean over {items}{whiskers}. Contents: first item."
    if any(row["is_compared"] for row in known):
        yield "Filled points and grey columns: what predictions compare."
    if n_infinite := sum(row["is_infinite"] for row in rows):
        verb = "is" if n_infinite == 1 else "are"
        yield f"∞: {counted(n_infinite, 'mean')} {verb} infinite, since a word has probability 0."
    partial = distinct([row for row in rows if row["missing"] == NOT_ASKED_FOR], "model")
    if partial:
        yield (
            f"{listed(partial, most=_MOST_MODELS)}: only the regions that predictions need "
            f"({SCORES_THE_OTHERS.format('the others')})."
        )
    named = {*distinct(known, "model"), *partial}
    if without := [model for model in distinct(rows, "model") if model not in named]:
        yield f"{listed(without, most=_MOST_MODELS)}: no surprisal is known."


def named_runs(runs: Sequence[Run]) -> list[Run]:
    """Return the results under the names that analyses give their models (`ModelsCompared`)."""
    records = [(RunRecord.of(run), run) for run in runs]
    by_id = {record.run_id: run for record, run in records}
    return [
        by_id[record.run_id].renamed(
            Named(name=compared.label, membership=record.result.membership)
        )
        for compared in ModelsCompared.of(record for record, _ in records).models
        for record in compared.records
    ]


_HEIGHT = 200
_LEAST_REGION_WIDTH = 56
# How much of a region's width its conditions take.
_SPREAD_OUT = 0.3
# Facets stand beside one another while they are not wider than this together.
_PAGE_WIDTH = 1000


def region_chart(runs: Sequence[Run]) -> "alt.typing.ChartType":
    """Return the mean surprisal of every region, a line a condition and a facet a model.

    The runs are of one suite; its first metric is drawn. Filled points are the regions that some
    prediction looks at in that condition, and a column behind them is grey where it looks at any
    condition. An infinite mean is marked at the top; lines end before it, and
    before a region that is there but not scored. The values are those of `region_rows`. Raises
    `UsageError` for runs of several suites or of several versions of one, for none at all, and
    where no surprisal is known or none is finite.
    """
    check_installed()
    import altair as alt

    suite = _suite_of(runs)
    named = named_runs(runs)
    rows = region_rows(named, suite.metrics[0])
    if all(row["mean_bits"] is None for row in rows):
        why = "the surprisal of no region is known"
        if any(row["is_infinite"] for row in rows):
            why = (
                "there is no finite surprisal to be shown: every region has a word of probability 0"
            )
        elif any(row["missing"] == NOT_ASKED_FOR for row in rows):
            why += f"; {SCORES_THE_OTHERS.format('them')}"
        raise UsageError(f"{suite.name}: {why}")
    shown = {row["region"] for row in rows if row["n_items"]}
    labels = [label for label in region_labels(suite).values() if label in shown]
    step = max(_LEAST_REGION_WIDTH, label_width(labels) + 10)
    n_columns = max(1, min(len(named), int(_PAGE_WIDTH / (step * len(labels)))))
    chart: alt.FacetChart = (
        alt.layer(*_layers(suite, labels, step), data=data_of(rows))
        .resolve_legend(strokeDash="independent")
        .properties(width=step * len(labels), height=_HEIGHT)
        .facet(
            facet=alt.Facet("model:N", sort=distinct(rows, "model"), title=None),
            columns=n_columns,
        )
        .resolve_axis(x="independent")
    )
    width = step * len(labels) * n_columns
    return themed(chart, suite.name, [*region_notes(rows)], width=width)


def region_rows(runs: Sequence[Run], metric: str) -> Rows:
    """Return one row a model, condition and region, in bits.

    `mean_bits` is over the `n_items` in which the region has a scored token; it is None where there
    is no such item, and where a word of probability 0 makes it infinite (`is_infinite`). `missing`
    says why there is no such item though the region has tokens ("" where it has none): they were
    "not asked for", or are "unscored". `low_bits` and `high_bits` are where the whiskers end, a
    standard error from the mean; one item has none.
    """
    return [row for each in runs for row in _rows(each, metric)]


def _rows(run: Run, metric: str) -> Iterator[Row]:
    suite, table = run.surprisals.suite, run.surprisals.table
    labels, compared = region_labels(suite), compared_cells(suite)
    # A sum of nothing is no point.
    values = np.where(table.n_unscored >= table.n_tokens, np.nan, table.values[metric])
    for c, condition in enumerate(table.condition_names):
        for r, number in enumerate(table.region_numbers):
            items = Spread.of(values[:, c, r].tolist())
            n_tokens, n_unscored = table.n_tokens[:, c, r], table.n_unscored[:, c, r]
            missing = ""
            if not items.n and n_tokens.any():
                # What can be scored and has no value was not asked for.
                missing = NOT_ASKED_FOR if (n_tokens > n_unscored).any() else UNSCORED
            ends = {
                "mean_bits": items.mean,
                "low_bits": items.mean - items.standard_error,
                "high_bits": items.mean + items.standard_error,
            }
            yield {
                "model": single_line(run.result.model_name),
                "condition": single_line(condition),
                "region_number": number,
                "region": labels[number],
                # Of a whole sentence all are: to mark every region would tell nothing.
                "is_compared": (condition, number) in compared,
                "n_items": items.n,
                **{name: end if math.isfinite(end) else None for name, end in ends.items()},
                "is_infinite": math.isinf(items.mean),
                "missing": missing,
            }


def _suite_of(runs: Sequence[Run]) -> Suite:
    """Return the suite that all runs are of."""
    versions = [run.surprisals.suite for run in runs]
    suites = {each.name: each for each in versions}
    if not suites:
        raise UsageError("there is no run with tokens; results of others have none")
    if len(suites) > 1:
        raise UsageError(
            f"a plot of regions is of one suite, and these runs are of {len(suites)}: "
            f"{listed([*suites], most=8)}"
        )
    (suite,) = suites.values()
    hashes = {each.sha256 for each in versions}
    if len(hashes) > 1:
        raise UsageError(
            f"these runs are of {len(hashes)} versions of {suite.name}; choose those of one"
        )
    return suite


def _layers(suite: Suite, labels: Sequence[str], step: float) -> Iterator["alt.Chart"]:
    import altair as alt

    conditions = [single_line(name) for name in suite.condition_names]
    series = series_channels(conditions, "condition", "condition")
    colour, shape, dash = series["color"], series["shape"], series["strokeDash"]
    x = alt.X(
        "region:N",
        sort=None,
        scale=alt.Scale(domain=[*labels], padding=0),
        axis=alt.Axis(title=None, labelAngle=0, labelExpr=LABEL_LINES, ticks=False),
    )
    # Conditions stand a little apart, in the middle of their region.
    spread_out = [step * (0.5 - _SPREAD_OUT / 2), step * (0.5 + _SPREAD_OUT / 2)]
    offset = alt.XOffset(
        "condition:N", scale=alt.Scale(type="point", domain=conditions, range=spread_out)
    )
    metric = suite.metrics[0]
    title = "surprisal (bits)" if metric == "sum" else f"{metric} surprisal of the tokens (bits)"
    y = alt.Y("mean_bits:Q", title=title, scale=alt.Scale(zero=False))
    every = alt.Chart().encode(x=x)
    yield (
        every.transform_filter(f"({_HAS_POINT}) && datum.is_compared")
        .transform_aggregate(n="count()", groupby=["region"])
        .mark_rect(color=FAINT, opacity=0.7, width=step - 4)
    )
    # Between its points, a line leaves out regions that are empty; at others without a mean it
    # breaks, since they have a surprisal.
    yield (
        every.transform_filter(f"{_HAS_POINT} || datum.missing")
        .mark_line(strokeWidth=1.5, invalid="break-paths-filter-domains")
        .encode(y=y, xOffset=offset, color=colour, strokeDash=dash)
    )
    base = every.transform_filter("isValid(datum.mean_bits)").encode(xOffset=offset)
    yield base.mark_rule(strokeWidth=1.2).encode(
        y=alt.Y("low_bits:Q"), y2=alt.Y2(field="high_bits"), color=colour
    )
    looks = {"color": colour, "shape": shape}
    yield from _points(base.encode(y=y, tooltip=tooltip(f"{_KNOWN} {_BITS}"), **looks))
    infinite = every.transform_filter("datum.is_infinite")
    at_top = infinite.encode(y=alt.value(_INFINITE_AT), xOffset=offset, tooltip=tooltip(_KNOWN))
    yield from _points(at_top.encode(**looks))
    yield (
        infinite.transform_aggregate(n="count()", groupby=["region"])
        .mark_text(text="∞", color=INK, fontSize=15)
        .encode(y=alt.value(_INFINITE_AT - 13))
    )


def _points(base: "alt.Chart") -> Iterator["alt.Chart"]:
    """Yield the points of what no prediction looks at, which are hollow, and the others."""
    for compared, fill in (("!", "white"), ("", None)):
        mark: Spec = {"fill": fill} if fill else {}
        yield base.transform_filter(f"{compared}datum.is_compared").mark_point(
            filled=not fill, size=45, opacity=1, strokeWidth=1.5, **mark
        )


# How many pixels below the top the points are whose mean is infinite.
_INFINITE_AT = 20
_HAS_POINT = "isValid(datum.mean_bits) || datum.is_infinite"
_KNOWN = "model:N condition:N region_number:Q n_items:Q"
_BITS = "mean_bits:Q low_bits:Q high_bits:Q"
