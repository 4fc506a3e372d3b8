"""ARPA files: back-off n-gram models as text, plain or gzipped.

The format is Doug Paul's, as SRILM and KenLM write it: `\\data\\`, one `ngram N=COUNT` per order,
the sections `\\1-grams:` to `\\N-grams:`, `\\end\\`. A line of a section is a log10 probability, N
words and, below the highest order, maybe a log10 back-off weight, with tabs or spaces between.
"""

import gzip
import io
import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pommel.errors import InputError, ModelNotAvailableError

BOS = "<s>"
EOS = "</s>"

_UNKNOWN_WORDS = ("<unk>", "<UNK>")
_BITS_PER_LOG10 = math.log2(10)
_GZIP_MAGIC = b"\x1f\x8b"
_KENLM_BINARY_MAGIC = b"mmap lm http"
_UTF8_BOM = b"\xef\xbb\xbf"
_COUNT = re.compile(rb"ngram\s+(\d+)\s*=\s*(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArpaModel:
    """A back-off model: one table of probabilities and one of back-off weights for each order.

    The key of an n-gram is its words in UTF-8 with one space between (bytes take less memory than
    text, and there may be millions); the tables of order n stand at n - 1. Weights that the file
    leaves out, or gives as 0, are not in the tables. `unk` is what the file calls unknown words.
    """

    order: int
    log10_probabilities: tuple[Mapping[bytes, float], ...]
    log10_backoffs: tuple[Mapping[bytes, float], ...]
    unk: str

    def __contains__(self, word: object) -> bool:
        """Say whether `word` has a unigram of its own; the marks have one too."""
        return isinstance(word, str) and _key(word) in self.log10_probabilities[0]

    @property
    def n_ngrams(self) -> tuple[int, ...]:
        """The number of n-grams of each order, unigrams first."""
        return tuple(len(table) for table in self.log10_probabilities)

    def log10_probability(self, word: str, context: Sequence[str] = ()) -> float:
        """Return log10 p(word | context), the words of the context in the order of the sentence.

        Only the last `order - 1` words of the context count. Words that the model does not know
        are taken as `unk`, in the context too. Where the n-gram is not in the model:
        p(w | h) = backoff(h) * p(w | h without its first word), a missing weight being 1.
        """
        n_context = min(len(context), self.order - 1)
        history = [self._known(each) for each in context[len(context) - n_context :]]
        target = self._known(word)
        weight = 0.0
        for start in range(n_context):
            left = b" ".join(history[start:])
            found = self.log10_probabilities[n_context - start].get(b"%b %b" % (left, target))
            if found is not None:
                return weight + found
            weight += self.log10_backoffs[n_context - start - 1].get(left, 0.0)
        return weight + self.log10_probabilities[0][target]

    def surprisal_bits(self, word: str, context: Sequence[str] = ()) -> float:
        """Return -log2 p(word | context), in bits; +infinity where the file says -inf."""
        # Adding 0 turns the -0.0 of a certain word into 0.0.
        return -self.log10_probability(word, context) * _BITS_PER_LOG10 + 0.0

    def _known(self, word: str) -> bytes:
        key = _key(word)
        return key if key in self.log10_probabilities[0] else _key(self.unk)


def read_arpa(path: Path) -> ArpaModel:
    """Read an ARPA file; its content, not its name, says whether it is gzipped.

    Raises `ModelNotAvailableError` if the file cannot be opened and `InputError`, with the line,
    for anything that is wrong in it.
    """
    with _opened(path) as stream:
        lines = _Lines(stream, path)
        declared = _read_header(lines)
        probabilities: list[dict[bytes, float]] = []
        backoffs: list[dict[bytes, float]] = []
        for order, n_declared in enumerate(declared, start=1):
            table, weights = _read_section(lines, order=order, n_declared=n_declared)
            probabilities.append(table)
            backoffs.append(weights)
            following = rf"\{order + 1}-grams:" if order < len(declared) else "\\end\\"
            _expect(lines, following, order=order, n_declared=n_declared)
    return ArpaModel(
        order=len(declared),
        log10_probabilities=tuple(probabilities),
        # Nothing backs off from the longest n-grams, though some tools write weights for them.
        log10_backoffs=tuple(backoffs[:-1]),
        unk=_unknown_word(probabilities[0], path),
    )


def _key(word: str) -> bytes:
    # Half a surrogate pair may come out of a JSON file; it is an unknown word, not a crash.
    return word.encode("utf-8", "surrogatepass")


@contextmanager
def _opened(path: Path) -> Iterator[io.BufferedReader]:
    try:
        raw = path.open("rb")
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelNotAvailableError(f"{path}: cannot read the n-gram model: {reason}") from error
    with raw:
        if raw.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC):
            # Without a buffer of its own a GzipFile hands out lines three times as slowly.
            yield io.BufferedReader(gzip.GzipFile(fileobj=raw), 1 << 20)
        else:
            yield raw


class _Lines:
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
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            what = "the gzip stream is cut short or damaged"
            raise self.fault(what, f"fetch the file again ({error})") from error


