"""Stability as a table for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pommel.analysis.model_row import without_lone_families
from pommel.analysis.stability import StabilityRow
from pommel.report.cells import mean_sd_cell, model_cell, score_cell
from pommel.report.plain_table import Row, add_sections, empty_table
from pommel.report.statistics_cells import interval_cell

if TYPE_CHECKING:
    from rich.table import Table


def stability_table(rows: Sequence[StabilityRow]) -> "Table":
    """Return one row a pair of suites and one for their mean, a section a model.

    Families of one member are left out.
    """
    shown = without_lone_families(rows)
    languages = {row.pairing.language for row in shown if row.pairing.base}
    table = empty_table(
        "Suites without and with intervening material",
        names=("model", "without", "with"),
        numbers=("accuracy without", "with", "difference"),
        caption=_caption(shown),
    )
    add_sections(table, (_row(row, is_named=len(languages) > 1) for row in shown))
    return table


def _row(row: StabilityRow, *, is_named: bool) -> Row:
    model = model_cell(row)
    return Row(
        section=model,
        cells=(
            model,
            *_pair(row, is_named=is_named),
            score_cell(row.accuracy_base),
            score_cell(row.accuracy_modified),
            _difference(row),
        ),
        style=None if row.pairing.base else "bold",
    )


def _pair(row: StabilityRow, *, is_named: bool) -> tuple[str, str]:
    """Return the two suites, with their language if that is to be named."""
    pairing = row.pairing
    if not pairing.base:
        return f"mean of {row.n_bases}", f"of {row.n_modified}"
    language = f" ({pairing.language})" if is_named else ""
    return f"{pairing.base}{language}", pairing.modified


def _difference(row: StabilityRow) -> str:
    if row.is_family:
        return mean_sd_cell(row.difference, row.sd, sign="+")
    return interval_cell(row.difference, row.interval, sign="+")


def _caption(rows: Sequence[StabilityRow]) -> str:
    caption = (
        "Difference: with - without [95% bootstrap interval, items drawn again within each suite]."
    )
    if any(row.is_family for row in rows):
        caption += "\nsd: of a sample (n - 1), over members."
    if any(row.n_modified > row.n_bases for row in rows):
        caption += (
            "\nMeans count a suite once, those with material that belong to it by their mean."
        )
    return caption
