"""Predictions: every recorded formula, and Python's values and errors."""

import json
import math
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from pommel.compat.syntaxgym import MissingValueError, Prediction
from pommel.errors import FormulaError, PommelError
from pommel.suite.formula.tree import Arithmetic, Comparison, Expression, Logical, Number, to_text


def _item(surprisals: dict[str, dict[str, Any]], metric: str = "sum") -> dict[str, Any]:
    return {
        "item_number": 1,
        "conditions": [
            {
                "condition_name": name,
                "regions": [
                    {
                        "region_number": int(number),
                        "content": "x",
                        "metric_value": {metric: float(bits)},
                    }
                    for number, bits in regions.items()
                ],
            }
            for name, regions in surprisals.items()
        ],
    }


# The recorded verdict on all of these is "bug". Chained comparisons are refused (the third part
# was dropped), and a condition that nobody has is an error under `*` (it summed to 0).
CHAINED = {"1 < 2 < 3", "1 < 2 > 3", "3 > 2 > 1", "1 = 1 = 1", "1 < 2 < 0"}
UNKNOWN_CONDITION = {"(*;%zz%)>0", "(*;%zz%)=0"}
# Values that are no truths were a fault of the table, and are kept: old tables hold them.
NOT_BOOLEAN = {"(1;%a%)", "1", "(1;%c%) | (1;%b%)"}
# The value was right, and only the formula was written back as 0.
WRITTEN_BACK_WRONG = {"(1;%a%) > 1e-7"}


@pytest.fixture(scope="session")
def formula_cases(shared_data: Path) -> list[dict[str, Any]]:
    text = (shared_data / "conformance" / "formula_cases.json").read_text("utf-8")
    cases: list[dict[str, Any]] = json.loads(text)["cases"]
    return cases


def test_formula_cases(formula_cases: list[dict[str, Any]]) -> None:
    assert len(formula_cases) == 156
    for case in formula_cases:
        _check_formula(case)


def test_every_bug_has_its_better_answer(formula_cases: list[dict[str, Any]]) -> None:
    bugs = {case["formula"] for case in formula_cases if case["verdict"] == "bug"}
    assert bugs == CHAINED | UNKNOWN_CONDITION | NOT_BOOLEAN | WRITTEN_BACK_WRONG


def _check_formula(case: dict[str, Any]) -> None:
    formula, item = case["formula"], _item(case["surprisals"])
    # Square brackets are those of the website, and read like parentheses.
    expected = case.get("expected_website_syntax", case["expected"])
    if expected.get("error") == "parse" or formula in CHAINED:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the parser's own tests have these
            Prediction(0, formula, "sum")
        assert isinstance(caught.value, FormulaError), formula
        return
    prediction = Prediction(0, formula, "sum")
    assert _canonical(prediction.formula.tree) == expected["canonical"]
    if expected.get("error") == "eval" or formula in UNKNOWN_CONDITION:
        with pytest.raises(KeyError) as missing:
            prediction(item)
        assert isinstance(missing.value, PommelError), formula
        return
    value = prediction(item)
    assert value == pytest.approx(expected["value"], abs=1e-9), formula
    assert isinstance(value, bool) is not expected.get("not_boolean", False), formula
    if isinstance(expected["referenced_regions"], list):
        referenced = {(name, number) for name, number in expected["referenced_regions"]}
        assert prediction.referenced_regions == referenced, formula


def _canonical(node: Expression) -> str:
    """Print a formula as the old package did, brackets and six decimals everywhere."""
    match node:
        case Arithmetic() | Comparison() | Logical():
            return f"({_canonical(node.left)} {node.operator} {_canonical(node.right)})"
        case Number():
            return f"{node.value:f}"
        case _:
            return to_text(node)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("(1;%a%)", 1.5),
        ("(*;%a%)", 3.5),
        ("(1;%a%) & (2;%a%)", 2.0),
        ("(1;%a%) | (2;%a%)", 1.5),
        ("((1;%a%) > 0) & (2;%a%)", 2.0),
        ("((1;%a%) < 0) & (2;%a%)", False),
        ("((1;%a%) > 0) + 1 > 1", True),
        ("(1 = 1) - (1 = 1)", 0),
        ("(1 = 1) - (1 = 1) = 0", True),
        ("[(1;%a%) < (2;%a%)]", True),
    ],
)
def test_values_are_those_of_python(formula: str, value: object) -> None:
    assert Prediction(0, formula, "sum")(_item({"a": {"1": 1.5, "2": 2.0}})) == value


