"""Made-up results of families of models."""

from collections.abc import Sequence

import numpy as np

from pommel.models.family import Axis, Membership
from pommel.scoring.choices import ScoreRule
from pommel.scoring.results import PredictionResult, SuiteResult


def member(label: str, *, family: str = "lstm", axis: Axis = "seed") -> Membership:
    """Return a membership; the number at the end of the label is its value."""
    digits = label.lstrip("abcdefghijklmnopqrstuvwxyz-")
    value = float(digits) if digits else None
    return Membership(family=family, axis=axis, label=label, value=value)


def scored(
    suite: str, of: Membership | str, *holds: str, circuit: str = "", rule: ScoreRule = "all"
) -> SuiteResult:
    """Return the result of a member, or of a model; `holds` has a text of 1, 0 or - a prediction.

    An item with "-" is skipped.
    """
    membership = None if isinstance(of, str) else of
    return SuiteResult(
        suite_name=suite,
        circuit=circuit,
        model_name=f"{membership.family}/{membership.label}" if membership else str(of),
        score_rule=rule,
        item_numbers=tuple(range(1, len(holds[0]) + 1)) if holds else (1, 2),
        predictions=tuple(_prediction(number, marks) for number, marks in enumerate(holds)),
        membership=membership,
    )


def _prediction(number: int, marks: Sequence[str]) -> PredictionResult:
    nothing = np.zeros(len(marks), dtype=np.bool_)
    skipped = np.array([mark == "-" for mark in marks])
    return PredictionResult(
        prediction_id=number,
        formula="(1;%a%) < (1;%b%)",
        description="",
        holds=np.array([mark == "1" for mark in marks]),
        margin_bits=np.where(skipped, np.nan, 1.0),
        tie=nothing,
        defined=~nothing,
        swallowed=nothing,
        unscored=nothing,
        oov=nothing,
        skipped=skipped,
    )
