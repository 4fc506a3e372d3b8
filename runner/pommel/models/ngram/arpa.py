"""ARPA files, plain or gzipped: read section by section, with the line of whatever is wrong."""

import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pommel.errors import InputError, ModelNotAvailableError
from pommel.files import text as text_file
from pommel.models.ngram.backoff import (
    BackoffModel,
    BackoffTable,
    Ids,
    Reals,
    Section,
    add_table,
    joined,
)

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


BOS = "<s>"
EOS = "</s>"
UNKNOWN_WORDS = ("<unk>", "<UNK>")

# Lines that are taken apart at once: their fields take a few dozen MB.
_LINES_AT_ONCE = 1 << 16
# By what `bytes.split` cuts.
_IS_SPACE = np.isin(np.arange(256), list(b" \t\n\r\x0b\x0c"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ArpaUnigrams:
    """What stands at the beginning of an ARPA file: how much there is, and all words.

    `n_ngrams` is what the file says of each order, `unk` what it calls unknown words.
    """

    n_ngrams: tuple[int, ...]
    vocabulary: tuple[str, ...]
    unk: str


def read_arpa(path: Path) -> BackoffModel:
    """Read an ARPA file; its content, not its name, says whether it is gzipped.

    Raises `ModelNotAvailableError` if the file cannot be opened and `InputError`, with the line,
    for anything that is wrong in it.
    """
    tables: list[BackoffTable] = []
    ids: dict[bytes, int] = {}
    with opened(path) as stream:
        lines = ArpaLines(stream, path)
        declared = read_header(lines)
        for order, n_declared in enumerate(declared, start=1):
            reader = _SectionReader(lines=lines, ids=ids, order=order, n_declared=n_declared)
            reader.check_distinct(add_table(tables, reader.read()))
            reader.expect_end(rf"\{order + 1}-grams:" if order < len(declared) else "\\end\\")
    return BackoffModel(
        tables=tuple(tables), n_ngrams=tuple(declared), ids=ids, unk=_unknown_word(ids, path)
    )


def read_unigrams(path: Path) -> ArpaUnigrams:
    """Read an ARPA file up to the end of its unigrams; raises as `read_arpa` does."""
    ids: dict[bytes, int] = {}
    with opened(path) as stream:
        lines = ArpaLines(stream, path)
        declared = read_header(lines)
        reader = _SectionReader(lines=lines, ids=ids, order=1, n_declared=declared[0])
        reader.check_distinct(len(reader.read().words) - len(ids))
    return ArpaUnigrams(
        n_ngrams=tuple(declared),
        vocabulary=tuple(word.decode() for word in ids),
        unk=_unknown_word(ids, path),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _SectionReader:
    """Reads the section of one order; unigrams are numbered in `ids`, longer ones looked up."""

    lines: ArpaLines
    ids: dict[bytes, int]
    order: int
    n_declared: int

    def read(self) -> Section:
        """Read as many n-grams as are declared."""
        parts: list[Section] = []
        n_read = 0
        while n_read < self.n_declared:
            n_wanted = min(_LINES_AT_ONCE, self.n_declared - n_read)
            raw = list(islice(self.lines, n_wanted))
            try:
                parts.append(self._parsed(raw))
            except (KeyError, ValueError):
                raise self._first_fault(raw, n_read) from None
            n_read += len(raw)
            if len(raw) < n_wanted:
                what = f"the file ends after {n_read} of {self.n_declared} {self.order}-grams"
                raise self.lines.fault(what, "it is cut short")
        return joined(parts, order=self.order)

    def check_distinct(self, n_duplicates: int) -> None:
        """Refuse duplicates in the section that has just been read."""
        if n_duplicates:
            n_read = self.n_declared
            what = f"{n_duplicates} of the {n_read} {self.order}-grams from here on are duplicates"
            first_line = self.lines.number - n_read + 1
            raise self.lines.fault(what, "each n-gram may be listed once", line=first_line)

    def expect_end(self, mark: str) -> None:
        """Read the mark that stands after the section."""
        expect_mark(self.lines, mark, order=self.order, n_declared=self.n_declared)

    def _parsed(self, raw: Sequence[bytes]) -> Section:
        """Return the n-grams of some lines; raises `ValueError` or `KeyError` if one is none.

        Millions of lines go through this: it only notices that something is wrong, and
        `_first_fault` finds out what.
        """
        fields, counts = _fields(raw)
        has_weight = counts == self.order + 2
        if not (has_weight | (counts == self.order + 1)).all():
            raise ValueError(raw)
        firsts = np.cumsum(counts) - counts
        words = fields[firsts[:, None] + np.arange(1, self.order + 1)]
        if self.order == 1:
            _number_words(words[:, 0].tolist(), self.ids)
        probabilities = _numbers(fields[firsts])
        weights = np.zeros(len(raw))
        weights[has_weight] = _numbers(fields[firsts[has_weight] + self.order + 1])
        # Written so that "nan" fails too.
        if not ((probabilities <= 0) & (weights < np.inf)).all():
            raise ValueError(raw)
        looked_up = map(self.ids.__getitem__, words.ravel().tolist())
        ids = np.fromiter(looked_up, dtype=np.int32, count=words.size)
        return Section(
            words=ids.reshape(words.shape),
            log10_probabilities=probabilities,
            log10_backoffs=weights,
        )

    def _first_fault(self, raw: Sequence[bytes], n_read: int) -> InputError:
        """Say what is wrong in the first of the last lines that is no n-gram."""
        first_line = self.lines.number - len(raw) + 1
        for index, line in enumerate(raw):
            fields = line.split()
            fault = line_fault(
                fields, order=self.order, n_read=n_read + index, n_declared=self.n_declared
            ) or self._word_fault(fields[1 : self.order + 1])
            if fault:
                return self.lines.fault(*fault, line=first_line + index)
        raise AssertionError(raw)

    def _word_fault(self, words: Fields) -> tuple[str, str] | None:
        for word in words:
            try:
                word.decode()
            except UnicodeDecodeError:
                return f"{shown(word)} is not UTF-8", "convert the file to UTF-8"
            if self.order > 1 and word not in self.ids:
                what = f"{shown(word)} is in a {self.order}-gram and has no unigram"
                return what, "a model lists each of its words among the 1-grams"
        return None


def _fields(raw: Sequence[bytes]) -> tuple[NDArray[np.object_], Ids]:
    """Return what stands between white space in all lines, and how many of it in each line."""
    text = b"".join(raw)
    is_space = _IS_SPACE[np.frombuffer(text, dtype=np.uint8)]
    begins = ~is_space
    begins[1:] &= is_space[:-1]
    lengths = np.fromiter(map(len, raw), dtype=np.int64, count=len(raw))
    starts = np.cumsum(lengths) - lengths
    counts = np.add.reduceat(begins, starts, dtype=np.int64) if raw else lengths
    # At once: cutting line by line takes three times as long.
    return np.array(text.split(), dtype=object), counts


def _numbers(fields: NDArray[np.object_]) -> Reals:
    return np.fromiter(map(float, fields.tolist()), dtype=np.float64, count=len(fields))


def _number_words(words: Sequence[bytes], ids: dict[bytes, int]) -> None:
    """Number the words that are new; raises `UnicodeDecodeError` for one that is not UTF-8."""
    # In another encoding every word with an accent would be unknown, and nobody would notice.
    b"\n".join(words).decode()
    for word in words:
        ids.setdefault(word, len(ids))


def no_unknown_word(path: Path) -> InputError:
    """Return the error that a model knows nothing of unknown words."""
    hint = "estimate it with an open vocabulary (SRILM: ngram-count -unk)"
    return InputError(f'{path}: the model has no unigram "{UNKNOWN_WORDS[0]}"; {hint}')


def _unknown_word(ids: Mapping[bytes, int], path: Path) -> str:
    for word in UNKNOWN_WORDS:
        if word.encode() in ids:
            return word
    raise no_unknown_word(path)
