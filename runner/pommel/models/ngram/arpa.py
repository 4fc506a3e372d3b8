"""ARPA files, plain or gzipped, and the sorted arrays that they become.

A file is read section by section, with the line of whatever is wrong."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pommel.errors import InputError, ModelNotAvailableError
from pommel.files import GZIP_FAULTS, opened
from pommel.values import frozen, positional

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]

BITS_PER_LOG10 = math.log2(10)

# No n-gram, and no key of one: keys are not negative.
ABSENT = -1
_WORD_BITS = 32


def ngram_keys(prefixes: Ids, words: Ids) -> Ids:
    """Return the keys of n-grams: of the places of their prefixes, and of their last words."""
    return (prefixes << _WORD_BITS) | words


@positional(eq=False)
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


@frozen(eq=False)
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

    def surprisals_bits(self, sentences: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return -log2 p of each word after those before it in its sentence, in bits.

        The first word is scored after nothing. +infinity where the file says -inf.
        """
        # Adding 0 turns the -0.0 of a certain word into 0.0.
        bits = iter((-self.log10_probabilities(sentences) * BITS_PER_LOG10 + 0.0).tolist())
        return [list(islice(bits, len(words))) for words in sentences]

    def log10_probabilities(self, sentences: Sequence[Sequence[str]]) -> Reals:
        """Return log10 p of all words of all sentences, one sentence after another."""
        unknown = self.ids[_utf8(self.unk)]
        numbers = [self.ids.get(_utf8(word), unknown) for words in sentences for word in words]
        ids = np.array(numbers, dtype=np.int64)
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
    probabilities, backoffs = section.log10_probabilities, section.log10_backoffs
    if not np.all(keys[1:] > keys[:-1]):
        order = np.argsort(keys)
        keys, probabilities, backoffs = keys[order], probabilities[order], backoffs[order]
    tables.append(BackoffTable(keys, probabilities, backoffs))
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
        np.insert(table.keys, before, new),
        np.insert(table.log10_probabilities, before, np.nan),
        np.insert(table.log10_backoffs, before, 0.0),
    )
    if depth + 1 < len(tables):
        longer = tables[depth + 1]
        moved = np.searchsorted(before, longer.keys >> _WORD_BITS, side="right")
        tables[depth + 1] = replace(longer, keys=longer.keys + (moved << _WORD_BITS))


KENLM_BINARY_MAGIC = b"mmap lm http"
BOS = "<s>"
EOS = "</s>"
UNKNOWN_WORDS = ("<unk>", "<UNK>")

_UTF8_BOM = b"\xef\xbb\xbf"
_COUNT = re.compile(rb"ngram\s+(\d{1,9})\s*=\s*(\d{1,18})")
# Lines that are taken apart at once: their fields take a few dozen MB, 200 MB at most.
_LINES_AT_ONCE = 1 << 16
_BYTES_AT_ONCE = 1 << 24
# By what `bytes.split` cuts.
_IS_SPACE = np.isin(np.arange(256), list(b" \t\n\r\x0b\x0c"))


def read_arpa(path: Path, *, only_unigrams: bool = False) -> BackoffModel:
    """Read an ARPA file; its content, not its name, says whether it is gzipped.

    Raises `ModelNotAvailableError` if the file cannot be opened and `InputError`, with the line,
    for anything that is wrong in it.
    """
    tables: list[BackoffTable] = []
    with refusing(path), opened(path) as lines:
        reader = _ArpaReader(lines, path)
        for order in range(1, 2 if only_unigrams else len(reader.n_ngrams) + 1):
            reader.end_section(order, n_duplicates=add_table(tables, reader.section(order)))
    unk = next((word for word in UNKNOWN_WORDS if word.encode() in reader.ids), None)
    if unk is None:
        raise no_unknown_word(path)
    return BackoffModel(
        tables=tuple(tables), n_ngrams=tuple(reader.n_ngrams), ids=reader.ids, unk=unk
    )


