"""A board on disk: what is in its folder, and how it is written without ever being half-written.

`board.json`, `suites/`, `submissions/` and `ledger.jsonl` are the board. `derived/` has what
follows from them, and may be deleted: it is made again. The ledger is written last; what it does
not know is not on the board.
"""

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pommel.files.text import is_encodable, make_folder, replacing, write_text
from pommel.leaderboard.board import Board, board_from
from pommel.leaderboard.entry import Entry, entry_from, entry_of
from pommel.leaderboard.errors import BoardError
from pommel.leaderboard.ledger import Ledger, Listed, ledger_from
from pommel.leaderboard.pairs_file import MOST_BYTES as MOST_PAIRS_BYTES
from pommel.leaderboard.pairs_file import pairs_bytes, pairs_from
from pommel.leaderboard.plain_files import open_plain, plain_text, read_plain
from pommel.leaderboard.standings import (
    Pairs,
    Standings,
    standings_from,
    standings_of,
    updated_pairs,
)
from pommel.leaderboard.submission import Limits, Submission, SubmissionError, parse_submission
from pommel.suite.read import parse_suite, suite_hash
from pommel.suite.suite import Suite

ARCHIVE_SUFFIX = ".pommel.zip"

# What `replacing` leaves of an archive when it is killed.
_LEFTOVER = re.compile(rf"\.[0-9a-f]{{16}}{re.escape(ARCHIVE_SUFFIX)}\..*\.part")


