"""When formulas are true, false and undefined."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.suite.formula import Formula
from pommel.suite.formula.tree import RegionValue
from pommel.suite.lint.proofs import (
    Alternatives,
    Form,
    Inequality,
    Outcomes,
    TooHardError,
    all_of,
    is_possible,
    outcomes,
)

A, B, NOTHING = (RegionValue(region=1, condition=name) for name in "abc")
ONE = Fraction(1)
VALUES = {A: Form({0: ONE}), B: Form({1: ONE}), NOTHING: None}


def of(text: str) -> Outcomes:
    return outcomes(Formula.parse(text).tree, VALUES.__getitem__)


@pytest.mark.parametrize(
    ("formula", "possible"),
    [
        ("(1;%a%) < (1;%b%)", "true, false"),
        ("(1;%a%) < (1;%c%)", "undefined"),
        ("!((1;%a%) < (1;%c%))", "undefined"),
        # What is false is so whatever the other side would be; the same with what is true.
        ("(1;%a%) < (1;%c%) & (1;%a%) < (1;%b%)", "false, undefined"),
        ("(1;%a%) < (1;%c%) | (1;%a%) < (1;%b%)", "true, undefined"),
        ("((1;%a%) < (1;%c%)) + ((1;%a%) < (1;%b%)) > 0", "undefined"),
        ("((1;%a%) < (1;%b%)) + ((1;%b%) < (1;%a%)) < 2", "true"),
        ("abs((1;%a%) - (1;%b%)) >= 0", "true"),
        ("abs((1;%a%) - 3) = -1", "false"),
    ],
)
def test_what_may_come_out(formula: str, possible: str) -> None:
    found = of(formula)
    named = {"true": found.true, "false": found.false, "undefined": found.undefined}
    assert ", ".join(name for name, each in named.items() if is_possible(each)) == possible


def test_what_is_known_of_the_values() -> None:
    fact = Inequality(VALUES[B] - VALUES[A], strict=False)  # type: ignore[operator]
    assert is_possible(of("(1;%a%) < (1;%b%)").true)
    assert not is_possible(of("(1;%a%) < (1;%b%)").true, (fact,))


def test_equality_of_what_is_never_negative_has_one_case() -> None:
    assert len(of("(1;%a%) = (1;%b%)").true) == 1
    assert len(of("(1;%a%) = (1;%b%) - 1").true) == 2


def alternatives(n_cases: int, first: int) -> Alternatives:
    return tuple((Inequality(Form({first + i: ONE}), strict=True),) for i in range(n_cases))


def test_too_many_cases_are_not_begun_with() -> None:
    assert len(all_of(alternatives(20, 0), alternatives(20, 50))) == 400
    with pytest.raises(TooHardError):
        all_of(alternatives(30, 0), alternatives(30, 50))
    with pytest.raises(TooHardError):
        all_of(alternatives(500, 0), alternatives(500, 1000))


@given(st.lists(st.sampled_from(["<", "<=", "=", "!=", ">", ">="]), min_size=1, max_size=3))
def test_one_of_the_outcomes_is_the_case(operators: list[str]) -> None:
    found = of(" & ".join(f"((1;%a%) {each} (1;%b%) - 1)" for each in operators))
    for values in ((0, 0), (0, 1), (1, 1), (3, 0), (0, 9)):
        fixed = [
            Inequality(Form({i: sign * ONE}, -sign * value * ONE), strict=False)
            for i, value in enumerate(values)
            for sign in (1, -1)
        ]
        assert is_possible(found.true, tuple(fixed)) != is_possible(found.false, tuple(fixed))
