"""A board on disk: what is in its folder, and how it is written without ever being half-written.

`board.json`, `suites/`, `submissions/` and `ledger.jsonl` are the board. `derived/` has what
follows from them, and may be deleted: it is made again. The ledger is written last; what it does
not know is not on the board. While it changes, the next one lies beside it: of a change that was
killed, that says what it had begun, and the next writer undoes it.
"""

import contextlib
import errno
import hashlib
import math
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

from pommel.errors import PommelError, UsageError, printable, quoted
from pommel.files import locked_for_others, replacing, write_text
from pommel.leaderboard.board import Board, BoardError, BoardPlan, board_from
from pommel.leaderboard.entry import (
    VERSION as ENTRY_VERSION,
    Entry,
    are_same,
    entry_from,
    entry_of,
    is_outdated,
)
from pommel.leaderboard.examples import (
    VERSION as EXAMPLES_VERSION,
    SuiteExample,
    examples_from,
    examples_text,
)
from pommel.leaderboard.ledger import Ledger, Listed, ledger_from
from pommel.leaderboard.rerunning import Rescored, Sample, may_be_opened
from pommel.leaderboard.standings import VERSION as STANDINGS_VERSION, Standing, Standings
from pommel.leaderboard.submission import Limits, Submission, SubmissionError, parse_submission
from pommel.leaderboard.submission.manifest import Manifest, has_letter
from pommel.leaderboard.submission.own_paths import published_reference, without_paths
from pommel.leaderboard.submission.reading import read_archive
from pommel.suite import LoadedSuite, Suite

ARCHIVE_SUFFIX = ".pommel.zip"

# What `replacing` leaves when it is killed, and of which of a board's own files.
_PART = re.compile(r"\.(.+)\.\w+\.part")
_WRITTEN = re.compile(
    rf"[0-9a-f]{{16}}({re.escape(ARCHIVE_SUFFIX)}|\.json)|(standings|suites)\.json|ledger\.jsonl"
)
_LONGEST_REASON = 500
_LONGEST_KEEPER = 200

# Hashes are of bytes, and Git changes the ends of lines on Windows. What is derived is made again.
_FOR_GIT = {".gitattributes": "* -text\n", ".gitignore": "/derived/\n"}


