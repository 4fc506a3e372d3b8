"""What no prediction names, and what no sentence fills."""

from tests.builders import Sentences, make_suite

from pommel.suite.lint import check_suite

ITEM: Sentences = {
    "a": ("The dog", "", "barks"),
    "b": ("The dog", "", "bark"),
    "c": ("The dog", "", "runs"),
}


def test_a_condition_that_no_prediction_names() -> None:
    suite = make_suite([ITEM], ["(3;%a%) < (3;%b%)"])
    (remark,) = check_suite(suite, ["unused-condition"])
    assert remark.message == "no prediction names the condition 'c'"
    assert remark.path == ("items", 0, "conditions", 2)
    assert check_suite(make_suite([ITEM], []), ["unused-condition"]) == []


def test_a_region_that_no_sentence_fills() -> None:
    (remark,) = check_suite(make_suite([ITEM], []), ["unused-region"])
    assert remark.message == "region 2 is empty in every sentence"
    assert remark.path == ("region_meta", "2")
    used: Sentences = {**ITEM, "c": ("The dog", "never", "runs")}
    assert check_suite(make_suite([used], []), ["unused-region"]) == []
