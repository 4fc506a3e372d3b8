"""Truth, margin, ties and missing values; a scalar evaluator in plain Python is the oracle."""

import math
import random
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from numpy.typing import NDArray
from tests.suite.formula.strategies import truths

from pommel.suite.formula import Formula
from pommel.suite.formula.judge import Verdict
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
    to_text,
)

INF, NAN = math.inf, math.nan


def judged(text: str, **bits: float | list[float]) -> Verdict:
    """Judge a formula in which `(1;%a%)` has the values `a=[...]`, one an item."""
    columns = {name: np.atleast_1d(np.asarray(each, float)) for name, each in bits.items()}
    n_items = max((len(column) for column in columns.values()), default=1)
    return Formula.parse(text).judge(lambda _region, name: columns[name], n_items)


@pytest.mark.parametrize(
    ("formula", "a", "b", "holds", "margin"),
    [
        ("(1;%a%) < (1;%b%)", 1, 3, True, 2),
        ("(1;%a%) < (1;%b%)", 3, 1, False, -2),
        ("(1;%a%) < (1;%b%)", 2, 2, False, 0),
        ("(1;%a%) > (1;%b%)", 3, 1, True, 2),
        ("(1;%a%) > (1;%b%)", 2, 2, False, 0),
        ("(1;%a%) <= (1;%b%)", 2, 2, True, 0),
        ("(1;%a%) >= (1;%b%)", 2, 2, True, 0),
        ("(1;%a%) >= (1;%b%)", 2, 2.5, False, -0.5),
        ("(1;%a%) = (1;%b%)", 0, 0.0005, True, 0.001 + 1e-5 * 0.0005 - 0.0005),
        ("(1;%a%) = (1;%b%)", 100, 102, False, 0.001 + 1e-5 * 102 - 2),
        ("(1;%a%) = (1;%b%)", 102, 100, False, 0.001 + 1e-5 * 100 - 2),
        ("(1;%a%) != (1;%b%)", 100, 102, True, 2 - (0.001 + 1e-5 * 102)),
        ("!((1;%a%) < (1;%b%))", 1, 3, False, -2),
        ("!((1;%a%) < (1;%b%))", 2, 2, True, 0),
        ("(1;%a%) < (1;%b%) & (1;%b%) < 10", 1, 3, True, 2),
        ("(1;%a%) < (1;%b%) & (1;%b%) < 4", 1, 3, True, 1),
        ("(1;%a%) < (1;%b%) & (1;%b%) < 2", 1, 3, False, -1),
        ("(1;%a%) < (1;%b%) | (1;%b%) < 10", 1, 3, True, 7),
        ("(1;%a%) > (1;%b%) | (1;%b%) < 2", 1, 3, False, -1),
        ("-(1;%a%) < (1;%b%) * 2 - 1", 1, 3, True, 6),
        ("abs((1;%a%) - (1;%b%)) / 4 < 1", 1, 3, True, 0.5),
        ("((1;%a%) > 0) + ((1;%b%) > 5) = 1", 1, 3, True, 0.001 + 1e-5),
        ("(1;%a%) < (1;%b%)", 1, INF, True, INF),
        ("(1;%a%) < (1;%b%)", INF, INF, False, 0),
        ("(1;%a%) <= (1;%b%)", INF, INF, True, 0),
        ("(1;%a%) = (1;%b%)", INF, INF, True, INF),
        ("(1;%a%) = (1;%b%)", 1, INF, False, -INF),
        ("(1;%a%) != (1;%b%)", 1, INF, True, INF),
    ],
)
def test_truth_and_margin(formula: str, a: float, b: float, margin: float, *, holds: bool) -> None:
    verdict = judged(formula, a=a, b=b)
    assert verdict.holds.tolist() == [holds]
    assert verdict.margin_bits.tolist() == [pytest.approx(margin, abs=1e-12)]
    assert verdict.defined.tolist() == [True]


def test_all_items_are_judged_at_once() -> None:
    verdict = judged("(1;%a%) < (1;%b%)", a=[1, 2, 3], b=[2, 2, 2])
    assert verdict.holds.tolist() == [True, False, False]
    assert verdict.margin_bits.tolist() == [1, 0, -1]
    assert verdict.tie.tolist() == [False, True, False]


