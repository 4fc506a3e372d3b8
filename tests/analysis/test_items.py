"""One row a model, suite, prediction and item."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.analysis.records import record, seed

from pommel.analysis.items import ITEM_COLUMNS, ItemTable

BOTH = "(1;%a%) < (1;%b%) & (2;%a%) < (2;%b%)"


def test_each_item_of_each_prediction_has_a_row() -> None:
    table = ItemTable.of(
        [record("gpt2", "number", ["10", "11"], [[2.5, -1.0], [0.5, 0.25]], circuit="agreement")]
    )
    frame = table.rows
    assert list(frame.columns) == list(ITEM_COLUMNS)
    assert frame[["prediction_id", "item", "holds", "margin_bits"]].values.tolist() == [
        [0, "number:1", 1, 2.5],
        [0, "number:2", 0, -1.0],
        [1, "number:1", 1, 0.5],
        [1, "number:2", 1, 0.25],
    ]
    assert set(frame["circuit"]) == {"agreement"}
    assert table.notes == ()


def test_truth_values_are_0_and_1() -> None:
    marks = {"tie": [1, 0], "unscored": [0, 1], "oov": [0, 0], "defined": [1, 1]}
    frame = ItemTable.of([record(holds="01", marks=marks)]).rows
    columns = ["holds", "tie", "defined", "unscored", "oov"]
    assert frame[columns].values.tolist() == [[0, 1, 1, 0, 0], [1, 0, 1, 1, 0]]
    assert {str(kind) for kind in frame[columns].dtypes} == {"int64"}


def test_the_columns_of_the_model_and_of_its_seed() -> None:
    records = [
        record("lstm/seed-1", holds="1", member=seed(1), n_parameters=10_000),
        record("lstm/step-8", holds="1", member=seed(8, axis="step")),
        record("bloom-7b", holds="1", n_parameters=7_000_000_000, size_family="BLOOM"),
    ]
    frame = ItemTable.of(records).rows
    shown = frame[["model", "family", "axis", "member", "axis_value", "seed", "size_family"]]
    assert shown.astype(object).where(shown.notna(), None).values.tolist() == [
        ["lstm/seed-1", "lstm", "seed", "seed-1", 1.0, 1.0, ""],
        ["lstm/step-8", "lstm", "step", "step-8", 8.0, None, ""],
        ["bloom-7b", "", "", "", None, None, "BLOOM"],
    ]
    assert str(frame["n_parameters"].dtype) == "Int64"
    assert frame["n_parameters"].tolist()[0] == 10_000
    assert frame["n_parameters"].isna().tolist() == [False, True, False]
    assert frame["log10_parameters"].tolist()[::2] == [4.0, pytest.approx(9.845098)]


def test_a_suite_with_a_modifier_names_the_one_without() -> None:
    records = [
        record(suite="number", holds="1"),
        record(suite="number_prep", holds="1", modifier_of="number", complexity=2.0, language="en"),
    ]
    frame = ItemTable.of(records).rows
    assert frame[["suite", "modifier", "base_suite", "item"]].values.tolist() == [
        ["number", 0, "number", "number:1"],
        ["number_prep", 1, "number", "number_prep:1"],
    ]
    assert math.isnan(frame["complexity"][0])
    assert frame["complexity"][1] == 2.0


def test_suites_of_one_name_in_two_languages_share_no_item() -> None:
    records = [
        record(suite="number", holds="1", language="de"),
        record(suite="number", holds="1", language="fr"),
        record(suite="number_prep", holds="1", language="fr", modifier_of="number"),
    ]
    frame = ItemTable.of(records).rows
    assert frame["item"].tolist() == ["number (de):1", "number (fr):1", "number_prep:1"]
    assert frame["base_suite"].tolist() == ["number (de)", "number (fr)", "number (fr)"]


def test_chance_is_that_of_the_formula_or_what_is_said() -> None:
    records = [record(holds=["1", "1"], formulas=("(1;%a%) < (1;%b%)", BOTH))]
    assert ItemTable.of(records).rows["chance"].tolist() == [0.5, 0.25]


def test_the_score_rule_says_which_predictions_count() -> None:
    frame = ItemTable.of([record(holds=["10", "11"], rule="first")]).rows
    assert frame["prediction_id"].tolist() == [0, 0]


def test_skipped_items_and_results_without_items_are_counted_and_left_out() -> None:
    records = [
        record("gpt2", "number", "1-0-", items=[3, 4, 7, 9]),
        record("mbert", "other", share=0.5, n_items=100),
    ]
    table = ItemTable.of(records)
    assert table.rows["item_number"].tolist() == [3, 7]
    assert table.notes == (
        "2 rows left out: the items are skipped",
        "1 result left out, known without items: mbert on other",
    )


def test_a_run_that_a_newer_one_takes_the_place_of_is_left_out() -> None:
    old, new = (
        replace(record(holds=holds, sha256=each), created=f"2024-01-0{day}", run_id=each * 12)
        for day, each, holds in ((1, "a", "00"), (2, "b", "11"))
    )
    table = ItemTable.of([old, new])
    assert table.rows["holds"].tolist() == [1, 1]
    assert table.notes == ("1 run left out for newer runs on other versions of s",)


def test_without_any_item_the_columns_are_there() -> None:
    table = ItemTable.of([record(share=0.5)])
    assert list(table.rows.columns) == list(ITEM_COLUMNS)
    assert len(table.rows) == 0


def test_one_model_under_two_score_rules_is_two_models() -> None:
    frame = ItemTable.of([record(holds="1"), record(holds="1", rule="each")]).rows
    assert frame["model"].tolist() == ["m (score=all)", "m (score=each)"]


def test_chance_is_that_of_the_prediction_and_of_those_that_count_together() -> None:
    formulas = ["(1;%a%) < (1;%b%)", BOTH.replace("(1;", "(3;")]
    for rule, expected in (
        ("all", [[0.5, 0.125], [0.25, 0.125]]),
        ("first", [[0.5, 0.5]]),
        ("each", [[0.5, math.nan], [0.25, math.nan]]),
    ):
        frame = ItemTable.of([record(holds=["1", "1"], formulas=formulas, rule=rule)]).rows  # type: ignore[arg-type]
        found = frame[["chance", "suite_chance"]].values.tolist()
        assert found == pytest.approx(np.array(expected), nan_ok=True)


def test_without_formulas_chance_is_what_is_known_of_the_suite() -> None:
    facts = {"formulas": [""], "chance": 0.25}
    frame = ItemTable.of([record(holds="1", **facts)]).rows  # type: ignore[arg-type]
    assert frame[["chance", "suite_chance"]].values.tolist() == [[0.25, 0.25]]
    frame = ItemTable.of([record(holds=["1", "1"], **facts)]).rows  # type: ignore[arg-type]
    assert frame["chance"].isna().all()
    assert frame["suite_chance"].tolist() == [0.25, 0.25]
