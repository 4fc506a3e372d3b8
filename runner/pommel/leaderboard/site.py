"""A board's ranking as it is shown: a table, CSV and JSON, and a static site.

The pages of the site need no scripts and fetch nothing.
"""

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pommel.errors import PommelError, UsageError, printable
from pommel.files import replacing
from pommel.leaderboard.board import Board
from pommel.leaderboard.entry import Entry
from pommel.leaderboard.folder import BoardFolder
from pommel.leaderboard.ledger import Ledger, Rerun
from pommel.leaderboard.names import confused
from pommel.leaderboard.standings import Scored, Standing, Standings
from pommel.statistics import ALPHA

if TYPE_CHECKING:
    from jinja2 import Environment
    from rich.table import Table


# What of a time is its date.
DATE = 10

# Blanks, and what is not seen: some spreadsheets pass over it.
_UNSEEN = r"\s\u00ad\u061c\u115f\u1160\u200b-\u200f\u2060\u2800\u3164\ufe0f\ufeff\uffa0"
# With one of these (=, +, -, @; small, of full width, the sign of minus), a text is a formula.
_SIGNS = r"=+\-@\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20\u2212\t\r"
# At the beginning of a text, or of what is a cell of its own to those who do not take commas.
_FORMULA = re.compile(rf"(^|[;|\t])(?=[{_UNSEEN}]*[{_SIGNS}])")


