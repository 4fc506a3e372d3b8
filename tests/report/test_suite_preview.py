"""A suite as its author reads it: the lines of a preview."""

from dataclasses import replace
from typing import Any

from hypothesis import given, strategies as st
from tests.builders import make_suite, suite_value

from pommel.report.suite_preview import PreviewLine, compared_regions
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Item, Suite

MATCH = "(2;%match%) < (2;%mismatch%)"


def lines(suite: Suite, *, plain: bool = False) -> list[str]:
    return [line.text for line in PreviewLine.of(suite, suite.items, plain=plain)]


def test_a_preview_in_full() -> None:
    suite = make_suite(formulas=[MATCH, "(3;%match%) = (3;%mismatch%)"], language="en", version="1")
    assert lines(suite) == [
        "small",
        "  en · 1 · 1 item",
        "  prediction 0: (2;%match%) < (2;%mismatch%)",
        "    region 2 (r2) must be less surprising in *match* than in *mismatch*",
        "  prediction 1: (3;%match%) = (3;%mismatch%)",
        "    region 3 (r3) must be about as surprising in *match* as in *mismatch*",
        "",
        "  item 1",
        "    match     [1 The dog] [[2 barks]] [[3 .]]",
        "    mismatch  [1 The dog] [[2 bark]] [[3 .]]",
    ]


def test_plain_sentences_are_what_is_scored() -> None:
    items = [{"a": ("是", "", "我")}]
    suite = make_suite(items, ["(1;%a%) > 0"], joiner="")
    assert lines(suite, plain=True)[-1] == "    a  是我"
    assert lines(suite)[-1] == "    a  [[1 是]] [2] [3 我]"


def test_an_empty_region_that_is_compared_can_be_seen() -> None:
    suite = make_suite([{"a": ("The dog", "", ".")}], ["(2;%a%) > 0"])
    assert lines(suite)[-1] == "    a  [1 The dog] [[2]] [3 .]"


def test_without_predictions_nothing_is_compared() -> None:
    shown = lines(make_suite(formulas=[]))
    assert shown[2] == "  no predictions"
    assert shown[-1] == "    mismatch  [1 The dog] [2 bark] [3 .]"


def test_the_words_follow_the_metric() -> None:
    shown = lines(make_suite(metric=["mean", "sum"]))
    assert shown[3] == (
        "    region 2 (r2) must be less surprising on average per token in *match* than in "
        "*mismatch*"
    )


def test_a_list_of_alternatives_keeps_its_indentation() -> None:
    shown = lines(make_suite(formulas=[f"{MATCH} | (3;%match%) < 2"]))
    assert shown[3:6] == [
        "    at least one of these must hold:",
        "      - region 2 (r2) is less surprising in *match* than in *mismatch*",
        "      - the surprisal of region 3 (r3) in *match* is lower than 2 bits",
    ]


def test_glosses_stand_under_their_sentences() -> None:
    value = suite_value()
    conditions: list[dict[str, Any]] = value["items"][0]["conditions"]
    conditions[0]["gloss"] = "DET dog bark-3SG\n'The dog barks.'"
    conditions[1]["gloss"] = ["DET", "dog", "bark-3PL"]
    assert lines(LoadedSuite.from_dict(value).suite)[-5:] == [
        "    match     [1 The dog] [[2 barks]] [3 .]",
        "              DET dog bark-3SG",
        "              'The dog barks.'",
        "    mismatch  [1 The dog] [[2 bark]] [3 .]",
        "              DET dog bark-3PL",
    ]


def test_descriptions_and_conditions_in_the_suites_order() -> None:
    reversed_item = {"mismatch": ("A", "b", "c"), "match": ("A", "d", "c")}
    value = suite_value([{"match": ("D", "e", "f"), "mismatch": ("D", "g", "f")}, reversed_item])
    value["predictions"][0]["description"] = "Agreement."
    shown = lines(LoadedSuite.from_dict(value).suite)
    assert shown[4] == "    Agreement."
    assert shown[-2:] == [
        "    match     [1 A] [[2 d]] [3 c]",
        "    mismatch  [1 A] [[2 b]] [3 c]",
    ]


def test_scripts_from_right_to_left_are_left_as_they_are() -> None:
    sentence = ("המורה", "מחייך", "می\N{ZERO WIDTH NON-JOINER}خواهم")
    suite = make_suite([{"a": sentence}], ["(2;%a%) > 0"])
    assert lines(suite)[-1] == f"    a  [1 {sentence[0]}] [[2 {sentence[1]}]] [3 {sentence[2]}]"
    assert lines(suite, plain=True)[-1] == f"    a  {' '.join(sentence)}"


def test_wide_names_are_aligned_by_cells() -> None:
    suite = make_suite([{"一致": ("The",), "ok": ("A",)}], ["(1;%ok%) > 0"])
    assert lines(suite)[-2:] == ["    一致  [1 The]", "    ok    [[1 A]]"]


def test_what_predictions_look_at() -> None:
    suite = make_suite(formulas=[MATCH, "(*;%match%) < (3;%mismatch%)"])
    assert compared_regions(suite) == {"match": {1, 2, 3}, "mismatch": {2, 3}}


_TEXT = st.text(st.characters(categories=["L", "N", "P"]), max_size=8)


@given(st.lists(_TEXT, min_size=1, max_size=5).filter(any))
def test_no_content_is_lost(contents: list[str]) -> None:
    suite = make_suite([{"a": contents}], ["(1;%a%) > 0"])
    (first, *others) = (f"{n} {text}" if text else str(n) for n, text in enumerate(contents, 1))
    assert lines(suite)[-1] == " ".join([f"    a  [[{first}]]", *(f"[{each}]" for each in others)])


def test_long_formulas_are_shortened_and_not_said_in_words() -> None:
    long = " + ".join(["(1;%match%)"] * 60) + " < 1"
    value = suite_value(formulas=[long])
    value["predictions"][0]["description"] = "All in all."
    shown = lines(LoadedSuite.from_dict(value).suite)
    first = " + ".join(["(1;%match%)"] * 4)
    assert shown[2:5] == [f"  prediction 0: {first} ... and 56 more", "    All in all.", ""]


def test_a_formula_with_few_references_is_not_shortened() -> None:
    names = ["m" * 250, "n" * 250]
    suite = make_suite([dict.fromkeys(names, ("word",))], [f"(1;%{names[0]}%) < (1;%{names[1]}%)"])
    assert lines(suite)[2:4] == [f"  prediction 0: (1;%{names[0]}%) < (1;%{names[1]}%)", ""]


def test_items_of_a_draft_may_lack_conditions_and_have_others() -> None:
    suite = make_suite()
    item = suite.items[0]
    first, second = item.conditions
    other = replace(second, name="other")
    uneven = replace(suite, items=(item, Item(number=2, conditions=(other, first))))
    assert lines(uneven)[-2:] == [
        "    match     [1 The dog] [[2 barks]] [3 .]",
        "    other     [1 The dog] [2 bark] [3 .]",
    ]
