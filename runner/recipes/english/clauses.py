"""Main clauses of the training English: a subject and what is said of it."""

from recipes.english.lexicon import table, verb, verbs, words
from recipes.english.phrases import NounPhrase, Phrases, be, have

_ADJECTIVES = {"person": "person_adjectives", "animal": "animal_predicates"}


class Clauses(Phrases):
    """Draws clauses without a capital and without a full stop."""

    def clause(self, depth: int = 1) -> str:
        """Draw a whole declarative clause."""
        kind = self.kind("clause")
        if kind == "person":
            subject = self.subject(depth)
        else:
            subject = self.thing(kind if kind == "animal" else self.field(), depth)
        return f"{subject} {self.predication(subject, depth)}"

    def predication(self, subject: NounPhrase, depth: int = 1) -> str:
        """Draw what is said of `subject`, agreeing with it."""
        what = subject.field if subject.field in _ADJECTIVES else "thing"
        kind = self.kind(f"said_of_{what}")
        return str(getattr(self, f"_{kind}")(subject, depth))

    def subordinate(self) -> str:
        """Draw the clause after a subordinator; more often than others it lacks an object."""
        subject = self.subject(int(self.chance(0.4)))
        kind = self.kind("subordinate")
        if kind == "any":
            return self.clause(int(self.chance(0.5)))
        if kind == "objectless":
            return f"{subject} {self._objectless(subject, 0, ending=0.15)}"
        if kind == "alone":
            return f"{subject} {self.finite(self.verb('strictly_intransitive'), subject)}"
        base, field = self.pick(tuple(table("optionally_transitive").items()))
        depth = int(self.chance(0.25))
        target = self.person(depth) if field == "person" else self.thing(field, depth)
        return f"{subject} {self.finite(verb(base), subject)} {target}"

    def near(self) -> str:
        """Draw a person that something is done near, or for."""
        return f"{self.word('adjunct_prepositions')} {self.person(0)}"

    def ending(self, probability: float = 0.35) -> str:
        """Draw the adjuncts that end a clause: where, when, both or none."""
        where = self.where(probability * 0.7)
        near = self.near() if self.chance(0.12) else ""
        return f"{near} {where} {self.time(probability * 0.6)}"

    def manner(self, probability: float = 0.25) -> str:
        """Draw an adverb of manner, or nothing."""
        return self.attribute("manner_adverbs", probability)

    def _copula(self, subject: NounPhrase, _: int) -> str:
        options = _ADJECTIVES.get(subject.field, "thing_adjectives")
        said = self.predicate(options)
        if self.chance(0.06):
            said = f"{said} and {self.word(options)}"
        return f"{self.copula(subject)} {said} {self.time(0.06)}"

    def _alone(self, subject: NounPhrase, _: int) -> str:
        own = verbs("person_intransitive")
        if subject.field != "person":
            own = self.entry(subject.field).intransitive
        group = self.finite(self.pick(own), subject)
        if self.chance(0.05):
            group = f"{group} and {self.finite(self.pick(own), subject)}"
        manner = self.manner() if subject.field in _ADJECTIVES else ""
        return f"{group} {manner} {self.ending(0.4)}"

    def _on_thing(self, subject: NounPhrase, depth: int) -> str:
        act, target = self.act_on_thing(depth if self.chance(0.5) else 0)
        return f"{self.finite(act, subject)} {target} {self.ending(0.3)}"

    def _on_person(self, subject: NounPhrase, depth: int) -> str:
        act = self.verb("person_transitive")
        target = self.person(depth if self.chance(0.5) else 0)
        return f"{self.finite(act, subject)} {target} {self.ending(0.3)}"

    def _on_animal(self, subject: NounPhrase, _: int) -> str:
        act = self.pick(self.entry("animal").transitive)
        target = self.thing("animal", 0)
        return f"{self.finite(act, subject)} {target} {self.ending(0.3)}"

    def _objectless(self, subject: NounPhrase, _: int, ending: float = 0.6) -> str:
        act = verb(self.pick(tuple(table("optionally_transitive"))))
        return f"{self.finite(act, subject)} {self.manner(0.1)} {self.ending(ending)}"

    def _giving(self, subject: NounPhrase, _: int) -> str:
        bases = words("ambiguous_giving") if self.chance(0.4) else tuple(table("giving"))
        act = verb(self.pick(bases))
        group = self.finite(act, subject)
        gift, receiver = self.gift(act), self.person(0)
        kind = self.kind("giving")
        if kind == "double":
            return f"{group} {receiver} {gift} {self.ending(0.3)}"
        if kind == "to":
            return f"{group} {gift} to {receiver} {self.ending(0.3)}"
        source = f"from {self.place()}" if self.chance(0.6) else ""
        return f"{group} {gift} {source} {self.ending(0.4)}"

    def _saying(self, subject: NounPhrase, depth: int) -> str:
        group = self.finite(self.verb("clause_embedding"), subject)
        that = "that" if self.chance(0.7) else ""
        return f"{group} {that} {self.clause(max(depth - 1, 0))}"

    def _moving(self, subject: NounPhrase, _: int) -> str:
        act = self.verb("moving")
        way = f"{self.word('motion_prepositions')} {self.place()}"
        return f"{self.finite(act, subject)} {way} {self.time(0.2)}"

    def _passive(self, subject: NounPhrase, _: int) -> str:
        self.yesterday = self.chance(0.75)
        group = be(subject, past=self.yesterday)
        if self.chance(0.12):
            self.yesterday = False
            group = f"{have(subject)} been"
        if subject.field == "person":
            if self.chance(0.45):
                return f"{group} {self.given(self.giver(0.55))}"
            act = self.verb("person_transitive")
            by = f"by {self.person(0)}" if self.chance(0.6) else ""
        else:
            act, agent = self.deal(subject.field, 0)
            by = f"by {agent}" if self.chance(0.6) else ""
        return f"{group} {act.participle} {by} {self.ending(0.3)}"

    def _where(self, subject: NounPhrase, _: int) -> str:
        return f"{be(subject, past=self.chance(0.5))} {self.where(1)}"
