"""Scores as tables for papers: suites x models, models x circuits, predictions x models."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pommel.analysis import (
    Accuracies,
    Accuracy,
    FamilyColumn,
    ModelsCompared,
    Settings,
    Unit,
    circuit_cell,
    number_cell,
)
from pommel.report.paper_table import Cell, PaperColumn, PaperTable, sections_of, text_cell
from pommel.report.tables import MAX_MEMBERS, RULES
from pommel.scoring import RunRecord

# Means of the same shares, added up in another order.
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownModel:
    """A model, or the mean of a family's seeds.

    `competes` is False for the mean of members that are shown themselves: it cannot be the best.
    """

    label: str
    n_members: int = 1
    is_family: bool = False
    competes: bool = True

    @property
    def header(self) -> str:
        """What stands above its cells, or in front of them."""
        column = FamilyColumn(family=self.label, n=self.n_members)
        return column.header if self.is_family else self.label


def shown_models(records: Sequence[RunRecord]) -> list[ShownModel]:
    """Return models in the order of their runs, the mean of seeds behind them.

    Of many seeds the mean is shown alone, as in tables for terminals.
    """
    found = ModelsCompared.of(records)
    of_seeds = [each for each in found.families if each.axis == "seed" and len(each.members) > 1]
    family_of = {id(member): family for family in of_seeds for member in family.members}
    shown: list[ShownModel] = []
    for each in found.models:
        family = family_of.get(id(each))
        is_crowd = family is not None and len(family.members) > MAX_MEMBERS
        if not is_crowd:
            shown.append(ShownModel(label=each.label))
        if family and each is family.members[-1]:
            n_members = len(family.members)
            shown.append(
                ShownModel(
                    label=family.label, n_members=n_members, is_family=True, competes=is_crowd
                )
            )
    return shown


def accuracy_cell(
    row: Accuracy | None,
    model: ShownModel,
    *,
    has_interval: bool = True,
    n_items: int | None = None,
) -> Cell:
    """Return a share with its interval, or a mean over seeds ± its sd; empty without a row.

    The interval is Wilson's, of a mean over suites or predictions the stratified one. `n_items` is
    how many items the suite has: a share of fewer says of how many.
    """
    if row is None:
        return Cell()
    if model.is_family:
        of = f" (n = {row.n_members})" if row.n_members < model.n_members else ""
        shown = f"{row.cell()}{of}"
        return text_cell(shown if row.n_members else "-")
    if not has_interval:
        return text_cell(number_cell(row.accuracy))
    shown = row.cell()
    is_part = n_items is not None and row.n_items is not None and 0 < row.n_items < n_items
    return text_cell(f"{shown} of {row.n_items}" if is_part else shown)


def with_best(
    cells: Sequence[Cell], rows: Sequence[Accuracy | None], models: Sequence[ShownModel]
) -> list[Cell]:
    """Return the cells, those of the best model in bold if there is a worse one."""
    competing = [
        row.accuracy if row and model.competes else math.nan
        for row, model in zip(rows, models, strict=True)
    ]
    known = [each for each in competing if not math.isnan(each)]
    if not known or max(known) - min(known) <= _TOLERANCE:
        return list(cells)
    return [
        replace(cell, is_bold=True) if share >= max(known) - _TOLERANCE else cell
        for cell, share in zip(cells, competing, strict=True)
    ]


Row = tuple[Cell, ...]

_SHARES = "Share of items on which a suite's predictions hold."
_MEANS = {
    "suites": "Means over suites of the share of items on which a suite's predictions hold.",
    "items": "Share of all items of a circuit's suites together on which predictions hold.",
}
# What the accuracy on all suites is called.
_OF_ALL = {"suites": "SG score", "items": "all items"}
_OF_ONE = "Of one suite: its own score and interval."
_FAMILIES = "Of a family: mean ± sd of a sample (n - 1) over members."
_BEST = "Bold: the best."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grid:
    """Rows of accuracies, by unit and model."""

    models: Sequence[ShownModel]
    accuracies: Accuracies

    @classmethod
    def of(
        cls,
        records: Sequence[RunRecord],
        level: Literal["prediction", "suite", "circuit", "model"],
        settings: Settings,
    ) -> "_Grid":
        return cls(models=shown_models(records), accuracies=Accuracies.of(records, level, settings))

    @property
    def units(self) -> list[Unit]:
        return self.accuracies.units

    @property
    def shown(self) -> Accuracies:
        """The rows of models that are shown; members of a big family are not."""
        keys = {(model.label, model.is_family) for model in self.models}
        rows = self.accuracies.rows
        return Accuracies(rows=tuple(row for row in rows if (row.label, row.is_family) in keys))

    def found(self, unit: Unit) -> list[Accuracy | None]:
        """Return the row of each model."""
        rows = [each for each in self.accuracies.rows if each.unit == unit]
        by_model = {(row.label, row.is_family): row for row in rows}
        return [by_model.get((model.label, model.is_family)) for model in self.models]

    def cells(
        self, unit: Unit, n_items: int | None = None, *, has_interval: bool = True
    ) -> list[Cell]:
        """Return a cell a model, the best in bold."""
        found = self.found(unit)
        cells = [
            accuracy_cell(row, model, n_items=n_items, has_interval=has_interval)
            for row, model in zip(found, self.models, strict=True)
        ]
        return with_best(cells, found, self.models)


def scores_table(records: Sequence[RunRecord], settings: Settings) -> PaperTable:
    """Return suites (a section a circuit) x models, then means of circuits, and the SG score.

    Or, as `settings.average` says, the share of all items of a circuit, and of all suites.
    """
    grid = _Grid.of(records, "suite", settings)
    units = sorted(grid.units, key=lambda each: (not each.circuit, each.circuit))
    means = [*_means(records, units, settings)]
    sections = [*_suite_sections(grid, units, records), *(rows for rows, _ in means)]
    columns = (
        PaperColumn(header="circuit", align="left"),
        PaperColumn(header="suite", align="left"),
        PaperColumn(header="items"),
        *(PaperColumn(header=model.header) for model in grid.models),
    )
    of_means = [row for _, own in means for row in own]
    several = tuple(row for row in of_means if len(row.suites) > 1)
    notes = [*grid.shown.suite_notes(), *Accuracies(rows=several).mean_notes()]
    if len(several) < len(of_means):
        notes.append(_OF_ONE)
    return _named(_table(records, grid.models, columns, sections, notes), settings)


def circuits_table(records: Sequence[RunRecord], settings: Settings) -> PaperTable:
    """Return models x circuits, and the SG score (all items) with its interval."""
    by_circuit = _Grid.of(records, "circuit", settings)
    overall = _Grid.of(records, "model", settings)
    of_all = _OF_ALL[settings.average]
    columns_of_cells = [
        *(by_circuit.cells(unit, has_interval=False) for unit in by_circuit.units),
        overall.cells(Unit()),
    ]
    rows = [
        (text_cell(model.header), *cells)
        for model, *cells in zip(by_circuit.models, *columns_of_cells, strict=True)
    ]
    columns = (
        PaperColumn(header="model", align="left"),
        *(PaperColumn(header=circuit_cell(unit.circuit)) for unit in by_circuit.units),
        PaperColumn(header=of_all),
    )
    has_means = any(len(row.suites) > 1 for row in (*by_circuit.shown.rows, *overall.shown.rows))
    what = _MEANS[settings.average] if has_means else _SHARES
    notes = [what, *overall.shown.mean_notes(name=of_all)]
    return _named(_table(records, by_circuit.models, columns, [rows], notes), settings)


def predictions_table(records: Sequence[RunRecord], settings: Settings) -> PaperTable:
    """Return predictions (a section a suite) x models."""
    grid = _Grid.of(records, "prediction", settings)
    texts = _prediction_texts(records)
    by_suite: dict[tuple[str, str], list[Row]] = {}
    is_named = _has_languages(grid.units)
    for unit in grid.units:
        rows = by_suite.setdefault((unit.language, unit.suite), [])
        text = texts.get((unit.language, unit.suite, unit.prediction_id), unit.prediction_id)
        suite = "" if rows else _suite(unit, is_named=is_named)
        rows.append((text_cell(suite), Cell(lines=(text,)), *grid.cells(unit)))
    columns = (
        PaperColumn(header="suite", align="left"),
        PaperColumn(header="prediction", align="left", is_prose=True),
        *(PaperColumn(header=model.header) for model in grid.models),
    )
    notes = grid.shown.suite_notes(share="Share of items on which a prediction holds")
    table = _table(records, grid.models, columns, list(by_suite.values()), notes)
    return replace(table, title="Predictions")


def _suite_sections(
    grid: _Grid, units: Sequence[Unit], records: Sequence[RunRecord]
) -> Iterator[list[Row]]:
    n_items: dict[tuple[str, str], int] = {}
    for record in records:
        key = record.suite_key
        n_items[key] = max(record.result.n_items, n_items.get(key, 0))
    # Under "each" the items of a suite count once a prediction.
    has_parts = all(record.result.score_rule != "each" for record in records)
    is_named = _has_languages(units)
    for circuit in dict.fromkeys(unit.circuit for unit in units):
        own = [unit for unit in units if unit.circuit == circuit]
        rows: list[Row] = []
        for unit in own:
            n = n_items[unit.language, unit.suite]
            name = "" if rows else circuit_cell(circuit)
            suite = _suite(unit, is_named=is_named)
            # Of shares that were published by themselves nobody may know of how many items.
            head = (text_cell(name), text_cell(suite), text_cell(str(n or "-")))
            rows.append((*head, *grid.cells(unit, n if has_parts else None)))
        yield rows


def _means(
    records: Sequence[RunRecord], units: Sequence[Unit], settings: Settings
) -> Iterator[tuple[list[Row], list[Accuracy]]]:
    """Yield the means of circuits if there are several, and of all suites if there are several.

    With the rows that are shown come the accuracies in them.
    """
    circuits = {unit.circuit for unit in units} - {""}
    if len(circuits) > 1:
        grid = _Grid.of(records, "circuit", settings)
        mean = "mean" if settings.average == "suites" else _OF_ALL["items"]
        rows = [
            (text_cell(unit.circuit), text_cell(mean), Cell(), *grid.cells(unit))
            for unit in grid.units
            if unit.circuit
        ]
        yield rows, [row for row in grid.shown.rows if row.unit.circuit]
    if len(units) > 1:
        grid = _Grid.of(records, "model", settings)
        head = (text_cell("all suites"), text_cell(_OF_ALL[settings.average]), Cell())
        yield [(*head, *grid.cells(Unit()))], [*grid.shown.rows]


def _table(
    records: Sequence[RunRecord],
    models: Sequence[ShownModel],
    columns: Sequence[PaperColumn],
    sections: Sequence[list[Row]],
    notes: Iterable[str],
) -> PaperTable:
    """Return a table whose title and notes say what its numbers are."""
    rules: dict[str, dict[str, None]] = {}
    for record in records:
        rules.setdefault(record.result.score_rule, {})[record.result.model_name] = None
    found = list(notes)
    if any(model.is_family for model in models):
        found.append(_FAMILIES)
    if any(cell.is_bold for rows in sections for row in rows for cell in row):
        found.append(_BEST)
    if len(rules) > 1:
        shown = "; ".join(f"{rule}: {', '.join(names)}" for rule, names in rules.items())
        found.append(f"Score rules differ ({shown}).")
    return PaperTable(
        title=RULES[next(iter(rules))] if len(rules) == 1 else "Scores",
        columns=tuple(columns),
        sections=sections_of(sections),
        notes=tuple(found),
    )


def _named(table: PaperTable, settings: Settings) -> PaperTable:
    """Return the table under its name: an SG score pools nothing."""
    if settings.average == "items":
        return replace(table, title=table.title.replace("SG scores", "Scores"))
    return table


def _prediction_texts(records: Iterable[RunRecord]) -> dict[tuple[str, str, str], str]:
    """Return what predictions say, by language, suite and number."""
    return {
        (*record.suite_key, str(each.prediction_id)): (
            f"{each.prediction_id}: {each.description or each.formula}"
        )
        for record in records
        for each in record.result.predictions
    }


def _has_languages(units: Iterable[Unit]) -> bool:
    """Return whether suites are in several languages, so that each has to be named."""
    return len({unit.language for unit in units}) > 1


def _suite(unit: Unit, *, is_named: bool) -> str:
    return f"{unit.suite} ({unit.language})" if is_named and unit.language else unit.suite