def test_a_formula_without_regions_is_the_same_for_every_item() -> None:
    verdict = Formula.parse("1 < 2").judge(lambda _region, _name: np.zeros(0), n_items=3)
    assert verdict.holds.tolist() == [True] * 3
    assert verdict.margin_bits.tolist() == [1.0] * 3
    assert verdict.tie.tolist() == [False] * 3


@pytest.mark.parametrize(
    ("formula", "tie"),
    [
        ("(1;%a%) < (1;%b%)", True),
        ("(1;%a%) > (1;%b%)", True),
        ("(1;%a%) <= (1;%b%)", False),
        ("(1;%a%) = (1;%b%)", False),
        ("(1;%a%) != (1;%b%)", False),
        ("!((1;%a%) < (1;%b%))", True),
        ("(1;%a%) < (1;%b%) | 1 < 2", True),
        ("1 < 2 & ((1;%a%) > (1;%b%))", True),
        ("((1;%a%) < (1;%b%)) + 1 > 0", True),
        ("(1;%a%) < (1;%b%) + 1", False),
    ],
)
def test_a_tie_is_two_equal_values_at_a_strict_comparison(formula: str, *, tie: bool) -> None:
    assert judged(formula, a=2, b=2).tie.tolist() == [tie]


@pytest.mark.parametrize("larger", [2 + 1e-14, 2 + 1e-6])
def test_what_rounding_tells_apart_is_equal(larger: float) -> None:
    for formula in ("(1;%a%) < (1;%b%)", "(1;%b%) > (1;%a%)", "(1;%b%) < (1;%a%)"):
        verdict = judged(formula, a=2, b=larger)
        assert (*verdict.holds, *verdict.tie, *verdict.margin_bits) == (False, True, 0)
    verdict = judged("(1;%a%) >= (1;%b%)", a=2, b=larger)
    assert (*verdict.holds, *verdict.margin_bits) == (True, 0)
    assert judged("(1;%a%) < (1;%b%)", a=2, b=2 + 2e-5).holds.all()


@given(st.lists(st.floats(0, 40), min_size=1, max_size=12), st.randoms())
def test_the_same_bits_in_another_order_are_a_tie(bits: list[float], order: random.Random) -> None:
    others = [*bits]
    order.shuffle(others)
    verdict = judged("(1;%a%) < (1;%b%)", a=sum(bits), b=sum(others))
    assert (*verdict.holds, *verdict.tie, *verdict.margin_bits) == (False, True, 0)


@pytest.mark.parametrize(
    ("formula", "holds", "margin"),
    [
        ("(1;%x%) < 1", False, None),
        ("(1;%x%) = (1;%x%)", False, None),
        ("(1;%x%) != 1", False, None),
        ("!((1;%x%) < 1)", False, None),
        ("(1;%x%) < 1 & 1 < 2", False, None),
        ("(1;%x%) < 1 & 2 < 1", False, -1),
        ("2 < 1 & (1;%x%) < 1", False, -1),
        ("(1;%x%) < 1 | 1 < 2", True, 1),
        ("1 < 2 | !((1;%x%) < 1)", True, 1),
        ("(1;%x%) < 1 | 2 < 1", False, None),
        ("((1;%x%) < 1) + 1 > 0", False, None),
        ("!((1;%x%) < 1 & 2 < 1)", True, 1),
    ],
)
def test_a_missing_value_decides_nothing(
    formula: str, margin: float | None, *, holds: bool
) -> None:
    verdict = judged(formula, x=NAN)
    assert verdict.holds.tolist() == [holds]
    assert verdict.defined.tolist() == [margin is not None]
    if margin is None:
        assert np.isnan(verdict.margin_bits).all()
    else:
        assert verdict.margin_bits.tolist() == [margin]


def test_what_the_lookup_raises_passes_through() -> None:
    with pytest.raises(KeyError, match="zz"):
        judged("(1;%zz%) < 1", a=1)


def test_the_whole_sentence_is_looked_up_as_none() -> None:
    asked: list[tuple[int | None, str]] = []

    def lookup(region: int | None, condition: str) -> NDArray[np.float64]:
        asked.append((region, condition))
        return np.ones(1)

    Formula.parse("(*;%a%) <= (3;%b c%)").judge(lookup, n_items=1)
    assert asked == [(None, "a"), (3, "b c")]


# --- the same in plain Python, one item at a time, from the words of the design

Values = Mapping[tuple[int | None, str], float]


