"""Random choices of the training English, and what clauses are made of: noun phrases, adjuncts.

A phrase is written as it is read: what is drawn stands in braces in its place, and may be nothing.
Blanks too many are taken out at the end (`Grammar.sentence`).
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from recipes.english.lexicon import (
    Field,
    Noun,
    Verb,
    fields,
    kin,
    people,
    place_nouns,
    table,
    verbs,
    weights,
    words,
)

T = TypeVar("T")

# How often a reduced relative has a participle that could be a past tense. A garden path is one
# because the main verb is by far the likelier analysis.
REDUCED_AMBIGUOUS = 0.08


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun phrase: its words, and what the rest of the clause has to agree with."""

    text: str
    plural: bool
    gender: str
    field: str = "person"

    def __str__(self) -> str:
        return self.text

    def with_behind(self, modifier: str) -> "NounPhrase":
        """Return the same with something behind it."""
        return replace(self, text=f"{self} {modifier}")


def be(subject: NounPhrase, *, past: bool) -> str:
    """Return the form of the copula that agrees with a subject."""
    if past:
        return "were" if subject.plural else "was"
    return "are" if subject.plural else "is"


def have(subject: NounPhrase) -> str:
    """Return the present form of the auxiliary that agrees with a subject."""
    return "have" if subject.plural else "has"


def with_article(text: str) -> str:
    """Return `text` after "a" or "an", by the sound that it begins with."""
    vowel = text[0].lower() in "aeiou" and not text.startswith(("uniform", "useful", "useless"))
    return f"{'an' if vowel or text.startswith('honest') else 'a'} {text}"


class Choices:
    """Draws one of several; everything drawn depends on the state of `rng` alone."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        # What most clauses of a sentence are.
        self.is_past = True
        # Whether the last finite verb admits "yesterday": a time belongs to the verb before it.
        self.yesterday = True

    def chance(self, probability: float) -> bool:
        """Return true with that probability."""
        return self.rng.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """Return one option, all being equally likely."""
        return self.rng.choice(options)

    def kind(self, name: str) -> str:
        """Return one of the kinds in the table of that name, by its weight."""
        kinds = weights(name)
        return self.rng.choices(tuple(kinds), tuple(kinds.values()))[0]

    def word(self, name: str) -> str:
        """Return an element of the list of that name in the lexicon."""
        return self.pick(words(name))

    def verb(self, name: str) -> Verb:
        """Return a verb of the list of that name in the lexicon."""
        return self.pick(verbs(name))

    def past(self) -> bool:
        """Draw a clause's tense, true is past; mostly it is that of the whole sentence."""
        return self.is_past if self.chance(0.9) else self.chance(0.6)

    def finite(self, verb: Verb, subject: NounPhrase) -> str:
        """Return `verb` finite, in a tense and an aspect drawn, agreeing with its subject."""
        past = self.past()
        kind = self.kind("aspect")
        self.yesterday = past and kind in {"plain", "progressive", "not"}
        if kind == "perfect":
            return f"{'had' if past else have(subject)} {verb.participle}"
        if kind == "progressive" and verb.base not in words("stative"):
            return f"{be(subject, past=past)} {verb.ing}"
        if kind == "modal":
            return f"{self.word('modals')} {verb.base}"
        if kind == "not":
            return f"{'did' if past else ('do' if subject.plural else 'does')} not {verb.base}"
        return verb.past if past else (verb.base if subject.plural else verb.third)

    def copula(self, subject: NounPhrase) -> str:
        """Return a form of the copula; the bare ones are the most frequent."""
        self.yesterday = False
        if self.chance(0.1):
            return f"{have(subject)} {self.word('been')}"
        self.yesterday = self.chance(0.45)
        return be(subject, past=self.yesterday)


