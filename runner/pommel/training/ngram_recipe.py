"""How an n-gram model is made of a text: which words it knows, and how it is smoothed."""

import contextlib
import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, ClassVar, Literal, get_args

import numpy as np

from pommel.errors import InputError, UsageError
from pommel.files import replacing
from pommel.training import kneser_ney, laplace
from pommel.training.ngram_corpus import BOS, EOS, Ids, NgramEstimate, mark_in_text, read_corpus
from pommel.training.text import Split, TextFile
from pommel.values import frozen

_NGRAMS_AT_ONCE = 1 << 16


def write_arpa(
    estimate: NgramEstimate, path: Path, *, n_decimals: int = 7, is_gzip: bool = False
) -> None:
    """Write the model as an ARPA file, plain or gzipped.

    The same estimate always gives the same bytes. Logarithms are rounded to `n_decimals`.
    """
    with path.open("wb") as raw, contextlib.ExitStack() as stack:
        stream: BinaryIO | gzip.GzipFile = raw
        if is_gzip:
            # No name and no time in the header: the same model is the same file.
            packed = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
            stream = stack.enter_context(packed)
        counts = [f"ngram {n}={count}\n" for n, count in enumerate(estimate.n_ngrams, start=1)]
        stream.write(b"\\data\\\n" + "".join(counts).encode())
        for order in range(1, len(estimate.tables) + 1):
            stream.write(f"\n\\{order}-grams:\n".encode())
            stream.writelines(_lines(estimate, order, n_decimals))
        stream.write(b"\n\\end\\\n")


def _lines(estimate: NgramEstimate, order: int, n_decimals: int) -> Iterator[bytes]:
    table = estimate.tables[order - 1]
    # Rounding first and adding 0 leaves no "-0.0000000".
    probabilities = np.round(table.log10_probabilities, n_decimals) + 0.0
    backoffs = np.round(table.log10_backoffs, n_decimals) + 0.0
    # In parts: the texts of millions of n-grams would take more memory than all the rest.
    for start in range(0, len(table.words), _NGRAMS_AT_ONCE):
        part = slice(start, start + _NGRAMS_AT_ONCE)
        texts = _texts(estimate, order, part)
        numbers = (probabilities[part].tolist(), backoffs[part].tolist())
        for text, probability, backoff in zip(texts, *numbers, strict=True):
            weight = f"\t{backoff:.{n_decimals}f}" if backoff else ""
            yield f"{probability:.{n_decimals}f}\t{text}{weight}\n".encode()


def _texts(estimate: NgramEstimate, order: int, part: slice) -> Iterator[str]:
    """Yield the words of some n-grams of an order, with one space between."""
    vocabulary = np.array(estimate.vocabulary, dtype=object)
    places: Ids = np.arange(len(estimate.tables[order - 1].words))[part]
    columns = []
    for table in reversed(estimate.tables[:order]):
        columns.append(vocabulary[table.words[places]].tolist())
        places = table.prefixes[places]
    return map(" ".join, zip(*reversed(columns), strict=True))


Smoothing = Literal["kneser-ney", "laplace"]
# Told what is being done, in a few words.
Teller = Callable[[str], None]

_SENTENCES_BETWEEN_REPORTS = 10_000


@frozen
class NgramRecipe:
    """Everything about a model but its text.

    `min_count` is that of `kneser_ney.estimate`, unigrams first; an `order` of which the text has
    no n-gram to keep is lower in the model. Known are the words of `vocabulary` (None: those that
    occur often enough, at most the `vocabulary_size` most frequent ones); all others are `<unk>`.
    `add` is for "laplace" alone. Logarithms are written with `n_decimals`. Raises `UsageError` for
    what makes no sense.
    """

    SMOOTHINGS: ClassVar = get_args(Smoothing)
    MAX_LAPLACE_ORDER: ClassVar = laplace.MAX_ORDER

    order: int = 5
    smoothing: Smoothing = "kneser-ney"
    add: float = 1.0
    min_count: tuple[int, ...] = (1,)
    vocabulary_size: int | None = None
    vocabulary: tuple[str, ...] | None = None
    n_decimals: int = 7

    def __post_init__(self) -> None:
        UsageError.check_choice("smoothing", self.smoothing, self.SMOOTHINGS)
        if self.smoothing == "laplace":
            laplace.check_options(self.order, self.add, self.min_count)
        else:
            kneser_ney.min_counts(self.order, self.min_count)
        # What else chooses words.
        if self.vocabulary is not None and self.vocabulary_size is not None:
            raise UsageError("--vocabulary-size says nothing beside --vocabulary; leave one out")
        if self.vocabulary is not None and self.min_count[0] > 1:
            raise UsageError(
                "the first number of --min-count, which is for words, says nothing beside "
                "--vocabulary; write 1"
            )

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

    def train(
        self,
        text: Path,
        output: Path,
        tell: Teller,
        *,
        split: Split = "words",
        cased: bool = True,
    ) -> NgramEstimate:
        """Estimate the model of a text and write it as an ARPA file, gzipped if named ".gz".

        The text is read as `TextFile` says.

        Raises `InputError` for what is wrong with the text, with the line, and `PommelError` if
        the file cannot be written, before the text is read; nothing is then left of it.
        """
        with replacing(output) as aside:
            source = TextFile(path=text, split=split, cased=cased)
            model = self.estimate(_sentences(source, tell))
            tell(f"writing {sum(model.n_ngrams):,} n-grams")
            is_gzip = output.suffix == ".gz"
            write_arpa(model, aside, n_decimals=self.n_decimals, is_gzip=is_gzip)
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
