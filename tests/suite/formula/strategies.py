"""Random formulas that make sense, every kind of node included."""

from typing import Any, Literal

from hypothesis import strategies as st

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
    walk,
)

NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-7, -1e16, 1e300]),
    st.floats(allow_nan=False, allow_infinity=False),
)

# "odd" names: whatever JSON allows, but "%", and no space around them (the parser strips it).
ODD_NAMES = st.text(st.characters(exclude_characters="%", exclude_categories=["Cs"]), min_size=1)
NAMES = st.one_of(
    st.sampled_from(["a", "b", "what_no-gap", "a b", "a)b", "[", "a;b", "x<y", "été", "-1", "&"]),
    ODD_NAMES.filter(lambda name: name == name.strip()),
)
REGIONS = st.one_of(st.none(), st.integers(0, 20))


@st.composite
def truths(draw: st.DrawFn, names: st.SearchStrategy[str] = NAMES, depth: int = 3) -> Expression:
    """Draw something true or false."""
    kind = draw(st.sampled_from(["comparison", "logical", "negation"][: 3 if depth else 1]))
    match kind:
        case "comparison":
            operator: Any = draw(st.sampled_from(["<", ">", "=", "<=", ">=", "!="]))
            left, right = (draw(numbers(names, depth - 1)) for _ in range(2))
            return Comparison(operator=operator, left=left, right=right)
        case "logical":
            joint: Literal["&", "|"] = draw(st.sampled_from(["&", "|"]))
            first, second = (draw(truths(names, depth - 1)) for _ in range(2))
            return Logical(operator=joint, left=first, right=second)
        case _:
            return Negation(operand=draw(truths(names, depth - 1)))


@st.composite
def numbers(draw: st.DrawFn, names: st.SearchStrategy[str] = NAMES, depth: int = 2) -> Expression:
    """Draw something that has a value."""
    kinds = ["number", "region", "sign", "abs", "sum", "product", "quotient", "truth"]
    operand = numbers(names, depth - 1)
    match draw(st.sampled_from(kinds if depth > 0 else kinds[:2])):
        case "number":
            return Number(value=draw(NUMBERS))
        case "region":
            return RegionValue(region=draw(REGIONS), condition=draw(names))
        case "sign":
            return Negative(operand=draw(operand))
        case "abs":
            return Absolute(operand=draw(operand))
        case "sum":
            sign: Literal["+", "-"] = draw(st.sampled_from(["+", "-"]))
            return Arithmetic(operator=sign, left=draw(operand), right=draw(operand))
        case "product":
            sides = [draw(operand), draw(operand.filter(_names_no_region))]
            left, right = draw(st.permutations(sides))
            return Arithmetic(operator="*", left=left, right=right)
        case "quotient":
            divisor = Number(value=draw(NUMBERS.filter(bool)))
            return Arithmetic(operator="/", left=draw(operand), right=divisor)
        case _:
            return draw(truths(names, depth - 1))


def _names_no_region(node: Expression) -> bool:
    return not any(isinstance(each, RegionValue) for each in walk(node))
