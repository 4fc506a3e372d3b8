"""A report in a browser: nothing goes wrong, nothing leaves, and what can be done there works."""

from pathlib import Path

import pytest
from tests.builders import make_suite
from tests.report.page.browser import Browser
from tests.report.page.pages import choose, named, opened, texts
from tests.word_model import WordModel

from pommel.report.page import write_report
from pommel.scoring.run import run_suites
from pommel.scoring.run_record import RunRecord

HOSTILE = '</script><script>window.stolen=1</script><img src=x onerror="stolen=2">\'&{{7*7}}'

# The suites of the demo, in the order of their sections.
NUMBER, HEBREW, FILLER = 0, 1, 2


def test_every_chart_is_drawn_nothing_is_wrong_and_nothing_leaves(
    browser: Browser, demo: Path
) -> None:
    opened(browser, demo)
    browser.value("for (const each of document.querySelectorAll('.suite')) each.open = true")
    for place in range(5):
        browser.value(f"document.querySelectorAll('.drawing')[{place}].scrollIntoView()")
        browser.until(
            f"document.querySelectorAll('.drawing')[{place}]"
            ".querySelectorAll('svg path').length > 9"
        )
    assert browser.value("document.querySelectorAll('.drawing').length") == 5
    assert browser.complaints() == []
    assert browser.requests() == [demo.as_uri()]


def test_charts_are_drawn_one_after_another(browser: Browser, demo: Path) -> None:
    opened(browser, demo)
    browser.until("document.querySelectorAll('.drawing:not([data-drawn=done])').length === 0")
    browser.value(
        "const embed = vegaEmbed; window.at_once = window.n_drawn = window.most = 0;"
        "window.vegaEmbed = (...given) => {"
        " most = Math.max(most, ++at_once);"
        " return embed(...given).finally(() => { n_drawn += 1; at_once -= 1 }) }; 0"
    )
    # All of them are to be seen at once.
    browser.look(width=1400, height=20_000)
    browser.value("for (const each of document.querySelectorAll('.suite')) each.open = true")
    browser.value("document.querySelector('[data-choose=all]').click()")
    browser.until("n_drawn >= 3 && at_once === 0")
    assert browser.value("most") == 1


def test_a_request_would_be_refused_and_noticed(browser: Browser, demo: Path) -> None:
    opened(browser, demo)
    browser.value(
        "new Promise(done => { const i = new Image(); i.onerror = done; i.src = 'x.png' })"
    )
    assert any("Content Security Policy" in each for each in browser.complaints())


def test_a_table_is_sorted_by_a_click_and_by_the_keyboard(browser: Browser, demo: Path) -> None:
    opened(browser, demo)
    shares = "#scores tbody td:nth-child(5)"
    written = texts(browser, shares)
    browser.value("document.querySelector('#scores th:nth-child(5) button').click()")
    assert [each[:4] for each in texts(browser, shares)] == sorted(
        (each[:4] for each in written), reverse=True
    )
    browser.value("document.querySelector('#scores th:nth-child(1) button').focus()")
    browser.key("Enter")
    assert texts(browser, "#scores tbody th") == ["fgd_subject", "hebrew", "number_prep"]
    assert browser.value("document.querySelector('#scores th').ariaSort") == "ascending"
    browser.key("Enter")
    assert texts(browser, "#scores tbody th") == ["number_prep", "hebrew", "fgd_subject"]


def test_what_is_missing_stays_last_whichever_way_a_table_is_sorted(
    browser: Browser, demo: Path
) -> None:
    opened(browser, demo)
    for _ in range(2):
        # The column of the Hebrew suite's model, which was run on that alone.
        browser.value("document.querySelector('#scores th:last-child button').click()")
        assert texts(browser, "#scores tbody th")[0] == "hebrew"


def test_a_suite_is_chosen(browser: Browser, demo: Path) -> None:
    opened(browser, demo)
    choose(browser, "#choose-suite", f"suite-{FILLER}")
    browser.until(f"document.querySelector('#suite-{FILLER} .drawing[data-drawn=done]') !== null")
    assert texts(browser, ".suite[open] > summary h3") == ["fgd_subject 2.0.0"]
    choose(browser, "#choose-suite", f"suite-{NUMBER}")
    browser.until(f"document.getElementById('suite-{NUMBER}').open")
    assert texts(browser, ".suite[open] > summary h3") == ["number_prep 2.0.0"]


def test_an_address_leads_to_an_item(browser: Browser, demo: Path) -> None:
    opened(browser, demo, f"#suite-{NUMBER}-item-20")
    browser.until(f"document.getElementById('suite-{NUMBER}').open")
    browser.until(
        f"Math.abs(document.getElementById('suite-{NUMBER}-item-20').getBoundingClientRect().top)"
        " < innerHeight"
    )


