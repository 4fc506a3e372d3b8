"""CSV text as fields with places."""

import csv
import io

import pytest
from hypothesis import given, strategies as st

from pommel.errors import Fault, InputError, printable
from pommel.files.csv import CsvRow, CsvTable
from pommel.files.text import DecodedText


def place_of(row: CsvRow, index: int) -> tuple[int, int]:
    place = row.place(index)
    assert place.file == row.file
    return place.line, place.column


def test_rows_and_places() -> None:
    table = CsvTable.parse('a,b\n\n"x\r\ny","1 ""2""",z\r\n,\n', file="f.csv")
    assert [row.fields for row in table.rows] == [("a", "b"), ("x\r\ny", '1 "2"', "z"), ("", "")]
    assert [row.line for row in table.rows] == [1, 3, 5]
    second = table.rows[1]
    assert [place_of(second, index) for index in range(4)] == [(3, 1), (4, 4), (4, 14), (4, 14)]
    assert table.faults == ()


def test_what_is_no_table_any_more_is_not_read() -> None:
    with pytest.raises(InputError) as caught:
        CsvTable.parse("a\n" * 1_000_001, file="f.csv")
    assert str(caught.value) == (
        "f.csv: has more than 1,000,000 lines, the most that is read of a table; divide it"
    )
    for row, what in (
        ("," * 10_000, "a row has at most 10,000 fields"),
        ("x" * (DecodedText.MOST_OF_LINE + 1), "a field has at most 1,048,576 characters"),
    ):
        table = CsvTable.parse(f"a\n{row}\n", file="f.csv")
        assert [str(fault) for fault in table.faults] == [f"f.csv:2:1: this is not CSV: {what}"]


def test_a_thousand_faults_are_enough() -> None:
    faults: list[Fault] = []
    table = CsvTable.parse("a,b\n" + "c\n" * 2_000, file="f.csv")
    assert table.records(("a", "b"), faults) == []
    assert len(faults) == 1_000


def test_reading_goes_on_behind_broken_quotes() -> None:
    table = CsvTable.parse('a,"b"c\nd,e\nf,"g\n', file="f.csv")
    assert [row.fields for row in table.rows] == [("d", "e")]
    assert [str(fault) for fault in table.faults] == [
        "f.csv:1:6: there is text behind the quote that ends the field; "  # noqa: ISC004
        'write a quote that is part of the text ""',
        "f.csv:3:3: this quote is never closed; close it; "  # noqa: ISC004
        'a quote that is part of the text is written "", and between quotes',
    ]


def test_tabs() -> None:
    table = CsvTable.parse('a\tb,"c"\n\t"d\te"\tf\n', file="f.tsv", separator="\t")
    assert [row.fields for row in table.rows] == [("a", 'b,"c"'), ("", "d\te", "f")]
    assert [place_of(table.rows[1], index) for index in range(3)] == [(2, 1), (2, 2), (2, 8)]
    table = CsvTable.parse('a\t"b" c\n"', file="f.tsv", separator="\t")
    assert [str(fault) for fault in table.faults] == [
        "f.tsv:1:6: there is text behind the quote that ends the field; "  # noqa: ISC004
        'write a quote that is part of the text ""',
        "f.tsv:2:1: this quote is never closed; close it; "  # noqa: ISC004
        'a quote that is part of the text is written "", and between quotes',
    ]


# Python's csv module reads no field of more than 131,072 characters unless it is told to.
@pytest.mark.parametrize("field", ["x" * 200_000, '"' + 'x""\n' * 70_000 + '"'])
def test_a_field_may_be_as_long_as_the_text(field: str) -> None:
    table = CsvTable.parse(f"a,b,c\nc,{field},d\ne,f,g\n", file="f.csv")
    assert table.faults == ()
    assert [len(row.fields[1]) for row in table.rows] == [
        1,
        len(field) - 70_002 * ('"' in field),
        1,
    ]


