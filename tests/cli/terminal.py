"""The command line on a terminal or in a pipe: in a process of its own, or in this one."""

import codecs
import contextlib
import io
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import click

from pommel.cli import _pommel, main


class OutputStream(Protocol):
    """What a command writes to, and what it has written."""

    def getvalue(self) -> str: ...


class Screen(io.StringIO):
    """What a terminal is given."""

    def isatty(self) -> bool:
        return True


class Pipe(io.TextIOWrapper):
    """A pipe's end that has an encoding."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="\n")

    def getvalue(self) -> str:
        """Return what was written, read in that encoding."""
        self.flush()
        written = self.buffer.getvalue()  # type: ignore[attr-defined]
        return str(written, self.encoding, "replace")


def called(
    arguments: Iterable[str | Path], kind: Callable[[], OutputStream] = io.StringIO
) -> tuple[int, str, str]:
    """Run a command here; return its exit status, its output, and what it says on stderr."""
    out, err = kind(), kind()
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO()), out, err
    status = 0
    try:
        main([str(each) for each in arguments])
    except SystemExit as leaving:
        status = int(leaving.code or 0)
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    return status, out.getvalue(), err.getvalue()


# What never comes has not come by then; a busy machine starts Python in seconds.
_PATIENCE_S = 60.0


@dataclass
class Started:
    """A command that runs: what it has written so far, and what can be sent to it."""

    process: subprocess.Popen[bytes]
    reading: int
    seen: str = field(default="")
    decoder: codecs.IncrementalDecoder = field(
        default_factory=codecs.getincrementaldecoder("utf-8")
    )

    def wait_for(self, text: str) -> str:
        """Return all that was written up to and with `text`, which is then forgotten."""
        deadline = time.monotonic() + _PATIENCE_S
        while text not in self.seen:
            ready, _, _ = select.select([self.reading], [], [], max(deadline - time.monotonic(), 0))
            piece = self._read() if ready else b""
            assert piece, f"{text!r} never came: {self.seen!r}"
            # A piece may end within a character.
            self.seen += self.decoder.decode(piece).replace("\r\n", "\n")
        before, _, self.seen = self.seen.partition(text)
        return before + text

    def has_written(self, *, within_s: float) -> bool:
        """Say whether there is something to read, or will be soon."""
        ready, _, _ = select.select([self.reading], [], [], within_s)
        return bool(ready)

    def _read(self) -> bytes:
        # A terminal whose other end is closed fails instead of ending.
        with contextlib.suppress(OSError):
            return os.read(self.reading, 65536)
        return b""

    def type(self, text: str) -> None:
        """Send what someone types."""
        os.write(self.reading, text.encode())

    def end(self) -> int:
        """Return the exit status once the command has ended."""
        return self.process.wait(_PATIENCE_S)


def all_shown(screen: int) -> str:
    """Return all that a screen was sent, once nothing writes to it any more."""
    found = b""
    # At its end a terminal fails.
    with contextlib.suppress(OSError):
        while chunk := os.read(screen, 65536):
            found += chunk
    return found.decode().replace("\r\n", "\n")


def all_commands() -> dict[str, click.Command]:
    """Return every command that is no group by its path."""
    return dict(_leaves(_pommel, ""))


def _leaves(group: click.Group, before: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _leaves(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


@contextlib.contextmanager
def on_terminal(
    *arguments: str | Path, columns: int = 80, environment: Mapping[str, str] | None = None
) -> Iterator[Started]:
    """Start a command with all three streams on a terminal so many cells wide."""
    screen, other = os.openpty()
    known = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    known |= {"TERM": "xterm", "COLUMNS": str(columns), "LC_ALL": "C.UTF-8", **(environment or {})}
    process = _start(arguments, known, stdin=other, output=other)
    os.close(other)
    with _ended(process):
        yield Started(process=process, reading=screen)
    os.close(screen)


@contextlib.contextmanager
def in_pipe(*arguments: str | Path) -> Iterator[Started]:
    """Start a command whose stdout and stderr are one pipe."""
    reading, writing = os.pipe()
    process = _start(arguments, dict(os.environ), stdin=subprocess.DEVNULL, output=writing)
    os.close(writing)
    with _ended(process):
        yield Started(process=process, reading=reading)
    os.close(reading)


def _start(
    arguments: tuple[str | Path, ...], environment: dict[str, str], *, stdin: int, output: int
) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pommel", *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdin=stdin, stdout=output, stderr=output)


@contextlib.contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        process.kill()
        process.wait()
