"""Rows about a model and a set of sentences as a tidy table."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from pommel.files.tables import frame_of_rows

if TYPE_CHECKING:
    import pandas as pd


def set_frame(
    rows: Iterable[Any], columns: Sequence[str], *, estimate: str, mean: str
) -> "pd.DataFrame":
    """Return one row each, with these columns.

    Rows are instances of a dataclass with `scores` (`SetScores`) and an `OverTemplates` in the
    field `estimate`, whose mean is in the column `mean`; their other fields are columns as they
    are.
    """
    return frame_of_rows([_row(each, estimate, mean) for each in rows], columns)


def _row(row: Any, estimate: str, mean: str) -> dict[str, object]:
    scores, found = row.scores, getattr(row, estimate)
    return {
        **{field.name: getattr(row, field.name) for field in fields(row)},
        "model_name": scores.model,
        "suite": scores.suite,
        "circuit": scores.circuit,
        "language": scores.language,
        mean: found.mean,
        "n_templates": found.n_templates,
        "low": found.low,
        "high": found.high,
        "sd": found.sd,
        "n_unscored": scores.n_unscored,
        "n_skipped": scores.n_skipped,
    }
