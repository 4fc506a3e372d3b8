"""Surprisal region by region, a line a condition: the plot that the field thinks in."""

import math
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pommel.analysis import ModelsCompared, grouped
from pommel.errors import InputError, UsageError, counted, listed
from pommel.models import Named, Policy
from pommel.report.plots.theme import (
    FAINT,
    INK,
    LABEL_LINES,
    PAPER,
    Row,
    Rows,
    Spec,
    check_installed,
    data_of,
    distinct,
    label_width,
    named_in,
    ranged,
    series_channels,
    single_line,
    themed,
    tooltip,
)
from pommel.scoring import Run, RunRecord
from pommel.sources import find_suites
from pommel.statistics import Spread
from pommel.suite import LoadedSuite, Suite

if TYPE_CHECKING:
    import altair as alt


# Values of items x conditions x regions, or less.
Bits = NDArray[np.float64]

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


_MOST_MODELS = 5


def region_notes(rows: Rows, runs: Sequence[Run]) -> Iterator[str]:
    """Yield notes on rows as of `region_rows`, whatever models they are of, and on their runs."""
    known = [row for row in rows if row["n_items"]]
    yield f"Mean surprisal by region and condition over {ranged(known, {'n_items': 'item'})}."
    yield named_in(rows)
    # Of an infinite mean there are none, and none of one item's.
    drawn = {row["n_members"] > 0 for row in known if row["low_bits"] is not None}
    if False in drawn:
        yield (
            "Whiskers: ± 1 standard error within items (Cousineau 2005; Morey 2008), of the "
            "conditions that a prediction compares there, elsewhere of all."
        )
    if True in drawn:
        yield "Bands: ± 1 standard deviation (n - 1) of the means of a family's members."
    yield "Contents: first item."
    if any(row["is_compared"] for row in known):
        yield "Filled points and grey columns: what predictions compare."
    if n_infinite := sum(row["is_infinite"] for row in rows):
        verb = "is" if n_infinite == 1 else "are"
        yield f"∞: {counted(n_infinite, 'mean')} {verb} infinite, since a word has probability 0."
    partial = distinct([row for row in rows if row["missing"] == NOT_ASKED_FOR], "model")
    if partial:
        yield (
            f"{listed(partial, most=_MOST_MODELS)}: only the regions that predictions need; "
            f"{_how_to_score(runs, 'the others')}."
        )
    named = {*distinct(known, "model"), *partial}
    if without := [model for model in distinct(rows, "model") if model not in named]:
        yield f"{listed(without, most=_MOST_MODELS)}: no surprisal is known."


def _how_to_score(runs: Sequence[Run], what: str) -> str:
    """Return which commands score the regions that were not asked for, as others were scored."""
    commands: dict[tuple[str, ...], list[str]] = {}
    for run in runs:
        scored = run.surprisals
        values, table = scored.table.values[scored.suite.metrics[0]], scored.table
        if (np.isnan(values) & (table.n_tokens > table.n_unscored)).any():
            usual = asdict(Policy.default(scored.compat))
            told = {
                name: value for name, value in asdict(scored.policy).items() if value != usual[name]
            }
            told |= {"compat": scored.compat, "dtype": scored.model.is_half and scored.model.dtype}
            options = tuple(f"--{name} {value}" for name, value in told.items() if value)
            commands.setdefault(options, []).append(shlex.quote(scored.model.reference))
    name = shlex.quote(_source_of(runs[0].surprisals.suite))
    listed_commands = (
        f"`pommel run {' '.join([*dict.fromkeys(models), name, '--regions all', *options])}`"
        for options, models in commands.items()
    )
    return f"{' and '.join(listed_commands)} scores {what}"


def _source_of(suite: Suite) -> str:
    """Return what a command calls a suite: a shipped one's name, else its file's, most likely."""
    try:
        (path,) = find_suites(f"suites:{suite.name}")
        is_shipped = LoadedSuite.read(path).suite.sha256 == suite.sha256
    except (InputError, ValueError):
        is_shipped = False
    return suite.name if is_shipped else f"{suite.name}.json"


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

    The members of a family (seeds) are one facet: their mean, and a band of ± 1 standard deviation.
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
    rows = _family_means(region_rows(named, suite.metrics[0]), named)
    if all(row["mean_bits"] is None for row in rows):
        why = "the surprisal of no region is known"
        if any(row["is_infinite"] for row in rows):
            why = (
                "there is no finite surprisal to be shown: every region has a word of probability 0"
            )
        elif any(row["missing"] == NOT_ASKED_FOR for row in rows):
            why += f"; {_how_to_score(named, 'them')}"
        raise UsageError(f"{suite.name}: {why}")
    shown = {row["region"] for row in rows if row["n_items"]}
    labels = [label for label in region_labels(suite).values() if label in shown]
    step = max(_LEAST_REGION_WIDTH, label_width(labels) + 10)
    models = distinct(rows, "model")
    n_columns = max(1, min(len(models), int(_PAGE_WIDTH / (step * len(labels)))))
    chart: alt.FacetChart = (
        alt.layer(*_layers(suite, labels, step), data=data_of(rows))
        .resolve_legend(strokeDash="independent")
        .properties(width=step * len(labels), height=_HEIGHT)
        .facet(
            facet=alt.Facet("model:N", sort=models, title=None),
            columns=n_columns,
        )
        .resolve_axis(x="independent")
    )
    width = step * len(labels) * n_columns
    return themed(chart, suite.name, region_notes(rows, named), width=width)


