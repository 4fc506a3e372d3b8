"""SyntaxGym's long CSV: one row a region of a sentence. It has no predictions.

And plain text, a sentence a line: what a suite's sentences look like to a model.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pommel.errors import Fault, InputError, SuiteError, UsageError
from pommel.files import CsvRow, CsvTable, DecodedText
from pommel.suite import Condition, Finding, Item, LoadedSuite, Suite

COLUMNS = ("item_number", "condition_name", "region_number", "region_name", "content")

# Python's int would also take 1_000, spaces, and digits of other scripts.
_NUMBERS = {
    "item_number": re.compile(r"-?[0-9]{1,18}"),
    "region_number": re.compile(r"[0-9]{1,18}"),
}
# Which column a finding is in, by how many of item, condition and region its path names.
_COLUMN_AT_DEPTH = ("", "item_number", "condition_name", "region_number")


def read_long_csv(path: Path, *, name: str = "", strict: bool = False) -> LoadedSuite:
    """Read a suite from a long CSV file; its name is the file's unless `name` is given.

    The rest as `parse_long_csv`. Raises `InputError`, too, for a file that cannot be read.
    """
    decoded = DecodedText.read(path)
    return parse_long_csv(decoded, name=name or path.stem, strict=strict, file=str(path))


def parse_long_csv(
    text: str | DecodedText, *, name: str, strict: bool = False, file: str = "<csv>"
) -> LoadedSuite:
    """Read a suite from the text of a long CSV; `file` is its name in messages.

    Every field is the text that stands there: `NA`, `"`, `007`. Items, conditions and regions
    come in the order in which they are first seen; the rows of an item may lie apart. `name` names
    the suite, and its metric is the sum. `strict` is as in `LoadedSuite.read`: stray spaces and a
    byte order mark are errors. Raises `SuiteError` with all faults, and `InputError` for a name
    that is empty.
    """
    if not name:
        raise InputError("a suite needs a name")
    decoded = DecodedText.of(text) if isinstance(text, str) else text
    table = CsvTable.parse(decoded.text, file=file)
    faults = [*table.faults, *table.header_faults(COLUMNS)]
    faults += decoded.bom_faults(file, strict=strict)
    value: dict[str, object] = {}
    # Without its columns a table tells nothing of its rows.
    if table.header and set(COLUMNS) <= set(table.header.fields):
        cells = _read_cells(table, faults)
        items = _grouped(cells)
        value = _suite_value(name, cells, items)
        # Where rows are left out, because they are faults themselves, only what does not depend on
        # them is complained of.
        is_whole = not _errors(faults)
        for found in Finding.in_document(value) if cells else ():
            if is_whole or "regions" in found.path:
                is_warning = found.warning or (found.stray_space and not strict)
                fault = _located(table, items, found)
                faults.append(replace(fault, severity="warning") if is_warning else fault)
    faults.sort(key=lambda fault: (fault.line, fault.column))
    if _errors(faults):
        raise SuiteError(faults)
    return LoadedSuite(suite=Suite.from_dict(value), warnings=tuple(faults))


def long_csv_pieces(items: Iterable[Item], region_names: Mapping[int, str]) -> Iterator[str]:
    """Yield the text of the long CSV of some items, piece by piece: the header, then the rows.

    There are line feeds, and quotes only where they are needed. What the format has no column for
    is left out: predictions, meta, and the names of regions that no sentence has. A region without
    a name has an empty one. Raises `UsageError` for an item with contexts, without which its
    sentences would be others.
    """
    yield CsvTable.line(COLUMNS)
    for item in items:
        for condition in item.conditions:
            if condition.context:
                raise UsageError(
                    f"item {item.number} has contexts, for which long CSV has no column; "
                    "write the suite as JSON"
                )
            for region in condition.regions:
                region_name = region_names.get(region.number, "")
                names = (str(item.number), condition.name, str(region.number), region_name)
                yield CsvTable.line((*names, region.content))


@dataclass(frozen=True, slots=True)
class _Cell:
    """A row that makes sense, one region of a sentence, and its fields by their columns."""

    row: CsvRow
    fields: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.fields[column]


# By item, condition and region, each in the order of appearance.
_Grouped = Sequence[Sequence[Sequence[_Cell]]]


def _errors(faults: Iterable[Fault]) -> list[Fault]:
    return [fault for fault in faults if fault.severity == "error"]


def _read_cells(table: CsvTable, faults: list[Fault]) -> list[_Cell]:
    """Return all rows that make sense; add what is wrong with the others to the faults."""
    cells: list[_Cell] = []
    first_of: dict[int, _Cell] = {}
    for row in table.rows[1:]:
        wrong = list(_row_faults(table, row))
        faults += wrong
        if wrong:
            continue
        cell = _Cell(row, _fields(table, row))
        cells.append(cell)
        number = int(cell["region_number"])
        first = first_of.setdefault(number, cell)
        if first["region_name"] != cell["region_name"]:
            message = (
                f"region {number} is called {cell['region_name']!r} here, and "
                f"{first['region_name']!r} in line {first.row.line}"
            )
            hint = "a region number has one name in the whole suite"
            faults.append(table.fault(_place(table, row, "region_name"), message, hint))
    return cells


def _row_faults(table: CsvTable, row: CsvRow) -> Iterator[Fault]:
    if fault := table.length_fault(row):
        yield fault
        return
    fields = _fields(table, row)
    for column, pattern in _NUMBERS.items():
        written = fields[column]
        if not pattern.fullmatch(written):
            # Spreadsheets and data frames write whole numbers like this.
            number = re.fullmatch(r"\s*([0-9]{1,18})(\.0*)?\s*", written, re.ASCII)
            hint = f"write {number[1]}" if number else "write a whole number like 1"
            message = f"the {column} is {written!r}"
            yield table.fault(_place(table, row, column), message, hint)
    if message := Condition.name_fault(fields["condition_name"]):
        place = _place(table, row, "condition_name")
        yield table.fault(place, message, "write a name like match")


def _grouped(cells: Iterable[_Cell]) -> _Grouped:
    groups: dict[int, dict[str, list[_Cell]]] = {}
    for cell in cells:
        conditions = groups.setdefault(int(cell["item_number"]), {})
        conditions.setdefault(cell["condition_name"], []).append(cell)
    return [list(conditions.values()) for conditions in groups.values()]


def _suite_value(name: str, cells: Iterable[_Cell], items: _Grouped) -> dict[str, object]:
    """Return what the suite's JSON says."""
    region_names = {int(cell["region_number"]): cell["region_name"] for cell in cells}
    return {
        "meta": {"name": name, "metric": "sum"},
        "region_meta": {str(number): each for number, each in sorted(region_names.items())},
        "predictions": [],
        "items": [
            {
                "item_number": int(conditions[0][0]["item_number"]),
                "conditions": [
                    {
                        "condition_name": regions[0]["condition_name"],
                        "regions": [
                            {
                                "region_number": int(cell["region_number"]),
                                "content": cell["content"],
                            }
                            for cell in regions
                        ],
                    }
                    for regions in conditions
                ],
            }
            for conditions in items
        ],
    }


def _located(table: CsvTable, items: _Grouped, found: Finding) -> Fault:
    """Say in which field of the CSV a finding is."""
    indices = [step for step in found.path if isinstance(step, int)]
    i, j, k = [*indices, 0, 0][:3]
    last = found.path[-1]
    column = str(last) if last in COLUMNS else _COLUMN_AT_DEPTH[len(indices)]
    place = _place(table, items[i][j][k].row, column)
    return table.fault(place, found.message, found.hint)


def _fields(table: CsvTable, row: CsvRow) -> dict[str, str]:
    return dict(zip(table.rows[0].fields, row.fields, strict=True))


def _place(table: CsvTable, row: CsvRow, column: str) -> tuple[int, int]:
    return row.place(table.rows[0].fields.index(column))


def sentence_lines(items: Iterable[Item], joiner: str = " ") -> Iterator[str]:
    """Yield a line, with its line feed, for each condition of each item."""
    for item in items:
        for condition in item.conditions:
            yield f"{condition.sentence(joiner).text}\n"
