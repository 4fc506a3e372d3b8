"""Work that takes longer than a request: commands of pommel, each a process of its own.

What a command does is what it does in a terminal, and so is what it leaves: a run that is cancelled
keeps what it has scored, and the same command goes on with it.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from pommel.errors import printable
from pommel.serve.desk import Desk, now
from pommel.values import frozen

# What is kept of a log: its end.
_LOG_CHARACTERS = 100_000
_SECONDS_BETWEEN_WRITES = 0.5
# So long a command may take to keep what it has when it is cancelled.
_SECONDS_TO_STOP = 20.0


@frozen
class Limits:
    """What a process may take that opens what a stranger has sent; memory only where Linux is."""

    seconds: float = 120.0
    memory_bytes: int = 2 << 30


@frozen
class Finished:
    """How a command has ended: its exit status, None where it took too long, and what it said."""

    exit_status: int | None
    said: str
    log: str


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


@frozen(eq=False)
class Jobs:
    """The jobs of a desk; those of this process of a server, at most `most_at_once`, under way."""

    desk: Desk
    most_at_once: int = 2
    server: str = field(default_factory=lambda: f"{os.getpid()}-{secrets.token_hex(4)}")
    _under_way: dict[str, "_UnderWay"] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _places: list[threading.Semaphore] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._places.append(threading.Semaphore(self.most_at_once))

    def begin(
        self,
        kind: str,
        title: str,
        arguments: Sequence[str],
        *,
        by: str,
        about: Mapping[str, object] | None = None,
    ) -> str:
        """Begin a command of pommel, and return the id of its job."""
        job_id = secrets.token_urlsafe(9)
        row = (job_id, kind, title, json.dumps([*arguments]), json.dumps(about or {}), now(), by)
        with self.desk.writing() as connection:
            connection.execute(
                "INSERT INTO jobs (job_id, kind, title, arguments, about, begun, begun_by, server, "
                "log) VALUES (?, ?, ?, ?, ?, ?, ?, ?, '')",
                (*row, self.server),
            )
        with self._lock:
            self._under_way[job_id] = work = _UnderWay(arguments=tuple(arguments))
        threading.Thread(target=self._done, args=(job_id, work), daemon=True).start()
        return job_id

    def cancel(self, job_id: str) -> None:
        """Have a job of this server end, as Ctrl-C does; nothing where it has ended."""
        with self._lock:
            work = self._under_way.get(job_id)
        if work:
            work.cancel()

    def job(self, job_id: str) -> Job | None:
        """Return a job, None for one that is not there."""
        return next(iter(self._found("WHERE job_id = ?", [job_id])), None)

    def latest(self, n: int = 50) -> list[Job]:
        """Return the jobs that were begun last, the newest first, without their logs."""
        return self._found("ORDER BY begun DESC, rowid DESC LIMIT ?", [n], log="''")

    def run(
        self, arguments: Sequence[str], limits: Limits | None = None, *, holding: int | None = None
    ) -> Finished:
        """Run a command of pommel and wait for it; it is ended where it takes too much.

        `holding` is an open file that it is to have open, too, as long as it lives: a lock.
        """
        limits = limits or Limits()
        with tempfile.TemporaryFile("w+b") as said, tempfile.TemporaryFile("w+b") as log:
            process = _started(arguments, said.fileno(), log.fileno(), holding=holding)
            _bound(process.pid, limits)
            try:
                status: int | None = process.wait(limits.seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                status = None
            texts = []
            for stream in (said, log):
                stream.seek(0)
                texts.append(stream.read().decode("utf-8", "replace"))
        return Finished(exit_status=status, said=texts[0], log=texts[1])

    def close(self) -> None:
        """End all jobs of this server, as Ctrl-C does, and wait for them."""
        with self._lock:
            works = [*self._under_way.values()]
        for work in works:
            work.cancel()
        for work in works:
            work.has_ended.wait(_SECONDS_TO_STOP)

    def _done(self, job_id: str, work: "_UnderWay") -> None:
        try:
            with self._places[0]:
                status = work.run(lambda log: self._write(job_id, log))
            self._write(job_id, work.log, status)
        finally:
            work.has_ended.set()
            with self._lock:
                self._under_way.pop(job_id, None)

    def _write(self, job_id: str, log: str, status: int | None = None) -> None:
        ended = None if status is None else now()
        with self.desk.writing() as connection:
            connection.execute(
                "UPDATE jobs SET log = ?, ended = ?, exit_status = ? WHERE job_id = ?",
                (log, ended, status, job_id),
            )

    def _found(self, which: str, values: Sequence[object], *, log: str = "log") -> list[Job]:
        with self.desk.reading() as connection:
            rows = connection.execute(
                f"SELECT job_id, kind, title, about, begun, begun_by, ended, exit_status, {log}, "  # noqa: S608 - our own text
                f"server FROM jobs {which}",
                values,
            ).fetchall()
        return [
            Job(
                job_id=job_id,
                kind=kind,
                title=title,
                about=json.loads(about),
                begun=begun,
                begun_by=by,
                ended=ended,
                exit_status=status,
                log=said,
                is_lost=ended is None and self._is_gone(job_id, server),
            )
            for job_id, kind, title, about, begun, by, ended, status, said, server in rows
        ]

    def _is_gone(self, job_id: str, server: str) -> bool:
        if server == self.server:
            return job_id not in self._under_way
        # Of another server on this desk: it is gone if its process is.
        try:
            os.kill(int(server.partition("-")[0]), 0)
        except (OSError, ValueError):
            return True
        return False


class _UnderWay:
    """A command: its process once it has begun, and what it has said so far."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.arguments = arguments
        self.log = ""
        self.has_ended = threading.Event()
        self._is_cancelled = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, write: Any) -> int:
        """Run it, and have its log written now and then; return its exit status."""
        if self._is_cancelled.is_set():
            return 128 + signal.SIGINT
        reading, writing = os.pipe()
        self._process = process = _started(self.arguments, writing, writing)
        os.close(writing)
        if self._is_cancelled.is_set():
            self._interrupt()
        written = time.monotonic()
        with open(reading, encoding="utf-8", errors="replace") as lines:  # noqa: PTH123 - a pipe
            for line in lines:
                self.log = f"{self.log}{printable(line.rstrip())}\n"[-_LOG_CHARACTERS:]
                if time.monotonic() - written >= _SECONDS_BETWEEN_WRITES:
                    write(self.log)
                    written = time.monotonic()
        return process.wait()

    def cancel(self) -> None:
        """End it as Ctrl-C does, and as `kill -9` does where that takes too long."""
        self._is_cancelled.set()
        self._interrupt()

    def _interrupt(self) -> None:
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.send_signal(signal.SIGINT)
        threading.Timer(_SECONDS_TO_STOP, process.kill).start()


def _started(
    arguments: Sequence[str], said: int, log: int, *, holding: int | None = None
) -> "subprocess.Popen[bytes]":
    # A group of its own: Ctrl-C in the server's terminal is for the server, which tells its jobs.
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "pommel", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=said,
        stderr=log,
        start_new_session=True,
        # Windows has no children that inherit locks.
        pass_fds=() if holding is None or sys.platform == "win32" else (holding,),
        env={**os.environ, "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"},
    )


def _bound(pid: int, limits: Limits) -> None:
    if sys.platform != "linux":
        return
    import resource

    whole_seconds = int(limits.seconds) + 1
    for what, most in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, whole_seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            resource.prlimit(pid, what, (most, most))
        except (OSError, ValueError):
            # It has ended already.
            return
