"""SyntaxGym's long CSV: one row a region of a sentence. It has no predictions.

And plain text, a sentence a line: what a suite's sentences look like to a model.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pommel.errors import Fault, InputError, SuiteError, UsageError
from pommel.files import CsvRow, CsvTable, DecodedText
from pommel.suite import Condition, Finding, Formula, Item, LoadedSuite, Prediction, Region, Suite

COLUMNS = ("item_number", "condition_name", "region_number", "region_name", "content")

# Python's int would also take 1_000, spaces, and digits of other scripts.
_NUMBERS = {
    "item_number": re.compile(r"-?[0-9]{1,18}"),
    "region_number": re.compile(r"[0-9]{1,18}"),
}


def read_long_csv(
    path: Path, *, name: str = "", predictions: Sequence[str] = (), strict: bool = False
) -> LoadedSuite:
    """Read a suite from a long CSV file; its name is the file's unless `name` is given.

    The rest as `parse_long_csv`. Raises `InputError`, too, for a file that cannot be read.
    """
    decoded = DecodedText.read(path)
    name = name or path.stem
    return _load(decoded, file=str(path), name=name, predictions=predictions, strict=strict)


def parse_long_csv(
    text: str,
    *,
    name: str,
    predictions: Sequence[str] = (),
    strict: bool = False,
    file: str = "<csv>",
) -> LoadedSuite:
    """Read a suite from the text of a long CSV; `file` is its name in messages.

    Every field is the text that stands there: `NA`, `"`, `007`. Items, conditions and regions
    come in the order in which they are first seen; the rows of an item may lie apart. `name` names
    the suite, its metric is the sum, and `predictions` are its formulas. `strict` is as in
    `LoadedSuite.read`: stray spaces and a byte order mark are errors. Raises `SuiteError` with all
    faults, and `InputError` for a name that is empty.
    """
    decoded = DecodedText.of(text)
    return _load(decoded, file=file, name=name, predictions=predictions, strict=strict)


def _load(
    decoded: DecodedText, *, file: str, name: str, predictions: Sequence[str], strict: bool
) -> LoadedSuite:
    if not name:
        raise InputError("a suite needs a name")
    table = CsvTable.parse(decoded.text, file=file)
    faults = [*table.faults, *table.header_faults(COLUMNS)]
    faults += decoded.bom_faults(file, strict=strict)
    cells: list[_Cell] = []
    # Without its columns a table tells nothing of its rows.
    if table.header and set(COLUMNS) <= set(table.header.fields):
        faults += _read_cells(table, cells)
        is_whole = not any(fault.severity == "error" for fault in faults)
        faults += _suite_faults(table, cells, predictions, strict=strict, is_whole=is_whole)
    faults.sort(key=lambda each: _order(each, file))
    if any(fault.severity == "error" for fault in faults):
        raise SuiteError(faults)
    return LoadedSuite(suite=_suite(cells, name, predictions), warnings=tuple(faults))


def suite_to_long_csv(suite: Suite) -> str:
    """Return a suite as long CSV, with line feeds, and quotes only where they are needed.

    What the format has no column for is left out: predictions, meta, and the names of regions
    that no sentence has. A region without a name has an empty one. Raises as `long_csv_pieces`.
    """
    return "".join(long_csv_pieces(suite.items, suite.region_names))


def long_csv_pieces(items: Iterable[Item], region_names: Mapping[int, str]) -> Iterator[str]:
    """Yield the text of the long CSV of some items, piece by piece: the header, then the rows.

    Raises `UsageError` for an item with contexts, without which its sentences would be others.
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
                fields = (
                    str(item.number),
                    condition.name,
                    str(region.number),
                    region_names.get(region.number, ""),
                    region.content,
                )
                yield CsvTable.line(fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """A row that makes sense: one region of a sentence."""

    row: CsvRow
    item: int
    condition: str
    region: int
    region_name: str
    content: str


def _read_cells(table: CsvTable, cells: list[_Cell]) -> list[Fault]:
    """Add all rows that make sense to `cells`; return what is wrong with the others."""
    faults: list[Fault] = []
    first_of: dict[int, _Cell] = {}
    for row in table.rows[1:]:
        wrong = list(_row_faults(table, row))
        faults += wrong
        if wrong:
            continue
        fields = dict(zip(table.rows[0].fields, row.fields, strict=True))
        cell = _Cell(
            row=row,
            item=int(fields["item_number"]),
            condition=fields["condition_name"],
            region=int(fields["region_number"]),
            region_name=fields["region_name"],
            content=fields["content"],
        )
        cells.append(cell)
        first = first_of.setdefault(cell.region, cell)
        if first.region_name != cell.region_name:
            message = (
                f"region {cell.region} is called {cell.region_name!r} here, and "
                f"{first.region_name!r} in line {first.row.line}"
            )
            hint = "a region number has one name in the whole suite"
            faults.append(table.fault(_place(table, row, "region_name"), message, hint))
    return faults


def _row_faults(table: CsvTable, row: CsvRow) -> Iterator[Fault]:
    if fault := table.length_fault(row):
        yield fault
        return
    fields = dict(zip(table.rows[0].fields, row.fields, strict=True))
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


def _grouped(cells: Sequence[_Cell]) -> list[list[list[_Cell]]]:
    """Return the cells by item, condition and region, each in the order of appearance."""
    groups: dict[int, dict[str, list[_Cell]]] = {}
    for cell in cells:
        groups.setdefault(cell.item, {}).setdefault(cell.condition, []).append(cell)
    return [list(conditions.values()) for conditions in groups.values()]


def _suite_faults(
    table: CsvTable,
    cells: Sequence[_Cell],
    predictions: Sequence[str],
    *,
    strict: bool,
    is_whole: bool,
) -> Iterator[Fault]:
    """Yield what is wrong with the suite as a whole.

    Where rows are left out, because they are faults themselves, it is not `is_whole`, and only
    what does not depend on them is complained of.
    """
    if not cells:
        return
    grouped = _grouped(cells)
    for found in Finding.in_document(_document(grouped, predictions)):
        if is_whole or "regions" in found.path:
            is_warning = found.warning or (found.stray_space and not strict)
            fault = _located(table, grouped, found)
            yield replace(fault, severity="warning") if is_warning else fault


def _document(grouped: Sequence[Sequence[Sequence[_Cell]]], predictions: Sequence[str]) -> Any:
    """Return what a suite's JSON says, for the checks that all formats share."""
    return {
        "region_meta": {
            str(cell.region): cell.region_name
            for conditions in grouped
            for regions in conditions
            for cell in regions
        },
        "predictions": [{"formula": formula} for formula in predictions],
        "items": [
            {
                "item_number": conditions[0][0].item,
                "conditions": [
                    {
                        "condition_name": regions[0].condition,
                        "regions": [
                            {"region_number": cell.region, "content": cell.content}
                            for cell in regions
                        ],
                    }
                    for regions in conditions
                ],
            }
            for conditions in grouped
        ],
    }


def _located(
    table: CsvTable, grouped: Sequence[Sequence[Sequence[_Cell]]], found: Finding
) -> Fault:
    """Say in which field of the CSV (or in which formula) a finding is."""
    indices = [step for step in found.path if isinstance(step, int)]
    if found.path[0] == "predictions":
        file = f"prediction {indices[0] + 1}"
        return Fault(
            file=file,
            line=1,
            column=(found.within or 0) + 1,
            path="",
            message=found.message,
            hint=found.hint,
        )
    i, j, k = [*indices, 0, 0][:3]
    column = ("item_number", "condition_name", "region_number")[len(indices) - 1]
    if found.path[-1] in COLUMNS:
        column = str(found.path[-1])
    place = _place(table, grouped[i][j][k].row, column)
    return table.fault(place, found.message, found.hint)


def _suite(cells: Sequence[_Cell], name: str, predictions: Sequence[str]) -> Suite:
    names = {cell.region: cell.region_name for cell in cells}
    return Suite(
        name=name,
        metrics=("sum",),
        region_names=dict(sorted(names.items())),
        predictions=tuple(Prediction(formula=Formula.parse(formula)) for formula in predictions),
        items=tuple(
            Item(
                number=conditions[0][0].item,
                conditions=tuple(
                    Condition(
                        name=regions[0].condition,
                        regions=tuple(
                            Region(number=cell.region, content=cell.content) for cell in regions
                        ),
                    )
                    for regions in conditions
                ),
            )
            for conditions in _grouped(cells)
        ),
        meta={"name": name, "metric": "sum"},
    )


def _order(fault: Fault, file: str) -> tuple[bool, int, int]:
    # Those of the predictions, which are in no file, come last, in the order of these.
    return (False, fault.line, fault.column) if fault.file == file else (True, 0, 0)


def _place(table: CsvTable, row: CsvRow, column: str) -> tuple[int, int]:
    return row.place(table.rows[0].fields.index(column))


def sentences_of(suite: Suite) -> str:
    """Return all sentences of a suite, item by item."""
    return "".join(sentence_lines(suite.items, suite.joiner))


def sentence_lines(items: Iterable[Item], joiner: str = " ") -> Iterator[str]:
    """Yield a line, with its line feed, for each condition of each item."""
    for item in items:
        for condition in item.conditions:
            yield f"{condition.sentence(joiner).text}\n"
