"""Tables of results, CSV, TSV or JSON Lines: columns, and rows that know where cells stand."""

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pommel.errors import Fault, Place, SuiteError, counted, listed, nearest, quoted
from pommel.files import CsvRow, CsvTable, DecodedText, JsonPath
from pommel.sources import JsonLine
from pommel.values import frozen

# What R, pandas and people write for a value that is missing.
_MISSING = frozenset({"", "na", "nan", "null", "none", "n/a", "#n/a", "<na>"})
_TRUTHS = {
    **dict.fromkeys(("true", "t", "1", "1.0", "yes"), True),
    **dict.fromkeys(("false", "f", "0", "0.0", "no"), False),
}
_WHOLE = re.compile(r"[0-9]{1,18}(?:\.0+)?")
_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]*,[0-9]+(?:[eE][-+]?[0-9]+)?")
_EXAMPLE = '{"model": "...", "suite": "...", "item": 1, "result": true}'


@frozen
class ResultTable:
    """A table with a header; `sha256` is that of the file's bytes. Every row has all fields.

    `faults` has what is wrong with it and with other files.
    """

    path: Path
    sha256: str
    table: CsvTable
    header: tuple[str, ...]
    rows: tuple[CsvRow, ...]

    faults: list[Fault] = field(repr=False)

    def refuse(self, row: CsvRow, index: int, message: str, hint: str) -> None:
        """Note what is wrong with a field."""
        self.faults.append(row.place(index).fault(message, hint))

    def refuse_column(self, index: int, message: str, hint: str) -> None:
        """Note what is wrong with a column."""
        self.refuse(self.table.rows[0], index, message, hint)

    def refuse_all(self, message: str, hint: str) -> None:
        """Note what is wrong with the table."""
        self.faults.append(self.table.start.fault(message, hint))


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells by what they are: `columns` are where they stand, `said` what stands in none.

    It has (`in`) what is not missing.
    """

    table: ResultTable
    columns: Mapping[str, int]
    said: Mapping[str, str]
    row: CsvRow

    def __contains__(self, column: str) -> bool:
        return (column in self.said or column in self.columns) and not is_missing(self[column])

    def __getitem__(self, column: str) -> str:
        said = self.said.get(column)
        return self.row.fields[self.columns[column]].strip() if said is None else said

    def refuse(self, column: str, message: str, hint: str) -> None:
        """Note what is wrong with a cell; with the row, where none is named."""
        self.table.refuse(self.row, self.columns.get(column, 0), message, hint)

    @property
    def where(self) -> str:
        """The file's name and the line."""
        return f"{Path(self.row.file).name}, line {self.row.line}"


@frozen
class _JsonRow(CsvRow):
    """An object of JSON Lines; its fields are what the paths lead to."""

    line_of_json: JsonLine
    paths: Sequence[JsonPath]

    def place(self, index: int) -> Place:
        """Return where field `index` begins."""
        path = self.paths[index] if index < len(self.paths) else ()
        fault = self.line_of_json.fault(path, "", "")
        return Place(file=fault.file, line=fault.line, column=fault.column)


def read_table(path: Path, faults: list[Fault], columns: Collection[str] = ()) -> ResultTable:
    """Read a table, separated by tabs, semicolons or commas, or JSON Lines as one.

    Between semicolons a comma is a decimal point, as where Excel writes such files. Of JSON Lines
    the columns are the keys with plain values, and those of `columns` that are paths (`probs.0`: of
    an object or list the first value). What is wrong is added to `faults`, and rows that are no
    rows of the table are left out of it. Raises `InputError` for a file that cannot be read.
    """
    read = DecodedText.read(path)
    if read.text.lstrip().startswith("{"):
        table, header, rows = _json_rows(read.text, str(path), columns, faults)
    else:
        table = _parsed(read.text, file=str(path))
        header, rows = _csv_rows(table, faults)
    return ResultTable(
        path=path, sha256=read.sha256, table=table, header=header, rows=rows, faults=faults
    )


