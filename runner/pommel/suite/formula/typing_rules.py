"""What may stand where in a formula, beyond its syntax."""

import re

from pommel.suite.formula.hints import error_at
from pommel.suite.formula.tree import (
    Absolute,
    Arithmetic,
    Comparison,
    Expression,
    Formula,
    Logical,
    Negation,
    Negative,
    Number,
    RegionValue,
    is_truth,
    walk,
)

_SYNTAXGYM_NAME = re.compile(r"[A-Za-z0-9_-]+")
_SYNTAXGYM_NUMBER = re.compile(r"[+-]?[0-9.]")


def check(formula: Formula) -> None:
    """Raise `FormulaError` for the first place that makes no sense.

    The whole must be true or false; so must both sides of `&` and `|` and what follows `!`.
    Surprisals are multiplied and divided by numbers only: bits times bits mean nothing.
    """
    _require_truth(formula, formula.tree, "a prediction must be true or false")
    for node in walk(formula.tree):
        match node:
            case Logical():
                for side in (node.left, node.right):
                    _require_truth(formula, side, f"{node.operator!r} joins comparisons")
            case Negation():
                _require_truth(formula, node.operand, "'!' turns a comparison round")
            case Arithmetic(operator="*" | "/"):
                _check_scaling(formula, node)
            case _:
                pass


def check_syntaxgym(formula: Formula) -> None:
    """Raise `FormulaError` for what the retired package could not parse."""
    for node in walk(formula.tree):
        construct = _beyond_syntaxgym(formula, node)
        if construct:
            raise error_at(formula.text, node.span, f"SyntaxGym's formulas have no {construct}")


def _beyond_syntaxgym(formula: Formula, node: Expression) -> str:
    match node:
        case Negation():
            return "'!'"
        case Absolute():
            return "abs( )"
        case Negative():
            return "minus sign before anything but a number"
        case Number():
            # One sign, right before the digits; the span may include brackets.
            written = formula.text[slice(*node.span)].lstrip("([ \t\r\n\f")
            return "" if _SYNTAXGYM_NUMBER.match(written) else "such sign before a number"
        case Arithmetic(operator="*" | "/") | Comparison(operator="<=" | ">=" | "!="):
            return repr(node.operator)
        case RegionValue() if not _SYNTAXGYM_NAME.fullmatch(node.condition):
            return f"condition name like {node.condition!r}"
        case _:
            return ""


def _require_truth(formula: Formula, node: Expression, reason: str) -> None:
    if not is_truth(node):
        raise error_at(
            formula.text, node.span, f"{reason}, and this is a number", "compare it with something"
        )


def _check_scaling(formula: Formula, node: Arithmetic) -> None:
    if _mentions_region(node.right) and (node.operator == "/" or _mentions_region(node.left)):
        verb = "multiplied" if node.operator == "*" else "divided"
        message = f"surprisals can be {verb} by numbers only"
        raise error_at(formula.text, node.right.span, message)
    if node.operator == "/" and _constant(node.right) == 0:
        raise error_at(formula.text, node.right.span, "this divides by zero")


def _mentions_region(node: Expression) -> bool:
    return any(isinstance(below, RegionValue) for below in walk(node))


def _constant(node: Expression) -> float | None:
    """Return the value of a number, with its signs; None for anything longer."""
    match node:
        case Number():
            return node.value
        case Negative(operand=operand):
            inner = _constant(operand)
            return None if inner is None else -inner
        case _:
            return None
