"""What is sent: submissions for a board, suites for a folder; how it is checked, and decided.

A row of the table `uploads` is what a sender sees. What came of it stands elsewhere: in the board's
ledger, or in the folder of suites. So a server that is killed while it accepts something leaves
that accepted or waiting, by what stands there, whatever the row says.
"""

import contextlib
import hashlib
import json
import os
import sys
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec

from pommel.errors import PommelError, StoreError, UsageError, printable
from pommel.files import locked_for_others, make_folder
from pommel.leaderboard import BoardFolder
from pommel.serve.desk import Desk, moment, new_id, now
from pommel.serve.drafts import file_stem
from pommel.serve.jobs import BusyError, Finished, Jobs
from pommel.serve.shelf import NotShownError
from pommel.serve.shown_board import ShownBoard
from pommel.values import frozen

Kind = Literal["submission", "suite"]
Status = Literal["sent", "faulty", "waiting", "accepted", "refused"]

# So many may wait of one person: a disk is not to be filled.
_MOST_WAITING = 20
_LONGEST_NAME = 200
LONGEST_WORDS = 2_000
# So many checks go on at once, each a process.
_CHECKS_AT_ONCE = 2
_COLUMNS = (
    "upload_id, name, words, n_bytes, sha256, sent, sent_by, status, found, decided, decided_by, "
    "reason"
)


class DecidedError(PommelError):
    """Something is asked to be decided that does not wait for it any more."""


@frozen
class Other:
    """A submission whose place another would take."""

    id: str
    model: str
    by: str


@frozen
class Found:
    """What a check has said: each fault, or doubt, a line, and, of what is sound, what it is.

    `name` is that of a model or suite, `file` what the suite is to be called in its folder. `why`
    says what those in `supersedes` have to do with it. `log` is what a check has said that failed
    itself, for keepers.
    """

    faults: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    name: str = ""
    id: str = ""
    by: str = ""
    score: float | None = None
    low: float | None = None
    high: float | None = None
    weights_available: bool = False
    supersedes: list[Other] = field(default_factory=list)
    why: str = ""
    language: str = ""
    circuit: str = ""
    n_items: int = 0
    n_predictions: int = 0
    file: str = ""
    log: str = ""


@frozen
class Upload:
    """What is known of something that was sent, and what its check has found; times are UTC."""

    upload_id: str
    name: str
    words: str
    n_bytes: int
    sha256: str
    sent: str
    sent_by: str
    status: Status
    found: Found
    decided: str | None
    decided_by: str | None
    reason: str | None


@frozen
class Decision:
    """When something was decided, and by whom."""

    when: str
    by: str


@frozen
class Accepting:
    """What is accepted, by whom, and whether in the place of others.

    `lock` is an open file: whatever process puts the thing in its place has it open, too.
    """

    upload: Upload
    by: str
    replaces: bool
    lock: int


