"""Surprisals written into a suite's JSON, and read from it."""

import json
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.builders import Sentences, by_word, make_suite, suite_text, suite_value, token

from pommel.errors import SuiteError, SurprisalError
from pommel.files.json import to_json
from pommel.scoring.choices import Choices
from pommel.scoring.evaluated_suite import evaluated_suite_to_dict, table_from_suite
from pommel.scoring.predictions import evaluate_predictions
from pommel.scoring.regions import RegionTable, region_table
from pommel.scoring.results import SuiteResult
from pommel.suite.metrics import METRICS
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Suite
from pommel.surprisal import ScoredSentence


def scored(suite: Suite) -> RegionTable:
    return region_table(suite, [[by_word(each.text) for each in row] for row in suite.sentences()])


def read(value: Any) -> Suite:
    return LoadedSuite.parse(to_json(value), evaluated=True).suite


ITEMS: list[Sentences] = [
    {"match": ("The dog", "", "barks"), "mismatch": ("The dog", "bark")},
    {"mismatch": ("A", "purrs", "x"), "match": ("A cat", "purr", "x y")},
]


@pytest.mark.parametrize("metric", ["all", "sum", ["mean", "sum"]])
def test_what_is_written_is_read_again(metric: Any) -> None:
    suite = make_suite(ITEMS, metric=metric)
    table = scored(suite)
    again = table_from_suite(read(evaluated_suite_to_dict(suite, table)))
    assert again.item_numbers == table.item_numbers
    assert again.condition_names == table.condition_names
    assert again.region_numbers == table.region_numbers
    assert set(again.values) == set(suite.metrics)
    for name in suite.metrics:
        np.testing.assert_array_equal(again.values[name], table.values[name])
    # A sentence's mean does not follow from its regions'.
    assert set(again.whole) == {"sum", "min", "max"} & set(suite.metrics)
    for name, whole in again.whole.items():
        np.testing.assert_array_equal(whole, table.whole[name])
    # What a condition lacks has no tokens; of the others the file does not tell.
    assert again.n_tokens.tolist() == [[[-1, -1, -1], [-1, -1, 0]], [[-1, -1, -1], [-1, -1, -1]]]
    assert not again.any_in(again.n_unscored, 1, "match").any()


def test_what_is_written() -> None:
    suite = make_suite(
        [{"a": ("The dog", ""), "b": ("It",)}], [], metric=["sum", "mean"], tags=["x"]
    )
    (the_dog, it) = suite.sentences()[0]
    tokens = (token("The", 0, 1.25), token("<unk>", 4, 2.25, end=7, oov=True))
    sentences = [ScoredSentence(text=the_dog.text, tokens=tokens), by_word(it.text)]
    table = region_table(suite, [sentences])
    before = suite.sha256
    value = evaluated_suite_to_dict(suite, table, model_name="toy")
    assert value["meta"] == {
        "name": "small",
        "metric": ["sum", "mean"],
        "tags": ["x"],
        "model": "toy",
    }
    assert value["items"][0]["conditions"] == [
        {
            "condition_name": "a",
            "regions": [
                {
                    "region_number": 1,
                    "content": "The dog",
                    "metric_value": {"sum": 3.5, "mean": 1.75},
                    "oovs": ["dog"],
                },
                {
                    "region_number": 2,
                    "content": "",
                    "metric_value": {"sum": 0.0, "mean": None},
                    "oovs": [],
                },
            ],
        },
        {
            "condition_name": "b",
            "regions": [
                {
                    "region_number": 1,
                    "content": "It",
                    "metric_value": {"sum": 2.0, "mean": 2.0},
                    "oovs": [],
                }
            ],
        },
    ]
    value["meta"]["tags"].append("changed")
    assert suite.sha256 == before
    assert "metric_value" not in json.dumps(suite.to_dict())
    assert table_from_suite(read(value)).oovs == {(0, 0, 0): ("dog",)}


