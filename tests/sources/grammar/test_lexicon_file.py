"""Lexicons by themselves: what is read, where they may lie, and what is said of others."""

from pathlib import Path

import pytest

from pommel.errors import Place
from pommel.sources.grammar.lexicon_file import read_lexicon_file
from pommel.sources.grammar.source import GrammarError
from pommel.sources.grammar.text import repeated

NAMED = Place(file="x.template", line=3, column=10)


def faults_of(name: str, folder: Path, *required: str) -> list[str]:
    with pytest.raises(GrammarError) as caught:
        read_lexicon_file(name, NAMED, folder=folder, required=required)
    return str(caught.value).replace(f"{folder}/l.csv", "l.csv").splitlines()


def test_rows_and_their_places(tmp_path: Path) -> None:
    text = '\ufeff\n word , form \n" der\u00a0 Hut, ja ",_\n\n,x\n'
    (tmp_path / "l.csv").write_text(text, "utf-8")
    found = read_lexicon_file("l.csv", NAMED, folder=tmp_path)
    assert (found.name, found.columns) == ("l.csv", ("word", "form"))
    assert [dict(each.cells) for each in found.rows] == [{"word": "der Hut, ja"}, {"form": "x"}]
    one, two = found.rows
    places = [one.fault("form", "", ""), two.fault("form", "", ""), two.fault("no", "", "")]
    assert [(each.line, each.column) for each in places] == [(3, 18), (5, 2), (5, 1)]
    assert places[0].file == str(tmp_path / "l.csv")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_are_separated_as_spreadsheets_of_any_country_do(
    tmp_path: Path, separator: str
) -> None:
    (tmp_path / "l.csv").write_text("word,form\nkedi,sg\n".replace(",", separator), "utf-8")
    (row,) = read_lexicon_file("l.csv", NAMED, folder=tmp_path).rows
    assert row.cells == {"word": "kedi", "form": "sg"}


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", ["1:1: the file is empty; its first line is the names of its columns"]),
        (
            "word,kind,tags\na\nb,c\nx,y,z,q\n",
            [
                (
                    "2:1: this row has 1 field, and the header has 3; an empty field has its "
                    "comma, too"
                ),
                (
                    "3:3: this row has 2 fields, and the header has 3; an empty field has its "
                    "comma, too"
                ),
                (
                    "4:7: this row has 4 fields, and the header has 3; put text with a comma "
                    "between quotes"
                ),
            ],
        ),
        (
            'word,word\n"a,b\n',
            [
                "1:6: the column 'word' stands here for the second time; remove one of the two",
                (
                    "2:1: this quote is never closed; close it; a quote that is part of the text "
                    'is written "", and between quotes'
                ),
            ],
        ),
    ],
)
def test_rows_that_are_wrong(tmp_path: Path, text: str, faults: list[str]) -> None:
    (tmp_path / "l.csv").write_text(text, "utf-8")
    assert faults_of("l.csv", tmp_path) == [f"l.csv:{fault}" for fault in faults]


def test_a_column_that_has_to_be_there(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("a,b,,\n1,2,3,4\n", "utf-8")
    assert faults_of("l.csv", tmp_path, "word") == [
        "l.csv:1:1: the column 'word' is missing; write word",
        "l.csv:1:5: this column has no name; name its feature",
        "l.csv:1:6: the column '' stands here for the second time; remove one of the two",
    ]


@pytest.mark.parametrize(
    "name",
    [
        *("../l.csv", "/etc/passwd", "sub/../../l.csv", "..\\l.csv", "C:l.csv"),
        *("\\\\host\\l.csv", "\x1b.csv"),
    ],
)
def test_a_lexicon_lies_beside_its_grammar_or_below(tmp_path: Path, name: str) -> None:
    # A grammar may be a stranger's, and messages quote what its lexicon has.
    folder = tmp_path / "sub"
    folder.mkdir()
    (tmp_path / "l.csv").write_text("word\na\n", "utf-8")
    hint = "put the lexicon there, and write its name only"
    assert faults_of(name, folder) == [
        f"x.template:3:10: {name!r} is not beside this file, nor in a folder there; {hint}"
    ]


def test_files_that_are_not_there(tmp_path: Path) -> None:
    hint = "a lexicon is found from this file's folder"
    (tmp_path / "folder.csv").mkdir()
    problems = {
        "no.csv": "No such file or directory",
        "folder.csv": "Is a directory",
        "a" * 300: "File name too long",
    }
    for name, problem in problems.items():
        expected = f"x.template:3:10: {tmp_path}/{name}: {problem}; {hint}"
        assert faults_of(name, tmp_path) == [expected]


def test_repeated_rows(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("word\na\nb\na\na\n", "utf-8")
    found = read_lexicon_file("l.csv", NAMED, folder=tmp_path)
    pairs = repeated(found.rows, lambda each: each.cells["word"])
    assert [(one.written.line, two.written.line) for one, two in pairs] == [(4, 2), (5, 2)]
