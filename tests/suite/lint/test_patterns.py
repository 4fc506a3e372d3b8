"""Items that break the pattern of the others."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.builders import Sentences, make_suite

from pommel.suite.lint import Remark, check_suite

NOUNS = ["dog", "cat", "bird", "horse", "owl", "goat"]
NUMBER = "(3;%match_sing%) < (3;%mismatch_sing%) & (3;%match_plural%) < (3;%mismatch_plural%)"
PATTERNS = ["odd-word", "odd-form", "swapped-conditions"]


def number(noun: str, near: str = "boy", verbs: Sequence[str] = ("barks", "bark")) -> Sentences:
    one, many = verbs
    return {
        "match_sing": (f"The {noun}", f"near the {near}s", one),
        "mismatch_sing": (f"The {noun}", f"near the {near}s", many),
        "match_plural": (f"The {noun}s", f"near the {near}", many),
        "mismatch_plural": (f"The {noun}s", f"near the {near}", one),
    }


WELL = [number(noun) for noun in NOUNS]


def changed(item: Sentences, condition: str, region: int, text: str) -> Sentences:
    regions = [*item[condition]]
    regions[region - 1] = text
    return {**item, condition: regions}


def swapped(item: Sentences, *pairs: tuple[str, str]) -> Sentences:
    names = dict(pairs) | {other: one for one, other in pairs}
    return {name: item[names.get(name, name)] for name in item}


def remarks(
    *items: Sentences, rules: Sequence[str] = PATTERNS, formula: str = NUMBER, **meta: Any
) -> list[Remark]:
    return check_suite(make_suite([*WELL, *items], [formula], **meta), rules)


def test_a_word_that_is_another_one_in_one_condition() -> None:
    (remark,) = remarks(changed(number("hen"), "mismatch_plural", 1, "The hnes"))
    assert remark.rule == "odd-word"
    assert remark.message == (
        "region 1 of 'mismatch_plural' says 'The hnes' in item 7, and that of 'match_plural' "
        "'The hens'"
    )
    assert remark.hint == "in the other items they say the same; write one of them in both"
    assert remark.path == ("items", 6, "conditions", 3, "regions", 0, "content")
    assert remark.item_numbers == (7,)


def test_of_two_conditions_that_differ_it_is_the_one_with_the_rarer_word() -> None:
    for name in ("match_sing", "mismatch_plural"):
        (remark,) = remarks(changed(number("hen"), name, 3, "bakrs"))
        assert remark.message.startswith(f"region 3 of '{name}' says 'bakrs' in item 7")


def test_a_region_that_is_missing_in_one_condition() -> None:
    (remark,) = remarks(changed(number("hen"), "match_sing", 2, ""))
    assert remark.message == (
        "region 2 of 'match_sing' says nothing in item 7, and that of 'mismatch_sing' "
        "'near the boys'"
    )


def test_what_differs_by_two_and_two() -> None:
    item = changed(number("hen"), "match_sing", 2, "near a {0}")
    item = changed(item, "match_plural", 1, "The {}")
    assert [each.message.split(",")[0] for each in remarks(item)] == [
        "region 1 of 'match_plural' says 'The {}' in item 7",
        "region 2 of 'match_sing' says 'near a {0}' in item 7",
    ]


def test_an_attractor_of_the_wrong_number() -> None:
    (remark,) = remarks(changed(number("hen"), "mismatch_sing", 2, "near the boy"))
    assert remark.rule == "odd-form"
    assert remark.message == (
        "region 2 of 'mismatch_sing' says 'near the boy' in item 7, as that of 'match_plural' does"
    )
    assert remark.hint == ("in the other items it is as that of 'match_sing', here 'near the boys'")
    assert remark.path == ("items", 6, "conditions", 1, "regions", 1, "content")


def test_an_attractor_that_has_one_number_only() -> None:
    same = "near the boys"
    item = changed(changed(number("hen"), "match_plural", 2, same), "mismatch_plural", 2, same)
    (remark,) = remarks(item)
    assert remark.rule == "odd-form"
    assert remark.message == (
        "region 2 of 'match_sing' says 'near the boys' in item 7, as that of 'match_plural' does"
    )
    assert remark.hint == "in the other items they differ; write what belongs to each"


def test_an_attractor_that_is_turned_round() -> None:
    item = number("hen")
    for name in ("match", "mismatch"):
        item = changed(item, f"{name}_sing", 2, "near the king")
        item = changed(item, f"{name}_plural", 2, "near the kings")
    (remark,) = remarks(item)
    assert remark.message == (
        "region 2 of 'match_sing' says 'near the king' in item 7, and that of 'match_plural' "
        "'near the kings'"
    )
    assert remark.hint == "in the other items it is the other way round; exchange them"


@pytest.mark.parametrize(
    "pair",
    [
        ("match_sing", "mismatch_sing"),
        ("match_plural", "mismatch_plural"),
        ("match_sing", "match_plural"),
        ("mismatch_sing", "match_plural"),
    ],
)
def test_conditions_that_have_changed_places(pair: tuple[str, str]) -> None:
    (remark,) = remarks(swapped(number("hen"), pair))
    assert remark.rule == "swapped-conditions"
    assert remark.message == (
        f"the sentences of {pair[0]!r} and {pair[1]!r} seem to have changed places in item 7: "
        "with each other's names the item is like the others"
    )
    assert remark.path == ("items", 6, "conditions", [*WELL[0]].index(pair[0]))


def test_two_pairs_of_conditions_that_have_changed_places() -> None:
    pairs = [("match_sing", "match_plural"), ("mismatch_sing", "mismatch_plural")]
    (remark,) = remarks(swapped(number("hen"), *pairs))
    assert remark.message.startswith(
        "the sentences of 'match_sing' and 'match_plural', and those of 'mismatch_sing' and "
        "'mismatch_plural' seem to have changed places in item 7"
    )


def test_two_conditions_that_differ_in_one_direction() -> None:
    items: list[Sentences] = [
        {"neg": (f"No {noun}s", "ever bark"), "pos": (f"The {noun}s", "ever bark")}
        for noun in NOUNS
    ]
    turned = swapped(items[0], ("neg", "pos"))
    suite = make_suite([*items[1:], turned], ["(2;%neg%) < (2;%pos%)"])
    (remark,) = check_suite(suite, PATTERNS)
    assert (remark.rule, remark.item_numbers) == ("swapped-conditions", (6,))


def test_a_gap_that_is_filled_where_others_are_empty() -> None:
    items: list[Sentences] = [
        {"gap": ("who", f"the {noun} saw", ""), "none": ("who", f"the {noun} saw", f"the {other}")}
        for noun, other in zip(NOUNS, reversed(NOUNS), strict=True)
    ]
    turned = swapped(items[0], ("gap", "none"))
    (remark,) = check_suite(make_suite([*items[1:], turned], []), PATTERNS)
    assert remark.rule == "swapped-conditions"


def test_words_that_go_their_own_ways() -> None:
    # Plurals with and without -s, and verbs whose forms are alike, in as many items as it takes.
    irregular = [("man", "men"), ("ox", "oxen"), ("mouse", "mice"), ("child", "children")]
    items = [
        changed(
            changed(number(one), "match_plural", 1, f"The {many}"),
            "mismatch_plural",
            1,
            f"The {many}",
        )
        for one, many in irregular
    ]
    assert remarks(*items, *[number("fox", verbs=("put", "put"))] * 4) == []


def test_few_items_have_no_pattern() -> None:
    odd = changed(number("hen"), "mismatch_plural", 1, "The hnes")
    assert check_suite(make_suite([*WELL[:3], odd], [NUMBER]), PATTERNS) == []
    assert len(check_suite(make_suite([*WELL[:4], odd], [NUMBER]), PATTERNS)) == 1


def test_what_is_so_in_more_than_one_item_of_ten_is_a_design() -> None:
    odd = changed(number("hen"), "mismatch_plural", 1, "A hen")
    assert remarks(odd, odd) == []
    assert len(remarks(*WELL, *WELL, odd, odd)) == 2
    assert remarks(*WELL * 7, *[odd] * 4) == []


def test_what_looks_the_same_is_the_same() -> None:
    for text in ("The he\u00adns", "The h\u0435ns"):
        assert remarks(changed(number("hen"), "mismatch_plural", 1, text)) == []


def test_other_rules_do_not_say_it_again() -> None:
    rules = [*PATTERNS, "unequal-context", "unequal-words", "never-holds"]
    # Before the verb, which is compared.
    odd = changed(number("hen"), "mismatch_plural", 1, "The brown hnes")
    assert [each.rule for each in remarks(odd, rules=rules)] == ["odd-word"]
    # Compared regions that are the same; by left-to-right models nothing differs.
    same = number("hen", verbs=("put", "put"))
    assert [each.rule for each in remarks(same, rules=rules)] == ["never-holds"]
    # Behind what is compared: no prediction is concerned, and both are said.
    first = "(1;%match_sing%) < (1;%match_plural%)"
    assert len(remarks(changed(number("hen"), "match_sing", 2, "x"), formula=first)) == 1


@given(st.permutations([*range(len(WELL) + 1)]), st.permutations([*WELL[0]]))
def test_orders_of_items_and_conditions_say_nothing(
    order: Sequence[int], conditions: Sequence[str]
) -> None:
    odd = changed(number("hen"), "mismatch_sing", 2, "near the boy")
    items = [[*WELL, odd][place] for place in order]
    items = [{name: item[name] for name in conditions} for item in items]
    (remark,) = check_suite(make_suite(items, [NUMBER]), PATTERNS)
    place = ("items", order.index(len(WELL)), "conditions", conditions.index("mismatch_sing"))
    assert remark.path == (*place, "regions", 1, "content")