# Called when a submission has been computed again.
Progress = Callable[[int], None]


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
    def examples_file(self) -> Path:
        """What a site shows of the suites."""
        return self.folder / "derived" / "suites.json"

    @contextlib.contextmanager
    def locked(self) -> Iterator[bool]:
        """Keep other writers out, and wait for them; yield whether that can be had here.

        Raises `BoardError` where there is no board, and for links among what is written: they
        might lead to files of others.
        """
        try:
            opened = open_plain(self.board_file)
        except OSError:
            raise self._no_board() from None
        try:
            is_alone = locked_for_others(opened)
            self._check_written()
            yield is_alone
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
            suite = LoadedSuite.parse(plain_text(path), file=str(path)).suite
            if suite.sha256 != pinned.sha256:
                raise BoardError(f"{path}: is not the suite that was pinned; its SHA-256 differs")
            suites.append(suite)
        return suites

    def examples(self, board: Board) -> tuple[SuiteExample, ...]:
        """Return what a site shows of the suites; raises as `suites` does."""
        kept = examples_from(_derived_text(self.examples_file), board)
        return kept or tuple(SuiteExample.of(each, board) for each in self.suites(board))

    def entries(self, board: Board, ledger: Ledger, *, keep: bool = False) -> list[Entry]:
        """Return what was computed of the ranked submissions, and compute what is not there.

        With `keep`, that is written, too; then the board has to be locked.
        """
        found, suites = [], None
        for listed in (ledger.submissions[name] for name in ledger.ranked):
            entry = self.kept_entry(listed, board)
            if entry is None:
                suites = suites or self.suites(board)
                entry = self.computed_entry(listed, board, suites)
                if keep:
                    write_text(self.entry_file(entry.id), entry.to_text())
            found.append(entry)
        return found

    def kept_entry(self, listed: Listed, board: Board) -> Entry | None:
        """Return what was computed of a submission, ranked or not, None where it is not kept."""
        entry = entry_from(_derived_text(self.entry_file(listed.id)), board)
        known = (entry.id, entry.content_sha256) if entry else None
        return entry if known == (listed.id, listed.content_sha256) else None

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

    def make(self, suites: Sequence[Suite], plan: BoardPlan, *, when: str, by: str) -> Board:
        """Make a board of these suites; the folder has to be empty, or not there.

        Raises `UsageError` for weights of what is not there, `InputError` for suites that no board
        can have, and `PommelError` for a folder that cannot be made; then there is none.
        """
        board = plan.board(suites)
        if by != printable(by) or not has_letter(by) or len(by) > _LONGEST_KEEPER:
            raise UsageError(
                f"the keeper (--by) cannot be {quoted(by)}; write one line of up to "
                f"{_LONGEST_KEEPER} characters"
            )
        settings = {"settings_sha256": board.settings_sha256}
        files = {
            "board.json": board.to_text(),
            "ledger.jsonl": Ledger().with_event("created", settings, when=when, by=by).text,
            **{each.file: own.to_text() for each, own in zip(board.suites, suites, strict=True)},
            **_FOR_GIT,
        }
        folder = self.folder
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(
                f"{folder}: is there already, and a new board needs a folder of its own"
            )
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            _delete_begun(folder, {"submissions", "suites", *files})
            with (
                tempfile.TemporaryDirectory(
                    dir=folder.parent, prefix=f".{folder.name}.", suffix=".part"
                ) as aside,
                _claimed(Path(aside)),
            ):
                made = Path(aside)
                for name in ("submissions", "suites"):
                    (made / name).mkdir()
                for name, content in files.items():
                    write_text(made / name, content)
                # A temporary folder is for nobody else.
                made.chmod((made / "suites").stat().st_mode)
                if folder.is_dir():
                    folder.rmdir()
                made.rename(folder)
        except OSError as error:
            raise PommelError(f"{folder}: cannot be made: {error.strerror or error}") from None
        return board

    def check(self, path: Path, *, supersede: bool = False) -> "Checked":
        """Compute a submission from its tokens, and say what `add` would do; change nothing.

        Raises as `add` does for what the board does not take.
        """
        opened = self._opened(path)
        ledger = self.ledger(opened.board)
        others = self.entries(opened.board, ledger)
        return opened.checked(ledger, others, supersede=supersede)

    def add(self, path: Path, *, when: str, by: str, supersede: bool = False) -> "Added":
        """Compute a submission from its tokens, and put it on the board, wholly or not at all.

        One of a model under a policy that the board has already, or with the surprisals of another,
        takes the place of all these with `supersede`. Raises `SubmissionError` for what the board
        does not take, a line a reason, `BoardError` for a board that is damaged, and `PommelError`
        for one that cannot be written.
        """
        opened = self._opened(path)
        board, entry = opened.board, opened.entry
        with self.locked():
            ledger = self.ledger(board)
            self._sweep(board, ledger)
            others = self.entries(board, ledger, keep=True)
            same = opened.checked(ledger, others, supersede=supersede).superseded
            ids = tuple(each.id for each in same)
            known = {
                "id": entry.id,
                "file_sha256": hashlib.sha256(opened.raw).hexdigest(),
                "content_sha256": entry.content_sha256,
                "supersedes": list(ids),
            }
            changed = ledger.with_event("added", known, when=when, by=printable(by))
            kept = [each for each in others if each.id not in ids]
            archive = self.archive(entry.id)
            with self.changing(board, ledger, changed):
                with replacing(archive) as aside:
                    aside.write_bytes(opened.raw)
                if sys.platform != "win32":
                    # There, what is read-only could not be deleted if this change is undone.
                    archive.chmod(0o444)
                write_text(self.entry_file(entry.id), entry.to_text())
                rows = self.write_standings(board, changed, [*kept, entry]).rows
            if examples_from(_derived_text(self.examples_file), board) is None:
                examples = [SuiteExample.of(each, board) for each in opened.suites]
                write_text(self.examples_file, examples_text(examples))
        (own,) = (row for row in rows if row.id == entry.id)
        return Added(standing=own, n_ranked=len(rows), superseded=ids)

    def withdraw(self, submission_id: str, *, reason: str, when: str, by: str) -> str:
        """Take a submission off the ranking, and return its id; its file stays.

        `submission_id` may be the beginning of an id. Raises `UsageError` for an id that is not
        there, or not ranked, and for a reason that is not one line.
        """
        self.check_reason(reason)
        board = self.board()
        with self.locked():
            ledger = self.ledger(board)
            self._sweep(board, ledger)
            found = ledger.found_id(submission_id)
            status = ledger.submissions[found].status
            if status != "ranked":
                raise UsageError(f"{found} is {status} already")
            known = {"id": found, "reason": reason}
            changed = ledger.with_event("withdrawn", known, when=when, by=printable(by))
            with self.changing(board, ledger, changed):
                # Not of the one that goes: it may be one that is no longer taken.
                entries = self.entries(board, changed, keep=True)
                self.write_standings(board, changed, entries)
        return found

    @staticmethod
    def check_reason(reason: str) -> None:
        """Raise `UsageError` for a reason that is not one line."""
        if not reason.strip() or reason != printable(reason) or len(reason) > _LONGEST_REASON:
            raise UsageError(
                f"the reason cannot be {quoted(reason)}; write one line of up to {_LONGEST_REASON} "
                f"characters"
            )

    def verified(
        self, ids: Sequence[str] = (), *, progress: Progress | None = None
    ) -> Iterator[str]:
        """Yield what is wrong with a board, a line each; nothing for one that is sound.

        All hashes are checked; `ids` names the submissions that are computed again, all ranked ones
        if it is empty; of all, the ranking is made again, too. Raises `BoardError` for a board
        without a `board.json` or a ledger that can be read.
        """
        board = self.board()
        ledger = self.ledger(board)
        try:
            suites = self.suites(board)
        except PommelError as error:
            suites = []
            yield from str(error).splitlines()
        # It may also be one that goes on now.
        unfinished = self._interrupted(board, ledger)
        yield from _strays(self, ledger, unfinished)
        limits = board.submission_limits()
        entries = []
        n_faults = 0
        for listed in ledger.submissions.values():
            if fault := _file_fault(self, listed, limits):
                n_faults += listed.status == "ranked"
                yield fault
            elif suites and listed.id in (ids or ledger.ranked):
                try:
                    entry = self.computed_entry(listed, board, suites)
                    entries.append(entry)
                    path = self.entry_file(entry.id)
                    yield from _derived_faults(path, entry.to_text(), ENTRY_VERSION)
                except PommelError as error:
                    n_faults += 1
                    yield str(error)
            if progress:
                progress(1)
        first: dict[tuple[str, str], Entry] = {}
        for entry in entries:
            known = first.setdefault(entry.identity, entry)
            if known is not entry:
                yield (
                    f"{self.ledger_file}: ranks {known.id} and {entry.id}, which are of one model "
                    f"and policy"
                )
        yield from _example_faults(self.examples_file, board, suites)
        # Without one of them, no ranking would be the same.
        if suites and not ids and not n_faults and self.standings_file not in unfinished:
            ranked = Standings.of(board, entries, ledger.ranking_head)
            yield from _derived_faults(self.standings_file, ranked.to_text(), STANDINGS_VERSION)

    @staticmethod
    def check_opened(submission_id: str, reference: str) -> None:
        """Raise `UsageError` unless the reference that a stranger has submitted may be opened.

        A built-in model, a name on the Hugging Face hub, and an image in a registry may. What leads
        to this machine or its network (files, folders, servers, registries without a public name)
        may not, unless the keeper names it. Where a public name leads is not looked up.
        """
        if not may_be_opened(reference):
            raise UsageError(
                f"{submission_id}: its reference {quoted(reference)} is not opened, for a stranger "
                f"has written it, and it is no built-in model, name on the Hugging Face hub or "
                f"image in a public registry; name it with --model"
            )

    def sample(self, submission_id: str, n_sentences: int, *, seed: int) -> Sample:
        """Draw items of a submission for its model to score again; raises `SubmissionError`."""
        board = self.board()
        submission = self.submission(submission_id, board)
        return Sample.drawn(submission, board, self.suites(board), n_sentences, seed)

    def plan_sample(self, folder: Path, n_sentences: int, *, seed: int) -> dict[Path, Suite]:
        """Return the suites of a sample by their places in a folder; see `Sample.suites_drawn`."""
        board = self.board()
        drawn = Sample.suites_drawn(self.suites(board), n_sentences, seed)
        return {
            folder / pinned.file: suite
            for pinned, suite in zip(board.suites, drawn, strict=True)
            if suite
        }

    def planned_sample(self, submission_id: str, drawn: Sequence[Suite]) -> Sample:
        """Return what of a submission was to be scored by a plan; raises as `sample` does."""
        board = self.board()
        return Sample.of_suites(self.submission(submission_id, board), board, drawn)

    def record_rerun(
        self, submission_id: str, found: Rescored, *, model: str, when: str, by: str
    ) -> None:
        """Note in the ledger what came of scoring again: the same, or something else."""
        board, event = self.board(), "verified"
        # A name of the hub, or a folder of the keeper's that is called so.
        revision = "" if may_be_opened(model) else None
        public = published_reference(model, revision, submission_id)
        known = {"id": submission_id, "model": printable(public), **found._asdict()}
        if differences := known.pop("differences"):
            event, known["n_differences"] = "differed", len(differences)
            # JSON has no infinity.
            known["largest_bits"] = (
                found.largest_bits if math.isfinite(found.largest_bits) else None
            )
        with self.locked():
            ledger = self.ledger(board)
            self._sweep(board, ledger)
            changed = ledger.with_event(event, known, when=when, by=printable(by))
            with self.changing(board, ledger, changed):
                pass

    def standings(self, board: Board, ledger: Ledger) -> Standings:
        """Return who stands where after the last line of the ledger."""
        kept = Standings.parse(_derived_text(self.standings_file), board)
        if kept and (kept.head, kept.pairs.ids) == (ledger.ranking_head, ledger.ranked):
            return kept
        return Standings.of(board, self.entries(board, ledger), ledger.ranking_head, kept)

    def write_standings(self, board: Board, ledger: Ledger, entries: Sequence[Entry]) -> Standings:
        """Rank entries, with the help of what is kept of those before, and keep that."""
        before = Standings.parse(_derived_text(self.standings_file), board)
        standings = Standings.of(board, entries, ledger.ranking_head, before)
        write_text(self.standings_file, standings.to_text())
        return standings

    @contextlib.contextmanager
    def changing(self, board: Board, ledger: Ledger, changed: Ledger) -> Iterator[None]:
        """Write a changed ledger, which takes its place when the block has ended well.

        Until then it lies beside it, and says what is done meanwhile. Otherwise that is undone.
        """
        try:
            with replacing(self.ledger_file) as aside:
                with aside.open("wb") as stream:
                    stream.write(changed.text.encode())
                    stream.flush()
                    # After a power cut, too, it has to say what was done.
                    os.fsync(stream.fileno())
                yield
        except BaseException:
            # An interruption may come when the ledger has been replaced: then it took place.
            if not self.has_ledger(changed):
                for each in self._begun(board, ledger, [changed]):
                    each.unlink(missing_ok=True)
            raise

    def has_ledger(self, ledger: Ledger) -> bool:
        """Return whether this is the ledger that is on disk, or may be."""
        try:
            return read_plain(self.ledger_file) == ledger.text.encode()
        except OSError:
            return True

    def undo_interrupted(self) -> tuple[int, int]:
        """Delete what a change has left that was killed; return of how many files, and the rest.

        Those are left that may not be deleted, and all of them where there are no locks: the change
        may go on. Raises `BoardError` for a board that is damaged.
        """
        board = self.board()
        self.ledger(board)
        try:
            with self.locked() as is_alone:
                ledger = self.ledger(board)
                n_deleted = self._sweep(board, ledger) if is_alone else 0
                return n_deleted, len(self._interrupted(board, ledger))
        except BoardError:
            # There are links, which say themselves what they are.
            return 0, 0

    def _opened(self, path: Path) -> "_Opened":
        """Read a submission, and compute it; raises as `add` does, with every reason at once."""
        board = self.board()
        limits = board.submission_limits()
        raw = read_archive(path, limits)
        submission = parse_submission(raw, source=str(path), limits=limits)
        suites = self.suites(board)
        faults = _published_faults(submission.manifest, str(path))
        try:
            # This takes time, and others may write meanwhile.
            entry = entry_of(submission, board, suites)
        except SubmissionError as error:
            faults.append(str(error))
        if faults:
            raise SubmissionError("\n".join(faults))
        return _Opened(path=path, raw=raw, board=board, suites=suites, entry=entry)

    def _sweep(self, board: Board, ledger: Ledger) -> int:
        """Delete what a change has left that was killed; the board has to be locked."""
        n_deleted = 0
        for path in self._interrupted(board, ledger):
            with contextlib.suppress(OSError):
                path.unlink()
                n_deleted += 1
        return n_deleted

    def _interrupted(self, board: Board, ledger: Ledger) -> list[Path]:
        """Return what a change has written so far that goes on or was killed.

        A whole file is such only if the next ledger knows it, which lies beside the ledger: another
        may be the keeper's own. That ledger is the last here, so that deleting may be killed, too.
        """
        folders = (self.archives, self.standings_file.parent, self.folder)
        inside = [path for each in folders for path in sorted(each.glob("*"))]
        parts = [path for path in inside if _WRITTEN.fullmatch(written_name(path))]
        pending = [path for path in parts if path.parent == self.folder]
        changed = []
        for path in pending:
            with contextlib.suppress(BoardError):
                changed.append(ledger_from(plain_text(path), str(path)))
        return [*(self._begun(board, ledger, changed) if pending else ()), *parts]

    def _begun(self, board: Board, ledger: Ledger, changed: Sequence[Ledger]) -> list[Path]:
        """Return what changes to other ledgers have written, but for these themselves."""
        found = [
            path
            for other in changed
            for each in other.submissions.keys() - ledger.submissions.keys()
            for path in (self.archive(each), self.entry_file(each))
        ]
        kept = Standings.parse(_derived_text(self.standings_file), board)
        if kept and kept.head != ledger.ranking_head:
            found.append(self.standings_file)
        return [*filter(Path.exists, found)]

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


