"""The text as numbers, counts of n-grams, and what a smoothing makes of them."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommel.errors import InputError
from pommel.training.text import most_frequent, numbered
from pommel.values import frozen

UNK = "<unk>"
BOS, EOS = "<s>", "</s>"
MARKS = (UNK, BOS, EOS)
UNK_ID, BOS_ID, EOS_ID = range(len(MARKS))
# What SRILM and KenLM write for "never predicted".
LOG10_ZERO = -99.0

Ids = NDArray[np.integer[Any]]
Reals = NDArray[np.float64]


@frozen(eq=False)
class NgramTable:
    """The n-grams of one order, sorted by their words.

    All four arrays have one element per n-gram: the index of its first n - 1 words in the table of
    the order below (0 for unigrams), its last word (an index into the vocabulary), the smoothed
    log10 p(last word | first words), and the log10 weight with which a longer n-gram backs off from
    it, 0 where there is none.
    """

    prefixes: Ids
    words: Ids
    log10_probabilities: Reals
    log10_backoffs: Reals


@frozen(eq=False)
class NgramEstimate:
    """An estimated model: its tables, unigrams first, and what it was estimated from.

    `vocabulary` is `<unk>`, `<s>`, `</s>`, then the words, sorted. `n_words` counts neither mark;
    `n_unknown_words` of them are `<unk>` to the model. `discounts` are D1, D2 and D3+ of each order
    where Kneser-Ney was the method.
    """

    vocabulary: tuple[str, ...]
    tables: tuple[NgramTable, ...]
    n_sentences: int
    n_words: int
    n_unknown_words: int
    discounts: tuple[tuple[float, float, float], ...] = ()

    @property
    def n_ngrams(self) -> tuple[int, ...]:
        """The number of n-grams of each order, unigrams first."""
        return tuple(len(table.words) for table in self.tables)

    @property
    def summary(self) -> str:
        """How large the model and its text are, in a line."""
        unknown = 100 * self.n_unknown_words / self.n_words
        sizes = ", ".join(f"{size:,} {n}-grams" for n, size in enumerate(self.n_ngrams, start=1))
        return (
            f"{self.n_sentences:,} sentences, {self.n_words:,} words, {unknown:.2f} % of them "
            f"unknown; {sizes}"
        )


# Four bytes a word: a text has millions.
Ids32 = NDArray[np.int32]


@frozen(eq=False)
class Corpus:
    """Sentences as one array of word ids, and how many ids are left in the sentence at each.

    Each sentence begins with `<s>` and ends with `</s>`. `vocabulary` is `<unk>`, `<s>`, `</s>`,
    then the known words, sorted; an id is an index into it.
    """

    vocabulary: tuple[str, ...]
    ids: Ids32
    n_left: Ids32
    n_sentences: int

    @property
    def n_words(self) -> int:
        """The number of words, without `<s>` and `</s>`."""
        return len(self.ids) - 2 * self.n_sentences

    def estimate(
        self,
        tables: Iterable[NgramTable],
        discounts: Iterable[tuple[float, float, float]] = (),
    ) -> NgramEstimate:
        """Return the model that was estimated from it."""
        return NgramEstimate(
            vocabulary=self.vocabulary,
            tables=tuple(tables),
            n_sentences=self.n_sentences,
            n_words=self.n_words,
            n_unknown_words=int(np.count_nonzero(self.ids == UNK_ID)),
            discounts=tuple(discounts),
        )


def read_corpus(
    sentences: Iterable[Sequence[str]],
    *,
    min_count: int = 1,
    size: int | None = None,
    vocabulary: Collection[str] | None = None,
) -> Corpus:
    """Read sentences of words, once; a sentence without words is left out.

    Words that are not known are `<unk>`, as is `<unk>` itself. Known are the words of `vocabulary`,
    in the text or not; or, without one, the `size` most frequent words (None: all) that occur at
    least `min_count` times. Marks in the vocabulary are passed over.

    Raises `InputError` for a sentence with `<s>` or `</s>`, and for no sentence at all.
    """
    # Words by when they come first: the vocabulary is known when all of them have come.
    numbers: dict[str, int] = {}
    text, lengths = numbered(filter(None, sentences), numbers)
    if not len(lengths):
        raise InputError("there is no sentence to estimate an n-gram model from")
    for mark in (BOS, EOS):
        if mark in numbers:
            raise InputError(f"a sentence has {mark_in_text(mark)}")
    if vocabulary is None:
        vocabulary = most_frequent([*numbers], text, size=size, min_count=min_count, without=MARKS)
    known = (*MARKS, *sorted(set(vocabulary) - set(MARKS)))
    index = {word: number for number, word in enumerate(known)}
    ids = np.array([index.get(word, UNK_ID) for word in numbers], dtype=np.int32)
    return _marked(known, ids[text], lengths)


def mark_in_text(mark: str) -> str:
    """Return how messages speak of a mark that stands where a word should."""
    return f'the word "{mark}", which marks where sentences begin or end; leave it out'


def _marked(vocabulary: tuple[str, ...], words: Ids32, n_words: Ids32) -> Corpus:
    """Put `<s>` and `</s>` around sentences of so many words, whose words follow each other."""
    lengths = n_words + 2
    ends = np.cumsum(lengths, dtype=np.int64)
    ids = np.full(ends[-1], -1, dtype=np.int32)
    ids[ends - lengths] = BOS_ID
    ids[ends - 1] = EOS_ID
    ids[ids < 0] = words
    n_left = np.repeat(ends, lengths) - np.arange(len(ids))
    return Corpus(
        vocabulary=vocabulary,
        ids=ids,
        n_left=n_left.astype(np.int32),
        n_sentences=len(lengths),
    )
