"""What suites and sentences are written from."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pommel.errors import InputError, UsageError
from pommel.sources.formats.long_csv import long_csv_pieces, sentence_lines
from pommel.sources.grammar.source import GeneratedCondition, GeneratedItem
from pommel.sources.minimal_sets import MinimalSet
from pommel.sources.output import (
    FORMATS,
    Content,
    ItemContent,
    SetContent,
    SuiteContent,
    WrittenForm,
)
from pommel.suite.read import LoadedSuite

PAIRS = [MinimalSet.of("the dog barks .", "the dog bark ."), MinimalSet.of("I am", "I is")]


def sets(*found: MinimalSet, ungrammatical_counts: Sequence[int] = (1,)) -> SetContent:
    return SetContent(
        all_sets=found, ungrammatical_counts=ungrammatical_counts, meta={"name": "pairs"}
    )


def items(*found: GeneratedItem) -> ItemContent:
    head = {
        "meta": {"name": "made", "metric": "sum"},
        "region_meta": {"1": "subject", "2": "verb"},
        "predictions": [],
    }
    return ItemContent(all_items=found, head=head)


def item(**contents: tuple[str, ...]) -> GeneratedItem:
    conditions = (GeneratedCondition(name, texts) for name, texts in contents.items())
    return GeneratedItem(tuple(conditions))


def suite(content: Content) -> dict[str, Any]:
    value: dict[str, Any] = json.loads("".join(content.suite_pieces()))
    return value


def test_sets_are_a_suite_a_table_sentences_and_sets() -> None:
    content = sets(*PAIRS)
    assert content.name == "pairs"
    loaded = LoadedSuite.parse("".join(content.suite_pieces())).suite
    assert [each.number for each in loaded.items] == [1, 2]
    assert "".join(long_csv_pieces(content.items(), content.region_names)) == (
        "item_number,condition_name,region_number,region_name,content\n"
        "1,grammatical,1,before,the dog\n1,grammatical,2,contrast,barks\n1,grammatical,3,after,.\n"
        "1,ungrammatical,1,before,the dog\n1,ungrammatical,2,contrast,bark\n"
        "1,ungrammatical,3,after,.\n"
        "2,grammatical,1,before,I\n2,grammatical,2,contrast,am\n2,grammatical,3,after,\n"
        "2,ungrammatical,1,before,I\n2,ungrammatical,2,contrast,is\n2,ungrammatical,3,after,\n"
    )
    assert list(sentence_lines(content.items(), content.joiner)) == [
        "the dog barks .\n", "the dog bark .\n", "I am\n", "I is\n"
    ]  # fmt: skip
    assert list(content.sets()) == PAIRS


def test_sets_of_different_sizes_become_pairs() -> None:
    three = MinimalSet.of("I am", "I is", "I are")
    loaded = LoadedSuite.parse(
        "".join(sets(three, *PAIRS, ungrammatical_counts=(1, 2)).suite_pieces())
    ).suite
    assert len(loaded.items) == 4
    loaded = LoadedSuite.parse(
        "".join(sets(three, ungrammatical_counts=(2, 0)).suite_pieces())
    ).suite
    assert loaded.condition_names == ("grammatical", "ungrammatical_1", "ungrammatical_2")


def test_sets_without_anything_to_compare_are_no_suite() -> None:
    lone = MinimalSet.of("I am")
    for taken in (SetContent.suite_pieces, SetContent.items, SetContent.sets):
        with pytest.raises(InputError) as caught:
            taken(sets(lone, ungrammatical_counts=(0,)))
        assert str(caught.value) == (
            "pairs: no sentence has an ungrammatical one to compare with; what is contrasted has "
            "one spelling everywhere"
        )
    assert list(sets(lone, ungrammatical_counts=(0,)).sets(with_lone=True)) == [lone]


def test_what_is_left_out_is_counted() -> None:
    alike = MinimalSet("a", "sheep", ("sheep",), "")
    partly = MinimalSet("a", "sheep", ("sheep", "goat"), "")
    content = sets(MinimalSet.of("I am"), *PAIRS, alike, partly)
    assert list(content.sets()) == [*PAIRS, MinimalSet("a", "sheep", ("goat",), "")]
    assert (content.tally.n_written, content.tally.n_left_out) == (3, 2)
    content = sets(MinimalSet.of("I am"), *PAIRS, alike)
    assert len(list(content.sets(with_lone=True))) == 4
    assert (content.tally.n_written, content.tally.n_left_out) == (4, 0)


def test_items_are_written_with_their_glosses() -> None:
    hund = GeneratedItem((GeneratedCondition("a", ("der Hund", "bellt"), "the dog barks"),))
    value = suite(items(hund))
    assert value["items"] == [
        {
            "item_number": 1,
            "conditions": [
                {
                    "condition_name": "a",
                    "gloss": "the dog barks",
                    "regions": [
                        {"region_number": 1, "content": "der Hund"},
                        {"region_number": 2, "content": "bellt"},
                    ],
                }
            ],
        }
    ]
    assert items(hund).region_names == {1: "subject", 2: "verb"}
    assert "gloss" not in "".join(items(item(a=("der Hund", "bellt"))).suite_pieces())


def test_items_say_what_fills_them_where_a_grammar_does() -> None:
    filled = replace(item(a=("der Hund", "bellt")), lexemes={"V.lemma": "bellen"})
    first, second = suite(items(filled, item(a=("der Wolf", "heult"))))["items"]
    assert first["source"] == {"V.lemma": "bellen"}
    assert "source" not in second


def test_items_are_sets_if_their_conditions_say_so() -> None:
    made = items(
        item(grammatical=("I", "am"), ungrammatical_1=("I", "is"), ungrammatical_2=("I", "are")),
        item(grammatical=("we", "are"), ungrammatical_1=("we", "is"), ungrammatical_2=("we", "am")),
    )
    assert list(made.sets()) == [
        MinimalSet("I", "am", ("is", "are"), ""), MinimalSet("we", "are", ("is", "am"), "")
    ]  # fmt: skip
    with pytest.raises(UsageError) as caught:
        items(item(match=("I", "am"), mismatch=("I", "is"))).sets()
    assert str(caught.value) == (
        "made has no condition 'grammatical': it has match, mismatch; name two with "
        "--grammatical and --ungrammatical"
    )


def test_a_suite_is_sets_of_the_conditions_that_are_named() -> None:
    loaded = LoadedSuite.parse("".join(sets(*PAIRS).suite_pieces())).suite
    assert list(SuiteContent(suite=loaded).sets()) == PAIRS
    turned = SuiteContent(suite=loaded, grammatical="ungrammatical", ungrammatical=("grammatical",))
    assert [each.grammatical for each in turned.sets()] == ["the dog bark .", "I is"]
    one = SuiteContent(suite=loaded, grammatical="ungrammatical")
    with pytest.raises(UsageError, match="pairs has no condition 'ungrammatical': it has"):
        one.sets()


def test_one_condition_cannot_be_both() -> None:
    loaded = LoadedSuite.parse("".join(sets(*PAIRS).suite_pieces())).suite
    both = SuiteContent(suite=loaded, ungrammatical=("grammatical",))
    with pytest.raises(UsageError) as caught:
        both.sets()
    assert str(caught.value) == "pairs: 'grammatical' cannot be grammatical and ungrammatical"


def test_the_table_of_formats() -> None:
    assert [(each.name, each.endings, each.compared) for each in FORMATS] == [
        ("clams", (".txt",), "sentence"),
        ("tsv", (".tsv",), "sentence"),
        ("blimp", (".jsonl",), "sentence"),
        ("gevalm", (".jsonl",), "sentence"),
        ("multiblimp", (".tsv",), "sentence"),
        ("context-pairs", (".json",), "contrast"),
        ("lm-syneval", (".pickle", ".pkl"), "sentence"),
        ("linzen", (".text", ".gold"), "contrast"),
        ("gulordava", (".tab",), "contrast"),
        ("pairs", (".csv", ".tsv", ".jsonl", ".json"), "sentence"),
    ]
    assert {WrittenForm.named(each.name).sets for each in FORMATS} == set(FORMATS)
    assert WrittenForm.named("suite").sets is None
    assert WrittenForm.named() == WrittenForm.named("suite")


def test_every_ending_has_a_format_that_is_written_or_only_read() -> None:
    for each in FORMATS:
        assert each.name in WrittenForm.input_names()
        for ending in each.endings:
            assert ending.startswith(".")
            if each.pieces:
                assert WrittenForm.of_file(Path(f"x{ending}")).name in WrittenForm.names()
            else:
                assert each.name not in WrittenForm.names()
                with pytest.raises(UsageError, match=f"x{ending}: say --format, or let the file"):
                    WrittenForm.of_file(Path(f"x{ending}"))
    assert WrittenForm.of_file(Path("x.json")) == WrittenForm.named("suite")
    with pytest.raises(UsageError, match=r"x\.docx: say --format, or let the file end in one of"):
        WrittenForm.of_file(Path("x.docx"))
