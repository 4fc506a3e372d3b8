"""Work that takes longer than a request: commands of pommel, each a process of its own.

What a command does is what it does in a terminal, and so is what it leaves: a run that is cancelled
keeps what it has scored, and the same command goes on with it.
"""

import contextlib
import datetime as dt
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import IO, Any, Literal

from pommel.errors import PommelError, StoreError, printable
from pommel.serve.desk import Desk, new_id, now
from pommel.values import frozen

# What is kept of a log: its end.
_LOG_CHARACTERS = 100_000
_LOG_IS_CUT = "[what came before is left out]\n"
# A line that never ends is taken as several.
_LINE_CHARACTERS = 4_000
# What a command that is waited for may say.
_SAID_BYTES = 16 << 20
_SECONDS_BETWEEN_WRITES = 0.5
# How a command says how far it is (`pommel.cli.output.progress_bar`).
_PROGRESS = re.compile(r"progress: ([0-9]+) of ([0-9]+), (.*)\n?")
# So long a command may take to keep what it has when it is cancelled.
_SECONDS_TO_STOP = 20.0
# A server that has said nothing for so many of its beats is not there any more.
_BEATS_UNTIL_LOST = 4
_CANCELLED = 128 + signal.SIGINT
# As Ctrl-C and its signals have it: of a shell, and of Python.
_STOPPED = (_CANCELLED, -2, 143, -15, -9, 137)
State = Literal["waiting", "running", "done", "failed", "cancelled", "lost"]
_NOT_STARTED = 71


class BusyError(PommelError):
    """There is too much under way; it may be tried again in a while."""


@frozen
class Limits:
    """What a process may take that opens what a stranger has sent.

    Seconds are those of a clock, and as many of a processor. All but the first are held where
    Linux is.
    """

    seconds: float = 120.0
    memory_bytes: int = 2 << 30
    file_bytes: int = 2 << 30


@frozen
class Finished:
    """How a command has ended: its exit status, None where it took too long, and what it said."""

    exit_status: int | None
    said: str
    log: str

    @property
    def lines(self) -> list[str]:
        """What it has said beside its answer, without what each of its errors begins with."""
        return [line.removeprefix("pommel: ") for line in self.log.splitlines() if line.strip()]


@frozen
class Task:
    """A command of pommel that is to be begun: its arguments, and what is `given` to it to read.

    `kind` and `title` are what people are told of it, `about` what its page shows beside its log.
    """

    kind: str
    title: str
    arguments: Sequence[str]
    about: Mapping[str, object] = field(default_factory=dict)
    given: bytes = b""


@frozen
class Job:
    """A command that was begun: `exit_status` is None as long as it goes on.

    It is None, too, where its server was killed: then `is_lost`, and nobody knows how it ended.
    """

    job_id: str
    kind: str
    title: str
    about: Mapping[str, Any]
    begun: str
    begun_by: str
    ended: str | None
    exit_status: int | None
    log: str
    is_lost: bool = False

    @property
    def is_going_on(self) -> bool:
        """Whether it is waiting or under way."""
        return self.ended is None and not self.is_lost

    @property
    def state(self) -> State:
        """How far it is, in a word."""
        if self.is_lost:
            return "lost"
        if self.is_going_on:
            return "running" if self.log else "waiting"
        if self.exit_status == 0:
            return "done"
        return "cancelled" if self.exit_status in _STOPPED else "failed"

    @property
    def progress(self) -> tuple[int, int, str] | None:
        """How much it has done, of how much, and of what, if it has said so; None once it ended."""
        match = _PROGRESS.fullmatch(self.log.rstrip("\n").rpartition("\n")[2])
        return (int(match[1]), int(match[2]), match[3]) if match and self.is_going_on else None