def head_of(head: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of columns and the first row of a table that begins so; () if none is."""
    if head.lstrip().startswith("{"):
        first = head.lstrip().partition("\n")[0]
        try:
            lines, _ = JsonLine.parse(first, file="", example="")
        except SuiteError:
            lines = []
        return tuple(lines[0].value) if lines else (), ()
    rows = [row.fields for row in _parsed(head, file="").rows[:2]]
    names, cells, *_ = *rows, (), ()
    return tuple(name.strip() for name in names), cells


def _csv_rows(table: CsvTable, faults: list[Fault]) -> tuple[tuple[str, ...], tuple[CsvRow, ...]]:
    """Return the header and the rows of a table, () if it is none of several columns."""
    header = table.header
    faults += table.faults
    message = hint = ""
    if header is None:
        message, hint = "the file is empty", "write a header, and results below it"
    elif len(header.fields) == 1:
        message = f"the header has one column alone, {quoted(header.fields[0])}"
        hint = "separate columns by commas, semicolons or tabs"
    elif len(table.rows) == 1 and not table.faults:
        message, hint = "there is nothing but a header", "write results below it"
    if message and not (header is None and table.faults):
        faults.append((header.place(0) if header else table.start).fault(message, hint))
    if message or header is None:
        return (), ()
    names = tuple(name.strip() for name in _plain(header).fields)
    for index, name in enumerate(names):
        if name in names[:index]:
            message = f"the column {quoted(name)} stands here for the second time"
            faults.append(header.place(index).fault(message, "remove one of the two"))
    wrong = {row.line: fault for row in table.rows if (fault := table.length_fault(row))}
    faults += wrong.values()
    return names, tuple(_plain(row) for row in table.rows[1:] if row.line not in wrong)


def _plain(row: CsvRow) -> CsvRow:
    """Return a row with the texts that our own CSVs have guarded from spreadsheets."""
    if "'" not in row.text:
        return row
    return replace(row, fields=tuple(map(CsvTable.text_of_cell, row.fields)))


def _parsed(text: str, *, file: str) -> CsvTable:
    table = CsvTable.parse(text, file=file, separator=CsvTable.separator_in(text))
    if table.separator != ";":
        return table
    header, rows = table.rows[:1], table.rows[1:]
    pointed = (replace(row, fields=tuple(map(_with_point, row.fields))) for row in rows)
    return replace(table, rows=(*header, *pointed))


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell.strip()) else cell


def _json_rows(
    text: str, file: str, columns: Collection[str], faults: list[Fault]
) -> tuple[CsvTable, tuple[str, ...], tuple[CsvRow, ...]]:
    lines, wrong = JsonLine.parse(text, file=file, example=_EXAMPLE)
    faults += wrong
    plain = (
        key
        for line in lines
        for key, value in line.value.items()
        if not isinstance(value, dict | list)
    )
    paths = (
        name
        for name in columns
        if "." in name and any(_at(line.value, name)[1] is not None for line in lines)
    )
    header = tuple(dict.fromkeys([*plain, *paths]))
    rows = []
    for line in lines:
        places, values = zip(*(_at(line.value, name) for name in header), strict=True)
        fields = tuple(map(_text, values))
        rows.append(
            _JsonRow(
                file=file,
                line=line.number,
                text=line.text,
                fields=fields,
                line_of_json=line,
                paths=places,
            )
        )
    # What is wrong with the columns stands where the first object does.
    head = CsvRow(file=file, line=1, text="", fields=header)
    return CsvTable(file=file, rows=(head,), faults=()), header, tuple(rows)


def _at(value: Mapping[str, object], name: str) -> tuple[JsonPath, object]:
    """Return what a key or a path leads to, None for nothing, and how far it leads."""
    if name in value:
        return (name,), value[name]
    where: list[str | int] = []
    found: object = value
    for step in name.split("."):
        children = dict(enumerate(found)) if isinstance(found, list) else found
        if not isinstance(children, dict):
            return tuple(where), None
        # Of an object a number is a place, too.
        at = int(step) if step.isdecimal() else len(children)
        places = [step] if step in children else [*children][at : at + 1]
        if not places:
            return tuple(where), None
        where += places
        found = children[places[0]]
    return tuple(where), found


def _text(value: object) -> str:
    """Return a value as a cell; of a list or object the number of its members."""
    if isinstance(value, dict | list):
        return str(len(value))
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(getattr(value, "text", value))


def is_missing(text: str) -> bool:
    """Say whether a cell has no value."""
    return text.strip().lower() in _MISSING


def truth_of(text: str) -> bool | None:
    """Return a truth value; None for what is none."""
    return _TRUTHS.get(text.strip().lower())


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


def parameters_of(text: str) -> int | None:
    """Return a number of parameters, which may be written as 1.3e9; None for what is none."""
    value = number_of(text)
    if value is None or value <= 0 or not value.is_integer():
        return None
    return whole_of(text) or int(value)


# So much of a name has to be right for it to be a misspelt one: `margin_bit`, `Circuit`.
_MISSPELT = 0.85
# More columns than these are not named.
_MOST_NAMED = 20


def found_columns(
    table: ResultTable,
    names: Mapping[str, Sequence[str]],
    required: Collection[str],
) -> dict[str, int]:
    """Return where columns stand: by what they are, of the names that each may have.

    One that is required and not there is a fault, and so is a name that none of them has and that
    is like one which is not there.
    """
    found = {
        column: table.header.index(name)
        for column, known in names.items()
        if (name := next((each for each in known if each in table.header), None)) is not None
    }
    if not table.header:
        return found
    others = [name for index, name in enumerate(table.header) if index not in found.values()]
    for column in required:
        if column not in found:
            meant = _like(names[column], others)
            if meant:
                others.remove(meant)
            message = f"there is no column {' or '.join(map(repr, names[column]))}"
            mend = f"rename {meant!r}" if meant else "add it"
            said = shlex.quote(f"{column}={meant}") if meant else f"{column}=NAME"
            table.refuse_all(message, f"{mend}, or say which one it is: --column {said}")
    for column in names:
        if column in found or column in required:
            continue
        if meant := _like(names[column], others, likeness=_MISSPELT):
            said = shlex.quote(f"{column}={meant}")
            hint = f"did you mean {column!r}? Rename it, say --column {said}, or remove it"
            table.refuse_column(table.header.index(meant), f"{meant!r} means nothing", hint)
    return found


def _like(known: Sequence[str], others: Sequence[str], *, likeness: float = 0.6) -> str:
    """Return which of the other names was probably meant for a known one, "" if none."""
    plain = {name.casefold().replace(" ", "_").replace("-", "_"): name for name in others}
    found = (nearest(name, plain, likeness=likeness) for name in known)
    return next((plain[each] for each in found if each), "")


def left_out(unused: Iterable[str]) -> Iterator[str]:
    """Yield a line that names columns which mean nothing here, none if there are none."""
    names = list(dict.fromkeys(unused))
    if not names:
        return
    columns = f"the column{'s' if len(names) > 1 else ''} {listed(names, most=_MOST_NAMED)}"
    count = f" ({counted(len(names), 'column')})" if len(names) > _MOST_NAMED else ""
    yield f"left out {columns}{count}, which mean{'' if len(names) > 1 else 's'} nothing here"
