"""A command in a container, from its start to its removal: deadline, output limit, last words."""

import contextlib
import queue
import threading
import time
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from typing import NoReturn, Self

from pommel.errors import (
    ContainerError,
    UnsupportedFeatureError,
    first_line,
    printable,
    quoted,
    readable_size,
)
from pommel.models.container.engines.engine import STDERR, Channel, Engine, Job

_MAX_BYTES = 16_384
_MAX_LINES = 10
_MAX_COLUMNS = 200
_LONGEST_MESSAGE = 400


def shortened(message: str) -> str:
    """Return a message that quotes what a container has printed, fit to be shown.

    It may quote a line of many millions.
    """
    shown = "\n".join(map(printable, message[: _LONGEST_MESSAGE + 1].split("\n")))
    return shown if len(shown) <= _LONGEST_MESSAGE else f"{shown[:_LONGEST_MESSAGE]}…"


def place(number: int, sentence: str) -> str:
    """Return how a message names a sentence; `number` counts from 1."""
    return f"sentence {number} ({quoted(sentence)})"


def last_words(written: bytes) -> str:
    """Return the last lines of what a program has written, as the end of a message; maybe "".

    What is no printable character is shown as `?`: a container must not steer a terminal.
    """
    text = written[-_MAX_BYTES:].decode(errors="replace")
    lines = [printable(line).rstrip()[:_MAX_COLUMNS] for line in text.splitlines()]
    shown = [f"    {line}" for line in lines if line][-_MAX_LINES:]
    return "\n".join(["; the last it wrote to standard error:", *shown]) if shown else ""


def cut_off(message: str) -> ContainerError:
    """Return the error about a command that was stopped from outside."""
    error = ContainerError(message)
    error.is_cut_off = True
    return error


# What lines begin with that TensorFlow and its kin print where answers are expected.
WARNING = "WARNING"

# The exit status of the LM Zoo protocol for a command that an image does not have.
NOT_SUPPORTED = 99
_KILLED = 137
_NO_COMMAND = {126: "cannot be executed", 127: "or a program that it calls is not there"}
# A specification with a large vocabulary takes some ten million bytes; nothing else comes near.
_LINE_BYTES = 1 << 26
# Output that has come and that nobody has asked for yet; more waits in the container.
_PIECES_WAITING = 64
_SECONDS_FOR_LAST_WORDS = 0.3