@dataclass(frozen=True, slots=True)
class BoardFolder:
    """Where a board lies."""

    folder: Path

    @property
    def board_file(self) -> Path:
        """What the board is."""
        return self.folder / "board.json"

    @property
    def ledger_file(self) -> Path:
        """What was done."""
        return self.folder / "ledger.jsonl"

    @property
    def archives(self) -> Path:
        """The submissions as they came."""
        return self.folder / "submissions"

    def archive(self, submission_id: str) -> Path:
        """Where a submission lies as it came."""
        return self.archives / f"{submission_id}{ARCHIVE_SUFFIX}"

    def entry_file(self, submission_id: str) -> Path:
        """Where that lies which was computed of a submission."""
        return self.folder / "derived" / f"{submission_id}.json"

    @property
    def standings_file(self) -> Path:
        """Who stands where."""
        return self.folder / "derived" / "standings.json"

    @property
    def pairs_file(self) -> Path:
        """How each compares with each other."""
        return self.folder / "derived" / "pairs.npz"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out, and wait for them.

        Raises `BoardError` where there is no board, and for links among what is written: they
        might lead to files of others.
        Where there are no locks (Windows), two writers at once are not kept apart.
        """
        try:
            opened = open_plain(self.board_file)
        except OSError:
            raise self._no_board() from None
        try:
            with contextlib.suppress(ImportError):
                import fcntl  # noqa: PLC0415 - Windows has none

                fcntl.flock(opened, fcntl.LOCK_EX)
            self._check_written()
            yield
        finally:
            os.close(opened)

    def board(self) -> Board:
        """Read what the board is; raises `BoardError`."""
        if not self.board_file.exists():
            raise self._no_board()
        return board_from(plain_text(self.board_file), str(self.board_file))

    def ledger(self, board: Board) -> Ledger:
        """Read the ledger; raises `BoardError` if it is damaged, or another board's."""
        if not self.ledger_file.exists():
            raise BoardError(f"{self.ledger_file}: is missing")
        ledger = ledger_from(plain_text(self.ledger_file), str(self.ledger_file))
        if ledger.settings_sha256 != board.settings_sha256:
            raise BoardError(
                f"{self.board_file}: suites, weights, rule, limits or seed are not those that the "
                f"board was made with; only name and description may change"
            )
        return ledger

    def suites(self, board: Board) -> list[Suite]:
        """Read the pinned suites; raises `BoardError` for one that is no longer what was pinned."""
        suites = []
        for pinned in board.suites:
            path = self.folder / pinned.file
            suite = parse_suite(plain_text(path), file=str(path)).suite
            if suite_hash(suite) != pinned.sha256:
                raise BoardError(f"{path}: is not the suite that was pinned; its SHA-256 differs")
            suites.append(suite)
        return suites

    def entries(self, board: Board, ledger: Ledger, *, keep: bool = False) -> list[Entry]:
        """Return what was computed of the ranked submissions, and compute what is not there.

        With `keep`, that is written, too; then the board has to be locked.
        """
        found = [self._kept_entry(ledger.submissions[name], board) for name in ledger.ranked]
        missing = [i for i, each in enumerate(found) if each is None]
        suites = self.suites(board) if missing else []
        for index in missing:
            listed = ledger.submissions[ledger.ranked[index]]
            found[index] = entry = self.computed_entry(listed, board, suites)
            if keep:
                write_text(self.entry_file(entry.id), entry.to_text())
        return [each for each in found if each is not None]

    def computed_entry(self, listed: Listed, board: Board, suites: Sequence[Suite]) -> Entry:
        """Compute a submission from its tokens.

        Raises `BoardError` if its content is not what the ledger says, and otherwise as
        `submission` and `entry_of` do.
        """
        entry = entry_of(self.submission(listed.id, board), board, suites)
        if (entry.id, entry.content_sha256) != (listed.id, listed.content_sha256):
            raise BoardError(
                f"{self.archive(listed.id)}: is the submission {entry.id}, and the ledger has "
                f"another content as {listed.id}"
            )
        return entry

    def submission(self, submission_id: str, board: Board) -> Submission:
        """Read a submission of the board; raises `SubmissionError`."""
        path, limits = self.archive(submission_id), board.submission_limits()
        try:
            raw = read_plain(path, limits.n_archive_bytes)
        except OSError as error:
            raise SubmissionError(f"{path}: cannot be read: {error.strerror or error}") from None
        return parse_submission(raw, source=str(path), limits=limits)

    def standings(self, board: Board, ledger: Ledger) -> Standings:
        """Return who stands where after the last line of the ledger."""
        kept = self._kept_standings(board)
        ids = sorted(row.id for row in kept.rows) if kept else None
        if kept and kept.head == ledger.ranking_head and ids == sorted(ledger.ranked):
            return kept
        return self.ranked(board, ledger, self.entries(board, ledger))[0]

    def pairs(self, board: Board, ledger: Ledger) -> Pairs:
        """Return how the ranked submissions compare, each with each other."""
        kept = self.kept_pairs()
        if kept.ids == ledger.ranked:
            return kept
        return updated_pairs(board, self.entries(board, ledger), kept)

    def ranked(
        self, board: Board, ledger: Ledger, entries: Sequence[Entry]
    ) -> tuple[Standings, Pairs]:
        """Rank entries, with the help of what is kept of those before."""
        before = self._kept_standings(board)
        pairs = updated_pairs(board, entries, self.kept_pairs())
        known = {row.id: row for row in before.rows} if before else {}
        return standings_of(board, entries, pairs, known, ledger.ranking_head), pairs

    def write_derived(self, standings: Standings, pairs: Pairs) -> None:
        """Keep who stands where."""
        with replacing(self.pairs_file) as aside:
            aside.write_bytes(pairs_bytes(pairs))
        write_text(self.standings_file, standings.to_text())

    def write_ledger(self, ledger: Ledger) -> None:
        """Write the ledger, all of it or nothing."""
        with replacing(self.ledger_file) as aside, aside.open("wb") as stream:
            stream.write(ledger.text.encode())
            stream.flush()
            os.fsync(stream.fileno())

    def has_ledger(self, ledger: Ledger) -> bool:
        """Return whether this is the ledger that is on disk, or may be."""
        try:
            return read_plain(self.ledger_file) == ledger.text.encode()
        except OSError:
            return True

    def sweep(self) -> None:
        """Delete what is half-written of an addition that was killed; the board has to be locked.

        What is whole stays, even if the ledger does not know it: it may be the keeper's own.
        """
        # Git keeps no folder that is empty.
        make_folder(self.archives)
        for path in self.archives.iterdir():
            if is_leftover(path):
                path.unlink(missing_ok=True)

    def kept_pairs(self) -> Pairs:
        """Return what is kept of pairs, none if that cannot be read; it may be out of date."""
        try:
            return pairs_from(read_plain(self.pairs_file, MOST_PAIRS_BYTES))
        except OSError:
            return Pairs.none()

    def _kept_entry(self, listed: Listed, board: Board) -> Entry | None:
        try:
            entry = entry_from(read_plain(self.entry_file(listed.id)).decode(), board)
        except (OSError, ValueError):
            return None
        if entry is None or not is_encodable(entry.to_text()):
            return None
        if (entry.id, entry.content_sha256) != (listed.id, listed.content_sha256):
            return None
        return entry

    def _kept_standings(self, board: Board) -> Standings | None:
        try:
            return standings_from(read_plain(self.standings_file).decode(), board)
        except (OSError, ValueError):
            return None

    def _check_written(self) -> None:
        """Raise `BoardError` for a link, pipe or device at a place where the board writes."""
        for folder in (self.archives, self.standings_file.parent):
            inside = sorted(folder.iterdir()) if folder.is_dir() else ()
            for path in (folder, *inside, self.ledger_file):
                if path.is_symlink():
                    raise BoardError(f"{path}: is a link, and a board writes to its own files only")
                if path.exists() and not (path.is_file() or path.is_dir()):
                    raise BoardError(
                        f"{path}: is a pipe or device, and a board writes to files only"
                    )

    def _no_board(self) -> BoardError:
        return BoardError(
            f"{self.folder}: is no leaderboard (it has no board.json); `pommel leaderboard init` "
            f"makes one"
        )


def read_archive(path: Path, limits: Limits) -> bytes:
    """Return the bytes of a submission's file; raises `SubmissionError`."""
    try:
        # Opening a pipe would wait for a writer. A link is fine: whoever adds has named it.
        if not path.is_file():
            raise SubmissionError(f"{path}: is no file")
        with path.open("rb") as stream:
            return stream.read(limits.n_archive_bytes + 1)
    except OSError as error:
        raise SubmissionError(f"{path}: cannot be read: {error.strerror or error}") from None


def is_leftover(path: Path) -> bool:
    """Return whether this is the beginning of a submission, left by an addition that was killed."""
    return bool(_LEFTOVER.fullmatch(path.name))
