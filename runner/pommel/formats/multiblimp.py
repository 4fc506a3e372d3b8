"""MultiBLiMP's TSV (Jumelet et al. 2025): `sen`, `wrong_sen`, and columns that say what they test.

Which columns there are differs from release to release; all of them are kept, as text. Published
files are written by pandas, and so is what is written here: tabs, and double quotes around what
holds a tab, a quote or a line break.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pommel.errors import Fault, InputError, SuiteError
from pommel.formats.csv_rows import CsvRow, CsvTable, fault_at, parse_csv
from pommel.formats.json_lines import json_text
from pommel.formats.pair_rows import has_words, kept_fields, pairs_of, whole_row
from pommel.formats.set_format import SetFormat
from pommel.minimal_sets import MinimalSet
from pommel.text_file import read_text, without_bom
from pommel.wording import counted, listed, nearest, quoted

_GOOD, _BAD = "sen", "wrong_sen"


def multiblimp_lines(sets: Iterable[MinimalSet]) -> Iterator[str]:
    """Yield the header, then a line for each pair.

    The columns are those of the first pair; without any there are the two sentences. Values that
    are no text are written as pandas does (`True`, nothing for null), lists and objects as JSON.
    Raises `InputError` for a pair with other columns than the first one.
    """
    header: tuple[str, ...] = ()
    line = _line_writer()
    for pair in pairs_of(sets):
        fields = pair.fields or {}
        spelt = _spelt(pair)
        kept = all(has_words(fields.get(key, text), text) for key, text in spelt.items())
        row = whole_row(fields, spelt, as_kept=kept)
        if not header:
            header = tuple(row)
            yield line(header)
        elif row.keys() != frozenset(header):
            raise InputError(_other_columns(row, header, pair))
        yield line(_cell(row[column]) for column in header)
    if not header:
        yield line((_GOOD, _BAD))


def parse_multiblimp(text: str, *, file: str) -> list[MinimalSet]:
    """Return the pairs of a file's text.

    Raises `SuiteError` with every fault: broken quotes, a column that is missing or comes twice, a
    row with more or fewer fields than the header, without a sentence, or with the same twice, and
    a text without a pair.
    """
    table = parse_csv(without_bom(text).text, file=file, separator="\t")
    faults = list(table.faults)
    pairs: list[MinimalSet] = []
    for row, found in _checked_rows(table):
        faults += found
        if not found:
            pairs.append(_pair(row))
    if not pairs and not faults:
        hint = f"its first line names the columns, {_GOOD} and {_BAD}; the pairs stand below"
        faults = [fault_at(table, (1, 1), "there is no minimal pair", hint)]
    if faults:
        raise SuiteError(sorted(faults, key=lambda fault: (fault.line, fault.column)))
    return pairs


def _checked_rows(table: CsvTable) -> Iterator[tuple[dict[str, str], list[Fault]]]:
    """Yield each row by its columns, and what is wrong with it; the header only if it is wrong."""
    # As long as a header's quotes are broken, nobody knows which columns there are.
    if not table.rows or (table.faults and table.faults[0].line < table.rows[0].line):
        return
    header, *rows = table.rows
    found = list(_header_faults(table, header))
    if found:
        yield {}, found
        return
    good, bad = header.fields.index(_GOOD), header.fields.index(_BAD)
    for row in rows:
        found = list(_row_faults(table, row, len(header.fields), good, bad))
        yield dict(zip(header.fields, row.fields, strict=False)), found


def _header_faults(table: CsvTable, header: CsvRow) -> Iterator[Fault]:
    names = header.fields
    for column in (_GOOD, _BAD):
        if column not in names:
            meant = nearest(column, (each for each in names if each not in (_GOOD, _BAD)))
            hint = f"rename {meant!r}" if meant else "name it in the first line, between tabs"
            yield fault_at(table, header.place(0), f"there is no column {column!r}", hint)
    for index, name in enumerate(names):
        if name in names[:index]:
            message = f"the column {name!r} stands here for the second time"
            yield fault_at(table, header.place(index), message, "remove one of the two")


def _row_faults(
    table: CsvTable, row: CsvRow, n_columns: int, good: int, bad: int
) -> Iterator[Fault]:
    if len(row.fields) != n_columns:
        fields = counted(len(row.fields), "field")
        message = f"this row has {fields}, and the header has {n_columns}"
        hint = "put text that holds a tab between double quotes"
        yield fault_at(table, row.place(0), message, hint)
        return
    for index in (good, bad):
        if not row.fields[index].strip():
            hint = "write its words"
            yield fault_at(table, row.place(index), "this is no sentence", hint)
    if has_words(row.fields[bad], row.fields[good]) and row.fields[bad].strip():
        hint = "write what is ungrammatical"
        yield fault_at(table, row.place(bad), "both sentences are the same", hint)


def _pair(row: Mapping[str, str]) -> MinimalSet:
    pair = MinimalSet.of(row[_GOOD], row[_BAD])
    fields = kept_fields(row, _spelt(pair))
    return MinimalSet(pair.before, pair.form, pair.others, pair.after, fields)


def _spelt(pair: MinimalSet) -> dict[str, str]:
    return {_GOOD: pair.grammatical, _BAD: pair.ungrammatical[0]}


def _other_columns(row: Mapping[str, Any], header: tuple[str, ...], pair: MinimalSet) -> str:
    where = f"the pair of {quoted(pair.grammatical)}"
    missing = [column for column in header if column not in row]
    if missing:
        return (
            f"{where} has no {listed(missing)}; all pairs of a table have the first one's columns"
        )
    more = [column for column in row if column not in header]
    return f"{where} has {listed(more)}, and the first one has not; a table has one set of columns"


def _cell(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value)
    return value if isinstance(value, str) else json_text(value)


class _Written:
    """What a `csv.writer` may write to: its `writerow` returns the line."""

    def write(self, text: str) -> str:
        return text


def _line_writer() -> Callable[[Iterable[str]], str]:
    # With both characters at the ends of its lines, it puts either of them between quotes.
    writer = csv.writer(_Written(), delimiter="\t", lineterminator="\r\n")

    def line(fields: Iterable[str]) -> str:
        written: Any = writer.writerow(fields)
        return f"{written[:-2]}\n"

    return line


def _is_like(text: str) -> bool:
    columns = text.lstrip("\r\n").splitlines()[:1]
    names = columns[0].replace('"', "").split("\t") if columns else []
    return _GOOD in names and _BAD in names


MULTIBLIMP = SetFormat(
    name="multiblimp",
    title="MultiBLiMP's TSV",
    endings=(".tsv",),
    read=lambda path: parse_multiblimp(read_text(path).text, file=str(path)),
    pieces=multiblimp_lines,
    is_like=_is_like,
)
