"""What there is of a suite's words: how long and how frequent what predictions look at is.

Rules doubt what differs systematically; this is what a data sheet says, whatever it is.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from math import isnan, nan
from statistics import fmean
from typing import Self

from pommel.suite.lint.frequencies import Frequencies, words
from pommel.suite.lint.subject import Side, Subject
from pommel.suite.suite import Suite
from pommel.values import frozen

# "words" (where spaces are between them), "characters" that are no blanks, and, with frequencies,
# the mean of the words on the "Zipf" scale: NaN where there are no words.
Measured = Mapping[str, float]


@frozen
class RegionMeasure:
    """A region: whether a prediction looks at it, and how many distinct texts it has."""

    number: int
    name: str
    is_critical: bool
    n_texts: int


@frozen
class ConditionMeasure:
    """The regions of a condition that predictions look at (None: the whole sentence).

    `means` are those over items.
    """

    condition: str
    regions: tuple[int, ...] | None
    means: Measured


@frozen
class ContrastMeasure:
    """Two sides that predictions compare, and how much larger `more` is: means over items.

    If it is `directed`, `less` should be less surprising.
    """

    less: Side
    more: Side
    directed: bool
    differences: Measured


@frozen
class Measures:
    """What there is of a suite's words.

    `n_words` are the distinct words of all sentences, in lower case, without marks, and
    `n_critical_words` those of the regions that predictions look at, of which `n_differing_words`
    are on one side only of what is compared: None where no spaces are between words. `n_unlisted`
    of the critical ones are not among the frequencies, None without any. `n_lexemes` says how many
    words of its lexicon fill each slot, where items say which ones do.
    """

    n_distinct_sentences: int
    n_words: int | None
    n_critical_words: int | None
    n_differing_words: int | None
    n_lexemes: Mapping[str, int]
    n_unlisted: int | None
    regions: tuple[RegionMeasure, ...]
    conditions: tuple[ConditionMeasure, ...]
    contrasts: tuple[ContrastMeasure, ...]

    @classmethod
    def of(cls, suite: Suite, frequencies: Frequencies | None = None) -> Self:
        """Measure a suite."""
        subject = Subject(suite=suite, frequencies=frequencies)
        items = range(len(subject.items))
        # What is compared is mostly all that is looked at.
        texts = cache(lambda side: [subject.text(item, side) for item in items])
        measured = cache(lambda side: [_measured(subject, text) for text in texts(side)])
        laid = [each for item in subject.items for each in item.values()]
        sentences = {each.sentence.text: each.sentence.start for each in laid}
        every = {word for text, start in sentences.items() for word in words(text[start:])}
        sides = _critical_sides(subject)
        critical = {word for side in sides for text in texts(side) for word in words(text)}
        pairs = [
            pair for each in subject.contrasts for pair in zip(*map(texts, each.pair), strict=True)
        ]
        differing = {word for pair in {*pairs} for word in _differing(*pair)}
        unlisted = critical.difference(frequencies.counts if frequencies else ())
        has_words = subject.has_spaces
        return cls(
            n_distinct_sentences=len(sentences),
            n_words=len(every) if has_words else None,
            n_critical_words=len(critical) if has_words else None,
            n_differing_words=len(differing) if has_words else None,
            n_lexemes=_lexemes(suite),
            n_unlisted=len(unlisted) if has_words and frequencies else None,
            regions=_regions(suite),
            conditions=tuple(
                ConditionMeasure(
                    condition=each.condition, regions=each.regions, means=_means(measured(each))
                )
                for each in sides
            ),
            contrasts=tuple(
                ContrastMeasure(
                    less=each.less,
                    more=each.more,
                    directed=each.directed,
                    differences=_means(
                        {unit: more[unit] - less[unit] for unit in more}
                        for less, more in zip(*map(measured, each.pair), strict=True)
                    ),
                )
                for each in subject.contrasts
            ),
        )


def _differing(one: str, other: str) -> Iterable[str]:
    """Return the words that one text has and the other has not, or not as often."""
    first, second = Counter(words(one)), Counter(words(other))
    return (first - second) | (second - first)


def _lexemes(suite: Suite) -> Mapping[str, int]:
    slots: dict[str, set[str]] = {}
    for item in suite.items:
        source = item.as_written.get("source")
        for slot, word in source.items() if isinstance(source, Mapping) else ():
            slots.setdefault(str(slot), set()).add(str(word))
    return {slot: len(own) for slot, own in slots.items()}


def _measured(subject: Subject, text: str) -> Measured:
    found = {"characters": float(len("".join(text.split())))}
    if subject.has_spaces:
        found = {"words": float(len(list(words(text)))), **found}
        if subject.frequencies:
            found["Zipf"] = subject.zipf(text)
    return found


def _means(items: Iterable[Measured]) -> Measured:
    """Return the means over the items that have a value, in all units of the first."""
    columns: dict[str, list[float]] = {}
    for item in items:
        for unit, value in item.items():
            columns.setdefault(unit, []).extend([] if isnan(value) else [value])
    return {unit: fmean(values) if values else nan for unit, values in columns.items()}


def _critical_sides(subject: Subject) -> list[Side]:
    """Return the regions that predictions look at, by condition, in the suite's order."""
    named: dict[str, set[int | None]] = {}
    for each in subject.references:
        named.setdefault(each.condition, set()).add(each.region)
    sides = []
    for name in subject.suite.condition_names:
        numbers = named.get(name, set())
        known = tuple(sorted(each for each in numbers if each is not None))
        if numbers:
            sides.append(Side(condition=name, regions=None if None in numbers else known))
    return sides


def _regions(suite: Suite) -> tuple[RegionMeasure, ...]:
    texts: dict[int, set[str]] = {number: set() for number in suite.region_numbers}
    for item in suite.items:
        for condition in item.conditions:
            for region in condition.regions:
                texts[region.number].add(region.text)
    named = {region for _, region in suite.compared_cells}
    return tuple(
        RegionMeasure(
            number=number,
            name=suite.region_names.get(number, ""),
            is_critical=number in named or None in named,
            n_texts=len(own - {""}),
        )
        for number, own in texts.items()
    )
