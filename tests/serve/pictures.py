"""The pictures of the documentation: `python -m tests.serve.pictures` takes them again.

A server of this machine with a suite that is being written, seen by the Chromium of the machine.
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from tests.report.page.browser import find_browser
from tests.serve.samples import TOKEN, served
from tests.serve.test_drafts import text_of_block
from tests.serve.writers import site_in

from pommel.serve import drafts
from pommel.serve.drafts import Change, Document
from pommel.suite import Design

ITEMS = (
    ("The author", "the senators", "hurt", "is", "are", "good ."),
    ("The consultant", "the pilots", "loved", "is", "are", "tall ."),
    ("The customer", "the waiters", "ignored", "smiles", "smile", "."),
    ("The dancer", "the assistants", "admired", "swims", "swim", "."),
    ("The farmer", "the guards", "missed", "laughs", "laugh", "."),
)


def shown() -> Document:
    """Return the suite of the picture: sound but for one thing."""
    regions = ["subject", "that", "other noun", "verb", "main verb", "rest"]
    formula = "(5;%match%) < (5;%mismatch%)"
    design = Design.new(["match", "mismatch"], regions, [formula])
    value = design.draft(
        {"name": "number_orc", "language": "en", "circuit": "agreement"}, n_items=6
    )
    rows = [
        [subject, "that", other, verb, main, rest]
        for subject, other, verb, right, wrong, rest in ITEMS
        for main in (right, wrong)
    ]
    block = text_of_block(rows)
    value = Change(what="paste", places=("c-0-0-1",), texts=(block,)).on(value)
    said = "(*;%match%) < (*;%mismtach%)"
    value = Change(what="add prediction", texts=(said,)).on(value)
    told = "the verb agrees with its subject, not with the nearer noun"
    return drafts.with_texts(value, {"c-3-1-5": "swim ", "d-0": told})


def main(folder: Path) -> None:
    """Take all pictures, into a folder."""
    models = ("builtin://en-gpt2", "builtin://en-ngram")
    with tempfile.TemporaryDirectory() as own, sync_playwright() as playwright:
        site = site_in(Path(own), *models)
        options = ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"]
        browser = playwright.chromium.launch(executable_path=find_browser(), args=options)
        path = f"/drafts/{site.drafts.begin(shown(), by='The owner')}"
        with served(site) as address:
            page = browser.new_page(viewport={"width": 1180, "height": 700})
            page.goto(f"{address}/?token={TOKEN}")
            page.goto(f"{address}{path}")
            page.locator("#c-1-0-5").click()
            page.locator("#item .holds, #item .fails").first.wait_for(timeout=30_000)
            page.wait_for_timeout(500)
            page.screenshot(path=folder / "serve-editor.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[2] / "docs" / "images")
