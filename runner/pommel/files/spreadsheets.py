"""Tables as spreadsheets leave them: CSV of any separator and encoding, and workbooks (.xlsx)."""

import codecs
import contextlib
import io
import itertools
import re
import warnings
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pommel.errors import Fault, InputError, Place, SuiteError, UsageError, first_line, listed
from pommel.files.csv import (
    MOST_COLUMNS,
    MOST_LINES,
    NAMES_OF_SEPARATORS,
    CsvRow,
    CsvTable,
    rows_of,
)
from pommel.files.text import UTF_16_BOMS, DecodedText, check_is_text, replacing
from pommel.values import frozen

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.cell import Cell
    from openpyxl.cell.read_only import EmptyCell, ReadOnlyCell
    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

# So much of a file says what it is.
_N_HEAD = 64
_ZIP = b"PK\x03\x04"
# What Excel wrote before 2007, and what it wraps a workbook with a password in.
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
# A first line with which Excel is told the separator.
_SAID = re.compile(r"sep=([,;\t])[\r\n]*", re.IGNORECASE)

# Unpacked, and of its XML: an element takes 200 bytes while its row, or all texts, are read.
_MOST_UNPACKED = 256 << 20
_MOST_ELEMENTS = 4_000_000
_MOST_OF_CELL = 32_767
# How whole numbers are formatted that are shown with all their digits, and how many these are.
_PLAIN = ("General", "0", "@")
_MOST_DIGITS = 11
# What is raised for what is no workbook, or a broken one.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    SyntaxError,  # as that of XML is
    EOFError,
    NotImplementedError,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)

# XML has no such characters, and Excel writes them so; what looks like that is written so, too.
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_WRITTEN_SO = re.compile(r"_x(00[01][0-9A-F]|005F|FFFE|FFFF)_", re.IGNORECASE)


@frozen(slots=False)
class SheetRow(CsvRow):
    """A row of a sheet; `line` is its number.

    `made` says of which fields Excel has made something that is no text, and what.
    """

    sheet: str
    made: Mapping[int, str]

    def place(self, index: int) -> Place:
        """Return the cell of field `index`."""
        path = _cell_name(self.sheet, self.line, index)
        return Place(file=self.file, line=self.line, path=path)

    def text_faults(self, columns: Iterable[str]) -> Iterator[Fault]:
        """Yield a fault for each of these columns whose text Excel has replaced."""
        for column in columns:
            if what := self.made.get(self.names.index(column)):
                message = f"this is {what}, not text"
                yield self.fault(column, message, "format the cell as text, and write it again")