class Checked(NamedTuple):
    """A submission that a board takes: its scores, and those whose place it takes.

    `why` says what these have to do with it, "" where there are none.
    """

    standing: Standing
    superseded: tuple[Entry, ...]
    why: str


class _Opened(NamedTuple):
    """A submission that was read and computed, and may be on the board already."""

    path: Path
    raw: bytes
    board: Board
    suites: Sequence[Suite]
    entry: Entry

    def checked(self, ledger: Ledger, others: Sequence[Entry], *, supersede: bool) -> Checked:
        """Return it as one that is taken beside `others`, which are ranked.

        Raises `SubmissionError` for one that is not.
        """
        _check_content(self.entry, ledger, str(self.path))
        same, why = _same(self.entry, others)
        if same and not supersede:
            whose = "that one" if len(same) == 1 else f"these {len(same)}"
            raise SubmissionError(
                f"{self.path}: {why}; say that it takes the place of {whose} (--supersede)"
            )
        (standing,) = Standings.of(self.board, [self.entry], ledger.head).rows
        return Checked(standing=standing, superseded=same, why=why)


class Added(NamedTuple):
    """A submission that was added: where it stands, among how many, and what it supersedes."""

    standing: Standing
    n_ranked: int
    superseded: tuple[str, ...]


def written_name(path: Path) -> str:
    """Return the name of the file that this was to become, left by a writer that was killed, or "".

    A file of another kind has none.
    """
    found = _PART.fullmatch(path.name)
    return found[1] if found else ""


