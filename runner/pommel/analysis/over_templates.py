"""What the templates of a set come to together."""

from collections.abc import Iterable
from dataclasses import dataclass

from pommel.statistics import N_RESAMPLES, bootstrap_mean, spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """How the bootstrap over templates draws."""

    n_resamples: int = N_RESAMPLES
    seed: int = 0


USUAL_RESAMPLING = Resampling()


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTemplates:
    """The unweighted mean over templates, its 95% bootstrap interval, and their sd (n - 1)."""

    n_templates: int
    mean: float
    low: float
    high: float
    sd: float


def over_templates(values: Iterable[float], resampling: Resampling) -> OverTemplates:
    """Return what one value a template comes to; NaN where there are too few of them."""
    known = list(values)
    estimate = bootstrap_mean(known, n_resamples=resampling.n_resamples, seed=resampling.seed)
    is_finite = all(abs(value) < float("inf") for value in known)
    return OverTemplates(
        n_templates=estimate.n,
        mean=estimate.mean,
        low=estimate.low,
        high=estimate.high,
        sd=spread(known).sd if is_finite else float("nan"),
    )
