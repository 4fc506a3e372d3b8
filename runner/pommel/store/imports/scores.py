"""Tables of the scores of sentences, as tables of results, which follow from two of them each.

The scores are natural logarithms, as PyTorch has them: `logprob`, of which the grammatical sentence
needs more, or `loss`, of which it needs less. They stand in two columns of an item's row
(`loss_good`, `loss_bad`), or in one column of two rows that follow one another, of which `class`
says which is which (correct, wrong). Where that column is named by a pattern, every column that
matches is a model.

A published format is a recipe: what its columns are, and what the folders of its files say.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pommel.errors import Fault, SuiteError, listed, quoted
from pommel.files import CsvRow, CsvTable, DecodedText, JsonPath
from pommel.sources import JsonLine
from pommel.statistics import CHANCE
from pommel.store.imports.result_format import (
    ImportOptions,
    ResultTable,
    is_missing,
    number_of,
    read_table,
)

# Kinds of scores, and what the logarithm of a probability is multiplied by to be one.
_KINDS = {"logprob": 1, "loss": -1}
_CLASS = "class"
_N_TOKENS = ("n_tokens_good", "n_tokens_bad")
# What such columns are; they are called so unless somebody says otherwise.
SCORE_NAMES: dict[str, tuple[str, ...]] = {
    name: (name,)
    for name in (
        *(f"{kind}{side}" for kind in _KINDS for side in ("", "_good", "_bad")),
        *_N_TOKENS,
        _CLASS,
    )
}
_GOOD = frozenset({"correct", "good", "grammatical"})
_BAD = frozenset({"wrong", "incorrect", "bad", "ungrammatical"})
# What these columns are usually called.
USUAL_NAMES = {
    "model": ("model", "model_name"),
    "suite": ("suite", "suite_name"),
    "item": ("item_number", "item"),
}
# What follows from the scores, beside `item` where there is no such column.
_MADE = ("result", "margin_bits", "tie", "skipped", "chance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a published format says what `items` needs.

    `columns` maps what a column is to how its files call it, which in JSON Lines is a path
    (`probs.0`). `folders` are what the names of a file's folders say, the innermost first.
    """

    name: str
    columns: Mapping[str, str]
    folders: tuple[str, ...] = ()
    language: str = ""

    def options(self, said: ImportOptions) -> ImportOptions:
        """Return what is said, and, where nothing is, what the recipe says."""
        columns = {**self.columns, **said.columns}
        # A name for all stands for a column.
        columns = {name: each for name, each in columns.items() if not getattr(said, name, "")}
        return replace(
            said,
            columns={**columns, **said.columns},
            language=said.language or self.language,
            source=said.source or self.name,
        )


@dataclass(slots=True)
class Scored:
    """Tables whose results have been made; items are numbered from 1 by model and suite."""

    options: ImportOptions
    recipe: Recipe | None
    faults: list[Fault]
    n_items: Counter[tuple[str, str]] = field(default_factory=Counter)
    n_unequal: Counter[str] = field(default_factory=Counter)

    def read(self, path: Path) -> list[ResultTable]:
        """Read a table, or JSON Lines; return it as tables of results, one for each model that is a
        column. One that has results is returned as it is.

        Raises `InputError` for a file that cannot be read; faults are added to those there are.
        """
        table = _with_folders(_read(path, self.options, self.faults), self.recipe)
        if not is_scored(table.header, self.options):
            return [table]
        found = _columns(table, self.options)
        if isinstance(found, Fault):
            self.faults.append(found)
            return []
        if len(found) > 1 and self.options.model:
            names = listed([each.good for each in found])
            what = f"{len(found)} columns have scores: {names}"
            hint = "leave out --model: they are called like their columns"
            self.faults.append(table.table.fault((1, 1), what, hint))
            return []
        # Of another model's scores nothing has to be said either.
        used = {name for each in found for name in each.names}
        blank = tuple("" if name in used else name for name in table.header)
        return [self._judged(table, each, blank) for each in found]

    def notes(self) -> list[str]:
        """Return of how many items the sentences had different numbers of tokens, by model."""
        return [
            f"{model}: {n_unequal:,} of {self._n_items(model):,} items skipped, whose sentences "
            f"have different numbers of tokens"
            for model, n_unequal in self.n_unequal.items()
        ]

    def _n_items(self, model: str) -> int:
        return sum(n for (each, _), n in self.n_items.items() if each == model)

    def _judged(
        self, table: ResultTable, compared: "_Columns", header: tuple[str, ...]
    ) -> ResultTable:
        made = [*_MADE]
        has_items = bool(self._column(table, "item"))
        if not has_items:
            made.append("item")
        if compared.model:
            made.append("model")
        rows = []
        for good, bad in _pairs(table, compared, self.faults):
            scores = self._scores(table, compared, good, bad)
            if scores is None:
                continue
            cells = _cells(*scores, sign=compared.sign)
            model, suite = self._names(table, compared, good)
            self.n_items[model, suite] += 1
            if self._is_unequal(table, compared, good):
                self.n_unequal[model] += 1
                cells = ("", "", "", "true", str(CHANCE))
            if not has_items:
                cells += (str(self.n_items[model, suite]),)
            if compared.model:
                cells += (compared.model,)
            rows.append(replace(good, fields=(*good.fields, *cells)))
        return replace(table, header=(*header, *made), rows=tuple(rows))

    def _names(self, table: ResultTable, compared: "_Columns", row: CsvRow) -> tuple[str, str]:
        """Return what a row calls its model and suite, "" where it does not."""
        columns = {what: self._column(table, what) for what in ("model", "suite")}
        model, suite = (
            row.fields[table.header.index(name)].strip() if name else ""
            for name in columns.values()
        )
        return self.options.model or compared.model or model, self.options.suite or suite

    def _column(self, table: ResultTable, what: str) -> str:
        """Return what the column of a model, suite or item is called, "" if there is none."""
        said = self.options.columns.get(what)
        names = (said,) if said else USUAL_NAMES[what]
        return next((name for name in names if name in table.header), "")

    def _scores(
        self, table: ResultTable, compared: "_Columns", good: CsvRow, bad: CsvRow
    ) -> tuple[float | None, float | None] | None:
        """Return both scores, None for one that is not there; None if one is no number."""
        scores: list[float | None] = []
        wrong = False
        for row, column in ((good, compared.good), (bad, compared.bad)):
            index = table.header.index(column)
            text = row.fields[index]
            scores.append(number_of(text))
            if scores[-1] is None and not is_missing(text):
                hint = "write one like -2.5, and nothing where there is none"
                self.faults.append(table.fault(row, index, f"{quoted(text)} is no number", hint))
                wrong = True
        return None if wrong else (scores[0], scores[1])

    def _is_unequal(self, table: ResultTable, compared: "_Columns", row: CsvRow) -> bool:
        return len({row.fields[table.header.index(name)] for name in compared.n_tokens}) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Columns:
    """The columns of both sentences' scores, which in two rows are one.

    `of_class` says which row is which, "" in one row; `model` is what the column calls its model,
    "" where it has the usual name.
    """

    good: str
    bad: str
    sign: int
    of_class: str = ""
    n_tokens: tuple[str, ...] = ()
    model: str = ""

    @property
    def names(self) -> set[str]:
        """All of these columns."""
        return {self.good, self.bad, self.of_class, *self.n_tokens}


