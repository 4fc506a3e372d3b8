"""What changes a board: a submission is added, or withdrawn."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pommel.errors import UsageError, listed, printable, quoted
from pommel.files.text import replacing, write_text
from pommel.leaderboard.board import Board
from pommel.leaderboard.entry import Entry, entry_of
from pommel.leaderboard.folder import BoardFolder, read_archive
from pommel.leaderboard.ledger import Ledger
from pommel.leaderboard.named_sums import are_same
from pommel.leaderboard.rerunning import Rescored
from pommel.leaderboard.standings import Standing
from pommel.leaderboard.submission import SubmissionError, parse_submission

_LONGEST_REASON = 500
_SHORTEST_ID = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A submission that was added: where it stands, among how many, and what it supersedes."""

    standing: Standing
    n_ranked: int
    superseded: tuple[str, ...]


def add(place: BoardFolder, path: Path, *, when: str, by: str, supersede: bool = False) -> Added:
    """Compute a submission from its tokens, and put it on the board, wholly or not at all.

    One of a model under a policy that the board has already, or with the surprisals of another,
    takes the place of all these with `supersede`. Raises `SubmissionError` for what the board does
    not take, `BoardError` for a board that is damaged, and `PommelError` for one that cannot be
    written.
    """
    board = place.board()
    limits = board.submission_limits()
    raw = read_archive(path, limits)
    submission = parse_submission(raw, source=str(path), limits=limits)
    # This takes time, and others may write meanwhile.
    entry = entry_of(submission, board, place.suites(board))
    with place.locked():
        ledger = place.ledger(board)
        place.sweep()
        _check_content(entry, ledger, str(path))
        others = place.entries(board, ledger, keep=True)
        same = _same(entry, others, str(path), supersede=supersede)
        changed = ledger.with_event(
            "added",
            when=when,
            by=printable(by),
            id=entry.id,
            file_sha256=hashlib.sha256(raw).hexdigest(),
            content_sha256=entry.content_sha256,
            supersedes=list(same),
        )
        kept = [each for each in others if each.id not in same]
        rows = _write(place, board, changed, [*kept, entry], raw)
    (own,) = (row for row in rows if row.id == entry.id)
    return Added(standing=own, n_ranked=len(rows), superseded=same)


def withdraw(place: BoardFolder, submission_id: str, *, reason: str, when: str, by: str) -> str:
    """Take a submission off the ranking, and return its id; its file stays.

    `submission_id` may be the beginning of an id. Raises `UsageError` for an id that is not there,
    or not ranked, and for a reason that is not one line.
    """
    if not reason.strip() or reason != printable(reason) or len(reason) > _LONGEST_REASON:
        raise UsageError(
            f"the reason cannot be {quoted(reason)}; write one line of up to {_LONGEST_REASON} "
            f"characters"
        )
    board = place.board()
    with place.locked():
        ledger = place.ledger(board)
        place.sweep()
        found = found_id(ledger, submission_id)
        status = ledger.submissions[found].status
        if status != "ranked":
            raise UsageError(f"{found} is {status} already")
        changed = ledger.with_event(
            "withdrawn", when=when, by=printable(by), id=found, reason=reason
        )
        # Not of the one that goes: it may be one that is no longer taken.
        entries = place.entries(board, changed, keep=True)
        standings, pairs = place.ranked(board, changed, entries)
        place.write_derived(standings, pairs)
        place.write_ledger(changed)
    return found


def record_rerun(  # noqa: PLR0913 - what a line of the ledger says
    place: BoardFolder,
    submission_id: str,
    found: Rescored,
    *,
    model: str,
    seed: int,
    tolerance_bits: float,
    when: str,
    by: str,
) -> None:
    """Note in the ledger that the model has said the same again."""
    board = place.board()
    with place.locked():
        changed = place.ledger(board).with_event(
            "verified",
            when=when,
            by=printable(by),
            id=submission_id,
            model=printable(model),
            n_sentences=found.n_sentences,
            n_tokens=found.n_tokens,
            seed=seed,
            tolerance_bits=tolerance_bits,
            largest_bits=found.largest_bits,
        )
        place.write_ledger(changed)


