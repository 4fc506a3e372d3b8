"""Run what a page shows, in this process and in a folder of its own, and compare what it prints."""

import contextlib
import doctest
import glob
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

from tests.docs.pages import REPOSITORY, Block, SampleFile, Session, Shown, Snippet, Step, steps

from pommel.cli import main

# Each stands for any text, and in a line of its own for any lines.
_ELIDED = re.compile(r"\.\.\.|…")
_NOTE = "note: "
# What differs from run to run, or from machine to machine.
_PASSING = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "SHA256"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "RUN"),
    (re.compile(r"\b[\d,]+ bytes\b"), "SIZE"),
    (re.compile(r"\b20\d\d-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?"), "DATE"),
)


# Another machine adds up in another order.
_ALL_DIGITS = re.compile(r"\b\d+\.\d{6,}\b")


class PageError(Exception):
    """Something does not do what a page shows; the message says what it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a command ended, and what it printed, both streams in order of time."""

    status: int
    output: str


@dataclass(slots=True)
class Workplace:
    """The folder in which a page is run: its files, what stands for what, Python's names.

    In commands and code each `stand_ins` key is replaced by its value, in what is printed each
    value by its key. `passing` says what else differs from run to run. What `until_done` holds ends
    with the part.
    """

    folder: Path
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)
    passing: Sequence[tuple[re.Pattern[str], str]] = ()
    until_done: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def run(self, block: Block) -> None:
        """Run a block; raises `PageError` where something else comes out than it shows."""
        for step in steps(block):
            try:
                self.step(step, block.place)
            except PageError as error:
                raise PageError(f"{block.place}: {error}") from None

    def command(self, line: str) -> Outcome:
        """Run a command line."""
        line = self._replaced(line)
        words = shlex.split(line)
        is_plain = words[0] == "pommel" and not re.search(r"[|;&<>]|\$\(", _unquoted(line))
        outcome = self._in_process(line) if is_plain else self._in_shell(line)
        output = outcome.output.replace(f"{self.folder}{os.sep}", "")
        for shown, actual in self.stand_ins.items():
            output = output.replace(actual, shown)
        return Outcome(status=outcome.status, output=output)

    def step(self, step: Step, place: str) -> None:
        """Run a step of the block that begins at `place`; raises `PageError`."""
        match step:
            case SampleFile(name, content):
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, "utf-8")
            case Shown(command):
                self.compare(step, self.command(command))
            case Snippet(code):
                self._snippet(compile(self._replaced(code), place, "exec"))
            case Session(text):
                self._session(text, place)

    def compare(self, shown: Shown, outcome: Outcome) -> None:
        """Raise `PageError` where something else has come out than is shown."""
        if shown.lines is None:
            if outcome.status != 0:
                message = f"ends with status {outcome.status}"
                raise PageError(f"$ {shown.command}\n{message}\n{outcome.output}")
        elif shown.is_part:
            lines = self._lasting(outcome.output).splitlines()
            if any(self._lasting(line) not in lines for line in shown.lines):
                raise PageError(f"$ {shown.command}\n{outcome.output}")
        elif not is_like(self._lasting(outcome.output), tuple(map(self._lasting, shown.lines))):
            raise PageError(f"$ {shown.command}\n{outcome.output}")

    def _snippet(self, code: CodeType) -> None:
        with _in_folder(self.folder):
            try:
                exec(code, self.names)  # noqa: S102 - our own pages
            except Exception as error:
                raise PageError(f"{type(error).__name__}: {error}") from error

    def _session(self, text: str, place: str) -> None:
        test = doctest.DocTestParser().get_doctest(text, self.names, place, None, None)
        printed = io.StringIO()
        with _in_folder(self.folder):
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            failed = runner.run(test, out=printed.write, clear_globs=False).failed
        self.names |= test.globs
        if failed:
            raise PageError(printed.getvalue())

    def _lasting(self, text: str) -> str:
        """Return an output without what differs from run to run, or from machine to machine."""
        for pattern, name in (*self.passing, *_PASSING):
            text = pattern.sub(name, text)
        return _ALL_DIGITS.sub(lambda number: f"{float(number[0]):.3f}", text)

    def _replaced(self, text: str) -> str:
        for shown, actual in self.stand_ins.items():
            text = text.replace(shown, actual)
        return text

    def _in_process(self, line: str) -> Outcome:
        both, status = io.StringIO(), 0
        with _in_folder(self.folder), contextlib.redirect_stdout(both):
            arguments = list(_arguments(line))[1:]
            with contextlib.redirect_stderr(both):
                try:
                    main(arguments)
                except SystemExit as leaving:
                    status = int(leaving.code or 0)
        return Outcome(status=status, output=both.getvalue())

    def _in_shell(self, line: str) -> Outcome:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        ran = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env=os.environ | {"PATH": path, "PYTHONPATH": str(REPOSITORY / "runner")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            text=True,
        )
        return Outcome(status=ran.returncode, output=ran.stdout)


def is_like(output: str, lines: tuple[str, ...]) -> bool:
    """Say whether an output is what a page shows.

    Three dots stand for any text, and in a line of their own for any lines. Notes count only where
    the page shows any.
    """
    pattern = "".join(
        r"(?:.*\n)*?"
        if _ELIDED.fullmatch(line.strip())
        else ".*".join(map(re.escape, _ELIDED.split(line.rstrip()))) + r" *\n"
        for line in lines
    )
    printed = output.rstrip("\n").split("\n")
    if not any(line.startswith(_NOTE) for line in lines):
        printed = [line for line in printed if not line.startswith(_NOTE)]
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def _unquoted(line: str) -> str:
    return re.sub(r"'[^']*'", "", line)


def _arguments(line: str) -> Iterator[str]:
    """Yield the words of a command line; those with patterns of files as a shell would."""
    for raw in re.findall(r"(?:'[^']*'|\"[^\"]*\"|\\.|[^\s'\"\\])+", line):
        (word,) = shlex.split(raw)
        is_pattern = any(sign in re.sub(r"'[^']*'|\"[^\"]*\"", "", raw) for sign in "*?")
        found = sorted(glob.glob(word)) if is_pattern else []  # noqa: PTH207 - as a shell does
        yield from found or [word]


@contextlib.contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(folder), open(os.devnull) as nothing:  # noqa: PTH123 - a device
        before, sys.stdin = sys.stdin, nothing
        try:
            yield
        finally:
            sys.stdin = before
