"""Reading n-gram models with kenlm, where that is installed: ARPA files and its own binaries."""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pommel.files.text import is_encodable
from pommel.models.ngram.arpa import UNKNOWN_WORDS, no_unknown_word, read_unigrams
from pommel.models.ngram.arpa_lines import KENLM_BINARY_MAGIC, opened_as_it_lies
from pommel.models.ngram.backoff import BITS_PER_LOG10

# What kenlm gives unknown words if a file says nothing of them.
_LOG10_OF_MISSING = -100.0


class KenlmRefusalError(Exception):
    """kenlm does not take a file; the message is its reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KenlmModel:
    """The tables of a model as kenlm holds them; see `NgramTables`.

    Its numbers have single precision. A binary does not tell its vocabulary nor its sizes.
    """

    model: Any
    unk: str
    n_ngrams: tuple[int, ...] | None
    vocabulary: tuple[str, ...] | None

    @property
    def order(self) -> int:
        """The number of words in the longest n-grams."""
        return int(self.model.order)

    def __contains__(self, word: object) -> bool:
        """Say whether a word has a unigram of its own; of the unknown word kenlm says no."""
        if not isinstance(word, str) or not _is_sayable(word):
            return False
        return word == self.unk or word in self.model

    def surprisals_bits(self, sentences: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return -log2 p of each word after those before it in its sentence; see `NgramTables`."""
        return [self._surprisals_bits(words) for words in sentences]

    def _surprisals_bits(self, words: Sequence[str]) -> list[float]:
        import kenlm  # noqa: PLC0415 - optional

        before, after = kenlm.State(), kenlm.State()
        self.model.NullContextWrite(before)
        bits = []
        for word in words:
            known = word if _is_sayable(word) else self.unk
            # Adding 0 turns the -0.0 of a certain word into 0.0.
            bits.append(-self.model.BaseScore(before, known, after) * BITS_PER_LOG10 + 0.0)
            before, after = after, before
        return bits


def _is_sayable(word: str) -> bool:
    """Say whether kenlm can be given a word: it reads one as far as its first NUL."""
    return "\0" not in word and is_encodable(word)


def is_kenlm_installed() -> bool:
    """Say whether kenlm is there, without importing it."""
    return find_spec("kenlm") is not None


def is_kenlm_binary(path: Path) -> bool:
    """Say whether a file is a binary of kenlm.

    Raises `ModelNotAvailableError` if it cannot be read.
    """
    with opened_as_it_lies(path) as stream:
        return stream.peek(len(KENLM_BINARY_MAGIC)).startswith(KENLM_BINARY_MAGIC)


def read_with_kenlm(path: Path) -> KenlmModel:
    """Read an ARPA file, plain or gzipped, or a binary.

    Raises `KenlmRefusalError` for what kenlm does not take; `ModelNotAvailableError` for a file
    that cannot be opened; and `InputError` for a model without unknown words and, in the beginning
    of an ARPA file, for what `read_arpa` refuses: kenlm takes any encoding.
    """
    unigrams = None if is_kenlm_binary(path) else read_unigrams(path)
    model = _loaded(path)
    if unigrams is None:
        tables = KenlmModel(model=model, unk=UNKNOWN_WORDS[0], n_ngrams=None, vocabulary=None)
        if tables.surprisals_bits([[tables.unk]])[0][0] == -_LOG10_OF_MISSING * BITS_PER_LOG10:
            raise no_unknown_word(path)
        return tables
    return KenlmModel(
        model=model,
        unk=unigrams.unk,
        n_ngrams=unigrams.n_ngrams,
        vocabulary=unigrams.vocabulary,
    )


def _loaded(path: Path) -> Any:
    import kenlm  # noqa: PLC0415 - optional

    try:
        with _silenced_stderr():
            return kenlm.Model(os.fsencode(path))
    except OSError as error:
        raise KenlmRefusalError(_reason(str(error.__cause__ or error))) from error


def _reason(message: str) -> str:
    """Return the first sentence of what kenlm says, "place threw Class. What is wrong. Byte: 5"."""
    said = re.sub(r" Byte: \d+.*", "", " ".join(message.split()))
    _, thrown, what = said.rpartition(" threw ")
    if thrown:
        what = what.partition(". ")[2]
    return what.partition(". ")[0].removesuffix(".")


@contextmanager
def _silenced_stderr() -> Iterator[None]:
    """Keep from the user's terminal what C++ code prints below Python's streams."""
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:
        # There is no standard error, as in a daemon.
        yield
        return
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
