"""A template as frozen values: what its file says, before any lexicon is looked at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf

from pommel.errors import Place

# A cell that is a form without any sound, such as the Russian copula in the present tense.
ZERO_FORM = "∅"

Operator = OneOf["=", "!=", "in", "not in", "has", "lacks", "shares"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """A value that is written out."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """`S.word`, `S.nom[NUM]`, or a bare name, of which its place says what it means.

    `owner` is the slot, None for a bare name. Each of `indices` is put behind the name, with `_`
    between them.
    """

    place: Place
    owner: str | None
    name: str
    indices: tuple["Reference", ...] = ()

    def __str__(self) -> str:
        owner = "" if self.owner is None else f"{self.owner}."
        return owner + self.name + "".join(f"[{each}]" for each in self.indices)


Operand = Reference | Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """`left operator right`; `text` is how it is written, white space apart.

    `right` is one operand, or those of a list in brackets.
    """

    place: Place
    text: str
    left: Reference
    operator: Operator
    right: tuple[Operand, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """What is filled with rows of the lexicons."""

    place: Place
    name: str
    constraints: tuple[Constraint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What is one of some values."""

    place: Place
    name: str
    values: tuple[Literal, ...]
    constraints: tuple[Constraint, ...]


Variable = Slot | Choice
# What a region is made of: text, and placeholders.
Parts = tuple[str | Reference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A condition, or its gloss: a name, and what its regions are made of."""

    place: Place
    name: str
    regions: tuple[Parts, ...]

    @property
    def references(self) -> tuple[Reference, ...]:
        """All placeholders, from left to right."""
        return tuple(p for parts in self.regions for p in parts if isinstance(p, Reference))


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionText:
    """A formula that parses, and what it means in words; `places` are those of its characters."""

    formula: str
    places: "Places"
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where each character of a text stands, which begins in the first column of a line."""

    file: str
    line: int
    text: str

    def at(self, offset: int) -> Place:
        """Return the place of the character with that number, from 0."""
        before = self.text[:offset]
        column = len(before) - (before.rfind("\n") + 1) + 1
        return Place(file=self.file, line=self.line + before.count("\n"), column=column)


@dataclass(slots=True, kw_only=True)
class Template:
    """What a file says. Names are unique; whether they exist, `binding` finds out."""

    file: str
    lexicons: list[Literal] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    distinct: list[tuple[Reference, ...]] = field(default_factory=list)
    regions: tuple[Literal, ...] = ()
    conditions: list[Line] = field(default_factory=list)
    glosses: list[Line] = field(default_factory=list)
    predictions: list[PredictionText] = field(default_factory=list)
    meta: dict[str, str | list[str]] = field(default_factory=dict)

    @property
    def whole(self) -> Place:
        """The place of what concerns all of the file."""
        return Place(file=self.file, line=0, column=0)

    @property
    def indices(self) -> Mapping[str, int]:
        """The number of each slot and choice, by its name."""
        return {each.name: index for index, each in enumerate(self.variables)}
