"""Scorers that see no syntax, and what a suite gives away to them.

Each has a number for what it sees, such as a word, fitted on the suite itself. Those of a region
are put together by the metric that is compared, and the predictions judge that as they judge
surprisals. The number is

    log2((m + 1) / (l + 1))

where l is how often the word stands on the side of a directed contrast that should be less
surprising, and m how often on the other. A word that stands there as often has 0, so that a crossed
design has nothing but ties; where all sides change places, all numbers change their signs.

Ties are left to chance (`Formula.shares_where_tied`): a scorer that cannot tell two conditions
apart guesses. So a crossed design comes to what is chance for it, and not to less; a suite of which
one half is told by its words, and the other half is ties, to more.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import replace
from functools import cache, cached_property, partial
from math import fsum, log2, nan

import numpy as np
from numpy.typing import NDArray

from pommel.errors import listed
from pommel.suite.formula import Formula
from pommel.suite.formula.tree import RegionValue
from pommel.suite.lint.frequencies import words
from pommel.suite.lint.subject import Laid, Remark, Side, Subject, n_shared
from pommel.suite.metrics import METRICS
from pommel.suite.suite import Suite
from pommel.values import frozen

# So far above chance a suite gives away what it asks for.
_MOST_ABOVE_CHANCE = 0.1
# What is right in fewer items may be so by an accident of their words.
_FEWEST_ITEMS = 8

_SHOWN_WORDS = 3


@frozen
class Control:
    """What a scorer that sees no syntax comes to on a suite.

    `shares` say for each item whether all predictions hold, 1 or 0; how likely that is where ties
    leave it to chance. Where they are empty, `why_none` says why.
    """

    shares: tuple[float, ...] = ()
    why_none: str = ""

    @property
    def share(self) -> float:
        """The share of items on which all predictions hold, NaN where that is not known."""
        return fsum(self.shares) / len(self.shares) if self.shares else nan

    @classmethod
    def context_free(cls, suite: Suite) -> "Control":
        """Ask a scorer that has one number for each word, whatever stands before it.

        It is fitted on the items that it is asked about: what it gets can be got without context.
        """
        if not suite.predictions:
            return cls(why_none=_NO_PREDICTION)
        return cls(shares=_context_free(Subject(suite=suite)).shares)

    @classmethod
    def nearest_region(cls, suite: Suite) -> "Control":
        """Ask a scorer that sees the region before what is compared, which is often the last noun.

        Of the regions before all that are compared in the sentence, it is the last one whose text
        is not the same in all sentences of the suite. Predictions name what is compared; of whole
        sentences it is the regions that differ. Of the region before, and of those that are
        compared, it sees what differs between the item's conditions ("s" of "dogs"), all of a text
        where nothing does. It has a number for each such pair, fitted on the *other* items. Where
        all pairs are as often right as wrong, which is a design, there are only ties: without an
        item, the others would tell the opposite of what is right in it.
        """
        if not suite.predictions:
            return cls(why_none=_NO_PREDICTION)
        subject = Subject(suite=suite)
        compared = _compared(subject)
        nearest = _nearest(subject, compared)
        if not nearest:
            return cls(why_none="nothing that varies stands before what is compared")
        parts = [_parts(item) for item in subject.items]

        def pair(item: int, condition: str, region: int) -> list[_Seen]:
            if (condition, region) not in compared[item]:
                return []
            own, before = parts[item], nearest.get((item, condition))
            return [("" if before is None else own[condition, before], own[condition, region])]

        scorer = _Scorer(subject=subject, seen=pair, is_held_out=True)
        if not scorer.is_informed:
            return cls(why_none="no two items have the same pair of regions")
        if not scorer.one_sided:
            scorer = replace(scorer, is_held_out=False)
        return cls(shares=scorer.shares)


_NO_PREDICTION = "there is no prediction"


def context_free(subject: Subject) -> Iterator[Remark]:
    """Yield what words give away by themselves, unless `meta.context_free` says why they do.

    That is where `Control.context_free` is more than 0.1 above chance. Nothing is said where there
    are fewer than eight items, chance is not known, or no word is more often on one side.
    """
    suite = subject.suite
    if not suite.predictions or len(suite.items) < _FEWEST_ITEMS or suite.meta.get("context_free"):
        return
    scorer = _context_free(subject)
    # To find what is left to chance, and what chance is, may take a second.
    if not (one_sided := scorer.one_sided):
        return
    control = Control(shares=scorer.shares)
    if (share := control.share) <= _MOST_ABOVE_CHANCE:
        return
    chance = Formula.share_by_chance(subject.formulas)
    if share > chance + _MOST_ABOVE_CHANCE:
        items = [item for item, own in enumerate(control.shares) if own > chance]
        guesses = "" if {0, 1}.issuperset(control.shares) else " if ties are guessed"
        yield Remark(
            path=("predictions", 0, "formula"),
            message=f"words alone, whatever stands before them, tell what is right "
            f"{subject.where(items)}: {share:.2f}{guesses}, by chance {chance:.2f}; {one_sided}",
            hint="exchange words within items, so that each is right as often as wrong, or say in "
            "meta.context_free why they cannot be",
            item_numbers=subject.numbers(items),
        )


# What a number is for: a word, and what stands before it.
_Seen = tuple[str, str]


@frozen(slots=False)
class _Scorer:
    """Numbers for what is `seen` of a region, by item, condition and region.

    `is_held_out` says that the numbers for an item are fitted on all others.
    """

    subject: Subject
    seen: Callable[[int, str, int], Sequence[_Seen]]
    is_held_out: bool

    @cached_property
    def sides(self) -> Mapping[Side, Sequence[Sequence[_Seen]]]:
        """What is seen of all sides of contrasts, and of all regions that are named, by item."""
        subject = self.subject
        sides = {side for contrast in subject.contrasts for side in contrast.pair}
        return {
            side: [
                [
                    each
                    for region in subject.regions(item, side)
                    for each in self.seen(item, side.condition, region)
                ]
                for item in range(len(subject.items))
            ]
            for side in {*sides, *map(Side.of, subject.references)}
        }

    @cached_property
    def counts(self) -> Sequence[Counter[tuple[_Seen, bool]]]:
        """How often each item has a word where it is right (True), and where it is wrong."""
        directed = [each for each in self.subject.contrasts if each.directed]
        return [
            Counter(
                (word, is_right)
                for contrast in directed
                for side, is_right in ((contrast.less, True), (contrast.more, False))
                for word in self.sides[side][item]
            )
            for item in range(len(self.subject.items))
        ]

    @cached_property
    def total(self) -> Counter[tuple[_Seen, bool]]:
        """How often all items have."""
        total: Counter[tuple[_Seen, bool]] = Counter()
        for own in self.counts:
            total.update(own)
        return total

    @property
    def is_informed(self) -> bool:
        """Whether a word of an item is known from another one."""
        n_items = Counter(word for own in self.counts for word in {word for word, _ in own})
        return any(n > 1 for n in n_items.values())

    @property
    def shares(self) -> tuple[float, ...]:
        """Whether all predictions hold, 1 or 0, or how likely that is, item by item."""
        suite = self.subject.suite
        column = cache(self._column)
        lookups = [partial(column, suite.metric_of(each)) for each in suite.predictions]
        n_items = len(suite.items)
        return tuple(Formula.shares_where_tied(self.subject.formulas, lookups, n_items).tolist())

    def _column(self, metric: str, region: int | None, condition: str) -> NDArray[np.float64]:
        rows = self.sides[Side.of(RegionValue(region=region, condition=condition))]
        values = [METRICS[metric].of(self._bits(item, row)) for item, row in enumerate(rows)]
        return np.array(values)

    def _bits(self, item: int, row: Sequence[_Seen]) -> list[float]:
        own = self.counts[item] if self.is_held_out else Counter()
        counts = [
            [1 + self.total[word, is_right] - own[word, is_right] for is_right in (True, False)]
            for word in row
        ]
        return [log2(wrong / right) for right, wrong in counts]

    @property
    def one_sided(self) -> str:
        """The words that are right more often than wrong, and the reverse; "" if there are none."""
        counts = {word: (self.total[word, True], self.total[word, False]) for word, _ in self.total}
        ordered = sorted(counts.items(), key=lambda each: (-abs(each[1][0] - each[1][1]), each[0]))
        found = []
        for name, sign in (("right", 1), ("wrong", -1)):
            forms = [
                f"{word!r} {right} : {wrong}"
                for (_, word), (right, wrong) in ordered
                if (right - wrong) * sign > 0
            ]
            if forms:
                found.append(f"more often {name}: {listed(forms, most=_SHOWN_WORDS)}")
        return "; ".join(found)


def _context_free(subject: Subject) -> _Scorer:
    # Without spaces all of a text is one word.
    cut = cache(
        lambda text: [("", word) for word in (words(text) if subject.has_spaces else [text])]
    )
    return _Scorer(
        subject=subject,
        seen=lambda item, condition, region: cut(subject.items[item][condition].text(region)),
        is_held_out=False,
    )


def _compared(subject: Subject) -> Sequence[AbstractSet[tuple[str, int]]]:
    """Return what is compared of each item, by condition: regions by their numbers.

    It is what predictions name; of whole sentences, what differs between two that are compared.
    """
    named = {
        (each.condition, each.region) for each in subject.references if each.region is not None
    }
    names = [
        (each.less.condition, each.more.condition) for each in subject.contrasts if each.is_whole
    ]
    return [
        named.union(
            (name, region)
            for pair in names
            for region in {region for each in pair for region in item[each].spans}
            if len({item[each].text(region) for each in pair}) > 1
            for name in pair
            if region in item[name].spans
        )
        for item in subject.items
    ]


def _nearest(
    subject: Subject, compared: Sequence[AbstractSet[tuple[str, int]]]
) -> dict[tuple[int, str], int]:
    """Return the nearest region that varies, by item and condition, where there is one."""
    texts = defaultdict(set)
    for item in subject.items:
        for laid in item.values():
            for region in laid.spans:
                texts[region].add(laid.text(region))
    varying = {region for region, own in texts.items() if len(own) > 1}
    found = {}
    for index, item in enumerate(subject.items):
        for name in {name for name, _ in compared[index]}:
            laid = item[name]
            for region in laid.spans:
                if (name, region) in compared[index]:
                    break
                if region in varying and laid.text(region):
                    found[index, name] = region
    return found


def _parts(item: Mapping[str, Laid]) -> Mapping[tuple[str, int], str]:
    """Return what differs in each region's text between conditions, or all where nothing does."""
    parts = {}
    for region in {region for laid in item.values() for region in laid.spans}:
        texts = {name: text for name, laid in item.items() if (text := laid.text(region))}
        start = end = 0
        if len(distinct := set(texts.values())) > 1:
            start = n_shared(distinct)
            end = n_shared(text[start:][::-1] for text in distinct)
        for name, text in texts.items():
            parts[name, region] = text[start : len(text) - end]
    return parts
