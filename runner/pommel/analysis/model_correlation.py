"""Rank correlations between models: do they find the same suites hard?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from pommel.analysis.correlation import Coefficient, correlated
from pommel.analysis.model_scores import ModelScores, model_scores
from pommel.files.tables import frame_of_instances
from pommel.scoring.run_record import RunRecord

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCorrelation:
    """How the scores of two models on the suites that both have go together."""

    model_name: str
    other_model: str
    coefficient: Coefficient
    n_suites: int
    value: float
    p: float


def model_correlations(
    records: Sequence[RunRecord], *, coefficient: Coefficient = "spearman"
) -> list[ModelCorrelation]:
    """Correlate the scores of every two models over the suites that both have a score on."""
    return [
        _model_correlation(first, second, coefficient)
        for first, second in combinations(model_scores(records), 2)
    ]


def models_frame(correlations: Iterable[ModelCorrelation]) -> "pd.DataFrame":
    """One row a pair of models."""
    return frame_of_instances(ModelCorrelation, correlations)


def _model_correlation(
    first: ModelScores, second: ModelScores, coefficient: Coefficient
) -> ModelCorrelation:
    shared = [key for key in first.scores if key in second.scores]
    found = correlated(
        [first.scores[key] for key in shared], [second.scores[key] for key in shared], coefficient
    )
    return ModelCorrelation(
        model_name=first.label,
        other_model=second.label,
        coefficient=coefficient,
        n_suites=found.n,
        value=found.rho,
        p=found.p,
    )