class Jobs:
    """The jobs of a desk; of those of this process `most_at_once` are under way, others wait.

    While there are any, this server says each `beat_seconds` that it is there: another one on the
    same desk knows by that which jobs nobody looks after any more.
    """

    def __init__(
        self,
        desk: Desk,
        *,
        most_at_once: int = 2,
        most_waiting: int = 50,
        beat_seconds: float = 5.0,
    ) -> None:
        self.desk = desk
        self.server = secrets.token_hex(8)
        self._most_at_once = most_at_once
        self._most_waiting = most_waiting
        self._beat_seconds = beat_seconds
        self._under_way: dict[str, _UnderWay] = {}
        # Held for what is above, and told when a place has become free, or is not needed any more.
        self._changed = threading.Condition()
        self._n_at_once = 0
        self._waited_for = threading.BoundedSemaphore(most_at_once)
        self._is_closed = threading.Event()
        self._beat: threading.Thread | None = None

    def begin(self, task: Task, *, by: str) -> str:
        """Begin a command, and return the id of its job.

        Raises `BusyError` where too many wait already.
        """
        job_id = new_id()
        work = _UnderWay(task.arguments, task.given)
        with self._changed:
            if len(self._under_way) >= self._most_at_once + self._most_waiting:
                raise BusyError(
                    f"{len(self._under_way)} jobs are waiting or under way; begin this one when "
                    f"some of them have ended"
                )
            # Before others can read of it: a job that is not here is lost.
            self._under_way[job_id] = work
        said = json.dumps([*task.arguments]), json.dumps(dict(task.about))
        row = (job_id, task.kind, task.title, *said, by)
        try:
            with self.desk.writing() as connection:
                connection.execute(
                    "INSERT INTO jobs (job_id, kind, title, arguments, about, begun_by, begun, "
                    "seen, server, log) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '')",
                    (*row, now(), now(), self.server),
                )
            threading.Thread(target=self._done, args=(job_id, work), daemon=True).start()
        except BaseException:
            self._forget(job_id)
            raise
        self._begin_beats()
        return job_id

    def cancel(self, job_id: str) -> None:
        """Have a job of this server end, as Ctrl-C does; nothing where it has ended."""
        with self._changed:
            work = self._under_way.get(job_id)
        if work:
            work.cancel()
            with self._changed:
                self._changed.notify_all()

    def job(self, job_id: str) -> Job | None:
        """Return a job, None for one that is not there."""
        return next(iter(self._found("WHERE job_id = ?", [job_id])), None)

    def latest(self, n: int = 50) -> list[Job]:
        """Return the jobs that were begun last, the newest first, with the ends of their logs."""
        return self._found("ORDER BY begun DESC, rowid DESC LIMIT ?", [n], log="substr(log, -200)")

    def run(
        self, arguments: Sequence[str], limits: Limits | None = None, *, holding: int | None = None
    ) -> Finished:
        """Run a command of pommel and wait for it; it is ended where it takes too much.

        `holding` is an open file that it is to have open, too, as long as it lives: a lock. Raises
        `BusyError` where others are run for all that time.
        """
        limits = limits or Limits()
        if not self._waited_for.acquire(timeout=limits.seconds):
            raise BusyError("others are being worked for; try again in a minute")
        try:
            with tempfile.TemporaryFile("w+b") as said, tempfile.TemporaryFile("w+b") as log:
                # Each thread of a library reserves memory that it does not use.
                one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
                process = _started(arguments, subprocess.DEVNULL, (said, log), one, holding)
                try:
                    _bound(process.pid, limits)
                    status: int | None = process.wait(limits.seconds)
                except subprocess.TimeoutExpired:
                    status = None
                finally:
                    # What it has started itself ends with it, and it where we are interrupted.
                    _kill(process)
                    process.wait()
                return Finished(exit_status=status, said=_text(said), log=_text(log))
        finally:
            self._waited_for.release()

    def close(self) -> None:
        """End all jobs of this server, as Ctrl-C does, and wait for them."""
        with self._changed:
            works = [*self._under_way.values()]
        for work in works:
            work.cancel()
        with self._changed:
            self._changed.notify_all()
        for work in works:
            # It is killed where it takes longer.
            work.has_ended.wait(2 * _SECONDS_TO_STOP)
        self._is_closed.set()

    def _done(self, job_id: str, work: "_UnderWay") -> None:
        status = _CANCELLED
        try:
            if self._has_place(work):
                try:
                    status = work.run(lambda: self._write(job_id, work))
                    # Python ends in more than one way where it is interrupted while it starts.
                    status = _CANCELLED if status and work.is_cancelled else status
                finally:
                    with self._changed:
                        self._n_at_once -= 1
                        self._changed.notify_all()
        finally:
            self._write(job_id, work, status)
            self._forget(job_id)
            work.has_ended.set()

    def _has_place(self, work: "_UnderWay") -> bool:
        """Wait for a place; return False where the job is cancelled before there is one."""
        with self._changed:
            self._changed.wait_for(
                lambda: work.is_cancelled or self._n_at_once < self._most_at_once
            )
            if work.is_cancelled:
                return False
            self._n_at_once += 1
        return True

    def _forget(self, job_id: str) -> None:
        with self._changed:
            self._under_way.pop(job_id, None)

    def _write(self, job_id: str, work: "_UnderWay", status: int | None = None) -> None:
        ended = None if status is None else now()
        # A desk whose disk is full is no reason to end the command, which has results elsewhere.
        with contextlib.suppress(StoreError), self.desk.writing() as connection:
            connection.execute(
                "UPDATE jobs SET log = ?, ended = ?, exit_status = ? WHERE job_id = ?",
                (work.log, ended, status, job_id),
            )

    def _begin_beats(self) -> None:
        with self._changed:
            if self._beat is None or not self._beat.is_alive():
                self._beat = threading.Thread(target=self._beats, daemon=True)
                self._beat.start()

    def _beats(self) -> None:
        while not self._is_closed.wait(self._beat_seconds):
            with self._changed:
                if not self._under_way:
                    # Under the lock: whoever begins a job after this begins beats, too.
                    self._beat = None
                    return
            with contextlib.suppress(StoreError), self.desk.writing() as connection:
                connection.execute(
                    "UPDATE jobs SET seen = ? WHERE server = ? AND ended IS NULL",
                    (now(), self.server),
                )

    def _found(self, which: str, values: Sequence[object], *, log: str = "log") -> list[Job]:
        with self.desk.reading() as connection:
            rows = connection.execute(
                f"SELECT job_id, kind, title, about, begun, begun_by, ended, exit_status, server, "  # noqa: S608 - our own text
                f"seen, {log} AS log FROM jobs {which}",
                values,
            ).fetchall()
        found = []
        for row in map(dict, rows):
            server, seen = row.pop("server"), row.pop("seen")
            is_lost = row["ended"] is None and self._is_lost(row["job_id"], server, seen)
            found.append(Job(**{**row, "about": json.loads(row["about"]), "is_lost": is_lost}))
        return found

    def _is_lost(self, job_id: str, server: str, seen: str) -> bool:
        if server == self.server:
            # One that has just ended may have been read before it had.
            return job_id not in self._under_way and not self._has_ended(job_id)
        silent = dt.datetime.now(dt.UTC) - dt.datetime.fromisoformat(seen)
        return silent.total_seconds() > _BEATS_UNTIL_LOST * self._beat_seconds + 1

    def _has_ended(self, job_id: str) -> bool:
        with self.desk.reading() as connection:
            found = connection.execute(
                "SELECT ended FROM jobs WHERE job_id = ?", (job_id,)
            ).fetchone()
        return found is not None and found[0] is not None


