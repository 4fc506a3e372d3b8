"""The tables of scores: models by circuit, suites by model, and the cells that they have."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from pommel.analysis import (
    Accuracies,
    Accuracy,
    ModelsCompared,
    Settings,
    grouped,
    number_cell as number_text,
)
from pommel.report.page.sections import ReportModel
from pommel.scoring import SuiteKey
from pommel.statistics import Estimate, Interval

NOTHING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"


class Cell(NamedTuple):
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
        return Cell(NOTHING if row else "")
    detail = f"± {number_text(row.sd)}" if row.is_family else interval_text(row.interval())
    return Cell(number_text(row.accuracy), detail, number=row.accuracy, shade=row.accuracy)


def interval_text(interval: Interval | Estimate, *, sign: str = "") -> str:
    """Return "[0.58, 0.88]", or nothing where there is no interval."""
    if math.isnan(interval.low):
        return ""
    return f"[{bits_text(interval.low, sign=sign)}, {bits_text(interval.high, sign=sign)}]"


def number_cell(value: float | None, detail: str = "", *, sign: str = "") -> Cell:
    """Return a number with two digits, or a whole one; a dash for one that is missing."""
    if value is None or math.isnan(value):
        return Cell(NOTHING, detail)
    text = f"{value:,}" if isinstance(value, int) else bits_text(value, sign=sign)
    return Cell(text, detail, number=value)


def bits_text(value: float, *, sign: str = "") -> str:
    """Return bits with two digits; a dash for none, and a true minus."""
    if math.isinf(value):
        return f"{_MINUS if value < 0 else sign}∞"
    return number_text(value, sign=sign, missing=NOTHING).replace("-", _MINUS)


# What a row or column is about: a model's or a family's label, and which of the two it is.
ModelKey = tuple[str, bool]

Level = Literal["model", "circuit", "suite", "prediction"]
# All accuracies that the report shows, by level.
Levels = Mapping[Level, Accuracies]


def levels_of(
    models: Sequence[ReportModel],
    levels: Sequence[Level] = get_args(Level),
    *,
    has_margins: bool = True,
) -> Levels:
    """Return the accuracies of these levels."""
    compared = ModelsCompared.of(record for model in models for record in model.records)
    settings = Settings() if has_margins else Settings(n_resamples=0)
    found = Accuracies.by_level(compared, levels, settings)
    return {level: found[level] for level in levels}


def together(levels: Levels, *chosen: Level) -> Accuracies:
    """Return the rows of several levels."""
    return Accuracies(rows=tuple(row for level in chosen for row in levels[level].rows))


def by_model(rows: Sequence[Accuracy]) -> dict[ModelKey, list[Accuracy]]:
    """Return rows by model."""
    return grouped(rows, lambda row: (row.label, row.is_family))


def by_suite(accuracies: Accuracies) -> dict[SuiteKey, list[Accuracy]]:
    """Return rows by suite."""
    return grouped(accuracies.rows, lambda row: (row.unit.language, row.unit.suite))


class SuiteRow(NamedTuple):
    """A suite, and each model's score on it; steps of trainings have rows of their own."""

    key: SuiteKey
    step: Cell
    circuit: str
    n_items: Cell
    chance: Cell
    cells: Sequence[Cell]


def circuits_of(levels: Levels) -> list[str]:
    """Return the circuits in the order of their columns; "" comes last."""
    names = {row.unit.circuit for row in levels["circuit"].rows}
    return sorted(names, key=lambda name: (not name, name))


def model_rows(
    models: Sequence[ReportModel], levels: Levels
) -> Iterator[tuple[ReportModel, int, list[Cell]]]:
    """Yield each model, on how many suites it was run, and its SG score and those by circuit.

    A score says of how many suites it is where not all models have the same ones.
    """
    overall, by_circuit = by_model(levels["model"].rows), by_model(levels["circuit"].rows)
    uneven = together(levels, "model", "circuit").uneven

    def cell(row: Accuracy | None) -> Cell:
        shown = accuracy_cell(row)
        if row and row.suites and (row.level, row.unit) in uneven:
            of = f"({row.n_suites_cell(uneven)})"
            return shown._replace(detail=f"{shown.detail} {of}".strip())
        return shown

    for model in models:
        whole = next(iter(overall.get(model.key, [])), None)
        own = {row.unit.circuit: row for row in by_circuit.get(model.key, [])}
        rows = [whole, *map(own.get, circuits_of(levels))]
        yield model, len(whole.suites) if whole else 0, [*map(cell, rows)]


def score_columns(models: Sequence[ReportModel]) -> list[dict[tuple[float, str], ReportModel]]:
    """Return a column a model, or a training, whose steps have a row each."""
    return [
        {model.step: model for model in own}
        for own in grouped(models, lambda each: (each.path or each.label, each.is_family)).values()
    ]


def suite_rows(models: Sequence[ReportModel], levels: Levels) -> list[SuiteRow]:
    """Return a row a suite (and step), sorted by circuit; those without one come last."""
    # None where that was not published.
    n_items: dict[SuiteKey, int | None] = {}
    for record in (record for model in models for record in model.records):
        n_items[record.suite_key] = n_items.get(record.suite_key) or record.result.n_items or None
    rows = []
    columns = score_columns(models)
    for key, (first, *others) in by_suite(levels["suite"]).items():
        own = {(row.label, row.is_family): row for row in (first, *others)}
        for step in sorted({step for column in columns for step in column}):
            found = [own.get(column[step].key) if step in column else None for column in columns]
            if any(found):
                written = Cell(step[1], number=step[0] if step[1] else None)
                facts = number_cell(n_items[key]), number_cell(first.chance)
                cells = [*map(accuracy_cell, found)]
                rows.append(SuiteRow(key, written, first.unit.circuit, *facts, cells))
    return sorted(rows, key=lambda row: (not row.circuit, row.circuit, row.key))
