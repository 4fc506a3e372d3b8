"""A board's site in a browser, with all that strangers and suites say being hostile."""

from pathlib import Path

import pytest
from tests.builders import make_suite
from tests.leaderboard.samples import KEEPER, RIGHT, WHEN, NamedModel, added, board_at
from tests.leaderboard.submission.samples import BIRDS, SOURCE, packed
from tests.report.page.browser import Browser
from tests.store.run_samples import FORMULAS, ITEMS

from pommel.leaderboard.site import Ranking
from pommel.leaderboard.submission import Submitter

TEXTS = {
    "html": "</title></style><script>stolen=1</script><img src=x onerror=stolen=2><style>*{top:0}",
    "attribute": '" onmouseover="stolen=3" style=\'position:fixed;inset:0\' x="',
    "template": "{{7*7}}{% raw %}${7*7}<!--]]>--&gt;&lt;b&gt;",
    "hebrew": "שלום 12 <b>עולם</b> (3.5]",
    "directions": "a\u200f(0.99)\u200e שב\u200fג 1.00",
    "long": "W" * 100,
    "blanks": "i" * 30 + "<wbr>" + "\u0e01" * 60,
    "address": "javascript:stolen=4//",
    "marks": "Z\u0300\u0301\u0302a\u200dl\u200cg\u0303o",
}
ADDRESS = 'https://example.org/?a="onclick="stolen=5"&b=\'><script>stolen=6</script>'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a board on which each submission has another hostile text everywhere."""
    folder = tmp_path_factory.mktemp("hostile")
    html, long = TEXTS["html"], "V" * 200
    suites = (
        make_suite(
            ITEMS, FORMULAS, name="&lt;b&gt; 'x'", circuit=html, language="en", version=html
        ),
        make_suite(BIRDS, FORMULAS, name="שלום 12.5 x", circuit=long, language="he"),
    )
    board = board_at(folder, suites, name=html, description=f"{html} {TEXTS['hebrew']} {long}")
    for n, text in enumerate(TEXTS.values()):
        about = Submitter(by=text, name=text, note=text * 3, url=ADDRESS)
        bits = {**RIGHT, "bark": n / 4}
        shown = text if text.isprintable() else TEXTS["html"]
        own = NamedModel(methods=("causal",), name=f"m{n}", reference=shown, bits=bits)
        place = folder / f"{n}"
        place.mkdir()
        packed(place, suites, own, about=about)
        last = added(board, place / SOURCE)
    board.withdraw(last.standing.id, reason=html, when=WHEN, by=KEEPER)
    Ranking.write_site(board, folder / "site")
    return folder / "site"


@pytest.mark.parametrize("width", [1280, 360])
def test_no_page_does_what_a_text_says(browser: Browser, site: Path, width: int) -> None:
    browser.look(width=width)
    pages = [site / "index.html", *sorted((site / "submissions").iterdir())]
    assert len(pages) == len(TEXTS)
    for page in pages:
        browser.open(page)
        assert browser.complaints() == []
        assert browser.requests() == [page.as_uri(), (site / "style.css").as_uri()]
        assert browser.value("typeof stolen") == "undefined"
        made = "script, img, iframe, object, form, input, style, b, [style], [onmouseover], base"
        assert browser.value(f"document.querySelectorAll({made!r}).length") == 0
        assert browser.value("[...document.links].every(a => /^(file|https):/.test(a.href))")
        # Nothing is wider than the window but what scrolls on its own.
        assert browser.value("document.documentElement.scrollWidth <= innerWidth")
        widths = "[...document.querySelectorAll('th, td')].map(each => each.offsetWidth)"
        assert browser.value(f"Math.max(...{widths})") < 400


def test_a_script_that_came_in_would_not_run(browser: Browser, site: Path) -> None:
    browser.open(site / "index.html")
    browser.value(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=stolen=1>'"
        " + '<style>body{color:red}</style><a id=it href=javascript:stolen=2>x</a>')"
    )
    browser.value("document.getElementById('it').click()")
    assert browser.value("typeof stolen") == "undefined"
    assert len([each for each in browser.complaints() if "Content Security Policy" in each]) >= 3
