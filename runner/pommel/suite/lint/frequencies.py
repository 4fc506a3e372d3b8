"""How frequent words are: from a list of words with their counts, or counted in a text."""

import contextlib
import csv
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import log10
from pathlib import Path

from pommel.errors import Fault, FaultyFileError, InputError, Place, counted, quoted
from pommel.files import GZIP_FAULTS, opened, word_core
from pommel.values import frozen


@frozen(slots=False)
class Frequencies:
    """Counts of words (as `words` gives them); `file` says where they are from.

    `taken_as` says what the file was taken as: a list, or a text, of how many words.
    """

    file: str
    counts: Mapping[str, float]
    taken_as: str = ""

    @classmethod
    def read(cls, path: Path) -> "Frequencies":
        """Read a frequency list, or count the words of a text; the first lines say which it is.

        A list has a column of words and one of counts, separated by tabs, semicolons, commas or
        blanks; where there are more columns, a heading names these two. The file may be gzipped.
        Counts of words that differ in case or in the marks around them are added up. Raises
        `FaultyFileError` with the first lines of a list that are no entries, and `InputError` for a
        file that cannot be read, has no words, or has a table that is not understood.
        """
        try:
            with opened(path) as stream:
                found = _read(_decoded(stream, path), str(path))
        except GZIP_FAULTS as error:
            raise InputError(f"{path}: the gzip file is damaged: {error}") from None
        except OSError as error:
            # After the others: a wrong check sum is one of these, too.
            raise InputError(f"{path}: {error.strerror or error}") from None
        if not found.counts:
            raise InputError(f"{path}: there are no words in this file")
        return found

    @cached_property
    def _millions(self) -> float:
        return (sum(self.counts.values()) + len(self.counts)) / 1e6

    def zipf(self, word: str) -> float:
        """Return the word's frequency on the Zipf scale, log10 of its frequency per billion words.

        Van Heuven et al. (2014), with their smoothing: log10((count + 1) / (millions of running
        words + millions of distinct words)) + 3. A word that is not counted has the count 0.
        """
        return log10((self.counts.get(word, 0) + 1) / self._millions) + 3


def words(text: str) -> Iterator[str]:
    """Yield the words of a text as they are counted: in lower case, without marks around them."""
    for piece in text.split():
        start, end = word_core(piece)
        if start < end:
            yield piece[start:end].lower()


@frozen
class FrequencyTable:
    """A table's separator (None for blanks), its columns, and whether a heading names them."""

    separator: str | None
    n_columns: int
    word: int
    count: int
    heading: tuple[str, ...] = ()

    def entry(self, line: str) -> tuple[str, float] | None:
        """Return the word of a line and its count; None if the line has none."""
        fields = _fields(line, self.separator)
        if len(fields) != self.n_columns:
            return None
        word, count = fields[self.word], fields[self.count]
        if not _WORD.fullmatch(word) or not _NUMBER.fullmatch(count) or float(count) >= _MOST:
            return None
        return word, float(count)


def _decoded(lines: Iterable[bytes], path: Path) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            message = f"{path}:{number}: this line is not UTF-8; save the file as UTF-8"
            raise InputError(message) from None


def _read(lines: Iterator[str], file: str) -> Frequencies:
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    head = list(itertools.islice(numbered, _N_HEAD))
    # A list may have remarks above it.
    shown = list(itertools.dropwhile(lambda each: each[1].startswith("#"), head))
    if table := _table([line for _, line in shown], file):
        return _listed(itertools.chain(shown, numbered), table, file)
    every = itertools.chain(head, numbered)
    counts = Counter(word for _, line in every for word in words(line))
    taken_as = f"a text of {counted(counts.total(), 'word')}"
    return Frequencies(file=file, counts=counts, taken_as=taken_as)


def _listed(lines: Iterator[tuple[int, str]], table: FrequencyTable, file: str) -> Frequencies:
    counts: defaultdict[str, float] = defaultdict(float)
    faults: list[Fault] = []
    for number, line in itertools.islice(lines, int(bool(table.heading)), None):
        if entry := table.entry(line):
            for word in words(entry[0]):
                counts[word] += entry[1]
        elif not _MARK.fullmatch(line):
            message = f"this is no word with its count: {quoted(line.strip())}"
            faults.append(Place(file=file, line=number, column=1).fault(message, _HINT))
    if more := faults[_MOST_FAULTS:]:
        message = f"{len(more)} more of its lines are no words with counts"
        faults = [*faults[:_MOST_FAULTS], Place(file=file).fault(message, "")]
    if faults:
        raise FaultyFileError(faults)
    names = f" (its column {table.heading[table.count]!r})" if table.heading else ""
    taken_as = f"a list of {counted(len(counts), 'word')}{names}"
    return Frequencies(file=file, counts=counts, taken_as=taken_as)