class Inbox(ABC):
    """What is sent for one place: it is checked at once, and waits for a keeper."""

    kind: ClassVar[Kind]
    # What addresses of its pages begin with, and what people call one.
    root: ClassVar[str]
    noun: ClassVar[str]

    def __init__(self, desk: Desk, jobs: Jobs, place: Path) -> None:
        self.desk = desk
        self.jobs = jobs
        self.place = place.absolute()
        self._lock = threading.Lock()
        self._checks: dict[str, threading.Event] = {}
        self.slots = threading.Semaphore(_CHECKS_AT_ONCE)

    # What differs between submissions and suites.

    @abstractmethod
    def check(self, path: Path) -> Found:
        """Look at a file in a process of its own; one without faults is sound."""

    @abstractmethod
    def accepted(self, upload: Upload) -> Decision | None:
        """Return that something was accepted, by what stands in the place; None if it was not."""

    @abstractmethod
    def put(self, path: Path, how: Accepting) -> None:
        """Put what a file holds in its place, wholly or not at all; raises `PommelError`."""

    # Sending.

    def send(self, name: str, content: bytes, *, by: str, words: str = "") -> str:
        """Keep something that was sent, and begin to check it; return its id.

        What the same person has sent before, and what waits, is that. Raises `UsageError` for
        nothing, for what somebody else has sent, and for more than may wait.
        """
        if not content:
            raise UsageError("no file came, or an empty one; choose one")
        if len(words) > LONGEST_WORDS:
            raise UsageError(f"that are too many words; up to {LONGEST_WORDS:,} characters do")
        sha256 = hashlib.sha256(content).hexdigest()
        upload_id = new_id()
        shown = printable(name)[:_LONGEST_NAME] or self.noun
        with self.desk.writing() as connection:
            pending = connection.execute(
                "SELECT upload_id, sha256, sent_by FROM uploads "
                "WHERE place = ? AND kind = ? AND status IN ('sent', 'waiting')",
                (str(self.place), self.kind),
            ).fetchall()
            for known_id, known, sender in pending:
                if known == sha256 and sender == by:
                    return str(known_id)
                if known == sha256:
                    raise UsageError(f"somebody else has sent this {self.noun}, and it waits")
            if sum(sender == by for _, _, sender in pending) >= _MOST_WAITING:
                raise UsageError(
                    f"{_MOST_WAITING} that you have sent wait already; send more when a keeper has "
                    f"looked at them"
                )
            connection.execute(
                "INSERT INTO uploads (upload_id, kind, place, name, words, content, n_bytes, "
                "sha256, sent, sent_by, status, found) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'sent', '{}')",
                (
                    *(upload_id, self.kind, str(self.place), shown, printable_lines(words)),
                    *(content, len(content), sha256, now(), by),
                ),
            )
        self._begin_check(upload_id)
        return upload_id

    def wait(self, upload_id: str, seconds: float) -> None:
        """Wait until a check has ended that goes on here, at most so long."""
        with self._lock:
            ended = self._checks.get(upload_id)
        if ended:
            ended.wait(seconds)

    def _begin_check(self, upload_id: str) -> None:
        with self._lock:
            if upload_id in self._checks:
                return
            self._checks[upload_id] = threading.Event()
        threading.Thread(target=self._checked, args=(upload_id,), daemon=True).start()

    def _checked(self, upload_id: str) -> None:
        try:
            # Whoever looks next has it checked again where this was too much, or a disk is full.
            with (
                contextlib.suppress(BusyError, StoreError),
                self.slots,
                self._file(upload_id) as path,
            ):
                if path:
                    self._keep(upload_id, self.check(path))
        finally:
            with self._lock:
                self._checks.pop(upload_id).set()

    def _keep(self, upload_id: str, found: Found) -> None:
        status: Status = "faulty" if found.faults else "waiting"
        with self.desk.writing() as connection:
            connection.execute(
                "UPDATE uploads SET status = ?, found = ?, "
                "content = CASE ? WHEN 'faulty' THEN x'' ELSE content END "
                "WHERE upload_id = ? AND status = 'sent'",
                (status, msgspec.json.encode(found).decode(), status, upload_id),
            )

    @contextlib.contextmanager
    def _file(self, upload_id: str) -> Iterator[Path | None]:
        """Give a file with what was sent, None where that is decided."""
        with self.desk.reading() as connection:
            row = connection.execute(
                "SELECT content FROM uploads WHERE upload_id = ? AND status IN ('sent', 'waiting')",
                (upload_id,),
            ).fetchone()
        if row is None:
            yield None
            return
        with tempfile.TemporaryDirectory(prefix="pommel-upload-") as folder:
            # Not under its own name, which a stranger has chosen.
            path = Path(folder) / f"{self.noun}{self._ending(row[0])}"
            path.write_bytes(row[0])
            yield path

    def _ending(self, _content: bytes) -> str:
        return ".pommel.zip"

    # Looking.

    def upload(self, upload_id: str) -> Upload:
        """Return what is known of something that was sent; raises `NotShownError`.

        A check that was killed with its server begins again.
        """
        found = self._found("upload_id = ?", upload_id)
        if not found:
            raise NotShownError(f"there is no such {self.noun}")
        return found[0]

    def waiting(self) -> list[Upload]:
        """Return what is checked or waits, the oldest first."""
        found = self._found("status IN ('sent', 'waiting') ORDER BY sent, rowid")
        return [each for each in found if each.status in {"sent", "waiting"}]

    def everything(self) -> list[Upload]:
        """Return all that was ever sent, the oldest first."""
        return self._found("TRUE ORDER BY sent, rowid")

    def decided(self, n: int = 20) -> list[Upload]:
        """Return what was accepted or refused last, the latest first."""
        which = "status IN ('accepted', 'refused') ORDER BY decided DESC, rowid DESC LIMIT ?"
        return self._found(which, n)

    def sent_by(self, person: str, n: int = 20) -> list[Upload]:
        """Return what one person has sent, the latest first."""
        return self._found("sent_by = ? ORDER BY sent DESC, rowid DESC LIMIT ?", person, n)

    def sent_as(self, sha256: str) -> Upload | None:
        """Return what was sent with this content and accepted, None for nothing."""
        found = self._found("sha256 = ? AND status IN ('waiting', 'accepted')", sha256)
        return found[0] if found else None

    def _found(self, which: str, *values: object) -> list[Upload]:
        """Return uploads as they are now: accepted where their place says so."""
        with self.desk.reading() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM uploads WHERE place = ? AND kind = ? AND {which}",  # noqa: S608 - our own text
                (str(self.place), self.kind, *values),
            ).fetchall()
        found = []
        for row in rows:
            upload = Upload(**{**row, "found": msgspec.json.decode(row["found"], type=Found)})
            if upload.status == "sent":
                self._begin_check(upload.upload_id)
            elif upload.status == "waiting" and (decision := self.accepted(upload)):
                self._decide(upload.upload_id, "accepted", decision)
                (upload,) = self._found("upload_id = ?", upload.upload_id)
            found.append(upload)
        return found

    # Deciding.

    def accept(self, upload_id: str, *, by: str, replaces: bool = False) -> Upload:
        """Put something that waits in its place; with `replaces`, in that of others.

        Raises `DecidedError` where it is decided already, `BusyError` where there is too much else
        to do, and `PommelError` where its place does not take it; then it is checked again.
        """
        with self._deciding(upload_id) as (upload, lock), self._file(upload_id) as path:
            if path is None:
                raise NotShownError(f"there is no such {self.noun}")
            with self.desk.writing() as connection:
                # Where the place does not say who has accepted it, this does.
                connection.execute(
                    "UPDATE uploads SET decided = ?, decided_by = ? WHERE upload_id = ?",
                    (now(), by, upload_id),
                )
            try:
                self.put(path, Accepting(upload=upload, by=by, replaces=replaces, lock=lock))
            except PommelError as error:
                # A command may have been ended when it had done its work.
                if not self.accepted(upload):
                    if not isinstance(error, BusyError):
                        self._check_again(upload_id)
                    raise
            decision = self.accepted(upload) or Decision(when=now(), by=by)
            self._decide(upload_id, "accepted", decision)
        return self.upload(upload_id)

    def refuse(self, upload_id: str, *, by: str, reason: str) -> Upload:
        """Refuse something that waits.

        Raises `DecidedError` where it is decided already, and `UsageError` for a reason that is not
        one line.
        """
        BoardFolder.check_reason(reason)
        with self._deciding(upload_id):
            self._decide(upload_id, "refused", Decision(when=now(), by=by), reason)
        return self.upload(upload_id)

    def _decide(
        self, upload_id: str, status: Status, decision: Decision, reason: str | None = None
    ) -> None:
        with self.desk.writing() as connection:
            connection.execute(
                "UPDATE uploads SET status = ?, decided = ?, decided_by = ?, reason = ?, "
                "content = x'' WHERE upload_id = ? AND status = 'waiting'",
                (status, decision.when, decision.by, reason, upload_id),
            )

    def _check_again(self, upload_id: str) -> None:
        with self.desk.writing() as connection:
            connection.execute(
                "UPDATE uploads SET status = 'sent', decided = NULL, decided_by = NULL "
                "WHERE upload_id = ? AND status = 'waiting'",
                (upload_id,),
            )
        self._begin_check(upload_id)

    @contextlib.contextmanager
    def _deciding(self, upload_id: str) -> Iterator[tuple[Upload, int]]:
        """Keep others from deciding, here and in other servers; give what waits, and the lock.

        A command that puts something in its place holds the lock, too: where its server is killed,
        others wait for its end.
        """
        path = self.desk.path.with_name(f"{self.desk.path.name}.deciding")
        opened = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            locked_for_others(opened)
            upload = self.upload(upload_id)
            if upload.status in {"accepted", "refused"}:
                raise DecidedError(
                    f"this {self.noun} is {upload.status} already, by {upload.decided_by} on "
                    f"{moment(upload.decided or '')} (UTC)"
                )
            if upload.status != "waiting":
                raise DecidedError(f"this {self.noun} does not wait: look at its check")
            yield upload, opened
        finally:
            os.close(opened)


