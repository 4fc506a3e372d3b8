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
        """Read a table with a header, which says what separates its columns.

        `key` and `value` name the columns of the key and of the number, by default the first and
        the second one; `more_keys` are columns of text that may be missing. Other columns are
        passed over. Keys are told apart by all of these. Raises `InputError` for a file that cannot
        be read, `FaultyFileError` with all faults: a missing column, an empty key, one that comes
        twice, what is no number.
        """
        text = DecodedText.read(path).text
        table = CsvTable.parse(text, file=str(path), separator=CsvTable.separator_in(text))
        header = table.header.fields if table.header else ()
        key = key or (header[0] if header else "key")
        value = value or (header[1] if len(header) > 1 else "value")
        faults: list[Fault] = []
        missing = [name for name in (key, value) if header and name not in header]
        required = [name for name in (key, value) if name not in missing]
        records = table.records(required, faults, others_allowed=True)
        first = table.rows[0] if header else None
        if first and not any(fault.line == first.line for fault in faults):
            # Which columns are meant may be the user's choice: what there is says more than what
            # to write.
            hint, place = f"there are {listed(header, most=8)}", first.place(0)
            faults += [place.fault(f"there is no column {name!r}", hint) for name in missing]
        keys = (key, *(name for name in more_keys if name in header))
        rows: dict[tuple[str, ...], float] = {}
        lines: dict[tuple[str, ...], int] = {}
        for row in () if missing else records:
            own = tuple(row[name].strip() for name in keys)
            wrong = [*_faults(row, key, value, lines.get(own))]
            faults += wrong
            if not wrong:
                lines[own] = row.line
                rows[own] = float(row[value].strip() or math.nan)
        if faults:
            raise FaultyFileError(Fault.in_order(faults))
        return cls(file=str(path), value_column=value, rows=rows)

    def by_key(self) -> dict[str, float]:
        """Return the numbers by the first key."""
        return {keys[0]: number for keys, number in self.rows.items()}


def _faults(row: CsvRow, key: str, value: str, line: int | None) -> Iterator[Fault]:
    """Yield what is wrong with a row; `line` has a number for its keys already, None for none."""
    name, written = row[key].strip(), row[value].strip()
    if not name:
        yield row.fault(key, f"the {key} is missing", "write one")
    elif line:
        message = f"{quoted(name)} has a number in line {line} already"
        yield row.fault(key, message, "remove one of the two")
    if written and not is_number(written):
        hint = "write one like 0.5, and nothing where it is not known"
        yield row.fault(value, f"{quoted(written)} is no number", hint)


def is_number(text: str) -> bool:
    """Say whether a field is a finite number, as people and other programs write one."""
    try:
        # Python would read 1_000 as a number, and nobody else.
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False
