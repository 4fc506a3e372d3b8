"""Tables as spreadsheets leave them: separators and encodings of CSV, and workbooks."""

import tracemalloc
import zipfile
from collections.abc import Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, strategies as st

from pommel.errors import Fault, InputError, PommelError, UsageError
from pommel.files import csv, spreadsheets
from pommel.files.csv import CsvRow
from pommel.files.spreadsheets import TableReading

Sheet = Sequence[Sequence[object]]


def written(path: Path, raw: bytes) -> Path:
    path.write_bytes(raw)
    return path


def workbook(path: Path, *sheets: tuple[str, Sheet]) -> Path:
    """Write a workbook as Excel would, with whatever it makes of what is typed."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def fields_of(path: Path, reading: TableReading | None = None) -> list[tuple[str, ...]]:
    found = (reading or TableReading()).rows(path)
    return [row.fields for row in found if isinstance(row, CsvRow)]


def refused(path: Path, reading: TableReading | None = None) -> PommelError:
    with pytest.raises(PommelError) as caught:
        list((reading or TableReading()).rows(path))
    return caught.value


@pytest.mark.parametrize(
    ("text", "separator", "rows"),
    [
        ("a,b\n1,2\n", ",", [("a", "b"), ("1", "2")]),
        ("a;b\n1;2,5\n", ";", [("a", "b"), ("1", "2,5")]),
        ("a\tb\nx,y;z\t2\n", "\t", [("a", "b"), ("x,y;z", "2")]),
        # A header that could be read in two ways, and rows that could not.
        ("a;b,c\n1;2\n", ";", [("a", "b,c"), ("1", "2")]),
        ('"a;b",c\n1,2\n', ",", [("a;b", "c"), ("1", "2")]),
        # Excel writes the separator in a line of its own where it is asked to.
        ("sep=;\r\na,x;b\r\n1;2\r\n", ";", [("a,x", "b"), ("1", "2")]),
        ("a\n1\n", ",", [("a",), ("1",)]),
        # Rows and columns that were once formatted are saved as empty ones.
        ("a,b,,\n1,2,,\n,,,\n3,,,\n", ",", [("a", "b"), ("1", "2"), ("3", "")]),
    ],
)
def test_separators_are_told_apart(
    tmp_path: Path, text: str, separator: str, rows: list[tuple[str, ...]]
) -> None:
    table = TableReading().table(written(tmp_path / "t.csv", text.encode()))
    assert [row.fields for row in table.rows] == rows
    assert table.separator == separator
    assert table.faults == ()


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", b'sep=;\n\na;b\n"x\ny";"z\n')
    table = TableReading().table(path)
    place = table.rows[0].place(1)
    assert (place.line, place.column) == (3, 3)
    (fault,) = table.faults
    assert str(fault).startswith(f"{path}:5:4: this quote is never closed")


def test_two_possible_readings_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", b"a;b,c\n1;2,5\n")
    assert str(refused(path)) == (
        f"{path}: columns may be separated by commas ('a;b', 'c') or semicolons ('a', 'b,c'); "
        "`pommel convert --delimiter` says which"
    )
    assert fields_of(path, TableReading(separator=";")) == [("a", "b,c"), ("1", "2,5")]
    # The ending says it, too.
    path = written(tmp_path / "t.tsv", b"a,x\tb\n1,2\t3\n")
    assert fields_of(path) == [("a,x", "b"), ("1,2", "3")]


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", ""),
        ("cp1252", "cp1252"),
        ("utf-16-le", "utf-16-le"),
    ],
)
def test_encodings(tmp_path: Path, encoding: str, said: str) -> None:
    path = written(tmp_path / "t.csv", "a,b\né “x”,y\n".encode(encoding))
    assert fields_of(path, TableReading(encoding=said)) == [("a", "b"), ("é “x”", "y")]


def test_what_is_not_of_the_encoding_says_so(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", "a,b\né,“x”\n".encode("cp1252"))
    hint = (
        "name the encoding of the file: Windows writes --encoding cp1252 in western Europe, cp1250 "
        "in central Europe, cp1251 in Cyrillic, cp1254 in Turkish, shift_jis in Japanese"
    )
    assert str(refused(path)) == f"{path}:2:1: the byte 0xe9 is not UTF-8; {hint}"
    path = written(tmp_path / "t.csv", b"a,b\nx,\x81\n")
    error = refused(path, TableReading(encoding="cp1252"))
    assert str(error) == f"{path}:2:3: the byte 0x81 is not CP1252; {hint}"
    path = written(tmp_path / "t.csv", "a,b\nx".encode("utf-16-le"))
    assert str(refused(path)) == (
        f"{path}:1:2: this line has the character NUL, which no text has; "
        "if the file is UTF-16 without a mark, say --encoding utf-16-le"
    )
    path = written(tmp_path / "t.csv", b"\xff\xfea\x00b")
    assert str(refused(path)).startswith(f"{path}:1:1: the file is not UTF-16 (")


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"%PDF-1.4\n\xe2", "a PDF file, not text"),
        (b"{\\rtf1\\ansi a,b}", "a document in RTF, not text"),
        (b"\x89PNG\r\n\x1a\n", "a picture, not text"),
        (b"<HTML><table><tr><td>item</td>", "a web page, not text"),
        (b'<?xml version="1.0"?>', "XML, not text"),
        (b'\xef\xbb\xbf\n {"meta": {}}', "JSON, not a table"),
    ],
)
def test_files_of_other_programs_are_called_what_they_are(
    tmp_path: Path, raw: bytes, kind: str
) -> None:
    path = written(tmp_path / "t.csv", raw)
    assert str(refused(path)).startswith(f"{path}: this is {kind}; ")


@pytest.mark.parametrize("name", ["cp12", "hex"])
def test_unknown_encodings(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / "t.csv", b"a,b\n")
    error = refused(path, TableReading(encoding=name))
    assert isinstance(error, UsageError)
    assert str(error).startswith(f"there is no encoding {name!r}; Python's names are known, such")


def test_a_large_csv_is_read_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with path.open("w") as stream:
        stream.write("a;b\n")
        stream.writelines(f"the dog {number};barks, and barks\n" for number in range(5_000))
    tracemalloc.start()
    n_rows = sum(1 for _ in TableReading().rows(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_rows == 5_001
    assert peak < 200_000


def test_files_that_are_none(tmp_path: Path) -> None:
    missing = tmp_path / "missing.csv"
    assert str(refused(missing)) == f"{missing}: No such file or directory"
    path = written(tmp_path / "t.csv", b"a\n" + b"x" * (1 << 20) + b"x\n")
    assert str(refused(path)).startswith(f"{path}:2: this line has more than 1,048,576 characters")


def test_tables_of_too_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A million take seconds.
    for module in (csv, spreadsheets):
        monkeypatch.setattr(module, "MOST_LINES", 1_000)
    path = written(tmp_path / "t.csv", b"a\n" * 1_001)
    assert str(refused(path)) == (
        f"{path}: has more than 1,000 lines, the most that is read of a table; divide it"
    )
    path = workbook(tmp_path / "t.xlsx", ("S", [["a"], ["b"]]))
    edited(path, SHEET, b'<row r="2">', b'<row r="99999999999">')
    assert str(refused(path)) == (
        f"{path}: has more than 1,000 rows, the most that is read of a table; divide it"
    )
    with pytest.raises(InputError) as caught:
        TableReading.write_workbook(path, {"one": [("a",)] * 1_001})
    assert str(caught.value) == (
        f"{path}: the sheet 'one' would have more than 1,000 rows, the most that is read of a table"
    )


def test_a_workbook_is_rows_of_text(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "t.xlsx",
        ("Tabelle 1", [["item", "text", None], [1, " é “x”\ny"], [], [2, None, None], [3.0, "NA"]]),
        ("other", [["k"], ["v"]]),
    )
    table = TableReading().table(path)
    assert [(row.line, row.fields) for row in table.rows] == [
        (1, ("item", "text")),
        (2, ("1", " é “x”\ny")),
        (4, ("2", "")),
        (5, ("3", "NA")),
    ]
    assert str(table.rows[1].place(1).fault("wrong", "mend it")) == (
        f"{path}:Tabelle 1!B2: wrong; mend it"
    )
    assert TableReading().tables(path, ()) == (table, {}, ["other"])
    assert fields_of(path, TableReading(sheet="other")) == [("k",), ("v",)]
    error = refused(path, TableReading(sheet="Other"))
    assert str(error) == f"{path}: there is no sheet 'Other'; the file has Tabelle 1, other"


def test_hidden_sheets_are_not_the_first(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", ("one", [["a"]]), ("two", [["b"]]))
    book = openpyxl.load_workbook(path)
    book["one"].sheet_state = "hidden"
    book.active = 1
    book.save(path)
    assert TableReading(sheet="one").tables(path, ())[2] == ["two"]
    assert TableReading().tables(path, ())[2] == []
    assert fields_of(path) == [("b",)]
    assert fields_of(path, TableReading(sheet="one")) == [("a",)]


def test_sheets_that_belong_together_are_read_of_one_workbook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheets = [("Meta", [["k"], ["v"]]), ("one", [["a"], ["b"]]), ("more", [["c"]])]
    path = workbook(tmp_path / "t.xlsx", *sheets)
    load = openpyxl.load_workbook
    opened: list[object] = []

    def counted(*args: Any, **named: Any) -> openpyxl.Workbook:
        opened.append(args)
        return load(*args, **named)

    monkeypatch.setattr(openpyxl, "load_workbook", counted)
    table, others, unread = TableReading().tables(path, ("predictions", "meta"))
    assert len(opened) == 1
    assert [row.fields for row in table.rows] == [("a",), ("b",)]
    assert {key: [row.fields for row in each.rows] for key, each in others.items()} == {
        "meta": [("k",), ("v",)]
    }
    assert unread == ["more"]
    assert next(TableReading().rows(path, ("meta",))) == table.rows[0]


def test_what_excel_has_made_of_text_names_its_cell(tmp_path: Path) -> None:
    row = [True, 1.5, date(2024, 1, 2), time(10, 30), "#N/A", '=A1&"x"', 3, "text", None]
    row += [datetime(2024, 1, 2, 3, 4), 10**11]  # noqa: DTZ001 - cells have no zone
    names = [*"abcdefghijk"]
    path = workbook(tmp_path / "t.xlsx", ("Sheet1", [names, row]))
    book = openpyxl.load_workbook(path)
    book["Sheet1"]["L1"], book["Sheet1"]["L2"] = "l", 7
    # It shows 007.
    book["Sheet1"]["L2"].number_format = "000"
    book.save(path)
    table = TableReading().table(path)
    faults: list[Fault] = []
    (record,) = table.records([*names, "l"], faults)
    assert faults == []
    assert record.fields[:5] == ("TRUE", "1.5", "2024-01-02", "10:30:00", "#N/A")
    assert [str(fault) for fault in record.text_faults(record.names)] == [
        f"{path}:Sheet1!{cell}: this is {what}, not text; "
        "format the cell as text, and write it again"
        for cell, what in (
            ("A2", "the truth value TRUE"),
            ("B2", "the number 1.5"),
            ("C2", "the date 2024-01-02"),
            ("D2", "the time 10:30:00"),
            ("E2", "the error #N/A"),
            ("F2", "a formula whose result was not saved"),
            ("J2", "the date 2024-01-02 03:04:00"),
            ("K2", "the number 100000000000"),
            ("L2", "the number 7"),
        )
    ]


def edited(path: Path, part: str, old: bytes, new: bytes) -> Path:
    """Change a part of a workbook, which is a ZIP archive."""
    with zipfile.ZipFile(path) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    assert old in parts[part]
    parts[part] = parts[part].replace(old, new, 1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, raw in parts.items():
            archive.writestr(each, raw)
    return path


SHEET = "xl/worksheets/sheet1.xml"


def test_a_formula_is_what_came_out_of_it(tmp_path: Path) -> None:
    rows = [["a", "b"], ["x", "y"], ["the", '=A2&" dog"'], ["z", "=1/0"]]
    path = workbook(tmp_path / "t.xlsx", ("Sheet1", rows))
    edited(path, SHEET, b'<c r="B3"><f>A2&amp;" dog"</f><v />',
           b'<c r="B3" t="str"><f>A2&amp;" dog"</f><v>x dog</v>')  # fmt: skip
    edited(path, SHEET, b"<f>1/0</f><v />", b"<f>1/0</f><v>2.5</v>")
    table = TableReading().table(path)
    *_, third, last = table.records(("a", "b"), [])
    assert third.fields == ("the", "x dog")
    assert list(third.text_faults(("a", "b"))) == []
    (fault,) = last.text_faults(("a", "b"))
    assert str(fault).startswith(f"{path}:Sheet1!B4: this is the number 2.5, not text")


def test_rows_longer_than_the_header(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", ("S", [["a", "b"], ["1", "2", None, "far"]]))
    faults: list[Fault] = []
    TableReading().table(path).records(("a", "b"), faults)
    (fault,) = faults
    assert str(fault) == (
        f"{path}:S!C2: this row has 4 fields, and the header has 2; "
        "name its column in the header, or empty the cell"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # What a file says of its size is not believed.
        (b'<dimension ref="A1:B2" />', b'<dimension ref="A1:XFD1048576" />', ""),
        (b'<c r="B2"', b'<c r="ZZZ2"', "S, row 2: has more than 10,000 cells"),
        (b"</worksheet>", b" " * (257 << 20), "has more than 256 MiB unpacked, the most that is"),
        (b"</sheetData>", b"<c/>" * 4_000_001, "has more than 4,000,000 elements of XML, the most"),
        (b"</worksheet>", b"", "is no workbook that can be read (no element found"),
        (
            b"<worksheet",
            b'<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;">]><worksheet a="&b;"',
            "is no workbook that can be read (",
        ),
    ],
)
def test_hostile_workbooks(tmp_path: Path, old: bytes, new: bytes, message: str) -> None:
    path = workbook(tmp_path / "t.xlsx", ("S", [["a", "b"], ["1", "2"]]))
    edited(path, SHEET, old, new)
    if message:
        error = refused(path)
        assert isinstance(error, InputError)
        assert str(error).startswith(f"{path}: {message}")
    else:
        assert fields_of(path) == [("a", "b"), ("1", "2")]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"\xd0\xcf\x11\xe0" * 9, "is a workbook of Excel before 2007, or one with a password; "),
        (b"PK\x03\x04 and no more", "is no workbook that can be read (File is not a zip file); "),
    ],
)
def test_what_is_no_workbook(tmp_path: Path, raw: bytes, message: str) -> None:
    path = written(tmp_path / "t.xlsx", raw)
    assert str(refused(path)).startswith(f"{path}: {message}save it as .xlsx")


@given(
    st.lists(
        st.tuples(
            st.integers(0, 10**10),
            st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
            st.sampled_from(["=1+1", "TRUE", "1.0", "007", "_x000D_", "a\r\nb", " ", "#N/A", "'"]),
        ),
        max_size=4,
    )
)
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str, str]]
) -> None:
    path = tmp_path_factory.mktemp("books") / "t.xlsx"
    TableReading.write_workbook(path, {"one": [("n", "text", "more"), *rows]})
    read = TableReading().table(path).rows
    assert [row.fields for row in read[1:]] == [(str(n), text, more) for n, text, more in rows]
    assert not any([*row.text_faults(row.names)] for row in read)


def test_what_no_cell_can_hold_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with pytest.raises(InputError) as caught:
        TableReading.write_workbook(path, {"one": [("a",), ("x" * 32_768,)]})
    assert str(caught.value) == (
        f"{path}: one!A2 would have more than 32,767 characters, the most that Excel takes"
    )
    assert list(tmp_path.iterdir()) == []