@dataclass(frozen=True, slots=True, kw_only=True)
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

    def evidence(self, row: Standing) -> str:
        """Say what a submission's numbers rest on: a claim, or what was scored again."""
        return self.ledger.submissions[row.id].evidence_words(self.n_items)

    @property
    def is_swallowed(self) -> bool:
        """Whether a region with content has no token of its own in any submission."""
        return any(row.total.n_swallowed for row in self.rows)

    def confused(self) -> dict[str, tuple[str, ...]]:
        """Return the ids of those that each could be taken for by its name."""
        return confused({row.id: row.name for row in self.rows})

    @classmethod
    def write_site(cls, place: BoardFolder, folder: Path, *, together: bool = False) -> int:
        """Write a board as a site, and return how many submissions have a page.

        The same board gives the same bytes. `folder` has to be new, empty, or a site that was
        written before, whose pages of submissions that are no longer ranked are deleted. Raises
        `UsageError` for another folder, and `PommelError` without the extra `plots` or where
        nothing can be written.
        """
        environment = _environment()
        if folder.exists() and (not folder.is_dir() or _is_others(folder)):
            raise UsageError(f"{folder}: holds other files; a site needs a folder of its own")
        ranking = cls.of(place, together=together)
        board, ledger, standings = ranking.board, ranking.ledger, ranking.standings
        ranked = place.entries(board, ledger)
        entries = {each.id: each for each in ranked}
        shared: dict[str, Any] = {"board": board, "ledger": ledger, "standings": standings}
        shared |= {"n_items": ranking.n_items, "confused": ranking.confused()}
        shared |= {"is_swallowed": ranking.is_swallowed}
        pages = dict(_pages(environment, shared, entries))
        # The mark comes first: what follows may be written over, should it be cut short.
        _write(folder / MARK, ranking.to_json(ranked))
        _write(folder / "leaderboard.csv", ranking.to_csv())
        _write(folder / "style.css", _source(environment, "style.css"))
        for name, text in pages.items():
            _write(folder / name, text)
        for path in sorted((folder / _PAGES).glob("*.html")):
            if f"{_PAGES}/{path.name}" not in pages:
                path.unlink()
        return len(ranking.rows)

    def table(self, rows: Sequence[Standing]) -> "Table":
        """Return one row a submission: of some that are ranked, or of some that are not."""
        from rich.table import Table  # noqa: PLC0415 - `import pommel` stays fast without it

        name, is_ranked = printable(self.board.name), all(row.rank for row in rows)
        apart = f"{name}: listed apart, for nobody else can have the models' weights"
        table = Table(title=name if is_ranked else apart)
        for name in ("rank", "ranks", "score"):
            table.add_column(name, justify="right", no_wrap=True)
        for name in ("model", "by"):
            table.add_column(name)
        if len(self.board.circuits) > 1:
            for name in self.board.circuits:
                table.add_column(printable(name), justify="right")
        if self.is_swallowed:
            table.add_column("swallowed", justify="right")
        table.add_column("added", no_wrap=True)
        table.add_column("status")
        table.add_column("id", no_wrap=True)
        alike = self.confused()
        for row in rows:
            circuits = [f"{row.circuits[name].score:.3f}" for name in self.board.circuits]
            listed = self.ledger.submissions[row.id]
            taken_for = f" (named like {', '.join(alike[row.id])})" if alike[row.id] else ""
            table.add_row(
                str(row.rank or "-"),
                row.rank_range if row.rank else "-",
                row.total.words,
                f"{printable(row.name)}{taken_for}",
                printable(row.by),
                *(circuits if len(self.board.circuits) > 1 else ()),
                *([str(row.total.n_swallowed)] if self.is_swallowed else []),
                listed.added[:DATE],
                self.evidence(row),
                row.id,
            )
        return table

    def to_csv(self) -> str:
        """Return one line a submission, with the scores of circuits and suites in columns.

        Texts are in quotation marks. One that a spreadsheet would take for a formula has an
        apostrophe in front of that, also behind a semicolon, a tab or a bar: there, too, some begin
        a cell. What is listed apart has no ranks, and comes last.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        fixed = (
            "rank",
            "rank_low",
            "rank_high",
            "id",
            "model",
            "by",
            "added",
            "status",
            "scored_again_on",
            "scored_again_share",
            "differed_on",
            "weights_available",
            "named_like",
            "score",
            "low",
            "high",
            "n_swallowed",
        )
        parts = ("", "low", "high", "n_swallowed")
        circuits = [f"{name} {part}".strip() for name in self.board.circuits for part in parts]
        suites = [
            f"{each.name} {part}".strip() for each in self.board.suites for part in ("", parts[-1])
        ]
        header = [*fixed, *circuits, *suites]
        writer.writerow([_cell(each) for each in header])
        alike = self.confused()
        for row in self.rows:
            listed = self.ledger.submissions[row.id]
            again = _scored_again(listed.agreed, self.n_items)
            known = (
                *(_ranks(row).values()),
                *(row.id, _cell(row.name), _cell(row.by), listed.added),
                *(listed.evidence, again.get("on"), again.get("share")),
                listed.differed.when if listed.differed else None,
                *(str(row.is_available).lower(), " ".join(alike[row.id])),
            )
            scores = [row.total, *(row.circuits[name] for name in self.board.circuits)]
            numbers = [number for each in scores for number in _score(each).values()]
            of_suites = [
                number
                for each in self.board.suites
                for number in (row.suites[each.sha256], row.n_swallowed[each.sha256])
            ]
            writer.writerow([*known, *numbers, *of_suites])
        return text.getvalue()

    def to_json(self, entries: Sequence[Entry]) -> str:
        """Return the board and its ranking, and what is on it no longer; `entries`: all ranked."""
        known = {each.id: each for each in entries}
        alike = self.confused()
        submissions = [
            {
                **_ranked(self.board, self.ledger, row, known[row.id]),
                "named_like": list(alike[row.id]),
            }
            for row in self.rows
        ]
        ended = [
            {
                "id": each.id,
                "status": each.status,
                "added": each.added,
                "ended": each.ended,
                "reason": each.reason or None,
                "superseded_by": each.superseded_by or None,
            }
            for each in self.ledger.submissions.values()
            if each.status != "ranked"
        ]
        value = {
            "board": self.board.to_dict(),
            "ledger_sha256": self.ledger.head,
            "submissions": submissions,
            "ended": ended,
        }
        return f"{json.dumps(value, ensure_ascii=False, indent=1)}\n"


def _cell(text: str) -> str:
    return _FORMULA.sub(r"\1'", text)


def _ranks(row: Standing) -> dict[str, int | None]:
    names = ("rank", "rank_low", "rank_high")
    return {name: getattr(row, name) if row.rank else None for name in names}


def _scored_again(rerun: Rerun | None, n_items: int) -> dict[str, Any]:
    """Return when and how much the model has scored again, nothing where it has not."""
    if rerun is None:
        return {}
    return {
        "on": rerun.when,
        "share": None if rerun.n_items is None else rerun.n_items / n_items,
        "n_items": rerun.n_items,
        "n_sentences": rerun.n_sentences,
        "n_tokens": rerun.n_tokens,
        "largest_bits": rerun.largest_bits if math.isfinite(rerun.largest_bits) else None,
        "n_differences": rerun.n_differences,
    }


def _ranked(board: Board, ledger: Ledger, row: Standing, entry: Entry) -> dict[str, Any]:
    listed = ledger.submissions[row.id]
    n_items = sum(each.n_items for each in board.suites)
    return {
        **_ranks(row),
        "id": row.id,
        "model": row.name,
        "by": row.by,
        "reference": entry.model["reference"],
        "image_digest": entry.image_digest,
        "added": listed.added,
        "listed_apart": not row.rank,
        "weights_available": row.is_available,
        "status": listed.evidence,
        "scored_again": _scored_again(listed.agreed, n_items) or None,
        "differed": _scored_again(listed.differed, n_items) or None,
        "rerun": listed.agreed.when if listed.agreed else None,
        "file_sha256": listed.file_sha256,
        **_score(row.total),
        "circuits": {name: _score(row.circuits[name]) for name in board.circuits},
        "suites": {each.name: row.suites[each.sha256] for each in board.suites},
        "n_swallowed_of_suites": {each.name: row.n_swallowed[each.sha256] for each in board.suites},
    }


def _score(scored: Scored) -> dict[str, float]:
    names = ("score", "low", "high", "n_swallowed")
    return {name: getattr(scored, name) for name in names}


# By this file a folder is known as one that may be written over.
MARK = "leaderboard.json"
_PAGES = "submissions"

# The plots of scores, in pixels, and how much room there is beside the axis.
_PLOT_WIDTH, _PLOT_MARGIN = 150, 6
_LINKS = ("https://", "http://")
# A page names so many submissions that it cannot be told from.
_MOST_NAMED = 40


def _pages(
    environment: "Environment",
    shared: Mapping[str, Any],
    entries: Mapping[str, Entry],
) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each page."""
    standings: Standings = shared["standings"]
    ledger = shared["ledger"]
    rows = (*standings.rows, *standings.apart)
    low = min([row.total.low for row in rows], default=0.0)
    high = max([row.total.high for row in rows], default=1.0)
    ended = [each for each in ledger.submissions.values() if each.status != "ranked"]
    index = environment.get_template("index.html.j2")
    yield (
        "index.html",
        index.render(shared, entries=entries, ended=ended, plot=_plot_on(low, high), root=""),
    )
    page = environment.get_template("submission.html.j2")
    alike = _alike(standings)
    for row in rows:
        entry, own = entries[row.id], alike.get(row.id, [])
        known = {"row": row, "entry": entry, "listed": ledger.submissions[row.id]}
        yield (
            f"{_PAGES}/{row.id}.html",
            page.render(
                shared,
                **known,
                alike=own[:_MOST_NAMED],
                n_alike=len(own),
                facts=_facts(entry),
                plot=_plot_on(0.0, 1.0),
                link=entry.url if entry.url.startswith(_LINKS) else "",
                root="../",
            ),
        )


