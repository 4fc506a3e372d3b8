"""Tables of results as they are exported: separators, decimal commas, encodings."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.store.imports.files import faults, read

from pommel.errors import InputError
from pommel.store.imports.results import ImportOptions, read_results
from pommel.store.imports.tables import head_of

EUROPEAN = "model;suite;item;result;margin_bits\r\na, b;s;1;1;2,5\r\na, b;s;2;0;-,25\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_semicolons_and_decimal_commas(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(EUROPEAN, encoding=encoding, newline="")
    (record,) = read_results([path]).records
    assert record.result.model_name == "a, b"
    np.testing.assert_array_equal(record.result.predictions[0].margin_bits, [2.5, -0.25])


def test_shares_with_decimal_commas_are_as_exact(tmp_path: Path) -> None:
    text = "model,params,s,t\na,1.5e9,0.125,1\n"
    european = text.replace(",", ";").replace(".", ",")
    records = [read(tmp_path, each, n_items=1000).records for each in (text, european)]
    ours, theirs = ([(each.model, each.result.reported) for each in found] for found in records)
    assert ours == theirs
    assert ours[0][0].n_parameters == 1_500_000_000


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    assert faults(tmp_path, "model;params;s\nm;1,5;2,5\nn;;0,5;1\n") == (
        "x.csv:2:3: '1.5' is no number of parameters; write it in full, such as 560000000, and "
        "nothing where it is not known\n"
        "x.csv:2:7: '2.5' is no share; write 87% as 0.87\n"
        "x.csv:3:8: this row has 4 fields, and the header has 3; put text with a semicolon between "
        "quotes"
    )


def test_a_decimal_comma_between_tabs_may_be_something_else(tmp_path: Path) -> None:
    assert faults(tmp_path, "model\ts\nm\t0,500\n") == (
        "x.csv:2:3: '0,500' is no number; write a share such as 0.87, and nothing where there is "
        "none"
    )


def test_utf_16_is_said_to_be_none_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(EUROPEAN, encoding="utf-16")
    with pytest.raises(
        InputError, match=r"x.csv:1:1: the file is UTF-16, not UTF-8; save the file"
    ):
        read_results([path], ImportOptions(), form="items")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "model|s\nm|1\n",
            (
                "1:1: the header has one column alone, 'model|s'; separate columns by commas, "
                "semicolons or tabs"
            ),
        ),
        ("", "1:1: the file is empty; write a header, and results below it"),
        ("model,s\n", "1:1: there is nothing but a header; write results below it"),
    ],
)
def test_what_is_no_table(tmp_path: Path, text: str, message: str) -> None:
    for form in ("items", "accuracies", "gulordava", "gevalm"):
        assert faults(tmp_path, text, form=form) == f"x.csv:{message}"


def test_separators_in_quotes_do_not_count() -> None:
    assert head_of('"a;b;c",d\n"1,5",2\n') == (("a;b;c", "d"), ("1,5", "2"))
    assert head_of('"a,b,c";d\n"1,5";2\n') == (("a,b,c", "d"), ("1.5", "2"))
    assert head_of("\r\n\r\na;b\r1;x,y\r") == (("a", "b"), ("1", "x,y"))
    assert head_of("") == ((), ())
    assert head_of("a,b") == (("a", "b"), ())


NUMBERS = st.floats(min_value=0, max_value=1, allow_nan=False).map(repr)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1))
def test_a_european_table_says_the_same(rows: list[tuple[str, str]]) -> None:
    text = "\n".join(["model,s", *map(",".join, rows)])
    european = text.replace(",", ";").replace(".", ",")
    assert head_of(european) == head_of(text)
