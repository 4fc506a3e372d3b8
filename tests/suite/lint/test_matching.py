"""Comparisons that match in most items, and in a few do not."""

from typing import Any

from tests.builders import Sentences, make_suite

from pommel.suite.lint import Remark, check_suite

LESS = "(2;%a%) < (2;%b%)"


def item(a: str, b: str, before: tuple[str, str] = ("The dog", "The dogs")) -> Sentences:
    return {"a": (before[0], a, "."), "b": (before[1], b, ".")}


def remarks(rule: str, *items: Sentences, formula: str = LESS, **meta: Any) -> list[Remark]:
    return check_suite(make_suite(items, [formula], **meta), [rule])


WELL = item("barks", "bark")
SAME = item("barks", "barks")


def test_lengths_that_differ_in_a_few_items() -> None:
    items = [WELL, WELL, item("runs away", "run"), WELL, WELL, WELL, WELL, item("is", "will be")]
    (remark,) = remarks("unequal-length", *items)
    assert remark.message == (
        "lengths differ in region 2 of 'a' and 'b' in 2 of 8 items (3, 8): 2 and 1 word in item 3"
    )
    assert remark.hint == "they do not in the other items"
    assert remark.path == ("items", 2, "conditions", 0)
    assert remark.item_numbers == (3, 8)


def test_lengths_that_differ_by_design_are_none_of_our_business() -> None:
    longer = item("runs away", "run")
    assert remarks("unequal-length", WELL, WELL, longer) == []  # a third of the items
    assert remarks("unequal-length", longer, longer, longer, longer) == []
    assert remarks("unequal-length", WELL, WELL, WELL) == []


def test_a_mean_does_not_grow_with_the_number_of_words() -> None:
    items = [WELL, WELL, WELL, item("runs away", "run")]
    assert len(remarks("unequal-length", *items, metric="max")) == 1
    assert remarks("unequal-length", *items, metric="mean") == []
    assert remarks("unequal-length", *items, metric="median") == []


def test_without_spaces_characters_are_counted() -> None:
    items = [item("在吠", "叫了", ("狗", "猫"))] * 3 + [item("吠", "叫了", ("狗", "猫"))]
    (remark,) = remarks("unequal-length", *items, joiner="")
    assert remark.message.endswith("in item 4: 1 and 2 characters")


def test_words_that_differ_where_they_should_be_the_same() -> None:
    items = [SAME, SAME, SAME, item("bark s", "barks")]
    (remark,) = remarks("unequal-words", *items)
    assert remark.message == (
        "words differ in region 2 of 'a' and 'b' in item 4: 'bark s' and 'barks'"
    )
    # That their number differs, too, need not be said.
    assert remarks("unequal-length", *items) == []
    assert remarks("unequal-words", SAME, SAME, SAME, SAME) == []
    assert remarks("unequal-words", WELL, WELL, WELL, SAME) == []


def test_what_stands_before() -> None:
    early = item("barks", "bark", ("The dog", "The dogs there"))
    (remark,) = remarks("unequal-context", WELL, early, WELL, WELL)
    assert remark.message == (
        "lengths differ before region 2 of 'a' and 'b' in item 2: 2 and 3 words"
    )
    assert remarks("unequal-context", early, early, early) == []
    # The whole sentence has nothing before it.
    whole = "(*;%a%) < (*;%b%)"
    assert remarks("unequal-context", WELL, early, WELL, WELL, formula=whole) == []
    # Of one pair of conditions it is said once, of another one it is news.
    twice = f"{LESS} & (3;%a%) < (3;%b%)"
    assert len(remarks("unequal-context", WELL, early, WELL, WELL, formula=twice)) == 1


def test_other_words_before_what_is_compared() -> None:
    same = item("barks", "bark", ("The dog", "The dog"))
    other = item("barks", "bark", ("The dog", "The cat"))
    (remark,) = remarks("unequal-context", same, same, other, same)
    assert remark.message == (
        "words differ before region 2 of 'a' and 'b' in item 3: 'The dog' and 'The cat'"
    )
    # By design they are others.
    assert remarks("unequal-context", other, other, same, other) == []
    # What looks the same is another rule's.
    looks = item("barks", "bark", ("The caf\u00e9", "The cafe\u0301"))
    assert remarks("unequal-context", same, same, looks, same) == []


def test_two_differences_at_once() -> None:
    (remark,) = remarks("no-minimal-pair", WELL, WELL, WELL, SAME)
    assert remark.message == (
        "words differ in and before region 2 of 'a' and 'b' in 3 of 4 items (1, 2, 3): 'The dog' "
        "and 'The dogs' in item 1"
    )
    assert remark.hint == "let one of them differ, or nobody knows which one a model goes by"
    # One of them differs: what is compared, or what stands before it.
    same_subject = item("barks", "bark", ("The dog", "The dog"))
    assert remarks("no-minimal-pair", same_subject, same_subject) == []
    assert remarks("no-minimal-pair", SAME, SAME) == []
    # The order differs, or all of it is compared.
    for formula in ("(2;%a%) < (3;%b%)", "(*;%a%) < (*;%b%)"):
        assert remarks("no-minimal-pair", WELL, WELL, formula=formula) == []


def test_the_regions_of_a_side_are_taken_together() -> None:
    both = "(2;%a%) + (3;%a%) < (3;%b%) + (2;%b%)"
    moved: Sentences = {"a": ("The dog", "", "barks ."), "b": ("The dog", "barks", ".")}
    assert remarks("unequal-words", SAME, SAME, SAME, moved, formula=both) == []
    assert len(remarks("unequal-words", SAME, SAME, SAME, moved)) == 1
