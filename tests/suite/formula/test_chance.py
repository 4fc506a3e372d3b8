"""Chance: closed forms, all orders of all regions, and draws from other distributions."""

import json
import math
import re
from collections.abc import Callable
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from tests.suite.formula.strategies import truths

from pommel.suite.formula import Formula
from pommel.suite.formula.chance import (
    N_ORDERED,
    Chance,
    _simulated,
    chance_of_all,
    shares_where_tied,
)
from pommel.suite.formula.tree import (
    Comparison,
    Expression,
    Logical,
    Negation,
    RegionValue,
)
from pommel.suite.published import PublishedSuite

GARDEN_PATH = "a > b & a > c & (a - b) > (c - d)"


def formula(text: str) -> Formula:
    """Parse a formula in which a small letter is region 1 of a condition."""
    return Formula.parse(re.sub(r"\b[a-j]\b", r"(1;%\g<0>%)", text))


def chance_of(formula: Formula) -> Chance:
    return chance_of_all([formula])


LETTERS = "abcdefghij"


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("a < b", 1 / 2),
        ("a >= b", 1 / 2),
        ("a < b & c < d", 1 / 4),
        ("a < b | c < d", 3 / 4),
        ("!(a < b) & c < d", 1 / 4),
        ("a < b & b < c", 1 / 6),
        ("a < b & a < c", 1 / 3),
        ("a < b | b < c", 5 / 6),
        ("a < b & b < c & d < e", 1 / 12),
        ("(a < b & c < d) | (e < f & g < h)", 7 / 16),
        ("a < b & c < d & b < e", 1 / 12),
        ("a < b & c < d & a < d", 5 / 24),
        ("a < b & !(a < b)", 0),
        ("a < b | !(a < b)", 1),
        ("a < b & b < c & c < a", 0),
        ("a < b & b < c & c < d & d < e & e < f & f < g & g < h", 1 / 40320),
        ("((a < b) + (b < c)) / 2 = 1", 1 / 6),
        ("((a < b) + (c < d)) = 1", 1 / 2),
    ],
)
def test_orders_are_counted(text: str, share: float) -> None:
    found = chance_of(formula(text))
    assert found.method == "exact"
    assert found.share == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("a + b < c + d", 1 / 2),
        ("(a - b) + (c - d) > 0", 1 / 2),
        ("a - b < c - d & e < f", 1 / 4),
        ("!(2 * a - b < 2 * c - d)", 1 / 2),
        ("(a + b) / 2 < (c + d) * 0.5", 1 / 2),
        ("-(a + b) < -(c + d)", 1 / 2),
        ("a + b = c + d", 0),
        ("a + b != c + d", 1),
        ("a - b < c - b", 1 / 2),
        ("a + b < b + a", 0),
        ("a + b <= b + a", 1),
        ("a + b > 0", 1),
        ("-a - b > 0 * c", 0),
        ("a = a", 1),
        ("a = b", 0),
        ("a != b", 1),
        ("1 < 2", 1),
        ("1 = 2 | a < b", 1 / 2),
    ],
)
def test_sums_and_what_decides_itself(text: str, share: float) -> None:
    assert chance_of(formula(text)) == Chance(share=share, method="exact")


@pytest.mark.parametrize(
    ("text", "share"),
    [
        # The difference of the two highest of four is above that of the two lowest in 3/4.
        (GARDEN_PATH, 5 / 16),
        (f"!({GARDEN_PATH})", 11 / 16),
        (f"({GARDEN_PATH}) & e < f", 5 / 32),
        ("a < 2 * b", 2 / 3),
        ("a + b < c", 1 / 4),
        ("a + b = c", 0),
        ("abs(a - b) < abs(c - d)", 1 / 2),
        ("abs(a - b) = abs(b - a)", 1),
        ("a - b < c & a < b", 1 / 2),
        ("(a + b < c) | (d + e < f)", 7 / 16),
    ],
)
def test_the_rest_is_simulated_with_exponential_surprisals(text: str, share: float) -> None:
    found = chance_of(formula(text))
    assert found.method == "simulated"
    assert found.share == pytest.approx(share, abs=0.002)
    assert chance_of(formula(text)) == found


def test_formulas_of_one_shape_are_simulated_once() -> None:
    _simulated.cache_clear()
    chances = {chance_of(formula(text)) for text in ("a + b < c & a < b", "d + g < e & d < g")}
    chance_of(formula("a + b < c & b < a"))
    assert (len(chances), _simulated.cache_info().misses) == (1, 2)


@pytest.mark.parametrize(
    "text", ["a < 5", "a - b > 0.5", "a + 1 < b", "a = b & c < 1", "(a < b) + c > d", "abs(a) < 3"]
)
def test_bits_have_no_chance(text: str) -> None:
    found = chance_of(formula(text))
    assert math.isnan(found.share)
    assert found.method == "undefined"


def test_more_regions_than_can_be_ordered() -> None:
    text = " | ".join(f"{a} > {b}" for a, b in pairwise(LETTERS))
    assert len(LETTERS) > N_ORDERED
    found = chance_of(formula(text))
    assert found.method == "simulated"
    assert found.share == pytest.approx(1, abs=1e-4)


