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

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pommel.errors import UsageError
from pommel.training.ngram_corpus import (
    BOS_ID,
    LOG10_ZERO,
    Corpus,
    Ids,
    Ids32,
    NgramEstimate,
    NgramTable,
    Reals,
)
from pommel.values import frozen, positional

# KenLM's discounts for texts from which none can be estimated.
_FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)

Discounts = tuple[float, float, float]


@frozen(eq=False)
class _Counts:
    """Every n-gram of one order, sorted: where its parts are in the order below, its last word.

    `is_initial` says that it begins with `<s>`, `counts` how often it was seen. There may be as
    many n-grams as the text has words, hence the short integers.
    """

    prefixes: Ids32
    suffixes: Ids32
    words: Ids32
    is_initial: NDArray[np.bool_]
    counts: Ids32


@positional
class _Level:
    """What was estimated for one order: p of each n-gram, whether it is kept, the discounts.

    `weights` are g of each n-gram of the order below, 1 where no n-gram of this order follows it.
    """

    probabilities: Reals
    kept: NDArray[np.bool_]
    weights: Reals
    discounts: Discounts


def estimate(corpus: Corpus, *, order: int = 5, min_count: Sequence[int] = (1,)) -> NgramEstimate:
    """Estimate a model of `order`.

    `min_count` gives, from the unigrams up, how often an n-gram must have been seen to be kept;
    its last element holds for all longer ones, so `(1, 1, 2)` drops singletons from the trigrams
    on. The first is what `read_corpus` goes by: every word of the corpus's vocabulary is kept.

    The model has fewer orders where no n-gram of the highest ones is kept, or in the text at all;
    it gives the same probabilities without them.

    Raises `UsageError` as `min_counts` does.
    """
    _, *least_longer = min_counts(order, min_count)
    counted = list(_count(corpus, order))
    thresholds = [0, *least_longer][: len(counted)]
    levels: list[_Level] = []
    lower = np.full(1, 1 / (len(corpus.vocabulary) - 1))  # uniform, without <s>
    for counts, above, threshold in zip(counted, [*counted[1:], None], thresholds, strict=True):
        level = _interpolate(counts, _adjusted(counts, above), lower, threshold)
        levels.append(level)
        lower = level.probabilities
    n_orders = max(n for n, level in enumerate(levels, start=1) if level.kept.any())
    tables = itertools.islice(_tables(counted, levels), n_orders)
    return corpus.estimate(tables, [level.discounts for level in levels[:n_orders]])


def min_counts(order: int, min_count: Sequence[int]) -> list[int]:
    """Return how often an n-gram of each order, unigrams first, must have been seen to be kept.

    Raises `UsageError` for options that make no sense: from the bigrams on, `min_count` must not
    fall, since an n-gram without its beginning could not be found.
    """
    if order < 1:
        raise UsageError(f"the order is {order}; it must be at least 1")
    given = list(min_count)[:order]
    if not given or min(given) < 1:
        raise UsageError(f"min_count is {given}; give one or more numbers of at least 1")
    wanted = given + given[-1:] * (order - len(given))
    if wanted[1:] != sorted(wanted[1:]):
        raise UsageError(f"min_count is {given}; from the bigrams on it must not fall")
    return wanted


def _count(corpus: Corpus, order: int) -> Iterator[_Counts]:
    """Yield the counts of all n-grams, unigrams first, each order sorted by its words.

    There are none of an order that is longer than every sentence, marks included.
    """
    n_words = len(corpus.vocabulary)
    every = np.arange(n_words, dtype=np.int32)
    counted = _Counts(
        prefixes=np.zeros_like(every),
        suffixes=np.zeros_like(every),
        words=every,
        is_initial=every == BOS_ID,
        counts=np.bincount(corpus.ids, minlength=n_words).astype(np.int32),
    )
    yield counted
    ngram_at = corpus.ids
    for n in range(2, order + 1):
        starts = np.flatnonzero(corpus.n_left >= n)
        if not len(starts):
            return
        # Prefixes are numbered in sorted order, so these numbers sort as the n-grams do.
        keys = ngram_at[starts] * np.int64(n_words) + corpus.ids[starts + n - 1]
        unique, number, counts = np.unique(keys, return_inverse=True, return_counts=True)
        suffixes = np.empty(len(unique), dtype=np.int32)
        suffixes[number] = ngram_at[starts + 1]
        prefixes, words = (each.astype(np.int32) for each in np.divmod(unique, n_words))
        counted = _Counts(
            prefixes=prefixes,
            suffixes=suffixes,
            words=words,
            is_initial=counted.is_initial[prefixes],
            counts=counts.astype(np.int32),
        )
        yield counted
        ngram_at = np.full(len(corpus.ids), -1, dtype=np.int32)
        ngram_at[starts] = number


def _adjusted(counts: _Counts, above: _Counts | None) -> Ids:
    """Return a of each n-gram; `above` are the counts of the next order, None for the highest."""
    if above is None:
        adjusted = counts.counts.copy()
    else:
        continuations = np.bincount(above.suffixes, minlength=len(counts.counts))
        adjusted = np.where(counts.is_initial, counts.counts, continuations)
    # Only the unigram ends in <s>.
    adjusted[counts.words == BOS_ID] = 0
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
    return _Level(probabilities, kept, weights, discounts)


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
            log10_probabilities=np.where(words == BOS_ID, LOG10_ZERO, log10),
            log10_backoffs=np.log10(above.weights[kept]) if above else np.zeros(len(kept)),
        )
        kept_below = kept
