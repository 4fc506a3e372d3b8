"""All rules together."""

from tests.builders import Sentences, make_suite

from pommel.suite.lint import RULES, check_suite

EMPTY: Sentences = {"a": ("The dog", "", "."), "b": ("The dog", "", ".")}


def test_rules_have_names_of_their_own() -> None:
    assert len(RULES) == 30
    assert {name: rule.needs for name, rule in RULES.items() if rule.needs} == {
        "word-frequency": "frequencies",
        "token-count": "model",
        "swallowed-region": "model",
    }
    assert {name for name, rule in RULES.items() if rule.is_pedantic} == {
        "closed-class",
        "shared-context",
        "unused-condition",
        "unused-region",
    }


def test_only_the_rules_that_are_asked_for_in_their_order() -> None:
    suite = make_suite([EMPTY, EMPTY], ["(2;%a%) < (2;%b%)"])
    assert [each.rule for each in check_suite(suite, RULES)] == [
        "empty-region",
        "empty-region",
        "duplicate-item",
        "unused-region",
    ]
    turned = ["duplicate-item", "never-holds"]
    assert [each.rule for each in check_suite(suite, turned)] == ["never-holds", "duplicate-item"]
    assert check_suite(suite, []) == []


def test_another_cause_is_another_remark() -> None:
    # Region 1 is the same in both, region 2 is empty in one of them.
    item: Sentences = {"a": ("The dog", "", "."), "b": ("The dog", "barks", ".")}
    suite = make_suite([item], ["(2;%a%) < (2;%b%)", "(1;%a%) < (1;%b%)"], metric="mean")
    rules = ["never-holds", "empty-region", "no-contrast"]
    found = [(each.rule, each.predictions) for each in check_suite(suite, rules)]
    assert found == [("never-holds", (1,)), ("empty-region", (0,))]


def test_what_takes_two_causes_is_said_beside_them() -> None:
    item: Sentences = {"a": ("The dog", "", "."), "b": ("The dog", "barks", ".")}
    either = "((2;%a%) < (2;%b%)) | ((1;%a%) < (1;%b%))"
    suite = make_suite([item], [either], metric="mean")
    rules = ["never-holds", "empty-region", "no-contrast"]
    assert [each.rule for each in check_suite(suite, rules)] == rules
