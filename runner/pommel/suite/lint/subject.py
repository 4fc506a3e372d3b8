"""A suite as the rules look at it: what its predictions compare, and remarks on what they find."""

from collections.abc import (
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set as AbstractSet,
)
from functools import cached_property
from itertools import zip_longest
from math import nan
from statistics import fmean
from typing import Literal, Self

from pommel.errors import Fault, counted, listed
from pommel.files import JsonDocument, JsonPath
from pommel.suite.formula import Formula
from pommel.suite.formula.tree import (
    Absolute,
    Arithmetic,
    Comparison,
    Expression,
    Logical,
    Negation,
    Negative,
    RegionValue,
    children,
    linear,
)
from pommel.suite.lint.frequencies import Frequencies, words
from pommel.suite.suite import Sentence, Suite
from pommel.surprisal import ScoredSentence
from pommel.values import frozen

_SHOWN_ITEMS = 5

# What several rules may find each in its way: an empty region, compared texts that are the same, or
# an item that breaks the pattern of the others.
Cause = Literal["empty", "same", "odd"]


@frozen
class Remark:
    """A doubt about a suite: `path` is the place in its JSON where it is first seen.

    `rule` is the name of the rule that found it, and is said by whoever asks the rule.
    `item_numbers` are the items concerned, empty where it is not about items; `predictions` are
    the indexes of the predictions, and `cause` is set, where other rules may find the same.
    """

    path: JsonPath
    message: str
    hint: str
    rule: str = ""
    item_numbers: tuple[int, ...] = ()
    predictions: tuple[int, ...] = ()
    cause: Cause | None = None

    def fault(self, suite: Suite, file: str, document: JsonDocument | None) -> Fault:
        """Return the warning that it is, with its place in the document of a file of JSON."""
        if document:
            return document.fault(self.path, self.message, hint=self.hint, warning=True)
        # A CSV has no predictions; what can be said of it is about items.
        place = f"item {suite.items[int(self.path[1])].number}" if self.path[0] == "items" else ""
        return Fault(
            file=file, path=place, message=self.message, hint=self.hint, severity="warning"
        )


# Whether a number should be large (1) or small (-1), a comparison true (1) or false (-1); 0 is
# neither.
_TOWARDS: dict[str, int] = {"<": 1, "<=": 1, ">": -1, ">=": -1, "=": 0, "!=": 0}


@frozen
class Side:
    """Regions of one condition that are added up; `regions` is None for all of them (`*`)."""

    condition: str
    regions: tuple[int, ...] | None

    @classmethod
    def of(cls, reference: RegionValue) -> Self:
        """Return the side that is what a formula names."""
        regions = None if reference.region is None else (reference.region,)
        return cls(condition=reference.condition, regions=regions)


@frozen
class Contrast:
    """Two sides that a formula compares.

    If it is `directed`, `less` should be less surprising than `more`; if not (`=`, `abs`), `less`
    is only the one that comes first.
    """

    less: Side
    more: Side
    directed: bool

    @property
    def pair(self) -> tuple[Side, Side]:
        """Both sides, what should be less surprising before the other."""
        return self.less, self.more

    @property
    def sides(self) -> frozenset[Side]:
        """Both sides, whichever should be more surprising."""
        return frozenset(self.pair)

    @property
    def is_whole(self) -> bool:
        """Whether whole sentences are compared (`*`)."""
        return self.less.regions is None and self.more.regions is None

    def __str__(self) -> str:
        names = f"{self.less.condition!r} and {self.more.condition!r}"
        less, more = _regions_text(self.less), _regions_text(self.more)
        if less == more:
            return f"{less} of {names}" if less else names
        one = f"{less or 'all regions'} of {self.less.condition!r}"
        return f"{one} and {more or 'all regions'} of {self.more.condition!r}"


def contrasts(formula: Formula) -> tuple[Contrast, ...]:
    """Return the pairs of sides that a formula compares, each once, in the order of the text.

    Where a comparison as a whole sets one condition against another (`a < b`, `a1 + a2 < b1 + b2`,
    `a1 - b1 + a2 - b2 > 0`) that is its contrast. Otherwise it has those of the differences in it
    (`a - b > c - d`: a with b, and c with d). Regions of one condition are no contrast.
    """
    found = list(dict.fromkeys(_contrasts(formula.tree, 1)))
    directed = {each.sides for each in found if each.directed}
    return tuple(each for each in found if each.directed or each.sides not in directed)


def _contrasts(node: Expression, towards: int) -> Iterator[Contrast]:
    match node:
        case Comparison():
            yield from _compared(node.left, node.right, towards * _TOWARDS[node.operator])
        case Arithmetic(operator="-"):
            # A difference is large where its right side is small.
            yield from _compared(node.left, node.right, -towards)
        case Negation() | Negative():
            yield from _contrasts(node.operand, -towards)
        case Logical() | Arithmetic(operator="+"):
            for child in children(node):
                yield from _contrasts(child, towards)
        case Arithmetic() if product := _product(node):
            operand, sign = product
            yield from _contrasts(operand, towards * sign)
        case Arithmetic() | Absolute():
            for child in children(node):
                yield from _contrasts(child, 0)