class _UnderWay:
    """A command: its process once it has begun, and what it has said so far."""

    def __init__(self, arguments: Sequence[str], given: bytes) -> None:
        self.arguments = tuple(arguments)
        self.given = given
        self.has_ended = threading.Event()
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._process: subprocess.Popen[bytes] | None = None
        self._killing: threading.Timer | None = None
        self._lines: list[str] = []
        self._n_characters = 0
        self._is_cut = False
        self._has_news = False

    @property
    def is_cancelled(self) -> bool:
        """Whether it is to end."""
        return self._is_cancelled

    @property
    def log(self) -> str:
        """What it has said, the end of it where that is long."""
        with self._lock:
            said = "".join(self._lines)[-_LOG_CHARACTERS:]
            return f"{_LOG_IS_CUT}{said}" if self._is_cut else said

    def run(self, write: Callable[[], object]) -> int:
        """Run it, and have its log written now and then; return its exit status."""
        reading, writing = os.pipe()
        with open(reading, encoding="utf-8", errors="replace") as lines:  # noqa: PTH123 - a pipe
            try:
                process = self._begun(writing)
            except OSError as error:
                self._add(f"pommel cannot be started: {error.strerror}\n")
                return _NOT_STARTED
            finally:
                os.close(writing)
            if process is None:
                return _CANCELLED
            try:
                reader = threading.Thread(target=self._read, args=[lines], daemon=True)
                reader.start()
                while reader.is_alive():
                    reader.join(_SECONDS_BETWEEN_WRITES)
                    if self._has_news:
                        self._has_news = False
                        write()
                return process.wait()
            finally:
                with self._lock:
                    if self._killing:
                        self._killing.cancel()

    def cancel(self) -> None:
        """End it as Ctrl-C does, and as `kill -9` does where that takes too long."""
        with self._lock:
            if self._is_cancelled:
                return
            self._is_cancelled = True
            process = self._process
            if process is None or process.poll() is not None:
                return
            _interrupt(process)
            self._killing = threading.Timer(_SECONDS_TO_STOP, _kill, [process])
            # The server need not wait for it when it ends itself.
            self._killing.daemon = True
            self._killing.start()

    def _begun(self, writing: int) -> "subprocess.Popen[bytes] | None":
        """Return the process, which writes into a pipe; None where it was cancelled before."""
        with tempfile.TemporaryFile("w+b") as given, self._lock:
            if self._is_cancelled:
                return None
            given.write(self.given)
            given.seek(0)
            telling = {"POMMEL_PROGRESS": "1"}
            self._process = _started(self.arguments, given, (writing, writing), telling)
            return self._process

    def _read(self, lines: IO[str]) -> None:
        for line in iter(lambda: lines.readline(_LINE_CHARACTERS), ""):
            self._add(f"{printable(line.rstrip())}\n")

    def _add(self, line: str) -> None:
        with self._lock:
            # How far it was is of no interest once it is further.
            if self._lines and _PROGRESS.fullmatch(self._lines[-1]):
                self._n_characters -= len(self._lines.pop())
            self._lines.append(line)
            self._n_characters += len(line)
            # Now and then, so that a long log costs no more a line than a short one.
            if self._n_characters > 2 * _LOG_CHARACTERS:
                self._lines = ["".join(self._lines)[-_LOG_CHARACTERS:]]
                self._n_characters = _LOG_CHARACTERS
            self._is_cut = self._is_cut or self._n_characters > _LOG_CHARACTERS
            self._has_news = True


