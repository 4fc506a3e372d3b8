"""Text to tree: what is legal, in which dialect, and what is said of everything else."""

import unicodedata
from typing import Literal

import pytest
from hypothesis import given, settings, strategies as st
from tests.suite.formula.strategies import ODD_NAMES

from pommel.errors import FormulaError, InputError
from pommel.suite.formula import Dialect, Formula, Remark
from pommel.suite.formula.parser import nearest_or_all
from pommel.suite.formula.tree import (
    Arithmetic,
    Comparison,
    Expression,
    Logical,
    Negation,
    Negative,
    Number,
    RegionValue,
)

# ruff: noqa: RUF001 - other keyboards than ours are what some of these are about


def number(value: float) -> Number:
    return Number(value=value)


def less(left: float, right: float) -> Comparison:
    return Comparison(operator="<", left=number(left), right=number(right))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("1<2", less(1, 2)),
        (" \t1\n<\r2 ", less(1, 2)),
        ("((1)) < [[2]]", less(1, 2)),
        (".5<5.", less(0.5, 5)),
        ("1e-3<1.5E+2", less(0.001, 150)),
        ("-1<+2", less(-1, 2)),
        ("--1<- - 2", less(1, 2)),
        ("-(1)<2", Comparison(operator="<", left=Negative(operand=number(1)), right=number(2))),
        (
            "( 3 ;%a b-c% )<(*;%x%)",
            Comparison(
                operator="<",
                left=RegionValue(region=3, condition="a b-c"),
                right=RegionValue(region=None, condition="x"),
            ),
        ),
        (
            "[007;% é&)<( %]<1",
            Comparison(
                operator="<", left=RegionValue(region=7, condition="é&)<("), right=number(1)
            ),
        ),
        (
            "1 + 2 * 3 < 4",
            Comparison(
                operator="<",
                left=Arithmetic(
                    operator="+",
                    left=number(1),
                    right=Arithmetic(operator="*", left=number(2), right=number(3)),
                ),
                right=number(4),
            ),
        ),
        (
            "1 <= 2 & 3 >= 4",
            Logical(
                operator="&",
                left=Comparison(operator="<=", left=number(1), right=number(2)),
                right=Comparison(operator=">=", left=number(3), right=number(4)),
            ),
        ),
        (
            "1<2 | 3<4 & 5<6",
            Logical(
                operator="&",
                left=Logical(operator="|", left=less(1, 2), right=less(3, 4)),
                right=less(5, 6),
            ),
        ),
        (
            "1<2 | (3<4 & 5<6)",
            Logical(
                operator="|",
                left=less(1, 2),
                right=Logical(operator="&", left=less(3, 4), right=less(5, 6)),
            ),
        ),
        ("!(1<2)", Negation(operand=less(1, 2))),
        ("1 != 2", Comparison(operator="!=", left=number(1), right=number(2))),
    ],
)
def test_formulas_that_parse(text: str, tree: Expression) -> None:
    assert Formula.parse(text).tree == tree


