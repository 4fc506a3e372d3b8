"""Additive smoothing of unigrams and bigrams: every count is larger by k ("Laplace" for k = 1).

With V things that can be predicted (the words, `</s>` and `<unk>`, not `<s>`), N of them in the
text, and c how often something was seen (Jurafsky & Martin, "Speech and Language Processing",
section 3.6):

    p(w)     = (c(w) + k) / (N + k V)
    p(w | v) = (c(vw) + k) / (c(v) + k V)

for every v, seen or not. An ordinary back-off reader returns exactly this from bigrams that store
p(w | v) where vw was seen, unigrams that are all 1 / V, and the weight k V / (c(v) + k V) for v: a
bigram that was not seen gets k / (c(v) + k V). From three words on, unseen contexts are too many
for weights of their own.
"""

import math
from collections.abc import Sequence

import numpy as np

from pommel.errors import UsageError
from pommel.training.ngram_corpus import (
    BOS_ID,
    LOG10_ZERO,
    Corpus,
    NgramEstimate,
    NgramTable,
    Reals,
)

_MOST_ADDED = 1e9
MAX_ORDER = 2


def estimate(corpus: Corpus, *, order: int = 2, add: float = 1.0) -> NgramEstimate:
    """Estimate a model of `order`, 1 or 2, with `add` as k: what `check_options` lets pass."""
    return corpus.estimate([_unigrams(corpus, add)] if order == 1 else _bigram_tables(corpus, add))


def check_options(order: int, add: float, min_count: Sequence[int] = (1,)) -> None:
    """Raise `UsageError` for options that make no sense.

    Of `min_count` (see `kneser_ney.estimate`) only the first element, that for words, may be more
    than 1.
    """
    if not 1 <= order <= MAX_ORDER:
        what = f"additive smoothing is for the orders 1 and 2, not {order}"
        raise UsageError(f"{what}; smooth longer n-grams with kneser-ney")
    # More would leave nothing of any count, and in the end be no number any more.
    if not 0 < add <= _MOST_ADDED:
        limits = f"a number above 0, and at most {_MOST_ADDED:g}"
        raise UsageError(f"what is added to each count is {add:g}; it must be {limits}")
    if not min_count or min(min_count) < 1 or max(min_count[1:], default=1) > 1:
        what = f"min_count is {[*min_count]}; additive smoothing keeps every bigram"
        raise UsageError(f"{what}: give one number of at least 1, for words")


def _unigrams(corpus: Corpus, add: float) -> NgramTable:
    counts = _counts(corpus)
    n_predicted = counts.sum() - counts[BOS_ID]
    probabilities = (counts + add) / (n_predicted + add * _n_predictable(corpus))
    return _unigram_table(np.log10(probabilities), np.zeros(len(counts)))


def _bigram_tables(corpus: Corpus, add: float) -> list[NgramTable]:
    n_words = len(corpus.vocabulary)
    added = add * _n_predictable(corpus)
    starts = np.flatnonzero(corpus.n_left > 1)
    firsts = corpus.ids[starts].astype(np.int64)
    seen, counts = np.unique(firsts * n_words + corpus.ids[starts + 1], return_counts=True)
    prefixes, words = np.divmod(seen, n_words)
    totals = np.bincount(firsts, minlength=n_words)
    uniform = np.full(n_words, -math.log10(_n_predictable(corpus)))
    return [
        _unigram_table(uniform, np.log10(added / (totals + added))),
        NgramTable(
            prefixes=prefixes,
            words=words,
            log10_probabilities=np.log10((counts + add) / (totals[prefixes] + added)),
            log10_backoffs=np.zeros(len(seen)),
        ),
    ]


def _unigram_table(log10_probabilities: Reals, log10_backoffs: Reals) -> NgramTable:
    log10_probabilities[BOS_ID] = LOG10_ZERO
    every = np.arange(len(log10_probabilities))
    return NgramTable(
        prefixes=np.zeros_like(every),
        words=every,
        log10_probabilities=log10_probabilities,
        log10_backoffs=log10_backoffs,
    )


def _counts(corpus: Corpus) -> Reals:
    return np.bincount(corpus.ids, minlength=len(corpus.vocabulary)).astype(np.float64)


def _n_predictable(corpus: Corpus) -> int:
    """Return V: the size of the vocabulary without `<s>`."""
    return len(corpus.vocabulary) - 1
