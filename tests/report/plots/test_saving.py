"""Charts as files."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.analysis.records import record
from tests.report.plots.drawn import svg_of

from pommel.analysis.accuracy import Accuracies
from pommel.analysis.asking import Settings
from pommel.errors import PommelError, UsageError
from pommel.report.plots import theme
from pommel.report.plots.circuits import circuit_chart
from pommel.report.plots.heat_map import heat_map
from pommel.report.plots.saving import ChartFile, save_chart

EVIL = "</script><script>alert(1)</script>"
CHART = heat_map([record(EVIL, "s", "10"), record("b", "s", "11")])


def test_svg(tmp_path: Path) -> None:
    save_chart(CHART, tmp_path / "plot.SVG")
    text = (tmp_path / "plot.SVG").read_text("utf-8")
    assert text.startswith("<svg ")
    assert text == svg_of(CHART)
    assert "<script" not in text
    assert "&lt;/script&gt;" in text


def test_png_has_two_pixels_for_one(tmp_path: Path) -> None:
    save_chart(CHART, tmp_path / "plot.png")
    content = (tmp_path / "plot.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(content[start : start + 4]) for start in (16, 20))
    found = re.match(r'<svg [^>]*width="(\d+)" height="(\d+)"', svg_of(CHART))
    assert found
    assert (width, height) == (2 * int(found[1]), 2 * int(found[2]))


def test_pdf(tmp_path: Path) -> None:
    save_chart(CHART, tmp_path / "plot.pdf")
    assert (tmp_path / "plot.pdf").read_bytes().startswith(b"%PDF-")


def test_a_path_may_be_text(tmp_path: Path) -> None:
    save_chart(CHART, str(tmp_path / "plot.svg"))
    assert (tmp_path / "plot.svg").read_text("utf-8") == svg_of(CHART)
    with pytest.raises(UsageError, match=r"^plot\.txt: a plot is written as \.svg, "):
        save_chart(CHART, "plot.txt")


def test_json_is_vega_lite(tmp_path: Path) -> None:
    save_chart(CHART, tmp_path / "plot.json")
    assert json.loads((tmp_path / "plot.json").read_text("utf-8")) == CHART.to_dict()


def test_html_needs_no_network_and_runs_nothing_of_a_name(tmp_path: Path) -> None:
    save_chart(CHART, tmp_path / "plot.html")
    text = (tmp_path / "plot.html").read_text("utf-8")
    # The script of Vega, and the one that draws; no name ends one or begins another.
    assert len(re.findall("<script", text)) == len(re.findall("</script>", text)) == 2
    assert "alert(1)" in text
    assert "\\u003c/script>\\u003cscript>alert(1)" in text
    assert not re.search(r"<(script|link)[^>]*(src|href)=", text)
    assert '"editor": false' in text or '"editor":false' in text


def test_a_stand_in_in_the_data_is_left_alone(tmp_path: Path) -> None:
    save_chart(heat_map([record("_less_than_a<b", "s", "10")]), tmp_path / "plot.html")
    text = (tmp_path / "plot.html").read_text("utf-8")
    assert "_less_than_a\\u003cb" in text


def test_the_same_chart_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg", "a.png", "b.png"):
        save_chart(CHART, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("name", ["plot.jpg", "plot", "plot.svg.gz"])
def test_other_endings(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        save_chart(CHART, tmp_path / name)
    assert str(caught.value) == (
        f"{tmp_path / name}: a plot is written as .svg, .png, .pdf, .html or .json; end the name so"
    )
    with pytest.raises(UsageError):
        ChartFile(tmp_path / name)
    ChartFile(tmp_path / "plot.svg")
    assert [*tmp_path.iterdir()] == []


def test_what_may_not_be_written_is_an_error(tmp_path: Path) -> None:
    # Root may write into a closed folder, but not under every name.
    name = f"{'x' * 300}.svg"
    with pytest.raises(PommelError) as caught:
        save_chart(CHART, tmp_path / name)
    assert str(caught.value) == f"{tmp_path / name}: cannot be written: File name too long"
    assert [*tmp_path.iterdir()] == []


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "plot.svg").mkdir()
    with pytest.raises(PommelError) as caught:
        save_chart(CHART, tmp_path / "plot.svg")
    assert str(caught.value) == f"{tmp_path / 'plot.svg'}: cannot be written: Is a directory"
    assert [each.name for each in tmp_path.iterdir()] == ["plot.svg"]


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(theme, "find_spec", lambda _name: None)
    for act in (
        lambda: heat_map([record("a", "s", "10")]),
        lambda: save_chart(CHART, tmp_path / "plot.svg"),
    ):
        with pytest.raises(PommelError) as caught:
            act()
        assert str(caught.value) == f"plots need the plots extra: {PommelError.install('plots')}"
    assert [*tmp_path.iterdir()] == []


def test_plots_are_no_burden_until_one_is_drawn() -> None:
    modules = "sys, pommel.report.plots.table, pommel.report.plots.saving"
    code = f"import {modules}; print('altair' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_what_vega_cannot_draw_is_said(tmp_path: Path) -> None:
    # A field of every object of JavaScript, which Vega looks conditions and circuits up in.
    accuracies = Accuracies.of(
        [record("m", "s", "10", circuit="constructor")], "circuit", Settings(n_resamples=99)
    )
    with pytest.raises(PommelError) as caught:
        save_chart(circuit_chart(accuracies), tmp_path / "plot.svg")
    assert str(caught.value).startswith(f"{tmp_path / 'plot.svg'}: the plot cannot be drawn: ")
    assert not (tmp_path / "plot.svg").exists()
