"""All ways of filling the slots: how many there are, each by its number, one after another.

Slots are filled in their order, each with a row of its domain. In how many ways the rest can be
filled depends only on those features of the filled slots that a later constraint asks for, so these
numbers are kept by those features, and no way is made to count it.

Two fillings are alike if they have the same values in all features that a later constraint asks
for. Of features that are only to differ from one another (`word != S.word`) the values themselves
do not matter: fillings are also alike if these values can be exchanged for one another without a
change to the rows that are still to come. For this, a value is replaced by its *kind*: which rows
have it in each later slot, by their other features. Any number of slots can so be told to have
distinct words without a state for each word.
"""

import itertools
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from operator import itemgetter

from pommel.sources.grammar.lexicon_file import Cells
from pommel.sources.grammar.lexicon_template.features import Atom, Domains, Feature, Relation, Value
from pommel.values import positional

Filling = tuple[Cells, ...]
# A value that is only to differ from others, behind the number of their group; None is no such one.
Distinguished = tuple[int, Value] | None
# The number of the slot that is filled next, and what the fillings before it have in common.
State = tuple[int, tuple[Hashable, ...]]
# A number that rows of a slot share whose values in all that is asked for are alike; and, where
# such a row has the same value as a filled slot that something is to differ from, which value.
Mark = tuple[int, int | None]

# Of states, over all slots; more would take minutes, and gigabytes.
MOST_STATES = 300_000


class EntangledError(Exception):
    """The constraints tie so many values together that ways cannot be counted."""


@positional
class _Distinct:
    """The feature of a slot that is only to differ from those of other slots.

    Those that know nothing of another have different numbers as `group`.
    """

    group: int
    column: str
    others: set[int]

    def value(self, row: Cells) -> Distinguished:
        """Return what a row has there."""
        return self.group, row.get(self.column)


class _Join:
    """A constraint by which a slot has the value of one before: few rows have to be tried."""

    def __init__(self, relation: Relation, domain: Sequence[Cells]) -> None:
        """Take a constraint for which `is_possible` holds, and the rows of its slot."""
        (self._wanted,) = (each for each in relation.right if isinstance(each, Feature))
        self._rows: defaultdict[Value, list[int]] = defaultdict(list)
        for number, row in enumerate(domain):
            self._rows[row.get(relation.left.column)].append(number)

    @staticmethod
    def is_possible(relation: Relation, slot: int) -> bool:
        """Say whether a relation is such a constraint on a slot."""
        left, right = relation.left, relation.right[0]
        is_own = left.variable == slot and not left.indices
        is_known = isinstance(right, Feature) and slot not in right.variables
        return relation.operator == "=" and is_own and is_known

    def rows(self, filled: Filling) -> Sequence[int]:
        """Return the numbers of the rows that have what is wanted behind a filling."""
        return self._rows.get(self._wanted.value(filled), ())


