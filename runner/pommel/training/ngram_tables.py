"""What an estimated n-gram model is, however it was smoothed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommel.models.ngram.arpa import BOS, EOS

UNK = "<unk>"
MARKS = (UNK, BOS, EOS)
UNK_ID, BOS_ID, EOS_ID = range(len(MARKS))
# What SRILM and KenLM write for "never predicted".
LOG10_ZERO = -99.0

Ids = NDArray[np.integer[Any]]
Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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