def region_rows(runs: Sequence[Run], metric: str) -> Rows:
    """Return one row a model, condition and region, in bits.

    `mean_bits` is over the `n_items` in which the region has a scored token; it is None where there
    is no such item, and where a word of probability 0 makes it infinite (`is_infinite`). `missing`
    says why there is no such item though the region has tokens ("" where it has none): they were
    "not asked for", or are "unscored". `low_bits` and `high_bits` are where the whiskers end, a
    standard error within items from the mean (`Spread.errors_within_items`); one item has none.
    """
    return [row for each in runs for row in _rows(each, metric)]


def _rows(run: Run, metric: str) -> Iterator[Row]:
    suite, table = run.surprisals.suite, run.surprisals.table
    labels, compared = region_labels(suite), suite.compared_cells
    # A sum of nothing is no point.
    values = np.where(table.n_unscored >= table.n_tokens, np.nan, table.values[metric])
    errors = _errors(suite, values).tolist()
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
                "low_bits": items.mean - errors[c][r],
                "high_bits": items.mean + errors[c][r],
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
                "n_members": 0,
            }


def _errors(suite: Suite, values: Bits) -> Bits:
    """Return each mean's standard error within items, (n_conditions, n_regions).

    Together are the conditions that a prediction names in a region; if it names one alone there,
    with what it names alone in others. What no prediction names goes with all of its region.
    """
    conditions, numbers = suite.condition_names, suite.region_numbers
    groups: list[set[tuple[int, int]]] = []
    for prediction in suite.predictions:
        named: dict[int, set[tuple[int, int]]] = {}
        for each in prediction.formula.references:
            if each.region is not None:
                place = numbers.index(each.region)
                named.setdefault(place, set()).add((conditions.index(each.condition), place))
        alone = set[tuple[int, int]]().union(*(own for own in named.values() if len(own) == 1))
        for own in [*(own for own in named.values() if len(own) > 1), alone]:
            shared = [group for group in groups if group & own]
            groups = [*(group for group in groups if not group & own), own.union(*shared)]
    errors = np.full(values.shape[1:], math.nan)
    for place in range(len(numbers)):
        errors[:, place] = Spread.errors_within_items(values[:, :, place])
    for group in filter(None, groups):
        places = tuple(np.array(sorted(group)).T)
        errors[places] = Spread.errors_within_items(values[:, *places])
    return errors


def _family_means(rows: Rows, runs: Sequence[Run]) -> Rows:
    """Return the rows with one each of a family's members: their mean, ± standard deviation."""
    found = ModelsCompared.of(map(RunRecord.of, runs))
    label_of: dict[str, str] = {
        single_line(member.label): single_line(f"{family.label} (mean of {len(family.members)})")
        for member, family in found.family_of.items()
        if len(family.members) > 1
    }
    groups = grouped(
        rows,
        lambda row: (
            str(label_of.get(row["model"], row["model"])),
            row["condition"],
            row["region"],
        ),
    )
    return [
        own[0] if len(own) == 1 else _mean_row(model, own) for (model, _, _), own in groups.items()
    ]


def _mean_row(family: str, members: Rows) -> Row:
    means = Spread.of(
        math.inf
        if row["is_infinite"]
        else math.nan
        if row["mean_bits"] is None
        else row["mean_bits"]
        for row in members
    )
    ends = {
        "mean_bits": means.mean,
        "low_bits": means.mean - means.sd,
        "high_bits": means.mean + means.sd,
    }
    return {
        **members[0],
        "model": family,
        "n_items": max(row["n_items"] for row in members),
        **{name: end if math.isfinite(end) else None for name, end in ends.items()},
        "is_infinite": math.isinf(means.mean),
        "missing": "" if means.n else members[0]["missing"],
        "n_members": len(members),
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
            f"{listed([*suites], most=8)}; `--suite NAME` chooses one"
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
        axis=alt.Axis(title="region", labelAngle=0, labelExpr=LABEL_LINES, ticks=False),
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
    yield (
        every.transform_filter("datum.n_members && isValid(datum.low_bits)")
        .mark_area(opacity=0.18)
        .encode(y=alt.Y("low_bits:Q"), y2=alt.Y2(field="high_bits"), xOffset=offset, color=colour)
    )
    # Between its points, a line leaves out regions that are empty; at others without a mean it
    # breaks, since they have a surprisal.
    yield (
        every.transform_filter(f"{_HAS_POINT} || datum.missing")
        .mark_line(strokeWidth=1.5, invalid="break-paths-filter-domains")
        .encode(y=y, xOffset=offset, color=colour, strokeDash=dash)
    )
    base = every.transform_filter("isValid(datum.mean_bits)").encode(xOffset=offset)
    yield (
        base.transform_filter("!datum.n_members")
        .mark_rule(strokeWidth=1.2)
        .encode(y=alt.Y("low_bits:Q"), y2=alt.Y2(field="high_bits"), color=colour)
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
    for compared, fill in (("!", PAPER), ("", None)):
        mark: Spec = {"fill": fill} if fill else {}
        yield base.transform_filter(f"{compared}datum.is_compared").mark_point(
            filled=not fill, size=45, opacity=1, strokeWidth=1.5, **mark
        )


# How many pixels below the top the points are whose mean is infinite.
_INFINITE_AT = 20
_HAS_POINT = "isValid(datum.mean_bits) || datum.is_infinite"
_KNOWN = "model:N condition:N region_number:Q n_items:Q"
_BITS = "mean_bits:Q low_bits:Q high_bits:Q"
