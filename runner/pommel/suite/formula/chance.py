"""How often a formula would hold by chance."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import chain, permutations
from typing import Literal

import numpy as np

from pommel.suite.formula.judge import Bits, judge
from pommel.suite.formula.parser import Formula
from pommel.suite.formula.tree import (
    Absolute,
    Arithmetic,
    Comparison,
    Expression,
    Logical,
    LogicalOperator,
    Negation,
    Negative,
    Number,
    RegionValue,
    children,
    is_truth,
    walk,
)

# Of so many regions all orders are counted (8! = 40,320); of more, some are drawn.
N_ORDERED = 8

# The standard error of one simulated share is at most 0.0005.
N_SIMULATED = 1_000_000
_N_SIMULATED_AT_ONCE = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """The share of items on which something holds by chance, and how it was found.

    "exact" shares are the same whatever the distribution. "simulated" ones are for surprisals that
    are exponentially distributed, that is, for probabilities that are uniform between 0 and 1, and
    have a standard error of less than 0.001. "assumed" ones take a whole sentence (`*`) and a
    region of it for independent, which they are not: the sentence has the region's surprisal in
    it. "undefined" ones are NaN.
    """

    share: float
    method: Literal["exact", "simulated", "assumed", "undefined"]


def chance(formula: Formula) -> Chance:
    """Return how often a formula holds if surprisals say nothing.

    The surprisals of all regions that it names, whole sentences (`*`) among them, are positive
    independent draws from one continuous distribution; so two of them are never equal. Where a
    sentence stands beside a region of its own, that is not so, and the share is only "assumed".

    1. Parts of `&` and `|` that share no region are independent, and their shares multiply.
    2. Where each comparison of a part depends only on which region has the higher value, the
       orders of its regions in which it holds are counted, of up to `N_ORDERED` regions.
    3. A comparison of sums that become each other by exchanging regions holds in half of the cases.
    4. Everything else is simulated, with `judge`, always with the same draws.

    There is none (NaN, "undefined") where a number of bits is compared with surprisals or added
    to them: that depends on how large surprisals are. `=` has no tolerance here.
    """
    return chance_of_all([formula])


def chance_of_all(formulas: Sequence[Formula]) -> Chance:
    """Return how often all formulas (a suite's predictions) hold on one item, as `chance` does.

    Raises `ValueError` where there is none.
    """
    if not formulas:
        raise ValueError("no formula has no chance")
    tree = reduce(_both, (formula.tree for formula in formulas))
    comparisons = [node for node in walk(tree) if isinstance(node, Comparison)]
    if not all(_is_scale_free(comparison) for comparison in comparisons):
        return Chance(share=math.nan, method="undefined")
    found = _chance(tree)
    return replace(found, method="assumed") if _has_part_and_whole(_regions(tree)) else found


def _has_part_and_whole(regions: Sequence[RegionValue]) -> bool:
    """Say whether a sentence is named as a whole, and by a region of it as well."""
    whole = {each.condition for each in regions if each.region is None}
    return any(each.region is not None and each.condition in whole for each in regions)


def _chance(node: Expression) -> Chance:
    if isinstance(node, Negation):
        return _opposite(_chance(node.operand))
    if isinstance(node, Logical):
        parts = _independent_parts(node)
        if len(parts) > 1:
            return _joint(node.operator, [_chance(part) for part in parts])
    shapes = {_shape(each) for each in walk(node) if isinstance(each, Comparison)}
    if shapes <= {"order"} and len(_regions(node)) <= N_ORDERED:
        return Chance(share=_share(node, _orders(len(_regions(node)))), method="exact")
    if isinstance(node, Comparison) and shapes == {"exchange"}:
        # Equal values have no share: the distribution is continuous.
        share = {"=": 0.0, "!=": 1.0}.get(node.operator, 0.5)
        return Chance(share=share, method="exact")
    return _simulated(node)


def _opposite(part: Chance) -> Chance:
    return replace(part, share=1 - part.share)


def _joint(operator: LogicalOperator, parts: Sequence[Chance]) -> Chance:
    is_exact = all(part.method == "exact" for part in parts)
    if operator == "&":
        share = math.prod(part.share for part in parts)
    else:
        share = 1 - math.prod(1 - part.share for part in parts)
    return Chance(share=share, method="exact" if is_exact else "simulated")


def _both(left: Expression, right: Expression) -> Expression:
    return Logical(operator="&", left=left, right=right)


# --- parts


def _regions(node: Expression) -> list[RegionValue]:
    """Return the distinct regions that are named, in the order of the text."""
    return list(dict.fromkeys(each for each in walk(node) if isinstance(each, RegionValue)))


def _independent_parts(node: Logical) -> list[Expression]:
    """Return what one operator joins, but that which shares regions stays together."""
    parts: list[tuple[set[RegionValue], Expression]] = []
    for operand in _operands(node, node.operator):
        regions, joined = set(_regions(operand)), operand
        apart = []
        for part in parts:
            if part[0] & regions:
                regions |= part[0]
                joined = Logical(operator=node.operator, left=part[1], right=joined)
            else:
                apart.append(part)
        parts = [*apart, (regions, joined)]
    return [part for _, part in parts]


def _operands(node: Expression, operator: LogicalOperator) -> Iterator[Expression]:
    if isinstance(node, Logical) and node.operator == operator:
        yield from _operands(node.left, operator)
        yield from _operands(node.right, operator)
    else:
        yield node


# --- comparisons


def _is_scale_free(comparison: Comparison) -> bool:
    """Say whether a comparison comes out the same if all surprisals are doubled."""
    return not math.isnan(_common(_degree(comparison.left), _degree(comparison.right)))


def _degree(node: Expression) -> float:
    """Return which power of bits a number is: of a surprisal 1, of a constant or a truth 0.

    NaN where powers are mixed; infinite for 0, which is any power.
    """
    match node:
        case Number():
            return math.inf if node.value == 0 else 0
        case RegionValue():
            return 1
        case Negative() | Absolute():
            return _degree(node.operand)
        case Arithmetic(operator="+" | "-"):
            return _common(_degree(node.left), _degree(node.right))
        case Arithmetic(operator="*"):
            return _degree(node.left) + _degree(node.right)
        case Arithmetic():
            # The parser lets surprisals be divided by numbers only.
            return _degree(node.left)
        case _:
            return 0


def _common(left: float, right: float) -> float:
    if left == right or math.isinf(right):
        return left
    return right if math.isinf(left) else math.nan


def _shape(comparison: Comparison) -> Literal["order", "exchange", "other"]:
    """Say what decides a comparison.

    "order": which region has the higher value, or nothing at all. "exchange": sums that become
    each other if regions are exchanged.
    """
    difference = Arithmetic(operator="-", left=comparison.left, right=comparison.right)
    if not any(isinstance(each, RegionValue) for each in _walk_numbers(difference)):
        return "order"
    coefficients = _linear(difference)
    if coefficients is None:
        return "other"
    above = sorted(each for each in coefficients.values() if each > 0)
    below = sorted(-each for each in coefficients.values() if each < 0)
    if not above or not below or (above == below and len(above) == 1):
        return "order"
    return "exchange" if above == below else "other"


def _walk_numbers(node: Expression) -> Iterator[Expression]:
    """Yield the node and all below it, but nothing that only a truth rests on."""
    if not is_truth(node):
        yield node
        for child in children(node):
            yield from _walk_numbers(child)


def _linear(node: Expression) -> Mapping[RegionValue, Fraction] | None:
    """Return how often each region is added; None for anything but a sum of them."""
    match node:
        case Number(value=0):
            return {}
        case RegionValue():
            return {node: Fraction(1)}
        case Negative():
            return _scaled(node.operand, Fraction(-1))
        case Arithmetic(operator="+"):
            return _sum(_linear(node.left), _linear(node.right))
        case Arithmetic(operator="-"):
            return _sum(_linear(node.left), _scaled(node.right, Fraction(-1)))
        case Arithmetic(operator="*", left=Number(value=factor)) if math.isfinite(factor):
            return _scaled(node.right, Fraction(factor))
        case Arithmetic(operator="*", right=Number(value=factor)) if math.isfinite(factor):
            return _scaled(node.left, Fraction(factor))
        case Arithmetic(operator="/", right=Number(value=divisor)) if math.isfinite(divisor):
            return _scaled(node.left, 1 / Fraction(divisor))
        case _:
            return None


def _scaled(node: Expression, factor: Fraction) -> Mapping[RegionValue, Fraction] | None:
    form = _linear(node)
    return None if form is None else {each: n * factor for each, n in form.items()}


def _sum(
    left: Mapping[RegionValue, Fraction] | None, right: Mapping[RegionValue, Fraction] | None
) -> Mapping[RegionValue, Fraction] | None:
    if left is None or right is None:
        return None
    zero = Fraction(0)
    return {each: left.get(each, zero) + right.get(each, zero) for each in {**left, **right}}


# --- counting


def _orders(n_regions: int) -> Bits:
    """Return all orders of n values, of shape (n!, n)."""
    values = chain.from_iterable(permutations(range(1, n_regions + 1)))
    return np.fromiter(values, dtype=np.float64).reshape(math.factorial(n_regions), n_regions)


@lru_cache(maxsize=256)
def _simulated(node: Expression) -> Chance:
    generator = np.random.default_rng(0)
    n_regions = len(_regions(node))
    shares = [
        _share(node, generator.exponential(size=(_N_SIMULATED_AT_ONCE, n_regions)))
        for _ in range(N_SIMULATED // _N_SIMULATED_AT_ONCE)
    ]
    return Chance(share=math.fsum(shares) / len(shares), method="simulated")


def _share(node: Expression, values: Bits) -> float:
    """Return the share of items, rows of `values` (n_items, n_regions), on which a node holds."""
    columns = {(each.region, each.condition): i for i, each in enumerate(_regions(node))}
    n_items = len(values)
    verdict = judge(_exact(node), lambda region, name: values[:, columns[region, name]], n_items)
    return int(verdict.holds.sum()) / n_items


def _exact(node: Expression) -> Expression:
    """Return a node in which `=` has no tolerance, which is in bits."""
    match node:
        case Negative() | Absolute() | Negation():
            return replace(node, operand=_exact(node.operand))
        case Arithmetic() | Comparison() | Logical():
            left, right = _exact(node.left), _exact(node.right)
            if isinstance(node, Comparison) and node.operator in ("=", "!="):
                not_above = Comparison(operator="<=", left=left, right=right)
                equal = _both(not_above, Comparison(operator=">=", left=left, right=right))
                return equal if node.operator == "=" else Negation(operand=equal)
            return replace(node, left=left, right=right)
        case _:
            return node