class Space:
    """The ways of filling slots from their domains so that some relations hold."""

    def __init__(self, domains: Domains, relations: Sequence[Relation]) -> None:
        """Take the rows of each slot, and all relations, of a slot by itself and between slots."""
        slots = range(len(domains))
        own = [[each for each in relations if each.variables == {k}] for k in slots]
        between = [each for each in relations if len(each.variables) > 1]
        self._checks = [[each for each in between if max(each.variables) == k] for k in slots]
        self._domains = [
            [row for row in domain if all(each.holds({k: row}) for each in own[k])]
            for k, domain in enumerate(domains)
        ]
        self._joins = {
            k: _Join(each, self._domains[k])
            for k in slots
            for each in reversed(self._checks[k])
            if _Join.is_possible(each, k)
        }
        self._positions = [{id(row): n for n, row in enumerate(each)} for each in self._domains]
        self._distinct = _distinct(self._domains, between)
        # The features whose values matter as such, each with the last slot that asks for it.
        last: dict[Atom, int] = {}
        for relation in between:
            for slot, column in (
                a for each in relation.features for a in each.atoms(self._domains)
            ):
                if slot not in self._distinct or self._distinct[slot].column != column:
                    last[slot, column] = max(last.get((slot, column), 0), *relation.variables)
        ends = range(len(domains) + 1)
        self._live = [[atom for atom in last if atom[0] < k <= last[atom]] for k in ends]
        self._profiles = [
            [tuple(row.get(column) for slot, column in last if slot == k) for row in domain]
            for k, domain in enumerate(self._domains)
        ]
        self._kinds = [self._kinds_from(k) for k in ends]
        self._apart = [self._apart_from(k) for k in ends]
        self._rows = [self._numbered(k) for k in slots]
        # In how many ways the rest can be filled: altogether, behind the rows of each mark, and
        # behind each row, where the state alone tells.
        self._totals: dict[State, int] = {}
        self._behind: defaultdict[State, dict[Mark, int]] = defaultdict(dict)
        self._numbers_of: dict[State, list[int]] = {}

    @property
    def n(self) -> int:
        """How many ways there are. Raises `EntangledError`."""
        return self._n(())

    def __iter__(self) -> Iterator[Filling]:
        """Yield all ways in lexicographic order: the last slot changes fastest."""
        return self._from(())

    def __getitem__(self, index: int) -> Filling:
        """Return the way with that number, from 0. Raises `IndexError` if there are fewer."""
        if not 0 <= index < self.n:
            raise IndexError(index)
        filled: Filling = ()
        for domain in self._domains:
            ends = list(itertools.accumulate(self._numbers(filled)))
            row = bisect_right(ends, index)
            index -= ends[row - 1] if row else 0
            filled = (*filled, domain[row])
        return filled

    def index(self, filling: Filling) -> int:
        """Return the number of a way, whose rows are those of the domains themselves."""
        number = 0
        for k, row in enumerate(filling):
            numbers = self._numbers(filling[:k])
            number += sum(numbers[: self._positions[k][id(row)]])
        return number

    def rows(self) -> list[list[Cells]]:
        """Return the rows of each slot that are in some filling, in their order.

        Rows may be among them that only differences between slots (`!=`) keep out. It takes about
        the time of counting. Raises `EntangledError`.
        """
        found = []
        # A filling of each state.
        fillings: list[Filling] = [()]
        for k, domain in enumerate(self._domains):
            following: dict[State, Filling] = {}
            # With a row come those that are alike behind another filling of the same state.
            numbers: set[int] = set()
            for filled in fillings:
                used = self._state(filled)[1]
                rows = zip(domain, self._rows[k], self._numbers(filled), strict=True)
                marked = {(mark, used.get(value)): row for row, (mark, value), n in rows if n}
                numbers.update(number for number, _ in marked)
                for row in marked.values():
                    following.setdefault(self._state((*filled, row))[0], (*filled, row))
            fillings = [*following.values()]
            numbered = zip(domain, self._rows[k], strict=True)
            found += [[row for row, (number, _) in numbered if number in numbers]]
        return found

    def _from(self, filled: Filling) -> Iterator[Filling]:
        k = len(filled)
        if k == len(self._domains):
            yield filled
            return
        rows = [row for row, n in zip(self._domains[k], self._numbers(filled), strict=True) if n]
        if k + 1 == len(self._domains):
            yield from [(*filled, row) for row in rows]
            return
        for row in rows:
            yield from self._from((*filled, row))

    def _n(self, filled: Filling) -> int:
        """Return in how many ways the rest can be filled, 0 if what is filled last is not right."""
        if filled and not all(each.holds(filled) for each in self._checks[len(filled) - 1]):
            return 0
        if len(filled) == len(self._domains):
            return 1
        state, _ = self._state(filled)
        if state not in self._totals:
            self._totals[state] = sum(self._numbers(filled))
        return self._totals[state]

    def _numbers(self, filled: Filling) -> list[int]:
        """Return in how many ways the rest can be filled behind each row of the next slot."""
        state, used = self._state(filled)
        if state in self._numbers_of:
            return self._numbers_of[state]
        if state not in self._behind and len(self._behind) >= MOST_STATES:
            raise EntangledError
        behind = self._behind[state]
        k = len(filled)
        rows = self._rows[k]
        numbers = [0] * len(rows)
        for row in self._joins[k].rows(filled) if k in self._joins else range(len(rows)):
            number, value = rows[row]
            mark = number, used.get(value)
            if mark not in behind:
                behind[mark] = self._n((*filled, self._domains[k][row]))
            numbers[row] = behind[mark]
        if not used or k not in self._distinct:
            self._numbers_of[state] = numbers
        return numbers

    def _state(self, filled: Filling) -> tuple[State, dict[Distinguished, int]]:
        """Return what those fillings of the first slots have in common that are alike.

        With it come the values in the filling that have to differ from what follows, each with its
        number in the state.
        """
        k = len(filled)
        common: list[Hashable] = [filled[slot].get(column) for slot, column in self._live[k]]
        kinds = self._kinds[k]
        values = [
            (others, self._distinct[slot].value(filled[slot])) for slot, others in self._apart[k]
        ]
        found = [(others, kinds[value], value) for others, value in values if value in kinds]
        # Of values of a kind that have to differ from the same slots it does not matter which slot
        # has which.
        found.sort(key=itemgetter(0, 1))
        numbers: dict[Distinguished, int] = {}
        for others, kind, value in found:
            common.append((others, kind, numbers.setdefault(value, len(numbers))))
        return (k, tuple(common)), numbers

    def _apart_from(self, k: int) -> list[tuple[int, tuple[int, ...]]]:
        """Return the slots before slot k, each with those from k on that it has to differ from."""
        later = [
            (slot, tuple(sorted(other for other in each.others if other >= k)))
            for slot, each in sorted(self._distinct.items())
        ]
        return [(slot, others) for slot, others in later if slot < k and others]

    def _numbered(self, k: int) -> list[tuple[int, Distinguished]]:
        """Return the number of each row's mark, and its value that is to differ from others."""
        distinct = self._distinct.get(k)
        values = [distinct.value(row) if distinct else None for row in self._domains[k]]
        kinds = self._kinds[k + 1]
        numbers: dict[Hashable, int] = {}
        return [
            (numbers.setdefault((profile, kinds.get(value)), len(numbers)), value)
            for profile, value in zip(self._profiles[k], values, strict=True)
        ]

    def _kinds_from(self, k: int) -> dict[Distinguished, int]:
        """Return the kinds of the values that slot k or later ones have."""
        rows: defaultdict[Distinguished, Counter[Hashable]] = defaultdict(Counter)
        for slot, distinct in self._distinct.items():
            if slot >= k:
                for row, profile in zip(self._domains[slot], self._profiles[slot], strict=True):
                    rows[distinct.value(row)][slot, profile] += 1
        numbers: dict[Hashable, int] = {}
        return {
            value: numbers.setdefault(frozenset(own.items()), len(numbers))
            for value, own in rows.items()
        }


