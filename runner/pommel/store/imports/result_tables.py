"""CSV and TSV files of results: their rows with a place, and what cells say."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pommel.errors import Fault, FaultyFileError, quoted
from pommel.files.csv import CsvRow, CsvTable
from pommel.files.text import DecodedText

# What R, pandas and people write for a value that is missing.
_MISSING = frozenset({"", "na", "nan", "null", "none", "n/a", "#n/a", "<na>"})
_TRUE = frozenset({"true", "t", "1", "1.0", "yes"})
_FALSE = frozenset({"false", "f", "0", "0.0", "no"})
_WHOLE = re.compile(r"[0-9]{1,18}(?:\.0+)?")
_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]*,[0-9]+(?:[eE][-+]?[0-9]+)?")

_FIRST_LINE = re.compile(r"[^\r\n]+")
_IN_QUOTES = re.compile(r'"[^"]*"')


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTable:
    """A table with a header; `sha256` is that of the file's bytes. Every row has all fields."""

    path: Path
    sha256: str
    table: CsvTable
    header: tuple[str, ...]
    rows: tuple[CsvRow, ...]

    def fault(self, row: CsvRow, index: int, message: str, hint: str) -> Fault:
        """Return the fault of a field."""
        return self.table.fault(row.place(index), message, hint)


def read_table(path: Path, faults: list[Fault]) -> ResultTable:
    """Read a table, separated by tabs, semicolons or commas; what is wrong is added to `faults`.

    Between semicolons a comma is a decimal point, as where Excel writes such files. Rows that are
    no rows of the table are left out of it. Raises `InputError` for a file that cannot be read.
    """
    read = DecodedText.read(path)
    table = _parsed(read.text, file=str(path))
    header = table.header
    wrong = [*table.faults, *_shape_faults(table)]
    faults += wrong
    if header is None or len(wrong) > len(table.faults):
        return ResultTable(path=path, sha256=read.sha256, table=table, header=(), rows=())
    rows = []
    for row in table.rows[1:]:
        if fault := table.length_fault(row):
            faults.append(fault)
        else:
            rows.append(row)
    names = tuple(name.strip() for name in header.fields)
    for index, name in enumerate(names):
        if name in names[:index]:
            message = f"the column {quoted(name)} stands here for the second time"
            faults.append(table.fault(header.place(index), message, "remove one of the two"))
    return ResultTable(path=path, sha256=read.sha256, table=table, header=names, rows=tuple(rows))


def head_rows(head: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of columns and the first row of a table that begins so; () if none is."""
    rows = [row.fields for row in _parsed(head, file="").rows[:2]]
    names, first, *_ = *rows, (), ()
    return tuple(name.strip() for name in names), first


def _parsed(text: str, *, file: str) -> CsvTable:
    first = _FIRST_LINE.search(text)
    counts = Counter(_IN_QUOTES.sub("", first[0] if first else ""))
    if "\t" in counts:
        return CsvTable.parse(text, file=file, separator="\t")
    if counts[";"] <= counts[","]:
        return CsvTable.parse(text, file=file)
    table = CsvTable.parse(text, file=file, separator=";")
    header, rows = table.rows[:1], table.rows[1:]
    pointed = (replace(row, fields=tuple(map(_with_point, row.fields))) for row in rows)
    return replace(table, rows=(*header, *pointed))


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell.strip()) else cell


def _shape_faults(table: CsvTable) -> Iterator[Fault]:
    """Yield why a file is no table of several columns, with rows."""
    header = table.header
    if header is None:
        if not table.faults:
            hint = "write a header, and results below it"
            yield table.fault((1, 1), "the file is empty", hint)
    elif len(header.fields) == 1:
        hint = "separate columns by commas, semicolons or tabs"
        message = f"the header has one column alone, {quoted(header.fields[0])}"
        yield table.fault(header.place(0), message, hint)
    elif len(table.rows) == 1 and not table.faults:
        hint = "write results below it"
        yield table.fault(header.place(0), "there is nothing but a header", hint)


def is_missing(text: str) -> bool:
    """Say whether a cell has no value."""
    return text.strip().lower() in _MISSING


def truth_of(text: str) -> bool | None:
    """Return a truth value; None for what is none."""
    word = text.strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def whole_of(text: str) -> int | None:
    """Return a whole number from 0 up, also one that was written as 7.0; None for what is none."""
    found = _WHOLE.fullmatch(text.strip())
    return int(found[0].partition(".")[0]) if found else None


def number_of(text: str) -> float | None:
    """Return a number, which may be infinite; None for what is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return None if value != value or "_" in text else value  # noqa: PLR0124 - NaN is no number


def hashes(tables: Sequence[ResultTable]) -> list[tuple[str, str]]:
    """Return the names of files with the SHA-256 of their bytes."""
    return [(table.path.name, table.sha256) for table in tables]


def parameters_of(text: str) -> int | None:
    """Return a number of parameters, which may be written as 1.3e9; None for what is none."""
    value = number_of(text)
    if value is None or value <= 0 or not value.is_integer():
        return None
    return whole_of(text) or int(value)


def raise_faults(faults: Sequence[Fault]) -> None:
    """Raise `FaultyFileError` with the faults, if there are any, in order of files and lines."""
    if faults:
        files = list(dict.fromkeys(fault.file for fault in faults))
        ordered = sorted(faults, key=lambda each: (files.index(each.file), each.line, each.column))
        raise FaultyFileError(ordered)
