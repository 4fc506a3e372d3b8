"""Charts as they are drawn: the marks of the SVG, with the values that each stands for."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
import vl_convert

if TYPE_CHECKING:
    import altair as alt

_SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A chart's Vega-Lite, its data, and its SVG."""

    spec: dict[str, Any]
    svg: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the data, of which a chart of ours has one set."""
        (rows,) = self.spec["datasets"].values()
        return list(rows)

    @property
    def caption(self) -> str:
        """What is said of it, and stands nowhere in it."""
        caption = str(self.spec["description"])
        sentences = [each for each in caption.split(". ") if " " in each][1:]
        assert not any(each in " ".join(self.texts) for each in sentences)
        return caption

    @property
    def texts(self) -> list[str]:
        """All that is written, line by line."""
        root = ET.fromstring(self.svg)  # noqa: S314 - we have made it
        return [
            "".join(line.itertext())
            for text in root.iter(f"{_SVG}text")
            for line in (text.findall(f"{_SVG}tspan") or [text])
        ]

    def marks(self, kind: str) -> list[dict[str, str]]:
        """Return what each mark of a kind ("symbol", "rule", ...) says that it stands for."""
        return [_said(mark.get("aria-label", "")) for mark in self._elements(kind)]

    def pieces(self, field: str) -> dict[str, int]:
        """Return into how many pieces each line is broken, those of one point included."""
        return {
            _said(line.get("aria-label", ""))[field]: line.get("d", "").count("M")
            for line in self._elements("line")
        }

    def _elements(self, kind: str) -> Iterator[ET.Element]:
        root = ET.fromstring(self.svg)  # noqa: S314 - we have made it
        for group in root.iter(f"{_SVG}g"):
            if group.get("class", "").startswith(f"mark-{kind} role-mark"):
                yield from group


def _said(label: str) -> dict[str, str]:
    return dict(part.split(": ", 1) for part in label.split("; ") if ": " in part)


def svg_of(chart: "alt.TopLevelMixin") -> str:
    """Return a chart as the text of an SVG file."""
    svg: str = vl_convert.vegalite_to_svg(chart.to_dict(), allowed_base_urls=[])
    return svg


def draw(chart: "alt.typing.ChartType", capfd: pytest.CaptureFixture[str]) -> Drawn:
    """Draw a chart; Vega has nothing to say against it, and all its fields are in its data."""
    spec = chart.to_dict()
    capfd.readouterr()
    svg = vl_convert.vegalite_to_svg(spec, show_warnings=True, allowed_base_urls=[])
    assert capfd.readouterr().err == ""
    drawn = Drawn(spec=spec, svg=svg)
    fields = {field for row in drawn.rows for field in row}
    assert set(_fields(spec)) <= fields | set(_aggregates(spec))
    return drawn


def same(drawn: Iterable[float | None], known: Iterable[float]) -> bool:
    """Say whether values of a chart are those of a table; null is NaN."""
    values = [math.nan if each is None else each for each in drawn]
    return values == pytest.approx([*known], nan_ok=True, rel=1e-12)


def _fields(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("field"), str):
            yield part["field"]
        for key, value in part.items():
            if key != "datasets":
                yield from _fields(value)
    elif isinstance(part, list):
        for value in part:
            yield from _fields(value)


def _aggregates(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for step in part.get("transform", ()):
            yield from (each["as"] for each in step.get("aggregate", ()))
        for key, value in part.items():
            if key != "datasets":
                yield from _aggregates(value)
    elif isinstance(part, list):
        for value in part:
            yield from _aggregates(value)