@contextlib.contextmanager
def _claimed(folder: Path, *, waiting: bool = True) -> Iterator[bool]:
    """Lock a folder that is worked in; yield whether it is locked."""
    with contextlib.ExitStack() as stack:
        is_locked = False
        # Windows opens no folder, and another process may have deleted it.
        with contextlib.suppress(OSError):
            opened = os.open(folder, _FLAGS)
            stack.callback(os.close, opened)
            is_locked = locked_for_others(opened, waiting=waiting)
        yield is_locked


def _delete_begun(folder: Path, known: set[str]) -> None:
    """Delete what a `make` that was killed has left beside a folder; it has only what is known."""
    for path in folder.parent.iterdir():
        if not (path.is_dir() and written_name(path) == folder.name):
            continue
        with _claimed(path, waiting=False) as is_left:
            # Another program may call its folders so, too.
            if is_left and {written_name(each) or each.name for each in path.iterdir()} <= known:
                shutil.rmtree(path, ignore_errors=True)


def _published_faults(manifest: Manifest, where: str) -> list[str]:
    """Return what is wrong with a path that says whose machine, or which, a model was run on.

    Submissions lie in the board as they came, for everyone to read.
    """
    # An address of the web may have what would be a path elsewhere.
    submitter = asdict(replace(manifest.submitter, url=""))
    said = [submitter, manifest.model, *(each.provenance for each in manifest.suites)]
    if all(without_paths(each) == each for each in said):
        return []
    fault = (
        f"{where}: the manifest has a path of the submitter's machine, which everyone could "
        f"read; `pommel submit` of this version leaves it out (its --name says what the model "
        f"is called), so have it packed again"
    )
    return [fault]


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


