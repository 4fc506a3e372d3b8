"""By how much models are better on one suite than on another.

Kryvosheieva and Levy (2025) give the mean over models of such a difference.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pommel.analysis.model_scores import Pooling, model_scores, pooled, suites_by
from pommel.errors import UsageError, nearest
from pommel.files.tables import frame_of_instances
from pommel.scoring.run_record import RunRecord
from pommel.statistics import mean_interval, sign_flip_p, spread

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteDifference:
    """By how much the accuracy on one suite is above that on another: the mean over models.

    `low` and `high` are the 95% t interval of the mean over models, for three or more, and `p` is
    two-sided, by turning the signs of the models' differences (see `statistics.sign_flip_p`). A
    bootstrap over a few models would have intervals that are far too narrow. NaN for one model
    alone, as the standard error.
    """

    models: str
    suite: str
    other_suite: str
    n_models: int
    difference: float
    standard_error: float
    low: float
    high: float
    p: float


def suite_differences(
    records: Sequence[RunRecord], suite: str, other_suite: str, *, pooling: Pooling = "none"
) -> list[SuiteDifference]:
    """Return by how much accuracy on `suite` is above that on `other_suite`, model by model.

    The last row is that of all models together, if there are several. Raises `UsageError` for a
    suite that there is not, and as `pooled` does.
    """
    keys = {name: own[0] for name, own in suites_by(records, "suite").items()}
    for name in (suite, other_suite):
        if name not in keys:
            meant = nearest(name, keys)
            hint = f"; did you mean {meant!r}?" if meant else ""
            raise UsageError(f"no run is on the suite {name!r}{hint}")
    models = model_scores(records)
    pools = pooled(models, pooling)
    if len(pools) > 1:
        pools.update(pooled(models, "all"))
    pairs = {
        label: [
            (scores.get(keys[suite]), scores.get(keys[other_suite]))
            for scores in (each.on([keys[suite], keys[other_suite]]).scores for each in own)
        ]
        for label, own in pools.items()
    }
    return [
        _difference(
            label, suite, other_suite, [a - b for a, b in own if a is not None and b is not None]
        )
        for label, own in pairs.items()
    ]


def differences_frame(differences: Iterable[SuiteDifference]) -> "pd.DataFrame":
    """One row a model (family), and one for all."""
    return frame_of_instances(SuiteDifference, differences)


def _difference(
    name: str, suite: str, other_suite: str, differences: Sequence[float]
) -> SuiteDifference:
    found, interval = spread(differences), mean_interval(differences)
    return SuiteDifference(
        models=name,
        suite=suite,
        other_suite=other_suite,
        n_models=found.n,
        difference=found.mean,
        standard_error=found.standard_error,
        low=interval.low,
        high=interval.high,
        p=sign_flip_p([differences]),
    )
