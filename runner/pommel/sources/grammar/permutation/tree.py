"""A permutation design as frozen values: as its file has it, and as it is expanded."""

from collections.abc import Mapping
from dataclasses import dataclass

from pommel.errors import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A text, and where it stands."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A word of the frame, or a slot (`text` is its name without braces).

    `is_apart` says whether there is a space before it.
    """

    place: Place
    text: str
    is_slot: bool
    is_apart: bool

    @property
    def is_argument(self) -> bool:
        """Whether it is a slot for an argument, which has a number."""
        return self.is_slot and self.text.isdecimal()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What all sentences are made of, region by region."""

    place: Place
    regions: tuple[tuple[Part, ...], ...]

    @property
    def slots(self) -> tuple[Part, ...]:
        """The slots of all regions."""
        return tuple(part for region in self.regions for part in region if part.is_slot)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a template puts into a slot, or which noun it has in which case."""

    name: Written
    content: Written


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateLine:
    """A template as it is written."""

    place: Place
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignFile:
    """What a file says; what is None or empty was not in it, or was wrong."""

    file: str
    meta: Mapping[str, str | list[str]]
    lexicon: Written | None
    cases: tuple[Written, ...]
    frame: Frame | None
    violations: tuple[Written, ...]
    templates: tuple[TemplateLine, ...]

    @property
    def case_names(self) -> tuple[str, ...]:
        """The cases, in their order."""
        return tuple(each.text for each in self.cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One item: a frame whose named slots are filled, and its nouns.

    `nouns` stand in the order of the cases that they have in the plausible sentences, and
    `forms[i][j]` is noun i in case j. `regions` are format strings (`str.format`), in which
    `{p}` is the argument in place p, from 0.
    """

    place: Place
    nouns: tuple[str, ...]
    forms: tuple[tuple[str, ...], ...]
    regions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A design without faults: k cases, k nouns and k arguments.

    `doubled` are the cases that violations double; region names count from 1.
    """

    meta: Mapping[str, str | list[str]]
    cases: tuple[str, ...]
    doubled: tuple[str, ...]
    region_names: Mapping[int, str]
    templates: tuple[Template, ...]

    @property
    def joiner(self) -> str:
        """What stands between two regions of a sentence."""
        return str(self.meta.get("joiner", " "))
