"""The lexicon: every noun and verb of the training English with all its forms."""

from dataclasses import dataclass
from functools import cache

from pommel.training import english_nouns as nouns
from pommel.training import english_things as things
from pommel.training import english_verbs as verbs


@dataclass(frozen=True, slots=True)
class Noun:
    """A count noun; `field` says what it denotes, `gender` is "m", "f", "n" (either) or "it"."""

    singular: str
    plural: str
    field: str
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

    @property
    def ambiguous(self) -> bool:
        """Whether the past tense can be read as the participle."""
        return self.past == self.participle


@dataclass(frozen=True, slots=True)
class Field:
    """A field of nouns with the people and the verbs that go with it."""

    nouns: tuple[Noun, ...]
    experts: tuple[Noun, ...]
    transitive: tuple[Verb, ...]
    intransitive: tuple[Verb, ...]


@cache
def verb(base: str) -> Verb:
    """Return the paradigm of the verb with that base form."""
    past, participle = _irregular().get(base, (_regular_past(base),) * 2)
    return Verb(base, _third(base), past, participle, _ing(base))


@cache
def verb_list(words: str) -> tuple[Verb, ...]:
    """Return the paradigms of blank-separated base forms, in that order."""
    return tuple(verb(word) for word in words.split())


@cache
def people() -> tuple[Noun, ...]:
    """Return every noun that denotes a person; those of either gender are the most."""
    return (
        _nouns(nouns.PEOPLE, "person", "n")
        + _nouns(nouns.MEN, "person", "m")
        + _nouns(nouns.WOMEN, "person", "f")
    )


@cache
def kin() -> tuple[Noun, ...]:
    """Return the people that are somebody's."""
    return _people(nouns.KIN)


@cache
def place_nouns(kind: str) -> tuple[Noun, ...]:
    """Return the nouns for places ("place") or events ("event")."""
    return _nouns({"place": nouns.PLACES, "event": nouns.EVENTS}[kind], kind, "it")


@cache
def fields() -> dict[str, Field]:
    """Return the fields by name: those of things, and "animal"."""
    made = {name: _field(name, words) for name, words in things.FIELDS.items()}
    made["animal"] = Field(
        _nouns(nouns.ANIMALS, "animal", "it"),
        _people(verbs.ANIMAL_EXPERTS.replace("shepherd ", "")),
        verb_list(verbs.ANIMAL_TRANSITIVE),
        verb_list(verbs.ANIMAL_INTRANSITIVE),
    )
    return made


def _field(name: str, words: things.FieldWords) -> Field:
    return Field(
        _nouns(words.nouns, name, "it"),
        _people(words.experts),
        verb_list(words.transitive),
        verb_list(words.intransitive),
    )


def _people(words: str) -> tuple[Noun, ...]:
    known = {noun.singular: noun for noun in people()}
    return tuple(known[word] for word in words.split())


def _nouns(words: str, field: str, gender: str) -> tuple[Noun, ...]:
    return tuple(_noun(word, field, gender) for word in words.split())


def _noun(word: str, field: str, gender: str) -> Noun:
    singular, _, plural = word.partition("/")
    return Noun(singular, plural or _add_s(singular), field, gender)


@cache
def _irregular() -> dict[str, tuple[str, str]]:
    rows = (row.split("/") for row in verbs.IRREGULAR.split())
    return {base: (past, participle) for base, past, participle in rows}


def _third(base: str) -> str:
    return {"have": "has", "do": "does"}.get(base) or _add_s(base)


def _add_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")) or word in {"go", "echo", "veto"}:
        return f"{word}es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"


def _regular_past(base: str) -> str:
    if base.endswith("e"):
        return f"{base}d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return f"{base[:-1]}ied"
    return f"{_doubled(base)}ed"


def _ing(base: str) -> str:
    if base in {"die", "lie"}:
        return f"{base[0]}ying"
    if base.endswith("e") and not base.endswith(("ee", "oe")):
        return f"{base[:-1]}ing"
    return f"{_doubled(base)}ing"


def _doubled(base: str) -> str:
    return base + base[-1] if base in verbs.DOUBLING.split() else base
