"""Suites as values: sentences and their spans, stray spaces, what a suite knows of itself."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from tests.builders import make_suite, suite_value

from pommel.errors import InputError
from pommel.suite.checks import has_stray_space
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Condition, Region, Sentence, Suite


def condition(*contents: str) -> Condition:
    regions = (Region(number=n, content=content) for n, content in enumerate(contents, 1))
    return Condition(name="c", regions=tuple(regions))


@pytest.mark.parametrize(
    ("contents", "text", "spans"),
    [
        (("The dog", "barks", "."), "The dog barks .", ((0, 7), (7, 13), (13, 15))),
        (("The dog",), "The dog", ((0, 7),)),
        (("", "a", "b"), "a b", ((0, 0), (0, 1), (1, 3))),
        (("", "", "a"), "a", ((0, 0), (0, 0), (0, 1))),
        (("a", "", "b"), "a b", ((0, 1), (1, 1), (1, 3))),
        (("a", "b", ""), "a b", ((0, 1), (1, 3), (3, 3))),
        (("a", "  ", "b"), "a b", ((0, 1), (1, 1), (1, 3))),
        ((" a", "b\n", "c  d"), "a b c d", ((0, 1), (1, 3), (3, 7))),
        (("", ""), "", ((0, 0), (0, 0))),
    ],
)
def test_text_and_spans_come_together(
    contents: tuple[str, ...], text: str, spans: tuple[tuple[int, int], ...]
) -> None:
    assert condition(*contents).sentence() == Sentence(text=text, spans=spans)


def test_a_language_without_spaces() -> None:
    sentence = condition("犬が", "", "吠える", "。").sentence(joiner="")
    assert sentence == Sentence(text="犬が吠える。", spans=((0, 2), (2, 2), (2, 5), (5, 6)))
    assert make_suite([{"match": ("犬", "吠"), "mismatch": ("犬", "x")}], joiner="").joiner == ""
    assert make_suite().joiner == " "


def with_joiners(*regions: tuple[str, str | None], context: str = "") -> Condition:
    made = (Region(number=n, content=text, joiner=own) for n, (text, own) in enumerate(regions, 1))
    return Condition(name="c", regions=tuple(made), context=context)


def test_a_region_has_its_own_joiner_before_it() -> None:
    made = with_joiners(("我是", None), ("Anna", " "), ("", " "), ("的朋友", None), ("。", ""))
    sentence = made.sentence(joiner="")
    assert sentence.text == "我是 Anna的朋友。"
    assert [sentence.text[start:end] for start, end in sentence.spans] == [
        *("我是", " Anna", "", "的朋友", "。")
    ]
    assert [before for before, _ in made.pieces("")] == ["", " ", "", "", ""]


def test_nothing_stands_before_the_first_region_but_behind_a_context() -> None:
    assert with_joiners(("", "-"), ("l'", "-"), ("arbre", "")).sentence().text == "l'arbre"
    assert with_joiners(("arbre", ""), context="l'").sentence().text == "l'arbre"


def test_joiners_of_regions_are_written_back() -> None:
    value = suite_value([{"match": ("l'", "arbre"), "mismatch": ("l'", "arbres")}])
    value["items"][0]["conditions"][0]["regions"][1]["joiner"] = ""
    suite = LoadedSuite.from_dict(value).suite
    assert suite.to_dict() == value
    assert suite.has_own_joiners
    assert not make_suite().has_own_joiners
    condition = suite.items[0].condition("mismatch")
    regions = (condition.regions[0], replace(condition.regions[1], joiner=""))
    changed = replace(condition, regions=regions)
    assert changed.to_dict()["regions"][1]["joiner"] == ""
    assert changed != condition


CONTENTS = st.lists(st.text(" \tab.é\n\u3000", max_size=5), min_size=1, max_size=6)


@given(CONTENTS, st.sampled_from([" ", "", "--"]))
def test_spans_cover_the_sentence_without_gap_or_overlap(contents: list[str], joiner: str) -> None:
    made = condition(*contents)
    sentence = made.sentence(joiner)
    assert [start for start, _ in sentence.spans] == [0, *(end for _, end in sentence.spans)][:-1]
    assert sentence.spans[-1][1] == len(sentence.text)
    for region, (start, end) in zip(made.regions, sentence.spans, strict=True):
        assert sentence.text[start:end].removeprefix(joiner if start else "") == region.text
        assert (start == end) == (not region.content.strip())


@pytest.mark.parametrize(
    ("content", "mended"),
    [
        (" the woman", "the woman"),
        ("the woman ", "the woman"),
        ("the  woman", "the woman"),
        ("the \t woman", "the woman"),
        ("the\nwoman", "the woman"),
        ("\u00a0the\u3000", "the"),
        ("   ", ""),
    ],
)
def test_stray_spaces_are_mended(content: str, mended: str) -> None:
    assert has_stray_space(content)
    assert Region.text_of(content) == mended
    region = Region(number=1, content=content)
    assert (region.content, region.text) == (content, mended)


@pytest.mark.parametrize("content", ["", "a", "the woman", "the\twoman", "the\u00a0woman", "a ."])
def test_what_is_no_stray_space(content: str) -> None:
    assert not has_stray_space(content)
    assert Region.text_of(content) == content


@given(st.text(" \t\n\r\x0b\u2028\u00a0ab.", max_size=10))
def test_mending_leaves_nothing_to_mend(content: str) -> None:
    mended = Region.text_of(content)
    assert not has_stray_space(mended)
    assert mended.split() == content.split()


def test_a_suite_knows_its_conditions_regions_and_origin() -> None:
    suite = make_suite(
        [
            {"b": ("x", "", "y"), "a": ("x", "z")},
            {"a": ("x", "z"), "b": ("x", "", "y")},
        ],
        ["(1;%a%) < (1;%b%)"],
        circuit="agreement",
        language="en",
        version="1.2.3",
    )
    assert suite.condition_names == ("b", "a")
    assert suite.region_numbers == (1, 2, 3)
    assert (suite.circuit, suite.language, suite.version) == ("agreement", "en", "1.2.3")
    assert suite.items[1].condition("b").regions[2].text == "y"
    with pytest.raises(KeyError, match="'c'"):
        suite.items[0].condition("c")
    plain = make_suite()
    assert (plain.circuit, plain.language, plain.version) == ("", "", "")


def test_regions_without_a_name_count_and_names_without_a_region_too() -> None:
    region_names = {7: "later"}
    suite = make_suite()
    changed = Suite(
        name="s",
        metrics=("sum",),
        region_names=region_names,
        predictions=(),
        items=suite.items,
    )
    assert changed.region_numbers == (1, 2, 3, 7)


def test_a_suite_without_items_does_not_exist() -> None:
    with pytest.raises(InputError) as caught:
        Suite(name="s", metrics=("sum",), region_names={}, predictions=(), items=())
    assert str(caught.value) == "suite 's' has no items"
