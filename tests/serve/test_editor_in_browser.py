"""A linguist writes suites: in a real browser, on a real server, with a real model."""

import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.leaderboard.hostile import TEXTS
from tests.report.page.browser import barriers
from tests.serve.conftest import NewPage
from tests.serve.samples import TOKEN, served
from tests.serve.test_drafts import document, text_of_block
from tests.serve.writers import NGRAM, site_in

from pommel.files import JsonDocument, to_json
from pommel.serve import drafts
from pommel.serve.drafts import Document
from pommel.serve.site import Site
from pommel.store import Store
from pommel.suite import Design, LoadedSuite

pytestmark = pytest.mark.full

GPT2 = "builtin://en-gpt2"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return site_in(tmp_path, NGRAM, GPT2)


@pytest.fixture
def address(site: Site) -> Iterator[str]:
    with served(site) as found:
        yield found


def enter(page: Page, address: str, path: str, token: str = TOKEN) -> None:
    """Come in by a token, and open a page."""
    page.goto(f"{address}/?token={token}")
    page.goto(f"{address}{path}")


def begun(site: Site, value: Document | None = None) -> str:
    """Return the path of a new draft."""
    return f"/drafts/{site.drafts.begin(value or document(), by='The owner')}"


def kept(site: Site, path: str) -> Document:
    """Return what the server has of a draft."""
    return site.drafts.shown(path.rpartition("/")[2]).document


def text_at(site: Site, path: str, place: str) -> str | None:
    return drafts.text_at(kept(site, path), place)


def saved(page: Page) -> None:
    """Wait until the server has what was typed."""
    expect(page.locator("#kept")).to_have_text("all is kept")


def focused(page: Page) -> str:
    found: str = page.evaluate("document.activeElement.id")
    return found


