"""Accuracies as a tidy table."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pommel.analysis.accuracy_row import Accuracy
from pommel.analysis.suite_parts import COUNTS
from pommel.files.tables import frame_of_rows

if TYPE_CHECKING:
    import pandas as pd

ACCURACY_COLUMNS = (
    "level",
    "model_name",
    "variant",
    "source",
    "score_rule",
    "family",
    "axis",
    "member",
    "axis_value",
    "n_members",
    "language",
    "circuit",
    "group",
    "suite",
    "prediction_id",
    "n_suites",
    "accuracy",
    "bootstrap_low",
    "bootstrap_high",
    "sd",
    "sd_population",
    "n_items",
    "n_holding",
    "pooled_accuracy",
    "wilson_low",
    "wilson_high",
    "exact_low",
    "exact_high",
    "chance",
    "p_above",
    "p_below",
    "mark",
    "n_margins",
    "margin_bits",
    "margin_low_bits",
    "margin_high_bits",
    "median_margin_bits",
    *COUNTS,
)


def accuracy_frame(rows: Sequence[Accuracy]) -> "pd.DataFrame":
    """Return one row each; what is not known is missing.

    `member` is missing for families, `family` for models of none.
    """
    return frame_of_rows(
        [{**_about(each), **_reached(each), **each.counts} for each in rows], ACCURACY_COLUMNS
    )


def _about(row: Accuracy) -> dict[str, Any]:
    """Return what a row is about: the model, and the suites."""
    member = row.membership
    value = None if member is None or row.is_family else member.value
    return {
        "level": row.level,
        "model_name": row.model_name,
        "variant": row.variant,
        "source": row.source,
        "score_rule": row.score_rule,
        "family": member.family if member else None,
        "axis": member.axis if member else None,
        "member": member.label if member and not row.is_family else None,
        "axis_value": math.nan if value is None else value,
        "n_members": row.n_members,
        **asdict(row.unit),
        "n_suites": len(row.suites),
    }


def _reached(row: Accuracy) -> dict[str, Any]:
    """Return what the model reaches, with intervals and tests."""
    margin = row.margin_bits
    return {
        "accuracy": row.accuracy,
        "bootstrap_low": row.bootstrap.low,
        "bootstrap_high": row.bootstrap.high,
        "sd": row.sd,
        "sd_population": row.sd_population,
        "n_items": row.n_items,
        "n_holding": row.n_holding,
        "pooled_accuracy": row.pooled_accuracy,
        "wilson_low": row.wilson.low,
        "wilson_high": row.wilson.high,
        "exact_low": row.exact.low,
        "exact_high": row.exact.high,
        "chance": row.chance,
        "p_above": row.p_above,
        "p_below": row.p_below,
        "mark": row.mark,
        "n_margins": margin.n,
        "margin_bits": margin.mean,
        "margin_low_bits": margin.low,
        "margin_high_bits": margin.high,
        "median_margin_bits": row.median_margin_bits,
    }