@frozen
class TableReading:
    """How a table is read: CSV by its separator and encoding, a workbook by the name of its sheet.

    What is not said is told: the separator by the header and, if that can be read in two ways, by
    all rows; UTF-8 and UTF-16 by their byte order mark, and without one it is UTF-8; the first
    sheet that is not hidden.
    """

    separator: str = ""
    encoding: str = ""
    sheet: str = ""

    @staticmethod
    def named(told: str) -> tuple[str, str]:
        """Return the name and the path of "NAME=FILE", the name "" of a file alone."""
        name, equals, path = told.partition("=")
        # A folder may have such a sign in its name, too.
        return (name, path) if equals and not {*name} & {*"/\\"} else ("", told)

    def table(self, path: Path) -> CsvTable:
        """Read a table as a whole; raises as `rows`."""
        return CsvTable.of(self.rows(path), str(path))

    def tables(
        self, path: Path, others: Collection[str]
    ) -> tuple[CsvTable, dict[str, CsvTable], list[str]]:
        """Read the sheets of a workbook that belong together; of CSV there is its table alone.

        Return the table that `rows` has for these `others`, those of the other sheets by their
        names in small letters, and the names of the sheets that are not hidden and were not read;
        raises as `rows`.
        """
        with _opened(path) as book:
            own = self._sheet_of(book, others)
            table = CsvTable.of(self._rows(path, book, own), str(path))
            sheets = {each.casefold(): each for each in _visible(book)}
            found = {
                key: CsvTable.of(self._rows(path, book, sheets[key]), str(path))
                for key in others
                if key in sheets
            }
        unread = [each for key, each in sheets.items() if key not in others and each != own]
        return table, found, unread

    def rows(self, path: Path, others: Collection[str] = ()) -> Iterator[CsvRow | Fault]:
        """Yield the rows of a table, the header first, and what is wrong with the quotes of one.

        No more than a row is held of CSV. Rows without any text are none, and rows have no more
        empty fields at their end than the header; those of a workbook have all fields. `others`
        are sheets, in small letters, that are not meant where no name of one is said. Raises
        `InputError` for a file that cannot be read, that has no such encoding, whose separator
        cannot be told, or that is larger than is read; `UsageError` for an encoding that does not
        exist, and for a workbook without openpyxl.
        """
        with _opened(path) as book:
            yield from self._rows(path, book, self._sheet_of(book, others))

    def _sheet_of(self, book: "Workbook | None", others: Collection[str]) -> str:
        visible = _visible(book)
        meant = (each for each in visible if each.casefold() not in others)
        return self.sheet or next(meant, "") or next(iter(visible), "")

    def _rows(self, path: Path, book: "Workbook | None", sheet: str) -> Iterator[CsvRow | Fault]:
        width: int | None = None
        for found in (
            _sheet_rows(path, book, sheet) if book else self._csv_rows(path, self.separator)
        ):
            if isinstance(found, Fault):
                yield found
                continue
            fields = list(found.fields)
            while fields and len(fields) > (width or 0) and not fields[-1]:
                fields.pop()
            if not any(fields) and not getattr(found, "made", None):
                continue
            width = len(fields) if width is None else width
            if book:
                fields += [""] * (width - len(fields))
            yield replace(found, fields=tuple(fields))

    @staticmethod
    def write_workbook(path: Path, sheets: Mapping[str, Iterable[Sequence[str | int]]]) -> None:
        """Write a workbook: the rows of each sheet under its name, the first of them the header.

        Texts are cells that are formatted as text, so that a spreadsheet makes nothing else of what
        is written there; empty ones are no cells. Raises `InputError` for what no cell can hold,
        `UsageError` without openpyxl, and `PommelError` for what the file system refuses.
        """
        _check_installed()
        import openpyxl

        book = openpyxl.Workbook(write_only=True)
        for name, rows in sheets.items():
            sheet = book.create_sheet(name)
            # Otherwise what is written so far is left in a temporary file.
            with contextlib.closing(sheet):
                sheet.freeze_panes = "A2"
                for number, row in enumerate(rows, start=1):
                    if number > MOST_LINES:
                        most = f"{MOST_LINES:,} rows, the most that is read of a table"
                        raise InputError(f"{path}: the sheet {name!r} would have more than {most}")
                    sheet.append(_written_cells(path, sheet, number, row))
        with replacing(path) as aside:
            book.save(aside)

    def _csv_rows(self, path: Path, separator: str) -> Iterator[CsvRow | Fault]:
        separator = separator or self._separator(path)
        return rows_of(self._lines(path), file=str(path), separator=separator)

    def _separator(self, path: Path) -> str:
        """Return what separates the columns; raises `InputError` where that may be two things."""
        first = next(self._lines(path, is_raw=True), "")
        if said := _SAID.fullmatch(first):
            return said[1]
        headers = {each: next(self._csv_rows(path, each), None) for each in NAMES_OF_SEPARATORS}
        found = {
            each: header.fields
            for each, header in headers.items()
            if isinstance(header, CsvRow) and len(header.fields) > 1
        }
        if "\t" in found and path.suffix.lower() == ".tsv":
            return "\t"
        if len(found) > 1:
            even = {each: header for each, header in found.items() if self._is_even(path, each)}
            found = even or found
        if len(found) > 1:
            readings = " or ".join(
                f"{NAMES_OF_SEPARATORS[each]}s ({listed(list(map(repr, header)))})"
                for each, header in found.items()
            )
            hint = "`pommel convert --delimiter` says which"
            raise InputError(f"{path}: columns may be separated by {readings}; {hint}")
        return next(iter(found), ",")

    def _is_even(self, path: Path, separator: str) -> bool:
        """Return whether all rows have as many fields as the first one."""
        rows = self._csv_rows(path, separator)
        widths = (len(row.fields) if isinstance(row, CsvRow) else None for row in rows)
        first = next(widths, None)
        return all(each == first for each in widths)

    def _lines(self, path: Path, *, is_raw: bool = False) -> Iterator[str]:
        """Yield lines with their ends; one that says the separator is empty, unless `is_raw`."""
        most = DecodedText.MOST_OF_LINE
        try:
            with path.open("rb") as raw:
                head = raw.read(_N_HEAD)
                raw.seek(0)
                _check_is_table(head, path)
                encoding = self.encoding or ("utf-16" if head[:2] in UTF_16_BOMS else "utf-8")
                stream = io.TextIOWrapper(raw, encoding, newline="")
                number = 0
                while line := stream.readline(most + 2):
                    number += 1
                    if number == 1:
                        line = line.removeprefix("\ufeff")
                        line = line if is_raw else _SAID.sub("\n", line)
                    self._check_line(line, Place(file=str(path), line=number, column=1))
                    yield line
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None
        except LookupError:
            hint = "Python's names are known, such as utf-16, cp1252, latin-1, shift_jis"
            raise UsageError(f"there is no encoding {encoding!r}; {hint}") from None
        except UnicodeError as error:
            raise SuiteError([_undecoded(path, encoding, error)]) from None

    @staticmethod
    def _check_line(line: str, place: Place) -> None:
        most = DecodedText.MOST_OF_LINE
        if len(line.rstrip("\r\n")) > most:
            what = f"this line has more than {most:,} characters, the most that is read"
            raise InputError(f"{place.file}:{place.line}: {what}; write a row a line")
        if "\0" in line:
            message = "this line has the character NUL, which no text has"
            at = line.index("\0")
            # Of a letter's two bytes the one that says nothing is NUL.
            encoding = "utf-16-le" if at % 2 else "utf-16-be"
            hint = f"if the file is UTF-16 without a mark, say --encoding {encoding}"
            raise SuiteError([place.further(at).fault(message, hint)])


