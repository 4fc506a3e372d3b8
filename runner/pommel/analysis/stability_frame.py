"""Stability as a tidy table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pommel.analysis.stability import StabilityRow
from pommel.files.tables import frame_of_rows

if TYPE_CHECKING:
    import pandas as pd

STABILITY_COLUMNS = (
    "model_name",
    "variant",
    "source",
    "score_rule",
    "is_family",
    "n_members",
    "level",
    "language",
    "suite",
    "modified_suite",
    "n_suites",
    "n_modified_suites",
    "accuracy",
    "modified_accuracy",
    "difference",
    "difference_low",
    "difference_high",
    "sd",
    "sd_population",
)


def stability_frame(rows: Sequence[StabilityRow]) -> "pd.DataFrame":
    """Return one row each: `level` is "pair", or "mean" over the suites without material."""
    return frame_of_rows([_row(each) for each in rows], STABILITY_COLUMNS)


def _row(row: StabilityRow) -> dict[str, Any]:
    return {
        "model_name": row.model_name,
        "variant": row.variant,
        "source": row.source,
        "score_rule": row.score_rule,
        "is_family": row.is_family,
        "n_members": row.n_members,
        "level": "pair" if row.pairing.base else "mean",
        "language": row.pairing.language,
        "suite": row.pairing.base,
        "modified_suite": row.pairing.modified,
        "n_suites": row.n_bases,
        "n_modified_suites": row.n_modified,
        "accuracy": row.accuracy_base,
        "modified_accuracy": row.accuracy_modified,
        "difference": row.difference,
        "difference_low": row.interval.low,
        "difference_high": row.interval.high,
        "sd": row.sd,
        "sd_population": row.sd_population,
    }
