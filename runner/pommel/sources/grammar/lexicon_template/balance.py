"""Samples in which features are balanced: each combination of their values comes equally often.

A group is one item of each combination, all of them alike in the features *within* which the others
are balanced. A balanced sample is some groups. How many items there are of each kind is counted in
spaces of their own, so that groups are drawn without an item being made.
"""

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from pommel.errors import counted
from pommel.sources.grammar.lexicon_template.features import Domains, Feature, Relation
from pommel.sources.grammar.lexicon_template.reading import Balance
from pommel.sources.grammar.lexicon_template.space import Space
from pommel.sources.grammar.source import GrammarError, drawn_numbers
from pommel.sources.grammar.text import Written, shown

# What some features are, in their order.
_Values = tuple[str, ...]


class Groups:
    """The groups of items of which balanced samples are made; `balance` is what the template says.

    `size` is how many items a group has, and `n` how many groups can be drawn together.
    """

    def __init__(
        self, domains: Domains, relations: Sequence[Relation], balance: Balance, space: Space
    ) -> None:
        """Take the space of all items, and the domains and relations that it is made of.

        Raises `GrammarError` if the features have one combination of values only, or if not one
        value of what they are balanced within has all their combinations.
        """
        self._balance = balance
        self._space = space
        self._spaces: dict[_Values, dict[_Values, Space]] = {}
        features = (*balance.within, *balance.features)
        for values in itertools.product(*(_values(domains, each) for each in features)):
            own = Space(domains, [*relations, *map(_is, features, values)])
            if own.n:
                n = len(balance.within)
                self._spaces.setdefault(values[:n], {})[values[n:]] = own
        combinations = sorted({values for each in self._spaces.values() for values in each})
        self.size = len(combinations)
        if self.size == 1:
            what = f"{self._said(combinations[0])} in all items: there is nothing to balance"
            raise GrammarError.at(balance.place, what, "balance a feature that has several values")
        self._whole = [w for w, each in self._spaces.items() if len(each) == self.size]
        if not self._whole:
            within, found = max(self._spaces.items(), key=lambda each: len(each[1]))
            lacks = next(each for each in combinations if each not in found)
            what = f"no item with {_equal(balance.within, within)} has {self._said(lacks)}"
            hint = "balanced samples have items only of what is there with all combinations"
            raise GrammarError.at(balance.place, what, hint)
        # As many groups as there are of the rarest combination.
        self._ns = [min(each.n for each in self._spaces[w].values()) for w in self._whole]
        self.n = sum(self._ns)

    @property
    def about(self) -> str:
        """How many combinations there are of which values, in words."""
        names = shown(each.reference for each in self._balance.features)
        return f"{names} {'have' if len(self._balance.features) > 1 else 'has'} " + (
            counted(self.size, "combination" if len(self._balance.features) > 1 else "value")
        )

    def drawn(self, seed: int) -> Iterator[tuple[int, ...]]:
        """Yield the numbers of each group's items; no item is in two of them."""
        ends = list(itertools.accumulate(self._ns))
        items: dict[int, list[Iterator[int]]] = {}
        for number in drawn_numbers(self.n, seed):
            which = bisect_right(ends, number)
            if which not in items:
                spaces = sorted(self._spaces[self._whole[which]].items())
                seeds = (f"{seed} {which} {n}" for n in range(self.size))
                items[which] = [
                    self._stream(each, own) for (_, each), own in zip(spaces, seeds, strict=True)
                ]
            yield tuple([next(each) for each in items[which]])

    def _stream(self, space: Space, seed: str) -> Iterator[int]:
        """Yield the numbers of the items of one combination, in random order."""
        return (self._space.index(space[each]) for each in drawn_numbers(space.n, seed))

    def _said(self, values: _Values) -> str:
        return _equal(self._balance.features, values)


def _equal(features: Sequence[Feature], values: _Values) -> str:
    pairs = zip(features, values, strict=True)
    return ", ".join(f"{each.reference} = {value}" for each, value in pairs)


def _values(domains: Domains, feature: Feature) -> list[str]:
    """Return what a feature can be, in the order of the lexicons."""
    columns = [column for _, column in feature.columns(domains)]
    rows = domains[feature.variable]
    return list(dict.fromkeys(row[each] for row in rows for each in columns if each in row))


def _is(feature: Feature, value: str) -> Relation:
    return Relation(feature, "=", (Written(place=feature.reference.place, text=value),))
