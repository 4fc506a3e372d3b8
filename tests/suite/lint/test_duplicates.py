"""What is there twice, and what does not differ."""

from tests.builders import Sentences, make_suite

from pommel.suite.lint import Remark, check_suite

LESS = "(2;%a%) < (2;%b%)"
WHOLE = "(*;%a%) < (*;%b%)"


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


def ended(verbs: tuple[str, str, str], end: str, subject: str = "The dog") -> Sentences:
    return {name: (subject, verb, end) for name, verb in zip("abc", verbs, strict=True)}


BARKS, RUNS = ("barks", "bark", "barked"), ("runs", "run", "ran")


def test_items_that_differ_only_behind_what_is_compared() -> None:
    items = [
        ended(BARKS, "now ."),
        ended(RUNS, "now ."),
        ended(BARKS, "again ."),
        ended(BARKS, "again .", subject="The cat"),
        ended(BARKS, "at home ."),
    ]
    (remark,) = remarks("duplicate-prefix", *items)
    assert remark.message == (
        "prediction 0 asks nothing new of a left-to-right model in 2 of 5 items (3, 5): what is "
        "compared, and all before it, is as in an item before"
    )
    assert remark.path == ("items", 2)
    assert remark.item_numbers == (3, 5)
    # A prediction that looks at the end asks something else of each.
    assert remarks("duplicate-prefix", *items, formula="(3;%a%) < (3;%b%)") == []


def test_whole_sentences_that_differ_only_behind_what_differs_in_a_pair() -> None:
    items = [
        ended(BARKS, "now ."),
        ended(RUNS, "now ."),
        ended(BARKS, "again ."),
        ended(BARKS, "again .", subject="The cat"),
    ]
    (remark,) = remarks("duplicate-prefix", *items, formula=WHOLE)
    assert remark.message == (
        "prediction 0 asks hardly anything new of a left-to-right model in item 3: what differs in "
        "its sentences, and all before it, is as in an item before"
    )
    assert remark.hint == "what is there twice counts twice; let words before it differ"
    assert remark.path == ("items", 2)
    # Where what follows differs in a pair, too, it is part of the difference.
    other = {**ended(BARKS, "again ."), "b": ("The dog", "bark", "often .")}
    assert remarks("duplicate-prefix", items[0], other, formula=WHOLE) == []
    # What is the same to the end, `duplicate-contrast` has.
    assert remarks("duplicate-prefix", items[0], items[0], formula=WHOLE) == []


def test_whole_sentences_in_which_what_follows_tells_which_form_is_right() -> None:
    def inverted(one: str, many: str) -> Sentences:
        return {
            "a": ("Today", "barks", f"the {one} ."),
            "b": ("Today", "bark", f"the {one} ."),
            "c": ("Today", "bark", f"the {many} ."),
            "d": ("Today", "barks", f"the {many} ."),
        }

    items = [inverted("dog", "dogs"), inverted("seal", "seals")]
    both = "(*;%a%) < (*;%b%) & (*;%c%) < (*;%d%)"
    assert remarks("duplicate-prefix", *items, formula=both) == []
    assert len(remarks("duplicate-prefix", *items, formula=WHOLE)) == 1


def test_whole_sentences_without_spaces_are_compared_letter_by_letter() -> None:
    def barks(end: str) -> Sentences:
        return {"a": ("狗", "在吠", end), "b": ("狗", "没吠", end)}

    suite = make_suite([barks("了"), barks("吗")], [WHOLE], joiner="")
    (remark,) = check_suite(suite, ["duplicate-prefix"])
    assert remark.item_numbers == (2,)


def test_each_prediction_asks_for_itself() -> None:
    items = [ended(BARKS, "now ."), ended(("barks", "bark", "has barked"), "again .")]
    asked = [LESS, "(2;%a%) < (2;%c%)", "(2;%b%) > (2;%a%)"]
    (remark,) = check_suite(make_suite(items, asked), ["duplicate-prefix"])
    assert remark.message == (
        "predictions 0, 2 ask nothing new of a left-to-right model in item 2: what is compared, "
        "and all before it, is as in an item before"
    )


def test_items_with_the_same_sentences_are_no_duplicate_prefixes() -> None:
    same, other = ended(BARKS, "now ."), ended(("barks", "bark", "had barked"), "now .")
    rules = ["duplicate-item", "duplicate-contrast", "duplicate-prefix"]
    found = check_suite(make_suite([same, same, other], [LESS]), rules)
    assert [each.rule for each in found] == ["duplicate-item", "duplicate-contrast"]


def test_what_ends_a_sentence_is_not_the_same_as_what_does_not() -> None:
    items = [ended(BARKS, ""), ended(BARKS, "again")]
    assert remarks("duplicate-prefix", *items) == []
    # Without spaces a token may reach into what follows.
    apart = make_suite([ended(BARKS, "now ."), ended(BARKS, "again .")], [LESS])
    assert len(check_suite(apart, ["duplicate-prefix"])) == 1
    joined = make_suite([ended(BARKS, "now ."), ended(BARKS, "again .")], [LESS], joiner="")
    assert check_suite(joined, ["duplicate-prefix"]) == []


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
