"""What all plots have in common: colours, shapes, type, titles, data, rows and facets, captions."""

import math
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar
from unicodedata import bidirectional

import numpy as np

from pommel.errors import PommelError, counted, listed, printable

if TYPE_CHECKING:
    import altair as alt


# Okabe and Ito (2008), "Color Universal Design", without the yellow, which is lost on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "triangle-down",
    "cross",
    "triangle-right",
    "triangle-left",
)
# Of a line: so many pixels drawn, so many left out.
DASHES = ([1, 0], [6, 3], [2, 2], [9, 3, 2, 3], [12, 4])

INK = "#222222"
QUIET = "#777777"
FAINT = "#E6E6E6"
PAPER = "white"

# What a page that is dark has instead; other colours are seen on both.
_DARK = {
    INK: "#E4E8EE",
    QUIET: "#A3ADBA",
    FAINT: "#38414E",
    PAPER: "#14181F",
    "#000000": "#FFFFFF",
    "#0072B2": "#4BA3DB",
}


def dark_style(place: str) -> str:
    """Return CSS by which the SVG of a chart, within `place`, is dark where a page is dark.

    On paper it is light.
    """
    rules = "".join(
        f'{place} svg [{what}="{light}" i]{{{what}:{dark}}}'
        for light, dark in _DARK.items()
        for what in ("fill", "stroke")
    )
    ground = f"{place},{place} svg{{background:{_DARK[PAPER]}!important}}"
    return f"@media screen and (prefers-color-scheme:dark){{{ground}{rules}}}"


def darkened(svg: str) -> str:
    """Return the SVG of a chart as it is on a page that is dark."""
    ET.register_namespace("", _SVG)
    root = ET.fromstring(svg)  # noqa: S314 - our own
    colours = {light.lower(): dark for light, dark in _DARK.items()}
    for each in root.iter():
        for what in ("fill", "stroke"):
            if (colour := each.get(what, "").lower()) in colours:
                each.set(what, colours[colour])
    return ET.tostring(root, encoding="unicode")


_SVG = "http://www.w3.org/2000/svg"

# Liberation Sans comes with vl-convert and is as wide as Arial and Helvetica, so that a plot has
# the same measures wherever it is looked at. Scripts that it lacks come from other fonts.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

FONT_SIZE = 11
# How wide a character is, roughly, so that labels get room.
CHARACTER_WIDTH = 6.0
# Of longer names the middle is left out, since their ends tell them apart; tooltips and data have
# them whole.
_LONGEST_NAME = 46
_LONGEST_LABEL = 300
# What draws PNG and PDF takes the lines of a text for one paragraph, and prints those that are
# written from right to left over others. A mark of direction at both ends keeps each in its place.
_MARK = "\u200e"
# Hebrew, Arabic and so on, those beyond 16 bits by their first half, as JavaScript has them.
_RIGHT_TO_LEFT = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff\\ud802\\ud803\\ud83a\\ud83b]"
# In Vega's language: a label's lines; of a long one in one line the middle is left out.
LABEL_LINES = (
    f"indexof(datum.label, '\\n') >= 0 && test('{_RIGHT_TO_LEFT}', datum.label)"
    f" ? split('{_MARK}' + replace(datum.label, regexp('\\n', 'g'), '{_MARK}\\n{_MARK}')"
    f" + '{_MARK}', '\\n') : split(datum.label, '\\n')"
)
_HEAD, _TAIL = _LONGEST_NAME // 2 - 2, _LONGEST_NAME // 2 + 1
SHORTENED = (
    f"length(datum.label) > {_LONGEST_NAME} && indexof(datum.label, '\\n') < 0"
    f" ? slice(datum.label, 0, {_HEAD}) + '…' + slice(datum.label, -{_TAIL}) : {LABEL_LINES}"
)
# Lines of a title, whatever a plot's width.
_LEAST_CHARACTERS, _MOST_CHARACTERS = 56, 96

