"""Trees print, and what is printed parses to the same tree."""

import pytest
from hypothesis import given, settings
from tests.suite.formula.strategies import truths

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
    is_truth,
    to_text,
    walk,
)

A = RegionValue(region=1, condition="a")
B = RegionValue(region=2, condition="b")


@settings(max_examples=400)
@given(truths())
def test_parsing_what_was_printed_gives_the_same_tree(tree: Expression) -> None:
    printed = to_text(tree)
    parsed = Formula.parse(printed)
    assert parsed.tree == tree
    assert str(parsed) == printed


@given(truths())
def test_what_is_joined_comes_apart_in_order(tree: Expression) -> None:
    formula = Formula(text=to_text(tree), tree=tree)
    parts = formula.conjuncts
    assert not any(isinstance(each.tree, Logical) and each.tree.operator == "&" for each in parts)
    assert [each for part in parts for each in part.references] == [*formula.references]
    assert all(Formula.parse(each.text) == each for each in parts)


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("((((1;%a%)))<[[2]])", "(1;%a%) < 2"),
        ("[ (6;%x%) + (7;%x%) ]<[(6;%y%)]", "(6;%x%) + (7;%x%) < (6;%y%)"),
        ("1-(2-3)=2", "1 - (2 - 3) = 2"),
        ("(1-2)-3=2", "1 - 2 - 3 = 2"),
        ("(1+2)*3=9", "(1 + 2) * 3 = 9"),
        ("1+(2*3)=7", "1 + 2 * 3 = 7"),
        ("8/(4/2)=4", "8 / (4 / 2) = 4"),
        ("1<2&(3<4|5<6)", "1 < 2 & (3 < 4 | 5 < 6)"),
        ("(1<2&3<4)|5<6", "1 < 2 & 3 < 4 | 5 < 6"),
        ("((1;%a%)>0)+1>1", "((1;%a%) > 0) + 1 > 1"),
        ("!(1<2)", "!(1 < 2)"),
        ("!!(1<2)", "!(!(1 < 2))"),
        ("--1<2", "1 < 2"),
        ("-(1)<2", "-(1) < 2"),
        ("-(*;%a%)<0", "-(*;%a%) < 0"),
        ("1 - -1 = 2", "1 - -1 = 2"),
        ("abs((1;%a%)-1)<1", "abs((1;%a%) - 1) < 1"),
        ("1e-7<1E3", "1e-07 < 1000"),
        ("5.<.5", "5 < 0.5"),
        ("(01;%a%)<1", "(1;%a%) < 1"),
        ("(1;% a b %)<1", "(1;%a b%) < 1"),
    ],
)
def test_printing_keeps_the_meaning_and_drops_needless_brackets(written: str, printed: str) -> None:
    formula = Formula.parse(written)
    assert str(formula) == printed
    assert formula.text == written
    assert Formula.parse(printed) == formula


def test_formulas_compare_by_their_tree() -> None:
    assert Formula.parse("(1;%a%)<2") == Formula.parse("[(1;%a%)  <  2]")
    assert hash(Formula.parse("(1;%a%)<2")) == hash(Formula.parse("((1;%a%)<2)"))
    assert Formula.parse("(1;%a%)<2") != Formula.parse("(1;%a%)<=2")
    assert Formula.parse("(1;%a%)<2") != Formula.parse("(*;%a%)<2")


def test_references_come_in_the_order_of_the_text_with_repetitions() -> None:
    formula = Formula.parse("[(2;%b%) < (1;%a%)] & !(abs((*;%c%)) + -(1;%a%) > 1)")
    assert [(each.region, each.condition) for each in formula.references] == [
        (2, "b"),
        (1, "a"),
        (None, "c"),
        (1, "a"),
    ]


@settings(max_examples=200)
@given(truths())
def test_a_region_knows_its_place_in_the_text(tree: Expression) -> None:
    formula = Formula.parse(to_text(tree))
    for region in formula.references:
        assert formula.text[slice(*region.span)] == to_text(region)


def test_walking_goes_through_every_kind_of_node() -> None:
    tree = Logical(
        operator="&",
        left=Negation(operand=Comparison(operator="<", left=Negative(operand=A), right=B)),
        right=Comparison(
            operator="=",
            left=Arithmetic(operator="*", left=Absolute(operand=A), right=Number(value=2)),
            right=Number(value=0),
        ),
    )
    assert [type(node).__name__ for node in walk(tree)] == [
        "Logical",
        "Negation",
        "Comparison",
        "Negative",
        "RegionValue",
        "RegionValue",
        "Comparison",
        "Arithmetic",
        "Absolute",
        "RegionValue",
        "Number",
        "Number",
    ]
    assert children(A) == ()


@pytest.mark.parametrize(
    ("text", "expected"), [("1<2", True), ("!(1<2)", True), ("1<2|2<1", True), ("1", False)]
)
def test_what_is_a_truth(text: str, *, expected: bool) -> None:
    assert (
        is_truth(Formula.parse(text, dialect="syntaxgym" if text == "1" else "pommel").tree)
        is expected
    )


def test_a_formula_keeps_its_authors_text() -> None:
    written = "  [(1;%a%)\n<1.50] "
    assert Formula.parse(written).text == written
    assert Formula(text="x", tree=Formula.parse(written).tree) == Formula.parse(written)