def _same(entry: Entry, others: Sequence[Entry]) -> tuple[tuple[Entry, ...], str]:
    """Return those whose place a submission takes, and why, "" where there are none."""
    same = [each for each in others if each.identity == entry.identity]
    copied = [
        each
        for each in others
        if each.identity != entry.identity and are_same(each.named_sums, entry.named_sums)
    ]
    why = []
    if same:
        why.append(f"is of a model and policy that the board has already, as {_names(same)}")
    if copied:
        calls = _calls(entry, copied)
        why.append(f"has the same surprisals as {_names(copied)}, which {calls}")
    return (*same, *copied), ", and ".join(why)


def _names(entries: Sequence[Entry]) -> str:
    return ", ".join(f"{each.id} ({quoted(each.name)} by {quoted(each.by)})" for each in entries)


def _calls(entry: Entry, copied: Sequence[Entry]) -> str:
    """Return what those say they are that have a submission's surprisals."""
    own, is_one = entry.model["fingerprint"], len(copied) == 1
    if all(each.model["fingerprint"] == own for each in copied):
        return "is of this model under another policy" if is_one else "are of other policies"
    return "calls itself another model" if is_one else "call themselves other models"


# Reading files of a board, which may be a stranger's: no links, no pipes, nothing without an end.
#
# A link leads wherever a stranger wants, opening a pipe waits for a writer, and a device may have
# bytes for ever.

