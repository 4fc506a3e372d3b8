"""The tree of a formula: frozen nodes that know where they stood in the text, and print again."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Span = tuple[int, int]

ArithmeticOperator = Literal["+", "-", "*", "/"]
ComparisonOperator = Literal["<", ">", "=", "<=", ">=", "!="]
LogicalOperator = Literal["&", "|"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What all nodes share: `span`, the characters `[start, end)` of the text (never compared)."""

    span: Span = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Node):
    """A constant, in bits when it is compared with a region."""

    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionValue(Node):
    """The metric of one region of a condition; of all its tokens where `region` is None (`*`)."""

    region: int | None
    condition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Negative(Node):
    """Unary minus."""

    operand: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Absolute(Node):
    """abs( )."""

    operand: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Negation(Node):
    """Logical not, `!`."""

    operand: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic(Node):
    """`+ - * /`; a truth value counts as 0 or 1."""

    operator: ArithmeticOperator
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Node):
    """`< > = <= >= !=`; `=` and `!=` with a tolerance (see `judge`)."""

    operator: ComparisonOperator
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
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


def is_truth(node: Expression) -> bool:
    """Say whether a node is true or false, rather than a number."""
    return isinstance(node, Comparison | Logical | Negation)


def to_text(node: Expression) -> str:
    """Print a tree with as few brackets as parsing it again allows."""
    match node:
        case Number():
            return _number_text(node.value)
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


def _number_text(value: float) -> str:
    # Python writes whole floats as "3.0", and large ones as "1e+16", which parses.
    return repr(value).removesuffix(".0")