class Command:
    """A command in a container of its own; a context manager that always removes the container.

    Input goes in by a thread of its own, so that neither side ever waits for the other.
    Every method that waits raises `ContainerError` when the sandbox's time or output is used up,
    after killing the container. Messages name image and command, and end with the last lines of the
    command's standard error. Those about wrong output name `at`, too: the sentence that it is
    about. `suspect` is as in `ModelError`: the sentence whose answer is waited for, if any is.
    """

    at: str = ""
    suspect: str | None = None

    def __init__(self, engine: Engine, job: Job) -> None:
        """Start nothing yet: `with` does."""
        self._engine = engine
        self._job = job
        self._input: queue.SimpleQueue[tuple[Iterable[bytes], bool] | None] = queue.SimpleQueue()
        self._input_error: Exception | None = None
        self._pieces: queue.Queue[tuple[int, bytes] | ConnectionError | None] = queue.Queue(
            _PIECES_WAITING
        )
        self._stopped = threading.Event()
        self._raw_lines = self._each_line()
        self._n_lines = 0
        self.habits: set[str] = set()
        self._ended = False
        self._tail = b""
        self._n_bytes = 0
        self._deadline = 0.0
        self._channel: Channel

    def __enter__(self) -> Self:
        """Start the container."""
        self._channel = self._engine.start(self._job)
        try:
            self.restart_clock()
            for work in (self._read_all, self._write_all):
                threading.Thread(target=work, daemon=True).start()
        except BaseException:
            # Ctrl-C just now: nobody would call `__exit__`.
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Kill and remove the container."""
        self.stop()

    def stop(self) -> None:
        """Kill and remove the container; nothing if that has been done."""
        self._stopped.set()
        self._input.put(None)
        self._channel.remove()

    def wait_for(self, number: int, sentence: str) -> None:
        """Note which sentence output is expected about; `number` counts from 1."""
        self.at, self.suspect = place(number, sentence), sentence

    def feed(self, chunks: Iterable[bytes], *, last: bool = True) -> None:
        """Send pieces of input, taken one by one, in the background; with `last` it ends then.

        A command that stops reading is no error here: how it ends says what was wrong.
        """
        self._input.put((chunks, last))

    def chunks(self) -> Iterator[bytes]:
        """Yield standard output as it comes. Not to be mixed with lines."""
        while (piece := self._next_piece()) is not None:
            yield piece

    def lines(self) -> Iterator[str]:
        """Return standard output line by line, without line feeds; raises if it is not UTF-8.

        A last line without a line feed is a line. The exit status is not looked at.
        """
        return iter(self.next_line, None)

    def next_line(self) -> str | None:
        """Return the next line, None at the end of the output."""
        raw = next(self._raw_lines, None)
        if raw is None:
            return None
        self._n_lines += 1
        if self._n_lines == 1 and raw.startswith(BOM_UTF8):
            self.habits.add("a byte order mark")
            raw = raw.removeprefix(BOM_UTF8)
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            raise self.fault(f"line {self._n_lines} of its output is not UTF-8") from error

    def needed_line(self, at_end: str) -> str:
        """Return the next line; raises an error that says `at_end` if there is none."""
        line = self.next_line()
        if line is None:
            self.finish()
            raise self.failure(at_end)
        return line

    def finish(self) -> None:
        """Wait for the end; raises `ContainerError` unless the exit status is 0.

        `UnsupportedFeatureError` if it is 99. Output that is still to come is thrown away.
        """
        while self._next_piece() is not None:
            pass
        try:
            status = self._channel.exit_status(max(0.1, self._deadline - time.monotonic()))
        except TimeoutError:
            self._out_of_time()
        except ConnectionError as error:
            raise self._lost(error) from error
        if status.out_of_memory or status.code == _KILLED:
            what = "out of memory: something in the container was killed for it"
            if not status.out_of_memory:
                what = f"it was killed (exit status {_KILLED}), probably for its use of memory"
            limit = readable_size(self._job.sandbox.memory_bytes)
            raise self._cut_off(f"{what} (the limit is {limit}; --sandbox memory=SIZE allows more)")
        if status.code == NOT_SUPPORTED:
            message = "the image does not support this (exit status 99)"
            raise UnsupportedFeatureError(self._message(message))
        if status.code in _NO_COMMAND:
            reason = f"the command {_NO_COMMAND[status.code]} (exit status {status.code})"
            raise ContainerError(self._message(reason))
        if status.code != 0:
            raise self.failure(f"it ended with exit status {status.code}")

    def restart_clock(self) -> None:
        """Begin the sandbox's time and output limits anew (the next block of a session)."""
        self._n_bytes = 0
        self._deadline = min(time.monotonic() + self._job.sandbox.timeout_s, self._job.until)

    def failure(self, what: str) -> ContainerError:
        """Return an error about this command: image, command, `what`, its last words on stderr."""
        error = ContainerError(self._message(what))
        error.suspect = self.suspect
        return error

    def fault(self, what: str) -> ContainerError:
        """Return an error about output that is wrong, about the sentence `at` if there is one.

        Raises the one that ended the command instead, if something did: a command that fails may
        leave half a line, or say on standard output what is wrong.
        """
        error = self.failure(shortened(what) + (f", at {self.at}" if self.at else ""))
        # The error has just waited for the last words: if that was all, the end is known.
        if self._ended:
            self.finish()
        return error

    def _cut_off(self, what: str) -> ContainerError:
        return cut_off(self._message(what))

    def _message(self, what: str) -> str:
        self._hear_last_words()
        return f"{self._job.where}: {what}{last_words(self._tail)}"

    def _hear_last_words(self) -> None:
        """Take in what is on its way, so that a message has the reason and not what came before."""
        until = time.monotonic() + _SECONDS_FOR_LAST_WORDS
        while not self._ended and (left := until - time.monotonic()) > 0:
            try:
                piece = self._pieces.get(timeout=left)
            except queue.Empty:
                return
            if piece is None or isinstance(piece, ConnectionError):
                self._ended = True
            elif piece[0] == STDERR:
                self._hear(piece[1])

    def _hear(self, data: bytes) -> None:
        self._tail = (self._tail + data)[-_MAX_BYTES:]

    def _each_line(self) -> Iterator[bytearray]:
        rest = bytearray()
        for piece in self.chunks():
            rest += piece
            if b"\n" in piece:
                *lines, rest = rest.split(b"\n")
                yield from lines
            if len(rest) > _LINE_BYTES:
                most = readable_size(_LINE_BYTES)
                raise self.failure(f"a line of its output is longer than {most}")
        if rest:
            yield rest

    def _next_piece(self) -> bytes | None:
        """Return the next piece of standard output, None at its end."""
        while not self._ended:
            left = self._deadline - time.monotonic()
            try:
                piece = self._pieces.get(timeout=max(0.0, left))
            except queue.Empty:
                self._out_of_time()
            if left < 0:
                # There may always be another piece of output, for ever.
                self._out_of_time()
            if piece is None:
                self._ended = True
            elif isinstance(piece, ConnectionError):
                self._ended = True
                raise self._lost(piece)
            else:
                stream, data = piece
                self._count(len(data))
                if stream != STDERR:
                    return data
                self._hear(data)
        if self._input_error is not None:
            raise self._input_error
        return None

    def _count(self, n_bytes: int) -> None:
        self._n_bytes += n_bytes
        limit = self._job.sandbox.output_bytes
        if self._n_bytes > limit:
            error = self._cut_off(
                f"it printed more than {readable_size(limit)} and was stopped "
                "(--sandbox output=SIZE allows more)"
            )
            self.stop()
            raise error

    def _out_of_time(self) -> NoReturn:
        sandbox = self._job.sandbox
        what, setting = f"it had not ended after {sandbox.timeout_s:g} s", "time"
        if self._deadline == self._job.until:
            what, setting = f"the image had used up its {sandbox.total_s:g} s", "total-time"
        error = self._cut_off(f"{what} and was stopped (--sandbox {setting}=SECONDS allows more)")
        self.stop()
        raise error

    def _lost(self, error: ConnectionError) -> ContainerError:
        # One line: what it has written last has nothing to do with it.
        where = self._job.where
        return cut_off(f"{where}: the connection to the container is lost: {first_line(error)}")

    def _write_all(self) -> None:
        try:
            while (piece := self._input.get()) is not None and not self._stopped.is_set():
                chunks, last = piece
                for chunk in chunks:
                    if self._stopped.is_set():
                        return
                    self._channel.write(chunk)
                if last:
                    self._channel.close_input()
                    return
        except ConnectionError:
            return
        except Exception as error:  # noqa: BLE001 - raised again where the output is read
            self._input_error = error
            self._channel.remove()

    def _read_all(self) -> None:
        """Put all output into the queue, as fast as it is taken from there."""
        piece: tuple[int, bytes] | ConnectionError | None = (STDERR, b"")
        while isinstance(piece, tuple) and not self._stopped.is_set():
            try:
                piece = self._channel.read()
            except ConnectionError as error:
                piece = error
            while not self._stopped.is_set():
                with contextlib.suppress(queue.Full):
                    self._pieces.put(piece, timeout=0.2)
                    break


def output_lines(engine: Engine, job: Job, chunks: Iterable[bytes] = ()) -> Iterator[str]:
    """Run a command with `chunks` as its input and yield its lines; raises as `finish` does."""
    with Command(engine, job) as command:
        command.feed(chunks)
        yield from command.lines()
        command.finish()
