"""Rows of files that say more of a pair than its two sentences: what is kept, and written back."""

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from pommel.minimal_sets import MinimalSet


def pairs_of(sets: Iterable[MinimalSet]) -> Iterator[MinimalSet]:
    """Yield a pair for each ungrammatical sentence; a set without any is none."""
    return itertools.chain.from_iterable(each.pairs() for each in sets)


def kept_fields(
    row: Mapping[str, Any], spelt: Mapping[str, Any], own: Collection[str] = ()
) -> dict[str, Any] | None:
    """Return what a row says besides what `spelt` makes of its pair, in its order.

    A row that does not begin with that (its sentences stand elsewhere, or have doubled spaces) is
    kept whole. So is one in which none of the columns `own` would be left: by these it is told,
    when it is to be written, that it has been read from this format.
    """
    start = dict(itertools.islice(row.items(), len(spelt)))
    rest = dict(itertools.islice(row.items(), len(spelt), None))
    if list(start.items()) != list(spelt.items()) or (own and rest.keys().isdisjoint(own)):
        return dict(row)
    return rest or None


def whole_row(
    fields: Mapping[str, Any], spelt: Mapping[str, Any], *, as_kept: bool
) -> dict[str, Any]:
    """Return the row that `kept_fields` was given.

    `as_kept` says that the texts which were kept are those of the pair, up to white space. If not,
    the pair has been changed since, and its own texts take their places.
    """
    row = {key: value for key, value in spelt.items() if key not in fields} | dict(fields)
    return row if as_kept else row | dict(spelt)


def has_words(value: Any, text: str) -> bool:
    """Say whether a value is a text with these words."""
    return isinstance(value, str) and value.split() == text.split()
