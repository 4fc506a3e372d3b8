"""A board that is looked at: what its pages show, kept as long as its ledger has no new line.

What stands on them is the static site's (`pommel.leaderboard.pages`), with links of this server;
the server's own page stands around it.
"""

import io
import secrets
import threading
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pommel.errors import PommelError, counted
from pommel.leaderboard import BoardFolder, Event, Ledger, Pages, Places, Ranking
from pommel.serve.recent import Recent
from pommel.values import frozen

if TYPE_CHECKING:
    from markupsafe import Markup

# The title of a page of the static site in the first line, and what stands on it in the others.
_TITLE_AND_CONTENT = (
    "{% block title %}{{ board.name }}{% endblock %}{{ '\\n' }}{% block content %}{% endblock %}"
)
_PLACES = Places(
    root="/board/",
    ranking="/board",
    json="/board.json",
    submissions="/board/submissions/",
    suites="/board/suites/",
    ending="",
    upload="/board/submit#upload",
    suites_file="/board/suites.zip",
    has_ended=True,
)
# So many parts of pages are kept: each page of a board of some thousand submissions.
_MOST_KEPT = 4_000
# So long a request waits for a ranking by some of the suites.
_SECONDS_WAITED = 1.5


class NotReadyError(PommelError):
    """Something that is asked for takes longer than a request."""


@frozen
class Happened:
    """What was done with a submission, when (UTC), by whom ("" where that is not said), and why."""

    what: Literal["sent", "added", "superseded", "withdrawn", "scored again", "differed"]
    when: str
    by: str
    why: str = ""
    submission_id: str = ""
    sha256: str = ""


# What the lines of a ledger are called.
_KINDS: Mapping[str, Literal["added", "withdrawn", "scored again", "differed"]] = {
    "added": "added",
    "withdrawn": "withdrawn",
    "verified": "scored again",
    "differed": "differed",
}


