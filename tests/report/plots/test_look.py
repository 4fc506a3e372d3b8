"""How a plot is to look, for a paper."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from tests.analysis.records import record
from tests.report.plots.drawn import draw, svg_of
from tests.report.plots.test_regions import run_of

from pommel.errors import UsageError
from pommel.report.plots.heat_map import heat_map
from pommel.report.plots.look import Look
from pommel.report.plots.regions import region_chart
from pommel.report.plots.saving import saving_notes

HEAT = heat_map(
    [record(model, suite, "10", circuit=suite[0]) for model in "ab" for suite in ("x1", "x2", "y1")]
)
REGIONS = region_chart([run_of()])


def size(chart: Any) -> tuple[int, ...]:
    found = re.match(r'<svg [^>]*width="(\d+)" height="(\d+)"', svg_of(chart))
    assert found
    return tuple(map(int, found.groups()))


@pytest.mark.parametrize("chart", [HEAT, REGIONS])
@pytest.mark.parametrize("width", [300, 800])
def test_the_whole_is_as_wide_and_high_as_is_said(chart: Any, width: int) -> None:
    assert size(Look(width=width, height=400).applied(chart)) == pytest.approx((width, 400), abs=2)


def test_what_is_as_wide_as_a_region_grows_with_it(capfd: pytest.CaptureFixture[str]) -> None:
    before, after = (draw(each, capfd).spec for each in (REGIONS, Look(width=900).applied(REGIONS)))
    factor = after["spec"]["width"] / before["spec"]["width"]
    assert factor > 2
    for one, other in zip(before["spec"]["layer"], after["spec"]["layer"], strict=True):
        assert other["mark"].get("width") == pytest.approx(
            one["mark"].get("width", 0) * factor or None
        )
        offsets = [each["encoding"].get("xOffset", {}).get("scale", {}) for each in (one, other)]
        assert offsets[1].get("range", []) == pytest.approx(
            [each * factor for each in offsets[0].get("range", [])]
        )


def test_labels_of_narrow_regions_are_broken_and_the_legend_stands_above(
    capfd: pytest.CaptureFixture[str],
) -> None:
    drawn = draw(Look(width=170).applied(REGIONS), capfd)
    assert {'"The', 'dog"'} <= set(drawn.texts)
    assert drawn.spec["config"]["legend"]["orient"] == "top"


def test_where_labels_leave_no_room_it_is_said() -> None:
    with pytest.raises(UsageError) as caught:
        Look(width=100).applied(REGIONS)
    needed = re.fullmatch(
        r"labels leave no room in a width of 100; make it (\d+), or the letters smaller "
        r"\(--font-size\)",
        str(caught.value),
    )
    assert needed
    assert size(Look(width=int(needed[1]) + 1).applied(REGIONS))[0] == int(needed[1]) + 1


def test_title_and_letters(capfd: pytest.CaptureFixture[str]) -> None:
    drawn = draw(Look(title="Of one's own", font="DejaVu Sans", font_size=22).applied(HEAT), capfd)
    assert "Of one's own" in " ".join(drawn.texts)
    assert drawn.spec["config"]["font"].startswith("DejaVu Sans, Liberation Sans, ")
    assert drawn.spec["config"]["axis"]["labelFontSize"] == 22
    assert drawn.spec["config"]["title"]["fontSize"] == 28
    assert drawn.spec["layer"][1]["mark"]["fontSize"] == 20
    assert "Score by model and suite" not in draw(Look(title="").applied(HEAT), capfd).texts
    # Of what nothing prints, there is a question mark.
    drawn = draw(Look(title="o\x01\udc80", labels=("b=p\x01\udc80",)).applied(HEAT), capfd)
    assert {"o??", "p??"} <= set(drawn.texts)
    drawn = draw(Look(title="").applied(HEAT), capfd)
    # What the plot shows is said as before.
    assert drawn.caption == HEAT.to_dict()["description"]


def test_order_and_labels(capfd: pytest.CaptureFixture[str]) -> None:
    look = Look(order=("b", "y1", "x2"), labels=("b=GPT-2", "x=first circuit"))
    drawn = draw(look.applied(HEAT), capfd)
    encoding = drawn.spec["layer"][0]["encoding"]
    assert encoding["x"]["scale"]["domain"] == ["GPT-2", "a"]
    # Within their circuits.
    assert encoding["y"]["scale"]["domain"] == ["\nfirst circuit", "x2", "x1", "\ny", "y1"]
    assert {row["model"] for row in drawn.rows} == {"GPT-2", "a"}
    assert drawn.caption.endswith("Models: a, GPT-2.")
    look = Look(order=("mismatch",), labels=("match=good =",))
    drawn = draw(look.applied(REGIONS), capfd)
    colour = drawn.spec["spec"]["layer"][-3]["encoding"]["color"]["scale"]
    assert (colour["domain"], colour["range"][0]) == (["mismatch", "good ="], "#0072B2")
    assert {row["condition"] for row in drawn.rows} == {"mismatch", "good ="}
    texts = draw(Look(labels=("1 r1=Subject",)).applied(REGIONS), capfd).texts
    assert ("Subject" in texts, "1 r1" in texts) == (True, False)


@pytest.mark.parametrize(
    ("look", "said"),
    [
        (Look(order=("mach",)), "nothing in the plot is called 'mach'; did you mean 'match'?"),
        (Look(labels=("match",)), "--label match: write NAME=LABEL, such as match=grammatical"),
        *(
            (Look(font=font), f"--font {font}: no font's name has \", &, < or > in it")
            for font in ('a"b', "x&y", "a<b", "a>b", "a\x01b")
        ),
        (Look(labels=("=x",)), "--label =x: write NAME=LABEL, such as match=grammatical"),
    ],
)
def test_names_that_are_none(look: Look, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        look.applied(REGIONS)
    assert str(caught.value) == said


def test_a_font_that_is_not_there_is_said() -> None:
    for font, said in (("DejaVu Sans", []), ("No Such Font", ["No Such Font"])):
        notes = [*saving_notes(Look(font=font).applied(HEAT), Path("x.png"))]
        assert [each.split(":")[0] for each in notes] == [
            f"no font here is called {n}" for n in said
        ]


def test_without_wishes_it_is_the_plot_itself() -> None:
    assert Look().applied(HEAT) is HEAT
    assert json.loads(json.dumps(HEAT.to_dict())) == HEAT.to_dict()


def test_on_a_page_that_is_dark_a_plot_is_dark() -> None:
    light, dark = Look.on_pages(REGIONS)
    assert light == svg_of(REGIONS)
    roots = [ET.fromstring(svg) for svg in (light, dark)]  # noqa: S314 - our own
    for one, other in zip(roots[0].iter(), roots[1].iter(), strict=True):
        changed = {key for key in one.attrib if one.get(key) != other.get(key)}
        assert (one.tag, one.text) == (other.tag, other.text)
        assert changed <= {"fill", "stroke"}
    assert "white" in light
    assert not re.search(r'="(white|#222222)"', dark)


def test_what_is_called_as_a_colour_keeps_its_name() -> None:
    chart = heat_map([record('fill="white"', "white", "10"), record("b", "white", "11")])
    _, dark = Look.on_pages(chart)
    assert {'fill="white"', "white"} <= {each.text for each in ET.fromstring(dark).iter()}  # noqa: S314


def test_on_a_narrow_page_facets_stand_below_one_another() -> None:
    chart = region_chart([run_of(name=name) for name in "abc"])
    (light, _), (narrow, _) = (Look.on_pages(chart, narrow=each) for each in (False, True))
    sizes = [re.findall(r' (?:width|height)="([\d.]+)"', svg)[:2] for svg in (light, narrow)]
    (width, height), (narrow_width, narrow_height) = (map(float, each) for each in sizes)
    assert narrow_width < width / 2
    assert narrow_height > 2 * height
