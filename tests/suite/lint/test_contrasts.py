"""What formulas compare."""

import pytest

from pommel.suite.formula import Formula
from pommel.suite.lint.subject import contrasts


def shown(text: str) -> list[str]:
    return [
        f"{each}{'' if each.directed else ' (either way)'}"
        for each in contrasts(Formula.parse(text))
    ]


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("(1;%a%) < (1;%b%)", ["region 1 of 'a' and 'b'"]),
        ("(1;%a%) > (1;%b%)", ["region 1 of 'b' and 'a'"]),
        ("!((1;%a%) < (1;%b%))", ["region 1 of 'b' and 'a'"]),
        ("(1;%a%) = (1;%b%)", ["region 1 of 'a' and 'b' (either way)"]),
        ("abs((1;%a%) - (1;%b%)) < 2", ["region 1 of 'a' and 'b' (either way)"]),
        ("(2;%a%) + (1;%a%) < (1;%b%) + (2;%b%)", ["regions 1 + 2 of 'a' and 'b'"]),
        ("(1;%a%) - (1;%b%) > 0", ["region 1 of 'b' and 'a'"]),
        ("-(1;%a%) < 3 - (1;%b%)", ["region 1 of 'b' and 'a'"]),
        ("(1;%a%) - (1;%b%) + (2;%a%) - (2;%b%) > 0", ["regions 1 + 2 of 'b' and 'a'"]),
        ("(*;%a%) < (*;%b%)", ["'a' and 'b'"]),
        ("(*;%a%) < (2;%b%)", ["all regions of 'a' and region 2 of 'b'"]),
        # Each difference in a difference of differences is a contrast of its own.
        (
            "(1;%a%) - (1;%b%) > (1;%c%) - (1;%d%)",
            ["region 1 of 'b' and 'a'", "region 1 of 'c' and 'd'"],
        ),
        # A direction is more than none.
        ("(1;%a%) = (1;%b%) & (1;%b%) < (1;%a%)", ["region 1 of 'b' and 'a'"]),
        # One condition, a number, and what is no sum: no contrast.
        ("(1;%a%) < (2;%a%)", []),
        ("(1;%a%) < 3", []),
        # Factors change nothing but the direction.
        ("2 * (1;%a%) < 2 * (1;%b%)", ["region 1 of 'a' and 'b'"]),
        ("(1;%a%) / 2 < (1;%b%)", ["region 1 of 'a' and 'b'"]),
        ("((1;%a%) + (2;%a%)) / 2 < (1;%b%)", ["regions 1 + 2 of 'a' and region 1 of 'b'"]),
        ("-1 * (1;%a%) < (1;%b%) / -3", ["region 1 of 'b' and 'a'"]),
        ("1 / 2 * ((1;%a%) - (1;%b%)) > 0", ["region 1 of 'b' and 'a'"]),
        (
            "2 * ((1;%a%) - (1;%b%)) > -2 * ((1;%c%) - (1;%d%))",
            ["region 1 of 'b' and 'a'", "region 1 of 'd' and 'c'"],
        ),
        ("0 * (1;%a%) < (1;%b%)", []),
        ("(1;%a%) * 2 < -(-2) * (1;%b%)", ["region 1 of 'a' and 'b'"]),
        ("((1;%a%) - (1;%b%)) / (1 - 3) > 0", ["region 1 of 'a' and 'b'"]),
        ("2 / (1 + 1) * ((1;%a%) - (1;%b%)) > 0", ["region 1 of 'b' and 'a'"]),
    ],
)
def test_sides_and_the_direction(formula: str, expected: list[str]) -> None:
    assert shown(formula) == expected


def test_a_published_formula() -> None:
    formula = (
        "[(6;%np_mismatch%)-(6;%np_match%)]+"
        "[[(5;%vp_mismatch%)+(6;%vp_mismatch%)]-[(5;%vp_match%)+(6;%vp_match%)]]>0"
    )
    assert shown(formula) == [
        "region 6 of 'np_match' and 'np_mismatch'",
        "regions 5 + 6 of 'vp_match' and 'vp_mismatch'",
    ]
