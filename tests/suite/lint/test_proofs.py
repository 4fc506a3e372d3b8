"""What is proved of predictions, and why."""

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st
from tests.builders import Sentences, make_suite

from pommel.suite.formula import Formula
from pommel.suite.formula.tree import Form, RegionValue
from pommel.suite.lint.proofs import (
    Alternatives,
    Conjunction,
    Inequality,
    Outcomes,
    Reason,
    Sharing,
    TooHardError,
    Value,
    Values,
    all_of,
    can_hold,
    item_values,
    items_where,
    never_hold,
    outcomes,
)
from pommel.suite.lint.subject import Subject
from pommel.suite.suite import Suite

# --- inequalities


def inequality(*factors: float, bound: float = 0, strict: bool = False) -> Inequality:
    """Return factors[0] * x0 + ... <= bound."""
    known = {index: Fraction(factor) for index, factor in enumerate(factors) if factor}
    return Inequality(Form(known, -Fraction(bound)), strict)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], True),
        ([inequality(bound=-1)], False),
        ([inequality(1, bound=-1)], False),  # x <= -1, and x is 0 or more
        ([inequality(1, bound=0)], True),
        ([inequality(1, bound=0, strict=True)], False),
        ([inequality(1, -1, strict=True), inequality(-1, 1)], False),  # x < y <= x
        ([inequality(1, -1), inequality(-1, 1)], True),
        ([inequality(1, -1, 0, strict=True), inequality(0, 1, -1), inequality(-1, 0, 1)], False),
        # Neither tiny constants nor large ones are taken for others.
        ([inequality(-1, bound=-1e-9, strict=True), inequality(1, bound=2e-9)], True),
        ([inequality(-1, bound=-1e-9, strict=True), inequality(1, bound=1e-9)], False),
        ([inequality(-1, bound=-1e6), inequality(1, bound=1e6 + 10, strict=True)], True),
        ([inequality(-1, bound=-1e6), inequality(1, bound=1e6 - 10)], False),
        # As the tolerance of `=` has it: a millibit, and a hundred thousandth of the value.
        ([inequality(1, -1 - 1e-5, bound=1e-3), inequality(-1, 1, bound=-2, strict=True)], True),
        (
            [
                inequality(1, -1 - 1e-5, bound=1e-3),
                inequality(-1, 1, bound=-2, strict=True),
                inequality(0, 1, bound=199_000),
            ],
            False,
        ),
    ],
)
def test_inequalities(rows: list[Inequality], *, expected: bool) -> None:
    assert can_hold(tuple(rows)) is expected


def is_possible(alternatives: Alternatives, known: Conjunction = ()) -> bool:
    return any(can_hold(each + known) for each in alternatives)


# --- values

ITEM: Sentences = {
    "a": ("The dog", "barks", "."),
    "b": ("The dog", "barks", "now."),
    "c": ("The dog", "barks", "."),
    "d": ("A cat", "", "."),
}
FORMULAS = [f"({region};%{name}%) > 0" for region in "12*" for name in "abcd"]


def values(sharing: Sharing, metric: str = "sum", joiner: str = " ") -> Values:
    suite = make_suite([ITEM], FORMULAS, metric=metric, joiner=joiner)
    return values_of(suite, sharing)


def values_of(suite: Suite, sharing: Sharing, *, is_full: bool = False) -> Values:
    subject = Subject(suite=suite)
    return item_values(subject, 0, subject.references, sharing, is_full=is_full)


def form(found: Values, name: str, region: int | None) -> Value:
    return found[RegionValue(region=region, condition=name)]


@pytest.mark.parametrize(
    ("sharing", "joiner", "with_b", "with_c"),
    [
        ("none", " ", False, False),
        ("sentence", " ", False, True),
        ("left to right", " ", True, True),
        ("left to right", "", False, True),
    ],
)
def test_what_is_one_value(sharing: Sharing, joiner: str, *, with_b: bool, with_c: bool) -> None:
    found = values(sharing, joiner=joiner)
    assert (form(found, "a", 2) == form(found, "b", 2)) is with_b
    assert (form(found, "a", 2) == form(found, "c", 2)) is with_c
    assert form(found, "a", None) != form(found, "b", None)
    assert (form(found, "a", None) == form(found, "c", None)) is with_c


def test_what_is_empty() -> None:
    assert form(values("none"), "d", 2) == Form()
    assert form(values("none", "mean"), "d", 2) is None
    suite = make_suite([ITEM], FORMULAS)
    reference = RegionValue(region=2, condition="d")
    filled = values_of(suite, "none", is_full=True)
    (own,) = filled[reference].factors  # type: ignore[union-attr]
    assert own in form(filled, "d", None).factors  # type: ignore[union-attr]


def test_a_sentence_is_more_than_its_regions() -> None:
    whole = form(values("none"), "a", None)
    assert whole is not None
    assert len(whole.factors) == 3


# --- outcomes

A, B, NOTHING = (RegionValue(region=1, condition=name) for name in "abc")
ONE = Fraction(1)
VALUES: Mapping[RegionValue, Value] = {A: Form({0: ONE}), B: Form({1: ONE}), NOTHING: None}


def of(text: str) -> Outcomes:
    return outcomes(Formula.parse(text).tree, VALUES)


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
    names = {True: "true", False: "false", None: "undefined"}
    assert ", ".join(names[truth] for truth in names if is_possible(found[truth])) == possible


def test_equality_of_what_is_never_negative_has_one_case() -> None:
    assert len(of("(1;%a%) = (1;%b%)")[True]) == 1
    assert len(of("(1;%a%) = (1;%b%) - 1")[True]) == 2


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
        assert is_possible(found[True], tuple(fixed)) != is_possible(found[False], tuple(fixed))


# --- reasons

HALF: Sentences = {"a": ("x", "", "."), "b": ("x", "y", ".")}
FULL: Sentences = {"a": ("x", "y", "z"), "b": ("u", "v", ".")}


def test_the_reason_is_that_of_the_prediction() -> None:
    formulas = ["(2;%a%) < (2;%b%)", "(1;%a%) < (1;%b%)"]
    subject = Subject(suite=make_suite([HALF, FULL], formulas, metric="mean"))

    def reasons(index: int) -> dict[Reason, list[int]]:
        return items_where(subject, [index], never_hold)

    assert reasons(0) == {Reason(sharing="none", is_empty=True): [0]}
    assert reasons(1) == {Reason(sharing="left to right", is_empty=False): [0]}
