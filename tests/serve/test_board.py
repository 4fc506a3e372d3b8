"""The pages of a board: its ranking, submissions and suites, and the feeds of what is new."""

import csv
import datetime as dt
import io
import json
import re
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import feedparser
import httpx
import jsonschema
import pytest
from tests.builders import make_suite
from tests.leaderboard.hostile import TEXTS
from tests.leaderboard.samples import (
    KEEPER,
    RIGHT,
    WHEN,
    NamedModel,
    added,
    board_at,
    model,
    rescored,
    submission,
)
from tests.leaderboard.submission.samples import ABOUT, BIRDS, SOURCE, SUITES, packed
from tests.serve.board_samples import Visitors, site_of
from tests.store.run_samples import FORMULAS

from pommel.leaderboard import BoardFolder, Ranking
from pommel.serve import shown_board
from pommel.serve.app import PAGES
from pommel.suite.read import LoadedSuite

HEBREW = make_suite(BIRDS, FORMULAS, name="birds", circuit="birds", language="he")
WHOLE = (*SUITES, HEBREW)
BITS: dict[str, dict[str, float]] = {
    "words": {},
    "right": RIGHT,
    "some": {"purrs": 1.0, "sing": 1.0},
    "gone": {"sat": 1.0},
}


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> BoardFolder:
    """A board in two languages with three submissions that are ranked, and one withdrawn."""
    folder = tmp_path_factory.mktemp("board")
    place = board_at(folder, WHOLE, circuit_weights={"birds": 5})
    ids = {
        name: added(place, submission(folder, model(name, bits), WHOLE)).standing.id
        for name, bits in BITS.items()
    }
    about = {"model": "builtin://en-ngram", "when": WHEN, "by": KEEPER}
    place.record_rerun(ids["right"], rescored(), **about)
    place.record_rerun(ids["some"], rescored(1, "said otherwise", bits=2.5), **about)
    place.withdraw(ids["gone"], reason="its author asked for it", when=WHEN, by=KEEPER)
    return place


@pytest.fixture(scope="module")
def visitors(board: BoardFolder) -> Iterator[Visitors]:
    """Those who come to its server, which lets everybody look."""
    site = site_of(board.folder.parent)
    yield Visitors(site)
    site.close()


def text_of(visitors: Visitors, address: str) -> str:
    """Return a page as anybody sees it."""
    answer = visitors.anybody.get(address)
    assert answer.status_code == 200, answer.text
    return answer.text


def content_of(text: str) -> str:
    """Return what stands on a page, without where its links lead and what is around it."""
    main = text.partition('<main id="main">')[2].partition("</main>")[0]
    return re.sub(r'href="[^"]*"', "", main).strip()


def test_pages_show_what_the_static_site_shows(
    board: BoardFolder, visitors: Visitors, tmp_path: Path
) -> None:
    Ranking.write_site(board, tmp_path / "site")
    pages = {each: each for each in ("pairs", "submit")}
    pages |= {"index": ""}
    for folder in ("submissions", "suites"):
        for path in (tmp_path / "site" / folder).iterdir():
            pages[f"{folder}/{path.stem}"] = f"{folder}/{path.stem}"
    assert len(pages) == 3 + 3 + 3
    assert "<title>Toy \N{EN DASH} pommel</title>" in text_of(visitors, "/board")
    for name, address in pages.items():
        written = content_of((tmp_path / "site" / f"{name}.html").read_text("utf-8"))
        served = content_of(text_of(visitors, f"/board/{address}".rstrip("/")))
        if name == "submit":
            # There, files are sent and suites are had in another way.
            other = "<li><p>(?:Send|<a >Upload|Get the).*?</li>"
            written, served = (
                re.sub(other, "", each, flags=re.DOTALL) for each in (written, served)
            )
        if name == "index":
            served = re.sub(r"<a ><code>(\w+)</code></a>", r"<code>\1</code>", served)
        assert " ".join(written.split()) in " ".join(served.split()), name