def printable_lines(text: str) -> str:
    """Return a text of several lines without what could steer a terminal."""
    return printable(text.replace("\r\n", "\n"), has_lines=True).strip()


class Submissions(Inbox):
    """Submissions for a board, which are added as `pommel leaderboard add` does."""

    kind = "submission"
    root = "/board"
    noun = "submission"

    def __init__(self, desk: Desk, jobs: Jobs, board: ShownBoard) -> None:
        super().__init__(desk, jobs, board.place.folder)
        self.board = board

    def check(self, path: Path) -> Found:
        """Have `pommel leaderboard check` look at it."""
        command = ["leaderboard", "check", str(self.place), str(path)]
        finished = self.jobs.run([*command, "--supersede", "--format", "json"])
        return _verdict(finished, path)

    def accepted(self, upload: Upload) -> Decision | None:
        """Return that the ledger has it."""
        event = self.board.added.get(upload.sha256)
        return Decision(when=event.when, by=event.by) if event else None

    def put(self, path: Path, how: Accepting) -> None:
        """Have `pommel leaderboard add` add it."""
        more = ["--supersede"] if how.replaces else []
        arguments = ["add", str(self.place), str(path), f"--by={how.by}", *more]
        self._changed(arguments, path, how.lock)

    def withdraw(self, submission_id: str, *, reason: str, by: str) -> None:
        """Take a submission off the ranking; raises `PommelError`."""
        BoardFolder.check_reason(reason)
        if submission_id not in self.board.ledger.submissions:
            raise NotShownError("there is no such submission on this board")
        options = [f"--reason={reason}", f"--by={by}"]
        self._changed(["withdraw", str(self.place), submission_id, *options])

    def _changed(
        self, arguments: Sequence[str], path: Path | None = None, lock: int | None = None
    ) -> None:
        """Run a command that changes the board; raises `PommelError` with what it says."""
        finished = self.jobs.run(["leaderboard", *arguments], holding=lock)
        if finished.exit_status != 0:
            raise UsageError(_said(finished, path, self.place) or "the board could not be changed")