# A chart in Vega-Lite's language, or a part of one.
Spec = dict[str, Any]
# What a mark stands for, by field.
Row = dict[str, Any]
Rows = list[Row]


def check_installed() -> None:
    """Raise `PommelError` if what draws plots is not installed."""
    if not find_spec("altair") or not find_spec("vl_convert"):
        raise PommelError(f"plots need the plots extra: {PommelError.install('plots')}")


def data_of(rows: Rows) -> Spec:
    """Return rows as inline data; numbers that JSON does not have become null.

    A plain dict, so that Altair takes it as it is: neither its limit of 5,000 rows nor its schema,
    which is slow to check, is about such data.
    """
    return {"values": [{key: _plain(value) for key, value in row.items()} for row in rows]}


def _plain(value: object) -> object:
    """Return a value as JSON has it: null for NaN and infinity, text without control characters."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    # Line breaks are ours: a label's lines.
    return "\n".join(map(printable, value.split("\n"))) if isinstance(value, str) else value


def single_line(text: str) -> str:
    """Return a name as it may stand in a label: in one line, never empty."""
    return printable(" ".join(text.split("\n"))) or "(none)"


def themed(
    chart: "alt.typing.ChartType", title: str, notes: Iterable[str] = (), *, width: float = 0
) -> "alt.typing.ChartType":
    """Return the chart with a title, a caption, and the look that all plots share.

    The title is broken where the chart ends, if that is `width` pixels wide. The caption, of the
    title and the notes, is the chart's `description`: it is read out for an SVG, and stands below a
    plot in a notebook, never in it.
    """
    import altair as alt

    fitting = int(width / (CHARACTER_WIDTH - 0.6) * 0.8)
    n_characters = min(_MOST_CHARACTERS, max(_LEAST_CHARACTERS, fitting))
    heading = alt.TitleParams(
        text=_marked(textwrap.wrap(single_line(title), n_characters)),
        anchor="start",
        frame="bounds",
    )
    whole: alt.typing.ChartType = chart.properties(
        title=heading, description=caption_of([f"{single_line(title)}.", *notes])
    ).configure(**_CONFIG)
    # Altair's own way loads a script from the web.
    kind: Any = type(whole)
    object.__setattr__(whole, "__class__", _drawn_offline(kind))
    return whole


def caption_of(notes: Iterable[str]) -> str:
    """Return notes, sentences each, as one paragraph."""
    # The dots of a list that goes on end its sentence, too.
    return " ".join(filter(None, notes)).replace(", ....", ", ...")


@cache
def _drawn_offline(kind: type[object]) -> type[object]:
    """Return a kind of chart that a notebook shows as SVG, with its caption, without a network."""

    def bundle(self: "alt.Chart", include: object = None, exclude: object = None) -> dict[str, str]:
        # One form is for those that show HTML, the other for those that do not.
        del include, exclude
        from pommel.report.plots.saving import drawn

        svg = str(drawn(self.to_dict(), ".svg"))
        caption = f"<figcaption>{escape(str(self.description))}</figcaption>"
        return {"text/html": f"<figure>{svg}{caption}</figure>", "image/svg+xml": svg}

    return type(kind.__name__, (kind,), {"_repr_mimebundle_": bundle})


def named_in(rows: Rows, field: str = "model", what: str = "model") -> str:
    """Return the sentence of a caption that names the models (families, ...) of a plot."""
    names = distinct(rows, field)
    several = "families" if what == "family" else f"{what}s"
    noun = what if len(names) == 1 else several
    return f"{noun[0].upper()}{noun[1:]}: {listed(names, most=_MOST_NAMES)}."


_MOST_NAMES = 8


def ranged(rows: Rows, fields: Mapping[str, str]) -> str:
    """Return how many there are, as in "24 to 30 items", of the nouns that fields count."""
    found = []
    for field, noun in fields.items():
        if known := [row[field] for row in rows if row.get(field)]:
            least, most = min(known), max(known)
            found.append(
                f"{least} to {counted(most, noun)}" if least < most else counted(most, noun)
            )
    return ", ".join(found)


def _marked(lines: list[str]) -> list[str]:
    """Return the lines of a text; of one with letters from right to left, marked as labels are."""
    if len(lines) == 1 or not any(bidirectional(each) in _RTL_CLASSES for each in "".join(lines)):
        return lines
    return [f"{_MARK}{line}{_MARK}" for line in lines]


_RTL_CLASSES = ("R", "AL")


def series_channels(names: Sequence[str], field: str, title: str) -> Spec:
    """Return colour, shape and dash for the series of a field, in the order of the names.

    No two of 40 series share both shape and dash, so that grey tells them apart, too. Layers that
    have them are to resolve the legend of the dash as "independent": symbols in the legend would
    be drawn with dashes.
    """
    import altair as alt

    n = len(names)
    legend = alt.Legend(title=title, labelExpr=SHORTENED, symbolOpacity=1) if n > 1 else None
    colours, shapes, dashes = (
        alt.Scale(domain=[*names], range=cycled(values, n)) for values in (COLOURS, SHAPES, DASHES)
    )
    return {
        "color": alt.Color(f"{field}:N", legend=legend, scale=colours),
        "shape": alt.Shape(f"{field}:N", legend=legend, scale=shapes),
        "strokeDash": alt.StrokeDash(f"{field}:N", legend=None, scale=dashes),
    }


def tooltip(fields: str) -> list["alt.Tooltip"]:
    """Return what is shown of a mark under the pointer: fields as in "model:N accuracy:Q"."""
    import altair as alt

    return [
        alt.Tooltip(
            each,
            title=each[:-2].replace("_", " "),
            format=".4~g" if each.endswith(":Q") else alt.Undefined,
        )
        for each in fields.split()
    ]


def share_domain(rows: Rows) -> list[float]:
    """Return what an axis of shares has to cover: 0 to 1, and whatever is further out."""
    ends = (row.get(key, math.nan) for row in rows for key in ("low", "high"))
    known = [0.0, 1.0, *(end for end in ends if math.isfinite(end))]
    return [min(known), max(known)]


_T = TypeVar("_T")


def cycled(values: Sequence[_T], n: int) -> list[_T]:
    """Return n values, from the beginning again where there are too few."""
    return [values[index % len(values)] for index in range(n)]


def label_width(labels: Iterable[str]) -> float:
    """Return about how many pixels the longest line of the labels takes."""
    longest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    return min(_LONGEST_LABEL, longest * CHARACTER_WIDTH)


_LABEL = {"labelColor": INK, "labelFontSize": FONT_SIZE, "labelLimit": _LONGEST_LABEL}
_TITLE = {"titleColor": INK, "titleFontSize": FONT_SIZE, "titleFontWeight": "normal"}
_CONFIG: Spec = {
    "font": FONT,
    "background": PAPER,
    "padding": 10,
    "axis": {
        **_LABEL,
        **_TITLE,
        "domainColor": QUIET,
        "gridColor": FAINT,
        "tickColor": QUIET,
        "titlePadding": 8,
    },
    "header": {**_LABEL, "labelFontWeight": "bold", "title": None},
    "legend": {**_LABEL, **_TITLE, "symbolSize": 70, "symbolStrokeWidth": 1.5},
    "title": {
        "color": INK,
        "fontSize": 14,
        "fontWeight": "bold",
        "offset": 12,
    },
    "view": {"stroke": None},
}


_KINDS = {
    "wilson": "Wilson's of a share of items",
    "stratified": "the stratified score interval of a mean of shares",
}


def interval_note(mark: str, kinds: Collection[str]) -> str:
    """Return which 95% intervals are drawn, as marks of this name ("line").

    `kinds` are "wilson", "stratified" or both.
    """
    used = "; ".join(words for kind, words in _KINDS.items() if kind in kinds)
    return f"{mark.capitalize()}s: 95% interval ({used})."


ROW_HEIGHT = 18
FACET_WIDTH = 150
# Facets stand beside one another while they are not wider than this together.
_PAGE_WIDTH = 960
_GAP = 14


def row_axis(rows: Rows, field: str = "model", title: str = "model") -> "alt.Y":
    """Return the axis of models (or suites), from top to bottom in the order of rows."""
    import altair as alt

    return alt.Y(
        f"{field}:N",
        sort=None,
        scale=alt.Scale(domain=distinct(rows, field)),
        axis=alt.Axis(
            title=title, labelExpr=SHORTENED, grid=True, gridColor=FAINT, ticks=False, domain=False
        ),
    )


def share_axis(field: str, domain: Sequence[float] = (0, 1), title: str = "accuracy") -> "alt.X":
    """Return the axis of a share."""
    import altair as alt

    return alt.X(
        f"{field}:Q",
        scale=alt.Scale(domain=[*domain]),
        axis=alt.Axis(title=title, values=[0, 0.25, 0.5, 0.75, 1], labelExpr=_SHORT, grid=True),
    )


# 0, .25 and so on: "0.25" beside "0.5" would stand too close.
_SHORT = (
    "datum.value == 0 ? '0' : datum.value == 1 ? '1' : substring(format(datum.value, '.2~f'), 1)"
)


def chance_layer(base: "alt.Chart") -> "alt.Chart":
    """Return the marks of chance, one a row."""
    import altair as alt

    known = base.transform_filter("isValid(datum.chance)")
    ticks: alt.Chart = known.mark_tick(color=QUIET, thickness=1.5, size=ROW_HEIGHT - 4).encode(
        x=alt.X("chance:Q")
    )
    return ticks


def interval_layer(base: "alt.Chart", colour: str) -> "alt.Chart":
    """Return the marks of intervals, from `low` to `high`, where there are such."""
    import altair as alt

    known = base.transform_filter("isValid(datum.low)")
    rules: alt.Chart = known.mark_rule(color=colour, strokeWidth=1.5).encode(
        x=alt.X("low:Q"), x2=alt.X2(field="high")
    )
    return rules


def in_facets(
    layers: Sequence["alt.Chart"],
    rows: Rows,
    fields: tuple[str, str],
    *,
    facet_width: float = FACET_WIDTH,
    facets: Sequence[str] = (),
) -> tuple["alt.FacetChart", float]:
    """Return layers of marks in facets, and about how wide they are together.

    `fields` are by which a row of marks goes and a facet, `facets` the order of these, by default
    that of the rows of data. All facets have the same rows of marks; their names stand left of each
    row of facets.
    """
    import altair as alt

    names = distinct(rows, fields[0])
    values = [*facets] or distinct(rows, fields[1])
    names_width = label_width(names)
    fitting = int((_PAGE_WIDTH - names_width) / (facet_width + _GAP))
    n_columns = evenly(len(values), max(1, fitting))
    chart = (
        alt.layer(*layers, data=data_of(rows))
        .properties(width=facet_width, height=ROW_HEIGHT * len(names))
        .facet(
            facet=facet_of(fields[1], values, facet_width + _GAP),
            columns=n_columns,
            spacing={"row": 24, "column": _GAP},
        )
        .resolve_axis(x="independent")
    )
    return chart, names_width + n_columns * (facet_width + _GAP)


def evenly(n_facets: int, most: int) -> int:
    """Return how many facets stand beside one another: the last row is not to be a single one."""
    return math.ceil(n_facets / math.ceil(n_facets / most))


def facet_of(field: str, values: Sequence[str], width: float) -> "alt.Facet":
    """Return a facet for each of the values, in this order, with headers of so many pixels."""
    import altair as alt

    header = alt.Header(labelExpr=SHORTENED, labelLimit=width)
    return alt.Facet(f"{field}:N", sort=[*values], title=None, header=header)


def distinct(rows: Rows, field: str) -> list[str]:
    """Return the values of a field, each once, in the order of the rows."""
    return [*dict.fromkeys(row[field] for row in rows)]