_Cells = Sequence["ReadOnlyCell | EmptyCell"]


def _cell_name(sheet: str, row: int, index: int) -> str:
    letters, number = "", index + 1
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{sheet}!{letters}{row}"


def _written_cells(
    path: Path, sheet: "WriteOnlyWorksheet", number: int, row: Sequence[str | int]
) -> "list[Cell | None]":
    """Return the cells of a row; raises `InputError` for a text that no cell can hold."""
    from openpyxl.cell import WriteOnlyCell

    cells: list[Cell | None] = []
    for index, value in enumerate(row):
        if value == "":
            cells.append(None)
            continue
        if isinstance(value, int):
            cells.append(WriteOnlyCell(sheet, value))
            continue
        text = _NOT_IN_XML.sub(lambda found: f"_x{ord(found[0]):04X}_", value)
        if len(text) > _MOST_OF_CELL:
            where = f"{path}: {_cell_name(sheet.title, number, index)} would have more"
            raise InputError(
                f"{where} than {_MOST_OF_CELL:,} characters, the most that Excel takes"
            )
        cell = WriteOnlyCell(sheet, text)
        cell.data_type, cell.number_format = "s", "@"
        cells.append(cell)
    return cells


def _check_installed() -> None:
    if find_spec("openpyxl") is None:
        raise UsageError(f"workbooks need openpyxl: {UsageError.install('excel')}")


def _is_workbook(path: Path) -> bool:
    """Return whether a file is one, by how it begins; raises `InputError` for one of old."""
    try:
        with path.open("rb") as stream:
            head = stream.read(len(_ZIP))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    if head == _OLD_EXCEL:
        what = "a workbook of Excel before 2007, or one with a password"
        raise InputError(f"{path}: is {what}; save it as .xlsx, without a password")
    return head == _ZIP


@contextlib.contextmanager
def _opened(path: Path) -> "Iterator[Workbook | None]":
    """Open a table, if it is a workbook."""
    with _workbook(path) if _is_workbook(path) else contextlib.nullcontext() as book:
        yield book


@contextlib.contextmanager
def _workbook(path: Path, *, has_results: bool = False) -> "Iterator[Workbook]":
    """Open a workbook, to be read row by row; instead of its formulas it may have their results."""
    _check_installed()
    import openpyxl

    with path.open("rb") as stream:
        with _told_broken(path):
            _check_size(path, stream)
            book = openpyxl.load_workbook(
                stream, read_only=True, keep_links=False, data_only=has_results
            )
        try:
            yield book
        finally:
            book.close()


@contextlib.contextmanager
def _told_broken(path: Path) -> Iterator[None]:
    # What openpyxl warns of (styles, validation, extensions) is nothing that is read here.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except _BROKEN as error:
            what = f"is no workbook that can be read ({first_line(error)})"
            raise InputError(f"{path}: {what}; save it as .xlsx in a spreadsheet") from None


def _check_size(path: Path, stream: BinaryIO) -> None:
    """Raise `InputError` for what would take more memory than a table of a million lines does."""
    with zipfile.ZipFile(stream) as archive:
        parts = archive.infolist()
        # More than it says of itself is not unpacked of a part.
        if sum(part.file_size for part in parts) > _MOST_UNPACKED:
            most = f"{_MOST_UNPACKED >> 20} MiB unpacked, the most that is read of a workbook"
            raise InputError(f"{path}: has more than {most}; divide it")
        n_elements = 0
        for part in parts:
            with archive.open(part) as content:
                while chunk := content.read(1 << 20):
                    n_elements += chunk.count(b"<") - chunk.count(b"</")
        if n_elements > _MOST_ELEMENTS:
            most = f"{_MOST_ELEMENTS:,} elements of XML, the most that is read of a workbook"
            raise InputError(f"{path}: has more than {most}; divide it")