def found_id(ledger: Ledger, submission_id: str) -> str:
    """Return the id that begins so; raises `UsageError` if there is none, or more than one."""
    if submission_id in ledger.submissions:
        return submission_id
    found = [each for each in ledger.submissions if each.startswith(submission_id)]
    if len(submission_id) < _SHORTEST_ID or not found:
        raise UsageError(
            f"there is no submission {quoted(submission_id)}; `pommel leaderboard show` has their "
            f"ids, of which the first {_SHORTEST_ID} characters may do"
        )
    if len(found) > 1:
        raise UsageError(f"{submission_id} is the beginning of {listed(found)}; write more of it")
    return found[0]


def _check_content(entry: Entry, ledger: Ledger, where: str) -> None:
    known = ledger.submissions.get(entry.id)
    if known is None:
        return
    if known.content_sha256 != entry.content_sha256:
        raise SubmissionError(f"{where}: would have the id of another submission, {known.id}")
    why = {
        "ranked": "",
        "withdrawn": f", and was withdrawn: {known.reason}",
        "superseded": f", and {known.superseded_by} has taken its place",
    }
    raise SubmissionError(f"{where}: is on the board already, as {known.id}{why[known.status]}")


def _same(entry: Entry, others: Sequence[Entry], where: str, *, supersede: bool) -> tuple[str, ...]:
    """Return those whose place a submission takes; raises `SubmissionError` if it may not."""
    same = [each for each in others if each.identity == entry.identity]
    copied = [
        each
        for each in others
        if each.identity != entry.identity and are_same(each.named_sums, entry.named_sums)
    ]
    if (same or copied) and not supersede:
        raise SubmissionError(f"{where}: {_why_not_ranked(entry, same, copied)}")
    return tuple(each.id for each in (*same, *copied))


def _why_not_ranked(entry: Entry, same: Sequence[Entry], copied: Sequence[Entry]) -> str:
    """Return what a submission would have to supersede, all of it."""

    def names(entries: Sequence[Entry]) -> str:
        return ", ".join(
            f"{each.id} ({quoted(each.name)} by {quoted(each.by)})" for each in entries
        )

    why = []
    if same:
        why.append(f"is of a model and policy that the board has already, as {names(same)}")
    if copied:
        why.append(f"has the same surprisals as {names(copied)}, which {_calls(entry, copied)}")
    n_places = len(same) + len(copied)
    whose = "that one" if n_places == 1 else f"these {n_places}"
    return f"{', and '.join(why)}; --supersede puts it in the place of {whose}"


def _calls(entry: Entry, copied: Sequence[Entry]) -> str:
    """Return what those say they are that have a submission's surprisals."""
    own, is_one = entry.model["fingerprint"], len(copied) == 1
    if all(each.model["fingerprint"] == own for each in copied):
        return "is of this model under another policy" if is_one else "are of other policies"
    return "calls itself another model" if is_one else "call themselves other models"


def _write(
    place: BoardFolder, board: Board, changed: Ledger, entries: Sequence[Entry], raw: bytes
) -> tuple[Standing, ...]:
    """Write all that is new, the ledger last; what came before it is deleted if it cannot be."""
    entry = entries[-1]
    standings, pairs = place.ranked(board, changed, entries)
    archive, kept = place.archive(entry.id), place.entry_file(entry.id)
    try:
        with replacing(archive) as aside:
            aside.write_bytes(raw)
        archive.chmod(0o444)
        write_text(kept, entry.to_text())
        place.write_derived(standings, pairs)
        place.write_ledger(changed)
    except BaseException:
        # An interruption may come when the ledger has been replaced: then it is on the board.
        if not place.has_ledger(changed):
            for each in (archive, kept, place.standings_file, place.pairs_file):
                each.unlink(missing_ok=True)
        raise
    return standings.rows
