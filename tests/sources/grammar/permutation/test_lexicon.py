"""Lexicons of designs, and what can be wrong with them."""

from pathlib import Path

import pytest
from tests.sources.grammar.permutation.german import DESIGN, NOUNS, faults_of

from pommel.errors import Place
from pommel.sources.grammar.permutation.reading import read_lexicon

ONE = NOUNS.splitlines()[1]


def test_forms_by_word_and_column(tmp_path: Path) -> None:
    text = '\nnom,word, gender\n"der  Herr, ja",Herr Graf ,m\ndie Frau,Frau,\n'
    (tmp_path / "nouns.csv").write_text(text, "utf-8")
    named = Place(file="x.design", line=1, column=10)
    lexicon, faults = read_lexicon("nouns.csv", named, folder=tmp_path)
    assert lexicon is not None
    assert (faults, lexicon.is_whole, lexicon.has_header) == ([], True, True)
    assert {word: dict(noun.cells) for word, noun in lexicon.nouns.items()} == {
        "Herr Graf": {"nom": "der Herr, ja", "word": "Herr Graf", "gender": "m"},
        "Frau": {"nom": "die Frau", "word": "Frau"},
    }
    place = lexicon.nouns["Herr Graf"].place("gender")
    assert (place.file, place.line, place.column) == (str(tmp_path / "nouns.csv"), 3, 28)
    assert lexicon.name == "nouns.csv"


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("word,", "noun,", ["1:1: the column 'word' is missing; write word,noun,nom,acc,dat"]),
        (",", ";", ["1:1: the columns are separated by ';'; separate them by commas"]),
        (
            NOUNS,
            "",
            ["1:1: the file is empty; its first line names the columns: word,category"],
        ),
        (
            NOUNS,
            "word,nom,acc,dat\n",
            ["1:1: there is nothing but a header; write some rows"],
        ),
        (
            NOUNS,
            "word,nom,acc,dat,acc\nLehrer,der Lehrer,den Lehrer,dem Lehrer,x\n",
            ["1:18: the column 'acc' stands here for the second time; remove one of the two"],
        ),
        (
            ONE,
            f"{ONE[:-4]}\n,der Tag,den Tag,dem Tag\n{ONE},\nTag,der Tag,,",
            [
                "3:1: this row has no word; write one",
                (
                    "4:41: this row has 5 fields, the header has 4; remove what is too much, or "
                    "put text with a comma between quotes"
                ),
                "5:13: Tag has no acc; write its form, with its article",
                "5:14: Tag has no dat; write its form, with its article",
            ],
        ),
        (
            ONE,
            f"{ONE}\nTag,der Tag,den Tag\n{ONE}",
            [
                (
                    "3:13: this row has 3 fields, the header has 4; dat is missing; write _ for "
                    "what does not apply"
                ),
                (
                    "4:1: Lehrer stands here for the second time, after line 2; give one of the "
                    "two another name"
                ),
            ],
        ),
        (
            ONE,
            f'{ONE}\nTag,der "Tag,den Tag,dem Tag\nTag,"der "Tag",den Tag,dem Tag',
            [
                (
                    "4:11: there is text behind the quote that ends the field; write a quote that "
                    'is part of the text ""'
                ),
            ],
        ),
    ],
)
def test_faults(tmp_path: Path, old: str, new: str, faults: list[str]) -> None:
    found = faults_of(tmp_path, DESIGN, NOUNS.replace(old, new))
    assert found == [f"nouns.csv:{fault}" for fault in faults]


def test_no_noun_is_missed_where_rows_are_wrong(tmp_path: Path) -> None:
    # The row that is wrong may have been the noun's.
    nouns = NOUNS.replace(ONE, 'Lehrer,"der Lehrer"x,den Lehrer,dem Lehrer')
    (fault,) = faults_of(tmp_path, DESIGN, nouns)
    assert fault.startswith("nouns.csv:2:20: there is text behind the quote")