def error_for(text: str, dialect: Dialect = "pommel") -> str:
    with pytest.raises(FormulaError) as caught:
        Formula.parse(text, dialect=dialect)
    return str(caught.value)


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(message.strip("\n"), id=message.strip("\n").split("\n")[1].strip() or "-")
        for message in (
            # --- brackets and ends
            """
the formula ends too early
    (1;%a%) <
             ^
""",
            """
the formula ends too early
    (1;%)%) <
             ^
""",
            """
unexpected ')'
    ()
     ^
""",
            """
this bracket was never opened
    (1;%a%) < 1)
               ^
""",
            """
this bracket is never closed
    [(1;%a%) < 1
    ^
""",
            """
this bracket is closed by one of another kind
    [(1;%a%) < 1)
    ~~~~~~~~~~~~^
write ] at the end
""",
            """
this bracket is closed by one of another kind
    (1;%a%] < 1
    ~~~~~~^
""",
            f"""
the formula ends too early
    (1;%文法%) <
    {" " * len("(1;%abcd%) <")}^
""",
            # --- operators
            """
'==' is not an operator
    (1;%a%) == 2
            ~^
write =
""",
            """
'&&' is not an operator
    1<2 && (1;%a%) < 1
        ~^
write &
""",
            """
'and' is not an operator
    1<2 and 2<3
        ~~^
write &
""",
            """
'not' is not an operator
    not 1<2
    ~~^
write !
""",
            """
'≤' is not an operator
    1≤2
     ^
write <=
""",
            """
'=>' is not an operator
    1 => 2
      ~^
write >=
""",
            """
there is no operator before this region
    (1;%a%) (2;%b%)
            ~~~~~~^
""",
            # --- regions
            """
this is not a region
    (1; %a%) > 0
    ~~~~~~~^
write (1;%a%)
""",
            """
this is not a region
    (1;a) > 0
    ~~~~^
write (1;%a%)
""",
            """
this is not a region
    1 > (2;%b
        ~~~~^
write (2;%b%)
""",
            """
this is not a region
    (1,%a%) > 0
    ~~~~~~^
write (1;%a%)
""",
            """
this is not a region
    {*;%a%} > 0
    ~~~~~~^
write (*;%a%)
""",
            """
this is not a region
    1;a > 0
    ~~^
write (1;%a%)
""",
            """
abs needs brackets
    abs(1;%a%) > 0
       ~~~~~~^
write abs((1;%a%))
""",
            """
the name of the condition is empty
    (1;% %) > 0
    ~~~~~~^
write (1;%condition%)
""",
            """
unexpected ';'
    (1.0;%a%) > 0
        ^
""",
            """
unexpected 'mean'
    mean((1;%a%)) > 0
    ~~~^
a region is written (1;%condition%)
""",
            """
unexpected '%'
    %1;a% > %1;b%
    ^
a region is written (1;%condition%)
""",
            # --- what a keyboard or a word processor does
            """
'（' is a full-width character
    （1;%a%) > 0
    ~^
write ( in ASCII, not （
""",
            """
'１' is a full-width character
    (１;%a%) > 0
     ~^
write 1 in ASCII, not １
""",
            """
'（' is a full-width character
    （1；％a％）＞（1；％b％）
    ~^
write ( ; % ) > in ASCII, not （ ； ％ ） ＞
""",
            """
unexpected ','
    (1;%a%) > 1,5
               ^
decimals have a point, like 1.5
""",
            """
unexpected '“'
    “(1;%a%) > 0”
    ^
remove the quotation mark
""",
            """
'–' is not an operator
    (1;%a%) – (1;%b%) > 0
            ^
write -
""",
            """
'&lt;' is not an operator
    (1;%a%) &lt; (1;%b%)
            ~~~^
write <
""",
            # --- regions as people call them
            """
a region has one number
    (2+3;%a%) > 0
    ~~~~~~~~^
write (2;%a%) + (3;%a%)
""",
            """
a region has one number
    (1;%b%) > (2–4;%a%)
              ~~~~~~~~^
write (2;%a%) + (3;%a%) + (4;%a%)
""",
            """
a region has one number
    [2,5;%a%] > 0
    ~~~~~~~~^
write (2;%a%) + (5;%a%)
""",
            """
unexpected 'verb'
    (verb;%a%) > 0
     ~~~^
a region goes by its number: (1;%condition%)
""",
            # --- what makes no sense
            """
a prediction must be true or false, and this is a number
    (1;%a%) - 1
    ~~~~~~~~~~^
compare it with something
""",
            """
'&' joins comparisons, and this is a number
    1 < 2 & (1;%a%)
            ~~~~~~^
compare it with something
""",
            """
'!' turns a comparison round, and this is a number
    !(1;%a%)
     ~~~~~~^
compare it with something
""",
            """
surprisals can be multiplied by numbers only
    2 * (1;%a%) * (1 - (1;%b%)) > 0
                  ~~~~~~~~~~~~^
""",
            """
surprisals can be divided by numbers only
    2 / (1;%a%) > 0
        ~~~~~~^
""",
            """
this divides by zero
    (1;%a%) / -0 > 0
              ~^
""",
            """
this divides by zero
    (1;%a%) / -(0) > 0
              ~~~^
""",
            """
this number is too large
    1e400 > (1;%a%)
    ~~~~^
""",
            # --- chains
            """
comparisons cannot be chained
    1 < (1;%a%) = 3 >= 4 | 5 < 6
                ~~^
write (1 < (1;%a%) & (1;%a%) = 3 & 3 >= 4)
""",
        )
    ],
)
def test_a_mistake_is_marked_and_explained(message: str) -> None:
    formula = message.split("\n")[1].removeprefix("    ")
    assert error_for(formula) == message


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_an_empty_formula(text: str) -> None:
    assert error_for(text).splitlines()[0] == "the formula is empty"
    assert error_for(text).splitlines()[-1] == "write e.g. (1;%a%) < (1;%b%)"


