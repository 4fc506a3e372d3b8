"""Plots with a line a series: accuracy against size, training, complexity, another number."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from pommel.analysis import Complexity, Scaling
from pommel.errors import UsageError, listed
from pommel.report.plots.theme import (
    QUIET,
    Rows,
    Spec,
    check_installed,
    data_of,
    distinct,
    evenly,
    facet_of,
    interval_note,
    label_width,
    named_in,
    ranged,
    series_channels,
    share_domain,
    single_line,
    themed,
    tooltip,
)

if TYPE_CHECKING:
    import altair as alt
    from _typeshed import DataclassInstance

_WIDTH, _HEIGHT = 250, 170
_MOST_COLUMNS = 3
_GAP = 24
# How far a name is over its point, and names from each other, in pixels.
_OVER_POINT, _LINE, _APART = 9, 12, 4

# How far `low` and `high` reach: an area behind the line, or a whisker at each point.
Spread = Literal["band", "whiskers"]


class LinePlot(NamedTuple):
    """What is drawn of rows that have the fields `series`, `facet` and `accuracy`.

    `low` and `high` are drawn if there is a `spread`, and `chance` where rows have one. `shown` are
    the fields of the tooltip.
    """

    x: "alt.X"
    series_title: str
    shown: str
    spread: Spread | None = None


def scaling_chart(result: Scaling) -> "alt.typing.ChartType":
    """Return a facet for each suite (circuit, ...), in it a point a model and a line a family.

    Parameters are on a logarithmic axis where they grow by factors. Points are those that have an
    accuracy, by size within a family. Raises `UsageError` where no model is of a family, of known
    size and has an accuracy.
    """
    points = [each for each in result.points if not math.isnan(each.accuracy)]
    rows = _rows(
        points,
        facet="name",
        series="family",
        why_empty="there is no point to be shown: no model is of a family, of known size, and has "
        "run all the suites; `pommel import-results --size-family` says which models are one",
    )
    plot = LinePlot(
        x=factor_axis("n_parameters", [row["n_parameters"] for row in rows], "parameters"),
        series_title="family",
        shown="model_name:N series:N facet:N n_parameters:Q accuracy:Q n_members:Q",
    )
    notes = ["A line joins the sizes of a family."]
    if any(each.level != "suite" for each in points):
        notes.append(f"Mean over {ranged(rows, {'n_suites': 'suite'})}.")
    if result.without_family:
        notes.append(f"Not shown, of no family: {listed(result.without_family, most=5)}.")
    if result.without_size:
        notes.append(f"Not shown, of unknown size: {listed(result.without_size, most=5)}.")
    return _line_chart("Accuracy by size", rows, plot, notes)


class AlongTraining(Protocol):
    """What has become of scores on the way: points with the fields of `TrainingPoint`.

    `incomplete` are the members that are left out of some.
    """

    @property
    def points(self) -> "Sequence[DataclassInstance]":
        """One a step and suite (circuit, ...), in the order of training."""
        ...

    @property
    def incomplete(self) -> Sequence[str]:
        """The members that lack a suite."""
        ...


def training_chart(result: AlongTraining) -> "alt.typing.ChartType":
    """Return a facet for each suite (circuit, ...), in it a line for each family of steps.

    Raises `UsageError` where there is no step, and where some families have steps and others
    epochs, which have no common axis.
    """
    rows = _rows(
        result.points,
        facet="name",
        series="family",
        why_empty="there is no step to be shown: no model is a step or epoch of a training with a "
        "score",
    )
    axes = distinct(rows, "axis")
    if len(axes) > 1:
        raise UsageError(
            f"some models are members by {axes[0]}, others by {axes[1]}; choose those of one axis"
        )
    plot = LinePlot(
        x=factor_axis("axis_value", [row["axis_value"] for row in rows], axes[0]),
        series_title="model",
        shown="series:N facet:N member:N accuracy:Q low:Q high:Q chance:Q",
        spread="band",
    )
    # Which of the two intervals a point has, it does not say: of a single suite, Wilson's.
    has_bands = not all(math.isnan(row["low"]) for row in rows)
    n = ranged(rows, {"n_items": "item"})
    notes = [f"Each point of {n}." if n else ""]
    if _thin(rows, "axis_value"):
        notes.append("Of long lines not every step has a point.")
    if has_bands:
        notes.append(interval_note("band", ("wilson", "stratified")))
    if not all(math.isnan(row["chance"]) for row in rows):
        notes.append("Dashed: chance.")
    if result.incomplete:
        notes.append(f"Without steps that lack a suite: {listed(result.incomplete, most=5)}.")
    return _line_chart("Accuracy along training", rows, plot, notes)


# A line has so many points, or one more; others would lie on each other.
_MOST_POINTS = 25


def _thin(rows: Rows, field: str) -> bool:
    """Say of rows which ones have a point (`has_point`), if a line is of too many.

    The axis of `field` is cut into as many pieces, and a line's last row in each has a point.
    """
    if max(Counter((row["facet"], row["series"]) for row in rows).values()) <= _MOST_POINTS:
        return False
    least = min((row[field] for row in rows if row[field] > 0), default=1)
    places = [math.asinh(row[field] / least) for row in rows]
    piece = (max(places) - min(places)) / _MOST_POINTS or 1
    cut = zip(rows, places, strict=True)
    for row in {(row["facet"], row["series"], at // piece): row for row, at in cut}.values():
        row["has_point"] = True
    return True


_MOST_TICKS = 8


def complexity_chart(result: Complexity) -> "alt.typing.ChartType":
    """Return a facet for each series of suites, in it a line for each model (family).

    `low` and `high` are a standard error from the accuracy, as in figure 3 of Kryvosheieva and Levy
    (2025). Raises `UsageError` where there is no point.
    """
    rows = _rows(
        result.points,
        facet="series",
        series="models",
        why_empty="there is no point to be shown: no suite with a score says its meta.complexity",
    )
    for row in rows:
        row["low"] = row["accuracy"] - row["standard_error"]
        row["high"] = row["accuracy"] + row["standard_error"]
    import altair as alt

    values = sorted({row["complexity"] for row in rows})
    # A tick for each, where there is room for it.
    ticks: Spec = {"values": values} if len(values) <= _MOST_TICKS else {}
    plot = LinePlot(
        x=alt.X(
            "complexity:Q",
            scale=alt.Scale(zero=False, padding=12),
            axis=alt.Axis(title="complexity of the intervening material", grid=False, **ticks),
        ),
        series_title="model",
        shown="series:N facet:N complexity:Q accuracy:Q standard_error:Q n_models:Q n_suites:Q",
        spread="whiskers",
    )
    what = "suites" if all(row["n_models"] == 1 for row in rows) else "models"
    if all(math.isnan(row["standard_error"]) for row in rows):
        note = f"Means over {what}; a single value has no standard error."
    else:
        note = f"Whiskers: ± 1 standard error of the mean over {what}."
    n = ranged(rows, {"n_models": "model", "n_suites": "suite"})
    return _line_chart("Accuracy by complexity", rows, plot, [f"Each point of {n}.", note])


class AgainstNumbers(Protocol):
    """Accuracies against a number of languages (circuits, ...), with the fields of `AccuracyPair`.

    `number` is what the number is called.
    """

    @property
    def pairs(self) -> "Sequence[DataclassInstance]":
        """One a model (family) and key."""
        ...

    @property
    def number(self) -> str:
        """What the number is called."""
        ...


def correlation_chart(result: AgainstNumbers) -> "alt.typing.ChartType":
    """Return a point a language (circuit, ...) and model, with its name, and a line a model.

    The line is that of least squares, as in figure 3 of Mueller et al. (2020). Raises `UsageError`
    where there is no point.
    """
    rows = _rows(
        result.pairs,
        facet="level",
        series="models",
        why_empty="there is no point to be shown: nothing has both a number and an accuracy",
    )
    n_nameless = _name_points(rows)
    import altair as alt

    channels = series_channels(distinct(rows, "series"), "series", "model")
    scale = alt.Scale(zero=False, nice=False, padding=_PADDING)
    axis = alt.Axis(title=single_line(result.number), grid=False)
    base = alt.Chart(data_of(rows)).encode(
        x=alt.X("value:Q", scale=scale, axis=axis),
        y=alt.Y("accuracy:Q", title="accuracy", scale=alt.Scale(domain=share_domain(rows))),
    )
    colour, dash = channels["color"], channels["strokeDash"]
    line = (
        base.transform_regression("value", "accuracy", groupby=["series"])
        .mark_line(strokeWidth=1.5, clip=True)
        .encode(color=colour, strokeDash=dash)
    )
    points = base.mark_point(filled=True, size=45, opacity=1).encode(
        color=colour,
        shape=channels["shape"],
        tooltip=tooltip("series:N key:N value:Q accuracy:Q n_suites:Q n_models:Q"),
    )
    names = (
        base.mark_text(dy=-_OVER_POINT, align=side)
        .transform_filter(alt.datum.name_side == side)
        .encode(text="name:N")
        for side in ("left", "center", "right")
    )
    chart = (
        alt.layer(line, points, *names)
        .resolve_legend(strokeDash="independent")
        .properties(width=_WIDTH + _GAP, height=_HEIGHT)
    )
    notes = [named_in(rows, "series", "model"), "Lines of least squares."]
    notes.append(f"Each point over {ranged(rows, {'n_models': 'model', 'n_suites': 'suite'})}.")
    if n_nameless:
        notes.append(f"{n_nameless} of the names are left out, which would lie on others.")
    title = f"Accuracy by a number of each {rows[0]['level']}"
    return themed(chart, title, notes, width=_WIDTH + _GAP)


def _name_points(rows: Rows) -> int:
    """Give each key's highest point its name (`name`, `name_side`), if it lies on no other's.

    Return how many keys have none. A name begins or ends at its point where the middle would be
    beyond an edge.
    """
    width = _WIDTH + _GAP - 2 * _PADDING
    values = [row["value"] for row in rows]
    scale = width / ((max(values) - min(values)) or 1)
    highest = {row["key"]: row for row in sorted(rows, key=lambda row: row["accuracy"])}
    taken: list[tuple[float, float, float]] = []
    for row in rows:
        row["name"] = row["name_side"] = ""
    # The lowest first: more stand together where accuracies are high.
    for key, row in sorted(highest.items(), key=lambda pair: pair[1]["accuracy"]):
        x, y = (row["value"] - min(values)) * scale, row["accuracy"] * _HEIGHT
        half = label_width([key]) / 2
        side = "left" if x < half else "right" if x > width - half else "center"
        middle = x + {"left": half, "center": 0, "right": -half}[side]
        box = (middle - half - _APART, middle + half + _APART, y)
        if all(
            box[1] < start or end < box[0] or abs(y - other) > _LINE for start, end, other in taken
        ):
            taken.append(box)
            row["name"], row["name_side"] = key, side
    return len(highest) - len(taken)


def _rows(
    points: "Iterable[DataclassInstance]", *, facet: str, series: str, why_empty: str
) -> Rows:
    """Return a row a point with its fields, two of which say its facet and its series.

    Raises `UsageError` where there is none.
    """
    check_installed()
    found = []
    for point in points:
        row = {
            name: single_line(value) if isinstance(value, str) else value
            for name, value in asdict(point).items()
            if not isinstance(value, tuple)
        }
        found.append({**row, "facet": row[facet], "series": row[series]})
    if not found:
        raise UsageError(why_empty)
    return found


def _line_chart(
    title: str, rows: Rows, plot: LinePlot, notes: Sequence[str]
) -> "alt.typing.ChartType":
    """Return a facet for each value of `facet`.

    Series and facets come in the order of the rows.
    """
    import altair as alt

    facets, series = distinct(rows, "facet"), distinct(rows, "series")
    n_columns = evenly(len(facets), _MOST_COLUMNS)
    chart = (
        alt.layer(*_layers(rows, series, plot), data=data_of(rows))
        .resolve_legend(strokeDash="independent")
        .properties(width=_WIDTH, height=_HEIGHT)
        .facet(facet=facet_of("facet", facets, _WIDTH), columns=n_columns, spacing=_GAP)
        .resolve_axis(x="independent")
    )
    who = named_in(rows, "series", plot.series_title)
    return themed(chart, title, [who, *notes], width=n_columns * (_WIDTH + _GAP))


def _layers(rows: Rows, series: Sequence[str], plot: LinePlot) -> Iterator["alt.Chart"]:
    import altair as alt

    channels = series_channels(series, "series", plot.series_title)
    colour, shape, dash = channels["color"], channels["shape"], channels["strokeDash"]
    base = alt.Chart().encode(x=plot.x)
    y = alt.Y("accuracy:Q", title="accuracy", scale=alt.Scale(domain=share_domain(rows)))
    between = base.transform_filter("isValid(datum.low) && isValid(datum.high)").encode(
        y=alt.Y("low:Q"), y2=alt.Y2(field="high"), color=colour
    )
    if plot.spread == "band":
        yield between.mark_area(opacity=0.18)
    if any(not math.isnan(row.get("chance", math.nan)) for row in rows):
        yield (
            base.transform_filter("isValid(datum.chance)")
            .mark_line(color=QUIET, strokeWidth=1, strokeDash=[3, 3])
            .encode(y=alt.Y("chance:Q"), detail="series:N")
        )
    yield base.mark_line(strokeWidth=1.5).encode(y=y, color=colour, strokeDash=dash)
    if plot.spread == "whiskers":
        yield between.mark_rule(strokeWidth=1.2)
    points = (
        base.transform_filter("datum.has_point")
        if any("has_point" in row for row in rows)
        else base
    )
    yield points.mark_point(filled=True, size=45, opacity=1).encode(
        y=y, color=colour, shape=shape, tooltip=tooltip(plot.shown)
    )


def factor_axis(field: str, values: Sequence[float], title: str) -> "alt.X":
    """Return the axis of numbers that may grow by factors: sizes, steps of a training.

    Where they do, it is logarithmic, and says so. Zero has no logarithm: with it the axis is linear
    up to the least other number.
    """
    import altair as alt

    least = min((value for value in values if value > 0), default=math.inf)
    scale: Spec = {"padding": _PADDING, "zero": False}
    axis: Spec = {}
    if min(values) >= 0 and max(values) > _GROWS_BY * least:
        has_zero = min(values) == 0
        title += f" (log scale; linear from 0 to {least:,g})" if has_zero else " (log scale)"
        kind = {"type": "symlog", "constant": least} if has_zero else {"type": "log"}
        scale = {"padding": _PADDING, **kind, "nice": False}
        axis["values"] = [*([0] if has_zero else []), *_ticks(least, max(values))]
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