def test_a_long_quote_that_is_never_closed() -> None:
    # Nothing of what may be part of a quote is taken for a row.
    table = CsvTable.parse('a,b\nc,"' + "x\n" * 70_000, file="f.csv")
    assert [row.fields for row in table.rows] == [("a", "b")]
    (fault,) = table.faults
    assert str(fault).startswith("f.csv:2:3: this quote is never closed; close it; ")


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("b,word\n1,2\n", []),
        ("", ["1:1: the file is empty; its first line is word,b"]),
        ("\n\r\n", ["1:1: the file is empty; its first line is word,b"]),
        ('"', []),  # the quote is a fault already
        ("word;b\n1;2\n", ["1:1: the columns are separated by ';'; separate them by commas"]),
        ("word\tb\n1\t2\n", ["1:1: the columns are separated by '\\t'; separate them by commas"]),
        ("word\uff0cb\n", ["1:1: the columns are separated by '\uff0c'; separate them by commas"]),
        ("word\u060c b\n", ["1:1: the columns are separated by '\u060c'; separate them by commas"]),
        (
            "word,b,b\n1,2,3\n",
            ["1:8: the column 'b' stands here for the second time; remove one of the two"],
        ),
        (
            "\nwrd,c\n1,2\n",
            [
                "2:1: there is no column 'wrd'; did you mean 'word'?",
                "2:5: there is no column 'c'; remove it; there are word,b",
                "2:1: the column 'b' is missing; write word,b",
            ],
        ),
        ("word,b\n", ["1:1: there is nothing but a header; write some rows"]),
    ],
)
def test_headers(text: str, faults: list[str]) -> None:
    found = CsvTable.parse(text, file="f.csv").header_faults(("word", "b"))
    assert [str(fault) for fault in found] == [f"f.csv:{fault}" for fault in faults]


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("", ","),
        ("a\n", ","),
        ("a,b;c\n1;2;3\n", ","),
        ("\n\r\na;b,c;d\n", ";"),
        ('a;"b,c,d"\n1,2,3\n', ";"),
        ('"a;b",c\n', ","),
        ("a;b\tc\n", "\t"),
    ],
)
def test_the_header_tells_what_separates_columns(text: str, separator: str) -> None:
    assert CsvTable.separator_in(text) == separator


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("x\tb\ta\n1\t2\t3\n", []),
        ("", ["1:1: the file is empty; its first line is a, b, with tabs between"]),
        ("a,b\n1,2\n", ["1:1: the columns are separated by ','; separate them by tabs"]),
        (
            "\na\tother\ta\n1\t2\t3\n",
            [
                "2:9: the column 'a' stands here for the second time; remove one of the two",
                "2:1: the column 'b' is missing; write a, b, with tabs between",
            ],
        ),
        ("a\tcontxt\n", ["1:1: there is nothing but a header; write some rows"]),
    ],
)
def test_headers_that_may_have_other_columns(text: str, faults: list[str]) -> None:
    table = CsvTable.parse(text, file="f", separator="\t")
    required = ("a", "context") if "contxt" in text else ("a", "b")
    found = [str(fault) for fault in table.header_faults(required, others_allowed=True)]
    if "contxt" in text:
        assert found.pop(0) == "f:1:1: the column 'context' is missing; rename 'contxt'"
    assert found == [f"f:{fault}" for fault in faults]


def test_a_header_whose_quotes_are_broken_is_not_looked_for_below() -> None:
    table = CsvTable.parse('a,"b"c\n1,2\n', file="f.csv")
    assert table.header is None
    assert list(table.header_faults(("a", "b"))) == []


def test_rows_of_another_length() -> None:
    table = CsvTable.parse("a,b\n1,2\n1,2,3\n1\n", file="f.csv")
    assert [str(table.length_fault(row)) for row in table.rows[1:]] == [
        "None",
        (
            "f.csv:3:5: this row has 3 fields, and the header has 2; "
            "put text with a comma between quotes"
        ),
        "f.csv:4:1: this row has 1 field, and the header has 2; an empty field has its comma, too",
    ]


@given(
    st.lists(st.lists(st.text('a,\t "\n\r', max_size=5), min_size=1, max_size=3), max_size=3),
    st.sampled_from(",\t"),
)
def test_what_is_written_is_read_back(rows: list[list[str]], separator: str) -> None:
    text = "".join(CsvTable.line(row, separator) for row in rows)
    table = CsvTable.parse(text, file="f", separator=separator)
    assert table.faults == ()
    assert [list(row.fields) for row in table.rows] == rows
    # Python's own reader agrees.
    assert list(csv.reader(io.StringIO(text, newline=""), delimiter=separator)) == rows


@given(st.lists(st.lists(st.text('a, "\n\r', max_size=5), min_size=2, max_size=3), max_size=3))
def test_what_is_quoted_is_read_back(rows: list[list[str]]) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows(rows)
    table = CsvTable.parse(stream.getvalue(), file="f.csv")
    assert [list(row.fields) for row in table.rows] == rows
    for row in table.rows:
        places = [place_of(row, index) for index in range(len(row.fields))]
        assert places == sorted(places)
        assert places[0] == (row.line, 1)


@pytest.mark.parametrize("text", ["-138.889", "+1", "-.5e-3", "x;-1"])
def test_a_number_with_its_sign_is_no_formula(text: str) -> None:
    assert CsvTable.spreadsheet_cell(text) == text


@pytest.mark.parametrize("text", ["-1+x", "-1|x!A0", "-", "-1 ", "-1\n", "--1", "-1;=x"])
def test_what_only_begins_with_a_number_may_be_one(text: str) -> None:
    assert (CsvTable.spreadsheet_cell(text) == text) == (text == "-")


@given(st.text(alphabet="=-+@;|\t' \u200bax1\n", max_size=12))
def test_what_a_cell_is_made_of_comes_back(text: str) -> None:
    assert CsvTable.text_of_cell(CsvTable.spreadsheet_cell(text)) == printable(text, has_lines=True)


@pytest.mark.parametrize("text", ["'tis", "'", "'-", "it's -x", "a'=b"])
def test_what_no_guard_stands_before_stays(text: str) -> None:
    assert CsvTable.text_of_cell(text) == text
