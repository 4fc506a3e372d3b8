"""Charts as files, and what to say before one is written. Nothing is fetched."""

import json
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pommel.errors import PommelError, UsageError, first_line, listed
from pommel.files import replacing
from pommel.report.plots.theme import FONT, Spec, check_installed

if TYPE_CHECKING:
    import altair as alt


# Pixels of a PNG for each pixel of the plot: enough for print at a column's width.
PNG_SCALE = 2

# What the menu of a plot in HTML offers: pictures; not to send it to an editor on the web.
_ACTIONS = {"export": True, "source": False, "compiled": False, "editor": False}

_LESS_THAN = "_less_than_"


class ChartFile:
    """A file for a chart, in the form that its name's ending says.

    .svg, .png, .pdf; .html, one file that draws it without a network; .json, its Vega-Lite. In SVG
    and HTML text stays text, and whoever looks at it needs the fonts of its scripts; for PNG and
    PDF this machine does.
    """

    def __init__(self, path: Path | str) -> None:
        """Raise `UsageError` for a name with another ending."""
        self._path = Path(path)
        self._ending = self._path.suffix.lower()
        if self._ending not in _ENDINGS:
            *others, last = _ENDINGS
            raise UsageError(
                f"{path}: a plot is written as {', '.join(others)} or {last}; end the name so"
            )

    def save(
        self, chart: "alt.TopLevelMixin", *, tell: Callable[[str], None] | None = None
    ) -> None:
        """Write a chart; `tell` is told before, a line each, what a user should know of it.

        Raises `PommelError` for a file that cannot be written; it is then what it was.
        """
        check_installed()
        if tell is not None:
            for line in saving_notes(chart, self._path):
                tell(line)
        try:
            content = drawn(chart.to_dict(), self._ending)
        except ValueError as error:
            # Vega stumbles over names that mean something to JavaScript ("constructor").
            raise PommelError(
                f"{self._path}: the plot cannot be drawn: {first_line(error)}; is something called "
                f"as a word of JavaScript is? A file that ends in .json has it as it is"
            ) from None
        with replacing(self._path) as aside:
            aside.write_bytes(content if isinstance(content, bytes) else content.encode())


def save_chart(chart: "alt.TopLevelMixin", path: Path | str) -> None:
    """Write a chart to a file; see `ChartFile`, all of whose errors it raises."""
    ChartFile(path).save(chart)


_ENDINGS = (".svg", ".png", ".pdf", ".html", ".json")


def drawn(spec: Spec, ending: str) -> bytes | str:
    """Return the content of a file with this ending; nothing is fetched."""
    if ending == ".json":
        return json.dumps(spec, ensure_ascii=False, indent=1) + "\n"
    import vl_convert

    # The version of Vega-Lite that the chart is written for, or else the newest one there is.
    name = str(spec["$schema"]).rpartition("/v")[2].removesuffix(".json")
    version: str | None = ".".join(name.split(".")[:2])
    if version not in vl_convert.get_vegalite_versions():
        version = None
    if ending == ".html":
        return _html(spec, version)
    draw = getattr(vl_convert, f"vegalite_to_{ending[1:]}")
    pixels = {"scale": PNG_SCALE} if ending == ".png" else {}
    drawn: bytes | str = draw(spec, vl_version=version, allowed_base_urls=[], **pixels)
    return drawn


def _html(spec: Spec, version: str | None) -> str:
    import vl_convert

    text = json.dumps({**spec, "usermeta": {"embedOptions": {"actions": _ACTIONS}}})
    # A page takes the first "</script>" for the end of one, in the midst of a text, too; and
    # vl-convert writes texts as they are. So "<" is there as its escape, from which JavaScript
    # makes it again.
    stand_in = _LESS_THAN
    while stand_in in text:
        stand_in += "_"
    safe = text.replace("<", stand_in)
    html: str = vl_convert.vegalite_to_html(safe, vl_version=version, bundle=True)
    return html.replace(stand_in, "\\u003c")


# Files in which letters are drawn here; in others text stays text.
_DRAWN_HERE = (".png", ".pdf")


def saving_notes(chart: "alt.TopLevelMixin", path: Path) -> Iterator[str]:
    """Yield what is not here where letters are drawn: the font, letters of some scripts."""
    if path.suffix.lower() not in _DRAWN_HERE:
        return
    check_installed()
    spec = chart.to_dict()
    font, *others = spec["config"]["font"].split(", ")
    if spec["config"]["font"] != FONT and _picture("W", font) == _picture("W", "no such font"):
        yield f"no font here is called {font}: letters are {others[0]}'s; install it, or write .svg"
    letters: dict[str, str] = {}
    for letter in sorted({*json.dumps(spec, ensure_ascii=False)}):
        if letter > _LAST_KNOWN and letter.isalpha():
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


def _picture(letter: str, font: str = FONT) -> bytes:
    import vl_convert

    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
        f'<text x="5" y="30" font-size="24" font-family="{font}">{letter}</text></svg>'
    )
    picture: bytes = vl_convert.svg_to_png(svg, scale=1)
    return picture