def test_models_are_chosen(browser: Browser, demo: Path) -> None:
    opened(browser, demo, f"#suite-{NUMBER}")
    browser.until(f"document.querySelectorAll('#suite-{NUMBER} .drawing svg.marks').length === 1")
    names = f"#suite-{NUMBER} .items thead th"
    facets = (
        f"[...document.querySelectorAll('#suite-{NUMBER} .drawing svg.marks text')]"
        ".map(each => each.textContent).filter(each => each.startsWith('en-'))"
    )
    assert texts(browser, names) == ["condition", "sentence", "en-gpt2", "en-ngram"]
    browser.until(f"{facets}.join() === 'en-gpt2,en-ngram'")
    choose(browser, "input[value=en-gpt2]", value=False)
    assert texts(browser, names) == ["condition", "sentence", "en-ngram"]
    assert texts(browser, f"#suite-{NUMBER} .failures tbody th") == ["en-ngram"]
    browser.until(f"{facets}.join() === 'en-ngram'")
    assert texts(browser, "#n-chosen") == ["(2 of 3)"]


def test_names_of_suites_are_not_broken_in_a_small_window(browser: Browser, demo: Path) -> None:
    browser.look(width=500)
    browser.open(demo)
    links = "[...document.querySelectorAll('#scores th a')]"
    assert browser.value(f"{links}.map(each => each.getClientRects().length)") == [1, 1, 1]


def test_failures_come_alone_and_the_worst_first(
    browser: Browser, demo: Path, demo_records: list[RunRecord]
) -> None:
    (record,) = (
        each
        for each in demo_records
        if (each.result.model_name, each.result.suite_name) == ("en-ngram", "fgd_subject")
    )
    prediction = record.result.predictions[0]
    margins = dict(zip(record.result.item_numbers, prediction.margin_bits.tolist(), strict=True))
    failing = [number for number, holds in zip(margins, prediction.holds, strict=True) if not holds]
    opened(browser, demo, f"#suite-{FILLER}")
    browser.until(f"document.querySelectorAll('#suite-{FILLER} [name=model] option').length > 0")
    choose(browser, f"#suite-{FILLER} [name=model]", "en-ngram")
    choose(browser, f"#suite-{FILLER} [name=failures]", value=True)
    choose(browser, f"#suite-{FILLER} [name=order]", "margin")
    shown = texts(browser, f"#suite-{FILLER} .items [scope=rowgroup]")
    assert 0 < len(failing) < len(margins)
    assert shown == [f"item {number}" for number in sorted(failing, key=margins.__getitem__)]


def test_tables_leave_as_csv(browser: Browser, demo: Path, demo_records: list[RunRecord]) -> None:
    opened(browser, demo, f"#suite-{NUMBER}")
    browser.value(
        "HTMLAnchorElement.prototype.click = function () { window.saved = this.download };"
        "const make = URL.createObjectURL;"
        "URL.createObjectURL = blob => { window.blob = blob; return make(blob) }; 0"
    )
    browser.value(f"document.querySelector('#suite-{NUMBER} [data-rows=verdicts]').click()")
    head, first, *rest = browser.value("window.blob.text()").splitlines()
    assert head == (
        "model_name,prediction_id,item_number,result,margin_bits,tie,defined,swallowed,unscored,"
        "oov,skipped"
    )
    assert browser.value("window.saved") == "number_prep-predictions.csv"
    prediction = demo_records[0].result.predictions[0]
    margin = round(float(prediction.margin_bits[0]), 6)
    holds = bool(prediction.holds[0])
    assert first == f"en-gpt2,0,1,{holds},{margin},False,True,False,False,False,False"
    assert len(rest) == 2 * 24 - 1


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize("width", [500, 1400])
def test_no_page_is_wider_than_its_window(
    browser: Browser, demo: Path, width: int, *, is_dark: bool
) -> None:
    browser.look(width=width, dark=is_dark)
    browser.open(demo, f"#suite-{NUMBER}")
    browser.until(f"document.querySelector('#suite-{NUMBER} .drawing[data-drawn=done]') !== null")
    assert browser.value("document.documentElement.scrollWidth") <= width
    ink, paper = browser.value(
        "['color', 'backgroundColor'].map(name => getComputedStyle(document.body)[name])"
    )
    assert (ink, paper) == (
        ("rgb(228, 232, 238)", "rgb(20, 24, 31)")
        if is_dark
        else ("rgb(29, 36, 48)", "rgb(255, 255, 255)")
    )


