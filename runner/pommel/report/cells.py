"""What tables of scores have in common: their cells, and the order of their suites."""

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pommel.analysis.model_row import ModelRow
from pommel.report.plain_table import Row, add_sections
from pommel.scoring.results import PredictionResult
from pommel.statistics import Spread

if TYPE_CHECKING:
    from rich.table import Table


def number_cell(value: float, digits: int = 2, *, sign: str = "") -> str:
    """Return a number with so many digits, a dash for none (NaN); `sign` "+" shows a gain's."""
    # z: what rounds to zero has no minus.
    return "-" if math.isnan(value) else f"{value:{sign}z.{digits}f}"


def score_cell(score: float, *, sign: str = "") -> str:
    """Return a score, which has two digits, as `number_cell` does."""
    return number_cell(score, sign=sign)


def step_cell(step: float) -> str:
    """Return a step or another number of one's own as it is written, a dash for none (NaN)."""
    return "-" if math.isnan(step) else f"{step:.15g}"


def mean_sd_cell(mean: float, sd: float, *, sign: str = "") -> str:
    """Return "0.83 ± 0.05": a mean of scores, and their standard deviation or its own error."""
    return f"{score_cell(mean, sign=sign)} ± {score_cell(sd)}"


def spread_cell(scores: Spread, *, n_members: int, sign: str = "") -> str:
    """Return mean ± standard deviation of a family's scores, and of how many if not of all."""
    if not scores.n:
        return "-"
    # Above the column stands how many members there are; one that has failed has no score there.
    of = f" (n = {scores.n})" if scores.n < n_members else ""
    return f"{mean_sd_cell(scores.mean, scores.sd, sign=sign)}{of}"


def family_header(family: str, n_members: int) -> str:
    """Return what stands above such cells."""
    return f"{family} (mean ± sd, n = {n_members})"


def model_cell(row: ModelRow) -> str:
    """Return what stands for a model, or for the mean of a family."""
    return family_header(row.label, row.n_members) if row.is_family else row.label


def circuit_cell(circuit: str) -> str:
    """Return what stands for a circuit, or for none."""
    return circuit or "(none)"


def kept_margins(prediction: PredictionResult) -> list[float]:
    """Return the margins in bits of the items that are not skipped and have a finite one."""
    return [
        margin
        for margin, skipped in zip(prediction.margin_bits.tolist(), prediction.skipped, strict=True)
        if math.isfinite(margin) and not skipped
    ]


def prediction_cells(prediction: PredictionResult) -> tuple[str, str, str]:
    """Return what a prediction says, in how many items it holds, and the share of these."""
    n_holding, n_items = prediction.n_holding, prediction.n_items
    return (
        f"{prediction.prediction_id}: {prediction.description or prediction.formula}",
        f"{n_holding}/{n_items}",
        score_cell(n_holding / n_items if n_items else math.nan),
    )


def in_order(suites: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return (circuit, suite) pairs sorted, every one once; those without a circuit come last."""
    return sorted(set(suites), key=lambda each: (not each[0], each))


def add_suite_rows(
    table: "Table",
    suites: Iterable[tuple[str, str]],
    cells: Callable[[str], Iterable[str]],
) -> None:
    """Add a row a (circuit, suite) pair, in order; each circuit is a section, and named once.

    `cells` gives what stands behind a suite's name.
    """
    add_sections(
        table,
        (
            Row(section=circuit, cells=(circuit_cell(circuit), suite, *cells(suite)))
            for circuit, suite in in_order(suites)
        ),
    )
