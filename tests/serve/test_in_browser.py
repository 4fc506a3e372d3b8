"""The server in a browser: with hostile texts everywhere, narrow, dark, right to left, by keys."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from tests.builders import make_suite
from tests.leaderboard.hostile import TEXTS
from tests.report.page.browser import Browser, barriers
from tests.serve.samples import TOKEN, filled, model, people_of, served
from tests.store.run_samples import FORMULAS, made, own

from pommel.models.family import Membership
from pommel.serve.site import Site
from pommel.store import Store

pytestmark = pytest.mark.full

HEBREW = (
    {"good": ("הכלבים", "נובחים", "."), "bad": ("הכלבים", "נובח", ".")},
    {"good": ("החתול", "ישן", "."), "bad": ("החתול", "ישנים", ".")},
)
# Letters with marks of their own, and a script without spaces.
MARKED = (
    {"good": ("Z\u0300\u0301oe", "läuft", "."), "bad": ("Z\u0300\u0301oe", "laufen", ".")},
    {"good": ("先生が", "笑った", "。"), "bad": ("先生が", "笑ったい", "。")},
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server whose store has hostile texts, Hebrew and Japanese."""
    path = filled(tmp_path_factory.mktemp("serve") / "store.sqlite")
    with Store.open(path) as store:
        for n, text in enumerate(TEXTS.values()):
            regions = (text, f"{text}x", ".")
            item = {"good": regions, "bad": (text, f"{text}y", ".")}
            suite = make_suite([item], FORMULAS, name=text, circuit=text, language="en")
            made(store, suite, model(f"{text}{n}", {}))
            made(store, suite, model("plain", {}))
        for step in (1, 2):
            name = next(text for text in TEXTS.values() if "script" in text)
            member = Membership(
                family=name, axis="step", label=f"step{step}", value=float(step), pattern=name
            )
            record = own(step, f"toy://{step}", name=f"{name}/{step}", membership=member)
            store.runs.save_records([record])
        for name, language, items in (("עברית", "he", HEBREW), ("marks", "ja", MARKED)):
            made(store, make_suite(items, FORMULAS, name=name, circuit="c", language=language))
    with served(Site(store=path, people=people_of(path, token=TOKEN))) as address:
        yield address


def links(browser: Browser) -> list[str]:
    """Return where the links of a page lead."""
    found: list[str] = browser.value("[...document.querySelectorAll('main a')].map(a => a.href)")
    return found


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_no_page_does_what_a_text_says(
    browser: Browser, address: str, *, width: int, dark: bool
) -> None:
    browser.look(width=width, dark=dark)
    browser.open(f"{address}/?token={TOKEN}")
    pages = {f"{address}/{each}" for each in ("", "runs", "models", "suites", "families")}
    pages |= {each for each in links(browser) if "/suites/" in each}
    browser.open(f"{address}/compare?left=right&right=wrong")
    pages |= {each for each in links(browser) if "suite=" in each}
    browser.open(f"{address}/models")
    # A model of which the name is hostile, everywhere, and pinned.
    hostile = [each for each in links(browser) if "script" in each]
    assert hostile
    pages |= {*hostile}
    browser.open(f"{address}/families")
    pages |= {each for each in links(browser) if "/families/" in each}
    items = set()
    for page in sorted(pages):
        browser.open(page)
        items |= {each for each in links(browser) if "/items/1" in each}
    assert len(items) >= len(TEXTS) + 4
    for page in sorted(pages | items):
        browser.open(page)
        assert browser.complaints() == [], page
        asked = {each.partition("?")[0] for each in browser.requests()}
        files = {f"{address}/static/{name}" for name in ("serve.css", "htmx.min.js", "icon.svg")}
        charts = asked - files - {page.partition("?")[0]}
        assert charts <= {f"{address}/charts/{name}.svg" for name in ("regions", "family")}
        assert browser.value("document.querySelectorAll('picture.chart img').length") == len(charts)
        assert browser.value("[...document.images].every(each => each.naturalWidth > 100)"), page
        assert browser.value("[...document.images].every(each => each.alt.length > 20)")
        assert browser.value("typeof stolen") == "undefined"
        script = "script:not([src^='/static/'])"
        kinds = "iframe, object, style, b, [style], [onmouseover], base"
        made_of = f":not(picture) > img, {kinds}, {script}"
        assert browser.value(f"document.querySelectorAll({made_of!r}).length") == 0
        assert browser.value("[...document.links].every(a => a.origin == location.origin)")
        # Nothing is wider than the window but what scrolls on its own.
        assert browser.value("document.documentElement.scrollWidth <= innerWidth"), page
        # One heading for the page, and below it no level left out.
        levels = browser.value("[...document.querySelectorAll('h1,h2,h3')].map(e => +e.tagName[1])")
        assert levels[0] == 1 and levels.count(1) == 1  # noqa: PT018 - both of one thing
        assert all(after - before <= 1 for before, after in pairwise(levels)), page
        # What is filled in has a name, and what scrolls is reached by keys.
        fields = "[...document.querySelectorAll('input:not([type=hidden]), select')]"
        assert browser.value(f"{fields}.every(each => each.labels.length == 1)")
        wide = "[...document.querySelectorAll('.wide')]"
        assert browser.value(f"{wide}.every(each => each.tabIndex == 0 && each.ariaLabel)")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (400, True)])