def is_scored(header: Iterable[str], options: ImportOptions) -> bool:
    """Say whether a table with these columns has scores, and no results."""
    header = set(header)
    if header & {options.columns.get("result", "result"), "correct", "holds"}:
        return False
    said = options.columns.keys() & set(SCORE_NAMES)
    both = any({f"{kind}_good", f"{kind}_bad"} <= header for kind in _KINDS)
    return bool(said) or both or (_CLASS in header and any(kind in header for kind in _KINDS))


def names_model(options: ImportOptions) -> bool:
    """Say whether the column of scores is called like its model."""
    return any(kind in options.columns for kind in _KINDS)


def _columns(table: ResultTable, options: ImportOptions) -> list[_Columns] | Fault:
    """Return where the scores are: one a model that is a column. A fault if they are nowhere."""

    def called(name: str) -> str:
        return options.columns.get(name, name)

    missing = [
        name
        for what in options.columns.keys() & {*SCORE_NAMES} - set(_KINDS)
        if (name := options.columns[what]) not in table.header
    ]
    n_tokens = tuple(map(called, _N_TOKENS))
    n_tokens = n_tokens if set(n_tokens) <= set(table.header) else ()
    has_model = not {*USUAL_NAMES["model"]}.isdisjoint(table.header) or "model" in options.columns
    for kind, sign in _KINDS.items():
        good, bad = called(f"{kind}_good"), called(f"{kind}_bad")
        if {good, bad} <= set(table.header) and not missing:
            return [_Columns(good=good, bad=bad, sign=sign, n_tokens=n_tokens)]
        pattern, of_class = called(kind), called(_CLASS)
        found = [name for name in table.header if name == pattern] or [
            name for name in table.header if fnmatchcase(name, pattern)
        ]
        if found and of_class in table.header and not missing:
            return [
                _Columns(
                    good=name,
                    bad=name,
                    sign=sign,
                    of_class=of_class,
                    model="" if name == kind or has_model else name,
                )
                for name in found
            ]
        if kind in options.columns:
            missing += [of_class] if found else [pattern]
    there = listed([name for name in table.header if name], most=20)
    what = f"there is no column {' or '.join(map(repr, missing or ['logprob', 'loss']))}"
    hint = "say with --column which ones they are: logprob=NAME and class=NAME, or loss_good=NAME"
    return table.table.fault((1, 1), f"{what}; there are {there}", f"{hint} and loss_bad=NAME")


