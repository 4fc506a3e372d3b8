"""What can go wrong that a user can mend, where it stands, and the words of messages.

One base class, one exit status each. The command line prints these without a traceback; anything
else that escapes is our mistake.
"""

import difflib
import functools
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Self

from pommel.values import frozen

_LONGEST_QUOTED = 80

# Joiners without a width, and marks of direction; they change nothing but what stands beside them.
_INVISIBLE = "\u200c\u200d\u200e\u200f\u061c"


class PommelError(Exception):
    """Base of every error whose message is meant for the user.

    `exit_status` is what the command line ends with (1 the run failed, 2 usage, 3 an invalid
    suite or input, 4 a model that is not available, 5 a gate that failed).
    """

    exit_status = 1

    def without_frames(self) -> Self:
        """Return the error when it has forgotten where it was raised: the frames hold models."""
        errors: list[BaseException | None] = [self]
        while errors:
            each = errors.pop()
            if each is not None and each.__traceback__ is not None:
                each.__traceback__ = None
                errors += [each.__cause__, each.__context__]
        return self

    @staticmethod
    def install(extra: str) -> str:
        """Return the command that adds an extra to this pommel: for messages.

        It names Python where `pip` is that of another environment, which has no pommel to add to.
        """
        python, pip = Path(sys.executable), shutil.which("pip")
        command = "pip"
        if not pip or Path(pip).parent != python.parent:
            command = f"{python} -m pip" if " " not in str(python) else f'"{python}" -m pip'
        return f"{command} install 'pommel[{extra}]'"


class UsageError(PommelError):
    """The call itself makes no sense: an unknown option value, two options that exclude another."""

    exit_status = 2

    @staticmethod
    def check_choice(name: str, value: object, choices: Collection[str]) -> None:
        """Raise `UsageError` if a value is none of those that it can be."""
        if value not in choices:
            raise UsageError(f"{name} cannot be {value!r}; it is one of {', '.join(choices)}")


class InputError(PommelError):
    """A file or a value given as input is not what it has to be."""

    exit_status = 3


@frozen
class Fault:
    """One thing that is wrong with a file: where, what, and what to write instead.

    `line` and `column` count from 1, `column` in characters; 0 means that the fault concerns the
    whole file. `path` is the place inside the document (`items[3].conditions[0]`). In a workbook it
    is a cell (`Sheet1!C7`), which has a row, `line`, and no column in characters: 0.
    """

    file: str
    line: int = 0
    column: int = 0
    path: str = ""
    message: str
    hint: str = ""
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        is_cell = self.line and not self.column
        line = f":{self.path}" if is_cell else f":{self.line}:{self.column}"
        place = f"{self.file}{line if self.line else ''}"
        word = "warning: " if self.severity == "warning" else ""
        where = f" (at {self.path})" if self.path and not is_cell else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{place}: {word}{self.message}{hint}{where}"

    @staticmethod
    def in_order(faults: "Iterable[Fault]") -> "list[Fault]":
        """Return the faults of a file by their places."""
        return sorted(faults, key=lambda fault: (fault.line, fault.column))


@frozen
class Place:
    """Where something stands in a file; line, column and path are those of a fault."""

    file: str
    line: int = 0
    column: int = 0
    path: str = ""

    def further(self, n_characters: int) -> "Place":
        """Return the place so many characters further on in the line."""
        return replace(self, column=self.column + n_characters)

    def fault(self, message: str, hint: str) -> Fault:
        """Return what is wrong here, and what to do about it."""
        return Fault(**asdict(self), message=message, hint=hint)


