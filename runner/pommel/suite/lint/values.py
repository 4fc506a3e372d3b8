"""What is known of a region's value before any model has run."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from pommel.suite.formula.tree import RegionValue
from pommel.suite.lint.linear import Form, Inequality
from pommel.suite.lint.subject import Laid, Subject

# Which regions of an item's conditions have one value: see `item_values`.
Sharing = Literal["none", "sentence", "left to right"]
SHARINGS: tuple[Sharing, ...] = ("none", "sentence", "left to right")


@dataclass(frozen=True, slots=True)
class Values:
    """Values of what formulas name in an item: None where undefined.

    `facts` are known of two of them, whatever they are.
    """

    forms: Mapping[RegionValue, Form | None]
    facts: Mapping[tuple[RegionValue, RegionValue], Inequality] = field(default_factory=dict)

    def among(self, references: Collection[RegionValue]) -> "Values":
        """Return what is known of some of the values."""
        return Values(
            {each: form for each, form in self.forms.items() if each in references},
            {pair: fact for pair, fact in self.facts.items() if set(pair) <= set(references)},
        )

    @property
    def known(self) -> Hashable:
        """What is known, equal for items that are alike in it (of the same references)."""
        return tuple(self.forms.values()), tuple(self.facts.values())


@dataclass(slots=True)
class _Variables:
    """Numbers for whatever is one value: what has the same key has the same number."""

    number_of: dict[Hashable, int] = field(default_factory=dict)

    def form(self, key: Hashable) -> Form:
        number = self.number_of.setdefault(key, len(self.number_of))
        return Form({number: Fraction(1)})


def item_values(
    subject: Subject, item: int, sharing: Sharing, *, filled: Collection[RegionValue] = ()
) -> Values:
    """Return the values of all regions that the predictions name, for one item.

    Every value is a variable of its own that is 0 or more, with these exceptions:

    - an empty region has the sum 0, and no other metric; not so those that are `filled`, which
      stand for regions that have content;
    - the sum over a whole sentence (`*`) is that of its regions, its max and range are at least
      those of each region, and its min is at most that of each;
    - by "sentence", what stands in the same sentence (of two conditions) is one value;
    - by "left to right", so is what has the same `Subject.reading`.

    A region that is all of its sentence has the value of the sentence.
    """
    variables = _Variables()
    references = {each for formula in subject.formulas for each in formula.references}
    ordered = sorted(references, key=lambda each: (each.condition, each.region or -1))
    is_sum = subject.suite.metrics[0] == "sum"
    key = _KEYS[sharing]

    def value(name: str, region: int | None) -> Form | None:
        laid = subject.items[item][name]
        if region is None and is_sum:
            parts = [value(name, number) or Form() for number in laid.spans]
            return sum(parts, Form())
        start, end = laid.spans[region] if region is not None else (0, laid.end)
        if start < end:
            return variables.form(key(subject, laid, start, end))
        if RegionValue(region=region, condition=name) in filled:
            return variables.form((name, region))
        return Form() if is_sum else None

    forms = {each: value(each.condition, each.region) for each in ordered}
    return Values(forms, dict(_facts(forms, subject.suite.metrics[0])))


def _facts(
    forms: Mapping[RegionValue, Form | None], metric: str
) -> Iterator[tuple[tuple[RegionValue, RegionValue], Inequality]]:
    """Yield what is known of a whole sentence and each of its regions."""
    for whole, most in forms.items():
        if whole.region is not None or most is None or metric not in ("max", "min", "range"):
            continue
        for part, form in forms.items():
            if part.condition == whole.condition and part != whole and form is not None:
                difference = most - form if metric == "min" else form - most
                yield (whole, part), Inequality(difference, strict=False)


def _own_key(_subject: Subject, laid: Laid, start: int, end: int) -> Hashable:
    return laid.path, start, end


def _sentence_key(_subject: Subject, laid: Laid, start: int, end: int) -> Hashable:
    return laid.sentence.text, start, end


def _left_to_right_key(subject: Subject, laid: Laid, start: int, end: int) -> Hashable:
    return subject.reading(laid, start, end)


_KEYS: Mapping[Sharing, Callable[[Subject, Laid, int, int], Hashable]] = {
    "none": _own_key,
    "sentence": _sentence_key,
    "left to right": _left_to_right_key,
}