def _compared(left: Expression, right: Expression, towards: int) -> Iterator[Contrast]:
    """Yield the contrast of two expressions, or else those in them.

    `towards` is 1 if the right one should be larger than the left one, and -1 if smaller.
    """
    difference = linear(Arithmetic(operator="-", left=right, right=left))
    if difference is not None:
        less = _side([region for region, factor in difference.factors.items() if factor < 0])
        more = _side([region for region, factor in difference.factors.items() if factor > 0])
        if less and more:
            if less.condition != more.condition:
                less, more = (more, less) if towards < 0 else (less, more)
                yield Contrast(less=less, more=more, directed=towards != 0)
            return
    yield from _contrasts(left, -towards)
    yield from _contrasts(right, towards)


def opposed(formula: Formula) -> Iterator[tuple[Collection[str], Collection[str]]]:
    """Yield the conditions that each comparison wants less surprising, and those it wants more so.

    Of a difference of differences, `(a - b) > (c - d)`, those are b and c, and a and d.
    """
    yield from _opposed(formula.tree, 1)


def _opposed(node: Expression, towards: int) -> Iterator[tuple[Collection[str], Collection[str]]]:
    match node:
        case Logical():
            for child in children(node):
                yield from _opposed(child, towards)
        case Negation():
            yield from _opposed(node.operand, -towards)
        case Comparison() if direction := towards * _TOWARDS[node.operator]:
            difference = linear(Arithmetic(operator="-", left=node.right, right=node.left))
            factors = difference.factors if difference else {}
            signed = {each: factor * direction for each, factor in factors.items()}
            yield (
                {each.condition for each, factor in signed.items() if factor < 0},
                {each.condition for each, factor in signed.items() if factor > 0},
            )


def _product(node: Arithmetic) -> tuple[Expression, int] | None:
    """Return what is multiplied or divided by a number, and the sign of that (-1, 0, 1)."""
    for operand, other in ((node.left, node.right), (node.right, node.left)):
        form = linear(other)
        if form is not None and not form.factors and (node.operator == "*" or other is node.right):
            return operand, (form.constant > 0) - (form.constant < 0)
    return None


def _side(regions: list[RegionValue]) -> Side | None:
    names = {region.condition for region in regions}
    if len(names) != 1:
        return None
    numbers = {region.region for region in regions}
    known = sorted(number for number in numbers if number is not None)
    return Side(condition=names.pop(), regions=None if None in numbers else tuple(known))


def _regions_text(side: Side) -> str:
    if side.regions is None:
        return ""
    noun = "region" if len(side.regions) == 1 else "regions"
    return f"{noun} {' + '.join(map(str, side.regions))}"


def n_shared(texts: Iterable[Iterable[str]]) -> int:
    """Return with how many characters, or words, several texts, not all the same, begin alike."""
    columns = enumerate(zip_longest(*texts))
    return next(n for n, those in columns if len(set(those)) > 1)


def predictions_that(predictions: Sequence[int], verb: str) -> str:
    """Return what predictions do in words: "prediction 0 asks", "predictions 0 and 1 ask"."""
    names = listed([*map(str, predictions)], most=len(predictions))
    return f"predictions {names} {verb}" if len(predictions) > 1 else f"prediction {names} {verb}s"


# A fault of a few items among many is an oversight; where every second item has it, it is a design.
MOST = 0.75


@frozen
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


# What stands before two texts differ, and what one and the other say up to where they no longer do.
Difference = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


@frozen
class Tokenized:
    """A model's name and its tokens of every sentence of a suite, by the sentence's text."""

    model_name: str
    sentences: Mapping[str, ScoredSentence]


