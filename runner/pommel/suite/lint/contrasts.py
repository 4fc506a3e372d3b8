"""What a formula compares: pairs of conditions, and which one should be more surprising."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pommel.suite.formula import Formula
from pommel.suite.formula.tree import (
    Absolute,
    Arithmetic,
    Comparison,
    Expression,
    Logical,
    Negation,
    Negative,
    Number,
    RegionValue,
    children,
)

# Whether a number should be large (1) or small (-1), a comparison true (1) or false (-1); 0 is
# neither.
_Direction = Literal[-1, 0, 1]
_TOWARDS: dict[str, _Direction] = {"<": 1, "<=": 1, ">": -1, ">=": -1, "=": 0, "!=": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Regions of one condition that are added up; `regions` is None for all of them (`*`)."""

    condition: str
    regions: tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two sides that a formula compares.

    If it is `directed`, `less` should be less surprising than `more`; if not (`=`, `abs`), `less`
    is only the one that comes first.
    """

    less: Side
    more: Side
    directed: bool

    @property
    def sides(self) -> frozenset[Side]:
        """Both sides, whichever should be more surprising."""
        return frozenset((self.less, self.more))

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


def _contrasts(node: Expression, towards: _Direction) -> Iterator[Contrast]:
    match node:
        case Comparison():
            own = _turned(towards, _TOWARDS[node.operator])
            yield from _compared(node.left, node.right, own)
        case Arithmetic(operator="-"):
            # A difference is large where its right side is small.
            yield from _compared(node.left, node.right, _turned(towards, -1))
        case Negation() | Negative():
            yield from _contrasts(node.operand, _turned(towards, -1))
        case Logical() | Arithmetic(operator="+"):
            for child in children(node):
                yield from _contrasts(child, towards)
        case Arithmetic() if product := _product(node):
            operand, factor = product
            yield from _contrasts(operand, _turned(towards, _sign(factor)))
        case Arithmetic() | Absolute():
            for child in children(node):
                yield from _contrasts(child, 0)
        case _:
            pass


def _turned(one: _Direction, other: _Direction) -> _Direction:
    return 0 if not one or not other else 1 if one == other else -1


def _compared(left: Expression, right: Expression, towards: _Direction) -> Iterator[Contrast]:
    """Yield the contrast of two expressions, or else those in them.

    `towards` is 1 if the right one should be larger than the left one, and -1 if smaller.
    """
    left_terms, right_terms = _terms(left, -1), _terms(right, 1)
    if left_terms is not None and right_terms is not None:
        terms = left_terms + right_terms
        less = _side([region for sign, region in terms if sign < 0])
        more = _side([region for sign, region in terms if sign > 0])
        if less and more:
            if less.condition != more.condition:
                less, more = (more, less) if towards < 0 else (less, more)
                yield Contrast(less=less, more=more, directed=towards != 0)
            return
    yield from _contrasts(left, _turned(towards, -1))
    yield from _contrasts(right, towards)


def _terms(node: Expression, sign: int) -> list[tuple[int, RegionValue]] | None:
    """Return the regions that are added up, each with its sign; None if there is more to it.

    By how much a region is multiplied is not told.
    """
    match node:
        case Number():
            return []
        case Arithmetic(operator="*" | "/") if product := _product(node):
            operand, factor = product
            return _terms(operand, sign * _sign(factor)) if factor else []
        case RegionValue():
            return [(sign, node)]
        case Negative():
            return _terms(node.operand, -sign)
        case Arithmetic(operator="+" | "-"):
            left = _terms(node.left, sign)
            right = _terms(node.right, sign if node.operator == "+" else -sign)
            return None if left is None or right is None else left + right
        case _:
            return None


def _product(node: Arithmetic) -> tuple[Expression, float] | None:
    """Return what is multiplied or divided by a number, and this number."""
    left, right = _number(node.left), _number(node.right)
    match node.operator:
        case "*" if right is not None:
            return node.left, right
        case "*" if left is not None:
            return node.right, left
        case "/" if right:
            return node.left, right
        case _:
            return None


def _number(node: Expression) -> float | None:
    match node:
        case Number():
            return node.value
        case Negative():
            value = _number(node.operand)
            return None if value is None else -value
        case Arithmetic(operator="*" | "/"):
            left, right = _number(node.left), _number(node.right)
            if left is None or right is None or (node.operator == "/" and not right):
                return None
            return left * right if node.operator == "*" else left / right
        case _:
            return None


def _sign(number: float) -> _Direction:
    return 0 if not number else 1 if number > 0 else -1


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
