"""Tables of numbers that a user gives: what they say, and all that is wrong with them."""

import math
from pathlib import Path

import pytest

from pommel.analysis.given_tables import GivenTable
from pommel.errors import FaultyFileError, InputError

REMOVE = "remove one of the two"
LESS = "8:1: this row has 1 field, and the header has 2; an empty field has its comma, too"


def written(folder: Path, text: str) -> Path:
    path = folder / "given.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_first_column_is_the_key_and_the_second_the_number(tmp_path: Path) -> None:
    found = GivenTable.read(written(tmp_path, "lang,C,n\nde,0.4,27\nfr, 4e-1 ,\n"))
    assert found.by_key() == {"de": 0.4, "fr": 0.4}
    assert found.value_column == "C"


def test_a_tab_in_the_header_separates_by_tabs(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufefflang\tname, in full\tC\nde\tGerman, High\t-2\n")
    assert GivenTable.read(path, value="C").by_key() == {"de": -2.0}


def test_an_empty_field_is_no_number_that_is_known(tmp_path: Path) -> None:
    found = GivenTable.read(written(tmp_path, "lang,C\nde,\n"))
    assert math.isnan(found.by_key()["de"])


def test_more_keys_may_be_missing_and_tell_rows_apart(tmp_path: Path) -> None:
    def read(text: str) -> list[tuple[str, ...]]:
        path = written(tmp_path, text)
        found = GivenTable.read(path, key="suite", value="c", more_keys=("series",))
        return list(found.rows)

    assert read("suite,series,c\ns,x,1\ns,y,2\n") == [("s", "x"), ("s", "y")]
    assert read("c,suite\n1,s\n") == [("s",)]


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", ["1:1: the file is empty; its first line is key,value"]),
        ("lang,C\n", ["1:1: there is nothing but a header; write some rows"]),
        ("lang|C\nde|1\n", ["1:1: the columns are separated by '|'; separate them by commas"]),
        (
            "lang;C\nde;1\nfr;2,5\n",
            ["3:4: '2,5' is no number; write one like 0.5, and nothing where it is not known"],
        ),
        ("lang,C,C\nde,1,2\n", ["1:8: the column 'C' stands here for the second time; " + REMOVE]),
        ("lang\nde\n", ["1:1: there is no column 'value'; there are lang"]),
        (
            "lang,C\nde,1\nfr,one\nde,2\n,3\nhe,nan\nru,1_0\nen\n",
            [
                "3:4: 'one' is no number; write one like 0.5, and nothing where it is not known",
                "4:1: 'de' has a number in line 2 already; remove one of the two",
                "5:1: the lang is missing; write one",
                "6:4: 'nan' is no number; write one like 0.5, and nothing where it is not known",
                "7:4: '1_0' is no number; write one like 0.5, and nothing where it is not known",
                LESS,
            ],
        ),
    ],
)
def test_every_fault_is_told_with_its_place(tmp_path: Path, text: str, faults: list[str]) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FaultyFileError) as caught:
        GivenTable.read(path)
    assert str(caught.value).splitlines() == [f"{path}:{fault}" for fault in faults]


def test_a_column_that_there_is_not(tmp_path: Path) -> None:
    path = written(tmp_path, "lang,WALS\nde,1\n")
    with pytest.raises(FaultyFileError) as caught:
        GivenTable.read(path, value="C_WALS")
    assert str(caught.value) == f"{path}:1:1: there is no column 'C_WALS'; there are lang, WALS"


def test_a_file_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv: No such file or directory$"):
        GivenTable.read(tmp_path / "none.csv")
