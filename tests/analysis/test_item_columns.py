"""Results item by item, and predictions of one item put together."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from tests.analysis.records import record

from pommel.analysis.item_columns import (
    by_item,
    chance_of,
    chances_of,
    columns_of,
    mean_of_columns,
    mean_of_means,
    prediction_chance,
)
from pommel.scoring.choices import ScoreRule
from pommel.scoring.results import KeptPredictions, SuiteResult

ROWS = ["1101-", "1-011"]


@pytest.mark.parametrize(
    ("rule", "columns"),
    [
        ("all", [("", [1, 3, 4], [1, 0, 1])]),
        ("first", [("", [1, 2, 3, 4], [1, 1, 0, 1])]),
        ("each", [("0", [1, 2, 3, 4], [1, 1, 0, 1]), ("1", [1, 3, 4, 5], [1, 0, 1, 1])]),
    ],
)
def test_the_columns_of_a_rule_are_its_scores(
    rule: ScoreRule, columns: list[tuple[str, list[int], list[int]]]
) -> None:
    result = record(holds=ROWS, rule=rule).result
    found = columns_of(result)
    assert [
        (each.label, each.item_numbers.tolist(), each.holds.tolist()) for each in found
    ] == columns
    assert [(each.n_holding, each.n_items) for each in found] == [
        (score.n_holding, score.n_items) for score in result.scores
    ]
    assert mean_of_means(each.holds for each in found) == result.score


@pytest.mark.parametrize("rule", ["all", "first", "each"])
def test_what_a_store_keeps_is_unpacked_once_for_all_columns(
    monkeypatch: pytest.MonkeyPatch, rule: ScoreRule
) -> None:
    result = record(holds=ROWS, rule=rule).result
    asked = [(each.prediction_id, each.formula, each.description) for each in result.predictions]
    kept = KeptPredictions(asked, result.scored, rule, result.packed_items())
    n_unpacked, unpacked = 0, KeptPredictions.unpacked

    def counted(own: KeptPredictions) -> object:
        nonlocal n_unpacked
        n_unpacked += 1
        return unpacked(own)

    monkeypatch.setattr(KeptPredictions, "unpacked", counted)
    found = columns_of(replace(result, predictions=kept))
    assert n_unpacked == 1
    assert [each.holds.tolist() for each in found] == [
        each.holds.tolist() for each in columns_of(result)
    ]


def test_nothing_is_unpacked_for_the_chance_of_a_prediction_with_a_formula() -> None:
    result = record(holds=ROWS).result
    asked = [(each.prediction_id, each.formula, each.description) for each in result.predictions]
    unread = replace(result, predictions=KeptPredictions(asked, result.scored, "all"))
    assert [prediction_chance(unread, each, known=0.1) for each in result.predictions] == [0.5] * 2


def test_the_margin_of_a_conjunction_is_the_least() -> None:
    both = record(holds=["11", "10"], margins=[[3.0, 1.0], [2.0, -4.0]]).result
    (column,) = columns_of(both)
    assert column.margins_bits.tolist() == [2.0, -4.0]


def test_a_share_of_known_items_has_a_column_without_margins() -> None:
    (column,) = columns_of(record(share=0.75, n_items=4).result)
    assert (column.n_holding, column.n_items, column.is_listed) == (3, 4, False)
    assert np.isnan(column.margins_bits).all()
    assert columns_of(record(share=0.75).result) == ()
    assert columns_of(record().result) == ()


def test_a_mean_over_members_is_over_the_items_that_all_have() -> None:
    results = [
        record(holds="110", margins=[2, 4, -2], items=[1, 2, 3]).result,
        record(holds="011", margins=[-3, 1, 5], items=[3, 2, 7]).result,
    ]
    found = mean_of_columns([columns_of(each)[0] for each in results])
    assert found.item_numbers.tolist() == [2, 3]
    assert found.holds.tolist() == [1.0, 0.0]
    assert found.margins_bits.tolist() == [2.5, -2.5]


def part(values: dict[int, float]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    return np.array(list(values), dtype=np.int64), np.array(list(values.values()), dtype=float)


def test_without_skipped_items_the_value_of_an_item_is_a_mean() -> None:
    assert by_item([part({1: 1.0, 2: 0.0}), part({1: 0.0, 2: 0.0})]).tolist() == [0.5, 0.0]


@given(
    st.lists(
        st.dictionaries(st.integers(1, 8), st.floats(-9, 9), min_size=1), min_size=1, max_size=4
    )
)
def test_the_mean_over_items_is_the_mean_of_the_parts(parts: list[dict[int, float]]) -> None:
    means = [sum(each.values()) / len(each) for each in parts]
    found = by_item([part(each) for each in parts])
    assert found.mean() == pytest.approx(sum(means) / len(means), abs=1e-9)
    assert len(found) == len({number for each in parts for number in each})


def test_nan_is_no_value() -> None:
    assert by_item([part({1: math.nan, 2: 3.0}), part({1: math.nan})]).tolist() == [3.0]
    assert by_item([part({1: math.nan})]).size == 0
    assert mean_of_means([np.array([math.nan]), np.array([1.0, math.nan]), np.empty(0)]) == 1.0
    assert math.isnan(mean_of_means([]))


def test_what_is_infinite_in_both_directions_has_no_mean() -> None:
    assert math.isnan(mean_of_means([np.array([math.inf, -math.inf])]))
    assert mean_of_means([np.array([math.inf, 1.0])]) == math.inf


NAN = math.nan
LESS, BOTH = "(1;%a%) < (1;%b%)", "((1;%a%) < (1;%b%)) & ((2;%a%) < (2;%b%))"


@pytest.mark.parametrize(
    ("rule", "chances"), [("all", (0.125,)), ("first", (0.5,)), ("each", (0.5, 0.25))]
)
def test_the_rule_says_which_formulas_have_to_hold(
    rule: ScoreRule, chances: tuple[float, ...]
) -> None:
    second = BOTH.replace("(1;", "(3;")
    result = record(holds=["10", "11"], formulas=[LESS, second], rule=rule).result
    assert chances_of(result) == chances


def test_a_chance_that_is_given_holds_for_all() -> None:
    result = record(holds=["10", "11"], formulas=[LESS, BOTH], rule="each").result
    assert chances_of(result, 0.3) == (0.3, 0.3)
    assert chances_of(record(share=0.5).result, 0.0) == (0.0,)


@pytest.mark.parametrize(
    "result",
    [record(share=0.9, n_items=10).result, record(holds=["10", "11"], formulas=[""]).result],
)
def test_without_a_formula_chance_is_what_is_known_of_the_suite(result: SuiteResult) -> None:
    (unknown,) = chances_of(result)
    assert math.isnan(unknown)
    assert chances_of(result, known=0.25) == (0.25,)
    assert chances_of(result, 0.3, known=0.25) == (0.3,)


def test_a_formula_goes_before_what_is_known_of_the_suite() -> None:
    assert chances_of(record(holds="10", formulas=[LESS]).result, known=0.25) == (0.5,)


@pytest.mark.parametrize(
    ("rule", "chances"), [("all", (NAN, NAN)), ("first", (0.25, NAN)), ("each", (0.25, 0.25))]
)
def test_of_predictions_that_count_together_one_by_itself_has_no_known_chance(
    rule: ScoreRule, chances: tuple[float, ...]
) -> None:
    result = record(holds=["10", "11"], formulas=[""], rule=rule).result
    found = tuple(prediction_chance(result, each, known=0.25) for each in result.predictions)
    assert found == pytest.approx(chances, nan_ok=True)


def test_what_depends_on_the_size_of_surprisals_has_no_chance() -> None:
    assert math.isnan(chance_of(("(1;%a%) < 3",)))
    assert math.isnan(chance_of(("who knows",)))
