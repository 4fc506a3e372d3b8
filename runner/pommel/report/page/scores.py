"""The tables of scores: models by circuit, suites by model, and the cells that they have."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pommel.analysis import Accuracies, Accuracy, circuit_cell
from pommel.analysis import number_cell as number_text
from pommel.files import frame_text
from pommel.report.page.sections import ReportModel
from pommel.scoring import RunRecord, SuiteKey
from pommel.statistics import Estimate, Interval

NOTHING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell; `number` is what it is sorted by, None for what is sorted by its text or is missing.

    `shade` is a share between 0 and 1 that colours it, None for no colour.
    """

    text: str = ""
    detail: str = ""
    number: float | None = None
    shade: float | None = None


def accuracy_cell(row: Accuracy | None) -> Cell:
    """Return an accuracy with its interval, of a family with its standard deviation.

    A share of items has Wilson's interval, a mean over suites or predictions the stratified one.
    """
    if row is None or math.isnan(row.accuracy):
        return Cell(text=NOTHING if row is not None else "")
    detail = f"± {number_text(row.sd)}" if row.is_family else interval_text(row.interval())
    return Cell(
        text=number_text(row.accuracy), detail=detail, number=row.accuracy, shade=row.accuracy
    )


def interval_text(interval: Interval | Estimate, *, sign: str = "") -> str:
    """Return "[0.58, 0.88]", or nothing where there is no interval."""
    if math.isnan(interval.low):
        return ""
    low, high = (bits_text(end, sign=sign) for end in (interval.low, interval.high))
    return f"[{low}, {high}]"


def number_cell(value: float | None, *, sign: str = "") -> Cell:
    """Return a number with two digits, or a whole one; a dash for one that is missing."""
    if value is None or math.isnan(value):
        return Cell(text=NOTHING)
    if isinstance(value, int):
        return Cell(text=f"{value:,}", number=value)
    return Cell(text=bits_text(value, sign=sign), number=value)


def bits_text(value: float, *, sign: str = "") -> str:
    """Return bits with two digits; a dash for none, and a true minus."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return f"{_MINUS if value < 0 else sign}∞"
    # -0.001 would be shown as -0.00.
    return f"{round(value, 2) + 0.0:{sign}.2f}".replace("-", _MINUS)


# What a row or column is about: a model's or a family's label, and which of the two it is.
ModelKey = tuple[str, bool]

Level = Literal["model", "circuit", "suite", "prediction"]
LEVELS: tuple[Level, ...] = get_args(Level)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllAccuracies:
    """All accuracies that the report shows, by level."""

    levels: Mapping[Level, Accuracies]

    @classmethod
    def of(cls, records: Sequence[RunRecord]) -> "AllAccuracies":
        """Return the accuracies of all levels."""
        return cls(levels={level: Accuracies.of(records, level) for level in LEVELS})

    def by_model(self, level: Level) -> dict[ModelKey, list[Accuracy]]:
        """Return a level's rows by model."""
        found: dict[ModelKey, list[Accuracy]] = {}
        for row in self.levels[level].rows:
            found.setdefault((row.label, row.is_family), []).append(row)
        return found

    def together(self, *levels: Level) -> Accuracies:
        """Return the rows of several levels."""
        return Accuracies(rows=tuple(row for level in levels for row in self.levels[level].rows))

    def to_csv(self) -> str:
        """Return all rows as one tidy table, as `pommel stats accuracy` has it."""
        return frame_text(self.together(*LEVELS).frame(), "csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """A model's SG score, and its mean on each circuit."""

    model: ReportModel
    n_suites: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRow:
    """A suite, and each model's score on it."""

    key: SuiteKey
    circuit: str
    n_items: Cell
    chance: Cell
    cells: tuple[Cell, ...]


def circuits_of(found: AllAccuracies) -> list[str]:
    """Return the circuits in the order of their columns; "" comes last."""
    names = {row.unit.circuit for row in found.levels["circuit"].rows}
    return sorted(names, key=lambda name: (not name, name))


def model_rows(models: Sequence[ReportModel], found: AllAccuracies) -> list[ModelRow]:
    """Return a row a model: SG score first, then the circuits."""
    overall, by_circuit = found.by_model("model"), found.by_model("circuit")
    rows = []
    for model in models:
        key = (model.label, model.is_family)
        whole = next(iter(overall.get(key, [])), None)
        own = {row.unit.circuit: row for row in by_circuit.get(key, [])}
        cells = (accuracy_cell(own.get(circuit)) for circuit in circuits_of(found))
        rows.append(
            ModelRow(
                model=model,
                n_suites=len(whole.suites) if whole else 0,
                cells=(accuracy_cell(whole), *cells),
            )
        )
    return rows


def suite_rows(models: Sequence[ReportModel], found: AllAccuracies) -> list[SuiteRow]:
    """Return a row a suite, sorted by circuit; those without one come last."""
    by_suite: dict[SuiteKey, dict[ModelKey, Accuracy]] = {}
    for row in found.levels["suite"].rows:
        key = (row.unit.language, row.unit.suite)
        by_suite.setdefault(key, {})[row.label, row.is_family] = row
    n_items = _n_items(models)
    rows = []
    for key, own in by_suite.items():
        first = next(iter(own.values()))
        rows.append(
            SuiteRow(
                key=key,
                circuit=first.unit.circuit,
                n_items=number_cell(n_items[key]),
                chance=number_cell(first.chance),
                cells=tuple(
                    accuracy_cell(own.get((model.label, model.is_family))) for model in models
                ),
            )
        )
    return sorted(rows, key=lambda row: (not row.circuit, row.circuit, row.key))


def circuit_name(circuit: str) -> str:
    """Return what a circuit, or none, is called."""
    return circuit_cell(circuit)


def _n_items(models: Sequence[ReportModel]) -> dict[SuiteKey, int | None]:
    """Return how many items suites have; None where that was not published."""
    found: dict[SuiteKey, int | None] = {}
    for model in models:
        for record in model.records:
            key = record.suite_key
            found[key] = found.get(key) or record.result.n_items or None
    return found