class Phrases(Choices):
    """Draws noun phrases, their modifiers, adjuncts and predicates."""

    def number(self) -> bool:
        """Draw a number; true is plural."""
        return self.chance(0.46)

    def subject(self, depth: int = 1) -> NounPhrase:
        """Draw a person as the subject of a clause; now and then a pronoun or a name."""
        kind = self.kind("subject")
        if kind == "pronoun":
            text, gender = self.pick((("he", "m"), ("she", "f"), ("they", "n")))
            return NounPhrase(text, text == "they", gender)
        return self.name() if kind == "name" else self.person(depth)

    def name(self) -> NounPhrase:
        """Draw somebody's first name."""
        names, gender = ("men_names", "m") if self.chance(0.5) else ("women_names", "f")
        return NounPhrase(self.word(names), plural=False, gender=gender)

    def person(self, depth: int = 1, noun: Noun | None = None, *, det: str = "") -> NounPhrase:
        """Draw a noun phrase that denotes people, modified as far as `depth` allows.

        `det` fixes the determiner ("the", "no"; both go with either number).
        """
        if noun is None and not det and self.chance(0.08):
            return self.relative()
        noun = noun or self.pick(people())
        plural = self.number()
        head = f"{self.attribute('person_adjectives', 0.16)} {noun.form(plural=plural)}".strip()
        bare = NounPhrase(self.determined(head, plural=plural, det=det), plural, noun.gender)
        if depth == 0:
            return bare
        kind = self.kind("person_modifier")
        return bare.with_behind(self.modifier(bare, kind, depth - 1))

    def relative(self) -> NounPhrase:
        """Draw somebody's relative or friend: "our uncle"."""
        noun, plural = self.pick(kin()), self.chance(0.3)
        text = f"{self.word('possessives')} {noun.form(plural=plural)}"
        return NounPhrase(text, plural, noun.gender)

    def determined(self, head: str, *, plural: bool, det: str = "") -> str:
        """Return `head` after a determiner that goes with its number."""
        if det or self.chance(0.68):
            return f"{det or 'the'} {head}"
        if plural:
            return f"{self.word('plural_determiners')} {head}"
        if self.chance(0.65):
            return with_article(head)
        return f"{self.word('singular_determiners')} {head}"

    def attribute(self, name: str, probability: float) -> str:
        """Return a word of that list, or nothing."""
        return self.word(name) if self.chance(probability) else ""

    def modifier(self, head: NounPhrase, kind: str, depth: int = 0) -> str:
        """Draw a modifier of people of that kind; attractors' number is independent of theirs."""
        match kind:
            case "pp":
                return f"{self.word('person_prepositions')} {self.person(depth)}"
            case "src":
                return f"{self.word('relative_pronouns')} {self.subject_relative(head, depth)}"
            case "orc":
                return f"{self.word('relative_pronouns')} {self.object_relative(depth)}"
            case "worn":
                length = self.attribute("garment_attributes", 0.4)
                garment = f"{self.word('thing_adjectives')} {self.word('garments_worn')}"
                return f"in {with_article(f'{length} {garment}'.strip())}"
            case "from":
                return f"{self.word('origin_prepositions')} {self.place()}"
            case "with":
                return f"with {self.thing(self.word('gift_fields'), depth=0)}"
            case "reduced":
                return self.reduced()
            case _:
                return ""

    def subject_relative(self, head: NounPhrase, depth: int) -> str:
        """Draw what follows "who" when the head is the subject: "hurt the senators"."""
        if self.chance(0.12):
            return f"{self.copula(head)} {self.predicate('person_adjectives')}"
        if self.chance(0.2):
            verb, thing = self.act_on_thing()
            return f"{self.finite(verb, head)} {thing} {self.time(0.15)}"
        if self.chance(0.12):
            verb = self.verb("person_intransitive")
            return f"{self.finite(verb, head)} {self.where(0.6)}"
        group = self.finite(self.verb("person_transitive"), head)
        return f"{group} {self.person(depth)} {self.time(0.15)}"

    def object_relative(self, depth: int, det: str = "") -> str:
        """Draw what follows "who" when the head is the object: "the senators hurt"."""
        subject = self.person(depth, det=det) if self.chance(0.92) else self.name()
        group = self.finite(self.verb("person_transitive"), subject)
        return f"{subject} {group} {self.time(0.15)}"

    def reduced(self) -> str:
        """Draw a reduced relative clause: "given the prize", "chosen by the mayor"."""
        if self.chance(0.6):
            return self.given(self.giver(REDUCED_AMBIGUOUS))
        verb = self.verb("person_transitive")
        return f"{verb.participle} by {self.person(0)} {self.time(0.2)}"

    def given(self, verb: Verb) -> str:
        """Return what follows "was" when a receiver is the subject: "given the cake"."""
        gift = self.gift(verb)
        # All are drawn, and one is taken.
        by, source = f"by {self.person(0)}", f"from {self.place()}"
        sources = ("", by, source, self.where(1), self.time(1))
        (chosen,) = self.rng.choices(sources, (30, 15, 25, 15, 15))
        return f"{verb.participle} {gift} {chosen}"

    def giver(self, ambiguous: float) -> Verb:
        """Draw a verb of giving whose participle is its past tense with that probability."""
        return self.verb("ambiguous_giving" if self.chance(ambiguous) else "unambiguous_giving")

    def gift(self, verb: Verb) -> NounPhrase:
        """Draw what is given by a verb of giving."""
        field = table("giving")[verb.base]
        return self.thing(self.word("gift_fields") if field == "any" else field, depth=0)

    def field(self) -> str:
        """Draw the name of a field of things."""
        return self.pick([name for name in fields() if name != "animal"])

    def entry(self, name: str) -> Field:
        """Return the field of that name."""
        return fields()[name]

    def thing(self, field: str, depth: int = 1) -> NounPhrase:
        """Draw a noun phrase that denotes things of a field, modified if `depth` allows."""
        noun, plural = self.pick(self.entry(field).nouns), self.number()
        options = "thing_adjectives" if field != "animal" else "animal_attributes"
        head = f"{self.attribute(options, 0.18)} {noun.form(plural=plural)}".strip()
        owner = self.attribute("possessives", 0.07)
        text = self.determined(head, plural=plural, det=owner)
        found = NounPhrase(text, plural, "it", field)
        return found.with_behind(self.thing_modifier(found, depth - 1)) if depth else found

    def thing_modifier(self, head: NounPhrase, depth: int) -> str:
        """Draw what follows a noun for things; often nothing."""
        kind = self.kind("thing_modifier")
        if kind == "orc":
            which = "which" if self.chance(0.15) else "that"
            return f"{which} {self.thing_relative(head.field, depth)}"
        if kind == "pp":
            other = self.thing(self.field(), depth=0)
            return f"{self.word('thing_prepositions')} {other}"
        if head.field == "text" and (kind == "topic" or self.chance(0.2)):
            return f"about {self.word('topics')}"
        if kind == "src":
            verb = self.pick(self.entry(head.field).intransitive)
            return f"that {self.finite(verb, head)}"
        return f"{self.pick(('in', 'from'))} {self.place()}" if kind == "place" else ""

    def thing_relative(self, field: str, depth: int) -> str:
        """Draw what follows "that" when the head is the object: "the artist painted"."""
        verb, subject = self.deal(field, depth)
        return f"{subject} {self.finite(verb, subject)} {self.time(0.12)}"

    def deal(self, field: str, depth: int) -> tuple[Verb, NounPhrase]:
        """Draw a verb for things of the field, and who does it: experts do what is theirs."""
        if self.chance(0.85):
            expert = self.pick(self.entry(field).experts) if self.chance(0.7) else None
            return self.pick(self.entry(field).transitive), self.person(depth, expert)
        return self.verb("general_transitive"), self.person(depth)

    def act_on_thing(self, depth: int = 0) -> tuple[Verb, NounPhrase]:
        """Draw a verb and its object, a thing."""
        field = self.field()
        known = self.entry(field).transitive
        verb = self.pick(known if self.chance(0.7) else verbs("general_transitive"))
        return verb, self.thing(field, depth)

    # -- adjuncts and predicates ------------------------------------------------------------

    def predicate(self, adjectives: str) -> str:
        """Draw a predicative adjective of that list, plain or with a degree."""
        return f"{self.kind('degree')} {self.word(adjectives)}"

    def place(self) -> str:
        """Draw a place, definite mostly."""
        noun = self.pick(place_nouns("places")).singular
        return f"the {self.attribute('thing_adjectives', 0.1)} {noun}"

    def where(self, probability: float) -> str:
        """Draw where or on what occasion, or nothing."""
        if not self.chance(probability):
            return ""
        if self.chance(0.08):
            surface = self.pick(self.entry("furniture").nouns).singular
            return f"on the {surface}"
        if self.chance(0.4):
            return f"at the {self.pick(place_nouns('events')).singular}"
        return f"{self.word('place_prepositions')} {self.place()}"

    def time(self, probability: float) -> str:
        """Draw when, or nothing."""
        if not self.chance(probability):
            return ""
        past = words("past_times") * 2 if self.yesterday else ()
        return self.pick(words("times") + past)