def slow_number(node: Expression, values: Values) -> float:
    match node:
        case Number(value=value):
            return value
        case RegionValue():
            return values[node.region, node.condition]
        case Negative():
            return -slow_number(node.operand, values)
        case Absolute():
            return abs(slow_number(node.operand, values))
        case Arithmetic():
            left, right = slow_number(node.left, values), slow_number(node.right, values)
            if node.operator == "+":
                return left + right
            if node.operator == "-":
                return left - right
            return left * right if node.operator == "*" else left / right
        case _:
            holds, _ = slow_truth(node, values)
            return NAN if holds is None else float(holds)


def slow_truth(node: Expression, values: Values) -> tuple[bool | None, float]:
    """Return the truth (None where a missing value leaves it open) and the margin."""
    match node:
        case Comparison():
            return slow_comparison(
                node.operator, slow_number(node.left, values), slow_number(node.right, values)
            )
        case Negation():
            holds, margin = slow_truth(node.operand, values)
            return (None if holds is None else not holds), -margin
        case Logical():
            sides = slow_truth(node.left, values), slow_truth(node.right, values)
            margins = [margin for holds, margin in sides if holds is not None]
            decisive = node.operator == "|"
            if any(holds is decisive for holds, _ in sides):
                return decisive, max(margins) if decisive else min(margins)
            if any(holds is None for holds, _ in sides):
                return None, NAN
            return (not decisive), max(margins) if decisive else min(margins)
        case _:
            raise AssertionError(node)


def slow_comparison(operator: str, a: float, b: float) -> tuple[bool | None, float]:
    if math.isnan(a) or math.isnan(b):
        return None, NAN
    if operator in ("=", "!="):
        if math.isinf(a) or math.isinf(b):
            close, margin = a == b, INF if a == b else -INF
        else:
            tolerance = 1e-3 + 1e-5 * abs(b)
            close, margin = abs(a - b) <= tolerance, tolerance - abs(a - b)
        return (close, margin) if operator == "=" else (not close, -margin)
    if operator in (">", ">="):
        a, b = b, a
    is_tie = a == b or abs(b - a) <= 1e-5
    holds = operator in ("<=", ">=") if is_tie else a < b
    return holds, 0.0 if is_tie else b - a


BITS = st.one_of(st.sampled_from([0.0, 1.0, 2.0, INF, NAN]), st.floats(0, 100))


@settings(max_examples=300)
@given(truths(st.sampled_from("ab")), st.data())
@example(Formula.parse("((1;%a%) < (1;%b%)) + 1 > 1").tree, None)
def test_items_together_are_judged_as_each_alone(
    tree: Expression, data: st.DataObject | None
) -> None:
    formula = Formula(text=to_text(tree), tree=tree)
    mentioned = sorted({(each.region, each.condition) for each in formula.references}, key=str)
    rows = st.fixed_dictionaries(dict.fromkeys(mentioned, BITS))
    items = (
        data.draw(st.lists(rows, min_size=1, max_size=5))
        if data
        else [dict.fromkeys(mentioned, 1.0)]
    )
    verdict = formula.judge(
        lambda region, name: np.array([item[region, name] for item in items]), n_items=len(items)
    )
    for index, item in enumerate(items):
        holds, margin = slow_truth(tree, item)
        assert bool(verdict.defined[index]) is (holds is not None)
        assert bool(verdict.holds[index]) is bool(holds)
        assert float(verdict.margin_bits[index]) == pytest.approx(margin, rel=1e-9, nan_ok=True)


@settings(max_examples=300)
@given(truths(st.sampled_from("ab")), st.lists(BITS, min_size=1, max_size=8))
def test_the_truth_is_the_sign_of_the_margin(tree: Expression, bits: list[float]) -> None:
    formula = Formula(text="", tree=tree)
    column = np.array(bits)
    columns = {"a": column, "b": column[::-1]}
    verdict = formula.judge(lambda _region, name: columns[name], n_items=len(bits))
    known = verdict.margin_bits[verdict.defined]
    holds = verdict.holds[verdict.defined]
    assert not np.isnan(known).any()
    assert holds[known > 0].all()
    assert not holds[known < 0].any()
    assert np.isnan(verdict.margin_bits[~verdict.defined]).all()
    assert not verdict.holds[~verdict.defined].any()


