"""A board's ranking as a table for people, as rows, and as JSON."""

import csv
import io
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pommel.errors import printable
from pommel.leaderboard.board import Board
from pommel.leaderboard.entry import Entry
from pommel.leaderboard.ledger import Ledger
from pommel.leaderboard.standings import Scored, Standing, Standings

if TYPE_CHECKING:
    from rich.table import Table

# What of a time is its date.
DATE = 10

# Blanks, and what is not seen: some spreadsheets pass over it.
_UNSEEN = r"\s\u00ad\u061c\u115f\u1160\u200b-\u200f\u2060\u2800\u3164\ufe0f\ufeff\uffa0"
# With one of these (=, +, -, @; small, of full width, the sign of minus), a text is a formula.
_SIGNS = r"=+\-@\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20\u2212\t\r"
# At the beginning of a text, or of what is a cell of its own to those who do not take commas.
_FORMULA = re.compile(rf"(^|[;|\t])(?=[{_UNSEEN}]*[{_SIGNS}])")


def ranking_table(board: Board, ledger: Ledger, rows: Sequence[Standing]) -> "Table":
    """Return one row a submission, the best first."""
    from rich.table import Table  # noqa: PLC0415 - `import pommel` stays fast without it

    table = Table(title=printable(board.name))
    for name in ("rank", "ranks", "score"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("model", "by"):
        table.add_column(name)
    if len(board.circuits) > 1:
        for name in board.circuits:
            table.add_column(printable(name), justify="right")
    for name in ("added", "rerun", "id"):
        table.add_column(name, no_wrap=True)
    for row in rows:
        circuits = [f"{each.score:.3f}" for each in row.circuits.values()]
        listed = ledger.submissions[row.id]
        table.add_row(
            str(row.rank),
            rank_range(row),
            score_words(row.total),
            printable(row.name),
            printable(row.by),
            *(circuits if len(board.circuits) > 1 else ()),
            listed.added[:DATE],
            listed.rerun.when[:DATE] if listed.rerun else "",
            row.id,
        )
    return table


def rank_range(row: Standing) -> str:
    """Return the ranks that a submission may truly have."""
    if row.rank_low == row.rank_high:
        return str(row.rank_low)
    return f"{row.rank_low}-{row.rank_high}"


def score_words(scored: Scored) -> str:
    """Return a score with its interval."""
    return f"{scored.score:.3f} [{scored.low:.3f}, {scored.high:.3f}]"


def to_csv(board: Board, ledger: Ledger, standings: Standings) -> str:
    """Return one line a submission, with the scores of circuits and suites in columns.

    Texts are in quotation marks. One that a spreadsheet would take for a formula has an apostrophe
    in front of that, also behind a semicolon, a tab or a bar: there, too, some begin a cell.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    fixed = ("rank", "rank_low", "rank_high", "id", "model", "by", "added", "score", "low", "high")
    circuits = [f"{name} {part}".strip() for name in board.circuits for part in ("", "low", "high")]
    header = [*fixed, *circuits, *(each.name for each in board.suites)]
    writer.writerow([_cell(each) for each in header])
    for row in standings.rows:
        known = (
            *(row.rank, row.rank_low, row.rank_high, row.id, _cell(row.name), _cell(row.by)),
            ledger.submissions[row.id].added,
        )
        scores = [row.total, *(row.circuits[name] for name in board.circuits)]
        numbers = [number for each in scores for number in (each.score, each.low, each.high)]
        writer.writerow([*known, *numbers, *(row.suites[each.sha256] for each in board.suites)])
    return text.getvalue()


def to_json(board: Board, ledger: Ledger, standings: Standings, entries: Sequence[Entry]) -> str:
    """Return the board and its ranking, and what is on it no longer; `entries` are all ranked."""
    known = {each.id: each for each in entries}
    submissions = [_ranked(board, ledger, row, known[row.id]) for row in standings.rows]
    ended = [
        {
            "id": each.id,
            "status": each.status,
            "added": each.added,
            "ended": each.ended,
            "reason": each.reason or None,
            "superseded_by": each.superseded_by or None,
        }
        for each in ledger.submissions.values()
        if each.status != "ranked"
    ]
    value = {
        "board": board.to_dict(),
        "ledger_sha256": ledger.head,
        "submissions": submissions,
        "ended": ended,
    }
    return f"{json.dumps(value, ensure_ascii=False, indent=1)}\n"


def _cell(text: str) -> str:
    return _FORMULA.sub(r"\1'", text)


def _ranked(board: Board, ledger: Ledger, row: Standing, entry: Entry) -> dict[str, Any]:
    listed = ledger.submissions[row.id]
    return {
        "rank": row.rank,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "id": row.id,
        "model": row.name,
        "by": row.by,
        "reference": entry.model["reference"],
        "image_digest": entry.image_digest,
        "added": listed.added,
        "rerun": listed.rerun.when if listed.rerun else None,
        "file_sha256": listed.file_sha256,
        **_score(row.total),
        "circuits": {name: _score(row.circuits[name]) for name in board.circuits},
        "suites": {each.name: row.suites[each.sha256] for each in board.suites},
    }


def _score(scored: Scored) -> dict[str, float]:
    return {"score": scored.score, "low": scored.low, "high": scored.high}