def test_what_skips_an_item_is_written_where_there_is_any_and_read_again() -> None:
    suite = make_suite([{"match": ("a b", "c"), "mismatch": ("a", "")}])
    hidden = token("b", 2, None, why="not comparable")
    tokens = (token("a", 0, 1.0), hidden, token("c", 4, None))
    sentences = [ScoredSentence(text="a b c", tokens=tokens), by_word("a")]
    table = region_table(suite, [sentences])
    regions = evaluated_suite_to_dict(suite, table)["items"][0]["conditions"][0]["regions"]
    counts = [{key for key in region if key.startswith("n_")} for region in regions]
    assert counts == [{"n_unscored", "n_not_comparable"}, {"n_unscored"}]
    again = table_from_suite(read(evaluated_suite_to_dict(suite, table)))
    np.testing.assert_array_equal(again.n_not_comparable, table.n_not_comparable)
    np.testing.assert_array_equal(again.values["sum"], table.values["sum"])
    np.testing.assert_array_equal(again.whole["sum"], [[1.0, table.whole["sum"][0, 1]]])
    assert again.sentence_n_tokens("match") == again.sentence_n_tokens("mismatch")
    value = evaluated_suite_to_dict(suite, table, with_n_tokens=True)
    again = table_from_suite(read(value))
    np.testing.assert_array_equal(again.n_tokens, table.n_tokens)
    found = [
        evaluate_predictions(suite, each, skip_unequal=True).predictions[0].skipped.tolist()
        for each in (again, table, table_from_suite(read(evaluated_suite_to_dict(suite, table))))
    ]
    assert found == [[True], [True], [False]]


@pytest.mark.parametrize(("mismatch", "skipped"), [("barks now", False), ("bark", True)])
def test_a_region_that_a_condition_lacks_has_no_tokens(mismatch: str, *, skipped: bool) -> None:
    suite = make_suite([{"match": ("The dog", "barks", "."), "mismatch": ("The dog", mismatch)}])
    table = scored(suite)
    again = table_from_suite(read(evaluated_suite_to_dict(suite, table, with_n_tokens=True)))
    assert again.n_tokens.tolist() == table.n_tokens.tolist()
    for each in (table, again):
        (found,) = evaluate_predictions(suite, each, skip_unequal=True).predictions
        assert found.skipped.tolist() == [skipped]


def test_the_length_of_a_sentence_is_not_known_if_one_region_does_not_tell() -> None:
    suite = make_suite(
        [{"match": ("The dog", "barks"), "mismatch": ("The dog", "bark"), "other": ("Dogs",)}],
        ["(2;%match%) < (2;%mismatch%)", "(1;%match%) < (1;%other%) + 0 * (2;%mismatch%)"],
    )
    value = evaluated_suite_to_dict(suite, scored(suite), with_n_tokens=True)
    del value["items"][0]["conditions"][1]["regions"][0]["n_tokens"]
    table = table_from_suite(read(value))
    lengths = [table.sentence_n_tokens(name).tolist() for name in suite.condition_names]
    assert lengths == [[3], [-1], [1]]
    unknown, known = evaluate_predictions(suite, table, skip_unequal=True).predictions
    assert not unknown.skipped.any()
    # Two of the three are known, and differ.
    assert known.skipped.all()


def test_other_metrics_than_the_suites_own() -> None:
    suite = replace(make_suite(ITEMS), metrics=("max", "range"))
    value = evaluated_suite_to_dict(suite, scored(suite))
    region = value["items"][0]["conditions"][0]["regions"][0]
    assert region["metric_value"] == {"max": 3.0, "range": 0.0}
    assert value["meta"].get("model") is None


def test_numbers_survive_to_the_last_digit() -> None:
    suite = make_suite([{"a": ("x", "y", "z")}], [])
    bits = {"x": 0.1 + 0.2, "y": math.inf, "z": 1e-300}
    table = region_table(suite, [[by_word("x y z", bits)]])
    again = table_from_suite(read(evaluated_suite_to_dict(suite, table)))
    assert again.values["sum"][0, 0].tolist() == [0.1 + 0.2, math.inf, 1e-300]


def test_only_metrics_that_every_region_has_are_known() -> None:
    value = evaluated_suite_to_dict(suite := make_suite(ITEMS, metric="all"), scored(suite))
    del value["items"][1]["conditions"][0]["regions"][2]["metric_value"]["max"]
    table = table_from_suite(read(value))
    assert set(table.values) == set(METRICS) - {"max"}
    with pytest.raises(SurprisalError, match="the max over the regions is not known"):
        table.column("max", 1, "match")
    with pytest.raises(SurprisalError, match="the mean over all tokens of a condition is not"):
        table.column("mean", None, "match")