# What a board's files have at most, but for submissions (they have limits of their own) and pairs.
MOST_BYTES = 64 * 2**20

# Windows has neither links that are followed nor pipes among files.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_plain(path: Path) -> int:
    """Return the descriptor of a file, for reading; raises `OSError` for what is none."""
    # Opening a device may be enough to do something.
    _check_mode(path.lstat().st_mode)
    opened = os.open(path, _FLAGS)
    try:
        # It may have been replaced meanwhile.
        _check_mode(os.fstat(opened).st_mode)
    except OSError:
        os.close(opened)
        raise
    return opened


def read_plain(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Return a file's bytes; raises `OSError` for what is none, and for more than so many."""
    with os.fdopen(open_plain(path), "rb") as stream:
        n_bytes = os.fstat(stream.fileno()).st_size
        raw = stream.read(min(n_bytes, most_bytes) + 1)
    if len(raw) > most_bytes:
        raise OSError(errno.EFBIG, f"it has more than {most_bytes:,} bytes")
    return raw


def plain_text(path: Path) -> str:
    """Return the text of a file that the board needs; raises `BoardError`."""
    # Not `read_text`: a line of the ledger ends at a line feed, and at nothing else.
    try:
        return read_plain(path).decode()
    except UnicodeDecodeError as error:
        raise BoardError(f"{path}: the byte {error.start} is not UTF-8") from None
    except OSError as error:
        raise BoardError(f"{path}: cannot be read: {error.strerror or error}") from None


def _check_mode(mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "it is a link")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no file")


def _strays(place: BoardFolder, ledger: Ledger, unfinished: Sequence[Path]) -> Iterator[str]:
    for path in sorted(place.archives.iterdir()) if place.archives.is_dir() else ():
        name = path.name.removesuffix(ARCHIVE_SUFFIX)
        if (name != path.name and name in ledger.submissions) or path in unfinished:
            continue
        yield (
            f"{path}: is not in the ledger, and so not on the board; take it out of the folder, "
            f"and `pommel leaderboard add` it if it is to be ranked"
        )


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


def _example_faults(path: Path, board: Board, suites: Sequence[Suite]) -> Iterator[str]:
    if suites and (path.is_symlink() or path.exists()):
        text = examples_text([SuiteExample.of(each, board) for each in suites])
        yield from _derived_faults(path, text, EXAMPLES_VERSION, origin="suites")


def _derived_text(path: Path) -> str:
    """Return the text of a file in `derived/`, "" where there is none that can be read."""
    try:
        return read_plain(path).decode()
    except (OSError, ValueError):
        return ""


def _derived_faults(
    path: Path, expected: str, version: int, *, origin: str = "submissions"
) -> Iterator[str]:
    """Say if a file in `derived/` has another content; an older pommel's is made again."""
    text = _derived_text(path)
    is_there = path.is_symlink() or path.exists()
    if is_there and text != expected and not is_outdated(text, version):
        yield f"{path}: is not what comes out of the {origin}; delete it, and it is made again"
