"""Tables of minimal pairs: what their columns say, and how they are read and written again.

A row is a pair, or a sentence of one. A table is CSV, a workbook, JSON (a list of objects, or one a
line) or Parquet; whatever other columns it has are kept. Of a Parquet file no more is held than
some rows. MultiBLiMP's tables (Jumelet et al. 2025) are such: `sen`, `wrong_sen`, tabs.
"""

import contextlib
import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pommel.errors import (
    Fault,
    InputError,
    Place,
    SuiteError,
    UsageError,
    first_line,
    listed,
    nearest,
    quoted,
)
from pommel.files import CsvTable, DecodedText, JsonDocument, JsonPath, TableReading, to_json
from pommel.sources.formats.json_lines import JsonLine, json_text
from pommel.sources.formats.pair_rows import PairRows, Problem, is_sentence, pairs_of
from pommel.sources.formats.set_format import SetFormat, check_columns, first_line_of
from pommel.sources.minimal_sets import MinimalSet
from pommel.values import frozen, positional

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

# What `PairColumns.separator` is for a table that is no CSV.
JSON = "json"
# What a label is called, where nobody says what it means.
_GOOD = {"1", "true", "yes", "good", "grammatical", "acceptable", "correct", "plausible"}
_BAD = {"0", "false", "no", "bad", "incorrect", "wrong", *(f"un{each}" for each in _GOOD)}
_BAD.add("implausible")
_PARQUET = "PAR1"
_ROWS_AT_ONCE = 2_048
_EXAMPLE = '{"good": "...", "bad": "..."}'

# The fields of `PairColumns` that a suite keeps, and what they are in its JSON.
_LISTS, _TEXTS = ("columns", "ids", "contexts"), ("label", "value", "critical", "separator")
_KEPT = {**dict.fromkeys(_LISTS, list), **dict.fromkeys(_TEXTS, str)}

# A column, and the text of a value that a row has there.
Group = tuple[str, str]


