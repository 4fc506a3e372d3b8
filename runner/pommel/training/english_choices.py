"""Random choices of the training English: options, tenses, finite verbs."""

import random
from collections.abc import Sequence
from typing import Literal, TypeVar

from pommel.training import english_verbs as verbs
from pommel.training.english_lexicon import Verb

Tense = Literal["past", "present"]
T = TypeVar("T")


class Choices:
    """Draws one of several; everything drawn depends on the state of `rng` alone."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.sentence_tense: Tense = "past"
        # Whether the last finite verb admits "yesterday": a time belongs to the verb before it.
        self.yesterday = True
        self.stative = frozenset(verbs.STATIVE.split())

    def chance(self, probability: float) -> bool:
        """Return true with that probability."""
        return self.rng.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """Return one option, all being equally likely."""
        return self.rng.choice(options)

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """Return one option by weight."""
        return self.rng.choices(options, weights)[0]

    def word(self, text: str) -> str:
        """Return one of blank-separated words."""
        return self.pick(text.split())

    def tense(self) -> Tense:
        """Draw a clause's tense; mostly it is that of the whole sentence."""
        if self.chance(0.9):
            return self.sentence_tense
        return "past" if self.chance(0.6) else "present"

    def finite(self, verb: Verb, *, plural: bool) -> str:
        """Return `verb` finite, in a tense and an aspect drawn, agreeing in number."""
        past = self.tense() == "past"
        kind = self.weighted(("plain", "perfect", "progressive", "modal", "not"), (76, 8, 7, 4, 5))
        self.yesterday = past and kind in {"plain", "progressive", "not"}
        if kind == "perfect":
            return f"{'had' if past else have(plural=plural)} {verb.participle}"
        if kind == "progressive" and verb.base not in self.stative:
            return f"{be(past=past, plural=plural)} {verb.ing}"
        if kind == "modal":
            return f"{self.pick(('will', 'can', 'could', 'would', 'should', 'might'))} {verb.base}"
        if kind == "not":
            return f"{'did' if past else ('do' if plural else 'does')} not {verb.base}"
        return verb.past if past else (verb.base if plural else verb.third)

    def copula(self, *, plural: bool) -> str:
        """Return a form of the copula; the bare ones are the most frequent."""
        self.yesterday = False
        if self.chance(0.1):
            return f"{have(plural=plural)} {self.pick(('been', 'always been', 'often been'))}"
        self.yesterday = self.chance(0.45)
        return be(past=self.yesterday, plural=plural)


def be(*, past: bool, plural: bool) -> str:
    """Return the form of the copula."""
    if past:
        return "were" if plural else "was"
    return "are" if plural else "is"


def have(*, plural: bool) -> str:
    """Return the present form of the auxiliary."""
    return "have" if plural else "has"
