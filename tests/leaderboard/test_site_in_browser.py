"""A board's site in a browser, with all that strangers and suites say being hostile."""

from pathlib import Path
from typing import Literal

import pytest
from tests.leaderboard.hostile import TEXTS, hostile_board, hostile_submission
from tests.leaderboard.samples import (
    KEEPER,
    RIGHT,
    WHEN,
    added,
    board_at,
    model,
    rescored,
    submission,
)
from tests.report.page.browser import Browser
from tests.store.run_samples import ITEMS, agreement

from pommel.leaderboard.site import Ranking


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a board on which each submission has another hostile text everywhere."""
    folder = tmp_path_factory.mktemp("hostile")
    board, suites = hostile_board(folder)
    for n, text in enumerate(TEXTS.values()):
        last = added(board, hostile_submission(folder, suites, text, n))
    board.withdraw(last.standing.id, reason=TEXTS["html"], when=WHEN, by=KEEPER)
    Ranking.write_site(board, folder / "site")
    return folder / "site"


@pytest.mark.parametrize("width", [1280, 360])
def test_no_page_does_what_a_text_says(browser: Browser, site: Path, width: int) -> None:
    browser.look(width=width)
    pages = sorted(site.rglob("*.html"))
    # The ranking, the comparison, how to submit; two suites, and all submissions but one.
    assert len(pages) == 3 + 2 + len(TEXTS) - 1
    for page in pages:
        browser.open(page)
        assert browser.complaints() == []
        assert browser.requests() == [page.as_uri(), (site / "style.css").as_uri()]
        assert browser.value("typeof stolen") == "undefined"
        made = "img, iframe, object, form, style, b, [style], [onmouseover], base, script + script"
        assert browser.value(f"document.querySelectorAll({made!r}).length") == 0
        # Our own script adds a field to search in where a table is long.
        fields = browser.value("document.querySelectorAll('input').length")
        assert fields == browser.value("document.querySelectorAll('.search input').length")
        assert browser.value("[...document.links].every(a => /^(file|https):/.test(a.href))")
        # Nothing is wider than the window but what scrolls on its own.
        assert browser.value("document.documentElement.scrollWidth <= innerWidth")
        widths = "[...document.querySelectorAll('th, td')].map(each => each.offsetWidth)"
        assert browser.value(f"Math.max(0, ...{widths})") < 400


def test_a_script_that_came_in_would_not_run(browser: Browser, site: Path) -> None:
    browser.open(site / "index.html")
    browser.value(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=stolen=1>'"
        " + '<style>body{color:red}</style><a id=it href=javascript:stolen=2>x</a>')"
    )
    browser.value("document.getElementById('it').click()")
    assert browser.value("typeof stolen") == "undefined"
    assert len([each for each in browser.complaints() if "Content Security Policy" in each]) >= 3


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a board of nine models, of which each has a number of parameters but one."""
    folder = tmp_path_factory.mktemp("sound")
    board = board_at(folder, (agreement(items=list(ITEMS) * 3),))
    for n in range(9):
        own = model(f"model-{n}", {**RIGHT, "bark": n / 4})
        own.n_parameters = 10**n if n else None
        last = added(board, submission(folder, own, (agreement(items=list(ITEMS) * 3),)))
    board.record_rerun(last.standing.id, rescored(), model=own.reference, when=WHEN, by=KEEPER)
    Ranking.write_site(board, folder / "site")
    return folder / "site"


NAMES = "[...document.querySelectorAll('.ranking tbody tr:not([hidden]) a')].map(a => a.innerText)"
SORTED = (
    "[...document.querySelectorAll('.ranking th[aria-sort]')]"
    ".map(each => [each.innerText.trim().split(' ')[0], each.ariaSort])"
)


def press(browser: Browser, head: str) -> None:
    """Sort by a column of the ranking, as somebody without a mouse does."""
    browser.value(
        f"[...document.querySelectorAll('.ranking thead button')]"
        f".find(each => each.innerText.startsWith({head!r})).focus()"
    )
    browser.key("Enter")


