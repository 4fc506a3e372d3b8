"""How frequent words are: from a list of words with their counts, or counted in a text."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log10
from pathlib import Path

from pommel.errors import Fault, FaultyFileError, InputError
from pommel.text_file import GZIP_FAULTS, opened
from pommel.wording import quoted

# The mark between the two may itself be a word of the list.
_ENTRY = re.compile(r"(\S+?)\s*[,\s]\s*([0-9]{1,18})")
_HEADING = re.compile(r"[^\W\d]+\s*[,\s]\s*[^\W\d]+")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, kw_only=True)
class Frequencies:
    """Counts of words (as `words` gives them); `file` says where they are from."""

    file: str
    counts: Mapping[str, int]

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
    """Read a frequency list (`word<tab>count`, `word,count` or `word count`), or count a text.

    A file whose first line is an entry, or a heading of two words before one, is a list; any other
    is a text. It may be gzipped. Counts of words that differ in case or in the marks around them
    are added up. Raises `FaultyFileError` with every line of a list that is no entry, and
    `InputError` for a file that cannot be read or has no words.
    """
    try:
        with opened(path) as stream:
            counts = _counts(_decoded(stream, path), str(path))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except GZIP_FAULTS as error:
        raise InputError(f"{path}: the gzip file is damaged: {error}") from None
    if not counts:
        raise InputError(f"{path}: there are no words in this file")
    return Frequencies(file=str(path), counts=counts)


def _decoded(lines: Iterable[bytes], path: Path) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            message = f"{path}:{number}: this line is not UTF-8; save the file as UTF-8"
            raise InputError(message) from None


def _counts(lines: Iterator[str], file: str) -> Counter[str]:
    head = list(itertools.islice(lines, 2))
    every = itertools.chain(head, lines)
    entries = [_entry(line) for line in head]
    if any(entries[:1]):
        return _listed(enumerate(every, 1), file)
    if any(entries) and _HEADING.fullmatch(head[0].strip()):
        return _listed(enumerate(itertools.islice(every, 1, None), 2), file)
    return Counter(word for line in every for word in words(line))


def _listed(lines: Iterable[tuple[int, str]], file: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    faults = []
    for number, line in lines:
        entry = _entry(line)
        if entry:
            for word in words(entry[0]):
                counts[word] += entry[1]
        elif line.strip():
            message = f"this is no word with its count: {quoted(line.strip())}"
            hint = "write e.g. the<tab>1234, the count a whole number"
            faults.append(
                Fault(file=file, line=number, column=1, path="", message=message, hint=hint)
            )
    if faults:
        raise FaultyFileError(faults)
    return counts


def _entry(line: str) -> tuple[str, int] | None:
    match = _ENTRY.fullmatch(line.strip())
    return (match[1], int(match[2])) if match else None
