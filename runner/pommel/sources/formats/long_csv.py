"""SyntaxGym's long CSV: one row a region of a sentence. It has no predictions.

And plain text, a sentence a line: what a suite's sentences look like to a model.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
    faults = decoded.bom_faults(file, strict=strict)
    records = CsvTable.parse(decoded.text, file=file).records(COLUMNS, faults)
    records = [record for record in records if _is_sound(record, faults)]
    _check_region_names(records, faults)
    groups = _grouped(records)
    value = _suite_value(name, records, groups)
    rows = [list(conditions.values()) for conditions in groups.values()]
    # Where rows are left out, because they are faults themselves, only what does not depend on
    # them is complained of.
    is_whole = not _errors(faults)
    for found in Finding.in_document(value) if records else ():
        if is_whole or "regions" in found.path:
            is_warning = found.warning or (found.stray_space and not strict)
            fault = _located(rows, found)
            faults.append(replace(fault, severity="warning") if is_warning else fault)
    faults = Fault.in_order(faults)
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
                what = f"item {item.number} has contexts, for which long CSV has no column"
                raise UsageError(f"{what}; write the suite as JSON")
            for region in condition.regions:
                region_name = region_names.get(region.number, "")
                names = (str(item.number), condition.name, str(region.number), region_name)
                yield CsvTable.line((*names, region.content))


# The rows of each condition of each item, in the order of appearance.
_Grouped = Mapping[int, Mapping[str, Sequence[CsvRow]]]


def _errors(faults: Iterable[Fault]) -> list[Fault]:
    return [fault for fault in faults if fault.severity == "error"]


def _is_sound(record: CsvRow, faults: list[Fault]) -> bool:
    """Say whether a row makes sense; add what is wrong with it to the faults."""
    n_before = len(faults)
    for column, pattern in _NUMBERS.items():
        written = record[column]
        if not pattern.fullmatch(written):
            # Spreadsheets and data frames write whole numbers like this.
            number = re.fullmatch(r"\s*([0-9]{1,18})(\.0*)?\s*", written, re.ASCII)
            hint = f"write {number[1]}" if number else "write a whole number like 1"
            faults.append(record.fault(column, f"the {column} is {written!r}", hint))
    if message := Condition.name_fault(record["condition_name"]):
        faults.append(record.fault("condition_name", message, "write a name like match"))
    return len(faults) == n_before


def _check_region_names(records: Iterable[CsvRow], faults: list[Fault]) -> None:
    first_of: dict[int, CsvRow] = {}
    for record in records:
        number, name = int(record["region_number"]), record["region_name"]
        first = first_of.setdefault(number, record)
        if first["region_name"] != name:
            there = f"{first['region_name']!r} in line {first.line}"
            message = f"region {number} is called {name!r} here, and {there}"
            hint = "a region number has one name in the whole suite"
            faults.append(record.fault("region_name", message, hint))


def _grouped(records: Iterable[CsvRow]) -> _Grouped:
    groups: dict[int, dict[str, list[CsvRow]]] = {}
    for record in records:
        conditions = groups.setdefault(int(record["item_number"]), {})
        conditions.setdefault(record["condition_name"], []).append(record)
    return groups


def _suite_value(name: str, records: Iterable[CsvRow], groups: _Grouped) -> dict[str, object]:
    """Return what the suite's JSON says."""
    region_names = {int(record["region_number"]): record["region_name"] for record in records}
    return {
        "meta": {"name": name, "metric": "sum"},
        "region_meta": {str(number): each for number, each in sorted(region_names.items())},
        "predictions": [],
        "items": [
            {
                "item_number": number,
                "conditions": [
                    {"condition_name": condition, "regions": list(map(_region, rows))}
                    for condition, rows in conditions.items()
                ],
            }
            for number, conditions in groups.items()
        ],
    }


def _region(row: CsvRow) -> dict[str, object]:
    return {"region_number": int(row["region_number"]), "content": row["content"]}


def _located(rows: Sequence[Sequence[Sequence[CsvRow]]], found: Finding) -> Fault:
    """Say in which field of the CSV a finding is."""
    indices = [step for step in found.path if isinstance(step, int)]
    i, j, k = [*indices, 0, 0][:3]
    last = found.path[-1]
    column = str(last) if last in COLUMNS else _COLUMN_AT_DEPTH[len(indices)]
    return rows[i][j][k].fault(column, found.message, found.hint)


def sentence_lines(items: Iterable[Item], joiner: str = " ") -> Iterator[str]:
    """Yield a line, with its line feed, for each condition of each item."""
    for item in items:
        for condition in item.conditions:
            yield f"{condition.sentence(joiner).text}\n"
