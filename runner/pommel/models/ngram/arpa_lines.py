"""The lines of an ARPA file, its marks between sections, and what may be wrong with a line."""

import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pommel.errors import InputError, ModelNotAvailableError
from pommel.files import text as text_file

# A line, cut at white space.
Fields = Sequence[bytes]

KENLM_BINARY_MAGIC = b"mmap lm http"

_UTF8_BOM = b"\xef\xbb\xbf"
_COUNT = re.compile(rb"ngram\s+(\d+)\s*=\s*(\d+)")


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file; its content, not its name, says whether it is gzipped.

    Raises `ModelNotAvailableError` if it cannot be read.
    """
    with _refusing(path), text_file.opened(path) as stream:
        yield stream


@contextmanager
def opened_as_it_lies(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file, gzipped or not; raises `ModelNotAvailableError` if it cannot be read."""
    with _refusing(path), path.open("rb") as raw:
        yield raw


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelNotAvailableError(f"{path}: cannot read the n-gram model: {reason}") from error


class ArpaLines:
    """The lines of a file, once; `number` is the line that was read last, from 1."""

    def __init__(self, stream: io.BufferedReader, path: Path) -> None:
        self.path = path
        self.number = 0
        self._lines = self._read(stream)

    def __iter__(self) -> Iterator[bytes]:
        return self._lines

    def fault(self, what: str, hint: str, *, line: int | None = None) -> InputError:
        """Return the error that says what is wrong in `line`, by default the last one read."""
        number = self.number if line is None else line
        return InputError(f"{self.path}:{max(number, 1)}: {what}; {hint}")

    def _read(self, stream: io.BufferedReader) -> Iterator[bytes]:
        try:
            for self.number, raw in enumerate(stream, start=1):
                yield raw
        except text_file.GZIP_FAULTS as error:
            what = "the gzip stream is cut short or damaged"
            raise self.fault(what, f"fetch the file again ({error})") from error


def read_header(lines: ArpaLines) -> list[int]:
    r"""Read up to and with `\1-grams:`; return the declared number of n-grams, by order."""
    _skip_to_data(lines)
    declared: list[int] = []
    for raw in lines:
        line = raw.strip()
        if line == b"\\1-grams:" and declared:
            return declared
        count = _COUNT.fullmatch(line)
        if count and int(count[1]) == len(declared) + 1:
            declared.append(int(count[2]))
        elif line:
            hint = f'expected "ngram {len(declared) + 1}=COUNT"'
            hint += r' or "\1-grams:"' if declared else ""
            raise lines.fault(f"{shown(line)} has no place here", hint)
    raise lines.fault(r'the file ends before "\1-grams:"', "it is cut short")


def _skip_to_data(lines: ArpaLines) -> None:
    for raw in lines:
        if lines.number == 1 and raw.startswith(KENLM_BINARY_MAGIC):
            hint = "give the ARPA file that it was built from"
            raise lines.fault("this is a binary KenLM model", hint)
        if raw.removeprefix(_UTF8_BOM).strip() == b"\\data\\":
            return
    raise lines.fault(r'no line is "\data\"', "an ARPA file is expected, plain or gzipped", line=1)


def expect_mark(lines: ArpaLines, mark: str, *, order: int, n_declared: int) -> None:
    """Read the mark that ends the section of `order`, and blank lines before it."""
    for raw in lines:
        line = raw.strip()
        if line == mark.encode():
            return
        if line.startswith(b"\\"):
            raise lines.fault(f"{shown(line)} has no place here", f'expected "{mark}"')
        if line:
            what = rf"\{order}-grams: goes on after {n_declared} n-grams, which is what \data\ says"
            raise lines.fault(what, f'expected "{mark}", or a higher "ngram {order}="')
    raise lines.fault(f'the file ends before "{mark}"', "it is cut short")


def line_fault(
    fields: Fields, *, order: int, n_read: int, n_declared: int
) -> tuple[str, str] | None:
    """Return what is wrong with a line of the section of `order`, and a hint; None if nothing is.

    `n_read` lines of the section stand before it.
    """
    if not fields or fields[0].startswith(b"\\"):
        what = rf"\{order}-grams: ends after {n_read} n-grams, \data\ says {n_declared}"
        return what, f'complete the section or write "ngram {order}={n_read}"'
    probability = _number(fields[0])
    if math.isnan(probability):
        return f"{shown(fields[0])} is no number", "expected a log10 probability"
    if probability > 0:
        what = f"the log10 probability {shown(fields[0])} is above 0"
        return what, "a probability is at most 1, its logarithm at most 0"
    if len(fields) not in {order + 1, order + 2}:
        words = "1 word" if order == 1 else f"{order} words"
        hint = f"expected a log10 probability, {words} and maybe a log10 back-off weight"
        return f"the line has {len(fields)} fields", hint
    if len(fields) == order + 2 and not _number(fields[-1]) < math.inf:
        hint = f"expected a log10 back-off weight after the {order}-gram"
        return f"{shown(fields[-1])} is no finite number", hint
    return None


def shown(field: bytes) -> str:
    """Return the beginning of a field as a message shows it."""
    return f'"{field[:60].decode("utf-8", "backslashreplace")}"'


def _number(field: bytes) -> float:
    try:
        return float(field)
    except ValueError:
        return math.nan
