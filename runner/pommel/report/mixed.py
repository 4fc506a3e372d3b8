"""A mixed-effects logistic regression as tables for people."""

import math
from typing import TYPE_CHECKING

from pommel.analysis.mixed import APPROXIMATION, Coefficient, MixedFit
from pommel.report.cells import number_cell
from pommel.report.plain_table import plain_table
from pommel.report.statistics_cells import interval_cell

if TYPE_CHECKING:
    from rich.table import Table

_LEAST_P = 0.001


def mixed_tables(fit: MixedFit) -> "list[Table]":
    """Return the table of fixed effects, and that of random intercepts if there are any."""
    return [_coefficient_table(fit), *([_component_table(fit)] if fit.components else [])]


def _coefficient_table(fit: MixedFit) -> "Table":
    """Return one row a fixed effect: log odds, odds ratio, p."""
    rows = [
        [
            each.name,
            interval_cell(each.estimate, each, 3, sign="+"),
            number_cell(each.sd, 3),
            _odds(each),
            f"< {_LEAST_P}" if each.p < _LEAST_P else number_cell(each.p, 3),
        ]
        for each in fit.coefficients
    ]
    return plain_table(
        f"holds ~ {fit.fixed}",
        ["fixed effect", "log odds", "sd", "odds ratio", "p"],
        rows,
        caption=f"{fit.n_rows} rows, of which {fit.n_holding} hold. [95% interval]; p: Wald, "
        f"two-sided, by t (--format csv: df).\n{APPROXIMATION}",
    )


def _component_table(fit: MixedFit) -> "Table":
    """Return one row a random intercept: how far it spreads."""
    rows = [
        [each.name, str(each.n_levels), interval_cell(each.sd, each, 3)] for each in fit.components
    ]
    return plain_table("Random intercepts", ["by", "levels", "sd (log odds)"], rows)


def _odds(each: Coefficient) -> str:
    return f"{each.odds_ratio:.3g} [{math.exp(each.low):.3g}, {math.exp(each.high):.3g}]"