def test_what_a_region_is_called_and_where_it_stands() -> None:
    assert chance_of(Formula.parse("(*;%a%) < (*;%b%) & (3;%a%) < (*;%c%)")).share == 0.25
    assert chance_of(Formula.parse("(3;%a%) < (4;%a%) & (3;%b%) < (4;%b%)")).share == 0.25


@pytest.mark.parametrize(
    ("texts", "method"),
    [
        (["(*;%a%) < (*;%b%)"], "exact"),
        (["(*;%a%) < (*;%b%) & (3;%c%) < (4;%c%)"], "exact"),
        (["(*;%a%) < (*;%b%) & (1;%a%) < (1;%b%)"], "assumed"),
        (["(*;%a%) < (*;%b%)", "(1;%b%) < (1;%c%)"], "assumed"),
        (["(*;%a%) - (3;%a%) < (3;%b%)"], "assumed"),
        (["(*;%a%) < (3;%a%) + 5"], "undefined"),
    ],
)
def test_a_sentence_beside_its_region_is_no_draw_of_its_own(texts: list[str], method: str) -> None:
    assert chance_of_all([Formula.parse(text) for text in texts]).method == method


def test_predictions_of_one_item_share_its_regions() -> None:
    separate = [formula("a < b"), formula("c < d")]
    assert chance_of_all(separate) == Chance(share=0.25, method="exact")
    joint = [formula("a < b"), formula("b < c")]
    assert chance_of_all(joint) == Chance(share=1 / 6, method="exact")
    assert math.isnan(chance_of_all([formula("a < b"), formula("a < 1")]).share)
    with pytest.raises(ValueError, match=r"^no formula has no chance$"):
        chance_of_all([])


# --- ties


def shares(text: str, **values: list[float]) -> list[float]:
    """Ask for the shares of items with these values."""
    known = {name: np.array(own) for name, own in values.items()}
    n_items = len(next(iter(known.values())))
    found = shares_where_tied([formula(text)], [lambda _, name: known[name]], n_items)
    return [round(share, 3) for share in found.tolist()]


def test_a_tie_is_left_to_chance() -> None:
    assert shares("a < b", a=[1, 2, 3], b=[2, 2, 2]) == [1, 0.5, 0]
    assert shares("a >= b", a=[1, 2, 3], b=[2, 2, 2]) == [0, 0.5, 1]
    # The sides are the same, however values are moved.
    assert shares("a + b < b + a", a=[1], b=[2]) == [0]
    assert shares("a <= a", a=[1]) == [1]
    # Sums that differ by their rounding are equal.
    assert shares("a + b > c + d", a=[0.1], b=[0.2], c=[0.3], d=[0]) == [0.5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a is less than the others, b and c are tied.
        ("a < b & b < c", 1 / 2),
        ("a > b & b < c", 0),
        ("a < b | b < c", 1),
        ("!(a < b) | b < c", 1 / 2),
        ("a < b & !(b < c)", 1 / 2),
        ("b < c & c < b", 0),
        ("b < c | c < b", 1),
        ("a < b & a < c & (b - a) > (c - a)", 1 / 2),
        ("((a < b) + (b < c)) / 2 = 1", 1 / 2),
        ("((a > b) + (b < c)) / 2 = 1", 0),
        ("abs(b - c) > 0", 1),
        ("a + 1 < b", 1 / 2),
        # The tolerance of these is larger than what ties are broken by.
        ("b = c", 1),
        ("b != c", 0),
    ],
)
def test_what_is_no_tie_keeps_what_it_says(text: str, expected: float) -> None:
    assert shares(text, a=[1], b=[2], c=[2]) == [expected]


@pytest.mark.parametrize("text", ["a < b & a < c", GARDEN_PATH, "a + b < c & d < a", "a < 2 * b"])
def test_nothing_but_ties_is_what_chance_is(text: str) -> None:
    assert (
        shares(text, **{name: [0.0, 0.0] for name in "abcd"})
        == [round(chance_of(formula(text)).share, 3)] * 2
    )


def test_what_is_undefined_does_not_hold() -> None:
    found = shares("a < b & a < c", a=[1, 1], b=[1, 1], c=[math.nan, 1])
    assert found == [0, round(1 / 3, 3)]


def test_formulas_read_values_of_their_own() -> None:
    both = [formula("a < b"), formula("c < d")]
    equal, unequal = ({name: np.array([float(n)]) for name in "abcd"} for n in (0, 1))
    unequal |= {"c": np.array([0.0])}
    lookups = [lambda _, name: equal[name], lambda _, name: unequal[name]]
    assert shares_where_tied(both, lookups, 1).tolist() == [0.5]


# --- published suites

DESIGNS: dict[str, tuple[float, Literal["exact", "simulated"]]] = {
    "center_embed": (1 / 2, "exact"),
    "cleft": (1 / 2, "exact"),
    "fgd_object": (1 / 4, "exact"),
    "mvrr": (5 / 16, "simulated"),
    "nn-nv-rpl": (1 / 4, "exact"),
    "npi_orc_any": (5 / 24, "exact"),
    "npz_obj_mod": (5 / 16, "simulated"),
    "number_orc": (1 / 4, "exact"),
    "reflexive_src_fem": (1 / 4, "exact"),
    "subordination_pp-pp": (1 / 4, "exact"),
}


