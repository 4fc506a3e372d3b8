"""The training English: a grammar as a sampler, one method for each kind of sentence.

The text is tokenised as that of the Hu et al. (2020) suites is: " ." and " ," are words, a
sentence begins with a capital. What the grammar never makes is as much a part of it: a
subordinate clause without its main clause, a comma between two main clauses without a
conjunction, "ever" or "any" without "no", "few" or "not" above it, a reflexive that differs from
its subject.
"""

import random
from collections.abc import Iterator
from dataclasses import replace

from recipes.english.clauses import Clauses
from recipes.english.phrases import (
    REDUCED_AMBIGUOUS,
    NounPhrase,
    be,
    have,
    with_article,
)

REFLEXIVES = {"m": "himself", "f": "herself"}
# Plural verbs as they are after "I".
_FIRST_PERSON = {"were": "was", "are": "am"}


class Grammar(Clauses):
    """Draws whole sentences."""

    def sentence(self) -> str:
        """Draw one sentence, its kind by the weights in kinds.toml."""
        self.is_past = self.chance(0.64)
        kind = self.kind("sentence")
        text = " ".join(getattr(self, f"_{kind}_sentence")().split())
        return f"{text[0].upper()}{text[1:]} ."

    def _plain_sentence(self) -> str:
        if self.chance(0.06):
            return f"{self.word('times')} , {self.clause(1)}"
        return self.clause(2 if self.chance(0.15) else 1)

    def _existential_sentence(self) -> str:
        plural, past = self.number(), self.past()
        noun = self.pick(self.entry(self.field()).nouns).form(plural=plural)
        head = f"{self.attribute('thing_adjectives', 0.3)} {noun}".strip()
        text = f"{self.word('existential_numerals')} {head}" if plural else with_article(head)
        what = NounPhrase(text, plural, "it")
        return f"there {be(what, past=past)} {what} {self.where(1)}"

    def _coordination_sentence(self) -> str:
        if self.chance(0.4):
            both = NounPhrase(f"{self.person(0)} and {self.person(0)}", plural=True, gender="n")
            return f"{both} {self.predication(both)}"
        return f"{self.clause(1)} , {self.pick(('and', 'but'))} {self.clause(1)}"

    # -- garden paths -----------------------------------------------------------------------

    def _garden_path_sentence(self) -> str:
        """Givers as subjects, which is the rule; receivers, in full and in reduced relatives."""
        noun = self.person(0)
        kind = self.kind("garden_path")
        if kind == "main":
            act = self.verb("ambiguous_giving")
            source = f"from {self.place()}" if self.chance(0.7) else self.where(1)
            return f"{noun} {act.past} {self.gift(act)} {source} {self.ending(0.4)}"
        given = self.given(self.giver(0.6 if kind == "full" else REDUCED_AMBIGUOUS))
        if kind == "full":
            given = f"{self.word('relative_pronouns')} {be(noun, past=True)} {given}"
        if self.chance(0.25):
            given = f"{given} with {self.thing(self.field(), 0)}"
        return f"{noun} {given} {self.predication(noun, 0)}"

    # -- licensing --------------------------------------------------------------------------

    def _reflexive_sentence(self) -> str:
        noun = self.subject(1) if self.chance(0.25) else self.person(1, det="the")
        if self.chance(0.35):
            kind = self.pick(("pp", "src", "orc"))
            head = self.person(0, det="the")
            noun = head.with_behind(self.modifier(head, kind))
        lead = ""
        if self.chance(0.12):
            act = self.verb("clause_embedding")
            speaker = self.subject(0)
            lead = f"{speaker} {self.finite(act, speaker)} that"
        act = self.verb("reflexive")
        group = act.past if self.chance(0.55) else self.finite(act, noun)
        return f"{lead} {noun} {group} {self.reflexive(noun)} {self.ending(0.3)}"

    def reflexive(self, subject: NounPhrase) -> str:
        """Return the reflexive that `subject` binds; of either gender for most singulars."""
        if subject.plural:
            return "themselves"
        return REFLEXIVES.get(subject.gender) or REFLEXIVES[self.pick("mf")]

    def _polarity_sentence(self) -> str:
        """Negation in the subject licenses "ever" and "any"; inside a relative it does not."""
        licensed = self.chance(0.55)
        det = self.word("negative_determiners") if licensed else "the"
        head = self.person(0, det="no" if det == "few" else det)
        if det == "few" and head.plural:
            head = replace(head, text=head.text.replace("no ", "few ", 1))
        kind = self.kind("distractor")
        distractor = self._distractor(head, kind)
        negation = "" if licensed or self.chance(0.85) else "not"
        polar = bool(licensed or negation) and self.chance(0.75)
        predication = self._polar_predication(polar=polar)
        return f"{head} {distractor} {have(head)} {negation} {predication}"

    def _distractor(self, head: NounPhrase, kind: str) -> str:
        det = self.pick(("no", "the", "the"))
        relative = self.pick(("that", "who"))
        if kind == "orc":
            return f"{relative} {self.object_relative(0, det)}"
        if kind == "src":
            act = self.verb("person_transitive")
            return f"{relative} {self.finite(act, head)} {self.person(0, det=det)}"
        return self.modifier(head, kind)

    def _polar_predication(self, *, polar: bool) -> str:
        if self.kind("polar") == "ever":
            adverb = "ever" if polar else self.word("frequency_adverbs")
            if self.chance(0.5):
                return f"{adverb} been {self.word('person_adjectives')}"
            return f"{adverb} {self._done()}"
        quantity = "any" if polar else self.word("mass_quantities")
        if self.chance(0.55):
            act = "had" if self.chance(0.7) else self.word("obtained")
            return f"{act} {quantity} {self.word('mass_nouns')} {self.where(0.2)}"
        field = self.entry(self.field())
        goods = self.pick(field.nouns).plural
        many = "any" if polar else self.word("count_quantities")
        return f"{self.pick(field.transitive).participle} {many} {goods}"

    def _done(self) -> str:
        if self.chance(0.4):
            return self.verb("person_intransitive").participle
        act, target = self.act_on_thing()
        if self.chance(0.5):
            act, target = self.verb("person_transitive"), self.person(0)
        return f"{act.participle} {target}"

    # -- subordination ----------------------------------------------------------------------

    def _before_main_sentence(self) -> str:
        lead = f"{self.word('subordinators')} {self.subordinate()}"
        comma = "" if self.chance(0.1) else ","
        return f"{lead} {comma} {self.clause(int(self.chance(0.4)))}"

    def _after_main_sentence(self) -> str:
        main = self.clause(int(self.chance(0.4)))
        return f"{main} {self.word('subordinators').lower()} {self.subordinate()}"

    # -- fillers and gaps -------------------------------------------------------------------

    def _filler_gap_sentence(self) -> str:
        subject = self._knower()
        gap = self.kind("gap")
        embedding = "wh_embedding" if gap != "none" or self.chance(0.6) else "clause_embedding"
        if gap != "none" and self.chance(0.08):
            embedding = "wondering"
        group = self.finite(self.verb(embedding), subject)
        if subject.text == "I":
            first, _, rest = group.partition(" ")
            group = f"{_FIRST_PERSON.get(first, first)} {rest}"
        n_links = int(self.kind("links"))
        chain = " ".join(self._link() for _ in range(n_links))
        return f"{subject} {group} {self._embedded(gap, chain)}"

    def _knower(self) -> NounPhrase:
        if self.chance(0.4):
            return NounPhrase(self.word("knowers"), plural=True, gender="n")
        return self.subject(0)

    def _link(self) -> str:
        speaker = self.subject(0)
        act = self.verb("clause_embedding")
        that = "that" if self.chance(0.25) else ""
        return f"{speaker} {self.finite(act, speaker)} {that}"

    def _embedded(self, gap: str, chain: str) -> str:
        """Draw a clause with the gap, after its filler; the gap "none" goes with "that"."""
        if gap == "subject":
            return self._subject_gap(chain.removesuffix(" that"))
        subject = self.subject(int(self.chance(0.25)))
        if gap == "who" or (gap in {"none", "place"} and self.chance(0.4)):
            act, target = self.verb("person_transitive"), self.person(0)
        else:
            act, target = self.act_on_thing()
        thing = "" if gap in {"object", "who"} else target
        other = "" if gap == "place" else self.person(0)
        wants = gap == "place" or self.chance(0.4)
        near = f"{self.word('adjunct_prepositions')} {other}" if wants else ""
        filler = {"none": "that", "object": "what"}.get(gap, "who")
        group = self.finite(act, subject)
        return f"{filler} {chain} {subject} {group} {thing} {near} {self.ending(0.5)}"

    def _subject_gap(self, chain: str) -> str:
        if self.chance(0.2):
            gap = NounPhrase("", plural=False, gender="it", field=self.field())
            return f"what {chain} {self.predication(gap, 0)}"
        gap = NounPhrase("", plural=False, gender="n")
        if self.chance(0.6):
            act, target = self.act_on_thing()
            near = self.near() if self.chance(0.5) else ""
            return f"who {chain} {self.finite(act, gap)} {target} {near} {self.ending(0.4)}"
        return f"who {chain} {self.predication(gap, 0)}"

    # -- clefts -----------------------------------------------------------------------------

    def _cleft_sentence(self) -> str:
        subject = self.subject(int(self.chance(0.3)))
        between = self._meanwhile() if self.chance(0.4) else ""
        act, target = self.act_on_thing(int(self.chance(0.2)))
        if self.chance(0.2):
            act, target = self.verb("person_transitive"), self.person(0)
        if self.chance(0.5):
            past = self.yesterday = self.past() or self.chance(0.5)
            did = "did" if past else "do" if subject.plural else "does"
            copula = "was" if past else "is"
            return f"what {subject} {did} {between} {copula} {act.base} {target} {self.ending(0.3)}"
        group = self.finite(act, subject)
        if target.field == "person":
            act, target = self.act_on_thing()
            group = self.finite(act, subject)
        copula = "was" if self.past() or self.chance(0.5) else "is"
        return f"what {subject} {group} {between} {copula} {target}"

    def _meanwhile(self) -> str:
        kind = self.kind("meanwhile")
        if kind == "time":
            return self.time(1)
        if kind == "where":
            return self.where(1)
        return f"{self.word('temporal_subordinators')} {self.subordinate()}"


# How many sentences the built-in neural model sees.
FULL_SIZE = 300_000

# Far from every seed in use, so that a held-out set is never a shifted training set.
_HELD_OUT = 1_000_003


def sample_corpus(n_sentences: int, seed: int) -> Iterator[str]:
    """Yield `n_sentences` sentences, the same for the same seed, on any machine."""
    grammar = Grammar(random.Random(seed))  # noqa: S311 - sampling text, not secrets
    for _ in range(n_sentences):
        yield grammar.sentence()


def held_out_corpus(n_sentences: int, seed: int) -> Iterator[str]:
    """Yield sentences drawn apart from those of `sample_corpus` with the same seed.

    A short sentence may occur in both: the split is by seed, not by sentence.
    """
    return sample_corpus(n_sentences, seed + _HELD_OUT)
