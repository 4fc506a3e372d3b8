"""A board in a real browser: sending, deciding, reading; by keys, narrow, with hostile texts."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FileChooser, Page, expect
from tests.leaderboard.hostile import LONG, TEXTS, hostile_board, hostile_submission
from tests.leaderboard.samples import (
    RIGHT,
    added,
    board_at,
    model,
    rescored,
    submission,
)
from tests.leaderboard.submission.samples import (
    AGREEMENT,
    SONG,
    SOURCE,
    Parts,
    packed,
)
from tests.report.page.browser import barriers
from tests.serve.board_samples import site_of
from tests.serve.conftest import NewPage
from tests.serve.samples import TOKEN, served
from tests.serve.test_receiving import suite_file

from pommel.leaderboard import BoardFolder
from pommel.serve.people import Scope
from pommel.serve.site import Site

pytestmark = pytest.mark.full

WHEN = "2026-01-02T03:04:05+00:00"
# A check is a process, and machines are busy.
SOON_MS = 60_000


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """The site of a board with one submission, which everybody may look at."""
    board = board_at(tmp_path, description="Write to us.")
    added(board, submission(tmp_path, model("first", {"bark": 1.0})))
    return site_of(tmp_path)


@pytest.fixture
def address(site: Site) -> Iterator[str]:
    """The address of its server."""
    with served(site) as found:
        yield found


def enter(site: Site, page: Page, address: str, name: str, *scopes: Scope) -> None:
    """Have a window's person enter with a token of her own."""
    token = site.people.grant(name, scopes, n_days=1)
    page.goto(f"{address}/board?token={token}")
    assert "token" not in page.url


def upload(page: Page, path: Path) -> str:
    """Upload a submission as people do, and return the address of its state, once it is known."""
    page.get_by_role("link", name="Submit", exact=True).click()
    page.get_by_label("The file that pommel submit has written").set_input_files(path)
    page.get_by_role("button", name="Upload and check").click()
    page.wait_for_url("**/board/uploads/*")
    expect(page.locator("h1")).not_to_contain_text("is being checked", timeout=SOON_MS)
    return page.url


def overflows(page: Page) -> bool:
    """Return whether a page is wider than its window."""
    found: bool = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return found


def test_a_good_submission_and_three_bad_ones(
    site: Site, address: str, new_page: NewPage, tmp_path: Path
) -> None:
    parts = Parts.of(packed(_folder(tmp_path, "sound"))[0])

    def boast(claimed: dict[str, list[dict[str, list[bool]]]]) -> None:
        claimed["predictions"][0]["holds"][0] ^= True

    boasting = parts.with_claims(boast, AGREEMENT).with_claims(boast, SONG)
    unknown = parts.with_raw("code.py", b"import os")
    bad = {
        "is no zip file; a submission is what `pommel submit` writes": (1, b"no archive"),
        "suite song, item 1, prediction 0: holds is claimed to be": (2, boasting.packed()),
        "is no file of a submission; only JSON is read": (1, unknown.packed()),
    }
    ann, kay = new_page(), new_page()
    enter(site, ann, address, "Ann", "upload")
    for n, (said, (n_faults, content)) in enumerate(bad.items()):
        path = tmp_path / f"bad-{n}.pommel.zip"
        path.write_bytes(content)
        upload(ann, path)
        expect(ann.locator("h1")).to_have_text(f"bad-{n}.pommel.zip was not taken")
        expect(ann.locator(".faults")).to_contain_text(said)
        assert ann.locator(".faults li").count() == n_faults
    state = upload(ann, submission(tmp_path, model("second", RIGHT)))
    expect(ann.locator("h1")).to_have_text("second waits for a keeper")

    enter(site, kay, address, "Kay", "keep")
    kay.get_by_role("link", name="Queue").click()
    expect(kay.get_by_role("heading", level=2, name="second")).to_be_visible()
    assert kay.locator("section.waiting").count() == 1
    kay.get_by_role("button", name="Accept second").click()
    expect(kay.locator("h1")).to_have_text("second was accepted", timeout=SOON_MS)
    kay.get_by_role("link", name="Where it stands").click()
    expect(kay.locator("h1")).to_have_text("second")
    history = kay.get_by_role("region", name="History").get_by_role("row")
    assert [row.split("\t")[1:3] for row in history.all_inner_texts()[1:]] == [
        ["sent", "Ann"],
        ["added", "Kay"],
    ]
    # Ann sees it, and the rank is on the board.
    ann.goto(state)
    expect(ann.locator("#state")).to_contain_text("Kay has accepted it")
    ann.get_by_role("link", name="Ranking").click()
    rows = ann.locator(".ranking tbody tr").all_inner_texts()
    assert [row.split("\t")[:2] for row in rows] == [["1", "second"], ["2", "first"]]

    # Withdrawn, with a reason that everybody reads.
    kay.get_by_label("Why it is withdrawn").fill("its author asked for it")
    kay.get_by_role("button", name="Withdraw for good").click()
    expect(kay.locator("main")).to_contain_text(
        "It was withdrawn: its author asked for it", timeout=SOON_MS
    )
    ann.reload()
    assert ann.locator(".ranking tbody tr").count() == 1
    expect(ann.locator("main")).to_contain_text("withdrawn: its author asked for it")

    # And another one is refused.
    state = upload(ann, submission(tmp_path, model("third", {"sing": 1.0})))
    kay.goto(f"{address}/board/queue")
    kay.get_by_label("Why it is refused").fill("Which model is this?")
    kay.get_by_role("button", name="Refuse third").click()
    expect(kay.locator("h1")).to_have_text("third was refused")
    ann.goto(state)
    expect(ann.locator("blockquote")).to_have_text("Which model is this?")


