"""A formula in words: what a prediction says, for those who do not read formulas."""

import re
from collections.abc import Mapping
from itertools import starmap

from pommel.suite.formula.tree import (
    Absolute,
    Arithmetic,
    Comparison,
    ComparisonOperator,
    Expression,
    Logical,
    Negation,
    Negative,
    Number,
    RegionValue,
    children,
    is_truth,
    joined,
    no_truth,
    to_text,
)
from pommel.suite.metrics import METRICS
from pommel.values import frozen, positional

# Operator -> how much, and what the other side follows; `!=` denies what `=` says.
Degrees = Mapping[str, tuple[str, str]]


def _degrees(less: str, more: str, alike: str) -> Degrees:
    return {
        "<": (less, "than"),
        ">": (more, "than"),
        "=": (f"about as {alike}", "as"),
        "<=": (f"at most as {alike}", "as"),
        ">=": (f"at least as {alike}", "as"),
    }


SURPRISING = _degrees("less surprising", "more surprising", "surprising")
HIGH = _degrees("lower", "higher", "high")
SIZED: Degrees = {
    "<": ("smaller", "than"),
    ">": ("larger", "than"),
    "=": ("about equal", "to"),
    "<=": ("at most", ""),
    ">=": ("at least", ""),
}
SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}


def in_words(
    tree: Expression, region_names: Mapping[int, str], *, metric: str = "sum"
) -> tuple[str, ...]:
    """Return what a formula's tree says: see `Formula.in_words`."""
    speaker = _Speaker(region_names=region_names, metric=metric, measure=METRICS[metric].words)
    return tuple(speaker.prediction(tree))


_PADDED_EXPONENT = re.compile(r"e(?:\+|(-))0*")


@positional
class _Spot:
    """Regions of one condition, added up; no regions: the whole sentence."""

    regions: tuple[int, ...]
    condition: str


