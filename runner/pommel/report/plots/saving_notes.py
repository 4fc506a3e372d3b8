"""What to say before a chart is written: that it is very large, or lacks letters."""

import math
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import listed
from pommel.report.plots.theme import FONT, check_installed

if TYPE_CHECKING:
    import altair as alt

# Of more pixels (half of those of a PNG), a plot takes long to draw, and nobody looks at all of it.
_LARGE_PX = 5000
# What a facet takes beside its marks: a title, and labels below.
_AROUND_FACET_PX = 80
# Files in which letters are drawn here; in others text stays text.
_DRAWN_HERE = (".png", ".pdf")


def saving_notes(chart: "alt.TopLevelMixin", path: Path) -> Iterator[str]:
    """Yield what a user should know of a chart that is about to be written to a file."""
    check_installed()
    spec = chart.to_dict()
    width, height = _size(spec)
    if max(width, height) > _LARGE_PX:
        yield (
            f"the plot is very large, about {width:,.0f} x {height:,.0f} pixels; --model and "
            f"--suite choose among the runs"
        )
    if path.suffix.lower() in _DRAWN_HERE:
        yield from _letter_notes(spec)


def _size(spec: Mapping[str, Any]) -> tuple[float, float]:
    """Return about how many pixels wide and high one of our charts is."""
    if "facet" not in spec:
        return spec["width"], spec["height"]
    n, inner = len(spec["facet"]["sort"]), spec["spec"]
    n_columns = min(n, spec["columns"])
    return (
        n_columns * inner["width"],
        math.ceil(n / n_columns) * (inner["height"] + _AROUND_FACET_PX),
    )


def _letter_notes(spec: Any) -> Iterator[str]:
    """Yield which scripts no font here has; a letter of each is tried."""
    letters: dict[str, str] = {}
    for letter in sorted({each for text in _texts(spec) for each in text if each > _LAST_KNOWN}):
        if letter.isalpha():
            letters.setdefault(unicodedata.name(letter, "OTHER").split()[0].split("-")[0], letter)
    missing = [letter for letter in letters.values() if _picture(letter) == _picture(_NO_LETTER)]
    if missing:
        yield (
            f"no font here has letters such as {listed(missing)}: they are boxes in the plot; "
            f"install one that has them, or write .svg"
        )


# Up to this, Liberation Sans has all letters, which comes with what draws them.
_LAST_KNOWN = "\u024f"
# Never a letter: drawn as what stands for letters that no font has.
_NO_LETTER = "\ufdd0"


def _texts(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from _texts(value)
    elif isinstance(part, list):
        for value in part:
            yield from _texts(value)


def _picture(letter: str) -> bytes:
    import vl_convert  # noqa: PLC0415 - `import pommel` stays fast without it

    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
        f'<text x="5" y="30" font-size="24" font-family="{FONT}">{letter}</text></svg>'
    )
    picture: bytes = vl_convert.svg_to_png(svg, scale=1)
    return picture