def paste(page: Page, text: str) -> None:
    """Paste as Ctrl+V does what a spreadsheet has copied."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+V")


def fills_page(page: Page) -> bool:
    found: bool = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return found


def test_a_suite_from_nothing_to_a_score(address: str, page: Page, site: Site) -> None:
    enter(page, address, "/")
    page.get_by_role("link", name="Write", exact=True).click()
    form = page.get_by_role("form", name="From nothing")
    form.get_by_label("Name").fill("number_agreement")
    form.get_by_label("Language", exact=True).fill("en")
    form.get_by_label("Conditions, one a line").fill("match\nmismatch")
    form.get_by_label("Regions, one a line").fill("subject\nverb\nend")
    form.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/drafts/*")
    expect(page.get_by_text("2 sentences to be written")).to_be_visible()
    page.get_by_text("2 sentences to be written").click()
    assert focused(page) == "c-0-0-1"
    for n, text in enumerate(("The dogs", "bark", ".", "The dogs", "barks", ".")):
        page.keyboard.type(text)
        if n == 2:
            page.locator("#c-0-1-1").click()
        elif n != 5:
            page.keyboard.press("Tab")
    page.get_by_role("button", name="Add a prediction").click()
    formula = page.get_by_label("Formula of prediction 0")
    formula.fill("(2;%match%) < (2;%mismatch%)")
    said = "region 2 (verb) must be less surprising in *match* than in *mismatch*"
    expect(page.locator("#says-0")).to_contain_text(said)
    page.get_by_label("Description of prediction 0").fill("verbs agree with their subjects")
    page.locator("#c-0-0-1").click()
    page.get_by_role("button", name="Add item below").click()
    for place, text in (("1", "The cat"), ("2", "sleeps"), ("3", ".")):
        page.locator(f"#c-1-0-{place}").fill(text)
    for place, text in (("1", "The cat"), ("2", "sleep"), ("3", ".")):
        page.locator(f"#c-1-1-{place}").fill(text)
    # What the item under the cursor is worth, before anything is run.
    live = page.get_by_label("The item under the cursor")
    expect(live.get_by_text("Item 2 as models read it")).to_be_visible()
    expect(live.locator(".holds, .fails")).to_be_visible()
    expect(page.get_by_text("No faults")).to_be_visible()
    saved(page)
    page.get_by_role("button", name="Run on these models").click()
    page.wait_for_url("**/jobs/*")
    page.get_by_role("link", name="See the results").click(timeout=60_000)
    page.wait_for_url("**/suites/*")
    expect(page.get_by_role("heading", name="number_agreement")).to_be_visible()
    with Store.open(site.store, read_only=True) as store:
        records = store.runs.records()
    assert {each.model.reference for each in records} == {NGRAM, GPT2}
    for each in records:
        # Its row says the score with three digits.
        assert f"{each.result.score:.3f}" in page.content()


def test_24_items_from_a_spreadsheet(address: str, page: Page, site: Site) -> None:
    path = begun(site)
    enter(page, address, path)
    rows = []
    for n in range(24):
        rows += [[f'The "{n}" dogs', "bark"], [f"The\n{n} dogs", "barks"]]
    page.locator("#c-0-0-1").click()
    paste(page, text_of_block(rows))
    expect(page.locator("#c-23-1-2")).to_have_value("barks")
    assert focused(page) == "c-0-0-1"
    value = kept(site, path)
    assert len(value["items"]) == 24
    found = [
        [
            region["content"].replace("The ", "The\n" if c else "The ", 1)
            for region in own["regions"]
        ]
        for item in value["items"]
        for c, own in enumerate(item["conditions"])
    ]
    assert found == rows
    assert LoadedSuite.findings(value) == []
    # A word is pasted into its cell, as anywhere.
    page.locator("#c-0-0-2").fill("")
    paste(page, "sleep")
    expect(page.locator("#c-0-0-2")).to_have_value("sleep")
    saved(page)
    assert text_at(site, path, "c-0-0-2") == "sleep"
    # A block that would not fit is told, and nothing of it is there.
    page.locator("#c-0-0-2").click()
    paste(page, "a\tb\n")
    expect(page.get_by_role("alert").filter(has_text="the block has 2 columns")).to_be_visible()
    assert text_at(site, path, "c-0-0-2") == "sleep"


def test_five_faults_are_mended_by_following_their_links(
    address: str, page: Page, site: Site
) -> None:
    value = document()
    for _ in range(28):
        value = drafts.with_item(value, len(value["items"]), like=0)
    value = drafts.Change(what="add prediction", texts=("(2;%match%) < (2;%mismatc%)",)).on(value)
    wrong = {"f-0": "(2;%match%) << 3", "n-1": "1", "c-1-0-2": " bark", "c-29-1-2": "barks  so"}
    path = begun(site, drafts.with_texts(value, wrong))
    enter(page, address, path)
    faults = page.locator("#panes .faults")
    expect(page.get_by_role("heading", name="3 faults, 2 warnings")).to_be_visible()
    expect(page.locator("#f-0")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#says-0 .caret")).to_contain_text("(2;%match%) << 3\n             ^")
    # The cursor stands where the mistake is.
    faults.get_by_role("link", name="prediction 0").click()
    assert focused(page) == "f-0"
    page.keyboard.press("Delete")
    expect(page.locator("#says-0")).to_contain_text("must be")
    faults.get_by_role("link", name="prediction 1").click()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("h")
    expect(page.locator("#says-1")).to_contain_text("less surprising in *match*")
    faults.get_by_role("link", name="item 1").first.click()
    assert focused(page) == "n-1"
    page.keyboard.type("2")
    expect(page.get_by_role("heading", name="No faults, 2 warnings")).to_be_visible()
    faults.get_by_role("link", name="item 2, match, 2 verb").click()
    page.keyboard.type("bark")
    # The last one is on another page.
    faults.get_by_role("link", name="item 30, mismatch, 2 verb").click()
    page.wait_for_url("**page=2#c-29-1-2")
    expect(page.locator("#c-29-1-2")).to_be_focused()
    page.keyboard.type("barks")
    expect(page.get_by_role("heading", name="No faults", exact=False)).to_have_text("✓ No faults")
    assert page.locator("[aria-invalid]").count() == 0
    saved(page)
    assert LoadedSuite.findings(kept(site, path)) == []


def test_hebrew_is_written_from_right_to_left(address: str, page: Page, site: Site) -> None:
    path = begun(site, drafts.with_texts(document(), {"m-language": "he"}))
    enter(page, address, path)
    assert page.locator("#grid").evaluate("table => getComputedStyle(table).direction") == "rtl"
    first, second = (page.locator(f"#c-0-0-{n}") for n in (1, 2))
    boxes = first.bounding_box(), second.bounding_box()
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["x"] > boxes[1]["x"]
    first.fill("הַכְּלָבִים")
    # The next region stands to the left.
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "c-0-0-2"
    page.keyboard.type("נובחים")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert focused(page) == "c-0-0-1"
    saved(page)
    read = page.locator("#item .sentence").first
    expect(read).to_have_attribute("dir", "rtl")
    expect(read).to_contain_text("נובח")
    assert text_at(site, path, "c-0-0-1") == "הַכְּלָבִים"


def test_japanese_has_nothing_between_its_regions(address: str, page: Page, site: Site) -> None:
    path = begun(site)
    enter(page, address, path)
    page.get_by_label("Language").fill("ja")
    page.get_by_role("button", name="Put nothing between regions").click()
    expect(page.locator("#m-joiner")).to_have_value("")
    page.locator("#c-0-0-1").fill("先生が")
    page.locator("#c-0-0-2").fill("笑った")
    saved(page)
    page.locator("select[name=model]").select_option("")
    expect(page.locator("#item .sentence").first).to_have_text("先生が笑った")
    assert page.locator("#c-0-0-1").get_attribute("dir") == "auto"
    assert kept(site, path)["meta"]["joiner"] == ""


def tab_to(page: Page, what: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("what => document.activeElement.matches(what)", what):
            return
    pytest.fail(f"Tab does not come to {what}")


def test_all_of_it_by_keys(address: str, page: Page, site: Site) -> None:
    enter(page, address, "/write")
    tab_to(page, "form[hx-post='/write/new'] [name=name]")
    page.keyboard.type("by_keys")
    tab_to(page, "[name=conditions]")
    page.keyboard.type("match\nmismatch")
    tab_to(page, "[name=regions]")
    page.keyboard.type("subject\nverb")
    tab_to(page, "form[hx-post='/write/new'] button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/drafts/*")
    tab_to(page, "#c-0-0-1")
    page.keyboard.type("The dogs")
    page.keyboard.press("ArrowRight")
    page.keyboard.type("bark")
    page.keyboard.press("Enter")
    assert focused(page) == "c-0-1-2"
    page.keyboard.type("barks")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "c-0-1-1"
    page.keyboard.type("The dogs")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "c-0-0-1"
    page.keyboard.press("ArrowUp")
    assert focused(page) == "r-1"
    tab_to(page, "button[data-do='add prediction']")
    page.keyboard.press("Enter")
    expect(page.locator("#f-0")).to_be_visible()
    write_formula(page)
    expect(page.locator("#says-0")).to_contain_text("less surprising in *match*")
    expect(page.locator("#item .holds, #item .fails")).to_be_visible()
    saved(page)
    path = "/" + page.url.split("/", 3)[3].partition("?")[0]
    tab_to(page, "form[hx-post$='/run'] button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/jobs/*")
    expect(page.get_by_role("link", name="See the results")).to_be_visible(timeout=60_000)
    assert LoadedSuite.findings(kept(site, path)) == []


def write_formula(page: Page) -> None:
    """Write a formula with completion: a region, its condition, and the other side."""
    while focused(page) != "f-0":
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("(")
    offers = page.get_by_role("listbox", name="Regions and conditions").get_by_role("option")
    expect(offers).to_have_text(["1 subject", "2 verb", "* the whole sentence"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator("#f-0").get_attribute("aria-activedescendant") == "offer-1"
    page.keyboard.press("Enter")
    expect(offers).to_have_text(["match", "mismatch"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    expect(page.locator("#f-0")).to_have_value("(2;%match%)")
    page.keyboard.type(" < (2;mis")
    expect(offers).to_have_text(["mismatch"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#f-0")).to_have_value("(2;%match%) < (2;%mismatch%)")


def test_undo_and_redo(address: str, page: Page, site: Site) -> None:
    path = begun(site)
    before = to_json(kept(site, path))
    enter(page, address, path)
    page.locator("#c-0-0-2").fill("sleep")
    saved(page)
    page.locator("#c-0-0-1").click()
    page.get_by_role("button", name="Copy item").click()
    expect(page.locator("#c-2-0-2")).to_be_visible()
    page.get_by_role("button", name="Remove item").click()
    expect(page.locator("#c-2-0-2")).to_have_count(0)
    page.locator("#c-0-1-1").click()
    # What was typed just now is the first to go.
    page.keyboard.type("x")
    page.keyboard.press("Control+z")
    expect(page.locator("#c-0-1-1")).to_have_value("The dogs")
    assert focused(page) == "c-0-1-1"
    for _ in range(3):
        page.keyboard.press("Control+z")
        page.wait_for_timeout(300)
    expect(page.locator("#undo")).to_be_disabled()
    assert to_json(kept(site, path)) == before
    for _ in range(4):
        page.keyboard.press("Control+Shift+z")
        page.wait_for_timeout(300)
    expect(page.locator("#redo")).to_be_disabled()
    expect(page.locator("#c-0-1-1")).to_have_value("The dogsx")
    expect(page.locator("#c-0-0-2")).to_have_value("sleep")


def test_undo_is_pressed_again_while_one_is_under_way(address: str, page: Page, site: Site) -> None:
    path = begun(site)
    before = to_json(kept(site, path))
    enter(page, address, path)
    page.locator("#c-0-0-2").fill("sleep")
    saved(page)
    for number in (2, 3):
        page.locator("#c-0-0-1").click()
        page.get_by_role("button", name="Copy item").click()
        expect(page.locator(f"#c-{number}-0-2")).to_be_visible()

    def late(route: Route) -> None:
        time.sleep(0.2)
        route.continue_()

    page.route("**/changes", late)
    for _ in range(3):
        page.keyboard.press("Control+z")
    expect(page.locator("#undo")).to_be_disabled()
    assert to_json(kept(site, path)) == before


def test_two_people_on_one_draft(address: str, new_page: NewPage, site: Site) -> None:
    path = begun(site)
    tokens = {name: site.people.grant(name, ("write",), n_days=1) for name in ("Al", "Bea")}
    al, bea = new_page(), new_page()
    enter(al, address, path, tokens["Al"])
    enter(bea, address, path, tokens["Bea"])
    expect(bea.get_by_text("also here: Al")).to_be_visible()
    # In different cells each sees what the other has written.
    al.locator("#c-0-0-1").fill("Al's dogs")
    saved(al)
    bea.locator("#c-1-1-2").fill("sleeps")
    saved(bea)
    expect(bea.locator("#c-0-0-1")).to_have_value("Al's dogs")
    expect(al.locator("#c-1-1-2")).to_have_value("sleeps")
    expect(al.get_by_text("also here: Bea")).to_be_visible()
    # In the same cell the second one is told, and nothing of the first is lost. Bea has not heard
    # of what he has written yet.
    bea.route("**/news.json*", lambda route: route.fulfill(status=404))
    al.locator("#c-0-0-2").fill("bark loudly")
    saved(al)
    bea.locator("#c-0-0-2").fill("bark softly")
    told = bea.get_by_role("alert").filter(has_text="Al has changed this draft meanwhile")
    expect(told).to_contain_text(
        "item 1, match, 2 verb is now “bark loudly”, and yours was “bark softly”"
    )
    expect(bea.locator("#c-0-0-2")).to_have_value("bark loudly")
    assert text_at(site, path, "c-0-0-2") == "bark loudly"
    bea.get_by_role("button", name="Write mine").click()
    saved(bea)
    expect(al.locator("#c-0-0-2")).to_have_value("bark softly", timeout=10_000)
    bea.unroute("**/news.json*")
    # Rows that somebody adds are there for the other, without a page that is loaded.
    al.get_by_role("button", name="Add item below").click()
    expect(bea.locator("#c-2-0-1")).to_be_visible(timeout=10_000)


def test_what_was_typed_into_a_row_that_is_gone_is_told_until_it_is_read(
    address: str, new_page: NewPage, site: Site
) -> None:
    path = begun(site)
    al, bea = new_page(), new_page()
    for page in (al, bea):
        page.route("**/news.json*", lambda route: route.fulfill(status=404))
        enter(page, address, path)
    al.locator("#n-1").click()
    al.get_by_role("button", name="Remove item").click()
    expect(al.locator("#n-1")).to_have_count(0)
    bea.locator("#c-1-0-1").fill("A sentence that nobody has")
    # Her grid is loaded again, and then she writes on.
    told = bea.get_by_role("alert").filter(has_text="A sentence that nobody has was not done")
    expect(bea.locator("#c-1-0-1")).to_have_count(0)
    expect(told).to_be_visible()
    bea.locator("#c-0-0-1").fill("Some dogs")
    saved(bea)
    expect(told).to_be_visible()
    bea.get_by_role("button", name="I have read it").click()
    expect(told).to_have_count(0)


def test_who_types_on_while_it_is_kept_is_not_interrupted(
    address: str, page: Page, site: Site
) -> None:
    path = begun(site)
    enter(page, address, path)
    page.locator("#c-0-0-1").fill("")
    page.evaluate("document.querySelector('#editor').dataset.mark = 'the same'")
    sentence = "The dogs that the old man feeds every day "
    # Slower than the pause after which it is sent, at times.
    for n, letter in enumerate(sentence):
        page.keyboard.type(letter)
        page.wait_for_timeout(450 if n % 7 == 0 else 90)
    page.keyboard.press("ArrowRight")
    page.keyboard.type("bark")
    saved(page)
    assert [text_at(site, path, f"c-0-0-{n}") for n in (1, 2)] == [sentence, "bark"]
    assert page.locator(".clashes .told").count() == 0
    assert page.locator("#editor").get_attribute("data-mark") == "the same"
    # All of a cell is one step back.
    page.keyboard.press("Control+z")
    expect(page.locator("#c-0-0-2")).to_have_value("match")
    expect(page.locator("#c-0-0-1")).to_have_value(sentence)


def test_what_is_typed_while_rows_move_goes_where_it_was_meant(
    address: str, new_page: NewPage, site: Site
) -> None:
    path = begun(site)
    tokens = {name: site.people.grant(name, ("write",), n_days=1) for name in ("Al", "Bea")}
    al, bea = new_page(), new_page()
    enter(al, address, path, tokens["Al"])
    enter(bea, address, path, tokens["Bea"])
    expect(bea.get_by_text("also here: Al")).to_be_visible()
    bea.route("**/news.json*", lambda route: route.fulfill(status=404))
    # A row comes in above the one that Bea writes into, and she has not seen it.
    al.locator("#c-0-0-1").click()
    al.get_by_role("button", name="Add item below").click()
    expect(al.locator("#c-2-0-1")).to_be_visible()
    bea.locator("#c-1-1-2").fill("sleeps")
    expect(bea.locator("#c-2-1-2")).to_have_value("sleeps")
    # The grid stands still again: a text may be put into it.
    saved(bea)
    # What she goes on with is meant for the new grid, and another text for the old one.
    bea.locator("#c-2-0-2").fill("sleep")
    saved(bea)
    value = kept(site, path)
    assert [item["item_number"] for item in value["items"]] == [1, 3, 2]
    assert [drafts.text_at(value, f"c-2-{c}-2") for c in (0, 1)] == ["sleep", "sleeps"]
    assert [drafts.text_at(value, f"c-1-{c}-2") for c in (0, 1)] == ["", ""]


def test_a_closed_browser_loses_nothing(address: str, new_page: NewPage, site: Site) -> None:
    path = begun(site)
    page = new_page()
    enter(page, address, path)
    page.locator("#c-0-0-2").fill("sleep")
    saved(page)
    # Typed a moment before the window goes.
    page.locator("#c-0-1-2").fill("sleeps")
    page.goto("about:blank")
    # It is on its way by now; that the browser is ended, too, is more than a closed window.
    while text_at(site, path, "c-0-1-2") != "sleeps":
        page.wait_for_timeout(10)
    page.context.close()
    again = new_page()
    enter(again, address, "/write")
    again.get_by_role("link", name="agreement").click()
    expect(again.locator("#c-0-0-2")).to_have_value("sleep")
    expect(again.locator("#c-0-1-2")).to_have_value("sleeps")


def test_a_server_that_is_gone_for_a_moment_gets_what_was_typed(
    address: str, chromium: Browser, site: Site
) -> None:
    path = begun(site)
    # Not one of those whose console has to be without errors: that the server is gone is one.
    page = chromium.new_context().new_page()
    enter(page, address, path)
    page.context.route("**/texts", lambda route: route.abort())
    page.locator("#c-0-0-2").fill("sleep")
    expect(
        page.get_by_role("alert").filter(has_text="the server cannot be reached")
    ).to_be_visible()
    assert text_at(site, path, "c-0-0-2") == "match"
    page.context.unroute("**/texts")
    saved(page)
    assert text_at(site, path, "c-0-0-2") == "sleep"
    page.context.close()


@pytest.mark.parametrize("status", [401, 403, 408, 429])
def test_who_is_not_let_in_any_more_has_lost_nothing(
    address: str, page: Page, site: Site, status: int
) -> None:
    path = begun(site)
    enter(page, address, path)
    said = "<main><p>come in again</p></main>"
    page.context.route("**/texts", lambda route: route.fulfill(status=status, body=said))
    page.locator("#c-0-0-2").fill("sleep")
    expect(page.get_by_role("alert").filter(has_text="come in again")).to_be_visible()
    page.context.unroute("**/texts")
    saved(page)
    assert text_at(site, path, "c-0-0-2") == "sleep"


def test_what_was_just_typed_is_saved_and_downloaded(address: str, page: Page, site: Site) -> None:
    def late(route: Route) -> None:
        time.sleep(0.5)
        route.continue_()

    assert site.suites
    path = begun(site)
    enter(page, address, path)
    page.get_by_label("File").fill("mine.json")
    # A network that is slow with texts, and with nothing else.
    page.context.route("**/texts", late)
    page.locator("#c-0-0-2").fill("sleep")
    page.get_by_role("button", name="Save in the folder").click()
    expect(page.get_by_text("mine.json is saved in the folder.")).to_be_visible()
    document = JsonDocument.read(site.suites / "mine.json").value
    assert drafts.text_at(document, "c-0-0-2") == "sleep"
    page.locator("#c-0-0-2").fill("sleeps")
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON").click()
    document = JsonDocument.read(download.value.path()).value
    assert drafts.text_at(document, "c-0-0-2") == "sleeps"


def test_a_suite_is_saved_in_the_folder_and_one_that_was_changed_is_told(
    address: str, page: Page, site: Site
) -> None:
    assert site.suites
    path = begun(site)
    enter(page, address, path)
    page.get_by_label("File").fill("mine.json")
    page.get_by_role("button", name="Save in the folder").click()
    expect(page.get_by_text("mine.json is saved in the folder.")).to_be_visible()
    file = site.suites / "mine.json"
    assert file.read_text("utf-8") == Design.draft_text(kept(site, path))
    file.write_text("{}", "utf-8")
    page.get_by_role("button", name="Save in the folder").click()
    expect(page.get_by_text("somebody has changed mine.json since it was opened")).to_be_visible()
    assert file.read_text("utf-8") == "{}"
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON").click()
    assert JsonDocument.read(download.value.path()).value == kept(site, path)


def test_a_table_and_a_grammar(address: str, page: Page, tmp_path: Path) -> None:
    enter(page, address, "/write")
    card = page.get_by_role("form", name="From a table")
    (table := tmp_path / "wrong.csv").write_text("match,mismatch\nThe dogs | bark,The dogs\n")
    card.locator("[name=file]").set_input_files(table)
    card.get_by_role("button", name="Begin").click()
    expect(card.get_by_role("alert")).to_contain_text(
        "wrong.csv:1:7: no cell of the column 'mismatch' has"
    )
    (table := tmp_path / "right.csv").write_text("match,mismatch\nA | b,A | c\n")
    card.locator("[name=file]").set_input_files(table)
    card.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/drafts/*")
    expect(page.locator("#c-0-1-2")).to_have_value("c")
    page.goto(f"{address}/write")
    card = page.get_by_role("form", name="From a grammar")
    grammar = "S -> 'the dogs' V\nV -> 'bark' | 'sleep'\nW -> 'barks' | 'sleeps'\n%contrast V W\n"
    card.get_by_label("Grammar", exact=True).fill(grammar)
    card.get_by_role("button", name="Draw samples").click()
    expect(card.get_by_text("the dogs barks")).to_be_visible()
    card.get_by_label("Name", exact=True).fill("dogs")
    card.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/drafts/*")
    expect(page.get_by_label("Name of the suite")).to_have_value("dogs")


def test_columns_and_rows_are_others(address: str, page: Page, site: Site) -> None:
    path = begun(site)
    enter(page, address, path)
    page.locator("summary", has_text="Conditions and regions").click()
    page.get_by_label("New region").fill("end")
    page.locator("form[data-do='add region'] button").click()
    expect(page.get_by_label("Name of region 3")).to_have_value("end")
    page.locator("summary", has_text="Conditions and regions").click()
    page.get_by_label("New condition").fill("third")
    page.get_by_label("with the texts of").select_option("mismatch")
    page.locator("form[data-do='add condition'] button").click()
    expect(page.locator("#c-1-2-2")).to_have_value("mismatch")
    page.locator("summary", has_text="Conditions and regions").click()
    page.get_by_label("Name of condition match").fill("good")
    page.get_by_role("button", name="Rename").first.click()
    expect(page.locator("#f-0")).to_have_value("(2;%good%) < (2;%mismatch%)")
    page.get_by_label("Name of region 2").fill("main verb")
    expect(page.locator("#says-0")).to_contain_text("region 2 (main verb)")
    saved(page)
    assert LoadedSuite.findings(kept(site, path)) == []


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_a_screen_reader_finds_its_way(
    address: str, new_page: NewPage, site: Site, *, width: int, dark: bool
) -> None:
    value = drafts.with_texts(
        document(), {"f-0": "(2;%match%) <", "c-0-0-1": " x", "m-language": "he"}
    )
    path = begun(site, value)
    page = new_page(width=width, dark=dark)
    enter(page, address, path)
    job = httpx.post(
        f"{address}{begun(site)}/run",
        json={"model": [NGRAM]},
        headers={"Authorization": f"Bearer {TOKEN}", "Accept": "application/json"},
    ).json()["to"]
    for shown in (path, "/write", "/jobs", job):
        page.goto(f"{address}{shown}")
        page.wait_for_timeout(800)
        if shown == path:
            page.locator("summary", has_text="Conditions and regions").click()
            page.locator("summary", has_text="About the suite").click()
        assert barriers(page) == []
        assert fills_page(page), shown


def test_no_text_of_a_suite_does_anything(address: str, page: Page, site: Site) -> None:
    """A script in every field: the console would say so, and the policy, too."""
    for hostile in TEXTS.values():
        value = drafts.with_texts(
            document(f"{hostile} x"),
            dict.fromkeys(("m-name", "m-comment", "r-1", "d-0", "f-0", "x-0-0"), hostile),
        )
        name = hostile.replace("%", "").strip()
        value = drafts.Change(what="rename condition", places=("match",), texts=(name,)).on(value)
        value = drafts.Change(what="add prediction", texts=(f"(2;%{name}%) < 3",)).on(value)
        path = begun(site, value)
        enter(page, address, path)
        page.locator("#c-0-0-1").press("End")
        page.keyboard.type(hostile)
        saved(page)
        page.locator("#f-1").press("Home")
        page.keyboard.type("(2;")
        page.get_by_role("option").first.wait_for()
        page.keyboard.press("Escape")
        paste(page, f"{hostile}\t{hostile}\n")
        expect(page.locator("#item .reading").first).to_be_visible()
        saved(page)
        page.goto(f"{address}/write")
        assert page.evaluate("typeof stolen") == "undefined"
        made_of = "main img, main iframe, main object, main style, main [onmouseover], base"
        assert page.locator(made_of).count() == 0


def test_a_thousand_items_stay_quick_to_write(address: str, page: Page, site: Site) -> None:
    design = Design.new(["a", "b"], ["r", "s", "t"], ["(3;%a%) < (3;%b%)"])
    path = begun(site, design.draft({"name": "large"}, n_items=1_000))
    enter(page, address, f"{path}?page=40")
    page.locator("#c-999-1-3").fill("here")
    saved(page)
    assert text_at(site, path, "c-999-1-3") == "here"
    # From the last row up, to the page before.
    page.locator("#c-975-0-1").click()
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    page.goto(f"{address}{path}?page=1")
    page.locator("#c-24-1-1").click()
    page.keyboard.press("ArrowDown")
    page.wait_for_url("**page=2*")


# A real process, and its end.


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


class Server:
    """`pommel serve` as a process of its own, on files that stay when it is gone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "key").write_text(f"{TOKEN}\n", "utf-8")
        (folder / "suites").mkdir(exist_ok=True)
        self.process: subprocess.Popen[bytes] | None = None
        self.client = httpx.Client(
            headers={"Authorization": f"Bearer {TOKEN}", "Accept": "application/json"}, timeout=20
        )

    def start(self) -> None:
        self.port = free_port()
        arguments = ["--store", "store.sqlite", "--suites", "suites", "--token-file", "key"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pommel", "serve", *arguments, "--port", str(self.port)],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until_s = time.monotonic() + 30
        while time.monotonic() < until_s:
            with contextlib.suppress(httpx.TransportError):
                self.client.get(f"{self.address}/write")
                return
            time.sleep(0.05)
        pytest.fail("it does not start")

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def post(self, path: str, **asked: object) -> Any:
        return self.client.post(f"{self.address}{path}", json=asked).json()


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9")
def test_a_server_that_is_killed_while_it_saves_loses_nothing(tmp_path: Path) -> None:
    server, chance = Server(tmp_path), random.Random(1)  # noqa: S311 - moments, not secrets
    server.start()
    path = server.post("/write/new", name="killed", conditions="a\nb", regions="r\ns", items=400)[
        "to"
    ]
    file = tmp_path / "suites" / "killed.json"
    server.post(f"{path}/save", file="killed")
    n_acknowledged = n_kills = 0
    try:
        for _ in range(6):
            seen = server.client.get(f"{server.address}{path}").json()["revision"]
            until_s = time.monotonic() + chance.uniform(0.05, 0.6)
            killer = threading.Timer(until_s - time.monotonic(), server.kill)
            killer.start()
            with contextlib.suppress(httpx.TransportError, json.JSONDecodeError):
                while True:
                    written = str(n_acknowledged + 1)
                    said = server.post(
                        f"{path}/texts", rests_on=seen, place=["c-0-0-1"], text=[written]
                    )
                    seen, n_acknowledged = said["revision"], n_acknowledged + 1
                    said = server.post(f"{path}/save", file="killed")
                    assert said.get("file") == "killed.json", said
            killer.join()
            n_kills += 1
            server.start()
            # What was acknowledged is there; what was under way is whole or not there.
            value = server.client.get(f"{server.address}{path}/download").json()
            first = value["items"][0]["conditions"][0]["regions"][0]["content"]
            assert int(first or 0) in {n_acknowledged, n_acknowledged + 1}
            n_acknowledged = int(first or 0)
            saved_value = JsonDocument.read(file).value
            assert len(saved_value["items"]) == 400
            on_disk = int(saved_value["items"][0]["conditions"][0]["regions"][0]["content"] or 0)
            assert on_disk in {n_acknowledged, n_acknowledged - 1}
            # It may be saved again, whether or not the server has noted the last one.
            said = server.post(f"{path}/save", file="killed")
            assert said == {"draft_id": path.rpartition("/")[2], "file": "killed.json"}
        assert n_kills == 6
        assert n_acknowledged >= 6
        names = [each.name for each in (tmp_path / "suites").iterdir()]
        assert [each for each in names if not re.match(r"\.?killed\.json", each)] == []
    finally:
        server.kill()
        server.client.close()
