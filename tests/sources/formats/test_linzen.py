"""Linzen's sentences, in two files."""

from pathlib import Path

import pytest
from tests.sources.set_round_trips import through_a_suite

from pommel.errors import InputError, SuiteError, UsageError
from pommel.sources.formats.linzen import LINZEN, parse_linzen, read_linzen
from pommel.sources.minimal_sets import MinimalSet

TEXT = """\
the lid of the jars is `` tight '' . <eos>
are birds with red beaks shy ? <eos>
caf\u00e9s that sell tea close at ten <eos>
"""
GOLD = """\
5\tis\tare\t1
0\tAre\tIs\t0
4\tclose\tcloses\t0
"""
SETS = [
    MinimalSet("the lid of the jars", "is", ("are",), "`` tight '' .", {"n_attr": 1}),
    MinimalSet(
        "",
        "Are",
        ("Is",),
        "birds with red beaks shy ?",
        {"n_attr": 0, "text": "are birds with red beaks shy ? <eos>"},
    ),
    MinimalSet("caf\u00e9s that sell tea", "close", ("closes",), "at ten", {"n_attr": 0}),
]


def parse(text: str, gold: str) -> list[MinimalSet]:
    return parse_linzen(text, gold, text_file="x.text", gold_file="x.gold")


@pytest.mark.parametrize("ending", LINZEN.endings)
def test_either_file_is_read_with_the_other(tmp_path: Path, ending: str) -> None:
    (tmp_path / "a.b.text").write_text(TEXT, "utf-8")
    (tmp_path / "a.b.gold").write_text(GOLD, "utf-8")
    sets = read_linzen(tmp_path / f"a.b{ending}")
    assert sets == SETS == through_a_suite(sets, LINZEN.compared)


def test_the_contrast_is_one_word() -> None:
    # Longest common prefixes would end here too late: "a a" and "a".
    (found,) = parse("a a b <eos>\n", "0\ta\tb\t0\n")
    assert found == MinimalSet("", "a", ("b",), "a b", {"n_attr": 0})


@pytest.mark.parametrize(
    "text",
    [
        "the lid  is tight <eos>",
        " the lid is tight <eos> ",
        "the lid is tight",
        "the lid IS tight <eos>",
        "the\x0clid is tight <eos>",
    ],
)
def test_text_that_is_not_the_sentence_is_kept(text: str) -> None:
    (found,) = parse(f"{text}\n", "2\tis\tare\t3\n")
    assert found.grammatical == "the lid is tight"
    assert found.fields == {"n_attr": 3, "text": text}


def test_a_file_may_lack_its_last_line_feed_and_have_carriage_returns() -> None:
    assert parse("a b <eos>\r\nc d <eos>", "1\tb\tx\t0\r\n0\tc\ty\t2") == [
        MinimalSet("a", "b", ("x",), "", {"n_attr": 0}),
        MinimalSet("", "c", ("y",), "d", {"n_attr": 2}),
    ]


def test_own_sentences_of_gulordava_have_twelve_columns() -> None:
    # In the place of the forms the text has the word of the corpus.
    text = "old wrens near it of course hop . <eos>\n"
    gold = "R!N_V!Plur!Sing\t3\t1\t4\tVERB\tNumber=Plur\tsing\tsings\tsing\t1\tNOUN\told birds by\n"
    (found,) = parse(text, gold)
    assert (found.before, found.form, found.others) == ("old wrens near it", "sing", ("sings",))
    assert found.after == "course hop ."
    assert through_a_suite([found]) == [found]
    assert [*(found.fields or {}).values()] == [*gold.strip().split("\t"), text.strip()]
    with pytest.raises(SuiteError) as caught:
        parse(text * 2, gold.replace("\t4\t", "\t9\t") + "4\tsing\tsings\t0\n")
    assert str(caught.value).splitlines()[0] == (
        "x.gold:1:21: there is no word 9; line 1 of x.text has the words 0 to 7"
    )
    assert "x.gold:2:1: this line has 4 columns; write pattern, constr_id" in str(caught.value)


COLUMNS = "write index, correct form, wrong form, number of attractors, with tabs between"


@pytest.mark.parametrize(
    ("text", "gold", "faults"),
    [
        ("", "", ["x.text: there is no sentence; write one a line, with <eos> at its end"]),
        (
            "a b <eos>\na c <eos>\n",
            "1\tb\tx\t0\n",
            ["x.gold: this file has 1 line, and x.text 2; write one for each sentence"],
        ),
        (
            "a b <eos>\n\na b <eos>\n<eos>\na b <eos>\na b <eos>\na b <eos>\na b\n",
            (
                "x\tb\t\tmany\n0\ta\tb\t0\n2\tb\tx\t0\n0\ta\tb\t0\n0\tb\tb\t-1\n1\tb\tc\n\n"
                "01\tb\tc d\t\n"
            ),
            [
                "x.gold:1:1: 'x' is no index; write how many words stand before the form",
                "x.gold:1:5: '' is not one word; write the correct form and the wrong one",
                (
                    "x.gold:1:6: 'many' is no number of attractors; write how many nouns of the "
                    "other number intervene"
                ),
                "x.text:2:1: this line has no words; write a sentence",
                "x.gold:3:1: there is no word 2; line 3 of x.text has the words 0 to 1",
                "x.text:4:1: this line has no words; write a sentence",
                "x.gold:5:3: word 0 of x.text is 'a', not 'b'; write the form that stands there",
                (
                    "x.gold:5:7: '-1' is no number of attractors; write how many nouns of the "
                    "other number intervene"
                ),
                f"x.gold:6:1: this line has 3 columns; {COLUMNS}",
                f"x.gold:7:1: this line has 1 column; {COLUMNS}",
                "x.gold:8:1: '01' is no index; write how many words stand before the form",
                "x.gold:8:6: 'c d' is not one word; write the correct form and the wrong one",
                (
                    "x.gold:8:10: '' is no number of attractors; write how many nouns of the "
                    "other number intervene"
                ),
            ],
        ),
    ],
)
def test_files_that_are_wrong(text: str, gold: str, faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        parse(text, gold)
    assert str(caught.value).splitlines() == faults


@pytest.mark.parametrize(("there", "missing"), [("x.text", "x.gold"), ("x.gold", "x.text")])
def test_a_file_alone(tmp_path: Path, there: str, missing: str) -> None:
    (tmp_path / there).write_text("", "utf-8")
    with pytest.raises(InputError) as caught:
        read_linzen(tmp_path / there)
    assert str(caught.value) == (
        f"{tmp_path / missing}: there is no such file; x.text and x.gold belong together"
    )


def test_files_that_are_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_linzen(tmp_path / "x.gold")
    assert str(caught.value) == f"{tmp_path / 'x.text'}: No such file or directory"
    (tmp_path / "x.text").write_bytes(b"a \xff <eos>\n")
    (tmp_path / "x.gold").write_bytes(b"0\ta\tb\t0\n")
    with pytest.raises(SuiteError) as caught:
        read_linzen(tmp_path / "x.gold")
    assert str(caught.value).startswith(f"{tmp_path / 'x.text'}:1:3: the byte 0xff is not UTF-8")


@pytest.mark.parametrize("name", ["x.txt", "x"])
def test_names_without_their_endings(tmp_path: Path, name: str) -> None:
    message = (
        f"{tmp_path / name}: Linzen's files are two, NAME.text and NAME.gold; let its name end in "
        ".text or .gold"
    )
    with pytest.raises(UsageError) as caught:
        read_linzen(tmp_path / name)
    assert str(caught.value) == message