@pytest.mark.full
@pytest.mark.parametrize("width", [400, 800, 1400])
def test_anchors_are_not_below_what_sticks(browser: Browser, demo: Path, width: int) -> None:
    for anchor in (f"suite-{NUMBER}", f"suite-{NUMBER}-item-20", "provenance"):
        browser.look(width=width)
        browser.open(demo, f"#{anchor}")
        browser.until(f"document.getElementById('suite-{NUMBER}') !== null")
        browser.value(f"location.hash = ''; location.hash = '#{anchor}'")
        seen = (
            "(() => { const at = document.getElementById('%s').getBoundingClientRect();"
            "const top = document.elementFromPoint(at.left + 20, at.top + 6);"
            "return !!top && document.getElementById('%s').contains(top) })()"
        )
        browser.until(seen % (anchor, anchor))


@pytest.mark.full
def test_a_dark_page_draws_dark_charts_and_paper_is_light_and_unfolded(
    browser: Browser, demo: Path
) -> None:
    ink = (
        "getComputedStyle(document.querySelector('.drawing svg .role-axis-label text')).fill"
        " + getComputedStyle(document.querySelector('.drawing svg')).backgroundColor"
    )
    drawn = "document.querySelectorAll('.drawing:not([data-drawn=done])').length === 0"
    browser.look(width=800, dark=True)
    browser.open(demo)
    # Those in closed suites, too, for paper.
    browser.until(drawn)
    assert browser.value(ink) == "rgb(228, 232, 238)rgb(20, 24, 31)"
    assert browser.value("document.querySelectorAll('main details[open]').length") == 0
    browser.look(width=800, dark=True, media="print")
    browser.value("dispatchEvent(new Event('beforeprint'))")
    assert browser.value(ink).startswith("rgb(34, 34, 34)")
    folded = "document.querySelectorAll('main details:not([open], .vega-embed details)').length"
    assert browser.value(folded) == 0
    assert browser.value(
        "[...document.querySelectorAll('.drawing svg')].every(each =>"
        " each.getBoundingClientRect().right <= innerWidth)"
    )
    browser.value("dispatchEvent(new Event('afterprint'))")
    assert browser.value("document.querySelectorAll('main details[open]').length") == 0


def test_without_javascript_the_tables_are_there_and_charts_say_why_not(
    browser: Browser, demo: Path
) -> None:
    with browser.without_scripts():
        opened(browser, demo)
        browser.value("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert len(texts(browser, "#scores tbody tr")) == 3
        assert len(texts(browser, f"#suite-{NUMBER} .items tbody")) == 24
        assert len(texts(browser, "noscript:not(.part)")) == 5
        assert texts(browser, "select, button, input, .drawing") == []


def test_hebrew_is_written_from_right_to_left(browser: Browser, demo: Path) -> None:
    opened(browser, demo, f"#suite-{HEBREW}")
    browser.until(f"document.getElementById('suite-{HEBREW}').open")
    assert (
        texts(browser, f"#suite-{HEBREW} [lang=he][dir=rtl]")[0].replace("\n", "") == "הילד ישן2 ."  # noqa: RUF001 - Hebrew
    )
    # What comes first stands on the right.
    assert browser.value(
        f"{{ const marks = [...document.querySelectorAll('#suite-{HEBREW} .sentence')].map(each =>"
        "[each.getBoundingClientRect(), each.querySelector('mark mark').getBoundingClientRect()]);"
        "marks.every(([cell, mark]) => cell.right - mark.right > 20) }"
    )


def test_names_and_texts_are_never_markup(browser: Browser, tmp_path: Path) -> None:
    item = {"a": (HOSTILE, "x", "."), "b": (HOSTILE, "yyy", ".")}
    suite = make_suite(
        [item], ["(2;%a%) < (2;%b%)"], name=HOSTILE, circuit=HOSTILE, language="<en>"
    )
    runs = [named(run, HOSTILE) for run in run_suites(WordModel(), [suite])]
    write_report([RunRecord.of(run) for run in runs], runs, tmp_path / "x.html", title=HOSTILE)
    opened(browser, tmp_path / "x.html", "#suite-0")
    browser.until("document.querySelector('#suite-0 .drawing[data-drawn=done]') !== null")
    assert browser.value("window.stolen") is None
    assert browser.value("document.title") == HOSTILE
    assert browser.value("document.querySelectorAll('img').length") == 0
    assert texts(browser, "#scores tbody th, #models tbody th") == [HOSTILE, HOSTILE]
    assert browser.complaints() == []