def text_of(value: object) -> str:
    """Return what a value is called in messages and options: its text, and 1 for 1.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


@frozen
class PairColumns(PairRows):
    """Which columns say a pair: `columns` are those of the good sentence and of the bad one.

    If there is one of them a row is a sentence; the two of a pair agree in `ids`, and follow one
    another without any. `label` is the column that says which is good: of a pair the first one
    where it has `value`, of two rows the one that has it, or, without `value`, that is called so.
    `contexts` stand before the sentences, one for both or one for each; `critical` has the words at
    which the effect is looked for. `separator` is that of CSV, or "json".
    """

    label: str = ""
    value: str = ""
    ids: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    critical: str = ""
    separator: str = ","

    @property
    def source(self) -> dict[str, object]:
        """What a suite says of the table that it is made of, so that it can be written again."""
        told = {name: getattr(self, name) for name in _KEPT}
        return {name: _KEPT[name](value) for name, value in told.items() if value}

    @classmethod
    def of_source(cls, source: object) -> Self | None:
        """Return the columns of which a suite says so; None if it says nothing of the kind."""
        # A suite that somebody wrote may say anything there.
        if not isinstance(source, dict) or source.get("format") != "pairs":
            return None
        said = {name: source[name] for name in _KEPT if name in source}
        is_sound = all(
            isinstance(value, _KEPT[name]) and all(isinstance(each, str) for each in value)
            for name, value in said.items()
        )
        if not is_sound or len(said.get("columns", ())) not in (1, 2):
            return None
        columns, ids, contexts = (tuple(said.pop(name, ())) for name in _LISTS)
        return cls(columns, ids=ids, contexts=contexts, **said)

    def written_to(self, ending: str) -> Self:
        """Return the columns of a file with an ending, which may say what separates them."""
        separator = {".tsv": "\t", ".jsonl": JSON, ".json": JSON}.get(ending, self.separator)
        if ending == ".csv" and separator in ("\t", JSON):
            separator = ","
        return replace(self, separator=separator)

    @property
    def are_sentences(self) -> bool:
        """Whether a row is a sentence."""
        return len(self.columns) == 1

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that a table has to have."""
        named = (*self.columns, self.label, *self.ids, *self.contexts, self.critical)
        return tuple(dict.fromkeys(filter(None, named)))

    def is_good(self, row: Mapping[str, Any]) -> bool | None:
        """Say whether the sentence of a row, or the first one, is good; None if nobody knows."""
        label = text_of(row.get(self.label)).casefold()
        if self.value:
            return label == self.value.casefold()
        return label in _GOOD if label in _GOOD | _BAD else None

    def problems(self, row: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield what is wrong with the values of a row, or of two rows that are one."""
        for key in dict.fromkeys((*self.columns, *self.contexts)):
            value = row.get(key)
            noun, is_sound = "sentence", is_sentence
            if key in self.contexts:
                noun, is_sound = "context", _is_text
            if not all(map(is_sound, _both(value) if self.are_sentences else [value])):
                yield (key,), f"this is no {noun}", "write its words"

    def pair_of(self, row: Mapping[str, Any]) -> MinimalSet:
        """Return the pair of a row that is sound, or of two rows that are one."""
        found = MinimalSet.of(*self._texts(row, self.columns), fields=row)
        contexts = self._texts(row, self.contexts) if self.contexts else ()
        # Words that only one of the sentences has stand in the contrast.
        critical = row.get(self.critical) if self.critical else ""
        words = critical if isinstance(critical, str) else ""
        return replace(found, contexts=contexts, critical=words)

    def spelt(self, pair: MinimalSet) -> dict[str, object]:
        """Return what a row, or two that are one, says of a pair."""
        found: dict[str, object] = {}
        order = -1 if self._is_turned(pair.fields or {}) else 1
        for names, texts in ((self.columns, pair.sentences), (self.contexts, pair.contexts)):
            if len(names) == 1 and texts:
                found[names[0]] = texts[0] if len({*texts}) == 1 else [*texts]
            else:
                found |= dict(zip(names, texts[::order], strict=False))
        return found

    def parse_csv(self, text: str, file: str) -> list[MinimalSet]:
        """Return the pairs of a file's text.

        Raises `SuiteError` with every fault: broken quotes, a column that is missing or comes
        twice, a row with more or fewer fields than the header or without a sentence, no pair.
        """
        table = CsvTable.parse(text, file=file, separator=self.separator)
        pairs = TablePairs(table=PairTable.of_csv(table, self.columns), columns=self)
        pairs.check()
        return [*pairs]

    def lines(self, sets: Iterable[MinimalSet]) -> Iterator[str]:
        """Yield the lines of a table of pairs, whose columns are those of the first row.

        In CSV values that are no text are written as pandas does (`True`, nothing for null), lists
        and objects as JSON. Raises `InputError` for a pair with other columns than the first one.
        """
        header: tuple[str, ...] = ()
        for pair in pairs_of(sets):
            whole = self.row(pair, pair.fields or {})
            sides = (0, 1) if self.are_sentences else ()
            rows = [{name: _both(value)[at] for name, value in whole.items()} for at in sides]
            for row in rows or [whole]:
                if self.separator == JSON:
                    yield to_json(row, indent=None)
                    continue
                if not header:
                    header = tuple(row)
                    yield CsvTable.line(header, self.separator)
                check_columns(header, row, f"the pair of {quoted(pair.grammatical)}")
                yield CsvTable.line((_cell(row[column]) for column in header), self.separator)
        if not header and self.separator != JSON:
            yield CsvTable.line(self.columns, self.separator)

    def _texts(self, row: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
        """Return the texts of some columns, that of the good sentence first."""
        if len(names) == 1:
            return tuple(_both(row[names[0]]))
        texts = tuple(row[name] for name in names)
        return texts[::-1] if self._is_turned(row) else texts

    def _is_turned(self, row: Mapping[str, Any]) -> bool:
        if not self.label or self.are_sentences or self.label not in row:
            return False
        return not self.is_good(row)


@positional
class TableRow:
    """What a row says under each name; `fault` returns what is wrong with what it says there.

    `text_faults` has what is wrong with columns of text.
    """

    cells: Mapping[str, Any]
    fault: Callable[[str, str, str], Fault]
    text_faults: Callable[[Sequence[str]], Iterable[Fault]] = lambda _: ()


@frozen
class PairTable:
    """A table in a file: its columns, the separator of CSV or "json", and what is wrong with it.

    `rows` reads its rows, or those of a group, each time anew.
    """

    file: str
    names: tuple[str, ...]
    separator: str
    faults: tuple[Fault, ...]
    rows: Callable[[Group | None], Iterator[TableRow]]

    @classmethod
    def read(cls, path: Path, reading: TableReading | None = None) -> Self:
        """Read a table; what it is, is told by how it begins, and of JSON by the ending, too.

        Raises `InputError` for a file that cannot be read, and `UsageError` without what reads it.
        """
        head = DecodedText.head(path).lstrip()
        faults: list[Fault] = []
        if head.startswith(_PARQUET):
            with _parquet(path) as file:
                names = [*file.schema_arrow.names]
            separator, rows = ",", partial(_parquet_rows, path)
            for name in {each for each in names if names.count(each) > 1}:
                message = f"the column {name!r} is there more than once"
                faults.append(Fault(file=str(path), message=message, hint="remove all but one"))
        elif head.startswith(("{", "[")) or path.suffix.lower() in (".json", ".jsonl"):
            found = _json_rows(path, faults)
            names = [*dict.fromkeys(name for row in found for name in row.cells)]
            separator, rows = JSON, partial(_of_group, lambda: iter(found))
        else:
            return cls.of_csv((reading or TableReading()).table(path))
        return cls(
            file=str(path),
            names=tuple(names),
            separator=separator,
            faults=tuple(faults),
            rows=rows,
        )

    @classmethod
    def of_csv(cls, table: CsvTable, required: Sequence[str] = ()) -> Self:
        """Return the rows of a table, which has to have some columns."""
        faults: list[Fault] = []
        records = table.records(required, faults, others_allowed=True)
        return cls(
            file=table.file,
            names=table.header.fields if table.header else (),
            separator=table.separator or ",",
            faults=tuple(faults),
            rows=partial(
                _of_group,
                lambda: (TableRow(row.cells, row.fault, row.text_faults) for row in records),
            ),
        )

    def check_name(self, name: str) -> None:
        """Raise `UsageError` for a column that it does not have."""
        if name in self.names or self.faults:
            return
        meant = nearest(name, self.names)
        hint = f"did you mean {meant!r}? " if meant else ""
        there = listed([*map(repr, self.names)], most=20)
        raise UsageError(f"{self.file}: there is no column {name!r}; {hint}it has {there}")


@frozen
class TablePairs:
    """The pairs of a table, or of a group of its rows, which are made anew each time."""

    table: PairTable
    columns: PairColumns
    group: Group | None = None

    def __iter__(self) -> Iterator[MinimalSet]:
        return (self.columns.read(row.cells) for row in self.rows([]))

    def check(self) -> None:
        """Raise `SuiteError` with every fault of the table, and for one without a pair.

        Raises `UsageError` for a column that it does not have, and for a label of pairs that has
        not the value, or more than two of them.
        """
        file, columns = self.table.file, self.columns
        for name in columns.needed:
            self.table.check_name(name)
        faults = list(self.table.faults)
        labels: dict[str, None] = {}
        n_rows = n_barred = 0
        for row in self.rows(faults):
            n_rows += 1
            n_barred += all("|" in text_of(row.cells.get(name)) for name in columns.columns)
            for (key,), what, hint in columns.problems(row.cells):
                faults.append(row.fault(str(key), what, hint))
            if len(faults) >= CsvTable.MOST_FAULTS:
                break
            # A third value is one too many, and enough.
            if columns.label and not columns.are_sentences and len(labels) <= len(columns.columns):
                labels[text_of(row.cells.get(columns.label))] = None
        if not n_rows and not faults:
            hint = "write a pair a row, or two rows for each"
            faults.append(Place(file=file).fault("there is no pair of sentences", hint))
        if n_rows and n_barred == n_rows:
            hint = f"`pommel suites new NAME.json --from {shlex.quote(file)}` makes regions of them"
            faults.append(Place(file=file).fault("all sentences have bars between regions", hint))
        if faults:
            raise SuiteError(Fault.in_order(faults))
        if labels and (columns.value not in labels or len(labels) > len(columns.columns)):
            there = listed([*map(repr, labels)])
            good = columns.columns[0]
            example = shlex.quote(f"{columns.label}={next(iter(labels))}")
            raise UsageError(
                f"{file}: the column {columns.label!r} has {there}; say which of two values it has "
                f"where {good!r} is the good sentence, as in --label {example}"
            )

    def rows(self, faults: list[Fault]) -> Iterator[TableRow]:
        """Yield rows that are a pair, or two that are one; add what is none to the faults."""
        columns, texts = self.columns, (*self.columns.columns, *self.columns.contexts)
        # No more than those whose other row is still to come.
        waiting: dict[tuple[str, ...], TableRow] = {}
        for row in self.table.rows(self.group):
            faults += row.text_faults(texts)
            if not columns.are_sentences:
                yield row
                continue
            key = tuple(text_of(row.cells.get(name)) for name in columns.ids)
            other = waiting.pop(key, None)
            if other is None:
                waiting[key] = row
                continue
            is_good = columns.is_good(row.cells)
            if is_good is None or is_good == columns.is_good(other.cells):
                there = [repr(text_of(each.cells.get(columns.label))) for each in (other, row)]
                what = f"two rows of a pair have {listed(there)} here"
                hint = f"--label {shlex.quote(columns.label)}=VALUE says what the good one has"
                faults.append(row.fault(columns.label, what, hint))
                continue
            good, bad = (row, other) if is_good else (other, row)
            yield TableRow(_merged(good.cells, bad.cells), row.fault)
        for row in waiting.values():
            how = f"agree in {listed(columns.ids)}" if columns.ids else "follow one another"
            hint = f"the two rows of a pair {how}"
            faults.append(row.fault(columns.columns[0], "this row has no other one", hint))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _both(value: object) -> Sequence[Any]:
    """Return what two rows say that are one: two values, or twice what they share."""
    both = (value, value)
    return value if isinstance(value, list) and len(value) == len(both) else both


def _merged(good: Mapping[str, Any], bad: Mapping[str, Any]) -> dict[str, object]:
    """Return two rows as one; where they differ, or have lists, it has a list of both values."""
    merged = {}
    for name in {**good, **bad}:
        both = [good.get(name), bad.get(name)]
        is_shared = both[0] == both[1] and [*map(type, both)] != [list, list]
        merged[name] = both[0] if is_shared else both
    return merged


def _of_group(rows: Callable[[], Iterator[TableRow]], group: Group | None) -> Iterator[TableRow]:
    return (row for row in rows() if group is None or str(row.cells.get(group[0])) == group[1])


def _json_rows(path: Path, faults: list[Fault]) -> list[TableRow]:
    text, file = DecodedText.read(path).text, str(path)
    if not text.lstrip().startswith("["):
        lines, wrong = JsonLine.parse(text, file=file, example=_EXAMPLE)
        faults += wrong
        return [_json_row(each.value, each.fault) for each in lines]
    document = JsonDocument.parse(text, file=file, expected=f"write [{_EXAMPLE}, ...]")
    faults += [*document.duplicate_key_faults(), *document.surrogate_faults()]
    rows = []
    for at, value in enumerate(document.value):
        if isinstance(value, dict):
            rows.append(_json_row(value, document.fault, (at,)))
        else:
            faults.append(document.fault((at,), "this is no object", hint=f"write {_EXAMPLE}"))
    return rows


def _json_row(
    value: Mapping[str, Any], fault: Callable[..., Fault], path: JsonPath = ()
) -> TableRow:
    def at(column: str, message: str, hint: str) -> Fault:
        return fault((*path, column) if column in value else path, message, hint=hint)

    return TableRow(value, at)


@contextlib.contextmanager
def _parquet(path: Path) -> "Iterator[ParquetFile]":
    if find_spec("pyarrow") is None:
        raise UsageError(f"Parquet needs pyarrow: {UsageError.install('parquet')}")
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            yield file
    except (ArrowException, OSError) as error:
        what = f"this is no Parquet that can be read ({first_line(error)})"
        raise InputError(f"{path}: {what}") from None


def _parquet_rows(path: Path, group: Group | None) -> Iterator[TableRow]:
    number = 0
    with _parquet(path) as file:
        for batch in file.iter_batches(_ROWS_AT_ONCE):
            chosen = batch
            if group:
                values = batch.column(group[0]).to_pylist()
                chosen = batch.filter([str(each) == group[1] for each in values])
            for cells in chosen.to_pylist():
                number += 1
                plain = {str(name): _plain(value) for name, value in cells.items()}
                yield TableRow(plain, partial(_row_fault, path, number))


def _row_fault(path: Path, number: int, column: str, message: str, hint: str) -> Fault:
    return Fault(file=str(path), message=message, hint=hint, path=f"row {number:,}, {column}")


def _plain(value: object) -> object:
    """Return a value of Parquet as JSON has it: no number for what is none, text for dates."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [*map(_plain, value)]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, bool | str) else json_text(value)


_MULTIBLIMP = PairColumns(("sen", "wrong_sen"), separator="\t")


def _is_multiblimp(text: str) -> bool:
    header = first_line_of(text)
    return {*_MULTIBLIMP.columns} <= {*header.replace('"', "").split("\t")}


MULTIBLIMP = SetFormat(
    name="multiblimp",
    endings=(".tsv",),
    parse=_MULTIBLIMP.parse_csv,
    pieces=_MULTIBLIMP.lines,
    is_like=_is_multiblimp,
)