@frozen(slots=False)
class Subject:
    """A suite with what every rule needs of it, and what only some need, if it is there.

    `items[i]` has the conditions of item i of the suite, by name.
    """

    suite: Suite
    frequencies: Frequencies | None = None
    tokenized: Tokenized | None = None

    @cached_property
    def compared_metrics(self) -> tuple[str, ...]:
        """The region metrics that predictions compare."""
        return tuple(dict.fromkeys(map(self.suite.metric_of, self.suite.predictions)))

    @property
    def metric(self) -> str:
        """The one that they compare, or the suite's where that is several, or none."""
        return (self.compared_metrics if len(self.compared_metrics) == 1 else self.suite.metrics)[0]

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
        """What the predictions compare, each pair of sides once, as it is compared first.

        In `a < b & b - a < d - c` it is a that should be less surprising than b, however much.
        """
        found: dict[frozenset[Side], Contrast] = {}
        for several in self.contrasts_of:
            for each in several:
                found.setdefault(each.sides, each)
        return tuple(found.values())

    @cached_property
    def contrasts_of(self) -> tuple[tuple[Contrast, ...], ...]:
        """What each prediction compares."""
        return tuple(map(contrasts, self.formulas))

    @cached_property
    def references(self) -> tuple[RegionValue, ...]:
        """The regions that predictions name, each once."""
        named = (each for formula in self.formulas for each in formula.references)
        return tuple(dict.fromkeys(named))

    @cached_property
    def reported_empty(self) -> Mapping[RegionValue, list[int]]:
        """The regions that should not be empty, and the items in which they are.

        One that is empty in every item may be meant so where a contrast's side adds another region
        to its sum: `(5;%gap%) + (6;%gap%)`. Other metrics of an empty region are undefined.
        """
        found = {}
        for named in self.references:
            items = [
                i
                for i, item in enumerate(self.items)
                if named.region is not None and not item[named.condition].text(named.region)
            ]
            is_part = len(items) == len(self.items) and self.metric == "sum"
            if items and not (is_part and self._is_added(named)):
                found[named] = items
        return found

    def _is_added(self, reference: RegionValue) -> bool:
        """Say whether a side of a contrast has the region, and in every item one with content."""
        return any(
            side.condition == reference.condition
            and reference.region in (side.regions or ())
            and all(self.regions(item, side) for item in range(len(self.items)))
            for contrast in self.contrasts
            for side in contrast.pair
        )

    def predictions_with(self, contrast: Contrast) -> tuple[int, ...]:
        """Return the indexes of the predictions that compare these sides."""
        return tuple(
            index
            for index, several in enumerate(self.contrasts_of)
            if any(each.sides == contrast.sides for each in several)
        )

    def predictions_naming(self, reference: RegionValue) -> tuple[int, ...]:
        """Return the indexes of the predictions whose formulas name a region."""
        return tuple(i for i, each in enumerate(self.formulas) if reference in each.references)

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
        if end == laid.end or not laid.sentence.text[end].isspace():
            return laid.sentence.text, start, end
        return laid.sentence.text[:end], start

    def text(self, item: int, side: Side) -> str:
        """Return what a side's regions say."""
        laid = self.items[item][side.condition]
        spans = (laid.spans[region] for region in self.regions(item, side))
        # What joins a region stands at the beginning of its span.
        return "".join(laid.sentence.text[start:end] for start, end in spans).strip()

    def zipf(self, text: str) -> float:
        """Return how frequent a text's words are on average; NaN without any, or frequencies."""
        found = [*words(text)]
        return fmean(map(self.frequencies.zipf, found)) if self.frequencies and found else nan

    def context(self, item: int, side: Side) -> str:
        """Return what stands before the first region of a side, empty or not."""
        laid = self.items[item][side.condition]
        if side.regions is None:
            return ""
        first = min(laid.spans[region][0] for region in side.regions)
        return laid.sentence.text[:first]

    def difference(self, item: int, contrast: Contrast) -> Difference:
        """Return how the sides of a contrast differ.

        Of regions that is what they say, behind their contexts; of whole sentences it is found in
        words, or in characters where no spaces are between them.
        """
        if not contrast.is_whole:
            before = (self.context(item, side) for side in contrast.pair)
            less, more = (self.text(item, side) for side in contrast.pair)
            return tuple(before), (less,), (more,)
        texts = (self.items[item][side.condition].sentence.text for side in contrast.pair)
        first, second = (tuple(text.split() if self.has_spaces else text) for text in texts)
        if first == second:
            return first, (), ()
        start = n_shared((first, second))
        end = n_shared(each[start:][::-1] for each in (first, second))
        return first[:start], first[start : len(first) - end], second[start : len(second) - end]

    def is_told_later(self, item: int, contrast: Contrast) -> bool:
        """Say whether what follows the difference of two whole sentences tells the right one.

        It does where others that begin so are compared the other way round: *Heute lacht der Gast*,
        *Heute lachen die Gäste*.
        """
        before, less, more = self.difference(item, contrast)
        return (before, more, less) in self._differences

    @cached_property
    def _differences(self) -> AbstractSet[Difference]:
        whole = [each for each in self.contrasts if each.is_whole]
        items = range(len(self.items))
        return {self.difference(item, each) for each in whole for item in items}

    def length(self, text: str) -> int:
        """Return the number of words, or of characters in a language without spaces."""
        return len(text.split()) if self.has_spaces else len("".join(text.split()))

    def numbers(self, items: Iterable[int]) -> tuple[int, ...]:
        """Return the numbers of items by their indexes."""
        return tuple(self.suite.items[index].number for index in items)

    def where(self, items: Sequence[int]) -> str:
        """Return "in item 4", "in 3 of 24 items (4, 7, 9)", or "in every item"."""
        numbers = [str(each) for each in self.numbers(items)]
        if len(items) == len(self.items):
            return "in every item"
        if len(items) == 1:
            return f"in item {numbers[0]}"
        n_items = counted(len(self.items), "item")
        return f"in {len(items)} of {n_items} ({listed(numbers, most=_SHOWN_ITEMS)})"