@pytest.mark.parametrize("suite", DESIGNS)
def test_designs_of_published_suites(suite: str, shared_data: Path) -> None:
    text = (shared_data / "hu2020" / "suites" / f"{suite}.json").read_text("utf-8")
    predictions = json.loads(text)["predictions"]
    share, method = DESIGNS[suite]
    found = chance_of_all([Formula.parse(each["formula"]) for each in predictions])
    assert found.method == method
    assert found.share == pytest.approx(share, abs=0.001)


# --- laws


@st.composite
def orderings(draw: st.DrawFn, depth: int = 3) -> Expression:
    """Draw a truth that depends on the order of five regions."""
    kind: Any = draw(st.sampled_from(["comparison", "&", "|", "!"][: 4 if depth else 1]))
    match kind:
        case "comparison":
            operator: Any = draw(st.sampled_from(["<", ">", "<=", ">=", "=", "!="]))
            names = st.sampled_from("abcde")
            left, right = (RegionValue(region=1, condition=draw(names)) for _ in range(2))
            return Comparison(operator=operator, left=left, right=right)
        case "!":
            return Negation(operand=draw(orderings(depth - 1)))
        case _:
            left_side, right_side = (draw(orderings(depth - 1)) for _ in range(2))
            return Logical(operator=kind, left=left_side, right=right_side)


def share_of(tree: Expression, values: NDArray[np.float64]) -> float:
    """Judge the whole formula with surprisals of shape (n_items, 5)."""
    judged = Formula(text="", tree=tree)
    columns = dict(zip("abcde", values.T, strict=True))
    return float(judged.judge(lambda _, name: columns[name], len(values)).holds.mean())


@given(orderings())
def test_parts_together_are_all_orders_of_everything(tree: Expression) -> None:
    # Far enough apart for "=", which has a tolerance.
    orders = np.array(list(permutations([1.0, 2.0, 3.0, 4.0, 5.0])))
    found = chance_of(Formula(text="", tree=tree))
    assert found.method == "exact"
    assert found.share == pytest.approx(share_of(tree, orders), abs=1e-12)


@given(orderings(), st.lists(st.integers(1, 3), min_size=5, max_size=5))
def test_ties_are_broken_in_all_ways_alike(tree: Expression, values: list[int]) -> None:
    # By less than the tolerance of "=", and by more than what rounding is taken for.
    moved = np.array(values) + np.array([*permutations([0.0, 1.0, 2.0, 3.0, 4.0])]) * 2.0**-15
    columns = {name: np.array([float(value)]) for name, value in zip("abcde", values, strict=True)}
    found = shares_where_tied([Formula(text="", tree=tree)], [lambda _, name: columns[name]], 1)
    assert found.tolist() == [pytest.approx(share_of(tree, moved), abs=1e-12)]


@given(orderings())
def test_what_does_not_hold_is_the_rest(tree: Expression) -> None:
    holding = chance_of(Formula(text="", tree=tree)).share
    failing = chance_of(Formula(text="", tree=Negation(operand=tree))).share
    assert holding + failing == pytest.approx(1)


DRAWS: dict[str, Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]] = {
    "exponential": lambda generator, size: generator.exponential(10, size=size),
    "gamma": lambda generator, size: generator.gamma(4, 2, size=size),
    "uniform": lambda generator, size: generator.uniform(0, 20, size=size),
}


@pytest.mark.parametrize("distribution", DRAWS)
@pytest.mark.parametrize(
    "text",
    [
        "a < b & b < c & d < e",
        "a - b < c - d",
        "a + b < c + d | e > 0",
        "2 * a - b > 2 * c - d & e > 0",
        "!(a < b | c < d) & e > a",
    ],
)
def test_exact_shares_are_the_same_in_any_distribution(text: str, distribution: str) -> None:
    draws = DRAWS[distribution](np.random.default_rng(1), (200_000, 5))
    found = chance_of(formula(text))
    expected = share_of(formula(text).tree, draws)
    assert found.method == "exact"
    assert found.share == pytest.approx(expected, abs=0.006)


@settings(max_examples=30)
@given(truths(st.sampled_from("ab"), depth=2))
def test_every_formula_has_one_or_says_so(tree: Expression) -> None:
    found = chance_of(Formula(text="", tree=tree))
    assert math.isnan(found.share) == (found.method == "undefined")
    assert found.method == "undefined" or 0 <= found.share <= 1


def test_the_table_of_published_suites_has_what_their_first_formulas_say(shared_data: Path) -> None:
    files = sorted((shared_data / "hu2020" / "suites").glob("*.json"))
    assert len(files) == 34
    for path in files:
        first = json.loads(path.read_text("utf-8"))["predictions"][0]["formula"]
        assert PublishedSuite(path.stem).chance == pytest.approx(
            chance_of(Formula.parse(first)).share, abs=0.001
        )
    assert PublishedSuite("gardenpath").chance is None
