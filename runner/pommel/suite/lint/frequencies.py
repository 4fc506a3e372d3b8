"""How frequent words are: from a list of words with their counts, or counted in a text."""

import contextlib
import csv
import io
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
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

        A list has a word and its count on every line, with a tab, comma, semicolon or blanks
        between; or its first line names the columns, two of them as published lists do, with tabs,
        commas or semicolons between. The file may be gzipped. Counts of words that differ in case
        or in the marks around them are added up. Raises `FaultyFileError` with the first lines of a
        list that are no entries, and `InputError` for a file that cannot be read, has no words, or
        whose first line names a column of words and none of counts.
        """
        try:
            with opened(path) as lines:
                first = next(lines, b"").decode("utf-8-sig")
                texts = itertools.chain([first], map(bytes.decode, lines))
                # Lines may end in CR alone, too.
                every = itertools.chain.from_iterable(io.StringIO(each, None) for each in texts)
                found = _read(every, str(path))
        except UnicodeDecodeError:
            message = f"{path}: the file is not UTF-8; save it with the encoding UTF-8"
            raise InputError(message) from None
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
    """Return the words of a text as they are counted: in lower case, without marks around them."""
    return filter(None, map(_word, text.split()))


@lru_cache(1 << 16)
def _word(piece: str) -> str:
    # A suite, and a corpus, has the same words again and again.
    start, end = word_core(piece)
    return piece[start:end].lower()


# The word of a line, and what should be its count.
_Entry = Callable[[str], Sequence[str] | None]

# So many lines, blank ones not counted, say whether a file without a heading is a list.
_N_HEAD = 10
_LONGEST_ENTRY = 1000
# A word and its count, or, as `uniq -c` writes them, the count first.
_PLAIN_ENTRIES = (
    re.compile(r"\s*(?P<word>\S+)[\t ,;]+(?P<count>[\d.]\S*)\s*"),
    re.compile(r"\s*(?P<count>[\d.]+)\s+(?P<word>\S+)\s*"),
)
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?")
# Above this there are no words, and sums lose what is small.
_MOST = 1e18

# What the columns of the lists that are published are called, without marks and in lower case.
_WORDS = ("word", "words", "wordform", "form", "spelling", "token", "type", "ortho", "string")
_COUNTS = (
    *("freqcount", "count", "counts", "rawcount", "rawfreq", "wffreqcount", "n", "tokens"),
    *("occurrences", "frequency", "freq"),
)


def _read(lines: Iterator[str], file: str) -> Frequencies:
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    head = list(itertools.islice(numbered, _N_HEAD))
    every = itertools.chain(head, numbered)
    for entry in map(_matching, _PLAIN_ENTRIES):
        if all(entry(line) for _, line in head):
            return _listed(every, entry, file)
    first = head[0][1]
    separator = next((each for each in "\t;," if each in first), ",")
    names = [re.sub(r"[\W\d_]+", "", name).lower() for name in _fields(first, separator)]
    word, count = (_named(each, names) for each in (_WORDS, _COUNTS))
    if word is not None and count is not None:
        next(every)
        return _listed(every, _columns(separator, word, count), file)
    if word is not None and len(names) > 1:
        what = f"its columns are {', '.join(names)}, and none of them is known to have counts"
        raise InputError(f"{file}: {what}; call the columns word and count")
    counts = Counter(word for _, line in every for word in words(line))
    taken_as = f"a text of {counted(counts.total(), 'word')}"
    return Frequencies(file=file, counts=counts, taken_as=taken_as)


def _named(known: tuple[str, ...], names: list[str]) -> int | None:
    """Return the first column that has one of the known names, in the order of these."""
    return next((names.index(each) for each in known if each in names), None)


def _columns(separator: str, word: int, count: int) -> _Entry:
    def entry(line: str) -> Sequence[str] | None:
        fields = _fields(line, separator)
        return (fields[word], fields[count]) if len(fields) > max(word, count) else None

    return entry


def _fields(line: str, separator: str) -> list[str]:
    fields = line.split(separator)
    if '"' in line:
        # Quotes that do not pair are words of the list.
        with contextlib.suppress(csv.Error, StopIteration):
            fields = next(csv.reader([line.strip("\r\n")], delimiter=separator, strict=True))
    return [field.strip() for field in fields]


def _matching(pattern: re.Pattern[str]) -> _Entry:
    def entry(line: str) -> Sequence[str] | None:
        # What is longer is no word, and its marks could be matched in too many ways.
        found = pattern.fullmatch(line) if len(line) < _LONGEST_ENTRY else None
        return found and found.group("word", "count")

    return entry


def _listed(lines: Iterator[tuple[int, str]], entry_of: _Entry, file: str) -> Frequencies:
    counts: defaultdict[str, float] = defaultdict(float)
    faults: list[Fault] = []
    for number, line in lines:
        word, count = entry_of(line) or ("", "")
        if _NUMBER.fullmatch(count) and float(count) < _MOST:
            for each in words(word):
                counts[each] += float(count)
        else:
            message = f"this is no word with its count: {quoted(line.strip())}"
            faults.append(Place(file=file, line=number, column=1).fault(message, _HINT))
    if more := faults[_MOST_FAULTS:]:
        message = f"{len(more)} more of its lines are no words with counts"
        faults = [*faults[:_MOST_FAULTS], Place(file=file).fault(message, "")]
    if faults:
        raise FaultyFileError(faults)
    taken_as = f"a list of {counted(len(counts), 'word')}"
    return Frequencies(file=file, counts=counts, taken_as=taken_as)


_MOST_FAULTS = 10
_HINT = "write e.g. the<tab>1234; a count is 0 or more, without marks but the decimal point"
