"""A board as a static site."""

import base64
import csv
import datetime as dt
import hashlib
import io
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from tests.builders import make_suite
from tests.leaderboard.samples import (
    KEEPER,
    RIGHT,
    WHEN,
    added,
    board_at,
    model,
    rescored,
    snapshot,
    submission,
)
from tests.leaderboard.submission.samples import ABOUT, AGREEMENT, BIRDS, SUITES
from tests.store.run_samples import FORMULAS, ITEMS, agreement

from pommel.errors import UsageError
from pommel.leaderboard import BoardFolder
from pommel.leaderboard.names import confused
from pommel.leaderboard.pages import site_environment
from pommel.leaderboard.site import Ranking
from pommel.leaderboard.standings import Standing
from pommel.surprisal import ScoredSentence, Token

SCRIPT = (files("pommel.report") / "templates" / "tables.js").read_text("utf-8")
HOSTILE = "<script>alert(1)</script>\"'&"


# Dashes and apostrophes as they are typed.
_PLAIN = {0x2013: "-", 0x2212: "-", 0x2019: "'"}


class _Page(HTMLParser):
    """The elements of a page, its links, and its text, with plain dashes and apostrophes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.scripts: list[str] = []
        self.rows: list[list[str]] = []
        self._is_in = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        if tag in ("td", "th", "script"):
            self._is_in = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._is_in:
            self._is_in = ""

    def handle_data(self, data: str) -> None:
        if self._is_in == "script":
            self.scripts.append(data)
            return
        data = data.translate(_PLAIN)
        self.text.append(data)
        if self._is_in:
            self.rows[-1][-1] += data

    def table(self, *heads: str) -> list[list[str]]:
        """Return the cells of the rows of the table with these heads."""
        start = self.rows.index([*heads]) + 1
        end = next((n for n in range(start, len(self.rows)) if self.is_head(n)), len(self.rows))
        return self.rows[start:end]

    def is_head(self, row: int) -> bool:
        """Say whether a row has heads of columns only."""
        heads = [own.get("scope") for tag, own in self.elements if tag in ("td", "th")]
        begin = sum(map(len, self.rows[:row]))
        return set(heads[begin : begin + len(self.rows[row])]) == {"col"}

    def links(self) -> list[dict[str, str | None]]:
        """Return the attributes of all links."""
        return [own for tag, own in self.elements if tag == "a"]


@pytest.fixture
def place(tmp_path: Path) -> BoardFolder:
    """A board with two ranked submissions, and one that is withdrawn."""
    board = board_at(tmp_path, name=HOSTILE, description=HOSTILE)
    about = replace(ABOUT, by=HOSTILE, note=HOSTILE, url="https://example.org/?a=1&b='x")
    added(board, submission(tmp_path, about=about))
    added(board, submission(tmp_path, model("right", RIGHT)))
    name = added(board, submission(tmp_path, model("half", {"bark": 1.0}))).standing.id
    board.withdraw(name, reason=HOSTILE, when=WHEN, by=KEEPER)
    return board


def yesterday(day: str) -> str:
    """Return the day before, for what is begun before midnight."""
    return (dt.date.fromisoformat(day) - dt.timedelta(days=1)).isoformat()


def pages(site: Path) -> dict[str, _Page]:
    """Return all pages of a site by their names."""
    found = sorted(site.rglob("*.html"))
    return {each.relative_to(site).as_posix(): _Page(each.read_text("utf-8")) for each in found}


def test_a_site_has_a_page_a_submission(place: BoardFolder, tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert Ranking.write_site(place, site) == 2
    ranked = place.ledger(place.board()).ranked
    assert sorted(snapshot(site)) == sorted(
        [
            "index.html",
            "leaderboard.csv",
            "leaderboard.json",
            "pairs.csv",
            "pairs.html",
            "style.css",
            "submit.html",
            *(f"submissions/{name}.html" for name in ranked),
            *(f"suites/{each.sha256[:16]}.html" for each in SUITES),
        ]
    )
    with (site / "leaderboard.csv").open(newline="") as opened:
        assert [row["model"] for row in csv.DictReader(opened)] == ["right", "words"]
    value = json.loads((site / "leaderboard.json").read_text("utf-8"))
    assert [each["rank"] for each in value["submissions"]] == [1, 2]
    assert value["ended"][0]["reason"] == HOSTILE


def test_texts_of_strangers_are_text(place: BoardFolder, tmp_path: Path) -> None:
    Ranking.write_site(place, tmp_path / "site")
    for page in pages(tmp_path / "site").values():
        # The only script is ours, and no other would run.
        (script,) = page.scripts
        assert script == SCRIPT
        assert [own for tag, own in page.elements if tag == "script"] == [{}]
        (policy,) = (own for _, own in page.elements if own.get("http-equiv"))
        digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
        assert policy["content"] == (
            f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'self' file:; "
            f"base-uri 'none'; form-action 'none'"
        )
        assert not [name for _, own in page.elements for name in own if name.startswith("on")]
    index = pages(tmp_path / "site")["index.html"]
    # As name (twice: title and heading) and description of the board, submitter, and reason.
    assert "".join(index.text).count(HOSTILE) == 5


def of_three(folder: Path) -> BoardFolder:
    """Return a board with three submissions, of which one holds everywhere."""
    board = board_at(folder, description="Mail it to k@example.org.")
    for bits in (RIGHT, {"bark": 1.0}, {}):
        name = {5: "right", 1: "half", 0: "words"}[len(bits)]
        own = replace(model(name, bits), n_parameters=124_439_808 if bits else None)
        added(board, submission(folder, own))
    return board


def test_the_ranking_is_a_table(tmp_path: Path) -> None:
    Ranking.write_site(of_three(tmp_path), tmp_path / "site")
    index = pages(tmp_path / "site")["index.html"]
    made = dt.datetime.now(dt.UTC).date().isoformat()
    found = index.table(
        *("rank", "model", "score", "interval", "ranks", "status", "by", "parameters", "kind"),
        *("runs made", "added"),
    )
    who = ["claimed", "A. Linguist"]
    assert [row[:-2] for row in found] == [
        ["1", "right", "1.000 [0.566, 1.000]", "", "1-3", *who, "124.4M", "toy"],
        ["2", "half", "0.417 [0.122, 0.776]", "", "1-3", *who, "124.4M", "toy"],
        ["2", "words", "0.417 [0.122, 0.776]", "", "1-3", *who, "-", "toy"],
    ]
    assert {tuple(row[-2:]) for row in found} <= {
        (each, "2026-01-02") for each in (made, yesterday(made))
    }
    # 0.25 of either suite: an item has two predictions.
    assert "The dashed line is chance (0.250)." in "".join(index.text)
    assert index.table("circuit", "suite", "version", "items", "chance", "share") == [
        ["agreement", "agreement", "-", "3", "0.250", "50.0%"],
        ["agreement", "song", "-", "2", "0.250", "50.0%"],
    ]


def test_a_suite_has_a_page(tmp_path: Path) -> None:
    Ranking.write_site(of_three(tmp_path), tmp_path / "site")
    page = pages(tmp_path / "site")[f"suites/{AGREEMENT.sha256[:16]}.html"]
    text = "".join(page.text)
    for line in (
        "An item counts if all predictions of its suite hold.",
        "region 2 (r2) must be less surprising in good than in bad",
        "(2;%good%) < (2;%bad%)",
        "the whole sentence must be less surprising in good than in bad",
        f"The SHA-256 of the suite's canonical JSON is {AGREEMENT.sha256}.",
    ):
        assert line in text
    rows = page.table("condition", "sentence")
    assert [[each.rstrip() for each in row] for row in rows] == [
        ["good", "The dogs bark2 ."],
        ["bad", "The dogs barks2 ."],
    ]
    assert [tag for tag, _ in page.elements].count("mark") == 2
    heads = ("model", "by", "score", "interval", "parameters", "rank")
    assert page.table(*heads) == [
        ["right", "A. Linguist", "1.000 [0.439, 1.000]", "", "124.4M", "1"],
        ["half", "A. Linguist", "0.333 [0.061, 0.792]", "", "124.4M", "2"],
        ["words", "A. Linguist", "0.333 [0.061, 0.792]", "", "-", "2"],
    ]
    # 6 + 138 * .25: the place of chance in each of them.
    lines = [own["d"] for _, own in page.elements if own.get("class") == "chance"]
    assert lines == ["M40.5 0v16"] * 3


def test_what_a_suite_says_of_itself(tmp_path: Path) -> None:
    suite = agreement(
        comment="Verbs agree.", author=["A", "B"], license="CC0-1.0", reference=7, version="1.2"
    )
    Ranking.write_site(board_at(tmp_path, (suite,)), tmp_path / "site")
    page = pages(tmp_path / "site")[f"suites/{suite.sha256[:16]}.html"]
    text = "".join(page.text)
    assert "Verbs agree." in text
    for term, said in (("author", "A, B"), ("licence", "CC0-1.0"), ("reference", "7")):
        assert f"{term}{said}\n" in text
    assert "Nothing has been submitted." in text


def test_each_is_compared_with_each(tmp_path: Path) -> None:
    board = of_three(tmp_path)
    Ranking.write_site(board, tmp_path / "site")
    site = pages(tmp_path / "site")
    assert site["pairs.html"].rows == [
        ["model", "right, 1", "half, 2", "words, 2"],
        ["1 right", "", "+58.3", "+58.3"],
        ["2 half", "-58.3", "", "0.0"],
        ["2 words", "-58.3", "0.0", ""],
    ]
    ids = {row.name: row.id for row in Ranking.of(board).rows}
    rows = site[f"submissions/{ids['right']}.html"].table(
        "rank", "model", "difference", "p", "it is"
    )
    # Of the five items three differ, two of a weight of 1/6 and one of 1/4: 1.96 * sqrt(17 / 144).
    assert rows == [
        ["2", "half", "+58.3 [-9.0, +100.0]", "0.5000", "not told apart"],
        ["2", "words", "+58.3 [-9.0, +100.0]", "0.5000", "not told apart"],
    ]
    with (tmp_path / "site" / "pairs.csv").open(newline="") as opened:
        first, _, last = csv.DictReader(opened)
    assert first == {
        "id": ids["right"],
        "model": "right",
        "other_id": ids["half"],
        "other_model": "half",
        "difference": "0.583333",
        "low": "-0.090095",
        "high": "1.0",
        "p": "0.5",
        "other_p": "0.5",
    }
    assert (last["difference"], last["p"]) == ("0.0", "1.0")


def test_of_many_the_first_and_those_around_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pommel.leaderboard.pages._MOST_IN_MATRIX", 2)
    monkeypatch.setattr("pommel.leaderboard.pages._MOST_COMPARED", 1)
    board = of_three(tmp_path)
    Ranking.write_site(board, tmp_path / "site")
    site = pages(tmp_path / "site")
    assert [row[0] for row in site["pairs.html"].rows] == ["model", "1 right", "2 half"]
    assert "Shown are the first 2 of 3." in "".join(site["pairs.html"].text)
    for row in Ranking.of(board).rows:
        page = site[f"submissions/{row.id}.html"]
        assert len(page.table("rank", "model", "difference", "p", "it is")) == 1
        assert "Shown are those around it; pairs.csv has all." in "".join(page.text)
    # All three pairs, below a line of names.
    assert len((tmp_path / "site" / "pairs.csv").read_text().splitlines()) == 4


def test_hashes_are_folded_away(place: BoardFolder, tmp_path: Path) -> None:
    Ranking.write_site(place, tmp_path / "site")
    for page in (tmp_path / "site").rglob("*.html"):
        shown = re.sub(r"(?s)<details>.*?</details>|<[^>]*>", "", page.read_text("utf-8"))
        assert not re.search(r"\b[0-9a-f]{40,}\b", shown)
        assert re.search(r"<code>[0-9a-f]{64}</code>", page.read_text("utf-8"))


def test_who_is_better_is_said_and_marked(tmp_path: Path) -> None:
    items = [ITEMS[1]] * 8
    board = board_at(tmp_path, (agreement(items=items),))
    for own in (model("right", RIGHT), model()):
        added(board, submission(tmp_path, own, (agreement(items=items),)))
    Ranking.write_site(board, tmp_path / "site")
    site = pages(tmp_path / "site")
    matrix = site["pairs.html"]
    assert matrix.rows[1:] == [["1 right", "", "+100.0*"], ["2 words", "-100.0*", ""]]
    verdicts = [own["class"] for tag, own in matrix.elements if tag == "td" and "class" in own]
    assert verdicts == ["better", "worse"]
    for row in Ranking.of(board).rows:
        (found,) = site[f"submissions/{row.id}.html"].table(
            "rank", "model", "difference", "p", "it is"
        )
        # All eight items say the same: 2 of 256 ways to turn the signs.
        assert found[3:] == ["0.0078", "better" if row.name == "right" else "worse"]


def test_a_circuit_has_one_colour(tmp_path: Path) -> None:
    names = [f"c{n}" for n in range(9)]
    suites = [replace(agreement(n), meta={**agreement(n).meta, "circuit": n}) for n in names]
    Ranking.write_site(board_at(tmp_path, suites), tmp_path / "site")
    every = pages(tmp_path / "site").values()
    found = {str(own.get("class")) for page in every for _, own in page.elements}
    # Seven there are, then again from the first.
    assert {each for each in found if each.startswith("circuit ")} == {
        f"circuit c{n}" for n in range(7)
    }
    index = (tmp_path / "site" / "index.html").read_text("utf-8")
    for n, name in enumerate(names):
        assert f'<span class="circuit c{n % 7}">{name}</span>' in index
    style = (tmp_path / "site" / "style.css").read_text()
    # Light, dark, print.
    for n in range(7):
        assert len(re.findall(rf"--c{n}: #[0-9a-f]{{6}};", style)) == 3


@pytest.mark.parametrize(
    ("n", "shown"),
    [
        (None, "\N{EN DASH}"),
        (0, "0"),
        (999, "999"),
        (1_000, "1k"),
        (124_439_808, "124.4M"),
        (1_500_000_000, "1.5B"),
        (10**18, "1,000,000T"),
    ],
)
def test_how_many_parameters_there_are(n: int | None, shown: str) -> None:
    assert site_environment().filters["size"](n) == shown


def test_how_to_submit(tmp_path: Path) -> None:
    board = board_at(
        tmp_path, description="Mail it.", score_rule="first", limits={"n_tokens": 9000}
    )
    Ranking.write_site(board, tmp_path / "site")
    text = "".join(pages(tmp_path / "site")["submit.html"].text)
    for line in (
        "pommel run MODEL suites --store my-model.sqlite --score first\n",
        "pommel submit --store my-model.sqlite --by 'YOUR NAME' --name 'MODEL NAME' -o my-model",
        "Send my-model.pommel.zip to whoever keeps this board: Mail it.\n",
        "5 in 2 suites; an item counts if the first prediction of its suite holds\n",
        "at most9,000 n_tokens\n",
    ):
        assert line in text


def test_links_stay_within_the_site_but_for_addresses(place: BoardFolder, tmp_path: Path) -> None:
    site = tmp_path / "site"
    Ranking.write_site(place, site)
    outward = set()
    for name, page in pages(site).items():
        for own in page.links():
            target = own["href"] or ""
            if target.startswith("https://"):
                outward.add((target, own["rel"]))
            elif not target.startswith("#"):
                path, _, place_there = target.partition("#")
                other = ((site / name).parent / path).resolve()
                assert other.is_file()
                assert not place_there or f'id="{place_there}"' in other.read_text("utf-8")
    rel = "nofollow noopener noreferrer"
    assert outward == {("https://example.org/?a=1&b='x", rel), (ABOUT.url, rel)}


def test_nothing_is_fetched(place: BoardFolder, tmp_path: Path) -> None:
    Ranking.write_site(place, tmp_path / "site")
    for page in pages(tmp_path / "site").values():
        sources = [own for tag, own in page.elements if tag != "a" and {*own} & {"src", "href"}]
        assert [Path(str(own["href"])).name for own in sources] == ["style.css"]
    style = (tmp_path / "site" / "style.css").read_text()
    assert not re.search(r"url\(|@import", style)


def test_the_same_board_gives_the_same_bytes(place: BoardFolder, tmp_path: Path) -> None:
    Ranking.write_site(place, tmp_path / "one")
    for path in (place.folder / "derived").iterdir():
        path.unlink()
    Ranking.write_site(place, tmp_path / "two")
    assert snapshot(tmp_path / "one") == snapshot(tmp_path / "two")


def test_a_site_is_written_over(place: BoardFolder, tmp_path: Path) -> None:
    site = tmp_path / "site"
    Ranking.write_site(place, site)
    name = place.ledger(place.board()).ranked[0]
    place.withdraw(name, reason="a mistake", when=WHEN, by=KEEPER)
    assert Ranking.write_site(place, site) == 1
    assert not (site / "submissions" / f"{name}.html").exists()
    assert all(name not in str(own["href"]) for own in pages(site)["index.html"].links())


def test_files_of_others_stay_whatever_the_folder_is_called(
    place: BoardFolder, tmp_path: Path
) -> None:
    site = tmp_path / "submissions"
    Ranking.write_site(place, site)
    (site / "thesis.html").write_text("mine")
    Ranking.write_site(place, site)
    assert (site / "thesis.html").read_text() == "mine"


def test_a_folder_with_other_files_is_left_alone(place: BoardFolder, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds other files; a site needs a folder of its own"):
        Ranking.write_site(place, site)
    assert [*snapshot(site)] == ["thesis.txt"]


def test_a_board_without_submissions(tmp_path: Path) -> None:
    assert Ranking.write_site(board_at(tmp_path), tmp_path / "site") == 0
    index = pages(tmp_path / "site")["index.html"]
    assert "Nothing has been submitted." in "".join(index.text)


def test_a_page_names_those_that_it_cannot_be_told_from(place: BoardFolder, tmp_path: Path) -> None:
    Ranking.write_site(place, tmp_path / "site")
    first, second = place.ledger(place.board()).ranked
    page = pages(tmp_path / "site")[f"submissions/{first}.html"]
    assert f"{second}.html" in [own["href"] for own in page.links()]


def cells(folder: Path, by: str, separator: str = ",") -> list[str]:
    """Return the cells of the one row of a board, as a program reads them."""
    place = board_at(folder)
    added(place, submission(folder))
    board = place.board()
    ledger = place.ledger(board)
    standings = place.standings(board, ledger)
    # Not all of these are taken now; a board may have had them before.
    changed = replace(standings, rows=(replace(standings.rows[0], by=by),))
    text = Ranking(board=board, ledger=ledger, standings=changed).to_csv()
    _, row = csv.reader(io.StringIO(text), delimiter=separator)
    return row


@pytest.mark.parametrize("by", ["A. Linguist", 'an "x", and y', "GPT-2; a-b | c", "a=b", "1 + 1"])
def test_a_text_is_what_it_was(tmp_path: Path, by: str) -> None:
    assert cells(tmp_path, by)[5] == by


@pytest.mark.parametrize(
    ("by", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("\u200e=1+1", "'\u200e=1+1"),
        ("\u2800\u200d-1+1", "'\u2800\u200d-1+1"),
        ("a;=1+1;b", "a;'=1+1;b"),
        ("a; \u200f+1;b", "a;' \u200f+1;b"),
        ("a|\uff20b", "a|'\uff20b"),
    ],
)
def test_a_text_that_would_be_a_formula(tmp_path: Path, by: str, shown: str) -> None:
    assert cells(tmp_path, by)[5] == shown


@pytest.mark.parametrize("separator", [";", "|"])
@pytest.mark.parametrize("by", ["=1+1", "a;=1+1;b", 'a"|=1+1|"b', 'a";";=1+1'])
def test_another_separator_makes_no_formulas(tmp_path: Path, by: str, separator: str) -> None:
    assert not [each for each in cells(tmp_path, by, separator) if each.startswith("=")]


def test_texts_are_in_quotation_marks(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    name = added(place, submission(tmp_path)).standing.id
    header, row = Ranking.of(place).to_csv().splitlines()
    assert header.startswith('"rank","rank_low","rank_high","id","model","by","added","status",')
    assert header.endswith(
        '"agreement","agreement low","agreement high","agreement n_swallowed",'
        '"agreement (suite)","agreement (suite) n_swallowed","song","song n_swallowed"'
    )
    assert row.startswith(f'1,1,1,"{name}","words","A. Linguist","2026-01-02T03:04:05+00:00",')
    assert '"claimed","","","","true","",0.41' in row


def test_what_nobody_can_verify_is_listed_apart(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    added(place, submission(tmp_path, model("right", RIGHT)))
    hidden = replace(model("hidden", {"bark": 1.0}), reference="https://example.org")
    name = added(place, submission(tmp_path, hidden)).standing.id
    ranking = Ranking.of(place)
    assert [(row.name, row.rank, row.rank_range) for row in ranking.rows] == [
        ("right", 1, "1"),
        ("hidden", 0, "0"),
    ]
    assert [row.rank for row in Ranking.of(place, together=True).rows] == [1, 2]
    assert Ranking.write_site(place, tmp_path / "site") == 2
    shown = pages(tmp_path / "site")
    assert "Cannot be verified" in shown["index.html"].text
    assert "not ranked: cannot be verified" in "".join(shown[f"submissions/{name}.html"].text)
    # The keeper has it, after all.
    place.record_rerun(name, rescored(), model="dummy://", when=WHEN, by=KEEPER)
    assert [row.rank for row in Ranking.of(place).rows] == [1, 2]
    n_items = Ranking.of(place).n_items
    share = f"scored again on 2026-01-02 ({1 / n_items:.1%} of items)"
    Ranking.write_site(place, tmp_path / "site")
    assert pages(tmp_path / "site")["index.html"].text.count(share) == 1


def test_what_differed_when_it_was_scored_again_is_said(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    hidden = replace(model(), reference="https://example.org")
    name = added(place, submission(tmp_path, hidden)).standing.id
    found = rescored(1, "token 2 has other bits", bits=math.inf)
    place.record_rerun(name, found, model="https://example.org", when=WHEN, by=KEEPER)
    ranking = Ranking.of(place)
    # A model that has said something else is not one that was verified.
    assert [row.rank for row in ranking.rows] == [0]
    said = f"differed when scored again on 2026-01-02 ({1 / ranking.n_items:.1%} of items)"
    assert ranking.listed(ranking.rows[0]).evidence_words(ranking.n_items) == said
    (row,) = csv.DictReader(io.StringIO(ranking.to_csv()))
    assert (row["status"], row["scored_again_on"], row["differed_on"]) == ("differed", "", WHEN)
    board = place.board()
    (value,) = json.loads(ranking.to_json(place.entries(board, place.ledger(board))))["submissions"]
    assert (value["status"], value["scored_again"], value["rerun"]) == ("differed", None, None)
    assert value["differed"] == {
        "on": WHEN,
        "share": 1 / ranking.n_items,
        "n_items": 1,
        "n_sentences": 2,
        "n_tokens": 16,
        "largest_bits": None,
        "n_differences": 1,
    }
    Ranking.write_site(place, tmp_path / "site")
    shown = pages(tmp_path / "site")
    assert said in shown["index.html"].text
    page = "".join(shown[f"submissions/{name}.html"].text)
    assert said in page
    assert "2 sentences, 16 tokens, at most inf bits apart; 1 differ" in page


def test_swallowed_regions_are_counted_where_scores_are(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    added(place, submission(tmp_path, model("right", RIGHT)))

    def shown() -> tuple[str, str]:
        printed = io.StringIO()
        console = Console(width=200, file=printed)
        ranking = Ranking.of(place)
        console.print(ranking.table(ranking.rows))
        Ranking.write_site(place, tmp_path / "site")
        return printed.getvalue(), "".join(pages(tmp_path / "site")["index.html"].text)

    assert not any("swallowed" in each.casefold() for each in shown())
    text = "The dogs bark ."
    greedy = model("greedy")
    greedy.sentences = {
        text: ScoredSentence(
            text=text,
            tokens=(
                Token(text="The", start=0, end=3, surprisal_bits=1.0),
                Token(text="dogs bark", start=4, end=13, surprisal_bits=9.0),
                Token(text=".", start=14, end=15, surprisal_bits=1.0),
            ),
        )
    }
    name = added(place, submission(tmp_path, greedy)).standing.id
    ranking = Ranking.of(place)
    rows = {row["model"]: row for row in csv.DictReader(io.StringIO(ranking.to_csv()))}
    assert (rows["greedy"]["n_swallowed"], rows["right"]["n_swallowed"]) == ("1", "0")
    assert rows["greedy"]["song n_swallowed"] == "0"
    board = place.board()
    value = json.loads(ranking.to_json(place.entries(board, place.ledger(board))))
    (greedy_row,) = (each for each in value["submissions"] if each["id"] == name)
    assert greedy_row["n_swallowed"] == greedy_row["circuits"]["agreement"]["n_swallowed"] == 1
    assert greedy_row["n_swallowed_of_suites"] == {"agreement": 1, "song": 0}
    assert all("swallowed" in each.casefold() for each in shown())
    page = pages(tmp_path / "site")[f"submissions/{name}.html"]
    assert page.text.count("swallowed") == 2
    assert [*place.verified()] == []


def test_names_that_can_be_confused_are_flagged(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    cyrillic = "GP\N{CYRILLIC CAPITAL LETTER TE}-5"
    for name, bits in (("GPT-5", RIGHT), (cyrillic, {"bark": 1.0}), ("words", {})):
        added(place, submission(tmp_path, model(name, bits)))
    ids = {row.name: row.id for row in Ranking.of(place).rows}
    rows = csv.DictReader(io.StringIO(Ranking.of(place).to_csv()))
    assert {row["model"]: row["named_like"] for row in rows} == {
        "GPT-5": ids[cyrillic],
        cyrillic: ids["GPT-5"],
        "words": "",
    }
    Ranking.write_site(place, tmp_path / "site")
    links = [each["href"] for each in pages(tmp_path / "site")["index.html"].links()]
    assert links.count(f"submissions/{ids[cyrillic]}.html") == 2
    assert links.count(f"submissions/{ids['words']}.html") == 1


@pytest.mark.parametrize(
    ("one", "other", "are_confused"),
    [
        ("en-gpt2", "en-gpt2", True),
        ("GPT-5", "gpt 5", True),
        ("GPT-5", "\N{FULLWIDTH LATIN CAPITAL LETTER G}PT\N{EN DASH}5", True),
        ("Llama", "LIama", True),
        ("gemma", "gernrna", True),
        ("opt", "\N{CYRILLIC SMALL LETTER O}pt", True),
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe", True),
        ("pythia-1.4b", "pythia-14b", False),
        ("gpt2", "gpt3", False),
    ],
)
def test_which_names_are_taken_for_one_another(*, one: str, other: str, are_confused: bool) -> None:
    expected = {"a": ("b",), "b": ("a",)} if are_confused else {"a": (), "b": ()}
    assert confused({"a": one, "b": other}) == expected


def test_a_part_of_a_board_is_ranked_as_a_board_of_its_own(tmp_path: Path) -> None:
    hebrew = make_suite(BIRDS, FORMULAS, name="birds", circuit="birds", language="he")
    whole, part = (*SUITES, hebrew), SUITES
    (tmp_path / "whole").mkdir()
    (tmp_path / "part").mkdir()
    board = board_at(tmp_path / "whole", whole, circuit_weights={"birds": 5})
    alone = board_at(tmp_path / "part", part)
    for name, bits in (("words", {}), ("right", RIGHT), ("some", {"purrs": 1.0, "sing": 1.0})):
        path = submission(tmp_path, model(name, bits), whole)
        added(board, path)
        added(alone, path)
    pages, expected = (Ranking.of(each).pages(each) for each in (board, alone))
    found = pages.within(circuit="agreement")
    assert found.ranking.rows != pages.ranking.rows

    def shown(rows: tuple[Standing, ...]) -> list[object]:
        return [(each.id, each.rank, each.rank_range, each.total, each.suites) for each in rows]

    hashes = {each.sha256 for each in part}
    rows = [
        replace(row, suites={name: each for name, each in row.suites.items() if name in hashes})
        for row in found.ranking.rows
    ]
    assert shown(tuple(rows)) == shown(expected.ranking.rows)
    assert np.array_equal(found.comparisons.p, expected.comparisons.p, equal_nan=True)
    # What was computed before is as good.
    again = pages.within(circuit="agreement", before=found)
    assert again.ranking.standings.rows == found.ranking.standings.rows
    assert pages.within(language="he").ranking.board.suites[0].name == "birds"
    assert pages.within().ranking.rows == pages.ranking.rows
    with pytest.raises(UsageError, match="no suite of the board is of the circuit 'birds' and"):
        pages.within(circuit="birds", language="en")
    for name in pages.names:
        assert pages.text(name)
    with pytest.raises(KeyError):
        pages.text("submissions/none")
