"""The training English: a grammar as a sampler, one method for each kind of sentence.

The text is tokenised as that of the Hu et al. (2020) suites is: " ." and " ," are words, a
sentence begins with a capital. What the grammar never makes is as much a part of it: a
subordinate clause without its main clause, a comma between two main clauses without a
conjunction, "ever" or "any" without "no", "few" or "not" above it, a reflexive that differs from
its subject.
"""

from pommel.training import english_nouns as words
from pommel.training import english_verbs as verbs
from pommel.training.english_choices import be, have
from pommel.training.english_clauses import Clauses
from pommel.training.english_lexicon import verb_list
from pommel.training.english_phrases import REDUCED_AMBIGUOUS, NounPhrase, joined, with_article

KINDS = {
    "plain": 27,
    "garden_path": 4,
    "reflexive": 10,
    "polarity": 13,
    "before_main": 14,
    "after_main": 4,
    "filler_gap": 18,
    "cleft": 8,
    "existential": 2,
    "coordination": 4,
}
REFLEXIVES = {"m": "himself", "f": "herself"}


class Grammar(Clauses):
    """Draws whole sentences."""

    def sentence(self) -> str:
        """Draw one sentence, its kind by the weights in `KINDS`."""
        self.sentence_tense = "past" if self.chance(0.64) else "present"
        kind = self.weighted(tuple(KINDS), tuple(KINDS.values()))
        text = str(getattr(self, f"_{kind}_sentence")())
        return f"{text[0].upper()}{text[1:]} ."

    def _plain_sentence(self) -> str:
        if self.chance(0.06):
            return joined(self.pick(words.TIMES), ",", self.clause(1))
        return self.clause(2 if self.chance(0.15) else 1)

    def _existential_sentence(self) -> str:
        plural, past = self.number(), self.tense() == "past"
        what = self._indefinite(plural=plural)
        return joined("there", be(past=past, plural=plural), what, self.where(1))

    def _indefinite(self, *, plural: bool) -> str:
        field = self.field()
        noun = self.pick(self.entry(field).nouns).form(plural=plural)
        head = self.adjectives(words.THING_ADJECTIVES, 0.3) + noun
        return (
            f"{self.pick(('two', 'three', 'some', 'many'))} {head}"
            if plural
            else with_article(head)
        )

    def _coordination_sentence(self) -> str:
        if self.chance(0.4):
            both = f"{self.person(0).text} and {self.person(0).text}"
            subject = NounPhrase(both, plural=True, gender="n")
            return joined(both, self.predication(subject))
        return f"{self.clause(1)} , {self.pick(('and', 'but'))} {self.clause(1)}"

    # -- garden paths -----------------------------------------------------------------------

    def _garden_path_sentence(self) -> str:
        """Givers as subjects, which is the rule; receivers, in full and in reduced relatives."""
        noun = self.person(0)
        kind = self.weighted(("main", "full", "reduced"), (35, 42, 23))
        if kind == "main":
            act = self.pick(verb_list(verbs.AMBIGUOUS_GIVING))
            source = f"from {self.place()}" if self.chance(0.7) else self.where(1)
            return joined(noun.text, act.past, self.gift(act).text, source, self.ending(0.4))
        if kind == "full":
            given = self.given(self.giver(0.6))
            given = f"{self.pick(('who', 'that'))} {be(past=True, plural=noun.plural)} {given}"
        else:
            given = self.given(self.giver(REDUCED_AMBIGUOUS))
        if self.chance(0.25):
            given = joined(given, "with", self.thing(self.field(), 0).text)
        return joined(noun.text, given, self.predication(noun, 0))

    # -- licensing --------------------------------------------------------------------------

    def _reflexive_sentence(self) -> str:
        noun = self.subject(1) if self.chance(0.25) else self.person(1, det="the")
        if self.chance(0.35):
            noun = self._bare_with(noun_kind=self.pick(("pp", "src", "orc")))
        lead = ""
        if self.chance(0.12):
            act = self.pick(verb_list(verbs.CLAUSE_EMBEDDING))
            speaker = self.subject(0)
            lead = joined(speaker.text, self.finite(act, plural=speaker.plural), "that")
        act = self.pick(verb_list(verbs.REFLEXIVE))
        group = act.past if self.chance(0.55) else self.finite(act, plural=noun.plural)
        return joined(lead, noun.text, group, self.reflexive(noun), self.ending(0.3))

    def _bare_with(self, *, noun_kind: str, det: str = "the") -> NounPhrase:
        head = self.person(0, det=det)
        text = joined(head.text, self.modifier(noun_kind, plural=head.plural))
        return NounPhrase(text, head.plural, head.gender)

    def reflexive(self, subject: NounPhrase) -> str:
        """Return the reflexive that `subject` binds; of either gender for most singulars."""
        if subject.plural:
            return "themselves"
        return REFLEXIVES[subject.gender if subject.gender in REFLEXIVES else self.pick("mf")]

    def _polarity_sentence(self) -> str:
        """Negation in the subject licenses "ever" and "any"; inside a relative it does not."""
        licensed = self.chance(0.55)
        det = self.pick(("no", "no", "no", "few")) if licensed else "the"
        head = self.person(0, det="no" if det == "few" else det)
        text = head.text
        if det == "few":
            head = NounPhrase(text, plural=True, gender="n") if head.plural else head
            text = text.replace("no ", "few ", 1) if head.plural else text
        kind = self.weighted(("none", "src", "orc", "pp"), (25, 32, 32, 11))
        text = joined(text, self._distractor(kind, plural=head.plural))
        subject = NounPhrase(text, head.plural, head.gender)
        negation = "" if licensed or self.chance(0.85) else "not"
        open_to_any = bool(licensed or negation) and self.chance(0.75)
        return joined(text, self._polar_predication(subject, negation, polar=open_to_any))

    def _distractor(self, kind: str, *, plural: bool) -> str:
        det = self.pick(("no", "the", "the"))
        relative = self.pick(("that", "who"))
        if kind == "orc":
            return f"{relative} {self.object_relative(0, det)}"
        if kind == "src":
            act = self.pick(verb_list(verbs.PERSON_TRANSITIVE))
            return joined(relative, self.finite(act, plural=plural), self.person(0, det=det).text)
        return self.modifier(kind, plural=plural)

    def _polar_predication(self, subject: NounPhrase, negation: str, *, polar: bool) -> str:
        group = joined(have(plural=subject.plural), negation)
        kind = self.weighted(("ever", "any"), (50, 50))
        if kind == "ever":
            adverb = "ever" if polar else self.word(words.FREQUENCY_ADVERBS)
            if self.chance(0.5):
                return joined(group, adverb, "been", self.word(words.PERSON_ADJECTIVES))
            return joined(group, adverb, self._done())
        quantity = "any" if polar else self.pick(("some", "much", "great", "little", "the"))
        if self.chance(0.55):
            act = (
                "had" if self.chance(0.7) else self.word("found received given shown wanted needed")
            )
            return joined(group, act, quantity, self.word(words.MASS_NOUNS), self.where(0.2))
        field = self.field()
        goods = self.pick(self.entry(field).nouns).plural
        many = "any" if polar else self.pick(("some", "many", "the", "several", "two"))
        return joined(group, self.pick(self.entry(field).transitive).participle, many, goods)

    def _done(self) -> str:
        if self.chance(0.4):
            return self.pick(verb_list(verbs.PERSON_INTRANSITIVE)).participle
        act, target = self.act_on_thing()
        if self.chance(0.5):
            act, target = self.pick(verb_list(verbs.PERSON_TRANSITIVE)), self.person(0)
        return joined(act.participle, target.text)

    # -- subordination ----------------------------------------------------------------------

    def _before_main_sentence(self) -> str:
        lead = f"{self.pick(words.SUBORDINATORS)} {self.subordinate()}"
        comma = "" if self.chance(0.1) else ","
        main = self.clause(1 if self.chance(0.4) else 0)
        return joined(lead, comma, main)

    def _after_main_sentence(self) -> str:
        main = self.clause(1 if self.chance(0.4) else 0)
        return joined(main, self.pick(words.SUBORDINATORS).lower(), self.subordinate())

    # -- fillers and gaps -------------------------------------------------------------------

    def _filler_gap_sentence(self) -> str:
        subject = self._knower()
        gap = self.weighted(("none", "object", "who", "subject", "place"), (42, 20, 13, 13, 12))
        bases = verbs.WH_EMBEDDING if gap != "none" or self.chance(0.6) else verbs.CLAUSE_EMBEDDING
        if gap != "none" and self.chance(0.08):
            bases = "wonder"
        group = self.finite(self.pick(verb_list(bases)), plural=subject.plural)
        if subject.text == "I":
            group = _first_person(group)
        links = self.weighted((0, 1, 2, 3), (62, 20, 11, 7))
        chain = joined(*(self._link() for _ in range(links)))
        return joined(subject.text, group, self._embedded(gap, chain))

    def _knower(self) -> NounPhrase:
        if self.chance(0.4):
            return NounPhrase(self.pick(("I", "I", "we", "you", "they")), plural=True, gender="n")
        return self.subject(0)

    def _link(self) -> str:
        speaker = self.subject(0)
        act = self.pick(verb_list(verbs.CLAUSE_EMBEDDING))
        that = "that" if self.chance(0.25) else ""
        return joined(speaker.text, self.finite(act, plural=speaker.plural), that)

    def _embedded(self, gap: str, chain: str) -> str:
        """Draw a clause with the gap, after its filler; the gap "none" goes with "that"."""
        if gap == "subject":
            return self._subject_gap(chain.removesuffix(" that"))
        subject = self.subject(1 if self.chance(0.25) else 0)
        personal = gap == "who" or (gap in {"none", "place"} and self.chance(0.4))
        if personal:
            act, target = self.pick(verb_list(verbs.PERSON_TRANSITIVE)), self.person(0).text
        else:
            act, thing = self.act_on_thing()
            target = thing.text
        if gap in {"object", "who"}:
            target = ""
        other = "" if gap == "place" else self.person(0).text
        wants = gap == "place" or self.chance(0.4)
        near = joined(self.pick(words.ADJUNCT_PREPOSITIONS), other) if wants else ""
        filler = {"none": "that", "object": "what"}.get(gap, "who")
        group = self.finite(act, plural=subject.plural)
        return joined(filler, chain, subject.text, group, target, near, self.ending(0.5))

    def _subject_gap(self, chain: str) -> str:
        gap = NounPhrase("", plural=False, gender="n")
        if self.chance(0.2):
            gap = NounPhrase("", plural=False, gender="it", field=self.field())
            return joined("what", chain, self.predication(gap, 0))
        if self.chance(0.6):
            act, target = self.act_on_thing()
            near = ""
            if self.chance(0.5):
                near = f"{self.pick(words.ADJUNCT_PREPOSITIONS)} {self.person(0).text}"
            return joined(
                "who", chain, self.finite(act, plural=False), target.text, near, self.ending(0.4)
            )
        return joined("who", chain, self.predication(gap, 0))

    # -- clefts -----------------------------------------------------------------------------

    def _cleft_sentence(self) -> str:
        subject = self.subject(1 if self.chance(0.3) else 0)
        between = self._meanwhile() if self.chance(0.4) else ""
        act, target = self.act_on_thing(1 if self.chance(0.2) else 0)
        if self.chance(0.2):
            act, target = self.pick(verb_list(verbs.PERSON_TRANSITIVE)), self.person(0)
        if self.chance(0.5):
            past = self.tense() == "past" or self.chance(0.5)
            self.yesterday = past
            did = "did" if past else "do" if subject.plural else "does"
            copula = "was" if past else "is"
            rest = joined(act.base, target.text, self.ending(0.3))
            return joined("what", subject.text, did, between, copula, rest)
        group = self.finite(act, plural=subject.plural)
        if target.field == "person":
            act, target = self.act_on_thing()
            group = self.finite(act, plural=subject.plural)
        past = self.tense() == "past" or self.chance(0.5)
        return joined(
            "what", subject.text, group, between, be(past=past, plural=False), target.text
        )

    def _meanwhile(self) -> str:
        kind = self.weighted(("time", "where", "clause"), (30, 35, 35))
        if kind == "time":
            return self.time(1)
        if kind == "where":
            return self.where(1)
        return f"{self.pick(('after', 'before', 'when', 'while'))} {self.subordinate()}"


def _first_person(group: str) -> str:
    """Return a plural verb group as it is after "I"."""
    first, _, rest = group.partition(" ")
    return joined({"were": "was", "are": "am"}.get(first, first), rest)
