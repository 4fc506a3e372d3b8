"""What is said before a chart is written."""

from pathlib import Path

import pytest
from tests.analysis.records import record

from pommel.report.plots.heat_map import heat_map
from pommel.report.plots.saving import saving_notes

# A letter that hardly a font has.
NO_LETTER = "\U00030000"


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
