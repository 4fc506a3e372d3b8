"""From the n-grams that a file lists to sorted tables of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pommel.models.ngram.backoff import (
    ABSENT,
    BackoffTable,
    Ids,
    Reals,
    last_words,
    ngram_keys,
    prefix_places,
)


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
