"""A suite as the rules look at it: its sentences, and the texts of what predictions compare."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pommel.files.json import JsonPath
from pommel.suite.formula import Formula
from pommel.suite.lint.contrasts import Contrast, Side, contrasts
from pommel.suite.suite import Sentence, Suite

# A fault of a few items among many is an oversight; where every second item has it, it is a design.
MOST = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """A condition of an item: its place in the file, its sentence, and the span of each region."""

    path: JsonPath
    sentence: Sentence
    spans: Mapping[int, tuple[int, int]]

    def text(self, region: int) -> str:
        """Return what a region says, without the space before it; "" if it is empty or missing."""
        start, end = self.spans.get(region, (0, 0))
        return self.sentence.text[start:end].strip()

    @property
    def end(self) -> int:
        """Where the last region with content ends."""
        return len(self.sentence.text)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A suite with what every rule needs of it.

    `items[i]` has the conditions of item i of the suite, by name.
    """

    suite: Suite

    @cached_property
    def items(self) -> tuple[Mapping[str, Laid], ...]:
        """The sentences of every item, by condition."""
        return tuple(
            {
                condition.name: Laid(
                    path=("items", i, "conditions", c),
                    sentence=(sentence := condition.sentence(self.suite.joiner)),
                    spans={
                        region.number: span
                        for region, span in zip(condition.regions, sentence.spans, strict=True)
                    },
                )
                for c, condition in enumerate(item.conditions)
            }
            for i, item in enumerate(self.suite.items)
        )

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas of the predictions."""
        return tuple(prediction.formula for prediction in self.suite.predictions)

    @cached_property
    def contrasts(self) -> tuple[Contrast, ...]:
        """What the predictions compare, each pair of sides once."""
        found = (each for formula in self.formulas for each in contrasts(formula))
        return tuple({each.sides: each for each in found}.values())

    def predictions_with(self, contrast: Contrast) -> tuple[int, ...]:
        """Return the indexes of the predictions that compare these sides."""
        return tuple(
            index
            for index, formula in enumerate(self.formulas)
            if any(each.sides == contrast.sides for each in contrasts(formula))
        )

    @property
    def has_spaces(self) -> bool:
        """Whether a space stands between two regions, so that words can be told apart."""
        return self.suite.joiner.isspace()

    @property
    def unit(self) -> str:
        """What lengths are counted in: words, or characters in a language without spaces."""
        return "word" if self.has_spaces else "character"

    def regions(self, item: int, side: Side) -> list[int]:
        """Return the regions of a side that have content, in the order of the sentence."""
        laid = self.items[item][side.condition]
        return [
            number
            for number, (start, end) in laid.spans.items()
            if start < end and (side.regions is None or number in side.regions)
        ]

    def reading(self, laid: Laid, start: int, end: int) -> Hashable:
        """Return what a left-to-right model goes by in a span; what has equal ones has one value.

        It is the span with all before it. At a sentence's end, which has a mark that is scored with
        the last region, and where no space separates regions, so that a token may cross into the
        next, it is the span with the whole sentence.
        """
        if end == laid.end or not self.has_spaces:
            return laid.sentence.text, start, end
        return laid.sentence.text[:end], start

    def text(self, item: int, side: Side) -> str:
        """Return what a side's regions say."""
        laid = self.items[item][side.condition]
        return self.suite.joiner.join(laid.text(region) for region in self.regions(item, side))

    def context(self, item: int, side: Side) -> str:
        """Return what stands before the first region of a side, empty or not."""
        laid = self.items[item][side.condition]
        if side.regions is None:
            return ""
        first = min(laid.spans[region][0] for region in side.regions)
        return laid.sentence.text[:first]

    def length(self, text: str) -> int:
        """Return the number of words, or of characters in a language without spaces."""
        return len(text.split()) if self.has_spaces else len("".join(text.split()))

    def numbers(self, items: Iterator[int] | list[int]) -> tuple[int, ...]:
        """Return the numbers of items by their indexes."""
        return tuple(self.suite.items[index].number for index in items)
