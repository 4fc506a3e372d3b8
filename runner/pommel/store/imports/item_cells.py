"""What a row of a table of items says, cell by cell, and what is wrong with it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pommel.errors import Fault, quoted
from pommel.files.csv import CsvRow
from pommel.models.family import Membership
from pommel.store.imports.item_runs import ItemRow
from pommel.store.imports.result_tables import (
    ResultTable,
    is_missing,
    number_of,
    parameters_of,
    truth_of,
    whole_of,
)
from pommel.store.imports.shares import share_fault

REQUIRED = ("model", "suite", "item", "result")
# What columns are called; the first of the names that a file has counts.
NAMES: dict[str, tuple[str, ...]] = {
    "model": ("model", "model_name"),
    "suite": ("suite", "suite_name"),
    "item": ("item_number", "item"),
    "result": ("result", "correct", "holds"),
    "prediction_id": ("prediction_id", "prediction"),
    "margin_bits": ("margin_bits",),
    "tie": ("tie",),
    "defined": ("defined",),
    "unscored": ("unscored",),
    "oov": ("oov",),
    "skipped": ("skipped",),
    "circuit": ("circuit",),
    "language": ("language",),
    "group": ("group",),
    "modifier_of": ("modifier_of", "base_suite"),
    "complexity": ("complexity",),
    "chance": ("chance",),
    "suite_chance": ("suite_chance",),
    "seed": ("seed",),
    "family": ("family",),
    "axis": ("axis",),
    "member": ("member",),
    "axis_value": ("axis_value",),
    "n_parameters": ("n_parameters", "params"),
    "size_family": ("size_family",),
}
_MARKS = {"tie": False, "defined": True, "unscored": False, "oov": False, "skipped": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row, and its cells by what their columns are."""

    table: ResultTable
    row: CsvRow
    columns: Mapping[str, int]

    def __contains__(self, column: str) -> bool:
        return column in self.columns and not is_missing(self[column])

    def __getitem__(self, column: str) -> str:
        return self.row.fields[self.columns[column]].strip()

    def fault(self, column: str, message: str, hint: str) -> Fault:
        """Return what is wrong with a cell."""
        return self.table.fault(self.row, self.columns[column], message, hint)

    @property
    def where(self) -> str:
        """The file's name and the line."""
        return f"{self.table.path.name}, line {self.row.line}"


def item_row(row: Row, model: str, suite: str) -> ItemRow:
    """Return what a row without faults says of an item."""
    marks = {
        name: bool(truth_of(row[name])) if name in row else usual for name, usual in _MARKS.items()
    }
    is_skipped = marks.pop("skipped") or "result" not in row
    return ItemRow(
        model=model,
        suite=suite,
        item=whole_of(row["item"]) or 0,
        prediction=(whole_of(row["prediction_id"]) or 0) if "prediction_id" in row else 0,
        result=None if is_skipped else truth_of(row["result"]),
        margin_bits=float(row["margin_bits"]) if "margin_bits" in row else math.nan,
        **marks,
        table=row.table,
        row=row.row,
    )


def row_faults(row: Row, needed: Sequence[str]) -> Iterator[Fault]:
    """Yield what is wrong with a row's cells; the columns that are `needed` are there."""
    for name in ("model", "suite"):
        if name in needed and not row[name]:
            yield row.fault(name, f"this row names no {name}", "write its name")
    yield from _number_faults(row)
    for name in ("result", *_MARKS):
        if name in row and truth_of(row[name]) is None:
            hint = "write one of the two, and nothing where it is not known"
            yield row.fault(name, f"{quoted(row[name])} is neither true nor false", hint)
    if "axis" in row and row["axis"] not in Membership.AXES:
        hint = f"write one of {', '.join(Membership.AXES)}"
        yield row.fault("axis", f"{quoted(row['axis'])} is nothing that models differ in", hint)


def _number_faults(row: Row) -> Iterator[Fault]:
    if whole_of(row["item"]) is None:
        message = f"{quoted(row['item'])} is no number of an item"
        yield row.fault("item", message, "number the items of a suite from 1")
    if "prediction_id" in row and whole_of(row["prediction_id"]) is None:
        message = f"{quoted(row['prediction_id'])} is no number of a prediction"
        yield row.fault("prediction_id", message, "number a suite's predictions from 0")
    for name in ("margin_bits", "complexity", "axis_value"):
        if name in row and number_of(row[name]) is None:
            message = f"{quoted(row[name])} is no number"
            yield row.fault(name, message, "write one like 2.5, and nothing where there is none")
    for name in ("chance", "suite_chance"):
        if name in row and share_fault(number_of(row[name])):
            message = f"{quoted(row[name])} is no share of items that hold by chance"
            yield row.fault(name, message, "write one from 0 to 1, and nothing where nobody knows")
    if "n_parameters" in row and parameters_of(row["n_parameters"]) is None:
        message = f"{quoted(row['n_parameters'])} is no number of parameters"
        yield row.fault("n_parameters", message, "write it in full, such as 560000000")
