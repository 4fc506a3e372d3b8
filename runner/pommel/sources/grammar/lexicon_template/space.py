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

State = tuple[Hashable, ...]
Atom = tuple[int, str]
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


class States:
    """What is alike, for some domains and the relations between them.

    `bundles[k]` has the rows of slot k that are alike, `bundle_of[k]` the bundle of each row.
    """

    def __init__(self, domains: Sequence[Sequence[Cells]], relations: Sequence[Relation]) -> None:
        """Take the rows of each slot, and the relations between slots."""
        self._domains = domains
        self._groups = _groups(domains, relations)
        grouped = {atom for group in self._groups for atom in group.column.items()}
        self._group_of = {var: group for group in self._groups for var in group.column}
        last = _last_uses(domains, relations)
        exact = [atom for atom in last if atom not in grouped]
        n = len(domains)
        # Whose values matter as such when slot k is filled, and all those of slot k.
        self._live = [[a for a in exact if a[0] < k <= last[a]] for k in range(n)]
        self._own = [[column for var, column in exact if var == k] for k in range(n)]
        for group in self._groups:
            group.kinds = self._kinds(group)
        self._live_grouped = [[(group, group.live(k)) for group in self._groups] for k in range(n)]
        bundled = [self._bundled(k) for k in range(n)]
        self.bundle_of = [bundle_of for bundle_of, _ in bundled]
        self.bundles = [bundles for _, bundles in bundled]
        self._rows_with = [self._rows_by_value(k) for k in range(n)]

    def of(self, filled: Sequence[Cells]) -> State:
        """Return what those fillings of the first slots have in common that are alike."""
        k = len(filled)
        values: list[Hashable] = [filled[var].get(column) for var, column in self._live[k]]
        for group, live in self._live_grouped[k]:
            if live:
                values.append(_pattern(group, live, filled))
        return tuple(values)

    def rows_like(self, filled: Sequence[Cells]) -> list[int]:
        """Return the next slot's rows that have a value which is to differ from it, or from
        another later one.
        """
        k = len(filled)
        group = self._group_of.get(k)
        if group is None:
            return []
        live = next(live for each, live in self._live_grouped[k] if each is group)
        values = dict.fromkeys(filled[var].get(group.column[var]) for var, _ in live)
        return [row for value in values for row in self._rows_with[k].get(value, ())]

    def _profile(self, k: int, row: Cells) -> tuple[Value, ...]:
        return tuple(row.get(column) for column in self._own[k])

    def _kinds(self, group: _Group) -> list[dict[Value, int]]:
        """Return the kinds of values before each slot, and behind the last one."""
        numbers: dict[Hashable, int] = {}
        kinds: list[dict[Value, int]] = [{}]
        for k in reversed(range(len(self._domains))):
            after = kinds[-1]
            if k not in group.column:
                kinds.append(after)
                continue
            rows: defaultdict[Value, Counter[Hashable]] = defaultdict(Counter)
            for row in self._domains[k]:
                rows[row.get(group.column[k])][self._profile(k, row)] += 1
            own = {
                value: (k, frozenset(rows[value].items()), after.get(value, _GONE))
                for value in dict.fromkeys((*rows, *after))
            }
            kinds.append({v: numbers.setdefault(kind, len(numbers) + 1) for v, kind in own.items()})
        return kinds[::-1]

    def _bundled(self, k: int) -> tuple[list[int], list[list[int]]]:
        group = self._group_of.get(k)
        numbers: dict[Hashable, int] = {}
        bundle_of: list[int] = []
        bundles: list[list[int]] = []
        for number, row in enumerate(self._domains[k]):
            kind = group.kinds[k + 1].get(row.get(group.column[k]), _GONE) if group else _GONE
            bundle = numbers.setdefault((self._profile(k, row), kind), len(numbers))
            if bundle == len(bundles):
                bundles.append([])
            bundle_of.append(bundle)
            bundles[bundle].append(number)
        return bundle_of, bundles

    def _rows_by_value(self, k: int) -> dict[Value, list[int]]:
        group = self._group_of.get(k)
        found: defaultdict[Value, list[int]] = defaultdict(list)
        for number, row in enumerate(self._domains[k] if group else ()):
            found[row.get(group.column[k]) if group else None].append(number)
        return found


def _pattern(
    group: _Group, live: Sequence[tuple[int, tuple[int, ...]]], filled: Sequence[Cells]
) -> Hashable:
    """Return the kinds of the values that are live, and which of them are the same.

    Where no two are, slots that have to differ from the same later ones have no order.
    """
    kinds = group.kinds[len(filled)]
    found = []
    for var, others in live:
        value = filled[var].get(group.column[var])
        kind = kinds.get(value, _GONE)
        if kind != _GONE:
            found.append((others, kind, value))
    seen: dict[Value, int] = {}
    order = [seen.setdefault(value, len(seen)) for *_, value in found]
    if len(seen) == len(found):
        return tuple(sorted((others, kind) for others, kind, _ in found))
    return tuple((others, kind, n) for (others, kind, _), n in zip(found, order, strict=True))


def _last_uses(
    domains: Sequence[Sequence[Cells]], relations: Sequence[Relation]
) -> dict[Atom, int]:
    """Return the last slot at which each feature that relations ask for is needed."""
    last: dict[Atom, int] = {}
    for relation in relations:
        checked = max(relation.variables)
        for atom in (a for each in relation.features for a in atoms(each, domains)):
            last[atom] = max(last.get(atom, 0), checked)
    return last


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
        pair = relation.difference
        if pair is None:
            exact |= {(each.variable, each.column) for each in _all_features(relation)}
        else:
            one, two = ((each.variable, each.column) for each in pair)
            others[one][two] = others[two][one] = None
    groups: list[_Group] = []
    taken: set[int] = set()
    for members in sorted(_components(others), key=lambda each: -_n_values(each, domains)):
        variables = [var for var, _ in members]
        unique = len(set(variables)) == len(variables) and taken.isdisjoint(variables)
        if unique and not any(_is_exact(each, exact) for each in members):
            taken.update(variables)
            slots = {var: frozenset(v for v, _ in others[var, column]) for var, column in members}
            groups.append(_Group(dict(members), slots))
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


def _n_values(members: Sequence[Atom], domains: Sequence[Sequence[Cells]]) -> int:
    return len({row.get(column) for variable, column in members for row in domains[variable]})


def _all_features(relation: Relation) -> list[Feature]:
    found = list(relation.features)
    for each in found:
        found += [index for index in each.indices if isinstance(index, Feature)]
    return found


def _is_exact(atom: Atom, exact: set[Atom]) -> bool:
    """Say whether a relation of another kind asks for it, maybe with an index behind its name."""
    variable, column = atom
    begins = [name for var, name in exact if var == variable]
    return any(column == name or column.startswith(f"{name}_") for name in begins)


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
