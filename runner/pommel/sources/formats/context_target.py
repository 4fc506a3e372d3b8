"""Targets with their left contexts: a table with such columns, or the JSON of minimal pairs."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pommel.errors import Fault, SuiteError
from pommel.files.csv import CsvRow, CsvTable
from pommel.files.json import JsonDocument
from pommel.files.text import lines, read_text, without_bom
from pommel.sources.formats.context_pairs import context_pairs, context_pairs_document

CONTEXT, TARGET = "context", "target"


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetTable:
    """The rows of a file, one a (context, target).

    `columns` names the fields, of which two are "context" and "target". `has_labels` says that rows
    come in twos: an item's good target, then its bad one.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    has_labels: bool = False

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(context, target) of each row."""
        context, target = self.columns.index(CONTEXT), self.columns.index(TARGET)
        return [(row[context], row[target]) for row in self.rows]


def read_targets(path: Path) -> TargetTable:
    """Read a file; raises `InputError` if it cannot be read, and as `parse_targets` does."""
    return parse_targets(read_text(path).text, file=str(path))


def parse_targets(text: str, *, file: str) -> TargetTable:
    """Read targets from a file's text; `file` is its name in messages.

    What begins with a bracket is JSON: a list of items
    `[[context, context], [good target, bad target]]`, as Kryvosheieva and Levy publish their
    suites; its columns are "item" (from 1), "label" ("good" or "bad"), "context", "target".
    Anything else is a table with a header, separated by tabs if there is one in the header and by
    commas otherwise. Its fields are the text that stands there (`NA`, `007`), with double quotes
    around what holds a separator, a quote or a line break; it keeps all its columns.

    Raises `SuiteError` with all faults.
    """
    text = without_bom(text).text
    if text.lstrip()[:1] in ("[", "{"):
        return _from_json(context_pairs_document(text, file=file))
    return _from_table(text, file)


def _from_json(document: JsonDocument) -> TargetTable:
    rows: list[tuple[str, ...]] = []
    for number, (contexts, targets) in enumerate(context_pairs(document), start=1):
        for label, context, target in zip(("good", "bad"), contexts, targets, strict=True):
            rows.append((str(number), label, context, target))
    return TargetTable(
        columns=("item", "label", CONTEXT, TARGET), rows=tuple(rows), has_labels=True
    )


def _from_table(text: str, file: str) -> TargetTable:
    header = next(iter(lines(text.lstrip("\r\n"))), "")
    table = CsvTable.parse(text, file=file, separator="\t" if "\t" in header else ",")
    faults = [*table.faults, *table.header_faults((CONTEXT, TARGET), others_allowed=True)]
    if table.header and {CONTEXT, TARGET} <= {*table.header.fields}:
        faults += (fault for row in table.rows[1:] for fault in _row_faults(table, row))
    if faults:
        raise SuiteError(sorted(faults, key=lambda fault: (fault.line, fault.column)))
    columns, *rows = (row.fields for row in table.rows)
    return TargetTable(columns=columns, rows=tuple(rows))


def _row_faults(table: CsvTable, row: CsvRow) -> Iterator[Fault]:
    if fault := table.length_fault(row):
        yield fault
        return
    target = table.rows[0].fields.index(TARGET)
    if not row.fields[target].strip():
        place = row.place(target)
        yield table.fault(place, "the target is empty", "write the words to score")
