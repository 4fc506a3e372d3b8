"""Scores as tables for papers: suites x models, models x circuits, predictions x models."""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pommel.analysis import (
    Accuracies,
    Accuracy,
    ModelsCompared,
    Settings,
    add_sections,
    circuit_cell,
    grouped,
    number_cell,
    plain_table,
)
from pommel.report.tables import MAX_MEMBERS, RULES
from pommel.scoring import RunRecord, SuiteKey

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

# Means of the same shares, added up in another order.
_TOLERANCE = 1e-9


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


class _Grid:
    """Accuracies of one level, by unit and model."""

    def __init__(self, compared: ModelsCompared, found: Accuracies, settings: Settings) -> None:
        self.records = compared.records
        self.settings = settings
        # Of many seeds the mean is shown alone, as in tables for terminals.
        self.models = [*compared.with_seed_means(most=MAX_MEMBERS)]
        has_languages = len({unit.language for unit in found.units}) > 1
        # With what their suites are called.
        self.units = {unit: unit.named(with_language=has_languages) for unit in found.units}
        self._rows: dict[tuple[Hashable, Hashable], Accuracy] = {
            (row.unit, row.who): row for row in found.rows
        }
        self.uneven = self.shown.uneven

    @classmethod
    def of(
        cls,
        records: Sequence[RunRecord],
        settings: Settings,
        *levels: Literal["prediction", "suite", "circuit", "model"],
    ) -> "list[_Grid]":
        """Return one a level."""
        compared = ModelsCompared.of(records)
        # No cell has a margin.
        found = Accuracies.by_level(compared, levels, replace(settings, n_resamples=0))
        return [cls(compared, each, settings) for each in found.values()]

    @property
    def shown(self) -> Accuracies:
        """The rows of models that are shown; members of a big family are not."""
        shown = {model.who for model in self.models}
        return Accuracies(rows=tuple(row for row in self._rows.values() if row.who in shown))

    def cells(
        self, unit: Hashable, n_items: int | None = None, *, has_interval: bool = True
    ) -> "list[str | Text]":
        """Return a cell a model, that of the best in bold if there is a worse one.

        `n_items` is how many items the suite has: a share of fewer says of how many. Of models
        that have not the same suites none is the best, and each cell says of how many it is.
        """
        from rich.text import Text

        rows = [self._rows.get((unit, each.who)) for each in self.models]
        # The mean of members that are shown themselves can not be the best.
        competing = [
            row.accuracy
            if row and not (model.is_family and model.n_members <= MAX_MEMBERS)
            else math.nan
            for row, model in zip(rows, self.models, strict=True)
        ]
        known = [each for each in competing if not math.isnan(each)]
        least, best = min(known, default=0), max(known, default=0) - _TOLERANCE
        cells = (
            _cell(row, model.n_members, n_items, has_interval=has_interval)
            for row, model in zip(rows, self.models, strict=True)
        )
        if any(row and (row.level, row.unit) in self.uneven for row in rows):
            return [
                f"{cell} ({row.n_suites_cell(self.uneven)})" if row and row.suites else cell
                for cell, row in zip(cells, rows, strict=True)
            ]
        return [
            Text(cell, style="bold") if share >= best > least else cell
            for cell, share in zip(cells, competing, strict=True)
        ]


def _cell(row: Accuracy | None, n_members: int, n_items: int | None, *, has_interval: bool) -> str:
    """Return a share with its interval, or a mean over seeds ± its sd; empty without a row."""
    if row is None:
        return ""
    if row.is_family:
        of = f" (n = {row.n_members})" if row.n_members < n_members else ""
        return f"{row.cell()}{of}" if row.n_members else "-"
    shown = row.cell() if has_interval else number_cell(row.accuracy)
    return f"{shown} of {row.n_items}" if 0 < (row.n_items or 0) < (n_items or 0) else shown


def scores_table(records: Sequence[RunRecord], settings: Settings) -> "Table":
    """Return suites (a section a circuit) x models, then means of circuits, and the SG score.

    Or, as `settings.average` says, the share of all items of a circuit, and of all suites.
    """
    grid, *of_several = _Grid.of(records, settings, "suite", "circuit", "model")
    n_items: dict[SuiteKey, int] = {}
    for record in records:
        key = record.suite_key
        n_items[key] = max(record.result.n_items, n_items.get(key, 0))
    # Under "each" the items of a suite count once a prediction.
    has_parts = all(record.result.score_rule != "each" for record in records)
    table = plain_table(
        names=("circuit", "suite"), numbers=("items", *(each.header for each in grid.models))
    )
    units = sorted(grid.units, key=lambda each: (not each.circuit, each.circuit))
    rows: list[list[str | Text]] = []
    for unit in units:
        n = n_items[unit.language, unit.suite]
        # Of shares that were published by themselves nobody may know of how many items.
        head = [circuit_cell(unit.circuit), grid.units[unit], str(n or "-")]
        rows.append([*head, *grid.cells(unit, n if has_parts else None)])
    add_sections(table, rows)
    table.add_section()
    of_means = [*_add_means(table, grid, *of_several)]
    several = tuple(row for row in of_means if len(row.suites) > 1)
    notes = [*grid.shown.suite_notes(), *Accuracies(rows=several).mean_notes()]
    if len(several) < len(of_means):
        notes.append(_OF_ONE)
    notes += Accuracies(rows=tuple(of_means)).uneven_notes()
    return _titled(table, grid, notes)


