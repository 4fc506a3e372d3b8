"""Suites as tables: SyntaxGym's long CSV, a row a region of a sentence, and workbooks of it.

What that table has no columns for stands in two others, `predictions` and `meta`: sheets of the
workbook, or files beside the CSV. And plain text, a sentence a line: what a suite's sentences look
like to a model.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from pommel.errors import Fault, InputError, Place, SuiteError, UsageError, counted, listed, nearest
from pommel.files import (
    CsvRow,
    CsvTable,
    DecodedText,
    JsonPath,
    TableReading,
    parse_json,
)
from pommel.sources.formats.json_lines import json_text
from pommel.suite import Condition, Finding, Item, LoadedSuite, PublishedSuite, Suite
from pommel.values import positional

COLUMNS = ("item_number", "condition_name", "region_number", "region_name", "content")

# A row an item has at least two sentences.
_LEAST_COLUMNS = 2
# Where a region says what stands before it.
_JOINER = "region.joiner"
# What else an item, a condition or a region says stands in columns such as `condition.context`.
_FURTHER = re.compile(r"(item|condition|region)\.(.+)", re.DOTALL)
_SUITE = "suite."
# What is no part of the regions, and has sheets or files of its own.
PARTS = _PREDICTIONS, _META = "predictions", "meta"
# These are text, whatever is written there: a version 1.0, an empty joiner.
_TEXTS = ("name", "language", "joiner", "version", "license", "circuit")
_TEXTS_OF_PREDICTION = ("formula", "description", "metric")

# Python's int would also take 1_000, spaces, and digits of other scripts.
_NUMBERS = {
    "item_number": re.compile(r"-?[0-9]{1,18}"),
    "region_number": re.compile(r"[0-9]{1,18}"),
}
_LEVELS = ("item", "condition", "region")


def read_long_csv(
    path: Path,
    *,
    strict: bool = False,
    reading: TableReading | None = None,
    about: Mapping[str, Any] | None = None,
    predictions: Sequence[str] = (),
) -> LoadedSuite:
    """Read a suite from a long CSV file or a workbook.

    Predictions and `meta` are read from sheets of these names, in any letters, and the regions from
    the first other one, unless `reading` names it; of `suite.csv`, they stand beside it in
    `suite.predictions.csv` and `suite.meta.csv`, if there are such files. `about` is put into
    `meta`, instead of what stands there, and the predictions (formulas) are those given, if any
    are. A suite without a name has the file's, and its metric is the sum.

    Every field is the text that stands there: `NA`, `"`, `007`. Items, conditions and regions
    come in the order in which they are first seen; the rows of an item may lie apart. `strict` is
    as in `LoadedSuite.read`: stray spaces and a byte order mark are errors. Raises `SuiteError`
    with all faults, and `InputError` for a file that cannot be read.
    """
    reading = reading or TableReading()
    table, others, unread = reading.tables(path, PARTS)
    for part in PARTS:
        beside = path.with_name(f"{path.stem}.{part}{path.suffix}")
        if part not in others and beside.is_file():
            others[part] = replace(reading, separator="", sheet="").table(beside)
    with path.open("rb") as stream:
        start = stream.read(3).decode("utf-8", "replace")
    faults = DecodedText.of(start).bom_faults(str(path), strict=strict)
    if not reading.separator and path.suffix.lower() != ".tsv":
        faults += table.separator_warnings
    if unread:
        message = f"not read: {counted(len(unread), 'sheet')} more ({listed(unread)})"
        hint = "--sheet of `pommel convert` names the one with the regions"
        faults.append(Fault(file=str(path), message=message, hint=hint, severity="warning"))
    if other := _other_table(table, path):
        raise SuiteError([other])
    tables = _SuiteTables(table, others, about or {}, predictions, faults)
    return tables.loaded(path.stem, strict=strict)


def _other_table(table: CsvTable, path: Path) -> Fault | None:
    """Return what is wrong with a table of sentences, None for one of regions.

    It has none of the columns, nor others that are called nearly so.
    """
    names = table.header.fields if table.header else ()
    numbers, *own = COLUMNS
    others = [name.lower() for name in names if name.lower() != numbers]
    if len(names) < _LEAST_COLUMNS or any(nearest(name, own) for name in others):
        return None
    has_bars = any("|" in cell for row in table.rows[1:] for cell in row.fields)
    file = shlex.quote(str(path))
    hint = f"`pommel suites new NAME.json --from {file}` makes a suite of a row an item"
    if not has_bars:
        hint += f", and `pommel convert {file} -o NAME.json` of pairs"
    missing = listed([*map(repr, own)], most=len(own))
    message = f"this is no table with a row a region: it has no columns {missing}"
    return table.rows[0].place(0).fault(message, hint)


@positional
class _SuiteTables:
    """The tables of a suite and what is said beside them; what is wrong is added to `faults`.

    `others` may be predictions and meta.
    """

    regions: CsvTable
    others: Mapping[str, CsvTable]
    about: Mapping[str, Any]
    formulas: Sequence[str]
    faults: list[Fault]
    # Where what is not of the regions stands in the suite's JSON, and in the tables.
    places: dict[JsonPath, tuple[CsvRow, str]] = field(default_factory=dict)

    def loaded(self, name: str, *, strict: bool) -> LoadedSuite:
        """Return the suite; it has this name if nothing else says one."""
        faults, header = self.faults, self.regions.header
        further = [each for each in (header.fields if header else ()) if _FURTHER.fullmatch(each)]
        records = self.regions.records((*COLUMNS, *further), faults)
        records = [record for record in records if _is_sound(record, faults)]
        _check_region_names(records, faults)
        groups = _grouped(records)
        meta, beside = self._meta()
        region_names = {int(each["region_number"]): each["region_name"] for each in records}
        if not PublishedSuite.usual_joiner(str(self.about.get("language", ""))):
            meta.setdefault("joiner", "")
        value = {
            "meta": {
                "name": name,
                "metric": "sum",
                **meta,
                **self.about,
            },
            "region_meta": {str(number): each for number, each in sorted(region_names.items())},
            "predictions": self._predictions(),
            "items": [self._item(number, each) for number, each in groups.items()],
            **beside,
        }
        rows = [list(conditions.values()) for conditions in groups.values()]
        # Where rows are left out, because they are faults themselves, only what does not depend on
        # them is complained of.
        is_whole = not _errors(faults)
        for found in LoadedSuite.findings(value) if records else ():
            if is_whole or "regions" in found.path or _META in found.path:
                is_warning = found.warning or (found.stray_space and not strict)
                fault = self._located(rows, found)
                faults.append(replace(fault, severity="warning") if is_warning else fault)
        faults = Fault.in_order(faults)
        if _errors(faults):
            raise SuiteError(faults)
        return LoadedSuite(suite=Suite.from_dict(value), warnings=tuple(faults))

    def _meta(self) -> tuple[dict[str, object], dict[str, object]]:
        """Return what the suite says of itself in `meta`, and beside it."""
        meta: dict[str, object] = {}
        beside: dict[str, object] = {}
        table = self.others.get(_META)
        for row in table.records(("key", "value"), self.faults) if table else ():
            self.faults.extend(row.text_faults(row.names))
            key, text = row["key"], row["value"]
            path = (key.removeprefix(_SUITE),) if key.startswith(_SUITE) else (_META, key)
            if path in self.places:
                message = f"{key!r} stands here for the second time"
                self.faults.append(row.fault("key", message, "remove one of the two"))
            self.places[path] = (row, "value")
            within = beside if len(path) == 1 else meta
            within[path[-1]] = text if key in _TEXTS else _value_of(text)
        for key in self.about:
            self.places.pop((_META, key), None)
        return meta, beside

    def _predictions(self) -> list[dict[str, object]]:
        predictions: list[dict[str, object]]
        predictions = [{"type": "formula", "formula": formula} for formula in self.formulas]
        table = self.others.get(_PREDICTIONS)
        # A sheet may be there, and still be empty.
        if predictions or not table or len(table.rows) == 1:
            return predictions
        for row in table.records(("formula",), self.faults, others_allowed=True):
            self.faults.extend(row.text_faults(row.names))
            path = (_PREDICTIONS, len(predictions))
            self.places[path] = (row, "formula")
            self.places.update({(*path, name): (row, name) for name in row.names})
            said = {
                name: text if name in _TEXTS_OF_PREDICTION else _value_of(text)
                for name, text in row.cells.items()
                if text
            }
            predictions.append({"type": "formula", **said})
        return predictions

    def _item(self, number: int, conditions: Mapping[str, Sequence[CsvRow]]) -> dict[str, object]:
        rows = [row for each in conditions.values() for row in each]
        return {
            "item_number": number,
            **self._further("item", rows),
            "conditions": [
                {
                    "condition_name": name,
                    **self._further("condition", own),
                    "regions": [
                        {
                            "region_number": int(row["region_number"]),
                            "content": row["content"],
                            **self._further("region", [row]),
                        }
                        for row in own
                    ],
                }
                for name, own in conditions.items()
            ],
        }

    def _further(self, level: str, rows: Sequence[CsvRow]) -> dict[str, object]:
        """Return what rows say of what they are of, beside the columns that every table has."""
        said: dict[str, object] = {}
        for column in rows[0].names:
            if not column.startswith(f"{level}."):
                continue
            written = [row for row in rows if row[column]]
            for row in written:
                if row[column] != written[0][column]:
                    message = f"the {level} has another {column!r} in line {written[0].line}"
                    self.faults.append(row.fault(column, message, "say the same, or say it once"))
            if written:
                said[column.removeprefix(f"{level}.")] = _value_of(written[0][column])
        return said

    def _located(self, rows: Sequence[Sequence[Sequence[CsvRow]]], found: Finding) -> Fault:
        """Say where in the tables a finding is."""
        for n_steps in (3, 2, 1):
            if found.path[:n_steps] in self.places:
                row, column = self.places[found.path[:n_steps]]
                return row.fault(column, found.message, found.hint)
        lists = ("items", "conditions", "regions")
        depth = next(
            (n for n, each in enumerate(lists) if found.path[2 * n : 2 * n + 1] != (each,)), 3
        )
        if not depth:
            return Place(file=self.regions.file).fault(found.message, found.hint)
        indices = [each for each in found.path[1 : 2 * depth : 2] if isinstance(each, int)]
        i, j, k = [*indices, 0, 0][:3]
        row = rows[i][j][k]
        key = str(found.path[2 * depth]) if len(found.path) > 2 * depth else ""
        columns = (key, f"{_LEVELS[depth - 1]}.{key}", COLUMNS[depth - 1])
        column = next(each for each in columns if each in row.names)
        return row.fault(column, found.message, found.hint)


def _value_of(text: str) -> object:
    """Return what a cell says: JSON if it is any, and otherwise the text."""
    try:
        return parse_json(text)
    except InputError:
        return text


def _text_of(value: object) -> str:
    """Return the cell that says a value; an empty one would say nothing."""
    if isinstance(value, str) and value and _value_of(value) == value:
        return value
    return json_text(value)


def suite_sheets(
    head: Mapping[str, Any], items: Iterable[Mapping[str, Any]]
) -> dict[str, list[list[str | int]]]:
    """Return the rows of a workbook's sheets, from the JSON of a suite and that of its items.

    All of the suite is in them, and `read_long_csv` reads it again. Regions have the names of
    `region_meta`, which is written itself only where that is not all there is to it.
    """
    names = {int(number): name for number, name in head["region_meta"].items()}
    rows: list[dict[str, str | int]] = []
    for item in items:
        of_item = _said("item", item, ("item_number", "conditions"))
        for condition in item["conditions"]:
            own = of_item | _said("condition", condition, ("condition_name", "regions"))
            of_item = {}
            for region in condition["regions"]:
                number = int(region["region_number"])
                row = {
                    "item_number": int(item["item_number"]),
                    "condition_name": condition["condition_name"],
                    "region_number": number,
                    "region_name": names.get(number, ""),
                    "content": region["content"],
                }
                rows.append(row | own | _said("region", region, ("region_number", "content")))
                own = {}
    predictions = [
        {
            key: value if key in _TEXTS_OF_PREDICTION else _text_of(value)
            for key, value in each.items()
            if (key, value) != ("type", "formula")
        }
        for each in head["predictions"]
    ]
    meta = [
        {"key": key, "value": value if key in _TEXTS else _text_of(value)}
        for key, value in head["meta"].items()
    ]
    used = {str(row["region_number"]): str(row["region_name"]) for row in rows}
    rest = {
        key: value for key, value in head.items() if key not in ("items", "predictions", "meta")
    }
    if used == rest["region_meta"]:
        del rest["region_meta"]
    meta += [{"key": f"{_SUITE}{key}", "value": _text_of(value)} for key, value in rest.items()]
    sheets = {"regions": _table(COLUMNS, rows), _META: _table(("key", "value"), meta)}
    if predictions:
        sheets[_PREDICTIONS] = _table(("formula",), predictions)
    return sheets


def _said(level: str, value: Mapping[str, Any], known: Collection[str]) -> dict[str, str]:
    return {f"{level}.{key}": _text_of(each) for key, each in value.items() if key not in known}


def _table(
    columns: Sequence[str], rows: Sequence[Mapping[str, str | int]]
) -> list[list[str | int]]:
    """Return a header, of these columns first, and rows."""
    header = list(dict.fromkeys([*columns, *(key for row in rows for key in row)]))
    return [[*header], *([row.get(name, "") for name in header] for row in rows)]


def long_csv_pieces(
    items: Iterable[Item], region_names: Mapping[int, str], *, has_joiners: bool = False
) -> Iterator[str]:
    """Yield the text of the long CSV of some items, piece by piece: the header, then the rows.

    There are line feeds, and quotes only where they are needed. What the format has no column for
    is left out: predictions, meta, and the names of regions that no sentence has. A region without
    a name has an empty one. `has_joiners` says that regions may have joiners of their own, for
    which there is a column then, as in a workbook. Raises `UsageError` for an item with contexts,
    without which its sentences would be others.
    """
    yield CsvTable.line((*COLUMNS, _JOINER) if has_joiners else COLUMNS)
    for item in items:
        for condition in item.conditions:
            if condition.context:
                what = f"item {item.number} has contexts, for which long CSV has no column"
                raise UsageError(f"{what}; write the suite as JSON")
            for region in condition.regions:
                region_name = region_names.get(region.number, "")
                names = (str(item.number), condition.name, str(region.number), region_name)
                joiner = "" if region.joiner is None else _text_of(region.joiner)
                yield CsvTable.line((*names, region.content, *([joiner] if has_joiners else ())))


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
            if not written:
                hint += "; of merged cells the first one alone has it"
            faults.append(record.fault(column, f"the {column} is {written!r}", hint))
    if message := Condition.name_fault(record["condition_name"]):
        faults.append(record.fault("condition_name", message, "write a name like match"))
    faults += record.text_faults(each for each in record.names if each not in _NUMBERS)
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


def sentence_lines(items: Iterable[Item], joiner: str = " ") -> Iterator[str]:
    """Yield a line, with its line feed, for each condition of each item."""
    for item in items:
        for condition in item.conditions:
            yield f"{condition.sentence(joiner).text}\n"