def test_star_sums_under_every_metric() -> None:
    item = _item({"a": {"1": 1.0, "2": 3.0}}, metric="mean")
    assert Prediction(0, "(*;%a%)", "mean")(item) == 4.0


def test_both_sides_are_looked_up() -> None:
    with pytest.raises(KeyError, match="there is no condition 'zz'"):
        Prediction(0, "1 < 2 | (1;%zz%) > 0", "sum")(_item({"a": {"1": 1.0}}))


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("(1;%b%) > 0", "item 1: there is no condition 'b'; there are: 'a', 'what_gap'"),
        ("(*;%what_gp%) > 0", "item 1: there is no condition 'what_gp'; did you mean 'what_gap'?"),
        ("(3;%a%) > 0", "item 1: condition 'a' has no region 3; its regions are 1, 2"),
    ],
)
def test_what_an_item_lacks(formula: str, message: str) -> None:
    item = _item({"a": {"1": 1.0, "2": 1.0}, "what_gap": {"1": 1.0, "2": 1.0}})
    with pytest.raises(MissingValueError) as caught:
        Prediction(0, formula, "sum")(item)
    assert str(caught.value) == message


def test_item_without_surprisals() -> None:
    with pytest.raises(KeyError) as caught:
        Prediction(0, "(1;%a%) > 0", "mean")(_item({"a": {"1": 1.0}}))
    assert str(caught.value) == (
        "item 1, condition 'a': region 1 has no metric_value 'mean'; "
        "compute the suite's surprisals first"
    )


def test_null_is_not_a_number() -> None:
    item = _item({"a": {"1": 1.0}})
    item["conditions"][0]["regions"][0]["metric_value"] = {"mean": None}
    assert Prediction(0, "(1;%a%) > 0", "mean")(item) is False
    assert math.isnan(Prediction(0, "(1;%a%)", "mean")(item))


def test_apply_prediction_formula() -> None:
    prediction = Prediction(2, "(1;%a%) > (*;%b%)", "sum")
    assert prediction.apply_prediction_formula({("a", 1): 3.0, ("b", 1): 1.0, ("b", 2): 1.0})
    with pytest.raises(KeyError, match="prediction 2: there is no condition 'b'"):
        prediction.apply_prediction_formula({("a", 1): 3.0})


def test_prediction_is_a_value() -> None:
    prediction = Prediction(0, "(1;%a%)  >  1e-7", "sum")
    assert prediction == Prediction(0, "(1;%a%) > 1e-7", "sum")
    assert prediction == deepcopy(prediction)
    assert prediction != Prediction(1, "(1;%a%) > 1e-7", "sum")
    assert prediction != Prediction(0, "(1;%a%) > 1e-7", "mean")
    assert Prediction(0, prediction.formula, "sum") == prediction
    assert str(prediction) == repr(prediction) == "Prediction((1;%a%) > 1e-07)"
    assert prediction.as_dict() == {"type": "formula", "formula": "(1;%a%)  >  1e-7"}


def test_referenced_regions() -> None:
    prediction = Prediction(0, "(01;%a%) + (*;%b%) > (2;%a%) - (1;%a%)", "sum")
    assert prediction.referenced_regions == {("a", 1), ("a", 2), ("b", "*")}


def test_bad_predictions() -> None:
    with pytest.raises(ValueError, match=r"^Unknown metric mode\. Supported metrics: sum mean"):
        Prediction(0, "1 < 2", "mode")
    with pytest.raises(ValueError, match="prediction 3: unknown prediction type None; write"):
        Prediction.from_dict({"relation": "greaterthan", "region_number": 3}, 3, "sum")
    with pytest.raises(ValueError, match="SyntaxGym's formulas have no '<='"):
        Prediction(0, "(1;%a%) <= (1;%b%)", "sum")
