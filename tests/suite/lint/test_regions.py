"""Regions that a prediction names, and that are empty."""

import pytest
from tests.builders import AGREEMENT, Sentences, make_suite

from pommel.suite.lint import check_suite

LESS = "(2;%match%) < (2;%mismatch%)"
EMPTY: Sentences = {"match": ("The dog", "", "."), "mismatch": ("The dog", "bark", ".")}


def test_empty_in_some_items() -> None:
    (remark,) = check_suite(make_suite([AGREEMENT, EMPTY, AGREEMENT], [LESS]), ["empty-region"])
    assert remark.message == (
        "region 2 of 'match', which prediction 0 names, is empty in item 2: its sum is 0"
    )
    assert remark.hint == "write its content, or name another region"
    assert remark.path == ("items", 1, "conditions", 0)


def test_empty_in_all_items() -> None:
    (remark,) = check_suite(make_suite([EMPTY] * 2, [LESS, LESS], metric="max"), ["empty-region"])
    assert remark.message == (
        "region 2 of 'match', which prediction 0 names, is empty in every item: it has no max, "
        "and no comparison with it holds"
    )
    assert remark.path == ("predictions", 0, "formula")


@pytest.mark.parametrize(
    ("items", "n_remarks"), [([EMPTY, EMPTY], 0), ([EMPTY, AGREEMENT], 1), ([AGREEMENT], 0)]
)
def test_a_gap_may_be_part_of_a_sum(items: list[Sentences], n_remarks: int) -> None:
    formula = "(2;%match%) + (3;%match%) < (2;%mismatch%) + (3;%mismatch%)"
    assert len(check_suite(make_suite(items, [formula]), ["empty-region"])) == n_remarks


def test_what_no_prediction_names_may_be_empty() -> None:
    formulas = ["(3;%match%) < (3;%mismatch%)", "(*;%match%) < (*;%mismatch%)"]
    assert check_suite(make_suite([EMPTY], formulas), ["empty-region"]) == []


def test_a_sum_only_may_have_a_gap_in_it() -> None:
    formula = "(2;%match%) + (3;%match%) < (2;%mismatch%) + (3;%mismatch%)"
    suite = make_suite([EMPTY, EMPTY], [formula], metric="mean")
    (remark,) = check_suite(suite, ["empty-region"])
    assert "it has no mean" in remark.message


def test_what_follows_from_an_empty_region_is_not_said_again() -> None:
    items = [AGREEMENT, AGREEMENT, EMPTY, AGREEMENT, AGREEMENT]
    suite = make_suite(items, ["(2;%match%) > (2;%mismatch%)"])
    (remark,) = check_suite(
        suite, {"empty-region", "never-holds", "unequal-length", "unequal-words"}
    )
    assert remark.rule == "empty-region"
    assert remark.item_numbers == (3,)
    rules = {"never-holds", "unequal-length", "unequal-words"}
    assert {each.rule for each in check_suite(suite, rules)} == {"never-holds", "unequal-length"}
