"""Tables that a user gives beside the results: a number for each key, in CSV or TSV."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pommel.errors import Fault, FaultyFileError, listed, quoted
from pommel.files import CsvRow, CsvTable, DecodedText
from pommel.values import frozen


@frozen
class GivenTable:
    """The numbers of a table by its keys, NaN where a field is empty; and what they are called."""

    file: str
    value_column: str
    rows: Mapping[tuple[str, ...], float]

    @classmethod
    def read(
        cls, path: Path, *, key: str = "", value: str = "", more_keys: Sequence[str] = ()
    ) -> "GivenTable":
        """Read a table with a header; a tab in its first line says that tabs separate its columns.

        `key` and `value` name the columns of the key and of the number, by default the first and
        the second one; `more_keys` are columns of text that may be missing. Other columns are
        passed over. Keys are told apart by all of these. Raises `InputError` for a file that cannot
        be read, `FaultyFileError` with all faults: a missing column, an empty key, one that comes
        twice, what is no number.
        """
        text = DecodedText.read(path).text
        separator = "\t" if "\t" in text.partition("\n")[0] else ","
        table = CsvTable.parse(text, file=str(path), separator=separator)
        header = table.header.fields if table.header else ()
        key = key or (header[0] if header else "key")
        value = value or (header[1] if len(header) > 1 else "value")
        faults = [*table.faults, *_header_faults(table, key, value)]
        rows: dict[tuple[str, ...], float] = {}
        if key in header and value in header:
            keys = (key, *(name for name in more_keys if name in header))
            places = [header.index(name) for name in (*keys, value)]
            faults += _read(table, places, rows)
        if faults:
            raise FaultyFileError(Fault.in_order(faults))
        return cls(file=str(path), value_column=value, rows=rows)

    def by_key(self) -> dict[str, float]:
        """Return the numbers by the first key."""
        return {keys[0]: number for keys, number in self.rows.items()}


def _header_faults(table: CsvTable, key: str, value: str) -> list[Fault]:
    header = table.header
    if header is None:
        return [*table.header_faults((key, value), others_allowed=True)]
    # Which columns are meant may be the user's choice: what there is says more than what to write.
    missing = [name for name in (key, value) if name not in header.fields]
    there = [name for name in (key, value) if name not in missing]
    faults = [*table.header_faults(there, others_allowed=True)]
    if faults:
        return faults
    hint = f"there are {listed(header.fields, most=8)}"
    return [header.place(0).fault(f"there is no column {name!r}", hint) for name in missing]


def _read(
    table: CsvTable, places: Sequence[int], rows: dict[tuple[str, ...], float]
) -> Iterator[Fault]:
    """Put the sound rows into `rows`, and yield what is wrong with the others."""
    lines: dict[tuple[str, ...], int] = {}
    for row in table.rows[1:]:
        if fault := table.length_fault(row):
            yield fault
            continue
        faults = [*_faults(table, row, places, lines)]
        yield from faults
        if not faults:
            *keys, written = (row.fields[place].strip() for place in places)
            lines[tuple(keys)] = row.line
            rows[tuple(keys)] = float(written) if written else math.nan


def _faults(
    table: CsvTable, row: CsvRow, places: Sequence[int], lines: Mapping[tuple[str, ...], int]
) -> Iterator[Fault]:
    *keys, written = (row.fields[place].strip() for place in places)
    column = table.rows[0].fields[places[0]]
    if not keys[0]:
        yield row.place(places[0]).fault(f"the {column} is missing", "write one")
    elif tuple(keys) in lines:
        message = f"{quoted(keys[0])} has a number in line {lines[tuple(keys)]} already"
        yield row.place(places[0]).fault(message, "remove one of the two")
    if written and not _is_number(written):
        hint = "write one like 0.5, and nothing where it is not known"
        yield row.place(places[-1]).fault(f"{quoted(written)} is no number", hint)


def _is_number(text: str) -> bool:
    try:
        # Python would read 1_000 as a number, and nobody else.
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False
