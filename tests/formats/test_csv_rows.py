"""CSV text as fields with places."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.formats.csv_rows import header_faults, parse_csv


def test_rows_and_places() -> None:
    table = parse_csv('a,b\n\n"x\r\ny","1 ""2""",z\r\n,\n', file="f.csv")
    assert [row.fields for row in table.rows] == [("a", "b"), ("x\r\ny", '1 "2"', "z"), ("", "")]
    assert [row.line for row in table.rows] == [1, 3, 5]
    second = table.rows[1]
    assert [second.place(index) for index in range(4)] == [(3, 1), (4, 4), (4, 14), (4, 14)]
    assert table.faults == ()


def test_reading_goes_on_behind_broken_quotes() -> None:
    table = parse_csv('a,"b"c\nd,e\nf,"g\n', file="f.csv")
    assert [row.fields for row in table.rows] == [("d", "e")]
    assert [str(fault) for fault in table.faults] == [
        "f.csv:1:6: there is text behind the quote that ends the field; "  # noqa: ISC004
        'write a quote that is part of the text ""',
        "f.csv:3:3: this quote is never closed; close it; "  # noqa: ISC004
        'a quote that is part of the text is written "", and between quotes',
    ]


def test_tabs() -> None:
    table = parse_csv('a\tb,"c"\n\t"d\te"\tf\n', file="f.tsv", separator="\t")
    assert [row.fields for row in table.rows] == [("a", 'b,"c"'), ("", "d\te", "f")]
    assert [table.rows[1].place(index) for index in range(3)] == [(2, 1), (2, 2), (2, 8)]
    table = parse_csv('a\t"b" c\n"', file="f.tsv", separator="\t")
    assert [str(fault) for fault in table.faults] == [
        "f.tsv:1:6: there is text behind the quote that ends the field; "  # noqa: ISC004
        'write a quote that is part of the text ""',
        "f.tsv:2:1: this quote is never closed; close it; "  # noqa: ISC004
        'a quote that is part of the text is written "", and between quotes',
    ]
    table = parse_csv("x" * 200_000, file="f.tsv", separator="\t")
    assert [fault.message for fault in table.faults] == [
        "this is not TSV: field larger than field limit (131072)"
    ]


def test_field_that_is_too_long() -> None:
    table = parse_csv("x" * 200_000, file="f.csv")
    assert [fault.message for fault in table.faults] == [
        "this is not CSV: field larger than field limit (131072)"
    ]


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("b,a\n1,2\n", []),
        ("", ["the file is empty"]),
        ('"', []),  # the quote is a fault already
        ("a;b\n1;2\n", ["the columns are separated by ';'"]),
        ("a,b,b\n1,2,3\n", ["the column 'b' stands here for the second time"]),
        ("a,c\n1,2\n", ["there is no column 'c'", "the column 'b' is missing"]),
        ("a,b\n", ["there is nothing but a header"]),
    ],
)
def test_headers(text: str, messages: list[str]) -> None:
    faults = header_faults(parse_csv(text, file="f.csv"), ("a", "b"))
    assert [fault.message for fault in faults] == messages


@given(st.lists(st.lists(st.text('a, "\n\r', max_size=5), min_size=2, max_size=3), max_size=3))
def test_what_is_quoted_is_read_back(rows: list[list[str]]) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows(rows)
    table = parse_csv(stream.getvalue(), file="f.csv")
    assert [list(row.fields) for row in table.rows] == rows
    for row in table.rows:
        places = [row.place(index) for index in range(len(row.fields))]
        assert places == sorted(places)
        assert places[0] == (row.line, 1)
