"""How frequent words are: from a list of words with their counts, or counted in a text."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log10
from pathlib import Path

from pommel.errors import Fault, FaultyFileError, InputError, counted, quoted
from pommel.files.text import GZIP_FAULTS, opened
from pommel.suite.lint.frequency_table import FrequencyTable, UnclearTableError, find_table

# So many lines, blank ones not counted, say whether a file is a list or a text.
_N_HEAD = 100
_MOST_FAULTS = 10
_HINT = "write e.g. the<tab>1234; a count is 0 or more, without marks but the decimal point"
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, kw_only=True)
class Frequencies:
    """Counts of words (as `words` gives them); `file` says where they are from.

    `taken_as` says what the file was taken as: a list, or a text, of how many words.
    """

    file: str
    counts: Mapping[str, float]
    taken_as: str = ""

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
        if word := _EDGES.sub("", piece).lower():
            yield word


def read_frequencies(path: Path) -> Frequencies:
    """Read a frequency list, or count the words of a text; the first lines say which it is.

    A list has a column of words and one of counts, separated by tabs, semicolons, commas or blanks;
    where there are more columns, a heading names these two. The file may be gzipped. Counts of
    words that differ in case or in the marks around them are added up. Raises `FaultyFileError`
    with the first lines of a list that are no entries, and `InputError` for a file that cannot be
    read, has no words, or has a table that is not understood.
    """
    try:
        with opened(path) as stream:
            found = _read(_decoded(stream, path), str(path))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except GZIP_FAULTS as error:
        raise InputError(f"{path}: the gzip file is damaged: {error}") from None
    if not found.counts:
        raise InputError(f"{path}: there are no words in this file")
    return found


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
    try:
        table = find_table([line for _, line in shown])
    except UnclearTableError as error:
        hint = "write a first line that calls two of its columns word and count"
        raise InputError(f"{file}: {error}; {hint}") from None
    if table:
        return _listed(itertools.chain(shown, numbered), table, file)
    every = itertools.chain(head, numbered)
    counts = Counter(word for _, line in every for word in words(line))
    taken_as = f"a text of {counted(counts.total(), 'word')}"
    return Frequencies(file=file, counts=counts, taken_as=taken_as)


def _listed(lines: Iterator[tuple[int, str]], table: FrequencyTable, file: str) -> Frequencies:
    counts: defaultdict[str, float] = defaultdict(int)
    faults: list[Fault] = []
    n_more = 0
    for number, line in itertools.islice(lines, int(bool(table.heading)), None):
        if entry := table.entry(line):
            for word in words(entry[0]):
                counts[word] += entry[1]
        elif len(faults) < _MOST_FAULTS:
            message = f"this is no word with its count: {quoted(line.strip())}"
            faults.append(_fault(file, number, message, _HINT))
        else:
            n_more += 1
    if n_more:
        faults.append(_fault(file, 0, f"{n_more} more of its lines are no words with counts"))
    if faults:
        raise FaultyFileError(faults)
    names = f" (its column {table.heading[table.count]!r})" if table.heading else ""
    taken_as = f"a list of {counted(len(counts), 'word')}{names}"
    return Frequencies(file=file, counts=counts, taken_as=taken_as)


def _fault(file: str, line: int, message: str, hint: str = "") -> Fault:
    column = int(line > 0)
    return Fault(file=file, line=line, column=column, path="", message=message, hint=hint)
