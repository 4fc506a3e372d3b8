"""Main clauses of the training English: a subject and what is said of it."""

from recipes.english.lexicon import table, verb, verbs, words
from recipes.english.phrases import NounPhrase, Phrases, be, have, joined

_PERSON_KINDS = {
    "copula": 24, "alone": 17, "on_thing": 17, "on_person": 14, "on_animal": 4, "objectless": 4,
    "giving": 11, "saying": 4, "moving": 4, "passive": 5,
}  # fmt: skip
_THING_KINDS = {"copula": 40, "alone": 38, "passive": 16, "where": 6}
_ANIMAL_KINDS = {"copula": 30, "alone": 60, "passive": 10}


class Clauses(Phrases):
    """Draws clauses without a capital and without a full stop."""

    def clause(self, depth: int = 1) -> str:
        """Draw a whole declarative clause."""
        kind = self.weighted({"person": 68, "thing": 26, "animal": 6})
        if kind == "person":
            subject = self.subject(depth)
        else:
            field = "animal" if kind == "animal" else self.field()
            subject = self.thing(field, depth)
        return joined(subject.text, self.predication(subject, depth))

    def predication(self, subject: NounPhrase, depth: int = 1) -> str:
        """Draw what is said of `subject`, agreeing with it."""
        kinds = _PERSON_KINDS
        if subject.field != "person":
            kinds = _ANIMAL_KINDS if subject.field == "animal" else _THING_KINDS
        kind = self.weighted(kinds)
        return str(getattr(self, f"_{kind}")(subject, depth))

    def subordinate(self) -> str:
        """Draw the clause after a subordinator; more often than others it lacks an object."""
        subject = self.subject(int(self.chance(0.4)))
        kind = self.weighted({"any": 45, "objectless": 17, "object": 22, "alone": 16})
        if kind == "any":
            return self.clause(int(self.chance(0.5)))
        if kind == "objectless":
            return joined(subject.text, self._objectless(subject, 0, ending=0.15))
        if kind == "alone":
            group = self.finite(self.verb("strictly_intransitive"), subject)
            return joined(subject.text, group)
        base, field = self.pick(tuple(table("optionally_transitive").items()))
        depth = int(self.chance(0.25))
        target = self.person(depth) if field == "person" else self.thing(field, depth)
        group = self.finite(verb(base), subject)
        return joined(subject.text, group, target.text)

    def ending(self, probability: float = 0.35) -> str:
        """Draw the adjuncts that end a clause: where, when, both or none."""
        where = self.where(probability * 0.7)
        if self.chance(0.12):
            where = joined(f"{self.word('adjunct_prepositions')} {self.person(0).text}", where)
        return joined(where, self.time(probability * 0.6))

    def manner(self, probability: float = 0.25) -> str:
        """Draw an adverb of manner, or nothing."""
        return self.attribute("manner_adverbs", probability).strip()

    def _copula(self, subject: NounPhrase, _: int) -> str:
        special = {"person": "person_adjectives", "animal": "animal_predicates"}
        options = special.get(subject.field, "thing_adjectives")
        said = self.predicate(options)
        if self.chance(0.06):
            said = joined(said, "and", self.word(options))
        return joined(self.copula(subject), said, self.time(0.06))

    def _alone(self, subject: NounPhrase, _: int) -> str:
        own = verbs("person_intransitive")
        if subject.field != "person":
            own = self.entry(subject.field).intransitive
        group = self.finite(self.pick(own), subject)
        if self.chance(0.05):
            more = self.finite(self.pick(own), subject)
            group = f"{group} and {more}"
        manner = self.manner() if subject.field in {"person", "animal"} else ""
        return joined(group, manner, self.ending(0.4))

    def _on_thing(self, subject: NounPhrase, depth: int) -> str:
        act, target = self.act_on_thing(depth if self.chance(0.5) else 0)
        return joined(self.finite(act, subject), target.text, self.ending(0.3))

    def _on_person(self, subject: NounPhrase, depth: int) -> str:
        act = self.verb("person_transitive")
        target = self.person(depth if self.chance(0.5) else 0)
        return joined(self.finite(act, subject), target.text, self.ending(0.3))

    def _on_animal(self, subject: NounPhrase, _: int) -> str:
        act = self.pick(self.entry("animal").transitive)
        target = self.thing("animal", 0)
        return joined(self.finite(act, subject), target.text, self.ending(0.3))

    def _objectless(self, subject: NounPhrase, _: int, ending: float = 0.6) -> str:
        act = verb(self.pick(tuple(table("optionally_transitive"))))
        return joined(self.finite(act, subject), self.manner(0.1), self.ending(ending))

    def _giving(self, subject: NounPhrase, _: int) -> str:
        bases = words("ambiguous_giving") if self.chance(0.4) else tuple(table("giving"))
        act = verb(self.pick(bases))
        group = self.finite(act, subject)
        gift = self.gift(act).text
        receiver = self.person(0).text
        kind = self.weighted({"double": 27, "to": 23, "none": 50})
        if kind == "double":
            return joined(group, receiver, gift, self.ending(0.3))
        if kind == "to":
            return joined(group, gift, "to", receiver, self.ending(0.3))
        source = f"from {self.place()}" if self.chance(0.6) else ""
        return joined(group, gift, source, self.ending(0.4))

    def _saying(self, subject: NounPhrase, depth: int) -> str:
        act = self.finite(self.verb("clause_embedding"), subject)
        that = "that" if self.chance(0.7) else ""
        return joined(act, that, self.clause(max(depth - 1, 0)))

    def _moving(self, subject: NounPhrase, _: int) -> str:
        act = self.verb("moving")
        way = f"{self.word('motion_prepositions')} {self.place()}"
        return joined(self.finite(act, subject), way, self.time(0.2))

    def _passive(self, subject: NounPhrase, _: int) -> str:
        self.yesterday = self.chance(0.75)
        group = be(subject, past=self.yesterday)
        if self.chance(0.12):
            self.yesterday = False
            group = f"{have(subject)} been"
        if subject.field == "person":
            if self.chance(0.45):
                return joined(group, self.given(self.giver(0.55)))
            act = self.verb("person_transitive")
            by = f"by {self.person(0).text}" if self.chance(0.6) else ""
        else:
            act, agent = self.deal(subject.field, 0)
            by = f"by {agent.text}" if self.chance(0.6) else ""
        return joined(group, act.participle, by, self.ending(0.3))

    def _where(self, subject: NounPhrase, _: int) -> str:
        return joined(be(subject, past=self.chance(0.5)), self.where(1))
