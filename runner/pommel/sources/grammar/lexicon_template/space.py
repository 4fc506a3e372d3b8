"""All ways of filling the slots: how many there are, each by its number, one after another.

Slots are filled in their order, each with a row of its domain. In how many ways the rest can be
filled depends only on those features of the filled slots that a later constraint asks for, so
these numbers are kept by those features, and no way is made to count it. `states` says which
fillings are alike.
"""

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pommel.sources.grammar.lexicon_file import Cells
from pommel.sources.grammar.lexicon_template.relations import Relation
from pommel.sources.grammar.lexicon_template.states import State, States

# Of states, over all slots; more would take minutes, and gigabytes.
MOST_STATES = 300_000

Filling = tuple[Cells, ...]


class EntangledError(Exception):
    """The constraints tie so many values together that ways cannot be counted."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """In how many ways the slots from one on can be filled, in all fillings of one state.

    `n_with` has the number for a row of each bundle, if it is none of those that share a value
    with what is filled already; `rows` are the rows of the bundles that have any, `ends` the sums
    of their numbers from the first one on.
    """

    n: int
    n_with: tuple[int, ...]
    rows: tuple[int, ...]
    ends: tuple[int, ...]


class Space:
    """The ways of filling slots from their domains so that some relations hold."""

    def __init__(
        self,
        domains: Sequence[Sequence[Cells]],
        relations: Sequence[Relation],
        *,
        most_states: int = MOST_STATES,
    ) -> None:
        """Take the rows of each slot, and all relations, of a slot by itself and between slots.

        `most_states` is how many may be kept: a matter of memory and time.
        """
        self._most_states = most_states
        between = [each for each in relations if len(each.variables) > 1]
        own = [
            [each for each in relations if each.variables == {number}]
            for number in range(len(domains))
        ]
        self._domains = [
            tuple(row for row in domain if all(each.holds({number: row}) for each in own[number]))
            for number, domain in enumerate(domains)
        ]
        self._states = States(self._domains, between)
        self._checks: list[list[Relation]] = [[] for _ in domains]
        for relation in between:
            self._checks[max(relation.variables)].append(relation)
        self._rests: dict[tuple[int, State], _Rest] = {}

    @property
    def n(self) -> int:
        """How many ways there are. Raises `EntangledError`."""
        return self._rest(()).n if self._domains else 1

    def __iter__(self) -> Iterator[Filling]:
        """Yield all ways in lexicographic order: the last slot changes fastest."""
        return self._from(())

    def __getitem__(self, index: int) -> Filling:
        """Return the way with that number, from 0. Raises `IndexError` if there are fewer."""
        if not 0 <= index < self.n:
            raise IndexError(index)
        filled: Filling = ()
        for domain in self._domains:
            rows, ends = self._open(filled)
            place = bisect_right(ends, index)
            index -= ends[place - 1] if place else 0
            filled = (*filled, domain[rows[place]])
        return filled

    def rows(self) -> list[list[Cells]]:
        """Return the rows of each slot that are in some filling, in their order.

        Rows may be among them that only differences between slots (`!=`) keep out. It takes about
        the time of counting. Raises `EntangledError`.
        """
        found: list[set[int]] = [set() for _ in self._domains]
        queue: list[Filling] = [()] if self._domains else []
        seen: set[tuple[int, State]] = set()
        # It grows while it is read.
        for filled in queue:
            k = len(filled)
            domain, bundle_of = self._domains[k], self._states.bundle_of[k]
            special = self._special(filled)
            following: dict[int, int] = {}
            for row in self._open(filled)[0]:
                # Rows of one bundle are alike, but for those that share a value with others.
                following.setdefault(row if row in special else ~bundle_of[row], row)
            for row in following.values():
                found[k].update(self._states.bundles[k][bundle_of[row]])
                longer = (*filled, domain[row])
                key = (k + 1, self._states.of(longer)) if k + 1 < len(self._domains) else None
                if key and key not in seen:
                    seen.add(key)
                    queue.append(longer)
        return [
            [row for number, row in enumerate(domain) if number in found[k]]
            for k, domain in enumerate(self._domains)
        ]

    def _from(self, filled: Filling) -> Iterator[Filling]:
        k = len(filled)
        if k == len(self._domains):
            yield filled
            return
        domain, rows = self._domains[k], self._open(filled)[0]
        if k + 1 == len(self._domains):
            for row in rows:
                yield (*filled, domain[row])
            return
        for row in rows:
            yield from self._from((*filled, domain[row]))

    def _open(self, filled: Filling) -> tuple[Sequence[int], Sequence[int]]:
        """Return the rows that the next slot may have, in order, and the sums of their numbers."""
        rest = self._rest(filled)
        special = self._special(filled)
        if not special:
            return rest.rows, rest.ends
        bundle_of = self._states.bundle_of[len(filled)]
        several = {row: special.get(row, rest.n_with[bundle_of[row]]) for row in rest.rows}
        several |= special
        rows = [row for row in sorted(several) if several[row]]
        return rows, list(itertools.accumulate(several[row] for row in rows))

    def _n(self, filled: Filling) -> int:
        """Return in how many ways the rest can be filled, 0 if what is filled last is not right."""
        if not all(each.holds(filled) for each in self._checks[len(filled) - 1]):
            return 0
        return self._rest(filled).n if len(filled) < len(self._domains) else 1

    def _special(self, filled: Filling) -> dict[int, int]:
        """Return the numbers for the rows that share a value with what is filled already."""
        k = len(filled)
        rows = self._states.rows_like(filled)
        return {row: self._n((*filled, self._domains[k][row])) for row in rows}

    def _rest(self, filled: Filling) -> _Rest:
        k = len(filled)
        key = (k, self._states.of(filled))
        found = self._rests.get(key)
        if found is None:
            found = self._counted(filled)
            if len(self._rests) >= self._most_states:
                raise EntangledError
            self._rests[key] = found
        return found

    def _counted(self, filled: Filling) -> _Rest:
        k = len(filled)
        domain, bundle_of = self._domains[k], self._states.bundle_of[k]
        special = self._special(filled)
        n, n_with = sum(special.values()), []
        for bundle in self._states.bundles[k]:
            # Of one bundle all other rows are alike, so that one of them speaks for all.
            others = [row for row in bundle if row not in special] if special else bundle
            n_each = self._n((*filled, domain[others[0]])) if others else 0
            n += n_each * len(others)
            n_with.append(n_each)
        rows = tuple(row for row, bundle in enumerate(bundle_of) if n_with[bundle])
        ends = tuple(itertools.accumulate(n_with[bundle_of[row]] for row in rows))
        return _Rest(n, tuple(n_with), rows, ends)