def _add_means(
    table: "Table", of_suites: _Grid, by_circuit: _Grid, overall: _Grid
) -> Iterator[Accuracy]:
    """Add the means of circuits if there are several, and of all suites if there are several.

    What is yielded are the accuracies in them.
    """
    average = of_suites.settings.average
    if len({unit.circuit for unit in of_suites.units} - {""}) > 1:
        mean = "mean" if average == "suites" else _OF_ALL["items"]
        for unit in by_circuit.units:
            if unit.circuit:
                table.add_row(unit.circuit, mean, "", *by_circuit.cells(unit))
        table.add_section()
        yield from (row for row in by_circuit.shown.rows if row.unit.circuit)
    if len(of_suites.units) > 1:
        (whole,) = overall.units
        table.add_row("all suites", _OF_ALL[average], "", *overall.cells(whole))
        yield from overall.shown.rows


def circuits_table(records: Sequence[RunRecord], settings: Settings) -> "Table":
    """Return models x circuits, and the SG score (all items) with its interval."""
    by_circuit, overall = _Grid.of(records, settings, "circuit", "model")
    of_all = _OF_ALL[settings.average]
    circuits = [circuit_cell(unit.circuit) for unit in by_circuit.units]
    table = plain_table(names=("model",), numbers=(*circuits, of_all))
    (whole,) = overall.units
    columns = [
        *(by_circuit.cells(unit, has_interval=False) for unit in by_circuit.units),
        overall.cells(whole),
    ]
    for model, *cells in zip(by_circuit.models, *columns, strict=True):
        table.add_row(model.header, *cells)
    together = Accuracies(rows=(*by_circuit.shown.rows, *overall.shown.rows))
    has_means = any(len(row.suites) > 1 for row in together.rows)
    what = _MEANS[settings.average] if has_means else _SHARES
    notes = [what, *overall.shown.mean_notes(name=of_all), *together.uneven_notes()]
    return _titled(table, by_circuit, notes)


def predictions_table(records: Sequence[RunRecord], settings: Settings) -> "Table":
    """Return predictions (a section a suite) x models."""
    (grid,) = _Grid.of(records, settings, "prediction")
    # What predictions say, by language, suite and number.
    texts = {
        (*record.suite_key, str(each.prediction_id)): " ".join(
            f"{each.prediction_id}: {each.description or each.formula}".split()
        )
        for record in records
        for each in record.result.predictions
    }
    models = [each.header for each in grid.models]
    table = plain_table(names=("suite", "prediction"), numbers=models)
    # Prose, which is too wide for one line.
    table.columns[1].justify = "full"
    by_suite = grouped(grid.units, lambda unit: (unit.language, unit.suite))
    rows: list[list[str | Text]] = []
    for key, own in by_suite.items():
        for unit in own:
            text = texts.get((*key, unit.prediction_id), unit.prediction_id)
            rows.append([grid.units[unit], text, *grid.cells(unit)])
    add_sections(table, rows)
    table.add_section()
    notes = grid.shown.suite_notes(share="Share of items on which a prediction holds")
    table = _titled(table, grid, notes)
    table.title = "Predictions"
    return table


def _titled(table: "Table", grid: _Grid, notes: Iterable[str]) -> "Table":
    """Return the table with a title and notes that say what its numbers are."""
    rules: dict[str, dict[str, None]] = {}
    for record in grid.records:
        rules.setdefault(record.result.score_rule, {})[record.result.model_name] = None
    found = list(notes)
    if any(model.is_family for model in grid.models):
        found.append(_FAMILIES)
    if any(not isinstance(cell, str) for column in table.columns for cell in column.cells):
        found.append(_BEST)
    if len(rules) > 1:
        shown = "; ".join(f"{rule}: {', '.join(names)}" for rule, names in rules.items())
        found.append(f"Score rules differ ({shown}).")
    table.title = RULES[next(iter(rules))] if len(rules) == 1 else "Scores"
    if grid.settings.average == "items":
        # An SG score pools nothing.
        table.title = table.title.replace("SG scores", "Scores")
    # A name may have line breaks; a line of the caption is a note.
    table.caption = "\n".join(" ".join(note.split()) for note in found)
    return table
