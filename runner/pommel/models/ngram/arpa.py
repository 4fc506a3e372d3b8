"""ARPA files, plain or gzipped, and the sorted arrays that they become.

A file is read section by section, with the line of whatever is wrong."""

import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pommel.errors import InputError, ModelNotAvailableError
from pommel.files import GZIP_FAULTS
from pommel.files import opened as opened_bytes

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]

BITS_PER_LOG10 = math.log2(10)

# No n-gram, and no key of one: keys are not negative.
ABSENT = -1
_WORD_BITS = 32


def ngram_keys(prefixes: Ids, words: Ids) -> Ids:
    """Return the keys of n-grams: of the places of their prefixes, and of their last words."""
    return (prefixes << _WORD_BITS) | words


def prefix_places(keys: Ids) -> Ids:
    """Return the places of the prefixes that are in keys."""
    return keys >> _WORD_BITS


def last_words(keys: Ids) -> Ids:
    """Return the last words that are in keys."""
    return keys & ((1 << _WORD_BITS) - 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BackoffTable:
    """The n-grams of one order, sorted by their keys; an n-gram's index is its *place*.

    All arrays have one element an n-gram. A key holds the place of the n-gram's first n - 1 words
    in the table of the order below, and its last word; that of a unigram is its word. A probability
    that is not a number says that the n-gram is not in the model: others begin with it. The weight
    is what a longer n-gram backs off with, 0 where the file has none.
    """

    keys: Ids
    log10_probabilities: Reals
    log10_backoffs: Reals

    def find(self, prefixes: Ids, words: Ids) -> Ids:
        """Return the places of n-grams, `ABSENT` for those (and those prefixes) that are not here.

        Both arguments have the shape of the result.
        """
        if not len(self.keys):
            return np.full(prefixes.shape, ABSENT)
        wanted = ngram_keys(prefixes, words)
        places = np.searchsorted(self.keys, wanted)
        places[places == len(self.keys)] = 0
        places[self.keys[places] != wanted] = ABSENT
        return places


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BackoffModel:
    """A back-off model: `tables` of n-grams, unigrams first, in which words are numbers.

    `ids` numbers the words in UTF-8, in the order of the file: bytes take less memory than text,
    and there may be millions. `unk` is what the file calls unknown words; words that the model does
    not know are taken as it. Where an n-gram is not in the model,
    p(w | h) = backoff(h) * p(w | h without its first word), a missing weight being 1.
    """

    tables: tuple[BackoffTable, ...]
    n_ngrams: tuple[int, ...]
    ids: Mapping[bytes, int]
    unk: str

    def __contains__(self, word: object) -> bool:
        """Say whether `word` has a unigram of its own; the marks have one too."""
        return isinstance(word, str) and _utf8(word) in self.ids

    @property
    def order(self) -> int:
        """The number of words in the longest n-grams."""
        return len(self.tables)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All words and marks, in the order of the file."""
        return tuple(word.decode() for word in self.ids)

    def log10_probability(self, word: str, context: Sequence[str] = ()) -> float:
        """Return log10 p(word | context), the words of the context in the order of the sentence.

        Only the last `order - 1` words of the context count.
        """
        recent = context[max(0, len(context) - self.order + 1) :]
        return float(self._log10_probabilities([[*recent, word]])[-1])

    def surprisals_bits(self, sentences: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return -log2 p of each word after those before it in its sentence, in bits.

        The first word is scored after nothing. +infinity where the file says -inf.
        """
        # Adding 0 turns the -0.0 of a certain word into 0.0.
        bits = iter((-self._log10_probabilities(sentences) * BITS_PER_LOG10 + 0.0).tolist())
        return [list(islice(bits, len(words))) for words in sentences]

    def next_log10_probabilities(self, context: Sequence[str]) -> Reals:
        """Return log10 p(word | context) of every word of the `vocabulary`, shape (n words,)."""
        recent = self._word_ids(context[max(0, len(context) - self.order + 1) :])
        found = self.tables[0].log10_probabilities.copy()
        for n_words in range(1, len(recent) + 1):
            place = self._place(recent[-n_words:])
            if place == ABSENT:
                continue
            found += self.tables[n_words - 1].log10_backoffs[place]
            table = self.tables[n_words]
            # What follows a context has keys one after another.
            first, end = np.searchsorted(prefix_places(table.keys), [place, place + 1])
            here = table.log10_probabilities[first:end]
            words = last_words(table.keys[first:end])
            in_model = ~np.isnan(here)
            found[words[in_model]] = here[in_model]
        return found

    def _log10_probabilities(self, sentences: Sequence[Sequence[str]]) -> Reals:
        """Return log10 p of all words of all sentences, one sentence after another."""
        ids = self._word_ids([word for words in sentences for word in words])
        lengths = np.array([len(words) for words in sentences], dtype=np.int64)
        firsts = (np.cumsum(lengths) - lengths)[lengths > 0]
        found = self.tables[0].log10_probabilities[ids]
        # Where the n-gram that ends in each word is, n growing; its beginning ends one word before.
        places = ids
        for below, table in zip(self.tables, self.tables[1:], strict=False):
            contexts = np.roll(places, 1)
            contexts[firsts] = ABSENT
            places = table.find(contexts, ids)
            here = _at(table.log10_probabilities, places, math.nan)
            weights = _at(below.log10_backoffs, contexts, 0.0)
            found = np.where(np.isnan(here), found + weights, here)
        return found

    def _place(self, ids: Ids) -> int:
        """Return where an n-gram is in the table of its order."""
        place = ids[:1]
        for table, word in zip(self.tables[1:], ids[1:], strict=False):
            place = table.find(place, word[None])
        return int(place[0])

    def _word_ids(self, words: Sequence[str]) -> Ids:
        unknown = self.ids[_utf8(self.unk)]
        numbers = (self.ids.get(_utf8(word), unknown) for word in words)
        return np.fromiter(numbers, dtype=np.int64, count=len(words))


def _at(values: Reals, places: Ids, absent: float) -> Reals:
    """Return the values at `places`, and `absent` for those that are `ABSENT`."""
    if not len(values):
        return np.full(places.shape, absent)
    return np.where(places == ABSENT, absent, values[places])


def _utf8(word: str) -> bytes:
    # Half a surrogate pair may come out of a JSON file; it is an unknown word, not a crash.
    return word.encode("utf-8", "surrogatepass")


class Section(NamedTuple):
    """The n-grams of one order in the order of a file.

    Their words, shape (n_ngrams, order), are numbers; probabilities and weights, shape (n_ngrams,),
    are logarithms to the base 10, a missing weight being 0.
    """

    words: NDArray[np.int32]
    log10_probabilities: Reals
    log10_backoffs: Reals


def _joined(parts: Sequence[Section], *, order: int) -> Section:
    """Return the n-grams of several parts of a section as one."""
    nothing = Section(np.empty((0, order), dtype=np.int32), np.empty(0), np.empty(0))
    return Section(*map(np.concatenate, zip(nothing, *parts, strict=True)))


def add_table(tables: list[BackoffTable], section: Section) -> int:
    """Append the table of a section to those of the orders below; return how many are duplicates.

    A prefix that is not in the order below, because the model was pruned without regard to it, gets
    a place there (see `BackoffTable`).
    """
    words = section.words.astype(np.int64)
    if tables:
        prefixes = _places(tables, words[:, :-1])
        keys = ngram_keys(prefixes, words[:, -1])
    else:
        keys = words[:, 0]
    columns = (keys, section.log10_probabilities, section.log10_backoffs)
    if not np.all(keys[1:] > keys[:-1]):
        order = np.argsort(keys)
        columns = (columns[0][order], columns[1][order], columns[2][order])
    keys, probabilities, backoffs = columns
    tables.append(
        BackoffTable(keys=keys, log10_probabilities=probabilities, log10_backoffs=backoffs)
    )
    return int(np.count_nonzero(keys[1:] == keys[:-1]))


def _places(tables: list[BackoffTable], words: Ids) -> Ids:
    """Return where n-grams, shape (n, order), are in the last table; all of them are afterwards."""
    places = words[:, 0]
    for depth in range(1, words.shape[1]):
        found = tables[depth].find(places, words[:, depth])
        absent = found == ABSENT
        if absent.any():
            _insert(tables, depth, ngram_keys(places[absent], words[absent, depth]))
            found = tables[depth].find(places, words[:, depth])
        places = found
    return places


def _insert(tables: list[BackoffTable], depth: int, keys: Ids) -> None:
    """Give n-grams a place in `tables[depth]`, and renumber the prefixes of longer ones."""
    table = tables[depth]
    new = np.unique(keys)
    before = np.searchsorted(table.keys, new)
    tables[depth] = BackoffTable(
        keys=np.insert(table.keys, before, new),
        log10_probabilities=np.insert(table.log10_probabilities, before, np.nan),
        log10_backoffs=np.insert(table.log10_backoffs, before, 0.0),
    )
    if depth + 1 < len(tables):
        longer = tables[depth + 1]
        places = prefix_places(longer.keys)
        places += np.searchsorted(before, places, side="right")
        tables[depth + 1] = replace(longer, keys=ngram_keys(places, last_words(longer.keys)))


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
    with _refusing(path), opened_bytes(path) as stream:
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
        except GZIP_FAULTS as error:
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
        return _joined(parts, order=self.order)

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
        return Section(ids.reshape(words.shape), probabilities, weights)

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
