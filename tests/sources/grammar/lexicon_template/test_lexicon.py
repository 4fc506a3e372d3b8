"""Lexicons of templates that are not there, or are wrong."""

from pathlib import Path

import pytest
from tests.sources.grammar.lexicon_template.examples import LEXICON, faults_of, write

from pommel.errors import GrammarError, Place
from pommel.sources.grammar.lexicon_template.binding import read_lexicons
from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource
from pommel.sources.grammar.lexicon_template.template import Literal


@pytest.mark.parametrize(
    ("template", "lexicon", "faults"),
    [
        (
            "lexicon: m.csv\nslot S:\ncondition a: {S.word}\n",
            LEXICON,
            [
                (
                    "x.template:1:10: there is no file 'm.csv'; a lexicon is found from this "
                    "file's folder"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            "",
            [
                "l.csv:1:1: the file is empty; its first line names the columns: word,category",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            "word;kind\na;b\n",
            [
                "l.csv:1:1: the columns are separated by ';'; separate them by commas",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            "word,kind\n",
            [
                "l.csv:1:1: there is nothing but a header; write some rows",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            "word,kind,word,\na,b,c,d\n",
            [
                (
                    "l.csv:1:11: the column 'word' stands here for the second time; remove "
                    "one of the two"
                ),
                "l.csv:1:16: this column has no name; name its feature",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            "word,kind,tags\na\nb,c\nx,y,z,q\nx,y,z\nx,y, z\n",
            [
                (
                    "l.csv:2:1: this row has 1 field, the header has 3; kind, tags are "
                    "missing; write _ for what does not apply"
                ),
                (
                    "l.csv:3:3: this row has 2 fields, the header has 3; tags is missing; "
                    "write _ for what does not apply"
                ),
                (
                    "l.csv:4:7: this row has 4 fields, the header has 3; remove what is too "
                    "much, or put text with a comma between quotes"
                ),
                (
                    "l.csv:6:1: this row is the same as line 5; remove it; its items would "
                    "come twice"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            'word,kind\n"a,b\n',
            [
                (
                    "l.csv:2:1: this quote is never closed; close it; a quote that is part "
                    'of the text is written "", and between quotes'
                ),
            ],
        ),
        (
            "lexicon: l.csv\nlexicon: m.csv\nslot S: kinf = x\n",
            "word,kind,word\na\n",
            [
                (
                    "l.csv:1:11: the column 'word' stands here for the second time; remove "
                    "one of the two"
                ),
                (
                    "l.csv:2:1: this row has 1 field, the header has 3; kind, word are "
                    "missing; write _ for what does not apply"
                ),
                (
                    "x.template:2:10: there is no file 'm.csv'; a lexicon is found from this "
                    "file's folder"
                ),
            ],
        ),
    ],
)
def test_lexicons_that_are_wrong(
    tmp_path: Path, template: str, lexicon: str, faults: list[str]
) -> None:
    assert faults_of(tmp_path, template, lexicon) == faults


def test_lexicons_that_are_not_utf8_or_have_control_characters(tmp_path: Path) -> None:
    names = "".join(f"lexicon: {each}.csv\n" for each in "lmn")
    path = write(tmp_path, f"{names}slot S:\ncondition a: {{S.word}}\n")
    (tmp_path / "l.csv").write_bytes("word\nélève\n".encode("latin-1"))
    (tmp_path / "m.csv").write_text("word,word\n", "utf-8")
    (tmp_path / "n.csv").write_text("word\na\nb\0\0\nc\x85\n", "utf-8")
    with pytest.raises(GrammarError) as caught:
        LexiconTemplateSource(path)
    assert [str(each).rpartition("/")[2] for each in caught.value.faults] == [
        "l.csv:2:1: the byte 0xe9 is not UTF-8; save the file with the encoding UTF-8",
        "m.csv:1:1: there is nothing but a header; write some rows",
        "m.csv:1:6: the column 'word' stands here for the second time; remove one of the two",
        "n.csv:3:2: this line has the character '\\x00'; take it out; words have none",
        "n.csv:4:2: this line has the character '\\x85'; take it out; words have none",
    ]


def test_rows_of_several_files(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "a.csv").write_text("word,x\none,1\n", "utf-8")
    (tmp_path / "b.csv").write_text("y,word\n2,two\n", "utf-8")
    places = [Place(file="x.template", line=n, column=1) for n in (1, 2)]
    names = ("words/a.csv", "b.csv")
    literals = [Literal(place=place, text=name) for place, name in zip(places, names, strict=True)]
    lexicon, faults = read_lexicons(literals, tmp_path)
    assert (faults, lexicon.names, [*lexicon.files]) == ([], "a.csv and b.csv", [*names])
    assert lexicon.columns == ("word", "x", "y")
    assert [dict(each.cells) for each in lexicon.rows] == [
        {"word": "one", "x": "1"},
        {"y": "2", "word": "two"},
    ]


def test_the_same_row_in_two_files(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("kind,word\nx,one\n", "utf-8")
    text = "lexicon: l.csv\nlexicon: m.csv\nslot S:\ncondition a: {S.word}\n"
    assert faults_of(tmp_path, text, "word,kind\none,x\n") == [
        "m.csv:2:1: this row is the same as line 2 of l.csv; remove it; its items would come twice"
    ]
