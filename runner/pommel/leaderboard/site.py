"""A board's ranking as it is shown: a table, CSV and JSON, and a static site.

The pages of the site can be read without scripts, and fetch nothing.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pommel.errors import UsageError, printable
from pommel.files import CsvTable, replacing
from pommel.leaderboard.board import Board
from pommel.leaderboard.entry import Entry
from pommel.leaderboard.folder import BoardFolder, written_name
from pommel.leaderboard.ledger import Ledger, Listed, Rerun
from pommel.leaderboard.names import confused
from pommel.leaderboard.pages import DATE, PLACES, Pages, csv_text
from pommel.leaderboard.standings import Scored, Standing, Standings
from pommel.values import frozen

if TYPE_CHECKING:
    from rich.table import Table


@frozen(slots=False)
class Ranking:
    """The ranking of a board as it is shown: to people as a table, to programs as CSV and JSON."""

    board: Board
    ledger: Ledger
    standings: Standings

    @classmethod
    def of(cls, place: BoardFolder, *, together: bool = False) -> "Ranking":
        """Read the ranking of a board; raises `BoardError`.

        Those whose weights nobody can have and no keeper has had are listed apart, unless all are
        to be ranked `together`.
        """
        board = place.board()
        ledger = place.ledger(board)
        standings = place.standings(board, ledger)
        apart = {
            row.id
            for row in standings.rows
            if not (together or row.is_available)
            and ledger.submissions[row.id].evidence != "scored again"
        }
        if apart:
            standings = standings.setting_apart(apart)
        return cls(board=board, ledger=ledger, standings=standings)

    @property
    def rows(self) -> tuple[Standing, ...]:
        """All submissions, first those that are ranked."""
        return (*self.standings.rows, *self.standings.apart)

    @property
    def n_items(self) -> int:
        """How many items the board has."""
        return sum(each.n_items for each in self.board.suites)

    @property
    def is_swallowed(self) -> bool:
        """Whether a region with content has no token of its own in any submission."""
        return any(row.total.n_swallowed for row in self.rows)

    def listed(self, row: Standing) -> Listed:
        """Return what the ledger says of a submission."""
        return self.ledger.submissions[row.id]

    @cached_property
    def confused(self) -> dict[str, tuple[str, ...]]:
        """The ids of those that each could be taken for by its name, by its id."""
        return confused({row.id: row.name for row in self.rows})

    def table(self, rows: Sequence[Standing]) -> "Table":
        """Return one row a submission: of some that are ranked, or of some that are not."""
        from rich.table import Table

        name = printable(self.board.name)
        circuits = list(self.board.circuits) if len(self.board.circuits) > 1 else []
        if not all(row.rank for row in rows):
            name += ": listed apart, for nobody else can have the models' weights"
        table = Table(title=name)
        for name in ("rank", "ranks", "score"):
            table.add_column(name, justify="right", no_wrap=True)
        for name in ("model", "by"):
            table.add_column(name)
        for name in [*map(printable, circuits), *(["swallowed"] if self.is_swallowed else [])]:
            table.add_column(name, justify="right")
        table.add_column("added", no_wrap=True)
        table.add_column("status")
        table.add_column("id", no_wrap=True)
        for row in rows:
            listed = self.listed(row)
            alike = ", ".join(self.confused[row.id])
            taken_for = f" (named like {alike})" if alike else ""
            table.add_row(
                str(row.rank or "-"),
                row.rank_range if row.rank else "-",
                row.total.words,
                f"{printable(row.name)}{taken_for}",
                printable(row.by),
                *(f"{row.circuits[name].score:.3f}" for name in circuits),
                *([str(row.total.n_swallowed)] if self.is_swallowed else []),
                listed.added[:DATE],
                listed.evidence_words(self.n_items),
                row.id,
            )
        return table

    def to_csv(self) -> str:
        """Return one line a submission, with the columns of `to_rows`.

        Texts are in quotation marks. One that a spreadsheet would take for a formula has an
        apostrophe in front of that, also behind a semicolon, a tab or a bar: there, too, some begin
        a cell.
        """
        columns = self._columns()
        return csv_text(
            map(_csv_cell, line) for line in (columns, *zip(*columns.values(), strict=True))
        )

    def to_rows(self) -> list[dict[str, object]]:
        """Return one row a submission, with the scores of circuits and suites in columns.

        What is listed apart has no ranks, and comes last.
        """
        columns = self._columns()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _columns(self) -> dict[str, list[object]]:
        rows = self.rows
        listed = [self.listed(row) for row in rows]
        again = [_scored_again(each.agreed, self.n_items) or {} for each in listed]
        columns: dict[str, list[object]] = {
            **{name: [getattr(row, name) or None for row in rows] for name in _RANKS},
            "id": [row.id for row in rows],
            "model": [row.name for row in rows],
            "by": [row.by for row in rows],
            "added": [each.added for each in listed],
            "status": [each.evidence for each in listed],
            **{f"scored_again_{name}": [each.get(name) for each in again] for name in _AGAIN},
            "differed_on": [each.differed and each.differed.when for each in listed],
            "weights_available": [row.is_available for row in rows],
            "named_like": [" ".join(self.confused[row.id]) for row in rows],
            **{name: [getattr(row.total, name) for row in rows] for name in _SCORE},
        }
        for circuit in self.board.circuits:
            title = f"{circuit} (circuit)" if circuit in columns else circuit
            for name in _SCORE:
                own = title if name == "score" else f"{title} {name}"
                columns[own] = [getattr(row.circuits[circuit], name) for row in rows]
        for suite in self.board.suites:
            # A circuit and a suite may be called alike.
            title = f"{suite.name} (suite)" if suite.name in columns else suite.name
            columns[title] = [row.suites[suite.sha256] for row in rows]
            columns[f"{title} n_swallowed"] = [row.n_swallowed[suite.sha256] for row in rows]
        return columns

    def pages(self, place: BoardFolder) -> Pages:
        """Return what the pages of a site show; raises `BoardError`."""
        entries = place.entries(self.board, self.ledger)
        return Pages(
            ranking=self,
            entries={each.id: each for each in entries},
            examples=place.examples(self.board),
        )

    def to_json(self, entries: Sequence[Entry]) -> str:
        """Return `to_value` as text."""
        return f"{json.dumps(self.to_value(entries), ensure_ascii=False, indent=1)}\n"

    def to_value(self, entries: Sequence[Entry]) -> dict[str, object]:
        """Return the board and its ranking, and what is on it no longer; `entries`: all ranked."""
        known = {each.id: each for each in entries}
        return {
            "board": self.board.to_dict(),
            "ledger_sha256": self.ledger.head,
            "submissions": [
                {**self.known(row, known[row.id]), "named_like": list(self.confused[row.id])}
                for row in self.rows
            ],
            "ended": [
                {name: getattr(each, name) or None for name in _ENDED} for each in self.ledger.ended
            ],
        }

    def known(self, row: Standing, entry: Entry) -> dict[str, object]:
        """Return what is known of a submission, as JSON values."""
        listed, suites = self.listed(row), self.board.suites
        return {
            **{name: getattr(row, name) or None for name in _RANKS},
            "id": row.id,
            "model": row.name,
            "by": row.by,
            "reference": entry.model["reference"],
            "image_digest": entry.image_digest,
            "added": listed.added,
            "listed_apart": not row.rank,
            "weights_available": row.is_available,
            "status": listed.evidence,
            "scored_again": _scored_again(listed.agreed, self.n_items),
            "differed": _scored_again(listed.differed, self.n_items),
            "rerun": listed.agreed.when if listed.agreed else None,
            "file_sha256": listed.file_sha256,
            **asdict(row.total),
            "circuits": {name: asdict(row.circuits[name]) for name in self.board.circuits},
            "suites": {each.name: row.suites[each.sha256] for each in suites},
            "n_swallowed_of_suites": {each.name: row.n_swallowed[each.sha256] for each in suites},
        }

    @classmethod
    def write_site(cls, place: BoardFolder, folder: Path, *, together: bool = False) -> int:
        """Write a board as a site, and return how many submissions have a page.

        The same board gives the same bytes. `folder` has to be new, empty, or a site that was
        written before, whose pages of submissions that are no longer ranked are deleted. Raises
        `UsageError` for another folder, and `PommelError` without the extra `plots` or where
        nothing can be written.
        """
        style = Pages.file("style.css")
        inside = folder.iterdir() if folder.is_dir() else iter([folder] if folder.exists() else [])
        is_free = (folder / MARK).is_file() or all(written_name(each) == MARK for each in inside)
        if not is_free:
            raise UsageError(f"{folder}: holds other files; a site needs a folder of its own")
        ranking = cls.of(place, together=together)
        pages = ranking.pages(place)
        entries = [*pages.entries.values()]
        files = {
            # The mark comes first: what follows may be written over, should it be cut short.
            MARK: ranking.to_json(entries),
            "leaderboard.csv": ranking.to_csv(),
            "pairs.csv": pages.pairs_csv(),
            "style.css": style,
            **{f"{each}.html": pages.text(each) for each in pages.names},
        }
        for name, text in files.items():
            # A stranger's text may hold half of a surrogate pair.
            with replacing(folder / name) as aside:
                aside.write_bytes(text.encode("utf-8", "replace"))
        written = {folder / name for name in files}
        for path in (path for place in PLACES for path in (folder / place).glob("*")):
            # Of an export that was killed, the beginning of a file may be here.
            whole = path.with_name(written_name(path) or path.name)
            is_page = path.parent != folder and whole.suffix == ".html"
            if path not in written and (is_page or whole in written):
                path.unlink()
        return len(ranking.rows)


def _csv_cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return CsvTable.spreadsheet_cell(value) if isinstance(value, str) else value


_AGAIN = ("on", "share")
_RANKS = ("rank", "rank_low", "rank_high")
_ENDED = ("id", "status", "added", "ended", "reason", "superseded_by")
_SCORE = tuple(each.name for each in fields(Scored))

# By this file a folder is known as one that may be written over.
MARK = "leaderboard.json"


def _scored_again(rerun: Rerun | None, n_items: int) -> dict[str, object] | None:
    """Return when and how much the model has scored again, None where it has not."""
    if rerun is None:
        return None
    return {
        "on": rerun.when,
        "share": None if rerun.n_items is None else rerun.n_items / n_items,
        "n_items": rerun.n_items,
        "n_sentences": rerun.n_sentences,
        "n_tokens": rerun.n_tokens,
        "largest_bits": rerun.largest_bits if math.isfinite(rerun.largest_bits) else None,
        "n_differences": rerun.n_differences,
    }
