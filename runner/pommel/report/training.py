"""Paths through training as tables for people."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pommel.analysis.training import TrainingPath, TrainingPoint
from pommel.report.cells import circuit_cell, number_cell, score_cell, step_cell
from pommel.report.plain_table import plain_table
from pommel.report.statistics_cells import interval_cell, p_cell

if TYPE_CHECKING:
    from rich.table import Table


def path_tables(paths: Iterable[TrainingPath]) -> "list[Table]":
    """Return a table a family: what becomes of each suite (circuit, ...) on the way."""
    families: dict[str, list[TrainingPath]] = {}
    for path in paths:
        families.setdefault(path.family, []).append(path)
    return [_path_table(own) for own in families.values()]


def step_tables(points: Iterable[TrainingPoint]) -> "list[Table]":
    """Return a table a family: one row a step, one column a suite (circuit, ...)."""
    families: dict[str, list[TrainingPoint]] = {}
    for point in points:
        families.setdefault(point.family, []).append(point)
    return [_step_table(own) for own in families.values()]


def _path_table(paths: Sequence[TrainingPath]) -> "Table":
    first = paths[0]
    rows = [
        [
            circuit_cell(each.name),
            str(each.n_steps),
            f"{score_cell(each.first_accuracy)} ({step_cell(each.first_step)})",
            f"{score_cell(each.final_accuracy)} ({step_cell(each.last_step)})",
            "unknown" if math.isnan(each.chance) else step_cell(each.above_chance_from),
            step_cell(each.reached_from),
            number_cell(each.rho),
            p_cell(each.rho_p),
        ]
        for each in paths
    ]
    is_unknown = any(math.isnan(each.chance) for each in paths)
    unknown = " Where chance is unknown there is none; --chance X says it." if is_unknown else ""
    columns = [
        first.level,
        f"{first.axis}s",
        f"first ({first.axis})",
        f"final ({first.axis})",
        "above chance from",
        f"{first.reach_percent:g}% of final from",
        "Spearman",
        "p",
    ]
    return plain_table(
        f"{first.family} by {first.axis}: accuracy on the way",
        columns,
        rows,
        caption="Above chance: exact one-sided binomial test, p < .05, from there on at every "
        f"{first.axis}.{unknown}\nSpearman: accuracy with {first.axis}.",
    )


def _step_table(points: Sequence[TrainingPoint]) -> "Table":
    first = points[0]
    names = list(dict.fromkeys(point.name for point in points))
    steps: dict[tuple[float, str], dict[str, TrainingPoint]] = {}
    for point in points:
        steps.setdefault((point.axis_value, point.member), {})[point.name] = point
    rows = [
        [step_cell(key[0]), *(_accuracy_cell(steps[key].get(name)) for name in names)]
        for key in sorted(steps)
    ]
    return plain_table(
        f"{first.family} by {first.axis}: accuracy",
        [first.axis, *map(circuit_cell, names)],
        rows,
        caption="95% intervals: Wilson's of a share of items, the bootstrap's of a mean.",
    )


def _accuracy_cell(point: TrainingPoint | None) -> str:
    return "-" if point is None else interval_cell(point.accuracy, point)
