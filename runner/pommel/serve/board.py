"""The pages of a board: its ranking, submissions and suites, and what is new."""

import datetime as dt
import uuid
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any, Literal

from pommel.errors import printable
from pommel.leaderboard import Pages
from pommel.serve.shelf import NotShownError
from pommel.serve.shown_board import Happened, Shown, ShownBoard
from pommel.serve.site import Download, Nothing
from pommel.serve.uploads import Submissions
from pommel.values import frozen

_MOST_NEWS = 50
# The first columns and rows of the comparison of all with all; the CSV file has the rest.
_MOST_COMPARED = 60
_ID_DIGITS = 8


@frozen
class RankingAsked:
    """By which suites is ranked: those of a circuit, and in a language; "" for all."""

    circuit: str = ""
    language: str = ""


@frozen
class RankingShown:
    """The ranking, as the site's `leaderboard.json` has it, and what can be asked for."""

    asked: RankingAsked
    circuits: list[str]
    languages: list[str]
    board: Mapping[str, Any]
    ledger_sha256: str
    submissions: list[Mapping[str, Any]]
    ended: list[Mapping[str, Any]]


def ranking(board: ShownBoard, asked: RankingAsked) -> RankingShown:
    """The ranking of the board, by all suites or those of a circuit and a language."""
    shown = board.latest
    whole, value = shown.ranking.board, shown.value(asked.circuit, asked.language)
    languages = dict.fromkeys(each.language for each in whole.suites if each.language)
    return RankingShown(
        asked=asked, circuits=[*whole.circuits], languages=sorted(languages), **value
    )


@frozen
class PairShown:
    """How far the better of two that are ranked is from the other, and whether that is told.

    `p` is that of the better one's comparisons.
    """

    id: str
    other_id: str
    difference: float
    low: float
    high: float
    p: float
    are_told_apart: bool


@frozen
class ComparisonShown:
    """The first that are ranked, two by two; `n_ranked` there are."""

    n_ranked: int
    pairs: list[PairShown]


def comparison(board: ShownBoard, _asked: Nothing) -> ComparisonShown:
    """Which of those that are ranked are told apart, and which are not."""
    pages = board.latest.pages
    rows, found = pages.ranking.standings.rows, pages.comparisons
    first = rows[:_MOST_COMPARED]
    return ComparisonShown(
        n_ranked=len(rows),
        pairs=[
            PairShown(
                id=row.id,
                other_id=first[j].id,
                difference=float(found.difference[i, j]),
                low=float(found.low[i, j]),
                high=float(found.high[i, j]),
                p=float(found.p[i, j]),
                are_told_apart=bool(found.verdict(i, j)),
            )
            for i, row in enumerate(first)
            for j in range(i + 1, len(first))
        ],
    )


@frozen
class SubmissionShown:
    """A submission: what the ledger says of it, and, while it is ranked, what it comes to.

    `name` is "" where that is not kept of one that is not ranked any more.
    """

    id: str
    name: str
    status: Literal["ranked", "withdrawn", "superseded"]
    reason: str
    superseded_by: str
    ranked: Mapping[str, Any] | None
    history: list[Happened]


def submission(inbox: Submissions, _asked: Nothing, submission_id: str) -> SubmissionShown:
    """A submission: what is known of it, its scores, and its history."""
    shown = inbox.board.latest
    listed = shown.ranking.ledger.submissions.get(submission_id)
    if listed is None:
        raise NotShownError("there is no such submission on this board")
    history = shown.history(submission_id)
    if sent := inbox.sent_as(listed.file_sha256):
        history.insert(0, Happened(what="sent", when=sent.sent, by=sent.sent_by))
    entry = shown.pages.entries.get(submission_id)
    known = None
    if entry and listed.status == "ranked":
        row = next(each for each in shown.ranking.rows if each.id == submission_id)
        known = {**shown.ranking.known(row, entry), "url": entry.url, "note": entry.note}
    return SubmissionShown(
        id=submission_id,
        name=shown.names.get(submission_id, ""),
        status=listed.status,
        reason=listed.reason,
        superseded_by=listed.superseded_by,
        ranked=known,
        history=history,
    )


@frozen
class SuiteScore:
    """What a submission comes to on a suite."""

    id: str
    model: str
    score: float
    low: float
    high: float
    n_swallowed: int


@frozen
class PinnedShown:
    """A suite of the board, and what all come to on it, the best first.

    `chance` is null where it is not known.
    """

    key: str
    name: str
    circuit: str
    language: str
    version: str
    sha256: str
    n_items: int
    chance: float
    scores: list[SuiteScore]


def pinned(board: ShownBoard, _asked: Nothing, key: str) -> PinnedShown:
    """A suite of the board: what it tests, and the scores of all."""
    pages = board.latest.pages
    for suite, example in zip(pages.ranking.board.suites, pages.examples, strict=True):
        if Pages.suite_key(suite) == key:
            return PinnedShown(
                key=key,
                name=suite.name,
                circuit=suite.circuit,
                language=suite.language,
                version=suite.version,
                sha256=suite.sha256,
                n_items=suite.n_items,
                chance=example.chance,
                scores=[
                    SuiteScore(
                        id=each.row.id,
                        model=each.row.name,
                        score=each.score,
                        low=each.interval.low,
                        high=each.interval.high,
                        n_swallowed=each.n_swallowed,
                    )
                    for each in pages.on_suite(suite)
                ],
            )
    raise NotShownError("there is no such suite on this board")


