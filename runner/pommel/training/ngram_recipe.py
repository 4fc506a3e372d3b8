"""How an n-gram model is made of a text: which words it knows, and how it is smoothed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from pommel.errors import InputError, UsageError, check_choice
from pommel.files.text import replacing
from pommel.models.ngram.arpa import BOS, EOS
from pommel.training import kneser_ney, laplace
from pommel.training.arpa_file import write_arpa
from pommel.training.ngram_corpus import mark_in_text, read_corpus
from pommel.training.ngram_tables import NgramEstimate
from pommel.training.text import TextFile

Smoothing = Literal["kneser-ney", "laplace"]
# Told what is being done, in a few words.
Teller = Callable[[str], None]

_SENTENCES_BETWEEN_REPORTS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramRecipe:
    """Everything about a model but its text.

    `min_count` is that of `kneser_ney.estimate`, unigrams first; an `order` of which the text has
    no n-gram to keep is lower in the model. Known are the words of `vocabulary` (None: those that
    occur often enough, at most the `vocabulary_size` most frequent ones); all others are `<unk>`.
    `add` is for "laplace" alone. Logarithms are written with `n_decimals`. Raises `UsageError` for
    what makes no sense.
    """

    order: int = 5
    smoothing: Smoothing = "kneser-ney"
    add: float = 1.0
    min_count: tuple[int, ...] = (1,)
    vocabulary_size: int | None = None
    vocabulary: tuple[str, ...] | None = None
    n_decimals: int = 7

    def __post_init__(self) -> None:
        check_choice("smoothing", self.smoothing, get_args(Smoothing))
        if self.smoothing == "laplace":
            laplace.check_options(self.order, self.add, self.min_count)
        else:
            kneser_ney.min_counts(self.order, self.min_count)
        if self.vocabulary is not None:
            self._check_vocabulary_alone()

    def estimate(self, sentences: Iterable[Sequence[str]]) -> NgramEstimate:
        """Estimate the model of sentences of words. Raises as `read_corpus` does."""
        corpus = read_corpus(
            sentences,
            min_count=self.min_count[0],
            size=self.vocabulary_size,
            vocabulary=self.vocabulary,
        )
        if self.smoothing == "laplace":
            return laplace.estimate(corpus, order=self.order, add=self.add)
        return kneser_ney.estimate(corpus, order=self.order, min_count=self.min_count)

    def _check_vocabulary_alone(self) -> None:
        """Raise `UsageError` for what chooses words, too."""
        if self.vocabulary_size is not None:
            raise UsageError("--vocabulary-size says nothing beside --vocabulary; leave one out")
        if self.min_count[0] > 1:
            raise UsageError(
                "the first number of --min-count, which is for words, says nothing beside "
                "--vocabulary; write 1"
            )


def train_ngram_file(
    text: TextFile, recipe: NgramRecipe, output: Path, tell: Teller
) -> NgramEstimate:
    """Estimate the model of a text and write it as an ARPA file, gzipped if named ".gz".

    Raises `InputError` for what is wrong with the text, with the line, and `PommelError` if the
    file cannot be written, before the text is read; nothing is then left of it.
    """
    with replacing(output) as aside:
        model = recipe.estimate(_sentences(text, tell))
        tell(f"writing {sum(model.n_ngrams):,} n-grams")
        is_gzip = output.suffix == ".gz"
        write_arpa(model, aside, n_decimals=recipe.n_decimals, is_gzip=is_gzip)
    return model


def _sentences(text: TextFile, tell: Teller) -> Iterator[Sequence[str]]:
    n_sentences = 0
    for number, words in text.numbered_sentences():
        for mark in (BOS, EOS):
            if mark in words:
                raise InputError(f"{text.path}:{number}: the line has {mark_in_text(mark)}")
        n_sentences += 1
        if n_sentences % _SENTENCES_BETWEEN_REPORTS == 0:
            tell(f"reading: {n_sentences:,} sentences")
        yield words
    tell(f"counting the n-grams of {n_sentences:,} sentences")
