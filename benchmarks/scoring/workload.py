"""What is scored: published suites and minimal pairs, and what of them is looked at."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Condition, Suite

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A region of a sentence that some prediction names: what is before it, itself, what follows.

    `sentence` is an index into `Work.sentences`; the texts have no spaces around them.
    """

    sentence: int
    before: str
    text: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Sentences, in an order of their own, repetitions and all.

    `suites` are what they come from, in that order, if they come from suites. `spans` says which
    characters of each sentence are looked at.
    """

    sentences: tuple[str, ...]
    spans: tuple[tuple[Span, ...], ...]
    suites: tuple[Suite, ...] = ()
    targets: tuple[Target, ...] = ()

    @property
    def n_sentences_by_suite(self) -> list[int]:
        """How many sentences each suite has."""
        return [suite.n_sentences for suite in self.suites]


def read_suites(folder: Path, names: Sequence[str] = ()) -> list[Suite]:
    """Return the suites in `folder`, those of these names or all, in the order of their files."""
    paths = [folder / f"{name}.json" for name in names] or sorted(folder.glob("*.json"))
    return [LoadedSuite.read(path).suite for path in paths]


def first_items(suites: Sequence[Suite], n_items: int) -> list[Suite]:
    """Return the suites with their first items only."""
    return [replace(suite, items=suite.items[:n_items]) for suite in suites]


def suite_work(suites: Sequence[Suite]) -> Work:
    """Return the sentences of suites: item by item, condition by condition."""
    sentences: list[str] = []
    spans: list[tuple[Span, ...]] = []
    targets: list[Target] = []
    for suite in suites:
        for item in suite.items:
            for name in suite.condition_names:
                text, own = _named_regions(suite, item.condition(name))
                targets += [_target(len(sentences), text, span) for span in own]
                sentences.append(text)
                spans.append(own)
    return Work(
        sentences=tuple(sentences),
        spans=tuple(spans),
        suites=tuple(suites),
        targets=tuple(targets),
    )


def _named_regions(suite: Suite, condition: Condition) -> tuple[str, tuple[Span, ...]]:
    """Return a condition's sentence and the spans of the regions that a prediction names in it."""
    sentence = condition.sentence(suite.joiner)
    named = {
        reference.region
        for prediction in suite.predictions
        for reference in prediction.formula.references
        if reference.condition == condition.name
    }
    pairs = zip(condition.regions, sentence.spans, strict=True)
    own = [span for region, span in pairs if (region.number in named or None in named)]
    return sentence.text, tuple(span for span in own if span[0] < span[1])


def _target(index: int, text: str, span: Span) -> Target:
    start, end = span
    return Target(
        sentence=index,
        before=text[:start].strip(),
        text=text[start:end].strip(),
        after=text[end:].strip(),
    )


def pair_work(file: Path, n_pairs: int) -> Work:
    """Return the first minimal pairs of a BLiMP file: each good sentence, then the bad one.

    What is looked at is everything from the word on in which the two begin to differ: before it
    they have the same tokens, so that their totals differ by nothing else.
    """
    sentences: list[str] = []
    spans: list[tuple[Span, ...]] = []
    with file.open(encoding="utf-8") as lines:
        for line, _ in zip(lines, range(n_pairs), strict=False):
            pair = json.loads(line)
            good, bad = pair["sentence_good"], pair["sentence_bad"]
            start = _word_that_differs(good, bad)
            sentences += [good, bad]
            spans += [((start, len(good) + 1),), ((start, len(bad) + 1),)]
    return Work(sentences=tuple(sentences), spans=tuple(spans))


def _word_that_differs(first: str, second: str) -> int:
    """Return where the space begins in front of the first word in which two sentences differ."""
    pairs = zip(first, second, strict=False)
    shorter = min(len(first), len(second))
    same = next((i for i, (one, other) in enumerate(pairs) if one != other), shorter)
    return max(0, first.rfind(" ", 0, same))
