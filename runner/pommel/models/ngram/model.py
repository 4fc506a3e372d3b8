"""N-gram models, `ngram://FILE?reader=...`: surprisals of words.

A file is read by ourselves, or with kenlm where that is installed, which reads its own binaries,
too.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pommel.errors import InputError, ModelNotAvailableError, UsageError
from pommel.files import expanded, is_encodable, sha256_of
from pommel.models.alignment import TokenizerSpec
from pommel.models.model import LoadOptions, Model, ModelInfo, Policy, ScoredByIndex, SpansOfEach
from pommel.models.ngram.arpa import (
    BITS_PER_LOG10,
    BOS,
    EOS,
    KENLM_BINARY_MAGIC,
    UNKNOWN_WORDS,
    BackoffModel,
    no_unknown_word,
    read_arpa,
    refusing,
)
from pommel.models.reference_files import split_reference, unchanged
from pommel.models.tokenizing import TokenizingModel
from pommel.models.word_level import WordReader
from pommel.values import positional

# Sentences that are looked up at once: enough of them for arrays to be worth while.
_SENTENCES_AT_ONCE = 256
# Words whose forms are kept while sentences are scored.
_FORMS_KEPT = 1 << 16


# What kenlm gives unknown words if a file says nothing of them.
_LOG10_OF_MISSING = -100.0


class KenlmRefusalError(Exception):
    """kenlm does not take a file; the message is its reason."""


@positional
class KenlmModel:
    """The tables of a model as kenlm holds them; see `BackoffModel`.

    Its numbers have single precision. A binary does not tell its `vocabulary` nor its `n_ngrams`.
    """

    model: Any
    unk: str
    n_ngrams: tuple[int, ...] | None = None
    vocabulary: tuple[str, ...] | None = None

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
        """Return -log2 p of each word after those before it in its sentence; see `BackoffModel`."""
        import kenlm

        found = []
        for words in sentences:
            before, after = kenlm.State(), kenlm.State()
            self.model.NullContextWrite(before)
            bits = []
            for word in words:
                known = word if _is_sayable(word) else self.unk
                # Adding 0 turns the -0.0 of a certain word into 0.0.
                bits.append(-self.model.BaseScore(before, known, after) * BITS_PER_LOG10 + 0.0)
                before, after = after, before
            found.append(bits)
        return found


def _is_sayable(word: str) -> bool:
    """Say whether kenlm can be given a word: it reads one as far as its first NUL."""
    return "\0" not in word and is_encodable(word)


def is_kenlm_binary(path: Path) -> bool:
    """Say whether a file is a binary of kenlm.

    Raises `ModelNotAvailableError` if it cannot be read.
    """
    with refusing(path), path.open("rb") as stream:
        return stream.peek(len(KENLM_BINARY_MAGIC)).startswith(KENLM_BINARY_MAGIC)


def read_with_kenlm(path: Path) -> KenlmModel:
    """Read an ARPA file, plain or gzipped, or a binary.

    Raises `KenlmRefusalError` for what kenlm does not take; `ModelNotAvailableError` for a file
    that cannot be opened; and `InputError` for a model without unknown words and, in the beginning
    of an ARPA file, for what `read_arpa` refuses: kenlm takes any encoding.
    """
    import kenlm

    unigrams = None if is_kenlm_binary(path) else read_arpa(path, only_unigrams=True)
    try:
        with _silenced_stderr():
            model = kenlm.Model(os.fsencode(path))
    except OSError as error:
        raise KenlmRefusalError(_reason(str(error.__cause__ or error))) from error
    if unigrams:
        return KenlmModel(model, unigrams.unk, unigrams.n_ngrams, unigrams.vocabulary)
    tables = KenlmModel(model, unk=UNKNOWN_WORDS[0])
    if tables.surprisals_bits([[tables.unk]])[0][0] == -_LOG10_OF_MISSING * BITS_PER_LOG10:
        raise no_unknown_word(path)
    return tables


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


# Both give surprisals of sentences; words that the model does not know are `unk`.
NgramTables = BackoffModel | KenlmModel


@positional
class NgramModel(TokenizingModel):
    """A back-off n-gram model over words.

    A word is looked up as it is written and, if the model does not know it so, in lower case; a
    word that is unknown in both has the surprisal of the unknown word and `oov=True`. A token's
    text is always what the sentence has. `<s>` and `</s>` written in a sentence are no marks.

    With a beginning-of-sentence mark (`bos` "auto" or "always") the first word is scored after
    `<s>`. With "never" or "tokenizer" nothing stands before the first word (or, in an empty
    sentence, before `</s>`), and it gets what `first_token` says, not the unigram probability:
    that is an average over places in a sentence, not a probability at its beginning. `</s>` is
    scored unless `eos` is "never".
    """

    info: ModelInfo
    tables: NgramTables

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: SpansOfEach = None,  # noqa: ARG002 - all of them cost little
    ) -> ScoredByIndex:
        """Yield (index, scored sentence) in order; see `Model.score`.

        Raises `ModelError` if the policy asks for a mark that the model does not have, or for
        another method. A token is a whole word: a corrected boundary changes nothing.
        """
        self.info.method(policy)
        reader = WordReader(
            name=self.info.name,
            form=lru_cache(_FORMS_KEPT)(self._form),
            unk=self.tables.unk,
            bos=self.info.bos,
            eos=self.info.eos,
        )
        reader.check(policy)
        for start in range(0, len(sentences), _SENTENCES_AT_ONCE):
            texts = sentences[start : start + _SENTENCES_AT_ONCE]
            block = [reader.read(text, policy) for text in texts]
            words = [(*each.context, *each.forms) for each in block]
            pairs = zip(block, self.tables.surprisals_bits(words), strict=True)
            for index, (sentence, bits) in enumerate(pairs, start=start):
                n_before = len(sentence.context)
                has_context = n_before or not bits
                yield (
                    index,
                    sentence.scored(
                        bits[n_before:] if has_context else [policy.first_outcome, *bits[1:]]
                    ),
                )

    @property
    def tokenizer_spec(self) -> TokenizerSpec:
        """How its words are read; nothing predicts the mark in front, so that it is no token."""
        return TokenizerSpec(
            unk_types=frozenset({self.tables.unk}),
            suffix_types=frozenset(filter(None, [self.info.eos])),
        )

    @property
    def vocabulary_items(self) -> Sequence[str] | None:
        """Its words; a KenLM binary lists none."""
        listed = self.tables.vocabulary
        return None if listed is None else [word for word in listed if word != BOS]

    def _form(self, word: str) -> str | None:
        """Return the form in which the model knows `word`, None if it knows none."""
        for form in (word, word.lower()):
            if form in self.tables and form not in {BOS, EOS}:
                return form
        return self.tables.unk if word in UNKNOWN_WORDS else None


def open_arpa(path: Path, *, reference: str, name: str) -> NgramModel:
    """Read the ARPA file at `path`, plain or gzipped, as the model `name`, without kenlm.

    Raises what `read_arpa` raises. The fingerprint is the SHA-256 of the file as it lies there.
    """
    return ngram_model(read_arpa(path), path, reference=reference, name=name)


def ngram_model(tables: NgramTables, path: Path, *, reference: str, name: str) -> NgramModel:
    """Return the model `name` of the file at `path`, whose tables have been read."""
    reader = "kenlm" if isinstance(tables, KenlmModel) else "python"
    marks = {mark for mark in (BOS, EOS, tables.unk) if mark in tables}
    details: dict[str, int | str] = {"order": tables.order}
    if tables.n_ngrams is not None:
        details["n_ngrams"] = sum(tables.n_ngrams)
        # Words; the marks are not counted.
        details["vocabulary_size"] = tables.n_ngrams[0] - len(marks)
    info = ModelInfo(
        reference=reference,
        name=name,
        kind="ngram",
        fingerprint=sha256_of(path),
        bos=BOS if BOS in marks else None,
        eos=EOS if EOS in marks else None,
        methods=("ngram",),
        details={**details, "case": "as written, then lower case", "reader": reader},
    )
    return NgramModel(info, tables)


_READERS = ("auto", "python", "kenlm")


def open_model(reference: str, _options: LoadOptions) -> Model:
    """Return the model that a reference `ngram://FILE` names, `?reader=python|kenlm|auto`.

    "auto" reads with kenlm where that is installed, which takes less time, and otherwise, or if
    kenlm does not take the file, by ourselves; both give the same numbers (1e-4 bits).
    Raises `UsageError` for a reference that makes no sense, `ModelNotAvailableError` for a file
    that cannot be read or needs a kenlm that is not installed, and `InputError`, with the line if
    it is text, for what is wrong in it.
    """
    parts = split_reference(reference, ("reader",))
    if not parts.path:
        raise UsageError(f"{reference}: it names no file; write ngram://FILE")
    wanted = parts.settings.get("reader", "auto")
    UsageError.check_choice("reader", wanted, _READERS)
    path = expanded(parts.path)
    name = Path(path.name.removesuffix(".gz")).stem
    with unchanged(path, asked_by=reference):
        tables = _read(path, wanted, reference)
        return ngram_model(tables, path, reference=reference, name=name)


def _read(path: Path, wanted: str, reference: str) -> NgramTables:
    if wanted == "python":
        return read_arpa(path)
    is_binary = is_kenlm_binary(path)
    if find_spec("kenlm") is None:
        if is_binary:
            raise ModelNotAvailableError(
                f"{path}: this is a binary KenLM model, which needs kenlm: "
                f"{UsageError.install('kenlm')}, or give the ARPA file that it was built from"
            )
        if wanted == "kenlm":
            raise ModelNotAvailableError(
                f"{reference} needs kenlm: {UsageError.install('kenlm')}, "
                "or read it without: ngram://FILE?reader=python"
            )
        return read_arpa(path)
    try:
        return read_with_kenlm(path)
    except KenlmRefusalError as refusal:
        if is_binary:
            raise InputError(f"{path}: kenlm cannot read this binary: {refusal}") from refusal
        # It says in which line a fault is; and it takes what kenlm does not, such as unigrams.
        tables = read_arpa(path)
        if wanted == "kenlm":
            raise InputError(
                f"{path}: kenlm does not take this model: {refusal}; "
                "write ngram://FILE?reader=python"
            ) from refusal
        return tables
