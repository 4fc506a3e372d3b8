"""Truth and margin of a formula, for all items at once, and its value in the retired package."""

import operator
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

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
    no_truth,
    walk,
)
from pommel.surprisal import Token
from pommel.values import frozen, positional

Bits = NDArray[np.float64]
Truths = NDArray[np.bool_]

# (region, condition) -> the region's metric for every item; region None is the whole sentence.
Lookup = Callable[[int | None, str], Bits]

# `=` as in SyntaxGym, which used numpy.isclose: |a - b| <= ABSOLUTE + RELATIVE * |b|.
ABSOLUTE_TOLERANCE_BITS = 1e-3
RELATIVE_TOLERANCE = 1e-5


@frozen
class Verdict:
    """What became of a prediction; every array has the shape (n_items,).

    `holds`: whether it is true. `margin_bits`: how far it is from flipping, positive where it
    holds and negative where not (0 is a tie, on the side that `holds` says); NaN where `defined`
    is False. `tie`: some `<` or `>` of the formula compared two equal values, and so failed; what
    differs by `Token.TIE_BITS` at most is equal. `defined`: the values that decide the truth are
    there; where they are not (the mean of an empty region) `holds` is False.
    """

    holds: Truths
    margin_bits: Bits
    tie: Truths
    defined: Truths


def judge(tree: Expression, lookup: Lookup, n_items: int) -> Verdict:
    """Evaluate a formula's tree over all items: see `Formula.judge`."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        truth = _truth(tree, lookup)
        tie = _tie(tree, lookup)
    margin = np.where(truth.defined, truth.margin, np.nan)
    return Verdict(
        holds=np.full(n_items, truth.holds & truth.defined),
        margin_bits=np.full(n_items, margin),
        tie=np.full(n_items, tie),
        defined=np.full(n_items, truth.defined),
    )


@positional
class _Truth:
    """One node's truth; the arrays are of shape (n_items,), or () where no region is mentioned."""

    holds: Truths
    margin: Bits
    defined: Truths


def _tie(tree: Expression, lookup: Lookup) -> Truths:
    """Say where any `<` or `>` met two equal values, one within a sum of truths included."""
    tie = np.asarray(False)  # noqa: FBT003 - numpy has no other way to say it
    for node in walk(tree):
        if isinstance(node, Comparison) and node.operator in ("<", ">"):
            tie = tie | (_difference(_number(node.left, lookup), _number(node.right, lookup)) == 0)
    return tie


def _number(node: Expression, lookup: Lookup) -> Bits:
    match node:
        case Number():
            return np.asarray(node.value, dtype=np.float64)
        case RegionValue():
            return lookup(node.region, node.condition)
        case Negative():
            return np.negative(_number(node.operand, lookup))
        case Absolute():
            return np.abs(_number(node.operand, lookup))
        case Arithmetic():
            left, right = _number(node.left, lookup), _number(node.right, lookup)
            operation = _ARITHMETIC[node.operator]
            return np.asarray(operation(left, right), dtype=np.float64)
        case _:
            # A truth value used as a number counts 0 or 1, and nothing where it is undefined.
            truth = _truth(node, lookup)
            return np.where(truth.defined, truth.holds.astype(np.float64), np.nan)


_ARITHMETIC: dict[str, np.ufunc] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}


def _truth(node: Expression, lookup: Lookup) -> _Truth:
    match node:
        case Comparison():
            return _compare(node.operator, _number(node.left, lookup), _number(node.right, lookup))
        case Logical():
            left, right = _truth(node.left, lookup), _truth(node.right, lookup)
            if node.operator == "&":
                return _both(left, right)
            return _opposite(_both(_opposite(left), _opposite(right)))
        case Negation():
            return _opposite(_truth(node.operand, lookup))
        case _:
            raise no_truth(node)


def _compare(operator: str, left: Bits, right: Bits) -> _Truth:
    defined = ~(np.isnan(left) | np.isnan(right))
    if operator in ("=", "!="):
        margin = _closeness(left, right)
        truth = _Truth(margin >= 0, margin, defined)
        return truth if operator == "=" else _opposite(truth)
    margin = _difference(right, left) if operator in ("<", "<=") else _difference(left, right)
    return _Truth(margin > 0 if operator in ("<", ">") else margin >= 0, margin, defined)


def _difference(left: Bits, right: Bits) -> Bits:
    """Return left - right, and 0 where these are equal but for rounding."""
    difference = left - right
    # Infinities on both sides: their difference is not a number, and yet they are equal.
    is_equal = (left == right) | (np.abs(difference) <= Token.TIE_BITS)
    return np.where(is_equal, 0.0, difference)


