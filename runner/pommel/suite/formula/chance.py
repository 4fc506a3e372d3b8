"""How often a formula would hold by chance, wholly or where there are ties."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from itertools import permutations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pommel.suite.formula.judge import Bits, Lookup, judge
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
    joined,
    linear,
    walk,
)
from pommel.values import frozen

# Of so many regions all orders are counted (8! = 40,320); of more, some are drawn.
N_ORDERED = 8

# The standard error of one simulated share is at most 0.0005.
N_SIMULATED = 1_000_000
_N_SIMULATED_AT_ONCE = 100_000

# So large are the draws that the tolerance of `=`, which is in bits, makes no difference. A power
# of 2: multiplying by it changes no digit.
_SCALE = 2.0**40


@frozen
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


def chance_of_all(formulas: Sequence[Formula]) -> Chance:
    """Return how often all formulas (a suite's predictions) hold on one item by chance.

    The surprisals of all regions that they name, whole sentences (`*`) among them, are positive
    independent draws from one continuous distribution; so two of them are never equal. Where a
    sentence stands beside a region of its own, that is not so, and the share is only "assumed".

    1. Parts of `&` and `|` that share no region are independent, and their shares multiply.
    2. Where each comparison of a part depends only on which region has the higher value, the
       orders of its regions in which it holds are counted, of up to `N_ORDERED` regions.
    3. A comparison of sums that become each other by exchanging regions holds in half of the cases.
    4. Everything else is simulated, with `judge`, always with the same draws.

    There is none (NaN, "undefined") where a number of bits is compared with surprisals or added
    to them: that depends on how large surprisals are. `=` has no tolerance here. Raises
    `ValueError` for no formulas.
    """
    if not formulas:
        raise ValueError("no formula has no chance")
    tree = _all_joined("&", [formula.tree for formula in formulas])
    comparisons = [node for node in walk(tree) if isinstance(node, Comparison)]
    if any(math.isnan(_common(_degree(each.left), _degree(each.right))) for each in comparisons):
        return Chance(share=math.nan, method="undefined")
    regions = _regions(tree)
    sentences = {each.condition for each in regions if each.region is None}
    # A whole sentence, and a region of it.
    is_assumed = any(each.region is not None and each.condition in sentences for each in regions)
    found = _chance(tree)
    return replace(found, method="assumed") if is_assumed else found


def shares_where_tied(
    formulas: Sequence[Formula], lookups: Sequence[Lookup], n_items: int
) -> NDArray[np.float64]:
    """Return how likely all formulas hold on each item if ties are broken by chance, (n_items,).

    Each formula reads the values of its own lookup. An item on which no tie matters has 1 where all
    formulas hold, and 0 where not. A tie is two equal sides of `<`, `>`, `<=` or `>=` that are not
    the same regions; it comes out as if all values were moved by something of their own that is too
    small to change what is no tie. So what is tied holds by chance (see `chance_of_all`), and what
    has nothing but ties holds as often as it would by chance alone. `=` and `!=` keep their
    tolerance. Where a value is undefined, `judge` has its way.
    """
    pairs = [*zip([formula.tree for formula in formulas], lookups, strict=True)]
    verdicts = [judge(tree, lookup, n_items) for tree, lookup in pairs]
    shares: NDArray[np.float64] = np.all([each.holds for each in verdicts], axis=0).astype(float)
    compared = [
        (node, lookup)
        for tree, lookup in pairs
        for node in walk(tree)
        if isinstance(node, Comparison)
    ]
    states = np.array([_states(node, lookup, n_items) for node, lookup in compared]).T
    is_open = (states == _TIED).any(axis=1) & (states != _UNDEFINED).all(axis=1)
    for pattern in np.unique(states[is_open], axis=0):
        left = iter(pattern.tolist())
        parts = [_undecided(tree, left) for tree, _ in pairs]
        rest = reduce(lambda one, other: _of_two("&", one, other), parts)
        share = rest.value if isinstance(rest, Number) else _chance(rest).share
        shares[is_open & (states == pattern).all(axis=1)] = share
    return shares


# What a comparison may be on an item.
_FALSE, _TRUE, _TIED, _UNDEFINED = range(4)


def _states(comparison: Comparison, lookup: Lookup, n_items: int) -> NDArray[np.int8]:
    verdict = judge(comparison, lookup, n_items)
    states = verdict.holds.astype(np.int8)
    difference = Arithmetic(operator="-", left=comparison.left, right=comparison.right)
    form = linear(difference)
    # Two sides that are the same regions are equal, however these are moved.
    depends = form.factors if form else _names_regions(difference)
    if depends and comparison.operator not in ("=", "!="):
        states[verdict.margin_bits == 0] = _TIED
    # What counts truths hangs on their ties.
    for node in walk(difference):
        if isinstance(node, Comparison):
            states[_states(node, lookup, n_items) == _TIED] = _TIED
    states[~verdict.defined] = _UNDEFINED
    return states


def _undecided(node: Expression, states: Iterator[int]) -> Expression:
    """Return what is left of a node when what its comparisons say is put in: 1, 0, or the tie.

    `states` are those of its comparisons, in the order of `walk`.
    """
    match node:
        case Number() | RegionValue():
            return node
        case Negative() | Absolute() | Negation():
            operand = _undecided(node.operand, states)
            if isinstance(node, Negation) and isinstance(operand, Number):
                return Number(value=1 - operand.value)
            return replace(node, operand=operand)
        case _:
            state = next(states) if isinstance(node, Comparison) else _TIED
            left = _undecided(node.left, states)
            right = _undecided(node.right, states)
            if isinstance(node, Logical):
                return _of_two(node.operator, left, right)
            is_open = state == _TIED
            return replace(node, left=left, right=right) if is_open else Number(value=float(state))


def _of_two(operator: LogicalOperator, left: Expression, right: Expression) -> Expression:
    """Return what is left of `left & right`, or `|`; a number is a truth that is known."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Number):
            return one if one.value == (operator == "|") else other
    return Logical(operator=operator, left=left, right=right)


def _chance(node: Expression) -> Chance:
    if isinstance(node, Negation):
        opposite = _chance(node.operand)
        return replace(opposite, share=1 - opposite.share)
    if isinstance(node, Logical):
        parts = _independent_parts(node)
        if len(parts) > 1:
            return _joint(node, [_chance(part) for part in parts])
    n_regions = len(_regions(node))
    shapes = {_shape(each) for each in walk(node) if isinstance(each, Comparison)}
    if shapes <= {"order"} and n_regions <= N_ORDERED:
        orders = np.array([*permutations(range(1, n_regions + 1))], dtype=np.float64)
        return Chance(share=_share(node, orders), method="exact")
    if isinstance(node, Comparison) and shapes == {"exchange"}:
        # Equal values have no share: the distribution is continuous.
        share = {"=": 0.0, "!=": 1.0}.get(node.operator, 0.5)
        return Chance(share=share, method="exact")
    return _simulated(_renamed(node, {each: n for n, each in enumerate(_regions(node))}))


def _joint(node: Logical, parts: Sequence[Chance]) -> Chance:
    is_exact = all(part.method == "exact" for part in parts)
    if node.operator == "&":
        share = math.prod(part.share for part in parts)
    else:
        share = 1 - math.prod(1 - part.share for part in parts)
    return Chance(share=share, method="exact" if is_exact else "simulated")


def _all_joined(operator: LogicalOperator, parts: Sequence[Expression]) -> Expression:
    return reduce(lambda left, right: Logical(operator=operator, left=left, right=right), parts)


def _regions(node: Expression) -> list[RegionValue]:
    """Return the distinct regions that are named, in the order of the text."""
    return list(dict.fromkeys(each for each in walk(node) if isinstance(each, RegionValue)))


def _independent_parts(node: Logical) -> list[Expression]:
    """Return what one operator joins, but that which shares regions stays together."""
    parts: list[Expression] = []
    for operand in joined(node):
        regions = set(_regions(operand))
        related = [part for part in parts if regions & {*_regions(part)}]
        parts = [part for part in parts if part not in related]
        parts.append(_all_joined(node.operator, [*related, operand]))
    return parts


def _degree(node: Expression) -> float:
    """Return which power of bits a number is: of a surprisal 1, of a constant or a truth 0.

    NaN where powers are mixed; infinite for 0, which is any power. A comparison of one power comes
    out the same if all surprisals are doubled.
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
    if not _names_regions(difference):
        return "order"
    form = linear(difference)
    if form is None or form.constant:
        return "other"
    above = sorted(factor for factor in form.factors.values() if factor > 0)
    below = sorted(-factor for factor in form.factors.values() if factor < 0)
    if not above or not below or (above == below and len(above) == 1):
        return "order"
    return "exchange" if above == below else "other"


def _names_regions(node: Expression) -> bool:
    return any(isinstance(each, RegionValue) for each in _walk_numbers(node))


def _walk_numbers(node: Expression) -> Iterator[Expression]:
    """Yield the node and all below it, but nothing that only a truth rests on."""
    if not is_truth(node):
        yield node
        for child in children(node):
            yield from _walk_numbers(child)


def _renamed(node: Expression, numbers: Mapping[RegionValue, int]) -> Expression:
    """Return a node whose regions have these numbers: formulas of one shape have one chance."""
    match node:
        case Number():
            return node
        case RegionValue():
            return RegionValue(region=numbers[node], condition="")
        case Negative() | Absolute() | Negation():
            return replace(node, operand=_renamed(node.operand, numbers))
        case _:
            left, right = (_renamed(each, numbers) for each in (node.left, node.right))
            return replace(node, left=left, right=right)


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
    verdict = judge(node, lambda region, name: values[:, columns[region, name]] * _SCALE, n_items)
    return int(verdict.holds.sum()) / n_items
