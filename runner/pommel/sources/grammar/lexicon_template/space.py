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
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pommel.sources.grammar.lexicon_file import Cells
from pommel.sources.grammar.lexicon_template.binding import Feature, Relation, Value

Atom = tuple[int, str]
# The number of the slot that is filled next, and what the fillings before it have in common.
State = tuple[int, tuple[Hashable, ...]]
# Rows of a slot that have the same are alike: a number, and a value where that sets them apart.
Mark = tuple[int] | tuple[int, Value]
# A value that occurs in no later slot.
_GONE = 0

# Of states, over all slots; more would take minutes, and gigabytes.
MOST_STATES = 300_000


@dataclass(slots=True)
class _Group:
    """Features that are only to differ from one another, one of a slot.

    `column` has each slot's, `others` the slots that it has to differ from, `kinds[k]` the kind of
    each value as of slot k.
    """

    column: dict[int, str]
    others: dict[int, frozenset[int]]
    kinds: list[dict[Value, int]] = field(default_factory=list)

    def live(self, k: int) -> list[tuple[int, tuple[int, ...]]]:
        """Return the slots before slot k that have to differ from it, or from later ones; and
        these.
        """
        later = [
            (var, tuple(sorted(each for each in self.others[var] if each >= k)))
            for var in sorted(self.column)
            if var < k
        ]
        return [(var, others) for var, others in later if others]

    def pattern(self, live: Sequence[tuple[int, tuple[int, ...]]], filled: "Filling") -> Hashable:
        """Return the kinds of the values that are live, and which of them are the same.

        Where no two are, slots that have to differ from the same later ones have no order.
        """
        kinds = self.kinds[len(filled)]
        found = []
        for var, others in live:
            value = filled[var].get(self.column[var])
            kind = kinds.get(value, _GONE)
            if kind != _GONE:
                found.append((others, kind, value))
        numbers: dict[Value, int] = {}
        order = [numbers.setdefault(value, len(numbers)) for *_, value in found]
        if len(numbers) == len(found):
            return tuple(sorted((others, kind) for others, kind, _ in found))
        return tuple((others, kind, n) for (others, kind, _), n in zip(found, order, strict=True))


class _Likeness:
    """What is alike, for some domains and the relations between them."""

    def __init__(self, domains: Sequence[Sequence[Cells]], relations: Sequence[Relation]) -> None:
        self._groups = _groups(domains, relations)
        self._group_of = {var: group for group in self._groups for var in group.column}
        last: dict[Atom, int] = {}
        for relation in relations:
            for atom in (a for each in relation.features for a in atoms(each, domains)):
                last[atom] = max(last.get(atom, 0), *relation.variables)
        grouped = {atom for group in self._groups for atom in group.column.items()}
        exact = [atom for atom in last if atom not in grouped]
        n = len(domains)
        # Whose values matter as such when slot k is filled, and those of each row of slot k.
        self._live = [[a for a in exact if a[0] < k <= last[a]] for k in range(n + 1)]
        self._profiles = [
            [tuple(row.get(column) for var, column in exact if var == k) for row in domain]
            for k, domain in enumerate(domains)
        ]
        for group in self._groups:
            group.kinds = self._kinds(group, domains)
        self._live_grouped = [
            [(group, group.live(k)) for group in self._groups] for k in range(n + 1)
        ]
        self.plain_marks = [self._marked(k, domain) for k, domain in enumerate(domains)]
        self._values = [
            [row.get(self._group_of[k].column[k]) for row in domain] if k in self._group_of else []
            for k, domain in enumerate(domains)
        ]

    def state(self, filled: "Filling") -> State:
        """Return what those fillings of the first slots have in common that are alike."""
        k = len(filled)
        values: list[Hashable] = [filled[var].get(column) for var, column in self._live[k]]
        values += [group.pattern(live, filled) for group, live in self._live_grouped[k] if live]
        return k, tuple(values)

    def marks(self, filled: "Filling") -> Sequence[Mark]:
        """Return the marks of the next slot's rows behind a filling.

        Those that have a value which is to differ from theirs, or from a later one, are apart.
        """
        k = len(filled)
        plain, group = self.plain_marks[k], self._group_of.get(k)
        live = next((live for each, live in self._live_grouped[k] if each is group), ())
        if group is None or not live:
            return plain
        used = {filled[var].get(group.column[var]) for var, _ in live}
        return [
            (*mark, value) if value in used else mark
            for mark, value in zip(plain, self._values[k], strict=True)
        ]

    def _marked(self, k: int, domain: Sequence[Cells]) -> list[tuple[int]]:
        group = self._group_of.get(k)
        kinds = group.kinds[k + 1] if group else {}
        numbers: dict[Hashable, int] = {}
        found = []
        for row, profile in zip(domain, self._profiles[k], strict=True):
            kind = kinds.get(row.get(group.column[k]), _GONE) if group else _GONE
            found.append((numbers.setdefault((profile, kind), len(numbers)),))
        return found

    def _kinds(self, group: _Group, domains: Sequence[Sequence[Cells]]) -> list[dict[Value, int]]:
        """Return the kinds of values before each slot, and behind the last one."""
        numbers: dict[Hashable, int] = {}
        kinds: list[dict[Value, int]] = [{}]
        for k in reversed(range(len(domains))):
            after = kinds[-1]
            if k not in group.column:
                kinds.append(after)
                continue
            rows: defaultdict[Value, Counter[Hashable]] = defaultdict(Counter)
            for row, profile in zip(domains[k], self._profiles[k], strict=True):
                rows[row.get(group.column[k])][profile] += 1
            own = {
                value: (k, frozenset(rows[value].items()), after.get(value, _GONE))
                for value in dict.fromkeys((*rows, *after))
            }
            kinds.append({v: numbers.setdefault(kind, len(numbers) + 1) for v, kind in own.items()})
        return kinds[::-1]


