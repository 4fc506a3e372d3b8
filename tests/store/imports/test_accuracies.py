"""Matrices of accuracies."""

from pathlib import Path

import pytest
from tests.store.imports.files import faults, read

from pommel.errors import UsageError

MATRIX = "model,params,basque-a,hindi-b,c\nhuman,,1,0.92,\nbloom-1b1,1.1e9,0.996,0.978,0.5\n"


def test_shares_by_model_and_suite(tmp_path: Path) -> None:
    imported = read(tmp_path, MATRIX, source="multilingual")
    assert imported.notes == ("human has no share on 1 suite",)
    found = {(each.result.model_name, each.result.suite_name): each for each in imported.records}
    assert len(found) == 5
    record = found["bloom-1b1", "basque-a"]
    assert (record.result.score, record.result.n_items) == (0.996, 0)
    assert record.result.predictions == ()
    assert record.model.n_parameters == 1_100_000_000
    assert found["human", "hindi-b"].model.n_parameters is None
    assert [found["bloom-1b1", name].suite.language for name in ("basque-a", "hindi-b", "c")] == [
        "eu",
        "hi",
        "",
    ]


def test_shares_of_so_many_items(tmp_path: Path) -> None:
    imported = read(tmp_path, MATRIX, n_items=1000, n_items_of={"human": 50})
    counts = [each.result.reported for each in imported.records if each.result.reported]
    assert [(each.n_holding, each.n_items) for each in counts] == [
        (50, 50),
        (46, 50),
        (996, 1000),
        (978, 1000),
        (500, 1000),
    ]
    with pytest.raises(UsageError, match="--items humans: there is no such model; did you mean h"):
        read(tmp_path, MATRIX, n_items_of={"humans": 50})


def test_faults(tmp_path: Path) -> None:
    text = "model,params,a,\nm,few,87,0.5\n,1,-1,x\nm,2,0.5,0.333\n"
    assert faults(tmp_path, text, form="accuracies", n_items=10).splitlines() == [
        "x.csv:1:16: this column has no name; name the suite",
        (
            "x.csv:2:3: 'few' is no number of parameters; write it in full, such as 560000000, and "
            "nothing where it is not known"
        ),
        "x.csv:2:7: '87' is no share; write 87% as 0.87",
        "x.csv:3:1: this row names no model; write its name",
        "x.csv:3:4: '-1' is no share; a share is between 0 and 1",
        "x.csv:3:7: 'x' is no number; write a share such as 0.87, and nothing where there is none",
        "x.csv:4:9: m has a share on  in x.csv, line 2 already; keep one of the two",
    ]
    assert faults(tmp_path, "model,a\nm,0.333\n", n_items=10) == (
        "x.csv:2:3: no number of 10 items is a share of 0.333; say with --items m=N how many items "
        "m was given"
    )
    assert faults(tmp_path, "a,b\n1,2\n", form="accuracies") == (
        "x.csv:1:1: the first column is not that of models; the first column is model, the others "
        "are suites"
    )
