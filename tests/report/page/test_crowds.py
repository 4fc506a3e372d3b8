"""A page of very many models: all of them in its first table, and few suite by suite."""

import re
from pathlib import Path

import pytest
from tests.analysis.records import record, seed

from pommel.analysis import ModelsCompared
from pommel.report.page import sections, write_report
from pommel.report.page.sections import MOST_LOOKED_AT, looked_at, report_models
from pommel.scoring import RunRecord

N_STEPS = MOST_LOOKED_AT


def crowd() -> list[RunRecord]:
    """Return the steps of two trainings and a model that is of none, on two suites."""
    steps = [
        record(f"{family}@{n}", suite, "1" * n + "0" * (N_STEPS - n), circuit="c", member=member)
        for family in ("one", "two")
        for n in range(1, N_STEPS + 1)
        for member in [seed(n, family, "step")]
        for suite in ("s", "t")
    ]
    return [*steps, record("alone", "s", "10"), record("alone", "t", "11")]


def test_of_trainings_the_last_steps_are_looked_at() -> None:
    models = report_models(ModelsCompared.of(crowd()))
    assert len(models) == 2 * N_STEPS + 1
    assert [each.label for each in looked_at(models)] == ["one@100", "two@100", "alone"]


def test_as_many_models_as_can_be_looked_at_are() -> None:
    models = report_models(ModelsCompared.of(crowd()))[:MOST_LOOKED_AT]
    assert looked_at(models) == models


def test_more_verdicts_than_a_page_has_room_for_are_those_of_the_first_models(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    models = report_models(ModelsCompared.of(record(f"m-{n}", "s", "1101") for n in range(9)))
    monkeypatch.setattr(sections, "MOST_VERDICTS", 36)
    assert looked_at(models) == models
    monkeypatch.setattr(sections, "MOST_VERDICTS", 35)
    assert looked_at(models) == models[:8]
    monkeypatch.setattr(sections, "MOST_VERDICTS", 3)
    assert looked_at(models) == models[:1]


def test_the_page_says_so_and_has_all_in_its_first_table(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(crowd(), [], path, title="A crowd")
    page = path.read_text("utf-8")
    (note,) = re.findall('<p class="note">(201 models are .*)</p>', page)
    assert "suites, items and provenance are those of 3: of the last step of each training" in note
    table = page[page.index('<table class="sortable searchable" id="models">') :]
    # Earlier steps are folded.
    rows = re.findall("<tr.*?>", table[: table.index("</table>")])
    assert (rows.count("<tr>"), rows.count('<tr class="member">')) == (1 + 3, 198)
    assert '<input type="checkbox" id="show-members"> Show all steps of trainings</label>' in page
    assert re.findall('name="model" value="(.*?)"', page) == ["one@100", "two@100", "alone"]
    assert "<figcaption>Training</figcaption>" in page