def settled(tree: Expression, lookup: Lookup, room: Lookup, n_items: int) -> Truths:
    """Say whether truth stays when values move by up to their `room`: see `Formula.settled`."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return np.full(n_items, _settled(tree, lookup, room))


def _settled(node: Expression, lookup: Lookup, room: Lookup) -> Truths:
    match node:
        case Comparison():
            margin = _truth(node, lookup).margin
            left, right = (_room(side, lookup, room) for side in (node.left, node.right))
            # The tolerance of `=` moves with its right side.
            scale = 1 + RELATIVE_TOLERANCE * (node.operator in ("=", "!="))
            moved = np.asarray(left + scale * right)
            # What is equal within `Token.TIE_BITS` has the margin 0, and may come out of that.
            reach = np.where(moved == 0, 0.0, moved + Token.TIE_BITS)
            # What is undefined for lack of tokens has no margin, and is so within any room.
            return np.asarray((reach == 0) | np.isfinite(reach) & ~(np.abs(margin) <= reach))
        case Logical():
            sides = [(_settled(side, lookup, room), side) for side in (node.left, node.right)]
            # One side that is settled may decide alone.
            found = np.asarray(sides[0][0] & sides[1][0])
            for is_settled, side in sides:
                truth = _truth(side, lookup)
                found |= is_settled & truth.defined & (truth.holds == (node.operator == "|"))
            return found
        case Negation():
            return _settled(node.operand, lookup, room)
        case _:
            raise no_truth(node)


def _room(node: Expression, lookup: Lookup, room: Lookup) -> Bits:
    """Return how far a number may move when the values in it do; infinite where it may jump."""
    match node:
        case Number():
            return np.zeros(())
        case RegionValue():
            # What is infinite in one format need not be so in another.
            place = node.region, node.condition
            return np.where(np.isinf(lookup(*place)), np.inf, room(*place))
        case Negative() | Absolute():
            return _room(node.operand, lookup, room)
        case Arithmetic():
            sides = (node.left, node.right)
            left, right = (_room(side, lookup, room) for side in sides)
            if node.operator in ("+", "-"):
                return left + right
            # Of factors, one names no region; a divisor names none.
            a, b = (np.abs(_number(side, lookup)) for side in sides)
            return np.asarray(a * right + b * left if node.operator == "*" else left / b)
        case _:
            return np.where(_settled(node, lookup, room), 0.0, np.inf)


def _closeness(left: Bits, right: Bits) -> Bits:
    """Return how far |left - right| is below the tolerance of `=`; negative where it is above."""
    tolerance = ABSOLUTE_TOLERANCE_BITS + RELATIVE_TOLERANCE * np.abs(right)
    both_finite = np.isfinite(left) & np.isfinite(right)
    far = np.where(left == right, np.inf, -np.inf)
    return np.where(both_finite, tolerance - np.abs(left - right), far)


def _both(left: _Truth, right: _Truth) -> _Truth:
    decided = (left.defined & ~left.holds) | (right.defined & ~right.holds)
    # An undefined margin takes no part.
    margins = (np.where(side.defined, side.margin, np.inf) for side in (left, right))
    return _Truth(
        left.holds & right.holds,
        np.asarray(np.minimum(*margins), dtype=np.float64),
        (left.defined & right.defined) | decided,
    )


def _opposite(truth: _Truth) -> _Truth:
    return _Truth(~truth.holds, 0.0 - truth.margin, truth.defined)


def syntaxgym_value(node: Expression, surprisals: Mapping[tuple[str, int], float]) -> float | bool:
    """Evaluate a tree for one item, as the retired package did: see `Formula.syntaxgym_value`."""
    match node:
        case Number():
            return node.value
        case RegionValue():
            return _region_value(node, surprisals)
        case Arithmetic() | Comparison() | Logical():
            left = syntaxgym_value(node.left, surprisals)
            right = syntaxgym_value(node.right, surprisals)
            return _OPERATIONS[node.operator](left, right)
        case _:
            raise AssertionError(f"SyntaxGym's formulas have no {type(node).__name__}")


def _region_value(node: RegionValue, surprisals: Mapping[tuple[str, int], float]) -> float:
    if node.region is not None:
        return surprisals[node.condition, node.region]
    # A sum, whatever the metric is: so it was.
    return sum(bits for (name, _), bits in surprisals.items() if name == node.condition)


def _is_close(left: float, right: float) -> bool:
    return bool(np.isclose(left, right, rtol=RELATIVE_TOLERANCE, atol=ABSOLUTE_TOLERANCE_BITS))


_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "<": operator.lt,
    ">": operator.gt,
    "=": _is_close,
    "&": lambda left, right: left and right,
    "|": lambda left, right: left or right,
}