def _read_header(lines: _Lines) -> list[int]:
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
            raise lines.fault(f"{_shown(line)} has no place here", hint)
    raise lines.fault(r'the file ends before "\1-grams:"', "it is cut short")


def _skip_to_data(lines: _Lines) -> None:
    for raw in lines:
        if lines.number == 1 and raw.startswith(_KENLM_BINARY_MAGIC):
            hint = "give the ARPA file that it was built from"
            raise lines.fault("this is a binary KenLM model", hint)
        if raw.removeprefix(_UTF8_BOM).strip() == b"\\data\\":
            return
    raise lines.fault(r'no line is "\data\"', "an ARPA file is expected, plain or gzipped", line=1)


def _read_section(
    lines: _Lines, *, order: int, n_declared: int
) -> tuple[dict[bytes, float], dict[bytes, float]]:
    """Read `n_declared` n-grams; return their probabilities and their back-off weights.

    This is the loop that a million lines go through: it only notices that something is wrong,
    and `_line_fault` finds out what.
    """
    probabilities: dict[bytes, float] = {}
    backoffs: dict[bytes, float] = {}
    after_words = order + 1
    n_read = 0
    for raw in islice(lines, n_declared):
        fields = raw.split()
        words = b" ".join(fields[1:after_words])
        try:
            probability = float(fields[0])
            if len(fields) != after_words:
                (weight,) = map(float, fields[after_words:])
                if weight:
                    backoffs[words] = weight
            else:
                weight = 0.0
        except (ValueError, IndexError):
            raise _line_fault(lines, fields, order, n_read, n_declared) from None
        # Written so that "nan" fails too.
        if not (probability <= 0 and weight < math.inf):
            raise _line_fault(lines, fields, order, n_read, n_declared)
        probabilities[words] = probability
        n_read += 1
    if n_read < n_declared:
        what = f"the file ends after {n_read} of {n_declared} {order}-grams"
        raise lines.fault(what, "it is cut short")
    _check_keys(lines, probabilities, order=order, first_line=lines.number - n_read + 1)
    return probabilities, backoffs


def _line_fault(
    lines: _Lines, fields: list[bytes], order: int, n_read: int, n_declared: int
) -> InputError:
    """Say what is wrong with a line that is not an n-gram of `order`."""
    if not fields or fields[0].startswith(b"\\"):
        what = rf"\{order}-grams: ends after {n_read} n-grams, \data\ says {n_declared}"
        return lines.fault(what, f'complete the section or write "ngram {order}={n_read}"')
    probability = _number(fields[0])
    if math.isnan(probability):
        return lines.fault(f"{_shown(fields[0])} is no number", "expected a log10 probability")
    if probability > 0:
        what = f"the log10 probability {_shown(fields[0])} is above 0"
        return lines.fault(what, "a probability is at most 1, its logarithm at most 0")
    if len(fields) not in {order + 1, order + 2}:
        words = "1 word" if order == 1 else f"{order} words"
        hint = f"expected a log10 probability, {words} and maybe a log10 back-off weight"
        return lines.fault(f"the line has {len(fields)} fields", hint)
    hint = f"expected a log10 back-off weight after the {order}-gram"
    return lines.fault(f"{_shown(fields[-1])} is no finite number", hint)


def _number(field: bytes) -> float:
    try:
        return float(field)
    except ValueError:
        return math.nan


def _check_keys(
    lines: _Lines, table: Mapping[bytes, float], *, order: int, first_line: int
) -> None:
    """Check what is too slow to check line by line."""
    n_read = lines.number - first_line + 1
    if len(table) != n_read:
        what = f"{n_read - len(table)} of the {n_read} {order}-grams from here on are duplicates"
        raise lines.fault(what, "each n-gram may be listed once", line=first_line)
    if order > 1:
        return
    # In another encoding every word with an accent would be unknown, and nobody would notice.
    for number, word in enumerate(table, start=first_line):
        try:
            word.decode()
        except UnicodeDecodeError:
            hint = "convert the file to UTF-8"
            raise lines.fault(f"{_shown(word)} is not UTF-8", hint, line=number) from None


def _expect(lines: _Lines, mark: str, *, order: int, n_declared: int) -> None:
    for raw in lines:
        line = raw.strip()
        if line == mark.encode():
            return
        if line.startswith(b"\\"):
            raise lines.fault(f"{_shown(line)} has no place here", f'expected "{mark}"')
        if line:
            what = rf"\{order}-grams: goes on after {n_declared} n-grams, which is what \data\ says"
            raise lines.fault(what, f'expected "{mark}", or a higher "ngram {order}="')
    raise lines.fault(f'the file ends before "{mark}"', "it is cut short")


def _unknown_word(unigrams: Mapping[bytes, float], path: Path) -> str:
    for word in _UNKNOWN_WORDS:
        if _key(word) in unigrams:
            return word
    hint = "estimate it with an open vocabulary (SRILM: ngram-count -unk)"
    raise InputError(f'{path}: the model has no unigram "{_UNKNOWN_WORDS[0]}"; {hint}')


def _shown(field: bytes) -> str:
    return f'"{field[:60].decode("utf-8", "backslashreplace")}"'