class FaultyFileError(InputError):
    """A file is invalid; `faults` holds every fault that was found, in file order."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.faults)

    def __str__(self) -> str:
        return "\n".join(str(fault) for fault in self.faults)


class SuiteError(FaultyFileError):
    """A suite file is invalid; `faults` holds every fault that was found, in file order."""


class FormulaError(InputError, ValueError):
    """A formula that does not parse or makes no sense; the message points at the place.

    `formula` is the text, `start` and `end` the characters in it that are wrong.
    """

    def __init__(self, message: str, *, formula: str, start: int, end: int, hint: str = "") -> None:
        self.message = message
        self.formula = formula
        self.start = start
        self.end = max(end, start + 1)
        self.hint = hint
        super().__init__(message)

    def __reduce__(self) -> tuple[Callable[..., "FormulaError"], tuple[object, ...]]:
        # Errors travel between processes; keyword arguments would be lost on the way.
        again = functools.partial(
            FormulaError,
            self.message,
            formula=self.formula,
            start=self.start,
            end=self.end,
            hint=self.hint,
        )
        return again, ()

    def __str__(self) -> str:
        pointed = self.pointed(self.formula, self.start, self.end).split("\n")
        lines = [self.message, *(f"    {line}" for line in pointed)]
        if self.hint:
            lines.append(self.hint)
        return "\n".join(lines)

    @staticmethod
    def pointed(formula: str, start: int, end: int) -> str:
        """Return a formula, and below it a line that points at some of its characters."""
        from rich.cells import cell_len

        # A formula may hold line breaks and tabs; one cell each keeps the marker in its place.
        shown = "".join(" " if character.isspace() else character for character in formula)
        n_before, n = map(cell_len, (shown[:start], shown[start:end]))
        return f"{shown}\n{' ' * n_before}{'~' * (n - 1)}^"


class AlignmentError(InputError):
    """Tokens that do not spell the sentence they were given for."""


class SurprisalError(InputError):
    """Surprisals that cannot be: not a number, negative, too few, too many."""


class ModelError(PommelError):
    """A model failed while it scored: it ran out of context, gave impossible numbers, died.

    `spoiled` are the sentences that it has answered in the same call and that this failure puts in
    doubt: their answers are neither kept nor counted.
    `blamed` are the sentences that are to blame, each with why: the model has computed nothing yet,
    or has answered all others of the call.
    `suspect` is the sentence at which it failed, "" if nobody knows at which: maybe it fails at
    this one and at no other. None where no sentence is to blame: a lost engine, a limit.
    """

    spoiled: frozenset[str] = frozenset()
    blamed: Mapping[str, str] = MappingProxyType({})
    suspect: str | None = None

    @classmethod
    def of_sentences(cls, blamed: Mapping[str, str]) -> "ModelError":
        """Return the error about one sentence or more, each with a message of its own."""
        first, *others = blamed.values()
        more = f" (and {counted(len(others), 'other sentence')} that it fails on)" if others else ""
        error = cls(f"{first}{more}")
        error.blamed = blamed
        return error

    @classmethod
    def joined(cls, failures: Sequence[PommelError]) -> PommelError:
        """Return several failures as one, with the first's exit status; one stays as it is."""
        first, *others = failures
        if not others:
            return first
        error = cls("\npommel: ".join(map(str, failures)))
        error.exit_status = first.exit_status
        return error


class ModelNotAvailableError(ModelError):
    """A model that cannot be had: unknown reference, missing files, missing extra."""

    exit_status = 4


class StoreError(PommelError):
    """The file that results are kept in cannot be used; says which file, why, and what to do."""


class StoreAccessError(StoreError):
    """The file that results are kept in may not be made, opened or written where it is."""


class ContainerError(ModelError):
    """A container failed; the message names image and command, and quotes its standard error.

    `is_cut_off` says that it was stopped from outside (time, memory, output, a lost connection):
    what it had said until then holds.
    """

    is_cut_off: bool = False


class UnsupportedFeatureError(ContainerError):
    """An image said that it has no such command (exit status 99 of the LM Zoo protocol)."""


def nearest(name: str, known: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """Return the known name that was probably meant, None if none is like it.

    `likeness` is how much of both has to be alike at least, from 0 to 1.
    """
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=likeness)
    return close[0] if close else None


def counted(number: int, noun: str) -> str:
    """Return "1 file" or "3 files"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(words: Sequence[str], *, most: int = 3) -> str:
    """Return the first words with commas between, and dots if there are more."""
    return ", ".join(words[:most]) + (", ..." if len(words) > most else "")


def quoted(text: str) -> str:
    """Return the text in quotation marks, its beginning if it is long."""
    if len(text) <= _LONGEST_QUOTED:
        return repr(text)
    return f"{text[:_LONGEST_QUOTED]!r}…"


def printable(text: str, *, has_lines: bool = False) -> str:
    """Return a text without what could steer a terminal; one line stays one.

    A tab becomes a blank, everything else that is not printable a question mark, except what
    scripts need to be read: joiners without a width, and marks of direction. A text that
    `has_lines` keeps its line feeds and tabs.
    """
    if text.isprintable():
        return text
    kept = f"{_INVISIBLE}\n\t" if has_lines else _INVISIBLE
    return "".join(
        each if each.isprintable() or each in kept else " " if each == "\t" else "?"
        for each in text
    )


def first_line(error: BaseException) -> str:
    """Return an error's first line, which fits into one of ours; two where it ends in a colon."""
    first, *others = [*map(str.strip, str(error).strip().splitlines()), ""]
    if first.endswith(":") and any(others):
        first = f"{first} {next(filter(None, others))}"
    return first[:300] or type(error).__name__


@functools.cache
def package_version(name: str) -> str:
    """Return the version of an installed package, "unknown" if it is not installed.

    Of pommel itself, in a checkout that was never installed, it is "0+unknown": a version, too.
    """
    # importlib.metadata looks at the same folders, but takes 20 ms to load.
    for folder in map(Path, sys.path):
        for found in folder.glob(f"{name}-*.*-info"):
            return found.stem.split("-")[1]
    return "0+unknown" if name == "pommel" else "unknown"


def readable_size(n_bytes: int) -> str:
    """Return a size as people write it: "8 GiB", "512 MiB", "100 bytes"."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:.3g} {name}"
    return f"{n_bytes} bytes"
