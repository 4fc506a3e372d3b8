"""Interpolated modified Kneser-Ney estimation of n-gram models.

Chen & Goodman (1999), "An empirical study of smoothing techniques for language modeling",
sections 3 and 4.1. For a word w after a context h, h' being h without its first word,

    p(w | h) = (a(hw) - D(a(hw))) / a(h.) + g(h) p(w | h')
    g(h)     = what the discounts (and pruning) leave over, divided by a(h.)

- a is the count in the highest order and, below it, the continuation count: the number of
  different words seen before the n-gram. Nothing stands before `<s>`, so an n-gram that begins
  with it keeps its count. a(h.) sums a over all words after h, pruned n-grams included.
- D is 0, D1, D2 or D3+, for a = 0, 1, 2 and more; see `_discounts`.
- Below the unigrams lies the uniform distribution over the vocabulary with `</s>` and `<unk>`,
  from which `<unk>` has its probability. `<s>` is never predicted.

Sentences have one `<s>` and one `</s>`. Because p is interpolated and g does not depend on w,
storing p for the n-grams that were kept and g as their contexts' back-off weights makes an
ordinary back-off reader return exactly p for every word in every context.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pommel.errors import InputError
from pommel.models.arpa import BOS, EOS

UNK = "<unk>"

_MARKS = (UNK, BOS, EOS)
_UNK_ID, _BOS_ID, _EOS_ID = range(len(_MARKS))
# What SRILM and KenLM write for "never predicted".
_LOG10_ZERO = -99.0
# KenLM's discounts for texts from which none can be estimated.
_FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]
Discounts = tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NgramTable:
    """The n-grams of one order, sorted by their words.

    All four arrays have one element per n-gram: the index of its first n - 1 words in the table of
    the order below (0 for unigrams), its last word (an index into the vocabulary), the
    interpolated log10 p(last word | first words), and the log10 weight with which a longer n-gram
    backs off from it, 0 where there is none.
    """

    prefixes: Ids
    words: Ids
    log10_probabilities: Reals
    log10_backoffs: Reals


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NgramEstimate:
    """An estimated model: its tables, unigrams first, and what it was estimated from.

    `vocabulary` is `<unk>`, `<s>`, `</s>`, then the words, sorted. `discounts` are D1, D2 and D3+
    of each order. `n_words` counts neither mark.
    """

    vocabulary: tuple[str, ...]
    tables: tuple[NgramTable, ...]
    discounts: tuple[Discounts, ...]
    n_sentences: int
    n_words: int

    @property
    def n_ngrams(self) -> tuple[int, ...]:
        """The number of n-grams of each order, unigrams first."""
        return tuple(len(table.words) for table in self.tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Corpus:
    """Sentences as one array of word ids, and how many ids are left in the sentence at each."""

    vocabulary: tuple[str, ...]
    ids: Ids
    n_left: Ids
    n_sentences: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counts:
    """Every n-gram of one order: where its parts are in the order below, and how often it was."""

    prefixes: Ids
    suffixes: Ids
    words: Ids
    first_words: Ids
    counts: Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    """What was estimated for one order: p of each n-gram, whether it is kept, the discounts.

    `weights` are g of each n-gram of the order below, 1 where no n-gram of this order follows it.
    """

    probabilities: Reals
    kept: NDArray[np.bool_]
    weights: Reals
    discounts: Discounts


def estimate(
    sentences: Iterable[str], *, order: int = 5, min_count: Sequence[int] = (1,)
) -> NgramEstimate:
    """Estimate a model of `order` from sentences whose words have white space between them.

    `min_count` gives, from the unigrams up, how often an n-gram must have been seen to be kept;
    its last element holds for all longer ones, so `(1, 1, 2)` drops singletons from the trigrams
    on. Rarer unigrams are counted as `<unk>`. A blank sentence is left out.

    Raises `ValueError` for options that make no sense (from the bigrams on, `min_count` must not
    fall: an n-gram without its beginning could not be found) and `InputError` for a sentence with
    a word that is a mark, and for no sentence at all.
    """
    least, *least_longer = _min_counts(order, min_count)
    corpus = _read_corpus(sentences, least)
    counted = list(_count(corpus, order))
    levels: list[_Level] = []
    lower = np.full(1, 1 / (len(corpus.vocabulary) - 1))  # uniform, without <s>
    for counts, above, threshold in zip(
        counted, [*counted[1:], None], [0, *least_longer], strict=True
    ):
        level = _interpolate(counts, _adjusted(counts, above), lower, threshold)
        levels.append(level)
        lower = level.probabilities
    return NgramEstimate(
        vocabulary=corpus.vocabulary,
        tables=tuple(_tables(counted, levels)),
        discounts=tuple(level.discounts for level in levels),
        n_sentences=corpus.n_sentences,
        n_words=len(corpus.ids) - 2 * corpus.n_sentences,
    )


def _min_counts(order: int, min_count: Sequence[int]) -> list[int]:
    if order < 1:
        raise ValueError(f"the order is {order}; it must be at least 1")
    given = list(min_count)[:order]
    if not given or min(given) < 1:
        raise ValueError(f"min_count is {given}; give one or more numbers of at least 1")
    wanted = given + given[-1:] * (order - len(given))
    if wanted[1:] != sorted(wanted[1:]):
        raise ValueError(f"min_count is {given}; from the bigrams on it must not fall")
    return wanted


def _read_corpus(sentences: Iterable[str], min_unigram_count: int) -> _Corpus:
    split = [words for words in (sentence.split() for sentence in sentences) if words]
    if not split:
        raise InputError("there is no sentence to estimate an n-gram model from")
    frequencies = Counter(word for words in split for word in words)
    for mark in (BOS, EOS):
        if mark in frequencies:
            message = f'a sentence has the word "{mark}", which marks where sentences begin or end'
            raise InputError(f"{message}; leave it out")
    frequent = sorted(
        word
        for word, count in frequencies.items()
        if count >= min_unigram_count and word not in _MARKS
    )
    vocabulary = (*_MARKS, *frequent)
    index = {word: number for number, word in enumerate(vocabulary)}
    ids = [
        number
        for words in split
        for number in (_BOS_ID, *(index.get(word, _UNK_ID) for word in words), _EOS_ID)
    ]
    lengths = np.array([len(words) + 2 for words in split], dtype=np.int64)
    ends = np.repeat(np.cumsum(lengths), lengths)
    return _Corpus(
        vocabulary=vocabulary,
        ids=np.array(ids, dtype=np.int64),
        n_left=ends - np.arange(len(ids)),
        n_sentences=len(split),
    )


def _count(corpus: _Corpus, order: int) -> Iterator[_Counts]:
    """Yield the counts of all n-grams, unigrams first, each order sorted by its words."""
    n_words = len(corpus.vocabulary)
    every = np.arange(n_words)
    nothing = np.zeros(n_words, dtype=np.int64)
    counts = np.bincount(corpus.ids, minlength=n_words)
    yield _Counts(prefixes=nothing, suffixes=nothing, words=every, first_words=every, counts=counts)
    first_words = every
    ngram_at = corpus.ids
    for n in range(2, order + 1):
        starts = np.flatnonzero(corpus.n_left >= n)
        # Prefixes are numbered in sorted order, so these numbers sort as the n-grams do.
        keys = ngram_at[starts] * n_words + corpus.ids[starts + n - 1]
        unique, number, counts = np.unique(keys, return_inverse=True, return_counts=True)
        suffixes = np.empty(len(unique), dtype=np.int64)
        suffixes[number] = ngram_at[starts + 1]
        prefixes, words = np.divmod(unique, n_words)
        first_words = first_words[prefixes]
        ngram_at = np.full(len(corpus.ids), -1)
        ngram_at[starts] = number
        yield _Counts(
            prefixes=prefixes,
            suffixes=suffixes,
            words=words,
            first_words=first_words,
            counts=counts,
        )


def _adjusted(counts: _Counts, above: _Counts | None) -> Ids:
    """Return a of each n-gram; `above` are the counts of the next order, None for the highest."""
    if above is None:
        adjusted = counts.counts.copy()
    else:
        continuations = np.bincount(above.suffixes, minlength=len(counts.counts))
        adjusted = np.where(counts.first_words == _BOS_ID, counts.counts, continuations)
    # Only the unigram ends in <s>.
    adjusted[counts.words == _BOS_ID] = 0
    return adjusted


def _discounts(adjusted: Ids) -> Discounts:
    """Return D1, D2 and D3+, from how many n-grams have the counts 1 to 4 (t1 to t4).

    Chen & Goodman's equation 17: Y = t1 / (t1 + 2 t2), Dn = n - (n + 1) Y t(n+1) / t(n). Small or
    artificial texts may have no n-gram of some count, or so many more of one than of the one
    before that a discount is not positive; the order then takes 0.5, 1 and 1.5, as KenLM does.
    """
    t = np.bincount(np.minimum(adjusted, 5), minlength=6)[1:5].astype(float)
    if not t.all():
        return _FALLBACK_DISCOUNTS
    y = t[0] / (t[0] + 2 * t[1])
    d1, d2, d3 = (float(n - (n + 1) * y * t[n] / t[n - 1]) for n in (1, 2, 3))
    return (d1, d2, d3) if min(d1, d2, d3) > 0 else _FALLBACK_DISCOUNTS


def _interpolate(counts: _Counts, adjusted: Ids, lower: Reals, threshold: int) -> _Level:
    """Estimate one order from p of the order below, `lower`; prune what is below `threshold`."""
    kept = counts.counts >= threshold
    discounts = _discounts(adjusted)
    freed = np.where(kept, np.array([0.0, *discounts])[np.minimum(adjusted, 3)], adjusted)
    n_contexts = len(lower)
    totals = np.bincount(counts.prefixes, weights=adjusted, minlength=n_contexts)
    left_over = np.bincount(counts.prefixes, weights=freed, minlength=n_contexts)
    weights = np.divide(left_over, totals, out=np.ones(n_contexts), where=totals > 0)
    own = (adjusted - freed) / totals[counts.prefixes]
    probabilities = own + weights[counts.prefixes] * lower[counts.suffixes]
    return _Level(probabilities=probabilities, kept=kept, weights=weights, discounts=discounts)


def _tables(counted: Sequence[_Counts], levels: Sequence[_Level]) -> Iterator[NgramTable]:
    """Yield the n-grams that are kept, with the weights that the order above gives them."""
    kept_below = np.zeros(1, dtype=np.int64)
    for counts, level, above in zip(counted, levels, [*levels[1:], None], strict=True):
        kept = np.flatnonzero(level.kept)
        words = counts.words[kept]
        log10 = np.log10(level.probabilities[kept])
        yield NgramTable(
            # An n-gram that is kept has a prefix that is kept: it is at least as frequent.
            prefixes=np.searchsorted(kept_below, counts.prefixes[kept]),
            words=words,
            log10_probabilities=np.where(words == _BOS_ID, _LOG10_ZERO, log10),
            log10_backoffs=np.log10(above.weights[kept]) if above else np.zeros(len(kept)),
        )
        kept_below = kept