def test_all_links_lead_to_a_page_of_this_server(visitors: Visitors) -> None:
    seen, due = set[str](), {"/board"}
    while due:
        address = due.pop()
        seen.add(address)
        text = text_of(visitors, address)
        assert "<script>" not in text
        assert "style=" not in text
        if not text.startswith("<!DOCTYPE html>"):
            continue
        links = {each.partition("#")[0] for each in re.findall(r'(?:href|src)="([^"]*)"', text)}
        # Those of the store, which has nothing here.
        others = {"/", "/models", "/suites", "/families", "/runs"}
        own = {each for each in links - others if each.startswith("/")}
        strange = links - own - others - {"", "https://example.org/words"}
        assert {each for each in strange if not each.startswith("http://127.0.0.1:8765/")} == set()
        due |= own - seen
    names = {each.partition("/board/")[2].partition("/")[0] for each in seen}
    assert {"pairs", "submit", "submissions", "suites", "feed", "feed.atom", "feed.json"} <= names


def test_a_ranking_by_circuit_and_language(visitors: Visitors) -> None:
    whole = visitors.anybody.get("/board.json").json()
    assert (whole["circuits"], whole["languages"]) == (["agreement", "birds"], ["en", "he"])
    assert [each["model"] for each in whole["submissions"]] == ["right", "some", "words"]
    part = visitors.anybody.get("/board.json?language=he").json()
    assert [each["name"] for each in part["board"]["suites"]] == ["birds"]
    by_circuit = visitors.anybody.get("/board.json?circuit=birds").json()
    assert by_circuit["submissions"] == part["submissions"]
    scores = {each["model"]: each["score"] for each in whole["submissions"]}
    assert {each["model"]: each["score"] for each in part["submissions"]} != scores
    page = text_of(visitors, "/board?language=he")
    assert "in the language he alone" in page
    assert "<option selected>he</option>" in page
    for query in ("circuit=birds&language=en", "language=xx"):
        answer = visitors.anybody.get(f"/board?{query}")
        assert (answer.status_code, "no suite of the board is" in answer.text) == (400, True)


