"""What tables for papers have in common: models, cells of accuracies, the best in bold."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pommel.analysis.accuracy_row import Accuracy
from pommel.analysis.subjects import families, subjects
from pommel.report.cells import family_header, mean_sd_cell, score_cell
from pommel.report.family_means import MAX_MEMBERS
from pommel.report.paper_table import Cell, text_cell
from pommel.report.statistics_cells import interval_cell
from pommel.scoring.run_record import RunRecord

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
        return family_header(self.label, self.n_members) if self.is_family else self.label


def shown_models(records: Sequence[RunRecord]) -> list[ShownModel]:
    """Return models in the order of their runs, the mean of seeds behind them.

    Of many seeds the mean is shown alone, as in tables for terminals.
    """
    found = subjects(records)
    of_seeds = [each for each in families(found) if each.axis == "seed" and len(each.members) > 1]
    family_of = {id(member): family for family in of_seeds for member in family.members}
    shown: list[ShownModel] = []
    for each in found:
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

    The interval is Wilson's, that of a mean over suites or predictions the bootstrap's. `n_items`
    is how many items the suite has: a share of fewer says of how many.
    """
    if row is None:
        return Cell()
    if model.is_family:
        of = f" (n = {row.n_members})" if row.n_members < model.n_members else ""
        shown = f"{mean_sd_cell(row.accuracy, row.sd)}{of}"
        return text_cell(shown if row.n_members else "-")
    if not has_interval:
        return text_cell(score_cell(row.accuracy))
    shown = interval_cell(row.accuracy, row.interval())
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


def row_of(rows: Sequence[Accuracy]) -> Callable[[ShownModel], Accuracy | None]:
    """Return what finds a model's row among those of one unit."""
    found = {(row.label, row.is_family): row for row in rows}
    return lambda model: found.get((model.label, model.is_family))
