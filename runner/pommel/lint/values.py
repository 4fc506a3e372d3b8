"""What is known of a region's value before any model has run."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from pommel.formula.tree import RegionValue
from pommel.lint.linear import Form
from pommel.lint.subject import Laid, Subject

# Which regions of an item's conditions have one value: see `item_values`.
Sharing = Literal["none", "sentence", "left to right"]
SHARINGS: tuple[Sharing, ...] = ("none", "sentence", "left to right")

# References of the formulas -> their values, None where undefined.
Values = Mapping[RegionValue, Form | None]


@dataclass(slots=True)
class _Variables:
    """Numbers for whatever is one value: what has the same key has the same number."""

    number_of: dict[Hashable, int] = field(default_factory=dict)

    def form(self, key: Hashable) -> Form:
        number = self.number_of.setdefault(key, len(self.number_of))
        return Form({number: Fraction(1)})


def item_values(subject: Subject, item: int, sharing: Sharing) -> Values:
    """Return the values of all regions that the predictions name, for one item.

    Every value is a variable of its own that is 0 or more, with these exceptions:

    - an empty region has the sum 0, and no other metric;
    - the sum over a whole sentence (`*`) is that of its regions;
    - by "sentence", what stands in the same sentence (of two conditions) is one value;
    - by "left to right", so is what is the same with all before it, as for a model that reads in
      that direction. Not so at a sentence's end, which has a mark that is scored with it, nor
      where no space separates regions, so that a token may cross into the next.

    Items whose values are alike have equal mappings.
    """
    variables = _Variables()
    references = {each for formula in subject.formulas for each in formula.references}
    ordered = sorted(references, key=lambda each: (each.condition, each.region or -1))
    is_sum = subject.suite.metrics[0] == "sum"
    key = _KEYS[sharing]
    if sharing == "left to right" and not subject.has_spaces:
        key = _KEYS["sentence"]

    def value(laid: Laid, region: int | None) -> Form | None:
        if region is None and is_sum:
            parts = [value(laid, number) or Form() for number in laid.spans]
            return sum(parts, Form())
        start, end = laid.spans[region] if region is not None else (0, laid.end)
        if start < end:
            return variables.form(key(laid, start, end, is_whole=region is None))
        return Form() if is_sum else None

    return {each: value(subject.items[item][each.condition], each.region) for each in ordered}


def _own_key(laid: Laid, start: int, _end: int, *, is_whole: bool) -> Hashable:
    return laid.path, start, is_whole


def _sentence_key(laid: Laid, start: int, end: int, *, is_whole: bool) -> Hashable:
    return laid.sentence.text, start, end, is_whole


def _left_to_right_key(laid: Laid, start: int, end: int, *, is_whole: bool) -> Hashable:
    if end == laid.end:
        return _sentence_key(laid, start, end, is_whole=is_whole)
    return laid.sentence.text[:end], start, is_whole


_KEYS: Mapping[Sharing, Callable[..., Hashable]] = {
    "none": _own_key,
    "sentence": _sentence_key,
    "left to right": _left_to_right_key,
}
