"""Columns under other names, misspelt ones, and those that mean nothing."""

from pathlib import Path

import pytest
from tests.store.imports.files import faults, read

from pommel.store.imports.tables import left_out

ROW = "a,s,1,1,1\n"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("margin_bit", "margin_bits"),
        ("Margin bits", "margin_bits"),
        ("circuits", "circuit"),
        ("langauge", "language"),
        ("param", "n_parameters"),
        ("Group", "group"),
    ],
)
def test_a_misspelt_column_is_a_fault(tmp_path: Path, name: str, meant: str) -> None:
    said = f"'{meant}={name}'" if " " in name else f"{meant}={name}"
    assert faults(tmp_path, f"model,suite,item,result,{name}\n{ROW}") == (
        f"x.csv:1:25: {name!r} means nothing; did you mean {meant!r}? Rename it, say --column "
        f"{said}, or remove it"
    )


@pytest.mark.parametrize("name", ["sentence", "surprisal", "type", "id", "group_id", "pair"])
def test_a_column_like_none_is_left_out(tmp_path: Path, name: str) -> None:
    imported = read(tmp_path, f"model,suite,item,result,{name}\n{ROW}")
    note = f"left out the column {name}, which means nothing here"
    assert imported.notes == (note,)
    assert imported.records[0].result.provenance["steps"] == [note]


def test_a_column_like_one_that_is_there_is_another(tmp_path: Path) -> None:
    imported = read(tmp_path, f"model,suite,item,result,correct\n{ROW}")
    assert imported.notes == ("left out the column correct, which means nothing here",)


def test_what_is_missing_may_be_there_under_another_name(tmp_path: Path) -> None:
    assert faults(tmp_path, "Model,suite,the item,result\na,s,1,1\n", form="items") == (
        "x.csv:1:1: there is no column 'model' or 'model_name'; rename 'Model', or say which one "
        "it is: --column model=Model\n"
        "x.csv:1:1: there is no column 'item_number' or 'item'; rename 'the item', or say which "
        "one it is: --column 'item=the item'"
    )


def test_many_columns_are_counted() -> None:
    names = [f"c{number}" for number in range(25)]
    (line,) = left_out(names)
    assert line == (
        f"left out the columns {', '.join(names[:20])}, ... (25 columns), which mean nothing here"
    )
    assert [*left_out([])] == []


def test_columns_of_several_files_are_named_once(tmp_path: Path) -> None:
    header = "model,suite,item,correct,noise\n"
    rows = ("grnn__0,mvrr,0,True,1\n", "grnn__1,mvrr,0,True,1\n")
    imported = read(tmp_path, *(header + row for row in rows), source="x")
    assert imported.notes == ("left out the column noise, which means nothing here",)
