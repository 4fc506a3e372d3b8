"""Every formula that was tried on the retired package: what has to stay, and what may not."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pommel.errors import FormulaError
from pommel.suite.formula import Dialect, Formula
from pommel.suite.formula.judge import Verdict

DIALECTS: tuple[Dialect, ...] = ("pommel", "syntaxgym")

# Parse errors there, and ours by design.
EXTENSIONS = {
    "-(1;%a%) < 0": True,
    "1 <= 2": True,
    "1 >= 2": False,
    "!(1<2)": False,
    "abs(1) > 0": True,
    "(1;%a b%) > 0": None,  # parses, and names a condition that is not there
}
# Numbers, which were predictions there; ours have to be true or false.
BARE_NUMBERS = {"(1;%a%)", "1", "0", "((1))", "(1;%c%) | (1;%b%)"}
CHAINED = {"1 < 2 < 3", "1 < 2 > 3", "3 > 2 > 1", "1 = 1 = 1", "1 < 2 < 0"}
UNKNOWN_CONDITIONS = {"(*;%zz%)>0", "(*;%zz%)=0"}
# Printed with six decimals there, and so another formula when read again.
MISPRINTED = {"(1;%a%) > 1e-7"}


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[Any]:
    text = (shared_data / "conformance" / "formula_cases.json").read_text("utf-8")
    found: list[Any] = json.loads(text)["cases"]
    return found


def surprisals(case: Any) -> dict[str, dict[int, float]]:
    """Return condition -> region -> bits; "NaN" and "Infinity" are written as text."""
    return {
        condition: {int(number): float(bits) for number, bits in regions.items()}
        for condition, regions in case["surprisals"].items()
    }


def verdict_on(formula: Formula, case: Any) -> Verdict:
    bits = surprisals(case)

    def lookup(region: int | None, condition: str) -> Any:
        regions = bits[condition]
        return np.array([sum(regions.values()) if region is None else regions[region]])

    return formula.judge(lookup, n_items=1)


def errors_of(formula: Formula, case: Any) -> list[str]:
    regions_of = {name: set(regions) for name, regions in surprisals(case).items()}
    return [remark.message for remark in formula.reference_errors(regions_of)]


def parses(text: str, dialect: Dialect) -> bool:
    try:
        Formula.parse(text, dialect=dialect)
    except FormulaError:
        return False
    return True


def check_same(formula: Formula, expected: Any, case: Any) -> None:
    """The formula means what the retired package made of it, and has its value."""
    assert errors_of(formula, case) == []
    verdict = verdict_on(formula, case)
    assert verdict.holds.tolist() == [expected["value"]], formula.text
    mentioned = {(each.condition, each.region) for each in formula.references}
    if isinstance(expected["referenced_regions"], list):
        assert sorted(map(list, mentioned), key=str) == sorted(
            expected["referenced_regions"], key=str
        )
    # Where six decimals are enough, what it printed is the same tree.
    if not re.search(r"\.[0-9]{7}", formula.text):
        assert Formula.parse(expected["canonical"]) == formula, formula.text


def kind_of(case: Any) -> str:
    """Return which of the tests below a case belongs to."""
    formula, expected = case["formula"], case["expected"]
    for name, formulas in (
        ("extension", EXTENSIONS),
        ("number", BARE_NUMBERS),
        ("chain", CHAINED),
        ("unknown", UNKNOWN_CONDITIONS),
        ("misprint", MISPRINTED),
    ):
        if formula in formulas:
            return name
    if "expected_website_syntax" in case:
        return "brackets"
    return {"parse": "error", "eval": "unknown"}.get(expected.get("error"), "same")


def of_kind(cases: list[Any], kind: str) -> list[Any]:
    return [case for case in cases if kind_of(case) == kind]


def test_every_case_belongs_to_one_of_these_tests(cases: list[Any]) -> None:
    kinds = Counter(kind_of(case) for case in cases)
    assert kinds == {
        "same": 45,
        "brackets": 70,
        "error": 17,
        "extension": 6,
        "number": 5,
        "chain": 5,
        "unknown": 6,
        "misprint": 2,
    }
    kept = {
        kind_of(case) for case in cases if case["verdict"] == "trap" or "keep" in case["verdict"]
    }
    assert kept == {"same", "brackets", "error", "extension", "unknown", "number"}


def test_what_is_to_be_kept_is_the_same_in_both_dialects(cases: list[Any]) -> None:
    for case in of_kind(cases, "same"):
        for dialect in DIALECTS:
            check_same(Formula.parse(case["formula"], dialect=dialect), case["expected"], case)


def test_square_brackets_mean_what_round_ones_do(cases: list[Any]) -> None:
    for case in of_kind(cases, "brackets"):
        for dialect in DIALECTS:
            formula = Formula.parse(case["formula"], dialect=dialect)
            check_same(formula, case["expected_website_syntax"], case)


def test_what_did_not_parse_does_not_parse(cases: list[Any]) -> None:
    for case in of_kind(cases, "error"):
        assert not parses(case["formula"], "pommel"), case["formula"]
        assert not parses(case["formula"], "syntaxgym"), case["formula"]


def test_what_is_ours_is_no_syntaxgym(cases: list[Any]) -> None:
    for case in of_kind(cases, "extension"):
        assert not parses(case["formula"], "syntaxgym"), case["formula"]
        formula = Formula.parse(case["formula"])
        holds = EXTENSIONS[case["formula"]]
        if holds is None:
            assert errors_of(formula, case) == ["there is no condition 'a b'"]
        else:
            assert verdict_on(formula, case).holds.tolist() == [holds]


def test_a_number_is_no_prediction_of_ours(cases: list[Any]) -> None:
    for case in of_kind(cases, "number"):
        assert parses(case["formula"], "syntaxgym"), case["formula"]
        with pytest.raises(FormulaError, match="and this is a number"):
            Formula.parse(case["formula"])


def test_chains_lose_no_term_silently(cases: list[Any]) -> None:
    for case in of_kind(cases, "chain"):
        for dialect in DIALECTS:
            with pytest.raises(FormulaError, match="comparisons cannot be chained"):
                Formula.parse(case["formula"], dialect=dialect)


def test_unknown_conditions_and_regions_are_found_before_anything_runs(cases: list[Any]) -> None:
    told = {
        case["formula"]: errors_of(Formula.parse(case["formula"]), case)
        for case in cases
        if kind_of(case) == "unknown"
    }
    assert told == {
        "(1;%A%)>0": ["there is no condition 'A'"],
        "(9;%a%) > 0": ["condition 'a' has no region 9"],
        "(*;%zz%)>0": ["there is no condition 'zz'"],
        "(*;%zz%)=0": ["there is no condition 'zz'"],
        "(1;%-a%)>0": ["there is no condition '-a'"],
        "(1;%123%)>0": ["there is no condition '123'"],
    }


def test_printing_loses_no_digits(cases: list[Any]) -> None:
    for case in of_kind(cases, "misprint"):
        formula = Formula.parse(case["formula"])
        again = Formula.parse(str(formula))
        for each in (formula, again):
            assert verdict_on(each, case).holds.tolist() == [case["expected"]["value"]]
    assert str(Formula.parse("(1;%a%) > 1e-7")) == "(1;%a%) > 1e-07"


def test_nothing_is_listed_that_is_no_case(cases: list[Any]) -> None:
    formulas = {case["formula"] for case in cases}
    listed = {*EXTENSIONS, *BARE_NUMBERS, *CHAINED, *UNKNOWN_CONDITIONS, *MISPRINTED}
    assert listed <= formulas
