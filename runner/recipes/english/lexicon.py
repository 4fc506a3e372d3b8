"""The lexicon: every noun and verb of the training English with its forms; how often kinds are."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Noun:
    """A count noun; `gender` is "m", "f", "n" (either) or "it"."""

    singular: str
    plural: str
    gender: str

    def form(self, *, plural: bool) -> str:
        """Return the form of that number."""
        return self.plural if plural else self.singular


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb's paradigm: base (= plural present), third person, past, participle, -ing form."""

    base: str
    third: str
    past: str
    participle: str
    ing: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field of nouns with the people and the verbs that go with it."""

    nouns: tuple[Noun, ...]
    experts: tuple[Noun, ...]
    transitive: tuple[Verb, ...]
    intransitive: tuple[Verb, ...]


@cache
def words(name: str) -> tuple[str, ...]:
    """Return the list of that name in words.toml; raises `KeyError` if there is none."""
    found = _lists()[name]
    return tuple(found.split() if isinstance(found, str) else found)


@cache
def table(name: str) -> Mapping[str, str]:
    """Return the table of that name in words.toml: verbs, and the fields that go with each."""
    return dict(_lists()[name])


@cache
def verb(base: str) -> Verb:
    """Return the paradigm of the verb with that base form."""
    past, participle = _irregular().get(base, (_regular_past(base),) * 2)
    return Verb(base, _third(base), past, participle, _ing(base))


@cache
def verbs(name: str) -> tuple[Verb, ...]:
    """Return the paradigms of the verbs in the list of that name."""
    return tuple(map(verb, words(name)))


@cache
def people() -> tuple[Noun, ...]:
    """Return every noun that denotes a person; those of either gender are the most."""
    return _nouns(words("people"), "n") + _nouns(words("men"), "m") + _nouns(words("women"), "f")


@cache
def kin() -> tuple[Noun, ...]:
    """Return the people that are somebody's."""
    return _people(words("kin"))


@cache
def place_nouns(name: str) -> tuple[Noun, ...]:
    """Return the nouns in a list of places or of events."""
    return _nouns(words(name), "it")


@cache
def fields() -> Mapping[str, Field]:
    """Return the fields by name: those of things, then "animal"."""
    return {
        name: Field(
            _nouns(lists["nouns"].split(), "it"),
            _people(lists["experts"].split()),
            tuple(map(verb, lists["transitive"].split())),
            tuple(map(verb, lists["intransitive"].split())),
        )
        for name, lists in _lists()["fields"].items()
    }


@cache
def weights(name: str) -> Mapping[str, int]:
    """Return how often each of these kinds is drawn, as kinds.toml has it."""
    return dict(_tables("kinds.toml")[name])


def _lists() -> Mapping[str, Any]:
    return _tables("words.toml")


@cache
def _tables(file: str) -> Mapping[str, Any]:
    return tomllib.loads(files("recipes.english").joinpath(file).read_text("utf-8"))


def _people(chosen: Iterable[str]) -> tuple[Noun, ...]:
    known = {noun.singular: noun for noun in people()}
    return tuple(known[word] for word in chosen)


def _nouns(written: Iterable[str], gender: str) -> tuple[Noun, ...]:
    """Return nouns as they are listed: the singular, and an irregular plural behind a slash."""
    parts = (word.partition("/") for word in written)
    return tuple(Noun(word, plural or _add_s(word), gender) for word, _, plural in parts)


@cache
def _irregular() -> dict[str, tuple[str, str]]:
    rows = (row.split("/") for row in words("irregular"))
    return {base: (past, participle) for base, past, participle in rows}


def _third(base: str) -> str:
    return {"have": "has", "do": "does"}.get(base) or _add_s(base)


def _add_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")) or word in {"go", "echo", "veto"}:
        return f"{word}es"
    return f"{_with_ie(word)}s"


def _regular_past(base: str) -> str:
    stem = _with_ie(base)
    return f"{stem}d" if stem.endswith("e") else f"{_doubled(base)}ed"


def _with_ie(word: str) -> str:
    """Return a word as it is before an ending: with "ie" for a "y" behind a consonant."""
    return f"{word[:-1]}ie" if word.endswith("y") and word[-2] not in "aeiou" else word


def _ing(base: str) -> str:
    if base in {"die", "lie"}:
        return f"{base[0]}ying"
    if base.endswith("e") and not base.endswith(("ee", "oe")):
        return f"{base[:-1]}ing"
    return f"{_doubled(base)}ing"


def _doubled(base: str) -> str:
    return base + base[-1] if base in words("doubling") else base