def atoms(feature: Feature, domains: Sequence[Sequence[Cells]]) -> list[Atom]:
    """Return the slots and columns that a feature may have to look at."""
    if not feature.indices:
        return [(feature.variable, feature.column)]
    columns = dict.fromkeys(column for row in domains[feature.variable] for column in row)
    begin = f"{feature.column}_"
    own = [
        (feature.variable, column)
        for column in columns
        if column == feature.column or column.startswith(begin)
    ]
    indices = (each for each in feature.indices if isinstance(each, Feature))
    return own + [atom for each in indices for atom in atoms(each, domains)]


def _groups(domains: Sequence[Sequence[Cells]], relations: Sequence[Relation]) -> list[_Group]:
    """Return the features that are only to differ, in groups that know nothing of another.

    A slot has a feature in one group at most. Where there could be several, the one with the most
    values becomes a group; the values of the others count as such.
    """
    others: defaultdict[Atom, dict[Atom, None]] = defaultdict(dict)
    exact: set[Atom] = set()
    for relation in relations:
        if pair := relation.difference:
            one, two = ((each.variable, each.column) for each in pair)
            others[one][two] = others[two][one] = None
        else:
            exact.update(a for each in relation.features for a in atoms(each, domains))

    def n_values(members: Sequence[Atom]) -> int:
        return len({row.get(column) for variable, column in members for row in domains[variable]})

    groups: list[_Group] = []
    taken: set[int] = set()
    for members in sorted(_components(others), key=n_values, reverse=True):
        slots = [var for var, _ in members]
        unique = len(set(slots)) == len(slots) and taken.isdisjoint(slots)
        if unique and exact.isdisjoint(members):
            taken.update(slots)
            apart = {var: frozenset(v for v, _ in others[var, column]) for var, column in members}
            groups.append(_Group(dict(members), apart))
    return groups


def _components(others: Mapping[Atom, Mapping[Atom, None]]) -> list[list[Atom]]:
    """Return the features that are connected by differences."""
    found: list[list[Atom]] = []
    for atom in others:
        if not any(atom in each for each in found):
            connected = [atom]
            for each in connected:
                connected += [other for other in others[each] if other not in connected]
            found.append(connected)
    return found


Filling = tuple[Cells, ...]


class EntangledError(Exception):
    """The constraints tie so many values together that ways cannot be counted."""


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
        last: list[list[Relation]] = [[] for _ in domains]
        for relation in relations:
            last[max(relation.variables)].append(relation)
        own = [[each for each in checks if len(each.variables) == 1] for checks in last]
        self._checks = [[each for each in checks if len(each.variables) > 1] for checks in last]
        self._domains = [
            tuple(row for row in domain if all(each.holds({k: row}) for each in own[k]))
            for k, domain in enumerate(domains)
        ]
        self._likeness = _Likeness(self._domains, [each for one in self._checks for each in one])
        # In how many ways the rest can be filled, altogether and behind the rows of each mark.
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

    def rows(self) -> list[list[Cells]]:
        """Return the rows of each slot that are in some filling, in their order.

        Rows may be among them that only differences between slots (`!=`) keep out. It takes about
        the time of counting. Raises `EntangledError`.
        """
        found: list[set[int]] = [set() for _ in self._domains]
        queue: list[Filling] = [()]
        seen: set[State] = set()
        # It grows while it is read.
        for filled in queue:
            k = len(filled)
            if k == len(self._domains):
                continue
            following: dict[Mark, Cells] = {}
            marks, numbers = self._likeness.marks(filled), self._numbers(filled)
            for row, mark, n in zip(self._domains[k], marks, numbers, strict=True):
                if n:
                    following.setdefault(mark, row)
            for mark, row in following.items():
                # With it come those that are alike behind another filling of this state.
                found[k].add(mark[0])
                state = self._likeness.state((*filled, row))
                if state not in seen:
                    seen.add(state)
                    queue.append((*filled, row))
        return [
            [
                row
                for row, mark in zip(domain, self._likeness.plain_marks[k], strict=True)
                if mark[0] in found[k]
            ]
            for k, domain in enumerate(self._domains)
        ]

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
        state = self._likeness.state(filled)
        if state not in self._totals:
            self._totals[state] = sum(self._numbers(filled))
        return self._totals[state]

    def _numbers(self, filled: Filling) -> list[int]:
        """Return in how many ways the rest can be filled behind each row of the next slot."""
        k = len(filled)
        state = self._likeness.state(filled)
        if state in self._numbers_of:
            return self._numbers_of[state]
        if state not in self._behind and len(self._behind) >= self._most_states:
            raise EntangledError
        behind, apart = self._behind[state], dict[Mark, int]()
        numbers = []
        for row, mark in zip(self._domains[k], self._likeness.marks(filled), strict=True):
            known = behind if len(mark) == 1 else apart
            if mark not in known:
                known[mark] = self._n((*filled, row))
            numbers.append(known[mark])
        # Rows that are apart are so behind this filling, and not behind all of its state.
        if not apart:
            self._numbers_of[state] = numbers
        return numbers