def _folder(parent: Path, name: str) -> Path:
    path = parent / name
    path.mkdir()
    return path


def test_a_check_says_by_itself_when_it_has_ended(
    site: Site, address: str, page: Page, tmp_path: Path
) -> None:
    enter(site, page, address, "Ann", "upload")
    inbox = site.submissions
    assert inbox is not None
    # All places for checks are taken.
    inbox.slots.acquire()
    inbox.slots.acquire()
    page.get_by_role("link", name="Submit", exact=True).click()
    path = submission(tmp_path, model("slow", RIGHT))
    page.get_by_label("The file that pommel submit has written").set_input_files(path)
    page.get_by_role("button", name="Upload and check").click()
    expect(page.locator("h1")).to_have_text(f"{SOURCE} is being checked")
    loaded = page.evaluate("performance.timeOrigin")
    inbox.slots.release(2)
    expect(page.locator("h1")).to_have_text("slow waits for a keeper", timeout=SOON_MS)
    # It was not loaded again, and asks no more.
    assert page.evaluate("performance.timeOrigin") == loaded
    assert page.locator("[hx-get]").count() == 0


def test_all_of_it_by_keys_alone(site: Site, address: str, page: Page, tmp_path: Path) -> None:
    enter(site, page, address, "Kim", "upload", "keep")

    def tab_to(name: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            found = page.evaluate(
                "(e => e.ariaLabel || e.labels?.[0]?.innerText || e.innerText || e.id)"
                "(document.activeElement)"
            )
            if found.strip().startswith(name):
                # It is seen where the keyboard is.
                assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != (
                    "none"
                )
                return
        pytest.fail(f"Tab does not come to {name!r}")

    asked: list[FileChooser] = []
    page.on("filechooser", lambda chooser: asked.append(chooser))  # noqa: PLW0108 - Playwright marks it
    tab_to("Skip to the content")
    page.keyboard.press("Enter")
    page.goto(f"{address}/board/submit")
    tab_to("The file that pommel submit has written")
    page.keyboard.press("Enter")
    # The window of the system that asks which file has keys of its own.
    while not asked:
        page.wait_for_timeout(50)
    asked[0].set_files(submission(tmp_path, model("second", RIGHT)))
    tab_to("Upload and check")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("second waits for a keeper", timeout=SOON_MS)
    tab_to("The queue")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Queue of submissions")
    tab_to("Accept second")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("second was accepted", timeout=SOON_MS)
    tab_to("Where it stands")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("second")
    tab_to("Why it is withdrawn")
    page.keyboard.type("a test")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("It was withdrawn: a test", timeout=SOON_MS)


def test_looking_and_sending_work_without_javascript(
    site: Site, address: str, new_page: NewPage, tmp_path: Path
) -> None:
    page = new_page(script=False)
    page.goto(f"{address}/board")
    assert page.locator(".ranking tbody tr").count() == 1
    assert page.get_by_role("link", name="Queue").count() == 0
    page.get_by_role("link", name="How to submit").click()
    expect(page.locator("main")).to_contain_text("Uploading needs a token that allows it")
    enter(site, page, address, "Ann", "upload")
    page.goto(f"{address}/board/submit")
    page.locator("#submission").set_input_files(submission(tmp_path, model("second", RIGHT)))
    page.get_by_role("button", name="Upload and check").click()
    for _ in range(60):
        if page.get_by_role("link", name="look again").count() == 0:
            break
        page.wait_for_timeout(500)
        page.get_by_role("link", name="look again").click()
    expect(page.locator("h1")).to_have_text("second waits for a keeper")


def test_tables_are_sorted_by_a_file_of_our_own(address: str, page: Page) -> None:
    page.goto(f"{address}/board")
    page.get_by_role("button", name="score").click()
    expect(page.locator("th[aria-sort]")).to_have_attribute("aria-sort", "descending")
    assert page.locator("script:not([src])").count() == 0


# Pages that hold all there may be, and what strangers write.


@pytest.fixture
def hostile(tmp_path: Path) -> Site:
    """The site of a board on which each submission has another hostile text everywhere."""
    html = TEXTS["html"]
    board, suites = hostile_board(tmp_path)
    ids = []
    site = site_of(tmp_path)
    inbox, proposals = site.submissions, site.proposals
    assert inbox is not None
    assert proposals is not None
    for n, text in enumerate(TEXTS.values()):
        path = hostile_submission(tmp_path, suites, text, n)
        ids.append(added(board, path).standing.id)
    board.withdraw(ids[-1], reason=html, when=WHEN, by=html)
    about = {"model": "builtin://en-ngram", "when": WHEN}
    board.record_rerun(ids[0], rescored(1, "said otherwise"), by=html, **about)
    board.record_rerun(ids[1], rescored(1), by=TEXTS["hebrew"], **about)
    more = [*enumerate(TEXTS.items(), len(TEXTS))]
    for n, (kind, text) in more[:4]:
        path = hostile_submission(tmp_path, suites, text, n)
        upload_id = inbox.send(f"{text}.zip", path.read_bytes(), by=text)
        inbox.wait(upload_id, 60)
        assert inbox.upload(upload_id).status == "waiting", kind
    refused = inbox.send(html, b"PK no archive", by=html)
    inbox.wait(refused, 60)
    inbox.refuse(upload_id, by=html, reason=f"{html} {LONG}")
    for text in (html, TEXTS["attribute"]):
        upload_id = proposals.send(f"{text}.json", suite_file(text), by=text, words=text * 3)
        proposals.wait(upload_id, 60)
    return site


def all_pages(site: Site, address: str) -> list[str]:
    """Return the addresses of all pages of a board, and of what was sent."""
    board, inbox, proposals = site.shown_board, site.submissions, site.proposals
    assert board is not None
    assert inbox is not None
    assert proposals is not None
    shown = board.latest
    ids = [*shown.ranking.ledger.submissions]
    keys = [shown.pages.suite_key(each) for each in shown.ranking.board.suites]
    sent = [
        f"/{each.root.strip('/')}/uploads/{row.upload_id}"
        for each in (inbox, proposals)
        for row in each.everything()
    ]
    return [
        f"{address}{path}"
        for path in (
            *("/board", "/board?language=he", "/board/pairs", "/board/submit", "/board/feed"),
            *("/board/queue", "/suites/queue", "/suites/propose"),
            *(f"/board/submissions/{each}" for each in ids),
            *(f"/board/suites/{each}" for each in keys),
            *sent,
        )
    ]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_no_page_does_what_a_text_says(
    hostile: Site, new_page: NewPage, *, width: int, dark: bool
) -> None:
    page = new_page(width=width, dark=dark)
    with served(hostile) as address:
        page.goto(f"{address}/?token={TOKEN}")
        pages = all_pages(hostile, address)
        assert len(pages) == 8 + len(TEXTS) + 2 + 4 + 1 + 2
        asked = set[str]()
        page.on("request", lambda request: asked.add(request.url))
        faults = []
        for each in pages:
            asked.clear()
            answer = page.goto(each)
            assert answer is not None
            assert answer.status == 200, each
            own = {
                *(f"{address}/static/{name}" for name in ("serve.css", "htmx.min.js", "icon.svg")),
                *(f"{address}/board/{name}" for name in ("style.css", "tables.js")),
            }
            assert asked <= {each, *own}
            assert page.evaluate("typeof stolen") == "undefined"
            page.keyboard.press("Tab")
            strange = (
                "img, iframe, object, style, b, i, [style], [onmouseover], base, "
                "script:not([src^='/static/'], [src^='/board/'])"
            )
            assert page.locator(strange).count() == 0
            assert page.evaluate("[...document.links].every(a => /^https?:/.test(a.protocol))")
            if overflows(page):
                faults.append(each)
            faults += barriers(page)
        assert faults == []


def test_what_is_written_from_right_to_left_turns_no_number(hostile: Site, page: Page) -> None:
    with served(hostile) as address:
        page.goto(f"{address}/board?token={TOKEN}")
        link = page.get_by_role("link", name=TEXTS["hebrew"], exact=True).first
        score = link.locator("xpath=ancestor::tr").locator("td.number").nth(1)
        assert re.fullmatch(r"\d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\]", score.inner_text())


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (400, True)])
def test_nothing_keeps_people_out(
    site: Site, new_page: NewPage, tmp_path: Path, *, width: int, dark: bool
) -> None:
    board = BoardFolder(tmp_path / "board")
    for n in range(9):
        added(board, submission(tmp_path, model(f"model-{n}", {**RIGHT, "bark": n / 4})))
    inbox = site.submissions
    assert inbox is not None
    upload_id = inbox.send("x.zip", submission(tmp_path).read_bytes(), by="Ann")
    inbox.wait(upload_id, 60)
    inbox.slots.acquire()
    inbox.slots.acquire()
    inbox.send("y.zip", submission(tmp_path).read_bytes() + b"x", by="Ann")
    page = new_page(width=width, dark=dark)
    faults = []
    with served(site) as address:
        page.goto(f"{address}/?token={TOKEN}")
        for each in all_pages(site, address):
            if "language=he" in each:
                continue
            page.goto(each)
            assert not overflows(page), each
            faults += barriers(page)
    inbox.slots.release(2)
    assert faults == []


def test_suites_are_proposed_and_accepted(site: Site, address: str, new_page: NewPage) -> None:
    ann, kay = new_page(), new_page(width=400)
    enter(site, ann, address, "Ann", "upload")
    ann.get_by_role("link", name="Propose a suite").click()
    ann.get_by_label("The suite: JSON, or a table as CSV").set_input_files(
        {"name": "mine.json", "mimeType": "application/json", "buffer": suite_file()}
    )
    ann.get_by_label("What it tests").fill("Agreement.\nAfter Marvin & Linzen")
    ann.get_by_role("button", name="Propose and check").click()
    expect(ann.locator("h1")).to_have_text("mine waits for a keeper", timeout=SOON_MS)
    enter(site, kay, address, "Kay", "keep")
    kay.goto(f"{address}/suites/queue")
    expect(kay.locator("section.waiting")).to_contain_text("After Marvin & Linzen")
    kay.get_by_role("button", name="Accept mine").click()
    expect(kay.locator("h1")).to_have_text("mine was accepted")
    assert site.suites is not None
    assert (site.suites / "mine.json").read_bytes() == suite_file()
    ann.reload()
    expect(ann.locator("h1")).to_have_text("mine was accepted")