def _distinct(domains: Domains, relations: Sequence[Relation]) -> dict[int, _Distinct]:
    """Return the features that are only to differ, by their slots.

    A slot has one at most. Where there could be several, those that have the most values together
    with what they have to differ from come first; the values of the others count as such.
    """
    others: defaultdict[Atom, set[Atom]] = defaultdict(set)
    connected: dict[Atom, frozenset[Atom]] = {}
    exact: set[Atom] = set()
    for relation in relations:
        if not relation.is_difference:
            exact.update(atom for each in relation.features for atom in each.atoms(domains))
            continue
        one, two = ((each.variable, each.column) for each in relation.features)
        others[one].add(two)
        others[two].add(one)
        joined = connected.get(one, frozenset([one])) | connected.get(two, frozenset([two]))
        connected.update(dict.fromkeys([one, two, *joined], joined))

    def n_values(members: frozenset[Atom]) -> int:
        return len({row.get(column) for slot, column in members for row in domains[slot]})

    found: dict[int, _Distinct] = {}
    groups = sorted(dict.fromkeys(connected.values()), key=n_values, reverse=True)
    for number, members in enumerate(groups):
        slots = {slot for slot, _ in members}
        is_unique = len(slots) == len(members) and found.keys().isdisjoint(slots)
        if is_unique and exact.isdisjoint(members):
            for atom in members:
                found[atom[0]] = _Distinct(number, atom[1], {slot for slot, _ in others[atom]})
    return found