# What is meant as a number, though it may not be one that can be read: 1,000 is two in one.
_NUMBERISH = re.compile(r"[-+]?[.,]?\d[\d.,]*([eE][-+]?\d+)?")
_WORD = re.compile(r"\S+")
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?")
# No word: a mark with its count, maybe the mark that separates them.
_MARK = re.compile(r"\s*[^\w\s]+\s*[\d.]+\s*")

# Above this there are no words, and sums lose what is small.
_MOST = 1e18

# What the columns of the lists that are published are called, without marks and in lower case.
_WORDS = ("word", "words", "wordform", "form", "spelling", "token", "type", "ortho", "string")
_COUNTS = (
    *("freqcount", "count", "counts", "rawcount", "rawfreq", "wffreqcount", "n", "tokens"),
    *("occurrences", "frequency", "freq"),
)
_NO_COUNT = re.compile(r"^(log|lg|ln)|log$|zipf|permil|pm$|rank")

# Texts are seldom as regular as that.
_MOST_LINES = 0.8

# A tab, or a mark without blanks around it, says much by itself.
_HALF = 0.5
_FEW = 5


def _table(lines: Sequence[str], file: str) -> FrequencyTable | None:
    """Return how to read a list that begins with these lines; None if they are a text.

    A list has as many columns in most lines, one of them words and one of them numbers. Raises
    `InputError` if there are several, and no heading says which.
    """
    for separator in ("\t", ";", "|", ",", None):
        rows = [_fields(line, separator) for line in lines]
        sizes = Counter(len(row) for row in rows if len(row) > 1)
        if not sizes:
            continue
        n_columns, n_rows = sizes.most_common(1)[0]
        least = _MOST_LINES if separator is None else _HALF
        # A few lines of a text may by chance have as many words.
        is_chance = separator is None and n_columns > 2 and n_rows < _FEW  # noqa: PLR2004 - a word and its count
        if n_rows < least * len(rows):
            continue
        even = [row for row in rows if len(row) == n_columns]
        is_headed = (
            len(even) > 1 and even[0] is rows[0] and not any(map(_NUMBERISH.fullmatch, rows[0]))
        )
        heading, data = (even[0], even[1:]) if is_headed else ((), even)
        columns = list(zip(*data, strict=True))
        numbers = [i for i, each in enumerate(columns) if _mostly(_NUMBERISH, each)]
        words = [i for i, each in enumerate(columns) if _mostly(_WORD, each)]
        words = [i for i in words if i not in numbers]
        if not numbers or not words or (is_chance and not _named(_COUNTS, heading, numbers)):
            continue
        word, count = _chosen(heading, words, numbers, file)
        return FrequencyTable(
            separator=separator, n_columns=n_columns, word=word, count=count, heading=heading
        )
    return None


def _chosen(
    heading: Sequence[str], words: list[int], numbers: list[int], file: str
) -> tuple[int, int]:
    """Return which column has the words, and which the counts."""
    word = words if len(words) == 1 else _named(_WORDS, heading, words)
    count = _named(_COUNTS, heading, numbers)
    problem = ""
    if not count and len(words) == len(numbers) == 1:
        count = numbers
        if heading and _NO_COUNT.search(_plain(heading[count[0]])):
            problem = f"the column {heading[count[0]]!r} holds no counts"
    elif not word or not count:
        names = f"with the columns {', '.join(map(repr, heading))}" if heading else "without names"
        problem = f"a table {names}: which of its columns has words, which counts?"
    if problem:
        hint = "write a first line that calls two of its columns word and count"
        raise InputError(f"{file}: {problem}; {hint}")
    return word[0], count[0]


def _named(names: Sequence[str], heading: Sequence[str], columns: list[int]) -> list[int]:
    """Return those of the columns that have one of these names, in the order of the names."""
    return [i for name in names for i in columns if heading and _plain(heading[i]) == name]


def _plain(name: str) -> str:
    return re.sub(r"[\W\d_]+", "", name).lower()


def _fields(line: str, separator: str | None) -> tuple[str, ...]:
    if separator is None:
        return tuple(line.split())
    row = line.split(separator)
    if '"' in line:
        # Quotes that do not pair are words of the list.
        with contextlib.suppress(csv.Error, ValueError):
            (row,) = csv.reader([line.strip("\r\n")], delimiter=separator, strict=True)
    return tuple(field.strip() for field in row)


def _mostly(pattern: re.Pattern[str], fields: Sequence[str]) -> bool:
    return sum(map(bool, map(pattern.fullmatch, fields))) >= _MOST_LINES * len(fields)


# So many lines, blank ones not counted, say whether a file is a list or a text.
_N_HEAD = 100
_MOST_FAULTS = 10
_HINT = "write e.g. the<tab>1234; a count is 0 or more, without marks but the decimal point"
