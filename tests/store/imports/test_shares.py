"""Accuracies, in a matrix or a row each; of how many items, and of which families of sizes."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.store.imports.files import faults, read

from pommel.errors import UsageError
from pommel.store.imports.results import share_of

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
    text = "model,params,a,,b\nm,few,87,,0.5\n,1,-1,,x\nm,2,0.5,,0.333\nm,2,0.5,,\n"
    assert faults(tmp_path, text, form="accuracies", n_items=10).splitlines() == [
        "x.csv:1:16: this column has no name; name the suite",
        (
            "x.csv:2:3: 'few' is no number of parameters; write it in full, such as 560000000, and "
            "nothing where it is not known"
        ),
        "x.csv:2:7: '87' is no share; write 87% as 0.87",
        "x.csv:3:1: this row names no model; write its name",
        "x.csv:3:4: '-1' is no share; a share is between 0 and 1",
        "x.csv:3:8: 'x' is no number; write a share such as 0.87, and nothing where there is none",
        (
            "x.csv:4:10: no number of 10 items is a share of 0.333; say with --items m=N how many "
            "items m was given"
        ),
        "x.csv:5:5: m has a share on a in x.csv, line 4 already; keep one of the two",
    ]
    assert faults(tmp_path, "model,a\nm,0.333\n", n_items=10) == (
        "x.csv:2:3: no number of 10 items is a share of 0.333; say with --items m=N how many items "
        "m was given"
    )
    assert faults(tmp_path, "a,b\n1,2\n", form="accuracies") == (
        "x.csv:1:1: the first column is not that of models; the first column is model, the others "
        "are suites"
    )


def test_a_row_a_share(tmp_path: Path) -> None:
    text = (
        "model,suite,share,n_items,language,group,circuit,params\n"
        "m-1b,fr-simple,0.75,8,fr,simple,agreement,1e9\n"
        "human,fr-simple,.5,,fr,simple,agreement,\n"
    )
    first, second = read(tmp_path, text, n_items_of={"human": 4}).records
    assert (first.result.circuit, first.suite.group) == ("agreement", "simple")
    assert (first.suite.language, first.suite.chance) == ("fr", 0.5)
    assert first.model.n_parameters == 1_000_000_000
    counts = [each.result.reported for each in (first, second) if each.result.reported]
    assert [(each.n_holding, each.n_items) for each in counts] == [(6, 8), (2, 4)]
    wrong = (
        text.replace("0.75,8", "75,x")
        .replace(".5,,fr", ".5,0,fr")
        .replace("fr,simple,agreement,\n", "fr,s,agreement,\n")
    )
    assert faults(tmp_path, wrong + "m,,1,,,,,\nm,s,,,,,,\n").splitlines() == [
        "x.csv:2:16: '75' is no share; write 87% as 0.87",
        "x.csv:2:19: 'x' is no number of items; write one, and nothing where nobody knows",
        "x.csv:3:20: '0' is no number of items; write one, and nothing where nobody knows",
        "x.csv:4:3: this row names no suite; write its name",
        "x.csv:5:5: '' is no number; write a share such as 0.87, and nothing where there is none",
    ]


@pytest.mark.parametrize(("said", "chance"), [(None, 0.5), (0.25, 0.25)])
def test_of_minimal_pairs_half_are_right_by_chance(
    tmp_path: Path, said: float | None, chance: float
) -> None:
    (record,) = read(tmp_path, "model,s\nm,.9\n", chance=said).records
    assert record.suite.chance == chance


# --- Of how many items


@given(st.integers(1, 400), st.data())
def test_a_rounded_share_tells_its_count(n_items: int, data: st.DataObject) -> None:
    n_holding = data.draw(st.integers(0, n_items))
    n_decimals = data.draw(st.integers(3, 8))
    score = share_of(round(n_holding / n_items, n_decimals), n_items, n_decimals)
    assert (score.n_holding, score.n_items) == (n_holding, n_items)
    assert score.reported_share == score.share


def test_shares_that_tell_no_count() -> None:
    assert share_of(0.5, None, 3).n_items == 0
    assert share_of(0.98, 50, 3).n_holding == 49
    with pytest.raises(ValueError, match=r"^no number of 50 items is a share of 0.975$"):
        share_of(0.975, 50, 3)
    with pytest.raises(
        ValueError, match=r"^a share with 2 decimals does not tell 870 of 1,000 items from 871$"
    ):
        share_of(0.87, 1000, 2)


def test_decimals_are_those_of_the_file(tmp_path: Path) -> None:
    for text in ("0.750", ".750", "750e-3", "7.50e-1"):
        (record,) = read(tmp_path, f"model,s\nm,{text}\n", n_items=900).records
        assert record.result.n_items == 900


# --- Models of one kind in several sizes


def families(folder: Path, text: str) -> dict[str, str]:
    """Return the family of each model of a file."""
    records = read(folder, text).with_guessed_size_families()
    return {record.result.model_name: record.model.size_family for record in records}


def test_names_that_begin_alike(tmp_path: Path) -> None:
    text = "model,params,s\nhuman,,1\nbloom,9,1\nbloom-1b,1,1\nbloom-x,,1\nmbert,2,1\n"
    assert families(tmp_path, text) == {
        "human": "",
        "bloom": "bloom",
        "bloom-1b": "bloom",
        # Nobody knows its size.
        "bloom-x": "",
        "mbert": "",
    }


def test_what_a_file_says_stays(tmp_path: Path) -> None:
    text = "model,suite,item,result,size_family,params\nm-1,s,1,1,X,1\nm-2,s,1,1,,2\n"
    assert families(tmp_path, text) == {"m-1": "X", "m-2": "m"}
