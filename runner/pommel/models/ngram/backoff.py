"""Back-off n-gram models as sorted arrays."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]

BITS_PER_LOG10 = math.log2(10)

# No n-gram, and no key of one: keys are not negative.
ABSENT = -1
_WORD_BITS = 32


def ngram_keys(prefixes: Ids, words: Ids) -> Ids:
    """Return the keys of n-grams: of the places of their prefixes, and of their last words."""
    return (prefixes << _WORD_BITS) | words


def prefix_places(keys: Ids) -> Ids:
    """Return the places of the prefixes that are in keys."""
    return keys >> _WORD_BITS


def last_words(keys: Ids) -> Ids:
    """Return the last words that are in keys."""
    return keys & ((1 << _WORD_BITS) - 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BackoffTable:
    """The n-grams of one order, sorted by their keys; an n-gram's index is its *place*.

    All arrays have one element an n-gram. A key holds the place of the n-gram's first n - 1 words
    in the table of the order below, and its last word; that of a unigram is its word. A probability
    that is not a number says that the n-gram is not in the model: others begin with it. The weight
    is what a longer n-gram backs off with, 0 where the file has none.
    """

    keys: Ids
    log10_probabilities: Reals
    log10_backoffs: Reals

    def find(self, prefixes: Ids, words: Ids) -> Ids:
        """Return the places of n-grams, `ABSENT` for those (and those prefixes) that are not here.

        Both arguments have the shape of the result.
        """
        if not len(self.keys):
            return np.full(prefixes.shape, ABSENT)
        wanted = ngram_keys(prefixes, words)
        places = np.searchsorted(self.keys, wanted)
        places[places == len(self.keys)] = 0
        places[self.keys[places] != wanted] = ABSENT
        return places


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BackoffModel:
    """A back-off model: `tables` of n-grams, unigrams first, in which words are numbers.

    `ids` numbers the words in UTF-8, in the order of the file: bytes take less memory than text,
    and there may be millions. `unk` is what the file calls unknown words; words that the model does
    not know are taken as it. Where an n-gram is not in the model,
    p(w | h) = backoff(h) * p(w | h without its first word), a missing weight being 1.
    """

    tables: tuple[BackoffTable, ...]
    n_ngrams: tuple[int, ...]
    ids: Mapping[bytes, int]
    unk: str

    def __contains__(self, word: object) -> bool:
        """Say whether `word` has a unigram of its own; the marks have one too."""
        return isinstance(word, str) and _utf8(word) in self.ids

    @property
    def order(self) -> int:
        """The number of words in the longest n-grams."""
        return len(self.tables)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All words and marks, in the order of the file."""
        return tuple(word.decode() for word in self.ids)

    def log10_probability(self, word: str, context: Sequence[str] = ()) -> float:
        """Return log10 p(word | context), the words of the context in the order of the sentence.

        Only the last `order - 1` words of the context count.
        """
        recent = context[max(0, len(context) - self.order + 1) :]
        return float(self._log10_probabilities([[*recent, word]])[-1])

    def surprisals_bits(self, sentences: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return -log2 p of each word after those before it in its sentence, in bits.

        The first word is scored after nothing. +infinity where the file says -inf.
        """
        # Adding 0 turns the -0.0 of a certain word into 0.0.
        bits = iter((-self._log10_probabilities(sentences) * BITS_PER_LOG10 + 0.0).tolist())
        return [list(islice(bits, len(words))) for words in sentences]

    def next_log10_probabilities(self, context: Sequence[str]) -> Reals:
        """Return log10 p(word | context) of every word of the `vocabulary`, shape (n words,)."""
        recent = self._word_ids(context[max(0, len(context) - self.order + 1) :])
        found = self.tables[0].log10_probabilities.copy()
        for n_words in range(1, len(recent) + 1):
            place = self._place(recent[-n_words:])
            if place == ABSENT:
                continue
            found += self.tables[n_words - 1].log10_backoffs[place]
            table = self.tables[n_words]
            # What follows a context has keys one after another.
            first, end = np.searchsorted(prefix_places(table.keys), [place, place + 1])
            here = table.log10_probabilities[first:end]
            words = last_words(table.keys[first:end])
            in_model = ~np.isnan(here)
            found[words[in_model]] = here[in_model]
        return found

    def _log10_probabilities(self, sentences: Sequence[Sequence[str]]) -> Reals:
        """Return log10 p of all words of all sentences, one sentence after another."""
        ids = self._word_ids([word for words in sentences for word in words])
        lengths = np.array([len(words) for words in sentences], dtype=np.int64)
        firsts = (np.cumsum(lengths) - lengths)[lengths > 0]
        found = self.tables[0].log10_probabilities[ids]
        # Where the n-gram that ends in each word is, n growing; its beginning ends one word before.
        places = ids
        for below, table in zip(self.tables, self.tables[1:], strict=False):
            contexts = np.roll(places, 1)
            contexts[firsts] = ABSENT
            places = table.find(contexts, ids)
            here = _at(table.log10_probabilities, places, math.nan)
            weights = _at(below.log10_backoffs, contexts, 0.0)
            found = np.where(np.isnan(here), found + weights, here)
        return found

    def _place(self, ids: Ids) -> int:
        """Return where an n-gram is in the table of its order."""
        place = ids[:1]
        for table, word in zip(self.tables[1:], ids[1:], strict=False):
            place = table.find(place, word[None])
        return int(place[0])

    def _word_ids(self, words: Sequence[str]) -> Ids:
        unknown = self.ids[_utf8(self.unk)]
        numbers = (self.ids.get(_utf8(word), unknown) for word in words)
        return np.fromiter(numbers, dtype=np.int64, count=len(words))


def _at(values: Reals, places: Ids, absent: float) -> Reals:
    """Return the values at `places`, and `absent` for those that are `ABSENT`."""
    if not len(values):
        return np.full(places.shape, absent)
    return np.where(places == ABSENT, absent, values[places])


def _utf8(word: str) -> bytes:
    # Half a surrogate pair may come out of a JSON file; it is an unknown word, not a crash.
    return word.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Section:
    """The n-grams of one order in the order of a file.

    Their words, shape (n_ngrams, order), are numbers; probabilities and weights, shape (n_ngrams,),
    are logarithms to the base 10, a missing weight being 0.
    """

    words: NDArray[np.int32]
    log10_probabilities: Reals
    log10_backoffs: Reals


def joined(parts: Sequence[Section], *, order: int) -> Section:
    """Return the n-grams of several parts of a section as one."""
    return Section(
        words=np.concatenate(
            [np.empty((0, order), dtype=np.int32), *(part.words for part in parts)]
        ),
        log10_probabilities=np.concatenate(
            [np.empty(0), *(part.log10_probabilities for part in parts)]
        ),
        log10_backoffs=np.concatenate([np.empty(0), *(part.log10_backoffs for part in parts)]),
    )


def add_table(tables: list[BackoffTable], section: Section) -> int:
    """Append the table of a section to those of the orders below; return how many are duplicates.

    A prefix that is not in the order below, because the model was pruned without regard to it, gets
    a place there (see `BackoffTable`).
    """
    words = section.words.astype(np.int64)
    if tables:
        prefixes = _places(tables, words[:, :-1])
        keys = ngram_keys(prefixes, words[:, -1])
    else:
        keys = words[:, 0]
    table = BackoffTable(
        keys=keys,
        log10_probabilities=section.log10_probabilities,
        log10_backoffs=section.log10_backoffs,
    )
    if not np.all(keys[1:] > keys[:-1]):
        order = np.argsort(keys)
        table = BackoffTable(
            keys=keys[order],
            log10_probabilities=table.log10_probabilities[order],
            log10_backoffs=table.log10_backoffs[order],
        )
    tables.append(table)
    return int(np.count_nonzero(table.keys[1:] == table.keys[:-1]))


def _places(tables: list[BackoffTable], words: Ids) -> Ids:
    """Return where n-grams, shape (n, order), are in the last table; all of them are afterwards."""
    places = words[:, 0]
    for depth in range(1, words.shape[1]):
        found = tables[depth].find(places, words[:, depth])
        absent = found == ABSENT
        if absent.any():
            _insert(tables, depth, ngram_keys(places[absent], words[absent, depth]))
            found = tables[depth].find(places, words[:, depth])
        places = found
    return places


def _insert(tables: list[BackoffTable], depth: int, keys: Ids) -> None:
    """Give n-grams a place in `tables[depth]`, and renumber the prefixes of longer ones."""
    table = tables[depth]
    new = np.unique(keys)
    before = np.searchsorted(table.keys, new)
    tables[depth] = BackoffTable(
        keys=np.insert(table.keys, before, new),
        log10_probabilities=np.insert(table.log10_probabilities, before, np.nan),
        log10_backoffs=np.insert(table.log10_backoffs, before, 0.0),
    )
    if depth + 1 < len(tables):
        longer = tables[depth + 1]
        places = prefix_places(longer.keys)
        places += np.searchsorted(before, places, side="right")
        tables[depth + 1] = replace(longer, keys=ngram_keys(places, last_words(longer.keys)))