class Proposals(Inbox):
    """Suites that are proposed for a folder."""

    kind = "suite"
    root = "/suites"
    noun = "suite"

    def check(self, path: Path) -> Found:
        """Have `pommel suites check` look at it."""
        finished = self.jobs.run(["suites", "check", str(path), "--format", "json"])
        try:
            said = json.loads(finished.said)
        except ValueError:
            return _verdict(finished, path)
        lines = [(each["severity"], _without(path, _line(each))) for each in said]
        faults = [line for severity, line in lines if severity == "error"]
        if faults or finished.exit_status != 0:
            return Found(faults=faults or [_said(finished, path)])
        listed = self.jobs.run(["suites", "list", str(path), "--format", "json"])
        if listed.exit_status != 0:
            return _failed(listed, path)
        (card,) = json.loads(listed.said)
        file = f"{file_stem(card['name'])}{path.suffix}"
        return msgspec.convert({**card, "doubts": [line for _, line in lines], "file": file}, Found)

    def accepted(self, upload: Upload) -> Decision | None:
        """Return that the folder has its file."""
        path = self.place / upload.found.file
        if upload.decided is None or upload.decided_by is None or not path.is_file():
            return None
        if hashlib.sha256(path.read_bytes()).hexdigest() != upload.sha256:
            return None
        return Decision(when=upload.decided, by=upload.decided_by)

    def put(self, path: Path, how: Accepting) -> None:
        """Write it and its card into the folder, over no other file."""
        upload = how.upload
        target, content = self.place / upload.found.file, path.read_bytes()
        make_folder(self.place)
        _check_new(target, content)
        if upload.words:
            text = (
                f"# {upload.found.name}\n\n{upload.words}\n\nProposed by {upload.sent_by} on "
                f"{upload.sent[:10]}, accepted by {how.by}.\n"
            )
            # Before the suite: where that is, it was accepted.
            _write_new(target.with_suffix(".md"), text.encode())
        _write_new(target, content)

    def _ending(self, content: bytes) -> str:
        start = content[:64].decode("utf-8", "ignore").lstrip("\ufeff \t\r\n")
        return ".json" if start.startswith(("{", "[")) else ".csv"


