"""The tree of a formula: frozen nodes that know where they stood in the text, and print again."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from typing import Generic, Literal, TypeVar

from pommel.values import frozen, positional

Span = tuple[int, int]

ArithmeticOperator = Literal["+", "-", "*", "/"]
ComparisonOperator = Literal["<", ">", "=", "<=", ">=", "!="]
LogicalOperator = Literal["&", "|"]


@frozen
class Node:
    """What all nodes share: `span`, the characters `[start, end)` of the text (never compared)."""

    span: Span = field(default=(0, 0), compare=False, repr=False)


@frozen
class Number(Node):
    """A constant, in bits when it is compared with a region."""

    value: float


@frozen
class RegionValue(Node):
    """The metric of one region of a condition; of all its tokens where `region` is None (`*`)."""

    region: int | None
    condition: str


@frozen
class Negative(Node):
    """Unary minus."""

    operand: "Expression"


@frozen
class Absolute(Node):
    """abs( )."""

    operand: "Expression"


@frozen
class Negation(Node):
    """Logical not, `!`."""

    operand: "Expression"


@frozen
class Arithmetic(Node):
    """`+ - * /`; a truth value counts as 0 or 1."""

    operator: ArithmeticOperator
    left: "Expression"
    right: "Expression"


@frozen
class Comparison(Node):
    """`< > = <= >= !=`; `=` and `!=` with a tolerance (see `judge`)."""

    operator: ComparisonOperator
    left: "Expression"
    right: "Expression"


@frozen
class Logical(Node):
    """`&` or `|`. `bracketed` says whether the author put brackets around it (never compared)."""

    operator: LogicalOperator
    left: "Expression"
    right: "Expression"
    bracketed: bool = field(default=False, compare=False, repr=False)


Expression = (
    Number | RegionValue | Negative | Absolute | Negation | Arithmetic | Comparison | Logical
)


def children(node: Expression) -> tuple[Expression, ...]:
    """Return the operands of a node, left to right."""
    match node:
        case Negative(operand=operand) | Absolute(operand=operand) | Negation(operand=operand):
            return (operand,)
        case Arithmetic() | Comparison() | Logical():
            return (node.left, node.right)
        case _:
            return ()


def walk(node: Expression) -> Iterator[Expression]:
    """Yield the node and all below it, in the order of the text."""
    yield node
    for child in children(node):
        yield from walk(child)


def joined(node: Logical) -> list[Expression]:
    """Return what one operator joins, in the order of the text, brackets around parts or not."""
    found: list[Expression] = []
    waiting: list[Expression] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Logical) and each.operator == node.operator:
            waiting += [each.right, each.left]
        else:
            found.append(each)
    return found


def is_truth(node: Expression) -> bool:
    """Say whether a node is true or false, rather than a number."""
    return isinstance(node, Comparison | Logical | Negation)


def no_truth(node: Expression) -> AssertionError:
    """Return the error for a number where only a truth can be."""
    return AssertionError(f"the parser lets no {type(node).__name__} stand for a truth")


V = TypeVar("V", bound=Hashable)


@positional
class Form(Generic[V]):
    """The sum of `factors[v] * v` over all variables v, none of them 0, and a constant."""

    factors: Mapping[V, Fraction] = field(default_factory=dict)
    constant: Fraction = Fraction(0)

    def __hash__(self) -> int:
        return hash(frozenset(self.factors))  # fractions are slow to hash

    def __add__(self, other: "Form[V]") -> "Form[V]":
        factors = dict(self.factors)
        for each, factor in other.factors.items():
            factors[each] = factors[each] + factor if each in factors else factor
        known = {each: factor for each, factor in factors.items() if factor}
        return Form(known, self.constant + other.constant)

    def __neg__(self) -> "Form[V]":
        return self * Fraction(-1)

    def __sub__(self, other: "Form[V]") -> "Form[V]":
        return self + -other

    def __mul__(self, number: Fraction) -> "Form[V]":
        factors = {each: factor * number for each, factor in self.factors.items() if number}
        return Form(factors, self.constant * number)

    def calculated(self, operator: ArithmeticOperator, other: "Form[V]") -> "Form[V] | None":
        """Return `self operator other`; None for what is no such sum, a division by 0 included."""
        match operator:
            case "+":
                return self + other
            case "-":
                return self - other
            case "*" if not other.factors:
                return self * other.constant
            case "*" if not self.factors:
                return other * self.constant
            case "/" if not other.factors and other.constant:
                return self * (1 / other.constant)
            case _:
                return None


def linear(node: Expression) -> Form[RegionValue] | None:
    """Return a number as a sum of regions, each times a constant; None for what is none."""
    match node:
        case Number():
            return Form(constant=Fraction(node.value))
        case RegionValue():
            return Form({node: Fraction(1)})
        case Negative():
            operand = linear(node.operand)
            return operand and -operand
        case Arithmetic():
            left, right = linear(node.left), linear(node.right)
            return left and right and left.calculated(node.operator, right)
        case _:
            return None


def to_text(node: Expression) -> str:
    """Print a tree with as few brackets as parsing it again allows."""
    match node:
        case Number():
            # Python writes whole floats as "3.0", and large ones as "1e+16", which parses.
            return repr(node.value).removesuffix(".0")
        case RegionValue():
            return f"({'*' if node.region is None else node.region};%{node.condition}%)"
        case Absolute():
            return f"abs({to_text(node.operand)})"
        case Negative() | Negation():
            sign = "-" if isinstance(node, Negative) else "!"
            return sign + _bracketed(node.operand, below=_ATOM)
        case Comparison():
            sides = (_bracketed(side, below=_SUM) for side in (node.left, node.right))
            return f" {node.operator} ".join(sides)
        case Arithmetic() | Logical():
            # The left side may stand as it is at the same level: both associate to the left.
            level = _level(node)
            left = _bracketed(node.left, below=level)
            return f"{left} {node.operator} {_bracketed(node.right, below=level + 1)}"


_LOGICAL, _COMPARISON, _SUM, _PRODUCT, _UNARY, _ATOM = range(6)


def _level(node: Expression) -> int:
    match node:
        case Logical():
            return _LOGICAL
        case Comparison():
            return _COMPARISON
        case Arithmetic():
            return _SUM if node.operator in "+-" else _PRODUCT
        case Negative() | Negation():
            return _UNARY
        case _:
            return _ATOM


def _bracketed(node: Expression, *, below: int) -> str:
    # "-" before a bare number would be read as its sign, and "--1" as a positive number.
    is_signed = isinstance(node, Number) and below == _ATOM
    text = to_text(node)
    return f"({text})" if _level(node) < below or is_signed else text
