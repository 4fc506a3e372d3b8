"""N-gram models: surprisals of words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, Protocol

from pommel.files.writing import sha256_of
from pommel.models.model import ModelInfo, Spans
from pommel.models.ngram.arpa import BOS, EOS, UNKNOWN_WORDS, read_arpa
from pommel.models.policy import Policy
from pommel.models.word_level.sentences import WordReader, WordSentence, first_outcome
from pommel.surprisal import ScoredSentence, Unscored

ReaderName = Literal["python", "kenlm"]

# Sentences that are looked up at once: enough of them for arrays to be worth while.
_SENTENCES_AT_ONCE = 256
# Words whose forms are kept while sentences are scored.
_FORMS_KEPT = 1 << 16


class NgramTables(Protocol):
    """What an n-gram model says, whatever has read its file.

    `n_ngrams` (unigrams first) and `vocabulary` (words and marks in the order of the file) are None
    where a file does not tell. `unk` is how the tables call unknown words.
    """

    @property
    def order(self) -> int:
        """The number of words in the longest n-grams."""
        ...

    @property
    def n_ngrams(self) -> tuple[int, ...] | None:
        """The number of n-grams of each order."""
        ...

    @property
    def vocabulary(self) -> tuple[str, ...] | None:
        """The words that have a unigram."""
        ...

    @property
    def unk(self) -> str:
        """The unknown word."""
        ...

    def __contains__(self, word: object) -> bool:
        """Say whether a word has a unigram of its own."""
        ...

    def surprisals_bits(self, sentences: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return -log2 p of each word after those before it in its sentence, in bits.

        The first word is scored after nothing; words that the model does not know are `unk`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramModel:
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
        spans: Sequence[Spans | None] | None = None,  # noqa: ARG002 - all of them cost little
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Yield (index, scored sentence) in order; see `Model.score`.

        Raises `ModelError` if the policy asks for a mark that the model does not have, or for
        another method. A token is a whole word: a corrected boundary changes nothing.
        """
        self.info.method(policy)
        reader = self._reader()
        reader.check(policy)
        for start in range(0, len(sentences), _SENTENCES_AT_ONCE):
            texts = sentences[start : start + _SENTENCES_AT_ONCE]
            block = [reader.read(text, policy) for text in texts]
            surprisals = self.tables.surprisals_bits(
                [(*each.context, *each.forms) for each in block]
            )
            pairs = zip(block, surprisals, strict=True)
            for index, (sentence, bits) in enumerate(pairs, start=start):
                yield index, sentence.scored(_outcomes(sentence, bits, policy))

    def _reader(self) -> WordReader:
        return WordReader(
            name=self.info.name,
            form=lru_cache(_FORMS_KEPT)(self._form),
            unk=self.tables.unk,
            bos=self.info.bos,
            eos=self.info.eos,
        )

    def _form(self, word: str) -> str | None:
        """Return the form in which the model knows `word`, None if it knows none."""
        for form in (word, word.lower()):
            if form in self.tables and form not in {BOS, EOS}:
                return form
        return self.tables.unk if word in UNKNOWN_WORDS else None


def _outcomes(
    sentence: WordSentence, bits: Sequence[float], policy: Policy
) -> list[float | Unscored]:
    """Return what the tokens of a sentence get; `bits` has its context, too."""
    if not sentence.context and bits:
        return [first_outcome(policy), *bits[1:]]
    return [*bits[len(sentence.context) :]]


def open_arpa(path: Path, *, reference: str, name: str) -> NgramModel:
    """Read the ARPA file at `path`, plain or gzipped, as the model `name`, without kenlm.

    Raises what `read_arpa` raises. The fingerprint is the SHA-256 of the file as it lies there.
    """
    return ngram_model(read_arpa(path), path, "python", reference=reference, name=name)


def ngram_model(
    tables: NgramTables, path: Path, reader: ReaderName, *, reference: str, name: str
) -> NgramModel:
    """Return the model `name` of the file at `path`, whose tables `reader` has read."""
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
    return NgramModel(info=info, tables=tables)
