"""What all plots have in common."""

import math
from typing import Any

import numpy as np
import pytest
from tests.analysis.records import record
from tests.report.plots.drawn import draw, svg_of

from pommel.report.plots.heat_map import heat_map
from pommel.report.plots.theme import (
    COLOURS,
    DASHES,
    SHAPES,
    caption_of,
    cycled,
    data_of,
    named_in,
    ranged,
    series_channels,
    share_domain,
    single_line,
)


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2), from 0 to 1."""
    parts = [part / 255 for part in bytes.fromhex(colour[1:])]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


@pytest.mark.parametrize("colour", COLOURS)
def test_every_colour_is_seen_on_white(colour: str) -> None:
    assert 1.05 / (luminance(colour) + 0.05) >= 2


def test_forty_series_are_told_apart_without_colours() -> None:
    pairs = {*zip(cycled(SHAPES, 40), cycled([*map(tuple, DASHES)], 40), strict=True)}
    assert len(pairs) == 40


def test_channels_have_one_domain() -> None:
    names = [f"m{number}" for number in range(20)]
    channels = {name: each.to_dict() for name, each in series_channels(names, "m", "model").items()}
    assert {name: each["scale"]["domain"] for name, each in channels.items()} == dict.fromkeys(
        ("color", "shape", "strokeDash"), names
    )
    assert {len(each["scale"]["range"]) for each in channels.values()} == {20}
    # Of a single series, a legend says nothing.
    assert series_channels(["m"], "m", "model")["color"].to_dict()["legend"] is None


def test_numbers_that_json_does_not_have_are_null() -> None:
    rows = [
        {"a": math.nan, "b": -math.inf, "c": np.float64(1.5), "d": np.True_, "e": "x\x1b[0m\ny"}
    ]
    assert data_of(rows) == {
        "values": [{"a": None, "b": None, "c": 1.5, "d": True, "e": "x?[0m\ny"}]
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\nb", "a b"), ("", "(none)"), ("a\x07", "a?"), ("\u05e9\u05dc", "\u05e9\u05dc")],
)
def test_names_are_one_line(text: str, shown: str) -> None:
    assert single_line(text) == shown


def test_axes_of_shares_cover_what_is_drawn() -> None:
    assert share_domain([]) == [0, 1]
    assert share_domain([{"low": -0.1, "high": 1.2}, {"low": math.nan, "high": math.nan}]) == [
        -0.1,
        1.2,
    ]


def test_long_names_lose_their_middle(capfd: pytest.CaptureFixture[str]) -> None:
    name = "organisation/model-with-a-name-that-is-longer-than-it-should-be-7b-v1"
    drawn = draw(heat_map([record(name, "s", "10")]), capfd)
    assert "organisation/model-wi…nger-than-it-should-be-7b-v1"[-20:] in "\n".join(drawn.texts)
    assert drawn.rows[0]["model"] == name
    (label,) = [text for text in drawn.texts if text.startswith("organisation")]
    assert label == f"{name[:21]}…{name[-24:]}"


def test_a_caption_is_one_paragraph_of_sentences() -> None:
    # The dots of a list that goes on are no four.
    assert caption_of(["A.", "", "Without: a, b, ...."]) == "A. Without: a, b, ..."


def test_a_notebook_shows_svg_and_the_caption_without_a_network() -> None:
    chart = heat_map([record("a<b", "s", "10")])
    for each in (chart, chart.properties(title="another")):
        bundle: Any = each._repr_mimebundle_()
        assert set(bundle) == {"text/html", "image/svg+xml"}
        assert bundle["image/svg+xml"] == svg_of(each)
        assert bundle["text/html"] == (
            f"<figure>{svg_of(each)}<figcaption>Score by model and suite. Share of items on "
            "which a suite&#x27;s predictions hold; the stronger the colour, the higher. 1 suite. "
            "Model: a&lt;b.</figcaption></figure>"
        )
        assert "http" not in bundle["text/html"].replace("http://www.w3.org/", "")


def test_what_a_plot_is_about_is_named_and_counted() -> None:
    rows = [{"model": "a", "family": "f", "n": 2, "k": None}, {"model": "b", "family": "f", "n": 3}]
    assert named_in(rows) == "Models: a, b."
    assert named_in(rows, "family", "family") == "Family: f."
    assert named_in(rows, "model", "family") == "Families: a, b."
    assert ranged(rows, {"n": "suite", "k": "item"}) == "2 to 3 suites"
    assert ranged(rows[:1], {"n": "suite"}) == "2 suites"
    assert ranged(rows, {"k": "item"}) == ""