@frozen
class _Speaker:
    """Knows what regions and the metric are called."""

    region_names: Mapping[int, str]
    metric: str
    measure: str

    # --- what is true or false

    def prediction(self, tree: Expression) -> list[str]:
        if isinstance(tree, Logical) and tree.operator == "&":
            parts = [self._statement(part, must=True) for part in joined(tree)]
            if all(len(lines) == 1 for lines in parts):
                lines = [line for (line,) in parts]
                return [*(f"{line}, and" for line in lines[:-1]), lines[-1]]
        return self._statement(tree, must=True)

    def _statement(self, node: Expression, *, must: bool) -> list[str]:
        match node:
            case Logical():
                is_all = node.operator == "&"
                verb = "must hold" if must else "hold" if is_all else "holds"
                lines = [f"{'all' if is_all else 'at least one'} of these {verb}:"]
                for part in joined(node):
                    first, *others = self._statement(part, must=False)
                    lines += [f"  - {first}", *(f"    {line}" for line in others)]
                return lines
            case Negation():
                denial = "it must not hold that" if must else "it does not hold that"
                first, *others = self._statement(node.operand, must=False)
                return [f"{denial} {first}", *others]
            case Comparison():
                return [self._comparison(node, must=must)]
            case _:
                raise no_truth(node)

    def _truth_value(self, node: Expression) -> str:
        """Say in one line what is true or false."""
        match node:
            case Logical():
                word = " and " if node.operator == "&" else " or "
                return word.join(f"({self._truth_value(part)})" for part in joined(node))
            case Negation():
                return f"it does not hold that ({self._truth_value(node.operand)})"
            case Comparison():
                return self._comparison(node, must=False)
            case _:
                raise no_truth(node)

    def _comparison(self, node: Comparison, *, must: bool) -> str:
        left, right = self._spot(node.left), self._spot(node.right)
        if left and right:
            return self._spots_compared(node.operator, left, right, must=must)
        degrees = HIGH if left and node.operator in "<>" else SIZED
        degree, link = degrees[node.operator.removeprefix("!")]
        be = f"{_be(node.operator, must=must)} {degree} {link}".rstrip()
        first, second = self._contrast(node.left), self._contrast(node.right)
        if first and second and first[0].regions == second[0].regions:
            one, other = starmap(_difference, (first, second))
            return f"{self._at(first[0].regions)}, {one} {be} {other}"
        bits = _is_in_bits(node.left) or _is_in_bits(node.right)
        return (
            f"{self._quantity(node.left, bits=bits)} {be} {self._quantity(node.right, bits=bits)}"
        )

    def _spots_compared(
        self, operator: ComparisonOperator, left: _Spot, right: _Spot, *, must: bool
    ) -> str:
        subject, other = self._place(left.regions), self._place(right.regions)
        degrees, is_plural = SURPRISING, len(left.regions) > 1
        if self.metric not in ("sum", "mean"):
            subject, other = f"the {self.measure} of {subject}", f"that of {other}"
            degrees = HIGH
        degree, link = degrees[operator.removeprefix("!")]
        be = f"{_be(operator, must=must, is_plural=is_plural)} {degree}"
        if self.metric == "mean":
            be += " on average per token"
        here, there = _condition(left.condition), _condition(right.condition)
        if left.regions == right.regions and here != there:
            return f"{subject} {be} in {here} {link} in {there}"
        if here == there and left != right:
            return f"in {here}, {subject} {be} {link} {other}"
        return f"{subject} in {here} {be} {link} {other} in {there}"

    # --- what is a number

    def _quantity(self, node: Expression, *, bits: bool) -> str:
        spot, contrast = self._spot(node), self._contrast(node)
        if spot:
            place, condition = self._place(spot.regions), _condition(spot.condition)
            return f"the {self.measure} of {place} in {condition}"
        if contrast:
            return f"{_difference(*contrast)} {self._at(contrast[0].regions)}"
        match node:
            case Number():
                unit = "" if not bits else " bit" if abs(node.value) == 1 else " bits"
                # Python pads an exponent with zeros: 1e-05.
                return _PADDED_EXPONENT.sub(r"e\1", to_text(node)) + unit
            case Negative():
                return f"minus {self._operand(node.operand, bits=bits)}"
            case Absolute():
                if inner := self._contrast(node.operand):
                    one, other = (_condition(spot.condition) for spot in inner)
                    at = self._at(inner[0].regions)
                    return f"the absolute difference between {one} and {other} {at}"
                return f"the absolute value of {self._operand(node.operand, bits=bits)}"
            case Arithmetic():
                return self._arithmetic(node, bits=bits)
            case _:
                return f"(1 if {self._truth_value(node)}, otherwise 0)"

    def _arithmetic(self, node: Arithmetic, *, bits: bool) -> str:
        is_sum = node.operator in "+-"
        # What bits are multiplied with, or divided by, is a number without a unit.
        left_bits = bits and (is_sum or not _is_in_bits(node.right))
        right_bits = bits and (is_sum or _is_in_bits(node.right))
        # A sum reads from left to right, as it is computed.
        goes_on = is_sum and isinstance(node.left, Arithmetic) and node.left.operator in "+-"
        bare = goes_on and not self._contrast(node.left)
        left = (self._quantity if bare else self._operand)(node.left, bits=left_bits)
        return f"{left} {SIGNS[node.operator]} {self._operand(node.right, bits=right_bits)}"

    def _operand(self, node: Expression, *, bits: bool) -> str:
        """Say a part of something longer; what is no single thing stands in brackets."""
        said = self._quantity(node, bits=bits)
        is_single = isinstance(node, Number) or is_truth(node) or self._spot(node) is not None
        return said if is_single else f"({said})"

    # --- places

    def _spot(self, node: Expression) -> _Spot | None:
        """Return regions of one condition whose values are added up, each once."""
        match node:
            case RegionValue():
                regions = () if node.region is None else (node.region,)
                return _Spot(regions, node.condition)
            # The means of two regions, added up, are no mean of anything.
            case Arithmetic(operator="+") if self.metric == "sum":
                left, right = self._spot(node.left), self._spot(node.right)
                if not left or not right or left.condition != right.condition:
                    return None
                is_apart = not set(left.regions) & set(right.regions)
                if left.regions and right.regions and is_apart:
                    return _Spot((*left.regions, *right.regions), left.condition)
        return None

    def _contrast(self, node: Expression) -> tuple[_Spot, _Spot] | None:
        """Return the two sides of a difference between two conditions at the same regions."""
        if isinstance(node, Arithmetic) and node.operator == "-":
            left, right = self._spot(node.left), self._spot(node.right)
            if left and right and left.regions == right.regions and left != right:
                return left, right
        return None

    def _at(self, regions: tuple[int, ...]) -> str:
        if self.metric != "sum":
            return f"in the {self.measure} of {self._place(regions)}"
        return f"{'at' if regions else 'over'} {self._place(regions)}"

    def _place(self, regions: tuple[int, ...]) -> str:
        if not regions:
            return "the whole sentence"
        *others, last = map(self._region, regions)
        if not others:
            return f"region {last}"
        return f"regions {', '.join(others)} and {last} together"

    def _region(self, number: int) -> str:
        name = self.region_names.get(number, "").strip()
        if any(each in name for each in "()*,"):
            name = f'"{name}"'
        return f"{number} ({name})" if name else str(number)


def _be(operator: ComparisonOperator, *, must: bool, is_plural: bool = False) -> str:
    verb, *rest = ("must", "be") if must else ("are" if is_plural else "is",)
    return " ".join([verb, *(["not"] if operator == "!=" else []), *rest])


def _difference(left: _Spot, right: _Spot) -> str:
    return f"the difference {_condition(left.condition)} minus {_condition(right.condition)}"


def _condition(name: str) -> str:
    return f"%{name}%" if "*" in name else f"*{name}*"


def _is_in_bits(node: Expression) -> bool:
    """Say whether a number is one of bits; how often something holds is none."""
    if is_truth(node):
        return False
    return isinstance(node, RegionValue) or any(map(_is_in_bits, children(node)))
