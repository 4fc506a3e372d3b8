"""What a formula names, and what its suite has."""

import pytest

from pommel.suite.formula import Formula, Remark
from pommel.suite.formula.parser import nearest_or_all

REGIONS_OF = {"match": {1, 2, 3}, "mismatch": {1, 3}}


def told(remarks: list[Remark], formula: str) -> list[tuple[str, str, str, str]]:
    return [
        (each.severity, each.message, each.hint, formula[slice(*each.span)]) for each in remarks
    ]


@pytest.mark.parametrize(
    "formula",
    [
        "(2;%match%) < (3;%mismatch%)",
        "(*;%match%) < (*;%mismatch%)",
        "1 < 2",
        "abs((1;%match%)) + -(1;%mismatch%) < 1",
    ],
)
def test_what_exists_is_no_fault(formula: str) -> None:
    assert Formula.parse(formula).reference_errors(REGIONS_OF) == []


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (
            "(2;%match%) < (2;%mismtch%)",
            [
                (
                    "error",
                    "there is no condition 'mismtch'",
                    "did you mean 'mismatch'?",
                    "(2;%mismtch%)",
                )
            ],
        ),
        (
            "(*;%zz%) > 0",
            [
                (
                    "error",
                    "there is no condition 'zz'",
                    "there are: 'match', 'mismatch'",
                    "(*;%zz%)",
                )
            ],
        ),
        (
            "(2;%mismatch%) < (4;%match%) | (1;%Match%) < 1",
            [
                (
                    "error",
                    "condition 'mismatch' has no region 2",
                    "its regions are 1, 3",
                    "(2;%mismatch%)",
                ),
                (
                    "error",
                    "condition 'match' has no region 4",
                    "its regions are 1, 2, 3",
                    "(4;%match%)",
                ),
                (
                    "error",
                    "there is no condition 'Match'",
                    "did you mean 'match'?",
                    "(1;%Match%)",
                ),
            ],
        ),
    ],
)
def test_what_does_not_exist_is_named_with_what_does(
    formula: str, expected: list[tuple[str, str, str, str]]
) -> None:
    assert told(Formula.parse(formula).reference_errors(REGIONS_OF), formula) == expected


@pytest.mark.parametrize(
    "formula",
    [
        "(1;%a%) < 1 & 2 < 3 & 3 < 4",
        "((1;%a%) < 1 & 2 < 3) | 3 < 4",
        "(1;%a%) < 1 & [2 < 3 | 3 < 4]",
        "(1;%a%) < 1 | !(2 < 3 & 3 < 4)",
    ],
)
def test_brackets_leave_nothing_to_warn_of(formula: str) -> None:
    assert Formula.parse(formula).warnings() == []


def test_mixed_joints_without_brackets_are_a_warning() -> None:
    formula = "(1;%a%) < 1 | 1 > 2 & 1 > 3"
    assert told(Formula.parse(formula).warnings(), formula) == [
        (
            "warning",
            "'&' and '|' share one level and associate to the left",
            "put brackets around what belongs together",
            formula,
        )
    ]


def test_a_formula_without_regions_is_a_warning() -> None:
    assert told(Formula.parse("1 < 2").warnings(), "1 < 2") == [
        (
            "warning",
            "the formula mentions no region, so it is the same for every item",
            "name a region, e.g. (1;%condition%)",
            "1 < 2",
        )
    ]


def test_nearest_or_all() -> None:
    assert nearest_or_all("mach", ["match", "other"]) == "did you mean 'match'?"
    assert nearest_or_all("zzz", ["match", "other"]) == "there are: 'match', 'other'"
