"""Lexicons: CSV files whose columns are features, put together."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pommel.errors import Fault, FaultyFileError
from pommel.formats.csv_rows import CsvRow, CsvTable, fault_at, parse_csv
from pommel.grammar.lexicon_template.tree import NOT_APPLICABLE, Literal
from pommel.grammar.place import Place
from pommel.text_file import read_text
from pommel.wording import counted, listed, quoted

# The features that a row has, by column; what is not applicable is not there.
Cells = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Row:
    """A row of a lexicon. `columns` are those of its file, `written` is where it stands there."""

    cells: Cells
    file: str
    columns: tuple[str, ...]
    written: CsvRow

    @property
    def name(self) -> str:
        """What a message calls it: its first cell that is not empty."""
        return next(iter(self.cells.values()), "")

    def place(self, column: str | None = None) -> Place:
        """Return where a cell stands, or the row if its file has no such column."""
        index = self.columns.index(column) if column in self.columns else 0
        line, at = self.written.place(index)
        return Place(file=self.file, line=line, column=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """The rows of all files, in the order of the template; columns in the order of the files."""

    files: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def names(self) -> str:
        """What messages call it: the names of its files."""
        return " and ".join(Path(each).name for each in self.files)


def read_lexicons(files: Sequence[Literal], folder: Path) -> tuple[Lexicon, list[Fault]]:
    """Return the rows of some files, and what is wrong with them.

    `files` are their names as a template in `folder` has them. Raises `InputError` for a file that
    the system refuses to read.
    """
    faults: list[Fault] = []
    rows: list[Row] = []
    for each in files:
        path = folder / each.text
        if not path.is_file():
            what = f"there is no file {quoted(each.text)}"
            faults.append(each.place.fault(what, "a lexicon is found from the template's folder"))
            continue
        try:
            table = parse_csv(read_text(path).text, file=str(path))
        except FaultyFileError as error:
            faults += error.faults
            continue
        found = [*table.faults, *_header_faults(table), *_length_faults(table)]
        faults += sorted(found, key=lambda fault: (fault.line, fault.column))
        rows += _rows(table)
    faults += _repetitions(rows)
    columns = dict.fromkeys(column for row in rows for column in row.columns)
    names = tuple(str(folder / each.text) for each in files)
    return Lexicon(files=names, columns=tuple(columns), rows=tuple(rows)), faults


def _rows(table: CsvTable) -> Iterator[Row]:
    """Yield the rows that have as many fields as the header."""
    if not table.rows:
        return
    columns = tuple(_clean(name) for name in table.rows[0].fields)
    for each in table.rows[1:]:
        if len(each.fields) != len(columns):
            continue
        cells = zip(columns, map(_clean, each.fields), strict=True)
        yield Row(
            cells={column: cell for column, cell in cells if cell not in ("", NOT_APPLICABLE)},
            file=table.file,
            columns=columns,
            written=each,
        )


def _clean(field: str) -> str:
    return " ".join(field.split())


def _header_faults(table: CsvTable) -> Iterator[Fault]:
    if not table.rows:
        if not table.faults:
            what = "the file is empty"
            yield fault_at(table, (1, 1), what, "its first line names the features: word,category")
        return
    header = table.rows[0]
    names = [_clean(name) for name in header.fields]
    if len(names) == 1 and (separator := re.search(r"[;\t|]", header.fields[0])):
        what = f"the columns are separated by {separator[0]!r}"
        yield fault_at(table, (1, 1), what, "separate them by commas")
        return
    for index, name in enumerate(names):
        place = header.place(index)
        if not name:
            yield fault_at(table, place, "this column has no name", "name its feature")
        elif name in names[:index]:
            what = f"the column {name!r} stands here for the second time"
            yield fault_at(table, place, what, "remove one of the two")
    if len(table.rows) == 1 and not table.faults:
        what = "there is nothing but a header"
        yield fault_at(table, header.place(0), what, "write some rows")


def _length_faults(table: CsvTable) -> Iterator[Fault]:
    n_columns = len(table.rows[0].fields) if table.rows else 0
    for row in table.rows[1:]:
        n = len(row.fields)
        if n != n_columns:
            what = f"this row has {counted(n, 'field')}, the header has {n_columns}"
            hint = "remove what is too much, or put text with a comma between quotes"
            if n < n_columns:
                missing = table.rows[0].fields[n:]
                hint = f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing"
                hint += "; write _ for what does not apply"
            yield fault_at(table, row.place(min(n, n_columns)), what, hint)


def _repetitions(rows: Sequence[Row]) -> Iterator[Fault]:
    first: dict[frozenset[tuple[str, str]], Row] = {}
    for row in rows:
        key = frozenset(row.cells.items())
        before = first.setdefault(key, row)
        if before is not row:
            where = f"line {before.written.line}"
            if before.file != row.file:
                where += f" of {Path(before.file).name}"
            what = f"this row is the same as {where}"
            yield row.place().fault(what, "remove it; its items would come twice")
