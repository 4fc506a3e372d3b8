"""Is a board what it says? Hashes, the ledger's chain, and everything computed again."""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from pommel.errors import PommelError
from pommel.leaderboard.board import Board, BoardError
from pommel.leaderboard.entry import Entry, checked_same, entry_from, is_outdated
from pommel.leaderboard.folder import ARCHIVE_SUFFIX, BoardFolder, is_leftover, read_plain
from pommel.leaderboard.ledger import Ledger, Listed
from pommel.leaderboard.standings import Pairs, standings_from, standings_of, updated_pairs
from pommel.leaderboard.submission import Limits

# What a file is called that `add` has put there.
_ADDED = re.compile(rf"[0-9a-f]{{16}}{re.escape(ARCHIVE_SUFFIX)}")

# Called when a submission has been computed again.
Progress = Callable[[int], None]


def verified(
    place: BoardFolder, ids: Sequence[str] = (), *, progress: Progress | None = None
) -> Iterator[str]:
    """Yield what is wrong with a board, a line each; nothing for one that is sound.

    All hashes are checked; `ids` names the submissions that are computed again, all ranked ones if
    it is empty; of all, the ranking is made again, too. Raises `BoardError` for a board without a
    `board.json` or a ledger that can be read.
    """
    board = place.board()
    ledger = place.ledger(board)
    try:
        suites = place.suites(board)
    except PommelError as error:
        suites = []
        yield from str(error).splitlines()
    yield from _strays(place, ledger)
    limits = board.submission_limits()
    entries = []
    n_faults = 0
    for listed in ledger.submissions.values():
        if fault := _file_fault(place, listed, limits):
            n_faults += listed.status == "ranked"
            yield fault
        elif suites and listed.id in (ids or ledger.ranked):
            try:
                entry = place.computed_entry(listed, board, suites)
                _check_kept(place, board, entry)
                entries.append(entry)
            except PommelError as error:
                n_faults += 1
                yield str(error)
        if progress:
            progress(1)
    yield from _doubles(place, entries)
    # Without one of them, no ranking would be the same.
    if suites and not ids and not n_faults:
        yield from _ranking_faults(place, board, ledger, entries)


def _strays(place: BoardFolder, ledger: Ledger) -> Iterator[str]:
    for path in sorted(place.archives.iterdir()) if place.archives.is_dir() else ():
        name = path.name.removesuffix(ARCHIVE_SUFFIX)
        if name == path.name or name not in ledger.submissions:
            yield f"{path}: is not in the ledger{_remedy(path)}"


def _remedy(path: Path) -> str:
    if is_leftover(path):
        return ": an addition was killed, and the next one deletes what it left"
    if _ADDED.fullmatch(path.name):
        return (
            ", and so not on the board (an addition may have been killed); take it out of the "
            "folder, and `pommel leaderboard add` it if it is to be ranked"
        )
    return "; take it out of the folder"


def _file_fault(place: BoardFolder, listed: Listed, limits: Limits) -> str:
    path = place.archive(listed.id)
    try:
        sha256 = hashlib.sha256(read_plain(path, limits.n_archive_bytes)).hexdigest()
    except FileNotFoundError:
        # Of what is not ranked any more, the file may be deleted.
        return f"{path}: is missing" if listed.status == "ranked" else ""
    except OSError as error:
        return f"{path}: cannot be read: {error.strerror or error}"
    if sha256 != listed.file_sha256:
        return f"{path}: is not the file that was added; its SHA-256 differs"
    return ""


def _check_kept(place: BoardFolder, board: Board, entry: Entry) -> None:
    path = place.entry_file(entry.id)
    try:
        text = read_plain(path).decode()
    except FileNotFoundError:
        return
    except UnicodeDecodeError as error:
        raise BoardError(f"{path}: cannot be read: {error}") from None
    except OSError as error:
        raise BoardError(f"{path}: cannot be read: {error.strerror or error}") from None
    kept = entry_from(text, board)
    if kept is None and is_outdated(text):
        return
    if kept is None:
        raise BoardError(f"{path}: is no entry of this board; delete it, and it is made again")
    checked_same(kept, entry, str(path))


def _doubles(place: BoardFolder, entries: Sequence[Entry]) -> Iterator[str]:
    first: dict[tuple[str, str], Entry] = {}
    for each in entries:
        known = first.setdefault(each.identity, each)
        if known is not each:
            yield (
                f"{place.ledger_file}: ranks {known.id} and {each.id}, which are of one model and "
                f"policy"
            )


def _ranking_faults(
    place: BoardFolder, board: Board, ledger: Ledger, entries: Sequence[Entry]
) -> Iterator[str]:
    pairs = updated_pairs(board, entries, Pairs.none())
    kept_pairs, path = place.kept_pairs(), place.pairs_file
    same = kept_pairs.ids == pairs.ids and np.array_equal(kept_pairs.p, pairs.p, equal_nan=True)
    if path.exists() and not same:
        yield f"{path}: is not what comes out of pairs; delete the folder, and it is made again"
    path = place.standings_file
    try:
        kept = standings_from(read_plain(path).decode(), board)
    except FileNotFoundError:
        return
    except (OSError, ValueError):
        kept = None
    if kept != standings_of(board, entries, pairs, {}, ledger.ranking_head):
        yield f"{path}: is not the ranking that comes out; delete the folder, and it is made again"
