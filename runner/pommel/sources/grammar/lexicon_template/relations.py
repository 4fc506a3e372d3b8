"""Features of filled slots, and what constraints say of them, as functions."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pommel.sources.grammar.lexicon_file import NOT_APPLICABLE, Cells
from pommel.sources.grammar.lexicon_template.tree import Constraint, Operator

# What a choice stands for is the only feature that it has.
OWN_VALUE = ""
# None is what does not apply.
Value = str | None
# What fills the slots, by their numbers: all of them, or as many as are asked for.
Filled = Sequence[Cells] | Mapping[int, Cells]


@dataclass(frozen=True, slots=True)
class Feature:
    """A column of what fills a slot; `indices` are put behind its name, with `_` between."""

    variable: int
    column: str
    indices: tuple["Feature | str", ...] = ()

    @property
    def variables(self) -> frozenset[int]:
        """The numbers of the slots and choices on which it depends."""
        return frozenset((self.variable,)).union(
            *(each.variables for each in self.indices if isinstance(each, Feature))
        )

    def column_in(self, filled: Filled) -> str | None:
        """Return the column that is meant; None if an index does not apply."""
        names = [each if isinstance(each, str) else each.value(filled) for each in self.indices]
        if None in names:
            return None
        return "_".join([self.column, *filter(None, names)])

    def value(self, filled: Filled) -> Value:
        """Return what stands there."""
        if not self.indices:
            return filled[self.variable].get(self.column)
        column = self.column_in(filled)
        return None if column is None else filled[self.variable].get(column)


Term = Feature | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A constraint over features and literals: `left operator right`.

    It holds as follows; what does not apply (`_`) is a value that is equal to itself only.
    `=`, `!=`: the two are the same, or not. `in`: the left one is among the right ones, where a
    feature stands for each word of its cell. `has`, `lacks`, `shares`: all, none or some of the
    right ones are words of the left cell; what does not apply has no words.
    """

    left: Feature
    operator: Operator
    right: tuple[Term, ...]
    text: str

    @property
    def variables(self) -> frozenset[int]:
        """The numbers of the slots and choices on which it depends."""
        return self.left.variables.union(*(each.variables for each in self._features))

    @property
    def features(self) -> tuple[Feature, ...]:
        """All features that it mentions, but those that choose columns."""
        return (self.left, *self._features)

    @property
    def difference(self) -> tuple[Feature, Feature] | None:
        """The two features of different slots that it wants to differ, if it is of that kind."""
        if self.operator != "!=" or not isinstance(self.right[0], Feature):
            return None
        left, right = self.left, self.right[0]
        plain = not left.indices and not right.indices and left.variable != right.variable
        return (left, right) if plain else None

    def holds(self, filled: Filled) -> bool:
        """Say whether it is so; all that it mentions has to be filled."""
        left = self.left.value(filled)
        match self.operator:
            case "=":
                return left == _value(self.right[0], filled)
            case "!=":
                return left != _value(self.right[0], filled)
            case "in":
                return left in self._elements(filled)
            case "not in":
                return left not in self._elements(filled)
            case "has":
                found = self._elements(filled)
                return bool(found) and found <= words_of(left)
            case "lacks":
                return not self._elements(filled) & words_of(left)
            case "shares":
                return bool(self._elements(filled) & words_of(left))

    @property
    def _features(self) -> tuple[Feature, ...]:
        return tuple(each for each in self.right if isinstance(each, Feature))

    def _elements(self, filled: Filled) -> frozenset[Value]:
        found: set[Value] = set()
        for each in self.right:
            if isinstance(each, Feature):
                found |= words_of(each.value(filled))
            else:
                found.add(_value(each, filled))
        return frozenset(found)


# What a constraint says, and how it is written.
Bound = tuple[Relation, Constraint]


@functools.lru_cache(maxsize=1 << 16)
def words_of(cell: Value) -> frozenset[Value]:
    """Return the words of a cell, none for what does not apply."""
    return frozenset(cell.split()) if cell is not None else frozenset()


def _value(term: Term, filled: Filled) -> Value:
    if isinstance(term, Feature):
        return term.value(filled)
    return None if term == NOT_APPLICABLE else term
