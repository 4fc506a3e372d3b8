"""What is said before a chart is written."""

from pathlib import Path

import pytest
from tests.analysis.records import record
from tests.report.plots.drawn import svg_of

from pommel.report.plots.heat_map import heat_map
from pommel.report.plots.margins import margin_chart
from pommel.report.plots.saving import saving_notes
from pommel.scoring.run_record import RunRecord

# A letter that hardly a font has.
NO_LETTER = "\U00030000"


def records(n_models: int) -> list[RunRecord]:
    return [record(f"m{number}", "s", "10", [1, -1]) for number in range(n_models)]


def test_large_plots() -> None:
    chart = heat_map(records(139))
    assert [*saving_notes(heat_map(records(138)), Path("plot.svg"))] == []
    assert [*saving_notes(chart, Path("plot.svg"))] == [
        "the plot is very large, about 5,004 x 17 pixels; --model and --suite choose among the runs"
    ]


def test_many_facets() -> None:
    """The size is about that of the picture."""
    chart = margin_chart(records(180))
    (note,) = saving_notes(chart, Path("plot.svg"))
    assert note.startswith("the plot is very large, about 780 x 5,880 pixels; ")
    height = int(svg_of(chart).split('height="', 1)[1].split('"', 1)[0])
    assert 5000 < height < 7000


@pytest.mark.parametrize("name", ["plot.png", "plot.PDF"])
def test_letters_that_no_font_has(name: str) -> None:
    chart = heat_map([record(f"m{NO_LETTER}", "s", "10")])
    (note,) = saving_notes(chart, Path(name))
    assert note == (
        f"no font here has letters such as {NO_LETTER}: they are boxes in the plot; install one "
        "that has them, or write .svg"
    )
    # There it is still text.
    assert [*saving_notes(chart, Path("plot.svg"))] == []


@pytest.mark.parametrize("model", ["ж", "λ", "é", "m"])
def test_letters_that_come_with_what_draws_them(model: str) -> None:
    assert [*saving_notes(heat_map([record(model, "s", "10")]), Path("plot.png"))] == []
