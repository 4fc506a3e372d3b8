"""The models that the suites of a report show, of very many."""

from pathlib import Path

import pytest
from tests.builders import suite_value
from tests.report.page.browser import Browser
from tests.report.page.pages import choose, named, opened, texts
from tests.word_model import WordModel

from pommel.report.page import write_report
from pommel.scoring.run import run_suites
from pommel.scoring.run_record import RunRecord
from pommel.suite.read import LoadedSuite

# The names above the curves of a suite.
FACETS = (
    "[...document.querySelectorAll('#suite-{} .drawing svg.marks text')]"
    ".map(each => each.textContent).filter(each => each.startsWith('model-'))"
)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of thirty models on two suites, of which six ran the second one only."""
    item = {"a": ("The dog", "barks", "."), "b": ("The dog", "bark", ".")}
    long = "x" * 300
    values = [suite_value([item], ["(2;%a%) < (2;%b%)"], name=name) for name in ("one", "two")]
    values[1]["region_meta"]["2"] = long
    suites = [LoadedSuite.from_dict(value).suite for value in values]
    runs = [
        named(run, f"model-{number}")
        for number in range(30)
        for run in run_suites(WordModel(), suites[1:] if number < 6 else suites)
    ]
    path = tmp_path_factory.mktemp("report") / "many.html"
    write_report([RunRecord.of(run) for run in runs], runs, path, title=long)
    return path


def test_a_suite_that_no_chosen_model_ran_shows_its_first(browser: Browser, many: Path) -> None:
    opened(browser, many, "#suite-0")
    first = [f"model-{number}" for number in (6, 7, 8, 9)]
    browser.until("document.querySelector('#suite-0 .drawing[data-drawn=done]') !== null")
    assert texts(browser, "#suite-0 .by-model-rows th[scope=row]")[:4] == first
    assert texts(browser, "#suite-0 .items thead .number") == first
    assert browser.value(FACETS.format(0)) == first
    assert texts(browser, ".of-choice") == [
        "None of the models chosen above ran this suite; shown: the first 4 of the 24 that did."
    ]
    choose(browser, "input[value=model-20]", value=True)
    assert texts(browser, ".of-choice") == []
    assert texts(browser, "#suite-0 .items thead .number") == ["model-20"]
    browser.until(f"{FACETS.format(0)}.join() === 'model-20'")


def test_where_no_model_is_chosen_it_is_said(browser: Browser, many: Path) -> None:
    opened(browser, many, "#suite-1")
    browser.until("document.querySelector('#suite-1 .drawing[data-drawn=done]') !== null")
    browser.value("document.querySelector('[data-choose=none]').click()")
    assert texts(browser, ".of-choice") == ["No model is chosen above."]
    no_curves = "No surprisals are known of the models that are chosen."
    browser.until(f"document.querySelector('#suite-1 .of-drawing').textContent === '{no_curves}'")
    assert texts(browser, "#suite-1 .drawing, #suite-1 .items thead .number") == []
    choose(browser, "input[value=model-3]", value=True)
    browser.until(f"{FACETS.format(1)}.join() === 'model-3'")
    assert texts(browser, ".of-choice, #suite-1 .of-drawing") == []


def test_of_very_many_models_not_all_are_drawn_and_closed_suites_wait(
    browser: Browser, many: Path
) -> None:
    opened(browser, many, "#suite-0")
    browser.until("document.querySelector('#suite-0 .drawing[data-drawn=done]') !== null")
    browser.value("location.hash = 'suite-1'")
    browser.until("document.querySelector('#suite-1 .drawing[data-drawn=done]') !== null")
    browser.value("document.querySelector('[data-choose=all]').click()")
    # By now it is below what is to be seen.
    browser.value("document.querySelector('#suite-1 .drawing').scrollIntoView()")
    browser.until(f"{FACETS.format(1)}.length === 24")
    assert texts(browser, "#suite-1 .items thead .number") == [f"model-{n}" for n in range(30)]
    assert texts(browser, "#suite-1 .of-drawing") == [
        "Drawn: the first 24 of 30 models; choose fewer to see others."
    ]
    # The other one is still as it was; once it is open it follows.
    assert len(browser.value(FACETS.format(0))) == 4
    browser.value("document.querySelector('#suite-0 summary').click()")
    browser.value("document.querySelector('#suite-0 .drawing').scrollIntoView()")
    browser.until(f"{FACETS.format(0)}.length === 24")
    assert browser.complaints() == []


@pytest.mark.parametrize("width", [500, 1400])
def test_words_that_are_wider_than_the_window_are_broken(
    browser: Browser, many: Path, width: int
) -> None:
    browser.look(width=width)
    browser.open(many, "#suite-1")
    browser.until("document.querySelector('#suite-1 .drawing[data-drawn=done]') !== null")
    assert browser.value("document.documentElement.scrollWidth") <= width