def test_spaces_that_are_not_spaces() -> None:
    message = "unexpected '\\xa0'\n    1 < 2\n     ^\nwrite ' '"
    assert error_for("1\xa0< 2") == message
    assert error_for("1 < 2\u200b").splitlines()[-1] == "remove this invisible character"


def test_line_breaks_and_tabs_keep_the_marker_in_its_place() -> None:
    assert error_for("1 <\n\t2 & )").splitlines() == [
        "this bracket was never opened",
        "    1 <  2 & )",
        "             ^",
    ]


def test_the_error_knows_the_characters_that_are_meant() -> None:
    with pytest.raises(FormulaError) as caught:
        Formula.parse("(1;%a%) == 2")
    error = caught.value
    assert (error.start, error.end, error.hint) == (8, 10, "write =")
    assert error.formula == "(1;%a%) == 2"
    assert isinstance(error, InputError)
    assert isinstance(error, ValueError)  # which is what the retired package raised


# --- the dialect of the retired package


@pytest.mark.parametrize(
    "text",
    [
        "(1;%a-b_C9%) < (*;%x%)",
        "-1 < +2",
        "1 --1 = 2",
        "1 - (-1) = 2",
        "[ -1 ] < 2",
        "1 < 2 & 3 > 4 | 5 = 6",
        "((1;%a%) > 0) + 1 > 1",
        "1",
        "(1;%a%) & (1;%b%)",
    ],
)
def test_what_syntaxgym_knew(text: str) -> None:
    assert Formula.parse(text, dialect="syntaxgym").text == text


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ("1 <= 2", "'<='"),
        ("1 >= 2", "'>='"),
        ("1 != 2", "'!='"),
        ("2 * 3 > 4", "'*'"),
        ("2 / 3 > 4", "'/'"),
        ("!(1 < 2)", "'!'"),
        ("abs(1) < 2", "abs( )"),
        ("-(1;%a%) < 2", "minus sign before anything but a number"),
        ("-(1) < 2", "minus sign before anything but a number"),
        ("- 1 < 2", "such sign before a number"),
        ("+ 1 < 2", "such sign before a number"),
        ("--1 < 2", "such sign before a number"),
        ("-+1 < 2", "such sign before a number"),
        ("(- 1) < 2", "such sign before a number"),
        ("(1;%a b%) < 2", "condition name like 'a b'"),
        ("(1;%é%) < 2", "condition name like 'é'"),
    ],
)
def test_what_syntaxgym_did_not_know(text: str, construct: str) -> None:
    first = error_for(text, dialect="syntaxgym").splitlines()[0]
    assert first == f"SyntaxGym's formulas have no {construct}"
    assert Formula.parse(text).text == text


# --- size