def _visible(book: "Workbook | None") -> list[str]:
    """Return the names of the sheets that are not hidden; CSV has none."""
    sheets = book.worksheets if book else ()
    return [each.title for each in sheets if each.sheet_state == "visible"]


def _sheet_rows(path: Path, book: "Workbook", name: str) -> Iterator[SheetRow]:
    sheets = [each.title for each in book.worksheets]
    if name not in sheets:
        there = listed(sheets, most=20)
        raise InputError(f"{path}: there is no sheet {name!r}; the file has {there}")
    with contextlib.ExitStack() as stack:
        # Formulas are told by one reading, and what came out of them by another.
        results: Iterator[tuple[int, _Cells]] | None = None
        for number, cells in _numbered_rows(path, book, name):
            results_here = cells
            if any(cell.data_type == "f" for cell in cells):
                if results is None:
                    computed = stack.enter_context(_workbook(path, has_results=True))
                    results = _numbered_rows(path, computed, name)
                results_here = next(row for at, row in results if at == number)
            texts = list(map(_text_of, results_here, cells))
            yield SheetRow(
                file=str(path),
                line=number,
                text="",
                fields=tuple(text for text, _ in texts),
                separator="",
                sheet=name,
                made={index: made for index, (_, made) in enumerate(texts) if made},
            )


def _numbered_rows(path: Path, book: "Workbook", name: str) -> Iterator[tuple[int, _Cells]]:
    sheet = next(each for each in book.worksheets if each.title == name)
    # What a file says of its size may be anything.
    sheet.reset_dimensions()
    rows = sheet.iter_rows()
    for number in itertools.count(1):
        with _told_broken(path):
            cells = next(rows, None)
        if cells is None:
            return
        if number > MOST_LINES:
            most = f"{MOST_LINES:,} rows, the most that is read of a table"
            raise InputError(f"{path}: has more than {most}; divide it")
        if len(cells) > MOST_COLUMNS:
            raise InputError(f"{path}: {name}, row {number}: has more than {MOST_COLUMNS:,} cells")
        yield number, cells


def _text_of(
    cell: "ReadOnlyCell | EmptyCell", written: "ReadOnlyCell | EmptyCell"
) -> tuple[str, str]:
    """Return the text of a cell, and what Excel has made instead of the one that was written."""
    value = cell.value
    if value is None:
        return "", "a formula whose result was not saved" if written.data_type == "f" else ""
    if cell.data_type == "e":
        return str(value), f"the error {value}"
    if isinstance(value, str):
        return _WRITTEN_SO.sub(lambda found: chr(int(found[1], 16)), value), ""
    if isinstance(value, bool):
        return str(value).upper(), f"the truth value {str(value).upper()}"
    if isinstance(value, int | float):
        text = str(int(value) if value == value // 1 else value)
        # Written in another way, the same number is another text: 007, 1.0, 1,000, 50%.
        is_plain = text.isdecimal() and cell.number_format in _PLAIN and len(text) <= _MOST_DIGITS
        return text, "" if is_plain else f"the number {text}"
    text = value.isoformat(" ") if isinstance(value, datetime) else str(value)
    text = text.removesuffix(" 00:00:00")
    return text, f"the {'date' if isinstance(value, date) else 'time'} {text}"


def _check_is_table(head: bytes, path: Path) -> None:
    """Raise `InputError` for what is another program's, and for JSON."""
    check_is_text(head, str(path))
    if head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"{", b"["):
        hint = "a suite's file ends in .json, and is read where a suite is asked for"
        raise InputError(f"{path}: this is JSON, not a table; {hint}")


def _undecoded(path: Path, encoding: str, error: UnicodeError) -> Fault:
    """Return where a file is not of an encoding."""
    start = Place(file=str(path), line=1, column=1)
    hint = (
        "name the encoding of the file: Windows writes --encoding cp1252 in western Europe, cp1250 "
        "in central Europe, cp1251 in Cyrillic, cp1254 in Turkish, shift_jis in Japanese"
    )
    with path.open("rb") as stream:
        # In UTF-16 no byte is a line end.
        for number, line in enumerate(stream if "16" not in encoding else (), start=1):
            try:
                line.decode(encoding)
            except UnicodeDecodeError as wrong:
                column = len(line[: wrong.start].decode(encoding)) + 1
                message = f"the byte 0x{line[wrong.start]:02x} is not {encoding.upper()}"
                return replace(start, line=number, column=column).fault(message, hint)
    return start.fault(f"the file is not {encoding.upper()} ({first_line(error)})", hint)