def ranking_csv(board: ShownBoard, _asked: Nothing) -> Download:
    """The ranking as CSV."""
    shown = board.latest
    return _csv("leaderboard.csv", shown.file("leaderboard.csv", shown.ranking.to_csv))


def pairs_csv(board: ShownBoard, _asked: Nothing) -> Download:
    """All pairs of those that are ranked as CSV."""
    shown = board.latest
    return _csv("pairs.csv", shown.file("pairs.csv", shown.pages.pairs_csv))


def _csv(name: str, content: bytes) -> Download:
    return Download(name=name, content=content, media_type="text/csv")


def suites_zip(board: ShownBoard, _asked: Nothing) -> Download:
    """The suites of the board, to run a model on."""
    content = board.latest.suites_zip
    return Download(name="suites.zip", content=content, media_type="application/zip")


def board_style(_board: ShownBoard, _asked: Nothing) -> Download:
    """What pages of the board look like."""
    return Download(
        name="", content=Pages.file("style.css").encode(), media_type="text/css; charset=utf-8"
    )


def board_script(_board: ShownBoard, _asked: Nothing) -> Download:
    """What makes tables of the board sortable."""
    return Download(name="", content=Pages.file("tables.js").encode(), media_type="text/javascript")


# What is new.


@frozen
class NewsItem:
    """Something that was done with a submission; `id` is the same for ever, and everywhere."""

    id: str
    url: str
    title: str
    content_text: str
    date_published: str


@frozen
class News:
    """What is new on a board, the newest first: a JSON Feed (https://jsonfeed.org/version/1.1)."""

    version: str
    title: str
    home_page_url: str
    feed_url: str
    language: str
    items: list[NewsItem]


def news(board: ShownBoard, _asked: Nothing, *, base: str) -> News:
    """What is new on the board: added, withdrawn, scored again. Its JSON is a JSON Feed."""
    shown = board.latest
    latest = [*reversed(shown.events)][:_MOST_NEWS]
    return News(
        version="https://jsonfeed.org/version/1.1",
        title=shown.ranking.board.name,
        home_page_url=f"{base}/board",
        feed_url=f"{base}/board/feed.json",
        language="en",
        items=[_item(shown, each, base) for each in latest],
    )


def _item(shown: Shown, event: Happened, base: str) -> NewsItem:
    name = shown.names.get(event.submission_id, event.submission_id[:_ID_DIGITS])
    entry = shown.pages.entries.get(event.submission_id)
    said_by = f" by {entry.by}" if entry and event.what == "added" else ""
    did = f"{event.what} by {event.by}" if event.by else event.what
    return NewsItem(
        # Who writes another server's address writes the same one.
        id=uuid.uuid5(uuid.NAMESPACE_OID, event.sha256).urn,
        url=f"{base}/board/submissions/{event.submission_id}",
        title=printable(f"{name}{said_by}: {event.what}"),
        content_text=printable(f"{did}{f': {event.why}' if event.why else ''}"),
        date_published=_rfc3339(event.when),
    )


def _rfc3339(when: str) -> str:
    """Return a time of a ledger as feeds have it (RFC 3339); one without a zone is UTC."""
    moment = dt.datetime.fromisoformat(when)
    return moment.replace(tzinfo=moment.tzinfo or dt.UTC).isoformat(timespec="seconds")


_ATOM = "http://www.w3.org/2005/Atom"
_A_PAGE = {"rel": "alternate", "type": "text/html"}


def atom(board: ShownBoard, _asked: Nothing, *, base: str) -> Download:
    """What is new on the board, as an Atom feed (RFC 4287)."""
    said = news(board, Nothing(), base=base)
    created = next(board.latest.ranking.ledger.events())
    feed = ET.Element("feed", {"xmlns": _ATOM, "xml:lang": "en"})
    _put(feed, "id", uuid.uuid5(uuid.NAMESPACE_OID, created.sha256).urn)
    _put(feed, "title", printable(said.title))
    _put(feed, "updated", said.items[0].date_published if said.items else _rfc3339(created.when))
    ET.SubElement(feed, "link", {"rel": "self", "href": f"{base}/board/feed.atom"})
    ET.SubElement(feed, "link", {**_A_PAGE, "href": said.home_page_url})
    _put(ET.SubElement(feed, "author"), "name", printable(said.title))
    for item in said.items:
        entry = ET.SubElement(feed, "entry")
        _put(entry, "id", item.id)
        _put(entry, "title", item.title)
        _put(entry, "updated", item.date_published)
        ET.SubElement(entry, "link", {**_A_PAGE, "href": item.url})
        ET.SubElement(entry, "content", {"type": "text"}).text = item.content_text
    text = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return Download(name="", content=text, media_type="application/atom+xml; charset=utf-8")


def _put(parent: ET.Element, tag: str, text: str) -> None:
    ET.SubElement(parent, tag).text = text