def test_a_hundred_brackets_and_two_hundred_conjuncts_are_fine() -> None:
    assert Formula.parse("(" * 100 + "1<2" + ")" * 100) == Formula.parse("1<2")
    assert len(list(Formula.parse("&".join(["(1;%a%)<2"] * 200)).references)) == 200


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("(" * 5000 + "1<2" + ")" * 5000, "nested too deeply", id="brackets"),
        pytest.param("&".join(["1<2"] * 5000), "nested too deeply", id="conjuncts"),
        pytest.param("!" * 5000 + "(1<2)", "nested too deeply", id="negations"),
        pytest.param("(" + "9" * 5000 + ";%a%)<1", "this number is too large", id="region"),
        pytest.param("9" * 5000 + "<1", "this number is too large", id="number"),
        pytest.param("(1;" + " " * 5000, "this is not a region", id="spaces"),
        pytest.param("1,1:1;" * 2000, "unexpected", id="separators"),
        pytest.param("(1;%" + "a" * 5000 + ")" * 5000, "this is not a region", id="name"),
    ],
)
@pytest.mark.timeout(60)
def test_what_is_too_much_is_refused_at_once(text: str, message: str) -> None:
    assert message in error_for(text)


@settings(max_examples=300)
@given(
    st.text("()[]{};%*123. <>=&|!+-/,:abs\n", max_size=25)
    | st.builds("(1;%{}%) < ({};%{}%)".format, ODD_NAMES, st.integers(-2, 12), ODD_NAMES)
)
def test_any_text_is_a_formula_or_a_formula_error(text: str) -> None:
    found: FormulaError | None = None
    try:
        formula = Formula.parse(text)
    except FormulaError as error:
        found = error
    if found is None:
        assert Formula.parse(str(formula)) == formula
    else:
        assert 0 <= found.start < found.end <= len(text) + 1
        assert str(found).startswith(found.message)


REGIONS_OF = {"match": {1, 2, 3}, "mismatch": {1, 3}}


def told(remarks: list[Remark], formula: str) -> list[str]:
    return [
        f"{each.severity}: {each.message}; {each.hint}: {formula[slice(*each.span)]}"
        for each in remarks
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
            ["error: there is no condition 'mismtch'; did you mean 'mismatch'?: (2;%mismtch%)"],
        ),
        (
            "(*;%zz%) > 0",
            ["error: there is no condition 'zz'; there are: 'match', 'mismatch': (*;%zz%)"],
        ),
        (
            "(2;%mismatch%) < (4;%match%) | (1;%Match%) < 1",
            [
                "error: condition 'mismatch' has no region 2; its regions are 1, 3: (2;%mismatch%)",
                "error: condition 'match' has no region 4; its regions are 1, 2, 3: (4;%match%)",
                "error: there is no condition 'Match'; did you mean 'match'?: (1;%Match%)",
            ],
        ),
    ],
)
def test_what_does_not_exist_is_named_with_what_does(formula: str, expected: list[str]) -> None:
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
    (warning,) = told(Formula.parse(formula).warnings(), formula)
    assert warning == (
        "warning: '&' and '|' share one level and associate to the left; put brackets around what "
        f"belongs together: {formula}"
    )


def test_a_formula_without_regions_is_a_warning() -> None:
    (warning,) = told(Formula.parse("1 < 2").warnings(), "1 < 2")
    assert warning == (
        "warning: the formula mentions no region, so it is the same for every item; name a region, "
        "e.g. (1;%condition%): 1 < 2"
    )


def test_nearest_or_all() -> None:
    assert nearest_or_all("mach", ["match", "other"]) == "did you mean 'match'?"
    assert nearest_or_all("zzz", ["match", "other"]) == "there are: 'match', 'other'"
    assert nearest_or_all("％match％", ["match"]) == (
        "write 'match' between % in ASCII, without ％"
    )


@pytest.mark.parametrize(("form", "other"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_names_that_look_alike_differ_in_form(
    form: Literal["NFC", "NFD"], other: Literal["NFC", "NFD"]
) -> None:
    known, name = (unicodedata.normalize(each, "singulár") for each in (form, other))
    assert nearest_or_all(name, ["plurál", known]) == (
        f"{known!r} looks the same, but its accents are encoded in Unicode's form {form}, and here "
        "they are not: copy the name from there"
    )
