"""Noun phrases and verb groups of the training English, drawn at random."""

from collections.abc import Sequence
from dataclasses import dataclass

from pommel.training import english_nouns as words
from pommel.training import english_things as things
from pommel.training import english_verbs as verbs
from pommel.training.english_choices import Choices
from pommel.training.english_lexicon import (
    Field,
    Noun,
    Verb,
    fields,
    kin,
    people,
    place_nouns,
    verb_list,
)

# How often a reduced relative has a participle that could be a past tense. A garden path is one
# because the main verb is by far the likelier analysis.
REDUCED_AMBIGUOUS = 0.08
_PERSON_MODIFIERS = ("none", "pp", "src", "orc", "worn", "from", "with", "reduced")
_PERSON_WEIGHTS = (50, 14, 13, 14, 3, 2, 2, 2)
_THING_MODIFIERS = ("none", "orc", "pp", "topic", "src", "place")
_THING_WEIGHTS = (60, 20, 6, 4, 4, 6)


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun phrase: its words, and what the rest of the clause has to agree with."""

    text: str
    plural: bool
    gender: str
    field: str = "person"


def with_article(text: str) -> str:
    """Return `text` after "a" or "an", by the sound that it begins with."""
    vowel = text[0].lower() in "aeiou" and not text.startswith(("uniform", "useful", "useless"))
    return f"{'an' if vowel or text.startswith('honest') else 'a'} {text}"


def joined(*parts: str) -> str:
    """Return the parts that are not empty, one blank between them."""
    return " ".join(part for part in parts if part)


class Phrases(Choices):
    """Draws noun phrases, their modifiers, adjuncts and predicates."""

    def number(self) -> bool:
        """Draw a number; true is plural."""
        return self.chance(0.46)

    def subject(self, depth: int = 1) -> NounPhrase:
        """Draw a person as the subject of a clause; now and then a pronoun or a name."""
        kind = self.weighted(("noun", "pronoun", "name"), (82, 9, 9))
        if kind == "pronoun":
            text, plural, gender = self.pick(
                (("he", False, "m"), ("she", False, "f"), ("they", True, "n"))
            )
            return NounPhrase(text, plural, gender)
        return self.name() if kind == "name" else self.person(depth)

    def name(self) -> NounPhrase:
        """Draw somebody's first name."""
        if self.chance(0.5):
            return NounPhrase(self.word(words.MEN_NAMES), plural=False, gender="m")
        return NounPhrase(self.word(words.WOMEN_NAMES), plural=False, gender="f")

    def person(self, depth: int = 1, noun: Noun | None = None, *, det: str = "") -> NounPhrase:
        """Draw a noun phrase that denotes people, modified as far as `depth` allows.

        `det` fixes the determiner ("the", "no"; both go with either number).
        """
        if noun is None and not det and self.chance(0.08):
            return self.relative()
        noun = noun or self.pick(people())
        plural = self.number()
        head = self.adjectives(words.PERSON_ADJECTIVES, 0.16) + noun.form(plural=plural)
        text = self.determined(head, plural=plural, det=det)
        if depth > 0:
            text = joined(text, self.person_modifier(plural=plural, depth=depth - 1))
        return NounPhrase(text, plural, noun.gender)

    def relative(self) -> NounPhrase:
        """Draw somebody's relative or friend: "our uncle"."""
        noun, plural = self.pick(kin()), self.chance(0.3)
        owner = self.pick(("my", "your", "his", "her", "our", "their"))
        return NounPhrase(f"{owner} {noun.form(plural=plural)}", plural, noun.gender)

    def determined(self, head: str, *, plural: bool, det: str = "") -> str:
        """Return `head` after a determiner that goes with its number."""
        if det or self.chance(0.68):
            return f"{det or 'the'} {head}"
        if plural:
            return f"{self.pick((*words.NUMERALS, 'those', 'few'))} {head}"
        if self.chance(0.65):
            return with_article(head)
        return f"{self.pick(('this', 'that', 'every', 'each', 'one'))} {head}"

    def adjectives(self, options: str, probability: float) -> str:
        """Return an attribute and a blank, or nothing."""
        return f"{self.word(options)} " if self.chance(probability) else ""

    def person_modifier(self, *, plural: bool, depth: int) -> str:
        """Draw what follows a noun for people; often nothing."""
        kind = self.weighted(_PERSON_MODIFIERS, _PERSON_WEIGHTS)
        return self.modifier(kind, plural=plural, depth=depth)

    def modifier(self, kind: str, *, plural: bool, depth: int = 0) -> str:
        """Draw a modifier of people of that kind; attractors' number is independent of `plural`."""
        if kind == "pp":
            return f"{self.pick(words.PERSON_PREPOSITIONS)} {self.person(depth).text}"
        if kind == "src":
            return (
                f"{self.pick(('who', 'that'))} {self.subject_relative(plural=plural, depth=depth)}"
            )
        if kind == "orc":
            return f"{self.pick(('who', 'that'))} {self.object_relative(depth)}"
        if kind == "worn":
            length = self.adjectives("long short heavy old new", 0.4)
            rest = self.word(words.THING_ADJECTIVES) + " " + self.word(words.GARMENTS_WORN)
            return f"in {with_article(length + rest)}"
        if kind == "from":
            return f"{self.pick(('from', 'in', 'near', 'behind'))} {self.place()}"
        if kind == "with":
            return f"with {self.thing(self.field(things.GIFT_FIELDS), depth=0).text}"
        return self.reduced() if kind == "reduced" else ""

    def subject_relative(self, *, plural: bool, depth: int) -> str:
        """Draw what follows "who" when the head is the subject: "hurt the senators"."""
        if self.chance(0.12):
            return f"{self.copula(plural=plural)} {self.predicate(words.PERSON_ADJECTIVES)}"
        if self.chance(0.2):
            verb, thing = self.act_on_thing()
            return joined(self.finite(verb, plural=plural), thing.text, self.time(0.15))
        if self.chance(0.12):
            verb = self.pick(verb_list(verbs.PERSON_INTRANSITIVE))
            return joined(self.finite(verb, plural=plural), self.where(0.6))
        group = self.finite(self.pick(verb_list(verbs.PERSON_TRANSITIVE)), plural=plural)
        return joined(group, self.person(depth).text, self.time(0.15))

    def object_relative(self, depth: int, det: str = "") -> str:
        """Draw what follows "who" when the head is the object: "the senators hurt"."""
        subject = self.person(depth, det=det) if self.chance(0.92) else self.name()
        group = self.finite(self.pick(verb_list(verbs.PERSON_TRANSITIVE)), plural=subject.plural)
        return joined(subject.text, group, self.time(0.15))

    def reduced(self) -> str:
        """Draw a reduced relative clause: "given the prize", "chosen by the mayor"."""
        if self.chance(0.6):
            return self.given(self.giver(REDUCED_AMBIGUOUS))
        verb = self.pick(verb_list(verbs.PERSON_TRANSITIVE))
        by = f"by {self.person(0).text}"
        return joined(verb.participle, by, self.time(0.2))

    def given(self, verb: Verb) -> str:
        """Return what follows "was" when a receiver is the subject: "given the cake"."""
        gift = self.gift(verb)
        source = self.weighted(
            ("", f"by {self.person(0).text}", f"from {self.place()}", self.where(1), self.time(1)),
            (30, 15, 25, 15, 15),
        )
        return joined(verb.participle, gift.text, source)

    def giver(self, ambiguous: float) -> Verb:
        """Draw a verb of giving whose participle is its past tense with that probability."""
        some = self.chance(ambiguous)
        bases = verbs.AMBIGUOUS_GIVING if some else verbs.UNAMBIGUOUS_GIVING
        return self.pick(verb_list(bases))

    def gift(self, verb: Verb) -> NounPhrase:
        """Draw what is given by a verb of giving."""
        field = verbs.GIVING[verb.base]
        return self.thing(self.field(things.GIFT_FIELDS) if field == "any" else field, depth=0)

    def field(self, names: Sequence[str] = ()) -> str:
        """Draw the name of a field of things."""
        return self.pick(names or tuple(things.FIELDS))

    def entry(self, name: str) -> Field:
        """Return the field of that name."""
        return fields()[name]

    def thing(self, field: str, depth: int = 1, *, det: str = "") -> NounPhrase:
        """Draw a noun phrase that denotes things of a field, modified if `depth` allows."""
        noun, plural = self.pick(self.entry(field).nouns), self.number()
        options = words.THING_ADJECTIVES if field != "animal" else "big small old brown hungry"
        head = self.adjectives(options, 0.18) + noun.form(plural=plural)
        if not det and self.chance(0.07):
            det = self.pick(("my", "your", "his", "her", "our", "their"))
        text = self.determined(head, plural=plural, det=det)
        if depth > 0:
            text = joined(text, self.thing_modifier(field, plural=plural, depth=depth - 1))
        return NounPhrase(text, plural, "it", field)

    def thing_modifier(self, field: str, *, plural: bool, depth: int) -> str:
        """Draw what follows a noun for things; often nothing."""
        kind = self.weighted(_THING_MODIFIERS, _THING_WEIGHTS)
        if kind == "orc":
            which = "which" if self.chance(0.15) else "that"
            return f"{which} {self.thing_relative(field, depth)}"
        if kind == "pp":
            other = self.thing(self.field(), depth=0)
            return f"{self.pick(words.THING_PREPOSITIONS)} {other.text}"
        if field == "text" and (kind == "topic" or self.chance(0.2)):
            return f"about {self.pick(things.TOPICS)}"
        if kind == "src":
            verb = self.pick(self.entry(field).intransitive)
            return f"that {self.finite(verb, plural=plural)}"
        return f"{self.pick(('in', 'from'))} {self.place()}" if kind == "place" else ""

    def thing_relative(self, field: str, depth: int) -> str:
        """Draw what follows "that" when the head is the object: "the artist painted"."""
        verb, subject = self.deal(field, depth)
        return joined(subject.text, self.finite(verb, plural=subject.plural), self.time(0.12))

    def deal(self, field: str, depth: int) -> tuple[Verb, NounPhrase]:
        """Draw a verb for things of the field, and who does it: experts do what is theirs."""
        if self.chance(0.85):
            expert = self.pick(self.entry(field).experts) if self.chance(0.7) else None
            return self.pick(self.entry(field).transitive), self.person(depth, expert)
        return self.pick(verb_list(things.GENERAL_TRANSITIVE)), self.person(depth)

    def act_on_thing(self, depth: int = 0, field: str = "") -> tuple[Verb, NounPhrase]:
        """Draw a verb and its object, a thing of the field or of any."""
        field = field or self.field()
        known = self.entry(field).transitive
        verb = self.pick(known if self.chance(0.7) else verb_list(things.GENERAL_TRANSITIVE))
        return verb, self.thing(field, depth)

    # -- adjuncts and predicates ------------------------------------------------------------

    def predicate(self, adjectives: str) -> str:
        """Draw a predicative adjective, plain or with a degree."""
        degree = self.weighted(("", "very", "quite", "not", "really", "too"), (70, 9, 5, 8, 4, 4))
        return joined(degree, self.word(adjectives))

    def place(self) -> str:
        """Draw a place, definite mostly."""
        noun = self.pick(place_nouns("place")).singular
        return f"the {self.adjectives(words.THING_ADJECTIVES, 0.1)}{noun}"

    def where(self, probability: float) -> str:
        """Draw where or on what occasion, or nothing."""
        if not self.chance(probability):
            return ""
        if self.chance(0.08):
            surface = self.pick(self.entry("furniture").nouns).singular
            return f"on the {surface}"
        if self.chance(0.4):
            return f"at the {self.pick(place_nouns('event')).singular}"
        return f"{self.pick(words.PLACE_PREPOSITIONS)} {self.place()}"

    def time(self, probability: float) -> str:
        """Draw when, or nothing."""
        if not self.chance(probability):
            return ""
        return self.pick(words.TIMES + words.PAST_TIMES * 2 if self.yesterday else words.TIMES)
