"""What constraints compare: features of what fills the slots, and how they have to be related.

Slots and choices have numbers, in the order of the template. What fills one is a row's cells.
"""

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal

from pommel.errors import Place
from pommel.sources.grammar.lexicon_file import NOT_APPLICABLE, Cells
from pommel.sources.grammar.text import Written
from pommel.values import positional

# What a choice stands for is the only feature that it has.
OWN_VALUE = ""

Operator = Literal["=", "!=", "in", "not in", "has", "lacks", "shares"]

# None is what does not apply.
Value = str | None
# The number of a slot, and a column.
Atom = tuple[int, str]
# What fills the slots, by their numbers: all of them, or as many as are asked for.
Filled = Sequence[Cells] | Mapping[int, Cells]
# What each slot and choice can be, in order.
Domains = Sequence[Sequence[Cells]]


@positional
class Reference:
    """`S.word`, `S.nom[NUM]`, or a bare name, of which its place says what it means.

    `owner` is the slot, "" for a bare name. Each of `indices` is put behind the name, with `_`
    between them.
    """

    place: Place
    owner: str
    name: str
    indices: tuple["Reference", ...] = ()

    def __str__(self) -> str:
        owner = f"{self.owner}." if self.owner else ""
        return owner + self.name + "".join(f"[{each}]" for each in self.indices)


_UNWRITTEN = Reference(Place(file=""), "", "")


@positional
class Feature:
    """A column of what fills a slot; `indices` are put behind its name, with `_` between.

    How it is written makes no difference to what it is.
    """

    variable: int
    column: str
    indices: tuple["Feature | str", ...] = ()
    reference: Reference = field(default=_UNWRITTEN, compare=False)

    @property
    def choosing(self) -> list["Feature"]:
        """The features among its indices."""
        return [each for each in self.indices if isinstance(each, Feature)]

    @property
    def variables(self) -> frozenset[int]:
        """The numbers of the slots and choices on which it depends."""
        return frozenset([self.variable, *(each.variable for each in self.choosing)])

    def columns(self, domains: Domains) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the columns that it may look at, each behind the values of its indices."""
        values = [
            [each]
            if isinstance(each, str)
            else dict.fromkeys(
                row[each.column] for row in domains[each.variable] if each.column in row
            )
            for each in self.indices
        ]
        for chosen in itertools.product(*values):
            yield chosen, "_".join([self.column, *filter(None, chosen)])

    def atoms(self, domains: Domains) -> list[Atom]:
        """Return the slots and columns that it may have to look at."""
        own = [(self.variable, column) for _, column in self.columns(domains)]
        return own + [(each.variable, each.column) for each in self.choosing]

    def column_in(self, filled: Filled) -> str | None:
        """Return the column that is meant; None if an index does not apply."""
        names = [each if isinstance(each, str) else each.value(filled) for each in self.indices]
        return None if None in names else "_".join([self.column, *filter(None, names)])

    def value(self, filled: Filled) -> Value:
        """Return what stands there."""
        column = self.column_in(filled) if self.indices else self.column
        return None if column is None else filled[self.variable].get(column)


@positional
class Relation:
    """A constraint over features and what is written: `left operator right`.

    It holds as follows; what does not apply (`_`) is a value that is equal to itself only.
    `=`, `!=`: the two are the same, or not. `in`: the left one is among the right ones, where a
    feature stands for each word of its cell. `has`, `lacks`, `shares`: all, none or some of the
    right ones are words of the left cell; what does not apply has no words.
    """

    left: Feature
    operator: Operator
    right: tuple[Feature | Written, ...]
    text: str = ""

    @property
    def features(self) -> tuple[Feature, ...]:
        """All features that it mentions, but those that choose columns."""
        return (self.left, *(each for each in self.right if isinstance(each, Feature)))

    @property
    def variables(self) -> frozenset[int]:
        """The numbers of the slots and choices on which it depends."""
        return self.left.variables.union(*(each.variables for each in self.features))

    @property
    def is_difference(self) -> bool:
        """Whether two features of different slots are to differ, and that is all."""
        slots = {each.variable for each in self.features}
        return (
            self.operator == "!="
            and len(slots) > 1
            and not any(each.indices for each in self.features)
        )

    def holds(self, filled: Filled) -> bool:
        """Say whether it is so; all that it mentions has to be filled."""
        left = self.left.value(filled)
        if self.operator in ("=", "!="):
            return (left == _value(self.right[0], filled)) == (self.operator == "=")
        found: set[Value] = set()
        for each in self.right:
            value = _value(each, filled)
            found |= words_of(value) if isinstance(each, Feature) else {value}
        own = {left} if self.operator in ("in", "not in") else words_of(left)
        if self.operator == "has":
            return bool(found) and found <= own
        return found.isdisjoint(own) == (self.operator in ("not in", "lacks"))


@functools.lru_cache(maxsize=1 << 16)
def words_of(cell: Value) -> frozenset[Value]:
    """Return the words of a cell, none for what does not apply."""
    return frozenset(cell.split()) if cell is not None else frozenset()


def _value(term: Feature | Written, filled: Filled) -> Value:
    if isinstance(term, Feature):
        return term.value(filled)
    return None if term.text == NOT_APPLICABLE else term.text