def _check_new(path: Path, content: bytes) -> None:
    """Raise `UsageError` for a file that is there with another content.

    One with the same is from before: a server that wrote it was killed.
    """
    if path.exists() and path.read_bytes() != content:
        raise UsageError(
            f"{path.name} is in the folder already, with another content; refuse this one, or take "
            f"that file away"
        )


def _write_new(path: Path, content: bytes) -> None:
    """Write a file as a whole that was not there, or had this content; raises `PommelError`."""
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as aside:
            part = Path(aside) / path.name
            with part.open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            # Neither takes the place of what is there, unlike a renaming elsewhere.
            if sys.platform == "win32":
                part.rename(path)
            else:
                path.hardlink_to(part)
    except FileExistsError:
        _check_new(path, content)
    except OSError as error:
        raise PommelError(f"{path}: cannot be written: {error.strerror or error}") from None


def _line(fault: Mapping[str, Any]) -> str:
    """Return what a fault of `pommel suites check --format json` says, and where."""
    place = f"line {fault['line']}, column {fault['column']}: " if fault["column"] else ""
    hint = f"; {fault['hint']}" if fault["hint"] else ""
    where = f" (at {fault['path']})" if fault["path"] else ""
    return f"{place}{fault['message']}{hint}{where}"


def _verdict(finished: Finished, path: Path) -> Found:
    """Return what a check has said: that something is sound, or what is wrong with it."""
    try:
        said = json.loads(finished.said)
        faults = [_without(path, each) for each in said["faults"]]
        return msgspec.convert({**said, "name": said.get("model", ""), "faults": faults}, Found)
    except (ValueError, KeyError, TypeError):
        return _failed(finished, path)


def _failed(finished: Finished, path: Path) -> Found:
    """Return that a check has failed itself: memory or time ran out, or its place is damaged."""
    why = "took too long" if finished.exit_status is None else "has failed"
    fault = f"the check {why}, and nothing is known of this file; ask who keeps this server"
    return Found(faults=[fault], log=_said(finished, path))


def _said(finished: Finished, path: Path | None, place: Path | None = None) -> str:
    """Return what a command has said is wrong, without paths of this machine."""
    text = " ".join(finished.lines[-10:])
    text = _without(path, text) if path else text
    return text.replace(f"{place}/", "").replace(str(place), "the board") if place else text


def _without(path: Path, line: str) -> str:
    """Return a line without the path that a file has while it is checked."""
    return line.replace(f"{path}: ", "").replace(str(path), path.name)
