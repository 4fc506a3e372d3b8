"""Results item by item, and predictions of one item put together."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.analysis.records import record

from pommel.analysis.item_columns import (
    by_item,
    columns_of,
    mean_of_columns,
    mean_of_means,
    mean_share,
)
from pommel.scoring.results import ScoreRule

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
    assert mean_share(found) == result.score


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