def _pairs(
    table: ResultTable, compared: _Columns, faults: list[Fault]
) -> Iterator[tuple[CsvRow, CsvRow]]:
    """Yield the rows of the grammatical and the ungrammatical sentence of each item."""
    if not compared.of_class:
        yield from ((row, row) for row in table.rows)
        return
    index = table.header.index(compared.of_class)
    first: CsvRow | None = None
    for row in table.rows:
        kind = row.fields[index].strip().lower()
        if kind not in _GOOD | _BAD:
            hint = "write correct or wrong"
            faults.append(table.fault(row, index, f"the class {quoted(kind)} is none", hint))
            first = None
        elif kind in _GOOD:
            if first:
                faults.append(_lone(table, first, index))
            first = row
        elif first:
            yield first, row
            first = None
        else:
            what = "this row has no correct one before it"
            faults.append(table.fault(row, index, what, "write the row of the correct form there"))
    if first:
        faults.append(_lone(table, first, index))


def _lone(table: ResultTable, row: CsvRow, index: int) -> Fault:
    what = "this row has no wrong one after it"
    return table.fault(row, index, what, "write the row of the wrong form after it")


def _cells(good: float | None, bad: float | None, *, sign: int) -> tuple[str, ...]:
    """Return what follows from both scores: the cells of `_MADE`."""
    if good is None or bad is None:
        return ("", "", "", "true", str(CHANCE))
    # Two infinite ones have no difference.
    margin = 0.0 if good == bad else sign * (good - bad) / math.log(2)
    holds, tie = str(margin > 0).lower(), str(margin == 0).lower()
    return (holds, repr(margin), tie, "false", str(CHANCE))


def _with_folders(table: ResultTable, recipe: Recipe | None) -> ResultTable:
    """Return a table with what its folders say as columns, unless it has them."""
    said = dict(zip(recipe.folders if recipe else (), _folders(table.path), strict=False))
    said = {name: folder for name, folder in said.items() if name not in table.header}
    if not said or not table.header:
        return table
    return replace(
        table,
        header=(*table.header, *said),
        rows=tuple(replace(row, fields=(*row.fields, *said.values())) for row in table.rows),
    )


def _folders(path: Path) -> list[str]:
    return [each.name for each in path.absolute().parents]


# --- JSON Lines


@dataclass(frozen=True, slots=True, kw_only=True)
class _JsonRow(CsvRow):
    """An object of JSON Lines; its fields are what the paths lead to."""

    line_of_json: JsonLine
    paths: Sequence[JsonPath]

    def place(self, index: int) -> tuple[int, int]:
        """Return the line and the column, both from 1, at which field `index` begins."""
        path = self.paths[index] if index < len(self.paths) else ()
        fault = self.line_of_json.fault(path, "", "")
        return fault.line, fault.column


def _read(path: Path, options: ImportOptions, faults: list[Fault]) -> ResultTable:
    """Read a table, or JSON Lines as one: its columns are keys with plain values, and the paths
    that are said (`probs.0`: of an object or list the first value).
    """
    read = DecodedText.read(path)
    if not read.text.lstrip().startswith("{"):
        return read_table(path, faults)
    example = '{"model": "...", "suite": "...", "item": 1, "result": true}'
    lines, wrong = JsonLine.parse(read.text, file=str(path), example=example)
    faults += wrong
    said = [
        name
        for name in options.columns.values()
        if "." in name and any(_at(line.value, name)[1] is not None for line in lines)
    ]
    plain = [
        key
        for line in lines
        for key, value in line.value.items()
        if not isinstance(value, dict | list)
    ]
    header = tuple(dict.fromkeys([*plain, *said]))
    rows = []
    for line in lines:
        found = [_at(line.value, name) for name in header]
        rows.append(
            _JsonRow(
                line=line.number,
                text=line.text,
                fields=tuple(_text(value) for _, value in found),
                line_of_json=line,
                paths=[where for where, _ in found],
            )
        )
    # What is wrong with the columns stands where the first object does.
    head = CsvRow(line=1, text="", fields=header)
    table = CsvTable(file=str(path), rows=(head,), faults=())
    return ResultTable(path=path, sha256=read.sha256, table=table, header=header, rows=tuple(rows))


def _at(value: dict[str, Any], name: str) -> tuple[JsonPath, Any]:
    """Return what a key or a path leads to, None for nothing, and how far it leads."""
    if name in value:
        return (name,), value[name]
    where: list[str | int] = []
    found: Any = value
    for step in name.split("."):
        keys = [*found] if isinstance(found, dict) else [*range(len(found))]
        if isinstance(found, dict) and step in found:
            key: str | int = step
        elif step.isdecimal() and int(step) < len(keys):
            key = keys[int(step)]
        else:
            return tuple(where), None
        found = found[key]
        where.append(key)
        if not isinstance(found, dict | list):
            break
    return tuple(where), found


def _text(value: Any) -> str:
    """Return a value as a cell; of a list or object the number of its members."""
    if isinstance(value, dict | list):
        return str(len(value))
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(getattr(value, "text", value))


def json_header(head: str) -> tuple[str, ...]:
    """Return the keys of the first of JSON Lines that a file begins with, () if it has none."""
    first = head.lstrip().partition("\n")[0]
    try:
        lines, _ = JsonLine.parse(first, file="", example="")
    except SuiteError:
        return ()
    return tuple(lines[0].value) if lines else ()