def _alike(standings: Standings) -> dict[str, list[Standing]]:
    """Return for each that is ranked those that it cannot be told from, the best first."""
    rows = standings.rows
    differs = standings.pairs.of([row.id for row in rows]).adjusted() < ALPHA
    return {
        row.id: [other for other, is_other in zip(rows, own, strict=True) if not is_other]
        for row, own in zip(rows, differs | np.eye(len(rows), dtype=bool), strict=True)
    }


def _facts(entry: Entry) -> list[tuple[str, str]]:
    """Return what is known of a submission's model, and how it was scored."""
    model = entry.model
    n_parameters = model.get("n_parameters")
    policy = ", ".join(
        f"{name} {each}" for name, each in sorted(entry.policy.items()) if name != "fingerprint"
    )
    facts = [
        ("model", str(model["reference"])),
        ("kind", str(model["kind"])),
        ("revision", str(model.get("revision") or "")),
        ("image", entry.image_digest or ""),
        ("parameters", "" if n_parameters is None else f"{n_parameters:,}"),
        ("fingerprint", str(model["fingerprint"])),
        ("policy", policy),
        ("tokens", f"{entry.n_tokens:,}"),
        ("runs made", entry.created[:DATE]),
        ("packed by", f"pommel {entry.pommel}"),
    ]
    return [(term, text) for term, text in facts if text]


def _plot_on(low: float, high: float) -> Any:
    """Return what turns a score into the places of its marks on an axis from low to high."""
    span = (high - low) or 1.0
    inner = _PLOT_WIDTH - 2 * _PLOT_MARGIN

    def place(value: float) -> str:
        return f"{_PLOT_MARGIN + inner * (value - low) / span:.1f}"

    def plot(scored: Scored) -> dict[str, str]:
        marks = {"low": scored.low, "score": scored.score, "high": scored.high}
        return {**{name: place(each) for name, each in marks.items()}, "width": str(_PLOT_WIDTH)}

    return plot


def _is_others(folder: Path) -> bool:
    return any(folder.iterdir()) and not (folder / MARK).is_file()


def _environment() -> "Environment":
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - an extra
    except ImportError:
        raise PommelError("the site needs the plots extra: pip install 'pommel[plots]'") from None
    environment = Environment(
        loader=PackageLoader("pommel.leaderboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"share": "{:.3f}".format, "date": lambda text: text[:DATE]}
    return environment


def _source(environment: "Environment", name: str) -> str:
    assert environment.loader  # noqa: S101 - it was made with one
    return environment.loader.get_source(environment, name)[0]


def _write(path: Path, text: str) -> None:
    # A stranger's text may hold half of a surrogate pair.
    with replacing(path) as aside:
        aside.write_bytes(text.encode("utf-8", "replace"))