@frozen(eq=False, slots=False)
class Shown:
    """A board after the last line of its ledger: what its pages show, each made once.

    `before` are the rankings by circuit and language after an earlier line: most of what was
    computed for these holds. Whoever computes one holds `ranking_lock`: one at a time.
    """

    place: BoardFolder
    pages: Pages
    ranking_lock: threading.Lock
    before: Mapping[tuple[str, str], Pages] = field(default_factory=dict)
    _parts: Recent[tuple[str, str, str], tuple["Markup", "Markup"]] = field(
        default_factory=lambda: Recent(_MOST_KEPT)
    )
    _within: Recent[tuple[str, str], Pages] = field(default_factory=lambda: Recent(64))
    _values: Recent[tuple[str, str], Mapping[str, Any]] = field(default_factory=lambda: Recent(64))
    _files: Recent[str, bytes] = field(default_factory=lambda: Recent(8))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _under_way: dict[tuple[str, str], threading.Event] = field(default_factory=dict)

    @property
    def ranking(self) -> Ranking:
        """The ranking by all suites."""
        return self.pages.ranking

    def within(self, circuit: str, language: str) -> Pages:
        """Return the pages by the suites of a circuit and a language, "" for any.

        Of large boards that takes many seconds once, which nobody's request waits for: raises
        `NotReadyError` until it is done.
        """
        board, key = self.ranking.board, (circuit, language)
        if len(Pages.parts(board, circuit, language)) == len(board.suites):
            return self.pages
        if known := self._within.made().get(key):
            return known
        with self._lock:
            done = self._under_way.get(key)
            if done is None:
                done = self._under_way[key] = threading.Event()
                threading.Thread(target=self._rank, args=(key, done), daemon=True).start()
        done.wait(_SECONDS_WAITED)
        if known := self._within.made().get(key):
            return known
        raise NotReadyError(
            "the ranking by these suites is being computed; look again in a few seconds"
        )

    def _rank(self, key: tuple[str, str], done: threading.Event) -> None:
        """Rank by some of the suites; one after another, so that there is time for pages."""
        circuit, language = key
        before = self.before.get(key)
        try:
            with self.ranking_lock:
                self._within.get(
                    key,
                    lambda: self.pages.within(circuit=circuit, language=language, before=before),
                )
        finally:
            with self._lock:
                del self._under_way[key]
            done.set()

    def rankings(self) -> Mapping[tuple[str, str], Pages]:
        """Return the rankings by circuit and language that were made so far, or before."""
        return {**self.before, **self._within.made()}

    def value(self, circuit: str, language: str) -> Mapping[str, Any]:
        """Return the ranking by the suites of a circuit and a language as JSON values."""
        pages = self.within(circuit, language)
        entries = [*pages.entries.values()]
        return self._values.get((circuit, language), lambda: pages.ranking.to_value(entries))

    def file(self, name: str, make: Callable[[], str]) -> bytes:
        """Return a file that goes with the pages, in UTF-8; it is made once."""
        # A stranger's text may hold half of a surrogate pair.
        return self._files.get(name, lambda: make().encode("utf-8", "replace"))

    @property
    def suites_zip(self) -> bytes:
        """An archive with the board's suites in a folder `suites`; the same for the same board."""

        def make() -> bytes:
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                pinned = self.ranking.board.suites
                for each, suite in zip(pinned, self.place.suites(self.ranking.board), strict=True):
                    # Without a time of its own, it has that of 1980.
                    archive.writestr(zipfile.ZipInfo(each.file), suite.to_text())
            return packed.getvalue()

        return self._files.get("suites.zip", make)

    def part(self, name: str, circuit: str = "", language: str = "") -> tuple["Markup", "Markup"]:
        """Return the title of a page of the static site, and what stands on it."""

        def make() -> tuple["Markup", "Markup"]:
            from markupsafe import Markup

            pages = self.within(circuit, language)
            text = pages.text(name, _PLACES, around=_TITLE_AND_CONTENT)
            title, _, content = text.encode("utf-8", "replace").decode().partition("\n")
            # Both were escaped where they were made.
            return Markup(title), Markup(content)  # noqa: S704

        return self._parts.get((name, circuit, language), make)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What submissions are called, by id; those that are not ranked any more, where kept."""
        ranking, entries = self.ranking, self.pages.entries
        found = {}
        for each in ranking.ledger.submissions.values():
            entry = entries.get(each.id) or self.place.kept_entry(each, ranking.board)
            if entry:
                found[each.id] = entry.name
        return found

    @cached_property
    def _lines(self) -> tuple[Event, ...]:
        return tuple(self.ranking.ledger.events())

    @cached_property
    def events(self) -> tuple[Happened, ...]:
        """What was done with submissions, the oldest first."""
        n_items = self.ranking.n_items
        return tuple(_happened(each, n_items) for each in self._lines if each.kind in _KINDS)

    def history(self, submission_id: str) -> list[Happened]:
        """Return what was done with a submission, the oldest first."""
        n_items = self.ranking.n_items
        return [
            _happened(each, n_items)
            if each.id == submission_id
            else Happened(
                what="superseded",
                when=each.when,
                by=each.by,
                why=f"{each.id} has taken its place",
                submission_id=submission_id,
                sha256=each.sha256,
            )
            for each in self._lines
            if each.is_about(submission_id)
        ]


def _happened(event: Event, n_items: int) -> Happened:
    """Return what a line of a ledger says; the board has so many items."""
    return Happened(
        what=_KINDS[event.kind],
        when=event.when,
        by=event.by,
        why=_why(event.kind, event.known, n_items),
        submission_id=event.id,
        sha256=event.sha256,
    )


def _why(kind: str, known: Mapping[str, Any], n_items: int) -> str:
    """Return what a line of a ledger says beside who and when."""
    if kind == "added":
        others = ", ".join(known["supersedes"])
        return f"in the place of {others}" if others else ""
    if kind == "withdrawn":
        return str(known["reason"])
    of_items = f"{known['n_items']} of {n_items} items, " if known.get("n_items") else ""
    bits = known["largest_bits"]
    apart = "infinitely far" if bits is None else f"at most {bits:.2g} bits"
    differ = f"; {counted(known['n_differences'], 'difference')}" if kind == "differed" else ""
    return (
        f"{of_items}{counted(known['n_sentences'], 'sentence')}, "
        f"{counted(known['n_tokens'], 'token')}, {apart} apart{differ}"
    )


class ShownBoard:
    """A board that is looked at, read again when its ledger has changed."""

    def __init__(self, folder: Path) -> None:
        self.place = BoardFolder(folder.absolute())
        # The ledger is read soon; what the pages show takes longer to make.
        self._ledgers: Recent[tuple[object, ...], Ledger] = Recent(1)
        self._added: Recent[str, Mapping[str, Event]] = Recent(1)
        self.ranking_lock = threading.Lock()
        self._lock = threading.Lock()
        self._latest: tuple[tuple[object, ...], Shown] | None = None

    @property
    def ledger(self) -> Ledger:
        """The ledger as it is now; raises `BoardError`."""
        return self._ledgers.get(self._mark(), lambda: self.place.ledger(self.place.board()))

    @property
    def added(self) -> Mapping[str, Event]:
        """The lines by which submissions were added, by the SHA-256 of their files."""
        ledger = self.ledger
        return self._added.get(
            ledger.head,
            lambda: {
                each.known["file_sha256"]: each for each in ledger.events() if each.kind == "added"
            },
        )

    @property
    def latest(self) -> Shown:
        """The board as it is now; raises `BoardError`."""
        with self._lock:
            mark = self._mark()
            if self._latest and self._latest[0] == mark:
                return self._latest[1]
            shown = Shown(
                place=self.place,
                pages=Ranking.of(self.place).pages(self.place),
                ranking_lock=self.ranking_lock,
                before=self._latest[1].rankings() if self._latest else {},
            )
            # Where the board has changed meanwhile, the mark is another one by now.
            self._latest = (mark, shown)
            return shown

    def part(self, name: str, circuit: str = "", language: str = "") -> tuple["Markup", "Markup"]:
        """Return the title of a page of the static site, and what stands on it, as they are now."""
        return self.latest.part(name, circuit, language)

    def _mark(self) -> tuple[object, ...]:
        """Return what is another one when the board is."""
        found: list[object] = []
        for path in (self.place.board_file, self.place.ledger_file):
            try:
                known = path.stat()
            except OSError:
                # Reading it says what is wrong.
                return (secrets.token_hex(8),)
            found += [known.st_mtime_ns, known.st_size, known.st_ino]
        return tuple(found)