def test_tables_are_sorted_by_their_heads(browser: Browser, sound: Path) -> None:
    browser.look(width=1280)
    browser.open(sound / "index.html")
    assert browser.complaints() == []
    # Without a choice, by rank.
    assert browser.value(SORTED) == []
    press(browser, "parameters")
    assert browser.value(SORTED) == [["parameters", "descending"]]
    numbers = [*range(8, 0, -1)]
    assert browser.value(NAMES) == [f"model-{n}" for n in (*numbers, 0)]
    press(browser, "parameters")
    assert browser.value(SORTED) == [["parameters", "ascending"]]
    # What is not known stays last.
    assert browser.value(NAMES) == [f"model-{n}" for n in (*reversed(numbers), 0)]
    press(browser, "model")
    assert browser.value(SORTED) == [["model", "ascending"]]
    assert browser.value(NAMES) == [f"model-{n}" for n in range(9)]


def test_tables_are_searched(browser: Browser, sound: Path) -> None:
    browser.look(width=1280)
    browser.open(sound / "index.html")

    def search(text: str) -> tuple[list[str], str]:
        browser.value(
            f"{{ const field = document.querySelector('.search input'); field.value = {text!r};"
            f" field.dispatchEvent(new Event('input')); }}"
        )
        return browser.value(NAMES), browser.value("document.querySelector('output').innerText")

    assert search("LINGUIST \uff4dodel-7") == (["model-7"], "1 of 9")
    assert search("nobody") == ([], "0 of 9")
    everything = search("")
    assert (len(everything[0]), everything[1]) == (9, "")
    # A screen reader finds the field by its label; the table of one suite needs none.
    assert browser.value("document.querySelector('input').labels[0].innerText.trim()") == "Search"
    assert browser.value("document.querySelectorAll('.search').length") == 1


def test_what_a_score_rests_on_makes_no_row_tall(browser: Browser, sound: Path) -> None:
    browser.look(width=400)
    browser.open(sound / "index.html")
    said = "[...document.querySelectorAll('.status')].map(each => each.innerText)"
    assert sorted(browser.value(said)) == [
        *["claimed"] * 8,
        "scored again on 2026-01-02 (11.1% of items)",
    ]
    # Three lines of 22.5 pixels at most: one word a line would be seven.
    rows = "[...document.querySelectorAll('.ranking tbody tr')].map(each => each.offsetHeight)"
    assert max(browser.value(rows)) < 80


@pytest.mark.parametrize(
    "name", ["index.html", "pairs.html", "submit.html", "suites", "submissions"]
)
def test_pages_fit_wherever_they_are_read(browser: Browser, sound: Path, name: str) -> None:
    page = sound / name if name.endswith("html") else next((sound / name).iterdir())
    colours = {}
    looks: list[tuple[int, bool, Literal["print", "screen"]]]
    looks = [(400, False, "screen"), (400, True, "screen"), (1280, True, "print")]
    for width, dark, media in looks:
        browser.look(width=width, dark=dark, media=media)
        browser.open(page)
        assert browser.value("document.documentElement.scrollWidth <= innerWidth")
        style = "getComputedStyle(document.body)"
        colours[dark, media] = browser.value(f"[{style}.color, {style}.backgroundColor]")
    light, black, white = "rgb(29, 36, 48)", "rgb(0, 0, 0)", "rgb(255, 255, 255)"
    assert colours == {
        (False, "screen"): [light, white],
        (True, "screen"): ["rgb(228, 232, 238)", "rgb(20, 24, 31)"],
        # Paper is white, whatever a screen is.
        (True, "print"): [black, white],
    }


def test_pages_are_whole_without_a_script(browser: Browser, sound: Path) -> None:
    browser.look(width=1280)
    with browser.without_scripts():
        browser.open(sound / "index.html")
        assert len(browser.value(NAMES)) == 9
        assert browser.value("document.querySelectorAll('button, input').length") == 0
