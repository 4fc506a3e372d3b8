"""Targets with their left contexts: a table with such columns, or the JSON of minimal pairs."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pommel.errors import InputError
from pommel.formats.context_pairs import context_pairs
from pommel.json_document import JsonDocument, parse_document
from pommel.text_file import read_text, without_bom
from pommel.wording import counted, nearest

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

    Raises `InputError` with all faults, each with its line, and `SuiteError` with their columns,
    too, for JSON.
    """
    text = without_bom(text).text
    if text.lstrip()[:1] in ("[", "{"):
        return _from_json(parse_document(text, file=file))
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
    lines = list(_csv_lines(text, file))
    if not lines:
        message = f"{file}: the file is empty"
        raise InputError(f"{message}; its first line names the columns, {CONTEXT} and {TARGET}")
    (line, header), *rows = lines
    faults = [(line, each) for each in _header_faults(header)] or [
        (number, each) for number, row in rows for each in _row_faults(header, row)
    ]
    if not faults and not rows:
        faults = [(line, "there is nothing but a header; write some rows")]
    if faults:
        raise InputError("\n".join(f"{file}:{number}: {each}" for number, each in faults))
    return TargetTable(columns=tuple(header), rows=tuple(tuple(row) for _, row in rows))


def _csv_lines(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the line in which it begins; blank lines are no rows."""
    header = io.StringIO(text.lstrip("\r\n"), newline="").readline()
    separator, kind = ("\t", "TSV") if "\t" in header else (",", "CSV")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            hint = 'between quotes, a quote that is part of the text is written ""'
            raise InputError(f"{file}:{line}: this is not {kind}: {error}; {hint}") from None
        if row:
            yield line, row


def _header_faults(header: Sequence[str]) -> Iterator[str]:
    if len(header) == 1 and (separator := re.search("[;|]", header[0])):
        yield f"the columns are separated by {separator[0]!r}; separate them by tabs or commas"
        return
    for column in (CONTEXT, TARGET):
        if column not in header:
            meant = nearest(column, header)
            hint = f"rename {meant!r}" if meant else "name it in the first line"
            yield f"there is no column {column!r}; {hint}"
    for column in dict.fromkeys(header):
        if header.count(column) > 1:
            yield f"the column {column!r} stands here twice; remove one of the two"


def _row_faults(header: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    if len(row) != len(header):
        hint = "put text that holds a separator between quotes"
        fields = counted(len(row), "field")
        yield f"this row has {fields}, and the header has {len(header)}; {hint}"
    elif not row[header.index(TARGET)].strip():
        yield "the target is empty; write the words to score"
