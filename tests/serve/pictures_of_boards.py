"""The picture of a board in the docs: `python -m tests.serve.pictures_of_boards [FOLDER]`.

The submissions are made up: each is right in a share of the items of each suite. With a folder, all
pages are drawn into it, wide and narrow, light and dark, to be looked at.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from benchmarks.leaderboard import WHEN, added, n_named_regions, rank, simulated
from playwright.sync_api import Browser, Page, sync_playwright
from tests.report.page.browser import find_browser
from tests.serve.board_samples import site_of
from tests.serve.samples import TOKEN, served

from pommel.leaderboard import BoardFolder, BoardPlan
from pommel.models.model import Policy
from pommel.serve.site import Site
from pommel.sources.load import load_suites

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "board.png"
_WIDE, _NARROW = 1280, 400
# Names, by whom, how often they are right, parameters, and what becomes of them.
_MODELS = (
    ("linnet-large", "Lab of Birds", 0.93, 774_000_000, "verified"),
    ("linnet", "Lab of Birds", 0.88, 124_000_000, "verified"),
    ("wren-24m", "A. Linguist", 0.87, 24_000_000, "added"),
    ("תור קטן", "B. Linguist", 0.79, 110_000_000, "added"),
    ("robin-lstm", "A. Linguist", 0.74, 39_000_000, "differed"),
    ("trigrams", "Teaching group", 0.46, None, "added"),
    ("robin-old", "A. Linguist", 0.6, 39_000_000, "withdrawn"),
)


def board_at(folder: Path) -> BoardFolder:
    """Make a board in the folder `board` of a folder."""
    loaded = load_suites(["suites:en/agreement", "suites:en/licensing"]).suites
    # One suite in another language, so that there are two to choose from.
    hebrew = load_suites(["suites:he"]).suites[:2]
    suites = [*loaded, *hebrew]
    place = BoardFolder(folder / "board")
    plan = BoardPlan(name="Agreement and licensing", description="Made-up submissions.")
    board = place.make(suites, plan, when=WHEN, by="Kay")
    generator, ledger = np.random.default_rng(1), place.ledger(board)
    policy = {**Policy().to_dict(), "fingerprint": Policy().fingerprint}
    place.entry_file("x").parent.mkdir(exist_ok=True)
    n_regions = [n_named_regions(each) for each in suites]
    for n, (name, by, share, n_parameters, fate) in enumerate(_MODELS):
        skills = np.clip(generator.normal(share, 0.06, len(suites)), 0.05, 1.0)
        entry = simulated(board, n, skills, n_regions, generator, policy)
        described = {**entry.model, "name": name, "n_parameters": n_parameters}
        entry = replace(entry, name=name, by=by, model=described)
        place.entry_file(entry.id).write_text(entry.to_text())
        ledger = added(ledger, entry)
        known: dict[str, object] = {"id": entry.id}
        if fate == "withdrawn":
            known["reason"] = "superseded by robin-lstm, says its author"
        elif fate != "added":
            reference = f"huggingface://{name}"
            known |= {"model": reference, "n_sentences": 52, "n_tokens": 610, "seed": 7}
            known |= {"tolerance_bits": 0.01, "largest_bits": 2e-4, "n_items": 13}
        if fate == "differed":
            known |= {"largest_bits": 1.7, "n_differences": 3}
        if fate != "added":
            ledger = ledger.with_event(fate, known, when=WHEN, by="Kay")
    place.ledger_file.write_text(ledger.text)
    rank(place, board)
    return place


@contextmanager
def chromium() -> Iterator[Browser]:
    """Give the machine's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", "--force-color-profile=srgb"]
        )
        yield browser
        browser.close()


def draw_board(browser: Browser, address: str, path: Path) -> None:
    """Draw the ranking."""
    page = _window(browser, _WIDE, dark=False)
    page.goto(f"{address}/board")
    page.screenshot(path=path, clip={"x": 0, "y": 0, "width": _WIDE, "height": 760})
    page.context.close()


def draw_all(browser: Browser, address: str, site: Site, folder: Path) -> None:
    """Draw all kinds of pages, wide and narrow, light and dark."""
    board = site.shown_board
    assert board is not None
    shown = board.latest
    names = {
        "board": "/board",
        "hebrew": "/board?language=he",
        "pairs": "/board/pairs",
        "submit": "/board/submit",
        "feed": "/board/feed",
        "queue": "/board/queue",
        "propose": "/suites/propose",
        "suites-queue": "/suites/queue",
        "submission": f"/board/submissions/{shown.ranking.rows[0].id}",
        "ended": f"/board/submissions/{shown.ranking.ledger.ended[0].id}",
        "suite": f"/board/suites/{shown.pages.suite_key(shown.ranking.board.suites[0])}",
    }
    for inbox in (site.submissions, site.proposals):
        assert inbox is not None
        for each in inbox.everything():
            names[f"{inbox.kind}-{each.status}"] = f"{inbox.root}/uploads/{each.upload_id}"
    for width, dark in ((_WIDE, False), (_WIDE, True), (_NARROW, False), (_NARROW, True)):
        page = _window(browser, width, dark=dark)
        page.goto(f"{address}/?token={TOKEN}")
        for name, path in names.items():
            page.goto(f"{address}{path}")
            file = folder / f"{name}-{width}{'-dark' if dark else ''}.png"
            page.screenshot(path=file, full_page=True)
        page.context.close()


def _window(browser: Browser, width: int, *, dark: bool) -> Page:
    scheme = "dark" if dark else "light"
    return browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    ).new_page()


def main() -> None:
    """Write the picture of the docs, or all pages into a folder."""
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        board_at(folder)
        site = site_of(folder)
        with served(site) as address:
            if len(sys.argv) > 1:
                draw_all(browser, address, site, Path(sys.argv[1]))
            else:
                draw_board(browser, address, PICTURE)


if __name__ == "__main__":
    main()
