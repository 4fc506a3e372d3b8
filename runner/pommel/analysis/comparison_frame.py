"""A comparison as a tidy table."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pommel.analysis.comparison import ComparedRow, Comparison
from pommel.files.tables import frame_of_rows

if TYPE_CHECKING:
    import pandas as pd

_COUNTS = ("n_both", "n_only_a", "n_only_b", "n_neither")

COMPARISON_COLUMNS = (
    "level",
    "model_a",
    "model_b",
    "n_members_a",
    "n_members_b",
    "score_rule",
    "language",
    "circuit",
    "group",
    "suite",
    "prediction_id",
    "n_suites",
    "n_items",
    "n_unmatched_a",
    "n_unmatched_b",
    "n_incomplete_a",
    "n_incomplete_b",
    *_COUNTS,
    "accuracy_a",
    "accuracy_b",
    "difference",
    "difference_low",
    "difference_high",
    "p_difference",
    "p_difference_holm",
    "p_mcnemar",
    "p_mcnemar_holm",
    "n_margins",
    "margin_a_bits",
    "margin_b_bits",
    "margin_difference_bits",
    "margin_difference_low_bits",
    "margin_difference_high_bits",
    "p_margin",
    "p_margin_holm",
)


def comparison_frame(comparison: Comparison) -> "pd.DataFrame":
    """Return one row a suite (and prediction, under "each"), circuit, and one for all suites."""
    shared = {
        "model_a": comparison.a.label,
        "model_b": comparison.b.label,
        "n_members_a": len(comparison.a.members),
        "n_members_b": len(comparison.b.members),
        "score_rule": comparison.a.score_rule,
    }
    rows = [{**shared, **_row(each)} for each in comparison.rows]
    frame = frame_of_rows(rows, COMPARISON_COLUMNS)
    return frame.astype(dict.fromkeys(_COUNTS, "Int64"))


def _row(row: ComparedRow) -> dict[str, Any]:
    margin = row.margin_difference_bits
    return {
        "level": row.level,
        **asdict(row.unit),
        "n_suites": row.n_suites,
        "n_items": row.n_items,
        "n_unmatched_a": row.n_unmatched_a,
        "n_unmatched_b": row.n_unmatched_b,
        "n_incomplete_a": row.n_incomplete_a,
        "n_incomplete_b": row.n_incomplete_b,
        **{name: getattr(row.counts, name, None) for name in _COUNTS},
        "accuracy_a": row.accuracy_a,
        "accuracy_b": row.accuracy_b,
        "difference": row.difference.mean,
        "difference_low": row.difference.low,
        "difference_high": row.difference.high,
        "p_difference": row.difference.p,
        "p_difference_holm": row.p_difference_holm,
        "p_mcnemar": row.p_mcnemar,
        "p_mcnemar_holm": row.p_mcnemar_holm,
        "n_margins": margin.n,
        "margin_a_bits": row.margin_a_bits,
        "margin_b_bits": row.margin_b_bits,
        "margin_difference_bits": margin.mean,
        "margin_difference_low_bits": margin.low,
        "margin_difference_high_bits": margin.high,
        "p_margin": margin.p,
        "p_margin_holm": row.p_margin_holm,
    }
