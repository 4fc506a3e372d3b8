"""An attribute-varying grammar as frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pommel.errors import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Preterminal:
    """A name with attributes, `V[3,s]`. Attributes are a set: `V[s,3]` is the same."""

    name: str
    attributes: frozenset[str]

    def __str__(self) -> str:
        return f"{self.name}[{','.join(sorted(self.attributes))}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """A part of a template: a preterminal, or a terminal (`text`)."""

    place: Place
    text: str
    preterminal: Preterminal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One alternative of `S[]`: what a sentence is made of, in order."""

    symbols: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternatives:
    """What a preterminal may be, one space between words, and where its first rule stands."""

    place: Place
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vary:
    """One entry of a `vary:` line: which preterminals are replaced by others of their name.

    It concerns those that have all of the `attributes`, and puts others that have them, too, in
    their place.
    """

    place: Place
    name: str
    attributes: frozenset[str]

    def concerns(self, preterminal: Preterminal) -> bool:
        """Say whether a preterminal of a template is one that is varied."""
        return preterminal.name == self.name and self.attributes <= preterminal.attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeGrammar:
    """Templates, what their preterminals may be, in the order of the files, and what is varied.

    Whatever a template names is among `alternatives`; each template varies exactly one symbol.
    """

    templates: tuple[Template, ...]
    alternatives: Mapping[Preterminal, Alternatives]
    vary: tuple[Vary, ...]
    _named: Mapping[str, list[Preterminal]] = field(init=False, repr=False, compare=False)
    _entries: Mapping[str, list[Vary]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        named: dict[str, list[Preterminal]] = {}
        for preterminal in self.alternatives:
            named.setdefault(preterminal.name, []).append(preterminal)
        entries: dict[str, list[Vary]] = {}
        for entry in self.vary:
            entries.setdefault(entry.name, []).append(entry)
        object.__setattr__(self, "_named", named)
        object.__setattr__(self, "_entries", entries)

    def is_varied(self, symbol: Symbol) -> bool:
        """Say whether a symbol of a template is one that is varied."""
        found = symbol.preterminal
        return found is not None and bool(self._entries_of(found))

    def counterparts(self, preterminal: Preterminal) -> tuple[Preterminal, ...]:
        """Return what is put in a varied preterminal's place, in the order of the files.

        All entries of `vary` that concern it count, each with those of its name that have the
        entry's attributes; the preterminal itself is not among them (Mueller et al. 2020, where
        the published program repeats it).
        """
        entries = self._entries_of(preterminal)
        return tuple(
            other
            for other in self._named.get(preterminal.name, ())
            if other != preterminal and any(each.concerns(other) for each in entries)
        )

    def _entries_of(self, preterminal: Preterminal) -> list[Vary]:
        return [
            each for each in self._entries.get(preterminal.name, ()) if each.concerns(preterminal)
        ]