def _started(
    arguments: Sequence[str],
    given: int | IO[bytes],
    said: tuple[int | IO[bytes], int | IO[bytes]],
    more: Mapping[str, str],
    holding: int | None = None,
) -> "subprocess.Popen[bytes]":
    """Begin a command of pommel: its standard input, its two outputs, what its environment adds.

    It leads a group of its own: Ctrl-C in the server's terminal is for the server, which tells its
    jobs.
    """
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "pommel", *arguments],
        stdin=given,
        stdout=said[0],
        stderr=said[1],
        start_new_session=True,
        # Windows has no children that inherit locks.
        pass_fds=() if holding is None or sys.platform == "win32" else (holding,),
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        env={**os.environ, "NO_COLOR": "1", "PYTHONUNBUFFERED": "1", **more},
    )


def _interrupt(process: "subprocess.Popen[bytes]") -> None:
    """Do to it and to all that it has started what Ctrl-C does."""
    if sys.platform == "win32":
        process.send_signal(signal.CTRL_BREAK_EVENT)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGINT)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End it and all that it has started."""
    if sys.platform == "win32":
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _text(said: IO[bytes]) -> str:
    """Return what was written into a file, the end of it where that is long."""
    n_bytes = said.seek(0, os.SEEK_END)
    said.seek(max(0, n_bytes - _SAID_BYTES))
    return said.read().decode("utf-8", "replace")


def _bound(pid: int, limits: Limits) -> None:
    if sys.platform != "linux":
        return
    import resource

    for what, most in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, int(limits.seconds) + 1),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        # One that has ended already needs none.
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, what, (most, most))
