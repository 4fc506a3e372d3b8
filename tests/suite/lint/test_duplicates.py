"""What is there twice, and what does not differ."""

from tests.builders import Sentences, make_suite

from pommel.suite.lint import Remark, check_suite

LESS = "(2;%a%) < (2;%b%)"


def item(a: str, b: str, c: str = "stands") -> Sentences:
    return {"a": ("The dog", a, "."), "b": ("The dog", b, "."), "c": ("The dog", c, ".")}


def remarks(rule: str, *items: Sentences, formula: str = LESS) -> list[Remark]:
    return check_suite(make_suite(items, [formula]), [rule])


def test_items_that_are_there_twice() -> None:
    one, other = item("barks", "bark"), item("runs", "run")
    # The order of conditions is free.
    turned = {name: one[name] for name in "cba"}
    (remark,) = remarks("duplicate-item", one, other, turned, item("is", "are"), one)
    assert remark.message == "items 1, 3 and 5 have the same sentences in every condition"
    assert remark.hint == "what is there twice counts twice; remove all but one"
    assert remark.path == ("items", 2)
    assert remark.item_numbers == (1, 3, 5)
    assert remarks("duplicate-item", one, other) == []


def test_comparisons_that_are_there_twice() -> None:
    items = [item("barks", "bark"), item("runs", "run"), item("barks", "bark", "sits")]
    (remark,) = remarks("duplicate-contrast", *items)
    assert remark.message == "items 1 and 3 have the same sentences in 'a' and 'b'"
    assert remark.path == ("items", 2)
    # Items that are the same in everything are `duplicate-item`'s.
    assert remarks("duplicate-contrast", items[0], items[0]) == []
    assert remarks("duplicate-contrast", items[0], item("barks", "are")) == []
    assert remarks("duplicate-contrast", *items, formula="(2;%a%) < (2;%c%)") == []


def test_comparisons_of_what_is_the_same() -> None:
    same = item("barks", "barks")
    (remark,) = remarks("no-contrast", item("runs", "run"), same)
    assert remark.message == "nothing differs in region 2 of 'a' and 'b', nor before, in item 2"
    assert remark.hint == "every left-to-right model is as surprised by the one as by the other"
    assert remark.path == ("items", 1, "conditions", 1)
    assert remarks("no-contrast", item("runs", "run")) == []


def test_the_same_words_in_another_context_are_a_contrast() -> None:
    context: Sentences = {"a": ("The dog", "barks", "."), "b": ("The dogs", "barks", ".")}
    assert remarks("no-contrast", context) == []


def test_the_end_of_a_sentence_belongs_to_its_last_region() -> None:
    ends: Sentences = {"a": ("The dog", "barks", ""), "b": ("The dog", "barks", "now")}
    assert remarks("no-contrast", ends) == []


def test_nothing_is_not_the_same_as_nothing() -> None:
    assert remarks("no-contrast", item("", "")) == []


def test_without_spaces_a_token_may_reach_into_what_differs() -> None:
    items: Sentences = {"a": ("狗", "在吠", "了"), "b": ("狗", "在吠", "吗")}
    apart = make_suite([items], [LESS])
    assert len(check_suite(apart, ["no-contrast"])) == 1
    joined = make_suite([items], [LESS], joiner="")
    assert check_suite(joined, ["no-contrast"]) == []
    same: Sentences = {"a": ("狗", "在吠", "了"), "b": ("狗", "在吠", "了")}
    assert len(check_suite(make_suite([same], [LESS], joiner=""), ["no-contrast"])) == 1


def test_what_can_never_hold_for_that_is_not_said_again() -> None:
    suite = make_suite([item("runs", "run"), item("barks", "barks")], [LESS])
    rules = ["never-holds", "always-holds", "no-contrast"]
    assert [each.rule for each in check_suite(suite, rules)] == ["never-holds"]
    # This one may hold all the same, and that one never does for another reason.
    either = make_suite([item("barks", "barks")], [f"({LESS}) | (1;%a%) < 5"])
    assert [each.rule for each in check_suite(either, rules)] == ["no-contrast"]
    never = make_suite([item("barks", "barks")], [f"({LESS}) & (1;%a%) < (1;%a%)"])
    assert [each.rule for each in check_suite(never, rules)] == ["never-holds", "no-contrast"]
