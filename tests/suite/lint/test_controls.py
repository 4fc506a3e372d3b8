"""Scorers that see no syntax: what they come to, and which suites are doubted for it."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from tests.builders import Sentences, make_suite

from pommel.suite.lint import Remark, check_suite
from pommel.suite.lint.controls import Control

LESS = "(2;%a%) < (2;%b%)"
CROSSED = f"({LESS}) & ((2;%c%) < (2;%d%))"

words = st.sampled_from(["is", "are", "has", "have been", "barks", "bark"])


def item(a: str, b: str, subject: str = "The dog") -> Sentences:
    return {"a": (subject, a, "."), "b": (subject, b, ".")}


def crossed(a: str, b: str) -> Sentences:
    return {**item(a, b), "c": ("The dogs", b, "."), "d": ("The dogs", a, ".")}


def by_words(items: Sequence[Sentences], formula: str = LESS, **meta: str) -> list[Remark]:
    return check_suite(make_suite(items, [formula], **meta), ["context-free"])


def share(items: Sequence[Sentences], formula: str = LESS, **meta: str) -> float:
    return Control.context_free(make_suite(items, [formula], **meta)).share


@given(st.lists(st.tuples(words, words), min_size=1, max_size=8))
def test_a_crossed_design_is_left_to_chance(pairs: list[tuple[str, str]]) -> None:
    items = [crossed(*pair) for pair in pairs]
    assert set(Control.context_free(make_suite(items, [CROSSED])).shares) == {0.25}
    both = Control.context_free(make_suite(items, [CROSSED, LESS]))
    assert both.share == 0.25


@given(st.lists(st.tuples(words, words), min_size=1, max_size=8))
def test_sides_may_change_places(pairs: list[tuple[str, str]]) -> None:
    suite = make_suite([item(*pair) for pair in pairs], [LESS])
    turned = make_suite([item(b, a) for a, b in pairs], [LESS])
    assert Control.context_free(suite) == Control.context_free(turned)


@given(st.lists(st.sampled_from(["barks", "sleeps", "is"]), min_size=1, max_size=8))
def test_wrong_forms_that_are_right_nowhere(verbs: list[str]) -> None:
    assert share([item(verb, f"{verb}-wrong") for verb in verbs]) == 1
    assert share([item(f"{verb} then", f"{verb}-wrong then") for verb in verbs], metric="mean") == 1


def test_words_are_counted_where_they_stand_alone() -> None:
    # "is" is right twice and wrong once, and "are" the reverse.
    items = [item("is", "are"), item("is", "are"), item("are", "is")]
    assert Control.context_free(make_suite(items, [LESS])).shares == (1, 1, 0)
    # Marks and upper case do not count.
    assert share([item("Is,", "are"), item("are", "is")]) == 0.5


def test_a_sum_may_be_in_another_order() -> None:
    items = [item("painted the wall", "wall the painted"), item("a", "b"), item("painted", "c")]
    assert Control.context_free(make_suite(items, [LESS])).shares == (0.5, 1, 1)


def test_without_spaces_a_text_is_one_word() -> None:
    pair = item("好的", "的好")
    assert share([pair], joiner="") == 1
    assert share([pair, item("的好", "好的")], joiner="") == 0.5


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("(*;%a%) < (*;%b%)", 1.0),
        ("(2;%b%) > (2;%a%)", 1.0),
        ("(2;%b%) - (2;%a%) > (1;%b%) - (1;%a%)", 1.0),
        ("(1;%a%) < (1;%b%)", 0.5),
        # Nothing says which should be less surprising.
        ("abs((2;%a%) - (2;%b%)) > 1", 0.0),
    ],
)
def test_what_formulas_make_of_it(formula: str, expected: float) -> None:
    assert share([item("barks", "bark")] * 3, formula) == expected


def test_a_suite_that_gives_away_what_is_right() -> None:
    items = [item("barks", "bark")] * 8 + [item("bark", "barks"), item("is", "are")]
    (remark,) = by_words(items)
    assert remark.message == (
        "words alone, whatever stands before them, tell what is right in 9 of 10 items (1, 2, 3, "
        "4, 5, ...): 0.90, by chance 0.50; more often right: 'barks' 8 : 1, 'is' 1 : 0; more often "
        "wrong: 'bark' 1 : 8, 'are' 0 : 1"
    )
    assert remark.hint == (
        "exchange words within items, so that each is right as often as wrong, or say in "
        "meta.context_free why they cannot be"
    )
    assert remark.path == ("predictions", 0, "formula")
    assert remark.item_numbers == (1, 2, 3, 4, 5, 6, 7, 8, 10)
    assert by_words(items, context_free="The design compares one form only.") == []


def test_ties_do_not_hide_what_words_give_away() -> None:
    # Of 10 items 6 are told by their words, and a coin is right in 2 of the 4 others.
    items = [item("sings", f"zork{each}s") for each in "abcdef"]
    items += [item("walks", "walk"), item("walk", "walks")] * 2
    assert Control.context_free(make_suite(items, [LESS])).shares == (1,) * 6 + (0.5,) * 4
    (remark,) = by_words(items)
    assert remark.message.startswith(
        "words alone, whatever stands before them, tell what is right in 6 of 10 items (1, 2, 3, "
        "4, 5, ...): 0.80 if ties are guessed, by chance 0.50; more often right: 'sings' 6 : 0; "
    )
    assert remark.item_numbers == (1, 2, 3, 4, 5, 6)
    # One of two pairs is told: 0.5 for the item.
    half = {**item("sings", "zorks"), "c": ("The dogs", "walk"), "d": ("The dogs", "walks")}
    other = {**item("walks", "walk"), "c": ("The dogs", "sleep"), "d": ("The dogs", "sleep")}
    assert Control.context_free(make_suite([half, other], [CROSSED])).shares == (0.5, 0.25)


def test_what_is_compared_first_says_what_should_be_less_surprising() -> None:
    formula = "((2;%a%) < (2;%b%)) & ((2;%c%) < (2;%d%)) & (2;%b%) - (2;%a%) < (2;%d%) - (2;%c%)"
    items = [{**item("barks", "bark"), "c": ("It", "is"), "d": ("It", "are are")}] * 2
    assert share(items, formula) == 1


@pytest.mark.parametrize(
    ("items", "formula"),
    [
        ([item("barks", "bark")] * 7, LESS),  # too few to tell
        ([crossed("barks", "bark")] * 8, CROSSED),
        ([item("barks", "bark"), item("bark", "barks")] * 4, LESS),
        # 6 of 10 are not more than 0.1 above a half.
        ([item("is", "are")] * 6 + [item("are", "is")] * 4, LESS),
        # Whatever is the same everywhere is equal, without any word to tell it.
        ([item("barks", "barks")] * 8, "(2;%a%) = (2;%b%)"),
        # What chance is depends on how large surprisals are.
        ([item("barks", "bark")] * 8, "(2;%a%) + 1 < (2;%b%)"),
    ],
)
def test_what_is_not_doubted(items: list[Sentences], formula: str) -> None:
    assert by_words(items, formula) == []


def nearest(items: Sequence[Sentences], formula: str = LESS) -> Control:
    return Control.nearest_region(make_suite(items, [formula]))


def test_the_nearest_region_tells_what_follows() -> None:
    sing, plural = item("is", "are", "The dog"), item("are", "is", "The dogs")
    assert nearest([sing, sing, plural, plural]).shares == (1,) * 4
    # No other item has the text of the last one.
    assert nearest([sing, sing, plural]).shares == (1, 1, 0.5)
    # What is told is false, and something is told.
    assert nearest([sing, item("are", "is", "The dog"), plural]).shares == (0, 0, 0.5)


def beside(noun: str, attractor: str, verb: str, *, crossed: bool = False) -> Sentences:
    """Return an item in which the attractor's number is the other one, or first that of the noun.

    Of `crossed` items each has a fellow with the numbers of the attractor exchanged.
    """
    other = attractor if crossed else f"{attractor}s"
    last = f"{attractor}s" if crossed else attractor
    return {
        "a": (noun, "near", other, "today", f"{verb}s"),
        "b": (noun, "near", other, "today", verb),
        "c": (f"{noun}s", "near", last, "today", verb),
        "d": (f"{noun}s", "near", last, "today", f"{verb}s"),
    }


BESIDE = "((5;%a%) < (5;%b%)) & ((5;%c%) < (5;%d%))"
WORDS = (("dog", "cat", "bark"), ("pilot", "guard", "smile"), ("king", "queen", "walk"))


def test_of_words_it_sees_what_differs() -> None:
    # The last noun is always of the other number, and so tells what is right.
    assert nearest([beside(*each) for each in WORDS], BESIDE).share == 1
    assert nearest([beside(*each, crossed=True) for each in WORDS], BESIDE).share == 1
    both = [beside(*each, crossed=crossed) for each in WORDS for crossed in (True, False)]
    assert nearest(both, BESIDE).share == 0.25
    # Sentences as a whole differ in the verb alone.
    whole = BESIDE.replace("5;", "*;")
    assert nearest([beside(*each) for each in WORDS], whole).share == 1
    assert nearest(both, whole).share == 0.25


def test_regions_that_are_named_are_not_before_what_is_compared() -> None:
    pairs = [("The", "dog", "barks"), ("The", "dogs", "bark")] * 2
    items = [{"a": pair, "b": (*pair[:2], "is")} for pair in pairs]
    assert nearest(items, "(3;%a%) < (3;%b%)").shares == (1,) * 4
    assert nearest(items, "(*;%a%) < (*;%b%)").shares == (1,) * 4
    both = nearest(items, "(2;%a%) + (3;%a%) < (2;%b%) + (3;%b%)")
    assert both.why_none == "nothing that varies stands before what is compared"


def test_what_comes_once_tells_nothing() -> None:
    found = nearest([beside(*WORDS[0])], BESIDE)
    assert (found.shares, found.why_none) == ((), "no two items have the same pair of regions")


@pytest.mark.parametrize("formula", [LESS, "(*;%a%) < (*;%b%)", "(*;%a%) > 5"])
def test_nothing_stands_before_what_is_compared(formula: str) -> None:
    found = nearest([item("is", "are"), item("has", "have")], formula)
    assert found.why_none == "nothing that varies stands before what is compared"
    assert math.isnan(found.share)


def test_of_whole_sentences_each_item_has_regions_of_its_own() -> None:
    # In the second item the noun differs, too: nothing that varies stands before it.
    first, third = item("is", "are"), item("is", "are", "The cat")
    second = {"a": ("The dog", "is", "."), "b": ("The dogs", "are", ".")}
    assert nearest([first, second, first, third], "(*;%a%) < (*;%b%)").shares == (1, 0.5, 1, 0.5)


def test_a_suite_without_predictions() -> None:
    suite = replace(make_suite(), predictions=())
    assert suite.controls() == dict.fromkeys(
        ["context_free", "nearest_region"], Control(why_none="there is no prediction")
    )
    assert check_suite(suite, ["context-free"]) == []
