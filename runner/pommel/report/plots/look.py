"""How a plot is to look, where that is said: size, title, letters, names and their order."""

import copy
import itertools
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import PommelError, UsageError, first_line, listed, nearest, printable
from pommel.report.plots.saving import ChartFile, drawn
from pommel.report.plots.theme import (
    CHARACTER_WIDTH,
    FONT,
    FONT_SIZE,
    LABEL_LINES,
    Spec,
    darkened,
    label_width,
)
from pommel.values import frozen

if TYPE_CHECKING:
    import altair as alt


@frozen(slots=False)
class Look:
    """What is said of how a plot looks, whichever it is; None is as the plot has it.

    `width` and `height` are those of the whole figure in pixels, which are points (1/72 inch) in a
    PDF; so is `font_size`, that of labels. A `title` of "" is none. `labels` are NAME=LABEL: what a
    condition, a model or whatever has a name is called instead. Those that `order` names come
    first; colours and shapes go by the order.
    """

    title: str | None = None
    width: float | None = None
    height: float | None = None
    font: str | None = None
    font_size: float | None = None
    order: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether nothing but the title is said."""
        return not any(getattr(self, each.name) for each in fields(Look) if each.name != "title")

    def save(
        self,
        chart: "alt.typing.ChartType",
        path: Path | str,
        *,
        tell: Callable[[str], None] | None = None,
    ) -> str:
        """Write a chart that looks so to a file, as `ChartFile.save` does; return its caption.

        Raises as `applied` does.
        """
        looking = self.applied(chart)
        ChartFile(path).save(looking, tell=tell)
        return str(looking.description)

    @staticmethod
    def on_pages(chart: "alt.TopLevelMixin", *, narrow: bool = False) -> tuple[str, str]:
        """Return a chart as SVG for a page that is light, and for one that is dark.

        On a narrow one, facets stand below one another, and the legend above them. Raises
        `PommelError` for one that cannot be drawn.
        """
        spec = chart.to_dict()
        if narrow:
            spec["config"]["legend"] |= {"orient": "top", "columns": 2}
            if "facet" in spec:
                spec["columns"] = 1
        try:
            svg = str(drawn(spec, ".svg"))
        except ValueError as error:
            raise PommelError(f"the plot cannot be drawn: {first_line(error)}") from None
        return svg, darkened(svg)

    @staticmethod
    def check_name(path: Path | str) -> None:
        """Raise `UsageError` for a file whose name does not say in which form a plot is written."""
        ChartFile(path)

    def applied(self, chart: "alt.typing.ChartType") -> "alt.typing.ChartType":
        """Return a chart that looks so.

        Raises `UsageError` for a name that the plot does not have, for what is no font's name, and
        for a size into which its labels do not fit.
        """
        if self.is_plain and self.title is None:
            return chart
        spec = copy.deepcopy(chart.to_dict())
        self._name(spec)
        if self.font:
            # What measures letters writes it as it is into XML, and aborts the process.
            if not self.font.isprintable() or {*self.font} & {*'"&<>'}:
                raise UsageError(f"--font {self.font}: no font's name has \", &, < or > in it")
            spec["config"]["font"] = f"{self.font}, {FONT}"
        if self.font_size:
            for part, key, value in [*_entries(spec)]:
                if str(key).lower().endswith("fontsize"):
                    part[key] = value * self.font_size / FONT_SIZE
        if self.title is not None:
            spec["title"]["text"] = [printable(self.title, has_lines=True)] if self.title else []
        kind: Any = type(chart)
        looking: alt.typing.ChartType = kind.from_dict(self._fitted(spec), validate=False)
        return looking

    def _name(self, spec: Spec) -> None:
        """Put names in order, and labels in their places: in scales, facets and data."""
        labels = dict(map(self._label, self.labels))
        lists = _lists_of_names(spec)
        known = {line for names in lists for name in names for line in _lines(name)}
        for name in (*self.order, *labels):
            if name not in known:
                meant = nearest(name, known)
                others = f"there are {listed(sorted(known), most=8)}"
                hint = f"did you mean {meant!r}?" if meant else others
                raise UsageError(f"nothing in the plot is called {name!r}; {hint}")

        def place(name: str) -> int:
            return min(self.order.index(each) if each in self.order else n for each in _lines(name))

        n = len(self.order)
        for names in lists:
            # Under each of the headings of a heat map.
            parts = itertools.groupby(names, key=lambda name: name.startswith("\n"))
            names[:] = [name for _, own in parts for name in sorted(own, key=place)]
        _rename(spec, labels)
        caption = spec["description"]
        for name, label in labels.items():
            # Not within a longer name.
            found = rf"(?<![\w./:-]){re.escape(name)}(?![\w/:-])"
            caption = re.sub(found, label.replace("\\", r"\\"), caption)
        spec["description"] = caption

    @staticmethod
    def _label(argument: str) -> tuple[str, str]:
        name, equals, label = argument.partition("=")
        if not (name and equals):
            raise UsageError(f"--label {argument}: write NAME=LABEL, such as match=grammatical")
        return name, printable(label, has_lines=True)

    def _fitted(self, spec: Spec) -> Spec:
        """Return the chart as wide and high as is said: a facet gets what its labels leave."""
        own, config = spec.get("spec", spec), spec["config"]
        scaled = config["axis"]["labelFontSize"] / FONT_SIZE
        facets = len(spec["facet"]["sort"]) if "facet" in spec else 1
        columns = min(spec.get("columns", 1), facets)
        by_itself = _size({**spec, "title": None})["width"]
        if self.width and self.width < by_itself:
            fitting = int(self.width / (by_itself / columns * _NARROWED))
            spec["columns"] = columns = max(1, min(columns, fitting))
            legends = [
                each for _, key, each in _entries(spec) if key == "shape" and _has_names(each)
            ]
            names = itertools.chain(*(each["scale"]["domain"] for each in legends))
            longest = label_width(names) * scaled + _SYMBOL
            config["legend"] |= {
                "orient": "top",
                "columns": max(1, int((self.width - _AXIS) / longest)),
            }
        text = " ".join(map(str, spec["title"]["text"]))
        letter = CHARACTER_WIDTH * config["title"]["fontSize"] / FONT_SIZE
        lines = textwrap.wrap(text, max(1, int((self.width or by_itself) / letter)))
        spec["title"]["text"] = lines
        sizes = {"width": own["width"], "height": own["height"]}
        words = len(_labels_below(own)) * _LEAST_LETTERS * CHARACTER_WIDTH * scaled
        least = {"width": max(_LEAST, words), "height": _LEAST}
        for side, pixels, n in (
            ("width", self.width, columns),
            ("height", self.height, -(-facets // columns)),
        ):
            # What labels take depends on the room that there is for them, a little.
            for _ in range(_ROUNDS if pixels else 0):
                lacking = (pixels or 0) - _size(_resized(spec, **sizes))[side]
                sizes[side] += lacking / n
                if sizes[side] < least[side]:
                    needed = math.ceil(_size(_resized(spec, **{**sizes, side: least[side]}))[side])
                    raise UsageError(
                        f"labels leave no room in a {side} of {pixels:g}; make it {needed}, or the "
                        f"letters smaller (--font-size)"
                    )
                if not lacking:
                    break
        return _resized(spec, **sizes)


# Facets that are drawn so much narrower than by themselves still stand beside one another.
_NARROWED = 0.7
_ROUNDS = 3
# What a symbol in a legend takes, with what is around it.
_SYMBOL = 30
# What stands left of where a legend above begins.
_AXIS = 50
# Below that nothing is to be seen in a facet.
_LEAST = 40
# A region's label has so many in a line, one of them for the gap.
_LEAST_LETTERS = 6


def _size(spec: Spec) -> Mapping[str, float]:
    """Return how wide and high a chart is drawn, in pixels."""
    sides = re.findall(r' (width|height)="([\d.]+)"', str(drawn(spec, ".svg")))
    return {side: float(pixels) for side, pixels in sides[:2]}


def _resized(given: Spec, *, width: float, height: float) -> Spec:
    """Return a chart with facets of this size; what is as wide as a region, is so again."""
    spec = copy.deepcopy(given)
    own = spec.get("spec", spec)
    factor, n_letters = width / own["width"], width / CHARACTER_WIDTH
    n_letters *= FONT_SIZE / spec["config"]["axis"]["labelFontSize"]
    own |= {"width": width, "height": height}
    for part, key, value in [*_entries(own)]:
        if key == "xOffset":
            value["scale"]["range"] = [each * factor for each in value["scale"]["range"]]
        elif key == "width" and "type" in part:
            part[key] = value * factor
    labels = _labels_below(own)
    n = max(1, int(n_letters / max(1, len(labels))) - 1)
    lines = {line: textwrap.wrap(line, n) for label in labels for line in _lines(label)}
    _rename(spec, {line: "\n".join(each) for line, each in lines.items()})
    return spec


def _labels_below(own: Spec) -> list[str]:
    """Return the labels of several lines that stand side by side below a facet: regions."""
    return next(
        (
            each["scale"]["domain"]
            for _, key, each in _entries(own)
            if key == "x" and _has_names(each) and each["axis"].get("labelExpr") == LABEL_LINES
        ),
        [],
    )


def _has_names(part: object) -> bool:
    """Whether a channel is one of names that it lists."""
    scale = part.get("scale", {}) if isinstance(part, dict) else {}
    return isinstance(scale.get("domain", [0])[0], str)


def _rename(spec: Spec, labels: Mapping[str, str]) -> None:
    """Call names otherwise, line by line, wherever they are."""

    def renamed(value: object) -> object:
        if not isinstance(value, str):
            return value
        return "\n".join(labels.get(line, line) for line in value.split("\n"))

    for names in _lists_of_names(spec) if labels else ():
        names[:] = map(str, map(renamed, names))
    for rows in spec["datasets"].values() if labels else ():
        rows[:] = [{field: renamed(value) for field, value in row.items()} for row in rows]


def _entries(part: Spec | list[Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield what a chart's language has at every depth: the part, its key there, and the value."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part):
        if key != "datasets":
            yield part, key, value
            if isinstance(value, dict | list):
                yield from _entries(value)


def _lists_of_names(spec: Spec) -> list[list[str]]:
    """Return the domains of scales, and the orders of facets, that are lists of names."""
    return [
        value
        for _, key, value in _entries(spec)
        if key in ("domain", "sort") and isinstance(value, list) and isinstance(value[0], str)
    ]


def _lines(name: str) -> list[str]:
    return [line for line in name.split("\n") if line]