@pytest.mark.parametrize(
    ("formula", "a", "b", "settled"),
    [
        ("(1;%a%) < (1;%b%)", 1, 3, True),
        ("(1;%a%) < (1;%b%)", 1, 2.5, True),
        ("(1;%a%) < (1;%b%)", 1, 2, False),
        ("(1;%a%) > (1;%b%)", 1, 2, False),
        # Moved by all their room they are a tie.
        ("(1;%a%) < (1;%b%)", 1, 2.000005, False),
        ("(1;%a%) - (1;%b%) < 1.5", 1, 1.6, True),
        ("2 * (1;%a%) - (1;%b%) / 2 < 3", 1, 2, True),
        ("3 * (1;%a%) - (1;%b%) / 2 < 3", 1, 2, False),
        ("(1;%a%) = (1;%b%)", 1, 1, False),
        ("(1;%a%) != (1;%b%)", 1, 3, True),
        # The side that is settled decides, or does not.
        ("(1;%a%) > (1;%b%) & (1;%a%) < 1", 1, 3, True),
        ("(1;%a%) < (1;%b%) & (1;%a%) < 1", 1, 3, False),
        ("(1;%a%) < (1;%b%) | (1;%a%) < 1", 1, 3, True),
        ("(1;%a%) > (1;%b%) | (1;%a%) < 1", 1, 3, False),
        ("!((1;%a%) < 1)", 1, 3, False),
        # A truth that may be another is a number that may jump.
        ("((1;%a%) < (1;%b%)) + (0 < (1;%b%)) = 2", 1, 3, True),
        ("((1;%a%) < 1) + (0 < (1;%b%)) = 2", 1, 3, False),
        ("0 * ((1;%a%) < 1) = 0", 1, 3, False),
        ("1 < 1", 1, 1, True),
        ("(1;%a%) < (1;%b%)", 1, NAN, True),
        ("(1;%a%) < (1;%b%) & (1;%a%) < 1", 1, NAN, False),
        ("(1;%a%) < (1;%b%)", 1, INF, False),
    ],
)
def test_a_verdict_is_settled_that_no_value_within_room_turns(
    formula: str, a: float, b: float, *, settled: bool
) -> None:
    columns = {"a": np.array([a]), "b": np.array([b])}
    found = Formula.parse(formula).settled(
        lambda _region, name: columns[name], lambda *_: np.array([0.5]), n_items=1
    )
    assert found.tolist() == [settled]


_ROOMS = st.sampled_from([0.0, 0.125, 0.5, 2.0])
# Numbers in halves and the like, so that nothing is rounded, and ties are as likely as not.
_EIGHTHS = st.integers(0, 80).map(lambda number: number / 8)


@given(
    st.sampled_from(
        [
            "(1;%a%) < (1;%b%)",
            "(1;%a%) - (1;%b%) >= (1;%c%) - 1",
            "abs((1;%a%) - (1;%b%)) * 2 > (1;%c%) / 2",
            "(1;%a%) = (1;%b%)",
            "(1;%a%) != (1;%b%) | (1;%c%) < 5",
            "(1;%a%) < (1;%b%) & (1;%b%) < (1;%c%)",
            "!((1;%a%) < (1;%b%) & !((1;%b%) = (1;%c%)))",
            "((1;%a%) < (1;%b%)) + ((1;%b%) <= (1;%c%)) > 1",
            "-(1;%a%) * 3 < ((1;%b%) > 5) - (1;%c%)",
        ]
    ),
    st.data(),
)
def test_no_values_within_room_turn_a_verdict_that_is_settled(
    text: str, data: st.DataObject
) -> None:
    formula = Formula.parse(text)
    values = {
        name: np.array(data.draw(st.lists(_EIGHTHS | st.just(NAN), min_size=4, max_size=4)))
        for name in "abc"
    }
    rooms = {name: data.draw(_ROOMS) for name in "abc"}
    moves = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=4, max_size=4)
    moved = {name: values[name] + rooms[name] * np.array(data.draw(moves)) for name in "abc"}
    settled = formula.settled(
        lambda _region, name: values[name], lambda _region, name: np.full(4, rooms[name]), n_items=4
    )
    given_, other = (
        formula.judge(lambda _region, name, own=own: own[name], n_items=4)  # type: ignore[misc]
        for own in (values, moved)
    )
    assert (given_.holds == other.holds)[settled].all()
    assert (given_.defined == other.defined)[settled].all()