def test_a_ranking_that_takes_long_is_not_waited_for(
    board: BoardFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors = Visitors(site_of(board.folder.parent))
    monkeypatch.setattr(shown_board, "_SECONDS_WAITED", 0.0)
    shown = visitors.site.shown_board
    assert shown is not None
    with shown.ranking_lock:
        for _ in range(3):
            answer = visitors.anybody.get("/board?circuit=birds")
            assert answer.status_code == 503
            # Browsers ask again without being told to.
            assert answer.headers["Refresh"] == "10"
            assert "is being computed; look again" in answer.text
        assert visitors.anybody.get("/board").status_code == 200
    monkeypatch.undo()
    assert visitors.anybody.get("/board?circuit=birds").status_code == 200
    visitors.site.close()


def test_what_is_not_told_apart_is_said(visitors: Visitors) -> None:
    found = visitors.anybody.get("/board/pairs.json").json()
    assert found["n_ranked"] == 3
    assert len(found["pairs"]) == 3
    # Of so few items, none.
    assert not any(each["are_told_apart"] for each in found["pairs"])
    lines = [*csv.reader(io.StringIO(text_of(visitors, "/board/pairs.csv")))]
    assert [(each["id"], each["other_id"]) for each in found["pairs"]] == [
        (line[0], line[2]) for line in lines[1:]
    ]


def test_what_is_claimed_and_what_was_scored_again(visitors: Visitors) -> None:
    page = " ".join(text_of(visitors, "/board").split())
    for said in ("claimed", "scored again on 2026-01-02", "differed when scored again"):
        assert said in page
    ids = {
        each["model"]: each["id"]
        for each in visitors.anybody.get("/board.json").json()["submissions"]
    }
    history = visitors.anybody.get(f"/board/submissions/{ids['some']}.json").json()["history"]
    assert [(each["what"], each["by"]) for each in history] == [
        ("added", KEEPER),
        ("differed", KEEPER),
    ]
    assert history[1]["why"].endswith("at most 2.5 bits apart; 1 difference")


def test_what_is_ranked_no_longer_has_a_page(board: BoardFolder, visitors: Visitors) -> None:
    ledger = board.ledger(board.board())
    (gone,) = ledger.ended
    found = visitors.anybody.get(f"/board/submissions/{gone.id}.json").json()
    assert (found["name"], found["status"], found["ranked"]) == ("gone", "withdrawn", None)
    assert [each["what"] for each in found["history"]] == ["added", "withdrawn"]
    page = text_of(visitors, f"/board/submissions/{gone.id}")
    assert page.count("its author asked for it") == 2
    for address in ("/board/submissions/0000", "/board/suites/0000"):
        assert visitors.anybody.get(address).status_code == 404


def test_a_board_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    visitors = Visitors(site_of(tmp_path))
    for n, (name, bits) in enumerate(BITS.items()):
        assert len(visitors.anybody.get("/board.json").json()["submissions"]) == n
        added(place, submission(tmp_path, model(name, bits)))
        assert name in text_of(visitors, "/board")
        assert name in visitors.anybody.get("/board/feed.json").json()["items"][0]["title"]
    # As long as nothing changes, nothing is read.
    board = visitors.site.shown_board
    assert board is not None
    assert board.latest is board.latest
    described = place.board_file.read_text().replace('"Toy"', '"Another name"')
    place.board_file.write_text(described)
    assert "Another name" in text_of(visitors, "/board")
    place.ledger_file.write_text("")
    answer = visitors.anybody.get("/board")
    assert (answer.status_code, "is empty" in answer.text) == (400, True)
    visitors.site.close()


def test_every_page_of_the_board_has_a_json_twin_that_is_described(visitors: Visitors) -> None:
    paths = visitors.anybody.get("/openapi").json()["paths"]
    names = [each["operationId"] for path in paths.values() for each in path.values()]
    assert len(names) == len(set(names))
    for page in PAGES:
        if page.path.startswith("/board") and page.method == "GET" and "{" not in page.path:
            assert paths[page.path]["get"]["summary"]


def test_who_submits_has_the_suites_from_here(visitors: Visitors, tmp_path: Path) -> None:
    answer = visitors.anybody.get("/board/suites.zip")
    assert answer.headers["content-disposition"].endswith("suites.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        archive.extractall(tmp_path)
    found = [LoadedSuite.read(each).suite.sha256 for each in (tmp_path / "suites").iterdir()]
    assert sorted(found) == sorted(each.sha256 for each in WHOLE)


def test_a_board_needs_no_store_and_no_token_to_be_looked_at(board: BoardFolder) -> None:
    folder = board.folder.parent
    command = [sys.executable, "-m", "pommel", "serve", "--port", "0", "--read-only"]
    places = ["--board", str(board.folder), "--store", str(folder / "none.sqlite")]
    with subprocess.Popen([*command, *places], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        address = server.stdout.readline().strip()
        page = httpx.get(f"{address}board", timeout=60).text
        assert "<h1>Toy</h1>" in page
        assert "Queue" not in page
        assert httpx.get(f"{address}board/queue", timeout=60).status_code in {401, 403}
        server.terminate()


# Feeds.

_JSON_FEED = {
    "type": "object",
    "required": ["version", "title", "items"],
    "properties": {
        "version": {"const": "https://jsonfeed.org/version/1.1"},
        "title": {"type": "string"},
        "home_page_url": {"type": "string", "format": "uri", "pattern": "^https?://"},
        "feed_url": {"type": "string", "pattern": "^https?://"},
        "language": {"type": "string", "pattern": "^[a-z]{2}$"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id"],
                # An item has to have one of both.
                "anyOf": [{"required": ["content_text"]}, {"required": ["content_html"]}],
                "properties": {
                    "id": {"type": "string", "minLength": 1},
                    "url": {"type": "string", "pattern": "^https?://"},
                    "title": {"type": "string"},
                    "content_text": {"type": "string"},
                    "date_published": {
                        "type": "string",
                        "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$",
                    },
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}
_ATOM = "{http://www.w3.org/2005/Atom}"
_SAID_NEW = ["withdrawn", "differed", "scored again", *["added"] * 4]


def items_of(visitors: Visitors) -> list[dict[str, Any]]:
    """Return the items of the JSON feed, which is valid."""
    answer = visitors.anybody.get("/board/feed.json")
    value = answer.json()
    jsonschema.validate(value, _JSON_FEED)
    found: list[dict[str, Any]] = value["items"]
    return found


def atom_of(visitors: Visitors) -> ET.Element:
    """Return the Atom feed, which has what RFC 4287 asks for."""
    answer = visitors.anybody.get("/board/feed.atom")
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    feed = ET.fromstring(answer.content)  # noqa: S314 - our own
    assert feed.tag == f"{_ATOM}feed"
    for element in (feed, *feed.iter(f"{_ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{_ATOM}{name}")) == 1, name
        updated = dt.datetime.fromisoformat(element.findtext(f"{_ATOM}updated", ""))
        assert updated.tzinfo is not None
        assert element.findtext(f"{_ATOM}id", "").startswith("urn:uuid:")
        relations = [each.get("rel") for each in element.findall(f"{_ATOM}link")]
        assert relations.count("alternate") == 1
    # Of the feed, for all entries.
    assert feed.findtext(f"{_ATOM}author/{_ATOM}name")
    assert {each.tag.removeprefix(_ATOM) for each in feed.iter()} <= {
        *("feed", "id", "title", "updated", "link", "author", "name", "entry", "content")
    }
    return feed


def test_feeds_have_what_is_new(visitors: Visitors) -> None:
    items, feed = items_of(visitors), atom_of(visitors)
    assert [each["title"].rpartition(": ")[2] for each in items] == _SAID_NEW
    assert items[0]["title"] == "gone: withdrawn"
    assert items[0]["content_text"] == f"withdrawn by {KEEPER}: its author asked for it"
    assert items[-1]["title"] == "words by A. Linguist: added"
    assert len({each["id"] for each in items}) == len(items)
    entries = [
        (
            each.findtext(f"{_ATOM}id"),
            each.findtext(f"{_ATOM}title"),
            each.findtext(f"{_ATOM}content"),
        )
        for each in feed.iter(f"{_ATOM}entry")
    ]
    assert entries == [(each["id"], each["title"], each["content_text"]) for each in items]
    for each in items:
        assert each["url"].startswith("http://127.0.0.1:8765/board/submissions/")
        assert visitors.anybody.get(each["url"]).status_code == 200
    page = text_of(visitors, "/board/feed")
    assert "its author asked for it" in page


def test_a_reader_of_feeds_reads_them(visitors: Visitors) -> None:
    with warnings.catch_warnings():
        # What it makes of dates of its own.
        warnings.simplefilter("ignore", DeprecationWarning)
        found = feedparser.parse(visitors.anybody.get("/board/feed.atom").content)
    assert (found.bozo, found.version, found.feed.title) == (False, "atom10", "Toy")
    assert [each.title.rpartition(": ")[2] for each in found.entries] == _SAID_NEW
    assert all(each.updated_parsed for each in found.entries)


def test_ids_are_the_same_for_ever(board: BoardFolder, visitors: Visitors) -> None:
    before = items_of(visitors)
    again = Visitors(site_of(board.folder.parent))
    assert items_of(again) == before
    name = before[-1]["url"].rpartition("/")[2]
    board.record_rerun(name, rescored(), model="builtin://en-ngram", when=WHEN, by=KEEPER)
    assert [each["id"] for each in items_of(again)[1:]] == [each["id"] for each in before]
    again.site.close()


def test_an_empty_board_has_feeds(tmp_path: Path) -> None:
    board_at(tmp_path)
    visitors = Visitors(site_of(tmp_path))
    assert items_of(visitors) == []
    assert atom_of(visitors).findtext(f"{_ATOM}updated") == WHEN
    assert "Nothing has been submitted" in text_of(visitors, "/board/feed")
    visitors.site.close()


def test_texts_of_strangers_are_text_in_feeds(tmp_path: Path) -> None:
    html = TEXTS["html"]
    place = board_at(tmp_path, name=html)
    name = added(place, submission(tmp_path, model("words"))).standing.id
    for n, text in enumerate(TEXTS.values()):
        (tmp_path / f"{n}").mkdir()
        own = NamedModel(methods=("causal",), name=f"m{n}", bits={**RIGHT, "bark": n / 4})
        packed(tmp_path / f"{n}", SUITES, own, about=replace(ABOUT, name=text))
        added(place, tmp_path / f"{n}" / SOURCE)
    place.withdraw(name, reason=html, when=WHEN, by=html)
    visitors = Visitors(site_of(tmp_path))
    items, feed = items_of(visitors), atom_of(visitors)
    assert items[0]["content_text"] == f"withdrawn by {html}: {html}"
    assert feed.findtext(f"{_ATOM}title") == html
    titles = [each.findtext(f"{_ATOM}title") for each in feed.iter(f"{_ATOM}entry")]
    assert titles == [each["title"] for each in items]
    shown = [f"{text} by A. Linguist: added" for text in reversed(TEXTS.values())]
    assert [each for each in titles if each in shown] == shown
    # What is shown of it has no element of a stranger's.
    assert "<script>stolen" not in text_of(visitors, "/board/feed")
    json.dumps(items)
    visitors.site.close()
