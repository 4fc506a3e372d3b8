"""Where the sentences of a minimal set differ, and the suites that sets become."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from pommel.files.json import json_chunks, to_json
from pommel.sources.minimal_sets import (
    MinimalSet,
    are_unspaced,
    characters_in,
    suite_head,
    suite_items,
    words_in,
)
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Condition, Item, Region


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (("the dog barks .", "the dog bark ."), MinimalSet("the dog", "barks", ("bark",), ".")),
        (("a dog", "an dog", "the dog"), MinimalSet("", "a", ("an", "the"), "dog")),
        (("he is old", "he are very old"), MinimalSet("he", "is", ("are very",), "old")),
        # What is shared at the beginning is not shared at the end once more.
        (("a a b", "a b"), MinimalSet("a", "a", ("",), "b")),
        (("x a x", "x b y x"), MinimalSet("x", "a", ("b y",), "x")),
        (("a b", "c d"), MinimalSet("", "a b", ("c d",), "")),
        (("a b",), MinimalSet("a b", "", (), "")),
        # Nobody knows what is contrasted.
        (("a b", "a b"), MinimalSet("", "a b", ("a b",), "")),
    ],
)
def test_the_contrast_is_between_what_is_shared(
    sentences: tuple[str, ...], expected: MinimalSet
) -> None:
    assert MinimalSet.of(*sentences) == expected
    assert (expected.grammatical, *expected.ungrammatical) == sentences


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1), min_size=1, max_size=4))
def test_sentences_come_out_as_they_went_in(sentences: list[list[str]]) -> None:
    texts = [" ".join(words) for words in sentences]
    found = MinimalSet.of(*texts)
    assert [found.grammatical, *found.ungrammatical] == texts
    assert [pair.ungrammatical for pair in found.pairs()] == [(each,) for each in texts[1:]]
    assert {pair.grammatical for pair in found.pairs()} <= {texts[0]}


def test_a_suite_of_pairs() -> None:
    sets = [MinimalSet.of("the dog barks .", "the dog bark ."), MinimalSet.of("a b", "a c")]
    value = {**suite_head({"name": "pairs"}, 1), "items": list(suite_items(sets))}
    suite = LoadedSuite.from_dict(value).suite
    assert (suite.name, suite.condition_names) == ("pairs", ("grammatical", "ungrammatical"))
    assert suite.region_names == {1: "before", 2: "contrast", 3: "after"}
    assert [each.formula.text for each in suite.predictions] == [
        "(*;%grammatical%) < (*;%ungrammatical%)"
    ]
    texts = [item.condition("ungrammatical").sentence().text for item in suite.items]
    assert texts == ["the dog bark .", "a c"]
    regions = suite.items[0].condition("grammatical").regions
    assert [region.content for region in regions] == ["the dog", "barks", "."]


def test_a_suite_of_larger_sets() -> None:
    value = {
        **suite_head({"name": "sets"}, 2),
        "items": list(suite_items([MinimalSet.of("I am", "I are", "I is")])),
    }
    suite = LoadedSuite.from_dict(value).suite
    assert suite.condition_names == ("grammatical", "ungrammatical_1", "ungrammatical_2")
    assert suite.predictions[0].formula.text == (
        "(*;%grammatical%) < (*;%ungrammatical_1%) & (*;%grammatical%) < (*;%ungrammatical_2%)"
    )
    assert suite.predictions[0].description == (
        "The grammatical sentence is less surprising than the ungrammatical ones."
    )


def test_what_is_compared_may_be_the_contrast_alone() -> None:
    (prediction,) = suite_head({"name": "x"}, 1, "contrast")["predictions"]
    assert prediction["formula"] == "(2;%grammatical%) < (2;%ungrammatical%)"
    assert prediction["description"] == (
        "The grammatical form is less surprising than the ungrammatical one."
    )


SETS = st.lists(
    st.builds(
        lambda words, field: MinimalSet.of(*words, fields=field),
        st.lists(
            st.lists(st.sampled_from("abc"), min_size=1).map(" ".join), min_size=2, max_size=2
        ),
        st.none() | st.dictionaries(st.text(max_size=3), st.integers() | st.text(), min_size=1),
    ),
    min_size=1,
    max_size=4,
)


@given(SETS)
def test_sets_come_back_from_a_suite(sets: list[MinimalSet]) -> None:
    value = {**suite_head({"name": "x"}, 1), "items": list(suite_items(sets))}
    found = [MinimalSet.of_item(Item.from_dict(item), "grammatical", ["ungrammatical"])
             for item in value["items"]]  # fmt: skip
    assert found == sets


def test_where_a_context_ends_stays_as_it_is() -> None:
    found = MinimalSet("the dog", "barks loudly", ("barks softly",), "")
    (item,) = map(Item.from_dict, suite_items([found]))
    assert MinimalSet.of_item(item, "grammatical", ["ungrammatical"]) == found
    with pytest.raises(KeyError):
        MinimalSet.of_item(item, "good", ["ungrammatical"])


def test_words_are_what_white_space_of_ascii_separates() -> None:
    assert words_in(" a\t\r\nb\u00a0! \f\u3000c\u2028 ") == ["a", "b\u00a0!", "\u3000c\u2028"]
    found = MinimalSet.of("Les  chats\u00a0! dorment", "Les chats\u00a0! dort")
    assert found == MinimalSet("Les chats\u00a0!", "dorment", ("dort",), "")
    assert MinimalSet.of("a\u202f!", "a !") == MinimalSet("", "a\u202f!", ("a !",), "")


def test_a_tab_in_a_region_is_a_blank() -> None:
    # A sentence is a line of many formats, or a cell of them.
    texts = {"a": ("the\tdog", "barks", ""), "b": ("the dog", "bark", "")}
    conditions = tuple(
        Condition(
            name=name,
            regions=tuple(Region(number=n, content=text) for n, text in enumerate(each, 1)),
        )
        for name, each in texts.items()
    )
    found = MinimalSet.of_item(Item(number=1, conditions=conditions), "a", ["b"])
    assert found == MinimalSet("the dog", "barks", ("bark",), "")


def test_sets_of_other_suites_differ_where_their_sentences_do() -> None:
    contents = {"a": ("犬が", "吠え", "る"), "b": ("犬が", "鳴", "く")}
    item = Item.from_dict(
        {
            "item_number": 1,
            "conditions": [
                {
                    "condition_name": name,
                    "regions": [
                        {"region_number": n, "content": text} for n, text in enumerate(texts, 1)
                    ],
                }
                for name, texts in contents.items()
            ],
        }
    )
    spaced = MinimalSet.of_item(item, "a", ["b"])
    assert spaced == MinimalSet("犬が", "吠え る", ("鳴 く",), "")
    whole = MinimalSet.of_item(item, "a", ["b"], joiner="")
    assert whole == MinimalSet("犬が", "吠える", ("鳴く",), "", joiner="")


def test_conditions_with_joiners_of_their_own() -> None:
    def condition(name: str, last: str) -> Condition:
        texts = (("Ein", None), ("Hund", None), ("s", ""), (last, None))
        regions = (Region(number=n, content=t, joiner=own) for n, (t, own) in enumerate(texts))
        return Condition(name=name, regions=tuple(regions), context="Na")

    item = Item(number=1, conditions=(condition("a", "bellt"), condition("b", "bellen")))
    found = MinimalSet.of_item(item, "a", ["b"])
    assert found.sentences == ("Ein Hunds bellt", "Ein Hunds bellen")
    assert found.contexts == ("Na", "Na")


@given(
    head=st.dictionaries(st.text(max_size=3), st.integers() | st.lists(st.text())),
    values=st.lists(st.none() | st.dictionaries(st.text(max_size=2), st.text())),
    tail=st.dictionaries(st.text(max_size=2), st.text()),
)
def test_json_in_pieces_is_json_in_one(
    head: dict[str, object], values: list[object], tail: dict[str, object]
) -> None:
    head.pop("items", None)
    tail = {key: each for key, each in tail.items() if key not in {*head, "items"}}
    value = {**head, **({"items": []} if tail else {}), **tail}
    pieces = "".join(json_chunks(value, "items", iter(values)))
    assert [*json.loads(pieces).items()] == [*{**head, "items": values, **tail}.items()]
    # What stands around the list is as in any other file.
    start, end = to_json({**head, "items": [], **tail}, indent=1).split('"items": []')
    assert pieces.startswith(start)
    assert pieces.endswith(end)


def test_a_condition_is_a_line_or_a_region_is() -> None:
    (item,) = suite_items([MinimalSet.of("I am", "I is")])
    lines = "".join(json_chunks({}, "items", [item])).splitlines()
    assert [json.loads(line.rstrip(",")) for line in lines if "content" in line] == item[
        "conditions"
    ]
    lines = "".join(json_chunks({}, "items", [item], line_height=1)).splitlines()
    assert [line.strip() for line in lines if "content" in line] == [
        '{"region_number": 1, "content": "I"},',
        '{"region_number": 2, "content": "am"},',
        '{"region_number": 3, "content": ""}',
        '{"region_number": 1, "content": "I"},',
        '{"region_number": 2, "content": "is"},',
        '{"region_number": 3, "content": ""}',
    ]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("犬が吠える。", ["犬", "が", "吠", "え", "る", "。"]),
        # Another script is a word, and blanks stand within one: no region begins with one.
        ("我找roommate 5号", ["我", "找", "roommate 5", "号"]),
        ("他 们", ["他 们"]),
        # Marks stay with the letter that they are written to.
        ("か\u3099く", ["か\u3099", "く"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("ខ្មែរ", ["ខ្មែ", "រ"]),
        (" ", []),
    ],
)
def test_scripts_without_spaces_are_divided_into_characters(text: str, units: list[str]) -> None:
    assert characters_in(text) == units


@pytest.mark.parametrize(
    ("sentences", "are"),
    [
        (["太郎が本を読んだ。", "犬が吠える"], True),
        (["太郎 が 本 を 読んだ。", "犬 が 吠える"], False),
        (["Ja!", "나는 학교에 간다"], False),
        (["他在找roommate了。", "Yes"], False),
        ([], False),
    ],
)
def test_a_script_without_spaces_is_told_by_its_sentences(sentences: list[str], are: bool) -> None:  # noqa: FBT001
    assert are_unspaced(sentences) is are


@given(good=st.text("犬がa \u3099え。"), bad=st.text("犬がa \u3099え。"))
def test_contrasts_of_characters_spell_their_sentences(good: str, bad: str) -> None:
    found = MinimalSet.of(good, bad, joiner="")
    assert found.sentences == (good.strip(), bad.strip())
    parts = (found.before, *found.forms, found.after)
    assert all(part == part.strip() for part in parts)
    assert MinimalSet.of(good, bad).by_character().sentences == tuple(
        " ".join(words_in(text)) for text in (good, bad)
    )


@pytest.mark.parametrize(
    ("critical", "parts"),
    [
        ("gone", ("the wren", "has", "by now", "gone,", "he says")),
        ("now Gone", ("the wren", "has", "", "", "by now gone, he says")),
        ("by now", ("the wren", "has", "", "by now", "gone, he says")),
        ("has", ("the wren", "has", "", "", "by now gone, he says")),
        ("", ("the wren", "has", "", "", "by now gone, he says")),
    ],
)
def test_critical_words_behind_the_contrast_are_a_region(
    critical: str, parts: tuple[str, ...]
) -> None:
    found = MinimalSet.of("the wren has by now gone, he says", "the wren have by now gone, he says")
    found = replace(found, critical=critical)
    assert (found.before, found.form, *found.parts_after) == parts


def test_critical_characters_behind_the_contrast_are_a_region() -> None:
    found = MinimalSet.of("犬が今吠える。", "犬を今吠える。", joiner="")
    found = replace(found, critical="吠える")
    assert (found.before, found.form, *found.parts_after) == ("犬", "が", "今", "吠える", "。")
