"""CSV text as literal fields that know where they stand."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pommel.errors import Fault
from pommel.wording import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvRow:
    """A row: its fields, the line it begins in (from 1), and its text as it was written."""

    line: int
    text: str
    fields: tuple[str, ...]
    separator: str = ","

    def place(self, index: int) -> tuple[int, int]:
        """Return the line and the column, both from 1, at which field `index` begins.

        The row's last field stands for one that it does not have.
        """
        starts = _field_starts(self)
        return _line_and_column(self, starts[min(index, len(starts) - 1)])


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvTable:
    """The rows of a CSV, the header first, and what is wrong with its quotes. No row is empty."""

    file: str
    rows: tuple[CsvRow, ...]
    faults: tuple[Fault, ...]


def parse_csv(text: str, *, file: str, separator: str = ",") -> CsvTable:
    """Read CSV (or TSV, separated by tabs) with double quotes; `file` is its name in messages.

    Lines end in LF, CRLF or CR, and may do so within quotes. Blank lines are no rows, and neither
    are rows with broken quotes, which are faults.
    """
    lines = _Lines(text)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    rows: list[CsvRow] = []
    faults: list[Fault] = []
    while True:
        start, line = lines.offset, reader.line_num + 1
        try:
            fields = tuple(next(reader))
        except StopIteration:
            break
        except csv.Error as error:
            row = CsvRow(line=line, text=text[start : lines.offset], fields=(), separator=separator)
            faults.append(_broken(row, str(error), file))
            continue
        if fields:
            written = text[start : lines.offset]
            rows.append(CsvRow(line=line, text=written, fields=fields, separator=separator))
    return CsvTable(file=file, rows=tuple(rows), faults=tuple(faults))


def header_faults(table: CsvTable, columns: Sequence[str]) -> Iterator[Fault]:
    """Yield what is wrong with a header that should have exactly these columns, in any order.

    A file without rows, or with nothing but a header, is a fault, too.
    """
    expected = ",".join(columns)
    if not table.rows:
        if not table.faults:
            yield fault_at(table, (1, 1), "the file is empty", f"its first line is {expected}")
        return
    header = table.rows[0]
    names = header.fields
    if len(names) == 1 and (separator := re.search(r"[;\t|]", names[0])):
        message = f"the columns are separated by {separator[0]!r}"
        yield fault_at(table, (1, 1), message, "separate them by commas")
        return
    missing = [column for column in columns if column not in names]
    for index, name in enumerate(names):
        if name in names[:index]:
            message = f"the column {name!r} stands here for the second time"
            yield fault_at(table, header.place(index), message, "remove one of the two")
        elif name not in columns:
            meant = nearest(name, missing)
            missing = [column for column in missing if column != meant]
            hint = f"did you mean {meant!r}?" if meant else f"remove it; there are {expected}"
            yield fault_at(table, header.place(index), f"there is no column {name!r}", hint)
    for column in missing:
        message = f"the column {column!r} is missing"
        yield fault_at(table, header.place(0), message, f"write {expected}")
    if len(table.rows) == 1 and not table.faults:
        yield fault_at(table, header.place(0), "there is nothing but a header", "write some rows")


def fault_at(table: CsvTable, place: tuple[int, int], message: str, hint: str) -> Fault:
    """Return the fault at a line and column of the file."""
    line, column = place
    return Fault(file=table.file, line=line, column=column, path="", message=message, hint=hint)


class _Lines:
    """The lines of a text with their ends; `offset` is how many characters have been given out."""

    def __init__(self, text: str) -> None:
        # Unlike str.splitlines, this splits at no other characters than CR and LF.
        self._lines = io.StringIO(text, newline="")
        self.offset = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.offset += len(line)
        return line


_QUOTED = re.compile(r'"(?:[^"]|"")*+"')
_LINE_END = re.compile(r"\r\n|\r|\n")


def _field_starts(row: CsvRow) -> list[int]:
    plain = re.compile(f"[^{re.escape(row.separator)}\r\n]*")
    starts = [0]
    while True:
        field = _QUOTED.match(row.text, starts[-1]) or plain.match(row.text, starts[-1])
        end = field.end() if field else len(row.text)
        if row.text[end : end + 1] != row.separator:
            return starts
        starts.append(end + 1)


def _line_and_column(row: CsvRow, offset: int) -> tuple[int, int]:
    ends = [match.end() for match in _LINE_END.finditer(row.text, 0, offset)]
    return row.line + len(ends), offset - (ends[-1] if ends else 0) + 1


def _broken(row: CsvRow, problem: str, file: str) -> Fault:
    kind = "TSV" if row.separator == "\t" else "CSV"
    message, hint = f"this is not {kind}: {problem}", ""
    offset = 0
    for start in _field_starts(row):
        quoted = _QUOTED.match(row.text, start)
        if not row.text.startswith('"', start):
            continue
        if not quoted:
            offset, message = start, "this quote is never closed"
            hint = 'close it; a quote that is part of the text is written "", and between quotes'
            break
        if row.text[quoted.end() : quoted.end() + 1] not in ("", row.separator, "\r", "\n"):
            offset, message = quoted.end(), "there is text behind the quote that ends the field"
            hint = 'write a quote that is part of the text ""'
            break
    line, column = _line_and_column(row, offset)
    return Fault(file=file, line=line, column=column, path="", message=message, hint=hint)