def test_a_suite_without_surprisals() -> None:
    with pytest.raises(SurprisalError) as caught:
        table_from_suite(make_suite(ITEMS))
    assert str(caught.value) == (
        "suite 'small' has regions without metric_value: it has not been evaluated; "
        "run `pommel surprisals` first"
    )


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ('"sum": null', "the surprisal is not a number; write bits; no tokens have 0"),
        ('"sum": NaN', "the surprisal is not a number; write bits; no tokens have 0"),
        (
            '"sum": -5',
            "a surprisal is never negative, and this is -5 bits; write -log2 of the probability",
        ),
        (
            '"mean": 5',
            (
                "the region has no 'sum', which is the suite's metric; "
                "compute the surprisals again, with `pommel surprisals`"
            ),
        ),
    ],
)
def test_surprisals_that_cannot_be(written: str, fault: str) -> None:
    text = suite_text(suite_value([{"a": ("x",), "b": ("y",)}], []))
    text = text.replace('"x"', '"x", "metric_value": {"sum": 1}')
    text = text.replace('"y"', f'"y", "metric_value": {{{written}}}')
    with pytest.raises(SuiteError) as caught:
        LoadedSuite.parse(text, file="s.json", evaluated=True)
    (found,) = caught.value.faults
    assert f"{found.message}; {found.hint}" == fault
    assert found.path.startswith("items[0].conditions[1].regions[0].metric_value")


def test_an_empty_region_has_no_mean_and_that_is_no_fault() -> None:
    text = suite_text(suite_value([{"a": ("x",), "b": ("y",)}], []))
    text = re.sub('"([xy])"', r'"\1", "metric_value": {"sum": 0, "mean": null}', text)
    table = table_from_suite(LoadedSuite.parse(text, evaluated=True).suite)
    assert np.isnan(table.values["mean"]).all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"sum": 2}', '"sum": 2}, "n_unscored": "x"', 'this is text ("x")'),
        ('"sum": 2}', '"sum": 2}, "n_unscored": 1.5', "this is a number (1.5)"),
        (
            '"condition_name": "b"',
            '"condition_name": "b", "metric_value": 3',
            "this is a number (3)",
        ),
    ],
)
def test_what_pommel_adds_to_the_format_is_checked_too(old: str, new: str, message: str) -> None:
    text = suite_text(suite_value([{"a": ("x",), "b": ("y",)}], []))
    text = re.sub('"([xy])"', r'"\1", "metric_value": {"sum": 2}', text)
    with pytest.raises(SuiteError) as caught:
        LoadedSuite.parse(text.replace(old, new), evaluated=True)
    assert all(fault.message == message for fault in caught.value.faults)


def test_a_swallowed_region_is_written_without_a_value_and_read_again() -> None:
    suite = make_suite(
        [{"match": ("一本", "书", "。"), "mismatch": ("一本", "车", "。")}], joiner=""
    )
    tokens = (token("一本书", 0, 7.0), token("。", 3, 1.0))
    one = ScoredSentence(text="一本书。", tokens=tokens)
    other = ScoredSentence(
        text="一本车。", tokens=tuple(token(each, i, 2.0) for i, each in enumerate("一本车。"))
    )
    table = region_table(suite, [[one, other]])
    value = evaluated_suite_to_dict(suite, table)
    region = value["items"][0]["conditions"][0]["regions"][1]
    assert (region["metric_value"], region["n_tokens"]) == ({"sum": None}, 0)
    again = table_from_suite(read(value))
    assert again.swallowed.tolist() == table.swallowed.tolist() == [[[0, 1, 0], [0, 0, 0]]]
    assert again.values["sum"].tolist() == table.values["sum"].tolist()
    assert again.whole["sum"].tolist() == table.whole["sum"].tolist()
    for swallowed, holds in (("undefined", False), ("begin", True)):
        choices = Choices(swallowed=swallowed)  # type: ignore[arg-type]
        (found,) = SuiteResult.of_evaluated(read(value), choices).predictions
        assert found.holds.tolist() == [holds]
    # The retired tool wrote 0.0, and nothing of tokens.
    value = evaluated_suite_to_dict(suite, table, zero_where_swallowed=True)
    region = value["items"][0]["conditions"][0]["regions"][1]
    assert (region["metric_value"], "n_tokens" in region) == ({"sum": 0.0}, False)


def test_a_sentence_at_which_the_model_has_failed_is_not_read_as_swallowed() -> None:
    suite = make_suite([{"match": ("The dog", "barks"), "mismatch": ("The dog", "bark")}])
    good, bad = (each.text for each in suite.sentences()[0])
    failed = ScoredSentence(text=bad, tokens=(), failure="it is too long")
    table = region_table(suite, [[by_word(good), failed]])
    again = table_from_suite(read(evaluated_suite_to_dict(suite, table)))
    assert again.failed.tolist() == table.failed.tolist() == [[False, True]]
    assert not again.swallowed.any()
    assert not table.swallowed.any()
    np.testing.assert_array_equal(again.values["sum"], table.values["sum"])
    np.testing.assert_array_equal(again.whole["sum"], table.whole["sum"])
