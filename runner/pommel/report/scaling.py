"""Slopes of accuracy against size as a table for people: suites x families."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pommel.analysis.scaling import AVERAGE, Scale, ScalingPoint, ScalingSlope
from pommel.report.cells import circuit_cell, number_cell, score_cell
from pommel.report.plain_table import plain_table

if TYPE_CHECKING:
    from rich.table import Table

_UNITS: dict[Scale, str] = {
    "linear": "billion parameters",
    "log": "power of ten of parameters",
}


def slope_table(slopes: Sequence[ScalingSlope]) -> "Table":
    """Return one row a suite (circuit, ...), one column a family, and the mean of the slopes."""
    families = list(dict.fromkeys(each.family for each in slopes))
    n_models = {
        family: max(each.n_models for each in slopes if each.family == family)
        for family in families
    }
    by_name: dict[str, dict[str, ScalingSlope]] = {}
    for each in slopes:
        by_name.setdefault(each.name, {})[each.family] = each
    headers = [
        family if family == AVERAGE else f"{family} (n = {n_models[family]})" for family in families
    ]
    rows = [
        [
            circuit_cell(name),
            *(_slope_cell(own[family], n_models[family]) for family in families),
        ]
        for name, own in by_name.items()
    ]
    scale = slopes[0].scale if slopes else "linear"
    level = slopes[0].level if slopes else "suite"
    return plain_table(
        f"Accuracy against size: percentage points per {_UNITS[scale]}",
        [level, *headers],
        rows,
        caption="Ordinary least squares over a family's models (n), the seeds of one with their "
        f"mean. {AVERAGE}: mean of the slopes.\n--format csv has r, p and the standard error.",
    )


def size_table(points: Sequence[ScalingPoint]) -> "Table":
    """Return one row a model, from the smallest on in its family; one column a suite (...)."""
    names = list(dict.fromkeys(each.name for each in points))
    models: dict[tuple[str, str, int], dict[str, ScalingPoint]] = {}
    for each in points:
        key = (each.family, each.model_name, each.n_parameters)
        models.setdefault(key, {})[each.name] = each
    families = list(dict.fromkeys(family for family, _, _ in models))
    ordered = sorted(models, key=lambda key: (families.index(key[0]), key[2]))
    rows = [
        [key[0], key[1], f"{key[2]:,}", *(score_cell(models[key][name].accuracy) for name in names)]
        for key in ordered
    ]
    columns = ["family", "model", "parameters", *map(circuit_cell, names)]
    return plain_table("Accuracy by size", columns, rows, n_names=2)


def _slope_cell(slope: ScalingSlope, n_models: int) -> str:
    # Above the column stands how many models there are; one that lacks the suite is not among them.
    is_average = slope.family == AVERAGE
    of = "" if is_average or slope.n_models == n_models else f" (n = {slope.n_models})"
    return number_cell(slope.slope_percent, 3) + of
