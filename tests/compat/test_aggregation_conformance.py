"""Every recorded case of the retired package's aggregation: the same numbers, or a better answer.

None of the cases carries a verdict, so each is to be kept, but for those that record a fault of
the old code. These are named below, with what happens instead and why.
"""

import json
import math
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pommel.compat.syntaxgym import Suite, TokenMismatch, aggregate_surprisals
from pommel.errors import PommelError

N_CASES = 22

# What the old code did here is a fault. The value is the expected surprisals by region of each
# sentence, or the beginning of the error.
DEVIATIONS: dict[str, tuple[Any, str]] = {
    "empty region, metric range": (
        [{1: {"range": 0.0}, 2: {"range": math.nan}, 3: {"range": 0.0}}],
        "it crashed; an empty region has no range, as it has no mean",
    ),
    "empty region, metric max": (
        [{1: {"max": 1.0}, 2: {"max": math.nan}, 3: {"max": 2.0}}],
        "it crashed; an empty region has no maximum",
    ),
    "empty region, metric min": (
        [{1: {"min": 1.0}, 2: {"min": math.nan}, 3: {"min": 2.0}}],
        "it crashed; an empty region has no minimum",
    ),
    "single-token sentence": (
        [{1: {"sum": 1.0}}],
        "it crashed, because pandas gave it a row where it expected a table",
    ),
    "special token in middle": (
        [{1: {"sum": 1.0}, 2: {"sum": 3.0}}],
        "it crashed, having lost step; a special token belongs to no region, as at the end",
    ),
    "second sentence tokens differ from surprisal rows: not detected": (
        (
            "Mismatched tokens between tokens and surprisals data frame: sentence 2 "
            "(item 1, condition 'b'): 'z' in the tokens is 'QQQ' in the data frame"
        ),
        "it checked the first sentence over and over, and took the wrong token's surprisal",
    ),
    "missing middle token: zero sums": (
        "item 1, condition 'a': the tokens are not this sentence's: token 2, 'y',",
        "it gave a sum of 0 to every region from the missing token on",
    ),
}


@pytest.fixture(scope="session")
def cases(shared_data: Path) -> dict[str, dict[str, Any]]:
    text = (shared_data / "conformance" / "aggregation_cases.json").read_text("utf-8")
    return {case["id"]: case for case in json.loads(text)["cases"]}


def _aggregate(case: dict[str, Any]) -> Suite:
    columns = ["sentence_id", "token_id", "token", "surprisal"]
    surprisals = pd.DataFrame(case["surprisals"], columns=columns)
    tokens = case.get("tokens") or surprisals.groupby("sentence_id").token.agg(list).tolist()
    return aggregate_surprisals(case["spec"], surprisals, tokens, Suite.from_dict(case["suite"]))


def _regions(items: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for item in items:
        for condition in item["conditions"]:
            for region in condition["regions"]:
                numbers = f"{condition['condition_name']} {region['region_number']}"
                yield f"item {item['item_number']} {numbers}", region


def _floats(metric_value: dict[str, Any]) -> dict[str, float]:
    return {metric: float(bits) for metric, bits in metric_value.items()}


def test_every_case_is_accounted_for(cases: dict[str, dict[str, Any]]) -> None:
    assert len(cases) == N_CASES
    assert set(DEVIATIONS) <= set(cases)
    assert not any("verdict" in case for case in cases.values())


@pytest.mark.parametrize("index", range(N_CASES))
def test_case(cases: dict[str, dict[str, Any]], index: int) -> None:
    name, case = list(cases.items())[index]
    if name in DEVIATIONS:
        _check_deviation(case, DEVIATIONS[name][0])
    elif "error" in case["expected"]:
        _check_error(case)
    else:
        _check_values(case)


def _check_values(case: dict[str, Any]) -> None:
    result = _aggregate(case)
    expected = dict(_regions(case["expected"]["items"]))
    found = dict(_regions(result.items))
    assert found.keys() == expected.keys()
    for place, region in expected.items():
        assert found[place]["content"] == region["content"], place
        assert found[place]["oovs"] == region["oovs"], place
        assert _floats(found[place]["metric_value"]) == pytest.approx(
            _floats(region["metric_value"]), abs=1e-9, rel=0, nan_ok=True
        ), place
    assert result.meta["model"] == case["expected"]["meta_model"]


def _check_error(case: dict[str, Any]) -> None:
    kinds = {"ValueError": ValueError, "TokenMismatch": TokenMismatch}
    with pytest.raises(kinds[case["expected"]["error"]]) as caught:
        _aggregate(case)
    # A user can mend it, and is told in which sentence.
    assert isinstance(caught.value, PommelError)
    assert "item 1, condition 'sub_no-matrix'" in str(caught.value)


def _check_deviation(case: dict[str, Any], expected: Any) -> None:
    if isinstance(expected, str):
        with pytest.raises(ValueError, match="item 1") as caught:
            _aggregate(case)
        assert str(caught.value).startswith(expected)
        return
    result = _aggregate(case)
    found = [
        {region["region_number"]: region["metric_value"] for region in condition["regions"]}
        for item in result.items
        for condition in item["conditions"]
    ]
    assert len(found) == len(expected)
    for own, wanted in zip(found, expected, strict=True):
        assert own.keys() == wanted.keys()
        for number in own:
            assert own[number] == pytest.approx(wanted[number], abs=1e-9, nan_ok=True)


def test_golden_values_are_many(cases: dict[str, dict[str, Any]]) -> None:
    golden = [case for case in cases.values() if "golden_file" in case]
    n_values = [
        sum(len(region["metric_value"]) for _, region in _regions(case["expected"]["items"]))
        for case in golden
    ]
    assert n_values == [144, 144, 144, 144]


def test_input_stays_what_it_was(cases: dict[str, dict[str, Any]]) -> None:
    case = cases["test_basic[sum]"]
    before = deepcopy(case)
    _aggregate(case)
    assert case == before
