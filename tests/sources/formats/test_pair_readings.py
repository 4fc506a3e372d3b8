"""Which columns of a table are pairs: recipes of published tables, guesses, and refusals."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from pommel.errors import SuiteError, UsageError
from pommel.files import CsvTable
from pommel.sources.conversion import Conversion, recognised
from pommel.sources.formats.pair_readings import PAIRS, Recipe, read_pairs

SHAPES = {
    "turblimp": "good_sentence bad_sentence good_cue bad_cue critical_region phenomenon",
    "rublimp": (
        "id source_sentence target_sentence source_word target_word level phenomenon PID subtype "
        "domain tree_depth"
    ),
    "jblimp": "ID good_sentence bad_sentence type phenomenon phenomenon-2 paradigm",
    "qfrblimp": "sentence_a sentence_b category type subcat annotator_1 label",
    "zhoblimp": "UID phenomenon sentence_good sentence_bad pairID",
    "sling": "sentence_good sentence_bad phenomenon paradigm pair_ID field",
    "xcomps": "id acceptable_sent unacceptable_sent",
    "comps": (
        "id property acceptable_concept unacceptable_concept prefix_acceptable property_phrase "
        "prefix_unacceptable negative_sample_type similarity"
    ),
    "ewok": "Domain ConceptA ConceptB Target1 Target2 ContextType Context1 Context2",
}
# Recipes of files that say nothing of their own, and another reading of one.
ASKED_FOR = ["blimp-supplement", "ewok-2", "multiblimp"]


@pytest.mark.parametrize("name", SHAPES)
def test_a_recipe_knows_its_tables(name: str, tmp_path: Path) -> None:
    row = {each: f"the wren sings {each[:1]}" for each in SHAPES[name].split()}
    # A label that one pair has says what it means; QFrBLiMP's counts the sentences from 0.
    row |= {"label": "0"} if "label" in row else {}
    table, lines, objects = tmp_path / "x.csv", tmp_path / "x.jsonl", tmp_path / "x.json"
    table.write_text(CsvTable.line(row) + CsvTable.line(row.values()))
    lines.write_text(json.dumps(row) + "\n")
    objects.write_text(json.dumps([row], indent=2))
    for path in (table, lines, objects):
        assert recognised(path) is PAIRS
        pairs, recipe, told = read_pairs(path)
        assert recipe == Recipe.named(name)
        assert told.startswith(f"read as {recipe.title}, ")
        assert {*pairs.columns.needed} <= {*row}


def test_rows_of_sentences_have_recipes_too(tmp_path: Path) -> None:
    dutch = tmp_path / "Phenomenon01.csv"
    header = "Number (phenomenon),Phenomenon,Number (paradigm),Paradigm,Item,Grammaticality,"
    dutch.write_text(
        f"{header}Sentence,Critical word(s),Cue word(s)\n"
        "1,X,7,y,1,Ungrammatical,Wij zingt vandaag,vandaag,Wij\n"
        "1,X,7,y,1,Grammatical,Hij zingt vandaag,vandaag,Hij\n"
    )
    pairs, recipe, _ = read_pairs(dutch)
    assert recipe == Recipe.named("blimp-nl")
    assert [each.sentences for each in pairs] == [("Hij zingt vandaag", "Wij zingt vandaag")]
    chinese = tmp_path / "classifier_1000.csv"
    chinese.write_text(",0,1,2,3\n0,c,d,他看一条河,1\n1,c,d,他看一张河,0\n", "utf-8")
    pairs, recipe, _ = read_pairs(chinese)
    assert recipe == Recipe.named("climp")
    assert [each.sentences for each in pairs] == [("他看一条河", "他看一张河")]


def test_recipes_say_what_is_known_of_their_sources() -> None:
    known = {each.name: each for each in Recipe.known()}
    assert sorted(known) == sorted([*SHAPES, "blimp-nl", "climp", *ASKED_FOR])
    assert {each for each in known if not known[each].marks} == {*ASKED_FOR}
    assert all(each.address.startswith("https://") for each in known.values())
    assert [each for each in known if not known[each].licence] == [
        *("jblimp", "blimp-nl", "climp", "zhoblimp", "blimp-supplement")
    ]
    assert known["jblimp"].story == (
        "read as JBLiMP (Someya and Oseki 2023), no licence known, so nobody may pass it on; "
        "https://github.com/osekilab/JBLiMP; --by phenomenon writes a suite for each paradigm"
    )
    assert known["xcomps"].about == {
        "license": "MIT",
        "reference": "XCOMPS (He et al. 2025)",
        "repository": "https://github.com/LinyangHe/XCOMPS",
    }
    with pytest.raises(UsageError, match=r"there is no recipe 'turblim'; did you mean turblimp\?"):
        Recipe.named("turblim")


def test_no_recipe_takes_what_has_a_format(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    row = {"sentence_good": "a b", "sentence_bad": "a c", "field": "x", "UID": "y", "pairID": "0"}
    path.write_text("".join(json.dumps({**row, "pairID": str(n)}) + "\n" for n in range(5)))
    found = recognised(path)
    assert found
    assert found.name == "blimp"


def _table(path: Path, *rows: str) -> Path:
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    return path


def test_names_tell_which_sentence_is_good(tmp_path: Path) -> None:
    path = _table(
        tmp_path / "x.csv",
        "id,Acceptable text,good word,bad word,Unacceptable text",
        "1,the wren sings now,sings now,sing now,the wren sing now",
        "2,the owls wait here,wait here,waits here,the owls waits here",
    )
    pairs, recipe, told = read_pairs(path)
    assert (pairs.columns.columns, recipe) == (("Acceptable text", "Unacceptable text"), None)
    assert told == (
        "'Acceptable text' is read as the good sentence and 'Unacceptable text' as the bad one: so "
        "they are named, and they share most of their words in 2 of 2 rows (--good and "
        "--bad say otherwise)"
    )


def test_labels_that_take_turns_tell_sentences(tmp_path: Path) -> None:
    path = _table(
        tmp_path / "x.tsv",
        "text\tok\trating",
        "the wren sings now\t1\t6.5",
        "the wren sing now\t0\t2",
        "the owls waits here\t0\t1",
        "the owls wait here\t1\t7",
    )
    pairs, _, told = read_pairs(path)
    assert [each.sentences for each in pairs] == [
        ("the wren sings now", "the wren sing now"),
        ("the owls wait here", "the owls waits here"),
    ]
    assert told == (
        "'text' is read as sentences, two rows a pair, and 'ok' as which is good: they share "
        "most of their words in 2 of 2 pairs (--good and --label say otherwise)"
    )


@pytest.mark.parametrize(
    ("rows", "commands"),
    [
        # No name says which is good.
        (
            ("one,two", "the wren sings,the wren sing", "the owls wait,the owls waits"),
            ["--good one --bad two", "--good two --bad one"],
        ),
        # Two pairs of columns are named so.
        (
            (
                "good_raw,bad_raw,good,bad",
                "So a wren sings,So a wren sing,here a wren sings,here a wren sing",
                "So all owls wait,So all owls waits,all the owls wait,all the owls waits",
            ),
            ["--good good_raw --bad bad_raw", "--good good --bad bad"],
        ),
        # A label may mean either.
        (
            ("a,b,label", "the wren sings,the wren sing,0", "the owls waits,the owls wait,1"),
            ["--good a --bad b --label label=0", "--good a --bad b --label label=1"],
        ),
        (
            ("good,bad,label", "the wren sings,the wren sing,0", "the owls waits,the owls wait,1"),
            [
                "--good good --bad bad",
                "--good good --bad bad --label label=0",
                "--good good --bad bad --label label=1",
            ],
        ),
        # Two columns could say which of two rows is good.
        (
            ("text,ok,fluent", "the wren sings,1,yes", "the wren sing,0,no"),
            ["--good text --label ok", "--good text --label fluent"],
        ),
    ],
)
def test_what_can_be_read_in_several_ways_is_refused_with_the_commands(
    rows: Sequence[str], commands: Sequence[str], tmp_path: Path
) -> None:
    path = _table(tmp_path / "my pairs.csv", *rows)
    with pytest.raises(UsageError) as caught:
        read_pairs(path)
    first, *shown = str(caught.value).split("\n  ")
    assert first.startswith(f"{path}: this can be read in {len(commands)} ways (")
    assert first.endswith("); say which:")
    assert shown == [f"pommel convert '{path}' {each}" for each in commands]


def test_a_table_without_pairs_is_not_guessed(tmp_path: Path) -> None:
    path = _table(tmp_path / "x.csv", "name,town", "a wren,far away", "an owl,near here")
    hint = "name two columns with --good and --bad; it has 'name', 'town'"
    with pytest.raises(UsageError) as caught:
        read_pairs(path)
    assert str(caught.value) == f"{path}: nothing tells which columns are pairs; {hint}"
    with pytest.raises(UsageError, match="nothing tells which columns"):
        Conversion(read_as="pairs").contents(path)


def test_an_empty_cell_is_told_before_the_columns_are_doubted(tmp_path: Path) -> None:
    path = _table(tmp_path / "x.csv", "good,bad", "it runs,it run", "a wren sings,", "I go,I goes")
    with pytest.raises(SuiteError) as caught:
        read_pairs(path)
    assert str(caught.value) == f"{path}:3:14: this is no sentence; write its words"


def test_what_columns_are_named_for_goes_before_what_they_share(tmp_path: Path) -> None:
    table = tmp_path / "x.csv"
    table.write_text("good,bad,UID,candidates\na b c,a b d,x a b c,x a b d\n")
    pairs, _, _ = read_pairs(table)
    assert pairs.columns.columns == ("good", "bad")