def no_unknown_word(path: Path) -> InputError:
    """Return the error that a model knows nothing of unknown words."""
    hint = "estimate it with an open vocabulary (SRILM: ngram-count -unk)"
    return InputError(f'{path}: the model has no unigram "{UNKNOWN_WORDS[0]}"; {hint}')


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Raise `ModelNotAvailableError` for a file that cannot be read."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelNotAvailableError(f"{path}: cannot read the n-gram model: {reason}") from error


class _ArpaReader:
    """Reads an open file once: its header, and then section by section.

    `n_ngrams` is what the header says of each order, `ids` numbers the words of the unigrams.
    """

    def __init__(self, lines: Iterator[bytes], path: Path) -> None:
        self.ids: dict[bytes, int] = {}
        self._path = path
        # The line that was read last, from 1.
        self._number = 0
        self._lines = self._read(lines)
        self.n_ngrams = self._header()

    def section(self, order: int) -> Section:
        """Read as many n-grams as are declared, up to their section's first line that is none."""
        n_declared = self.n_ngrams[order - 1]
        parts = [Section(np.empty((0, order), dtype=np.int32), np.empty(0), np.empty(0))]
        n_read = 0
        while n_read < n_declared:
            n_wanted = min(_LINES_AT_ONCE, n_declared - n_read)
            raw, n_bytes = [], 0
            for line in islice(self._lines, n_wanted):
                raw.append(line)
                n_bytes += len(line)
                if n_bytes > _BYTES_AT_ONCE:
                    n_wanted = len(raw)
                    break
            try:
                parts.append(self._parsed(raw, order))
            except (KeyError, ValueError):
                raise self._first_fault(raw, order, n_read) from None
            n_read += len(raw)
            if len(raw) < n_wanted:
                what = f"the file ends after {n_read} of {n_declared} {order}-grams"
                raise self._fault(what, "it is cut short")
        return Section(*map(np.concatenate, zip(*parts, strict=True)))

    def end_section(self, order: int, *, n_duplicates: int) -> None:
        """Refuse duplicates in the section that has just been read, and read the mark behind it."""
        n_read = self.n_ngrams[order - 1]
        if n_duplicates:
            what = f"{n_duplicates} of the {n_read} {order}-grams from here on are duplicates"
            first_line = self._number - n_read + 1
            raise self._fault(what, "each n-gram may be listed once", line=first_line)
        mark = rf"\{order + 1}-grams:" if order < len(self.n_ngrams) else "\\end\\"
        for raw in self._lines:
            line = raw.strip()
            if line == mark.encode():
                return
            if line.startswith(b"\\"):
                raise self._fault(f"{_shown(line)} has no place here", f'expected "{mark}"')
            if line:
                what = rf"\{order}-grams: goes on after {n_read} n-grams, which is what \data\ says"
                raise self._fault(what, f'expected "{mark}", or a higher "ngram {order}="')
        raise self._fault(f'the file ends before "{mark}"', "it is cut short")

    def _read(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        try:
            for self._number, raw in enumerate(lines, start=1):
                yield raw
        except GZIP_FAULTS as error:
            what = "the gzip stream is cut short or damaged"
            raise self._fault(what, f"fetch the file again ({error})") from error

    def _fault(self, what: str, hint: str, *, line: int | None = None) -> InputError:
        """Return the error that says what is wrong in `line`, by default the last one read."""
        number = self._number if line is None else line
        return InputError(f"{self._path}:{max(number, 1)}: {what}; {hint}")

    def _header(self) -> list[int]:
        r"""Read up to and with `\1-grams:`; return the declared number of n-grams, by order."""
        for raw in self._lines:
            if self._number == 1 and raw.startswith(KENLM_BINARY_MAGIC):
                hint = "give the ARPA file that it was built from"
                raise self._fault("this is a binary KenLM model", hint)
            if raw.removeprefix(_UTF8_BOM).strip() == b"\\data\\":
                break
        else:
            hint = "an ARPA file is expected, plain or gzipped"
            raise self._fault(r'no line is "\data\"', hint, line=1)
        declared: list[int] = []
        for raw in self._lines:
            line = raw.strip()
            if line == b"\\1-grams:" and declared:
                return declared
            count = _COUNT.fullmatch(line)
            if count and int(count[1]) == len(declared) + 1:
                declared.append(int(count[2]))
            elif line:
                hint = f'expected "ngram {len(declared) + 1}=COUNT"'
                hint += r' or "\1-grams:"' if declared else ""
                raise self._fault(f"{_shown(line)} has no place here", hint)
        raise self._fault(r'the file ends before "\1-grams:"', "it is cut short")

    def _parsed(self, raw: Sequence[bytes], order: int) -> Section:
        """Return the n-grams of some lines; raises `ValueError` or `KeyError` if one is none.

        Millions of lines go through this: it only notices that something is wrong, and
        `_first_fault` finds out what.
        """
        fields, counts = _fields(raw)
        has_weight = counts == order + 2
        if not (has_weight | (counts == order + 1)).all():
            raise ValueError(raw)
        firsts = np.cumsum(counts) - counts
        words = fields[firsts[:, None] + np.arange(1, order + 1)]
        listed: list[bytes] = words.ravel().tolist()
        if order == 1:
            # In another encoding every word with an accent would be unknown, and nobody would
            # notice.
            b"\n".join(listed).decode()
            for word in listed:
                self.ids.setdefault(word, len(self.ids))
        probabilities = _numbers(fields[firsts])
        weights = np.zeros(len(raw))
        weights[has_weight] = _numbers(fields[firsts[has_weight] + order + 1])
        # Written so that "nan" fails too.
        if not ((probabilities <= 0) & (weights < np.inf)).all():
            raise ValueError(raw)
        ids = np.fromiter(map(self.ids.__getitem__, listed), dtype=np.int32, count=words.size)
        return Section(ids.reshape(words.shape), probabilities, weights)

    def _first_fault(self, raw: Sequence[bytes], order: int, n_read: int) -> InputError:
        """Say what is wrong in the first of the last lines that is no n-gram."""
        first_line = self._number - len(raw) + 1
        for index, line in enumerate(raw):
            if fault := self._line_fault(line.split(), order, n_read + index):
                return self._fault(*fault, line=first_line + index)
        raise AssertionError(raw)

    def _line_fault(
        self, fields: Sequence[bytes], order: int, n_read: int
    ) -> tuple[str, str] | None:
        """Return what is wrong with a line that is to be an n-gram, and a hint; None for nothing.

        `n_read` lines of the section stand before it.
        """
        if not fields or fields[0].startswith(b"\\"):
            said = rf"\data\ says {self.n_ngrams[order - 1]}"
            what = rf"\{order}-grams: ends after {n_read} n-grams, {said}"
            return what, f'complete the section or write "ngram {order}={n_read}"'
        probability = _number(fields[0])
        if math.isnan(probability):
            return f"{_shown(fields[0])} is no number", "expected a log10 probability"
        if probability > 0:
            what = f"the log10 probability {_shown(fields[0])} is above 0"
            return what, "a probability is at most 1, its logarithm at most 0"
        if len(fields) not in {order + 1, order + 2}:
            words = "1 word" if order == 1 else f"{order} words"
            hint = f"expected a log10 probability, {words} and maybe a log10 back-off weight"
            return f"the line has {len(fields)} fields", hint
        if len(fields) == order + 2 and not _number(fields[-1]) < math.inf:
            hint = f"expected a log10 back-off weight after the {order}-gram"
            return f"{_shown(fields[-1])} is no finite number", hint
        for word in fields[1 : order + 1]:
            try:
                word.decode()
            except UnicodeDecodeError:
                return f"{_shown(word)} is not UTF-8", "convert the file to UTF-8"
            if order > 1 and word not in self.ids:
                what = f"{_shown(word)} is in a {order}-gram and has no unigram"
                return what, "a model lists each of its words among the 1-grams"
        return None


def _shown(field: bytes) -> str:
    """Return the beginning of a field as a message shows it."""
    return f'"{field[:60].decode("utf-8", "backslashreplace")}"'


def _number(field: bytes) -> float:
    try:
        return float(field)
    except ValueError:
        return math.nan


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