def test_nothing_keeps_people_out(
    browser: Browser, address: str, *, width: int, dark: bool
) -> None:
    browser.look(width=width, dark=dark)
    browser.open(f"{address}/?token={TOKEN}")
    suite = browser.value("[...document.links].find(a => a.innerText == 'more').href")
    browser.open(f"{address}/families")
    (family,) = {each for each in links(browser) if "/families/" in each}
    key = suite.rpartition("/")[2]
    for page in (
        f"{address}/",
        f"{address}/runs?model=r&order=score",
        f"{address}/models?baseline=right",
        f"{address}/suites?model=wrong&baseline=right",
        f"{address}/families",
        family,
        f"{suite}?baseline=right",
        f"{suite}/items/1?model=right&model=wrong",
        f"{address}/compare?left=right&right=wrong&suite={key}",
        f"{address}/models?baseline=nobody",
        f"{address}/nothing",
    ):
        browser.open(page)
        assert barriers(browser.page) == []


def test_what_is_written_from_right_to_left_is_read_so(browser: Browser, address: str) -> None:
    browser.look(width=1280)
    browser.open(f"{address}/?token={TOKEN}")
    suite = browser.value("[...document.links].find(a => a.innerText == 'עברית').href")
    browser.open(f"{suite}/items/1")
    first = "document.querySelectorAll('.sentence ruby')"
    # The first word stands to the right of the second.
    assert browser.value(
        f"{first}[0].getBoundingClientRect().left > {first}[1].getBoundingClientRect().left"
    )
    assert browser.value("document.querySelector('.sentence').lang") == "he"


def test_two_models_are_compared_by_keys_alone(browser: Browser, address: str) -> None:
    browser.look(width=1280)
    browser.open(f"{address}/?token={TOKEN}")
    browser.value("document.querySelector('[name=left]').focus()")
    for _ in range(2):
        browser.key("Tab")
    assert browser.value("document.activeElement.innerText") == "Compare"
    with browser.page.expect_navigation():
        browser.key("Enter")
    assert browser.value("document.title").endswith("pommel")
    assert browser.value("document.querySelectorAll('main tbody tr').length") >= 1


def test_a_chart_is_as_the_page_is(browser: Browser, address: str) -> None:
    browser.open(f"{address}/?token={TOKEN}")
    suite = browser.value("[...document.links].find(a => a.innerText == 'עברית').href")
    seen = []
    for width, dark in ((1280, False), (1280, True), (400, False), (400, True)):
        browser.look(width=width, dark=dark)
        browser.open(f"{suite}/items/1")
        chosen = browser.value("document.images[0].currentSrc").partition("?")[2]
        seen.append({"dark", "narrow"} & {each.partition("=")[0] for each in chosen.split("&")})
        size = browser.value("[document.images[0].naturalWidth, document.images[0].width]")
        assert min(size) > 100
    assert seen == [set(), {"dark"}, {"narrow"}, {"dark", "narrow"}]


def test_a_model_is_pinned_and_compared_by_links_alone(browser: Browser, address: str) -> None:
    def follow(name: str) -> None:
        with browser.page.expect_navigation():
            browser.value(
                f"[...document.links].find(a => (a.ariaLabel || a.innerText) == {name!r}).click()"
            )

    browser.look(width=400)
    browser.open(f"{address}/models?token={TOKEN}&name=r")
    follow("pin right as the baseline")
    assert browser.value("document.querySelector('.pinned').innerText").startswith(
        "Baseline: right"
    )
    follow("compare wrong with right")
    assert browser.value("document.querySelector('h1').innerText") == "wrong and right"
    follow("more")
    first = "document.querySelector('tr.differs a')"
    assert browser.value(f"{first}.innerText") == "item 1"
    follow("item 1")
    assert browser.value("document.querySelector('h1').innerText") == "Item 1 of more"
    follow("unpin it")
    assert browser.value("document.querySelector('.pinned') === null")
    assert browser.value("document.querySelector('h1').innerText") == "Item 1 of more"


def test_a_script_that_came_in_would_not_run(browser: Browser, address: str) -> None:
    browser.open(f"{address}/?token={TOKEN}")
    browser.value(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=stolen=1>'"
        " + '<style>body{color:red}</style><a id=it href=javascript:stolen=2>x</a>')"
    )
    browser.value("document.getElementById('it').click()")
    # The picture is asked for, and is not there.
    browser.until("document.querySelector('img').complete")
    assert browser.value("typeof stolen") == "undefined"
    assert len([each for each in browser.complaints() if "Content Security Policy" in each]) >= 3
