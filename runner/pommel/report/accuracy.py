"""Accuracies as a table for people."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pommel.analysis.accuracy_row import Accuracy, ShareInterval
from pommel.analysis.model_row import without_lone_families
from pommel.analysis.suite_parts import COUNTS, Level
from pommel.report.cells import mean_sd_cell, model_cell, score_cell
from pommel.report.interval_notes import mean_notes, suite_notes
from pommel.report.plain_table import Row, add_sections, empty_table
from pommel.report.statistics_cells import interval_cell, p_cell

if TYPE_CHECKING:
    from rich.table import Table

# What a row is about, by level: columns and where their text comes from.
_NAMES: dict[Level, tuple[str, ...]] = {
    "prediction": ("language", "circuit", "suite", "prediction_id"),
    "suite": ("language", "circuit", "suite"),
    "circuit": ("circuit",),
    "language": ("language",),
    "group": ("group",),
    "model": (),
}

# Always shown; the other counts only where there is one.
_SHOWN_COUNTS = ("n_ties", "n_unscored")


def accuracy_table(rows: Sequence[Accuracy], interval: ShareInterval = "wilson") -> "Table":
    """Return one row each, a section a model; families of one member are left out.

    `interval` is that of shares of items; means over suites have their bootstrap interval. `rows`
    are those of one level, at least one.
    """
    level = rows[0].level
    shown = without_lone_families(rows)
    title = "Accuracy over all suites" if level == "model" else f"Accuracy by {level}"
    names = _name_columns(shown, level)
    numbers = [*_number_columns(shown, level, interval), *_count_columns(shown)]
    table = empty_table(
        title,
        names=("model", *(header for header, _ in names)),
        numbers=[header for header, _ in numbers],
        caption=_caption(shown, level, interval),
    )
    add_sections(
        table,
        (
            Row(
                section=row.label,
                cells=(model_cell(row), *(cell(row) for _, cell in (*names, *numbers))),
            )
            for row in shown
        ),
        has_lines=level != "model",
    )
    return table


_Column = tuple[str, Callable[[Accuracy], str]]


def _name_columns(rows: Sequence[Accuracy], level: Level) -> list[_Column]:
    return [
        (name.removesuffix("_id"), _name_cell(name))
        for name in _NAMES[level]
        if name in (level, "suite", "prediction_id") or _tells_apart(rows, name)
    ]


def _number_columns(
    rows: Sequence[Accuracy], level: Level, interval: ShareInterval
) -> list[_Column]:
    columns: list[_Column] = []
    if level not in ("prediction", "suite"):
        columns.append(("suites", lambda row: str(len(row.suites))))
    columns.append(("items", lambda row: "" if row.n_items is None else str(row.n_items)))
    columns.append(("accuracy", lambda row: _accuracy_cell(row, interval)))
    columns.append(("chance", _chance_cell))
    columns.append(("p", _test_cell))
    if any(row.margin_bits.n for row in rows):
        columns.append(("margin (bits)", _margin_cell))
        columns.append(("median", lambda row: score_cell(row.median_margin_bits, sign="+")))
    return columns


def _tells_apart(rows: Sequence[Accuracy], name: str) -> bool:
    """Return whether rows differ in what they belong to; if not, a column of it says nothing."""
    found = {getattr(row.unit, name) for row in rows}
    return len(found) > 1


def _count_columns(rows: Sequence[Accuracy]) -> list[_Column]:
    names = [
        name for name in COUNTS if name in _SHOWN_COUNTS or any(row.counts[name] for row in rows)
    ]
    return [(name.removeprefix("n_"), _count_cell(name)) for name in names]


def _name_cell(name: str) -> Callable[[Accuracy], str]:
    return lambda row: getattr(row.unit, name) or "(none)"


def _count_cell(name: str) -> Callable[[Accuracy], str]:
    return lambda row: "" if row.counts[name] is None else str(row.counts[name])


def _accuracy_cell(row: Accuracy, interval: ShareInterval) -> str:
    if row.is_family:
        return mean_sd_cell(row.accuracy, row.sd)
    return interval_cell(row.accuracy, row.interval(interval))


def _margin_cell(row: Accuracy) -> str:
    return interval_cell(row.margin_bits.mean, row.margin_bits, sign="+")


def _chance_cell(row: Accuracy) -> str:
    # Members of a family may have several, which is not the same as none.
    is_unknown = math.isnan(row.chance) and not row.is_family
    return "unknown" if is_unknown else score_cell(row.chance)


def _test_cell(row: Accuracy) -> str:
    p = min(row.p_above, row.p_below)
    return f"{row.mark} {p_cell(p)}".strip() if not math.isnan(p) else ""


def _caption(rows: Sequence[Accuracy], level: Level, interval: ShareInterval) -> str:
    if level in ("prediction", "suite"):
        lines = suite_notes(rows, interval, share="Share of items that hold")
    else:
        lines = mean_notes(rows, interval)
    lines.append(
        "p: exact one-sided binomial test of all items together; above, below: of chance, p < .05."
    )
    if any(_chance_cell(row) == "unknown" for row in rows):
        lines.append("Where chance is unknown there is no test; --chance X says it.")
    if any(row.margin_bits.n for row in rows):
        lines.append("Margin: mean [95% bootstrap interval, by item].")
    if any(row.is_family for row in rows):
        lines.append("sd: of a sample (n - 1). Counts of a family are those of all members.")
    return "\n".join(lines)
