"""Mixed-effects logistic regression over items, with crossed random intercepts.

By variational Bayes (statsmodels' `BinomialBayesMixedGLM`); see `variational.posterior` for what is
added to it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from pommel.analysis.mixed_design import INTERCEPT, MixedDesign, mixed_design
from pommel.analysis.mixed_freedom import Freedom, freedoms
from pommel.analysis.variational import Posterior, posterior
from pommel.errors import PommelError, counted
from pommel.files.tables import frame_of_rows
from pommel.statistics import CONFIDENCE

if TYPE_CHECKING:
    import pandas as pd

APPROXIMATION = (
    "Variational Bayes (statsmodels), an approximation; the intervals of spreads are too narrow."
)

# So many standard deviations on either side make an interval.
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

# With fewer rows a level than that, on average, most levels cannot differ from their own noise.
_FEWEST_ROWS = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """A fixed effect in log odds: posterior mean and sd, 95% interval, and two-sided p (Wald).

    Interval and p are those of t with `n_free` degrees of freedom (see `mixed_freedom`), of the
    normal distribution where these are infinitely many.
    """

    name: str
    estimate: float
    sd: float
    low: float
    high: float
    p: float
    n_free: float = math.inf

    @property
    def odds_ratio(self) -> float:
        """By what the odds are multiplied when the effect grows by 1."""
        return math.exp(self.estimate)


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceComponent:
    """How far a column's random intercepts spread: their sd in log odds, with a 95% interval."""

    name: str
    n_levels: int
    sd: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedFit:
    """A fitted model; `notes` say what a reader should know, in plain words."""

    fixed: str
    n_rows: int
    n_holding: int
    coefficients: tuple[Coefficient, ...]
    components: tuple[VarianceComponent, ...]
    notes: tuple[str, ...]


def fit_mixed(frame: "pd.DataFrame", *, fixed: str, random: Sequence[str]) -> MixedFit:
    """Fit `holds ~ fixed`, with a random intercept for each column of `random`.

    `frame` is that of `item_table`. Raises as `mixed_design` and `freedoms` do, and
    `PommelError` if the stats extra is missing, and if the fit does not converge.
    """
    _check_extra()
    design = mixed_design(frame, fixed=fixed, random=random)
    free = freedoms(design)
    found = posterior(design)
    notes = [f"statsmodels: {text}" for text in found.warnings]
    if design.n_left_out:
        what = counted(design.n_left_out, "row")
        notes.append(f"{what} left out: a column that the model needs is missing there")
    n_rows = len(design.outcomes)
    notes += [
        f"most values of {each.name} have one row only: their spread is hardly known"
        for each in design.random
        if n_rows < _FEWEST_ROWS * each.n_levels
    ]
    notes += [each.note for each in free if each.note]
    sds = np.sqrt(np.diag(found.covariance))
    coefficients = [
        _coefficient(own, estimate, sd)
        for own, estimate, sd in zip(free, found.effects.tolist(), sds.tolist(), strict=True)
    ]
    return MixedFit(
        fixed=fixed,
        n_rows=n_rows,
        n_holding=int(design.outcomes.sum()),
        coefficients=tuple(coefficients),
        components=tuple(_components(design, found)),
        notes=tuple(notes),
    )


def _check_extra() -> None:
    try:
        import patsy  # noqa: F401, PLC0415 - an extra
        import statsmodels  # noqa: F401, PLC0415 - an extra
    except ImportError:
        message = "mixed models need the stats extra: pip install 'pommel[stats]'"
        raise PommelError(message) from None


def _components(design: MixedDesign, found: Posterior) -> list[VarianceComponent]:
    return [
        VarianceComponent(
            name=each.name,
            n_levels=each.n_levels,
            sd=math.exp(log_sd),
            low=math.exp(log_sd - _Z * sd_of_log),
            high=math.exp(log_sd + _Z * sd_of_log),
        )
        for each, log_sd, sd_of_log in zip(
            design.random, found.log_spreads.tolist(), found.log_spread_sds.tolist(), strict=True
        )
    ]


def _coefficient(free: Freedom, estimate: float, sd: float) -> Coefficient:
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - takes longer to import than pommel

    n_free, size = free.n_free, abs(estimate) / sd
    is_normal = math.isinf(n_free)
    half = sd * (_Z if is_normal else float(stdtrit(n_free, (1 + CONFIDENCE) / 2)))
    return Coefficient(
        name="(Intercept)" if free.name == INTERCEPT else free.name,
        estimate=estimate,
        sd=sd,
        low=estimate - half,
        high=estimate + half,
        p=math.erfc(size / math.sqrt(2)) if is_normal else 2 * float(stdtr(n_free, -size)),
        n_free=n_free,
    )


MIXED_COLUMNS = (
    "part",
    "term",
    "n_levels",
    "estimate",
    "sd",
    "low",
    "high",
    "p",
    "df",
    "odds_ratio",
    "odds_ratio_low",
    "odds_ratio_high",
)


def mixed_frame(fit: MixedFit) -> "pd.DataFrame":
    """Return one row a coefficient ("fixed") and random intercept ("random": its spread)."""
    rows: list[dict[str, Any]] = [
        {
            "part": "fixed",
            "term": each.name,
            "n_levels": None,
            "estimate": each.estimate,
            "sd": each.sd,
            "low": each.low,
            "high": each.high,
            "p": each.p,
            "df": each.n_free if math.isfinite(each.n_free) else math.nan,
            "odds_ratio": each.odds_ratio,
            "odds_ratio_low": math.exp(each.low),
            "odds_ratio_high": math.exp(each.high),
        }
        for each in fit.coefficients
    ]
    rows += [
        {
            "part": "random",
            "term": each.name,
            "n_levels": each.n_levels,
            "estimate": each.sd,
            "low": each.low,
            "high": each.high,
        }
        for each in fit.components
    ]
    frame = frame_of_rows(rows, MIXED_COLUMNS)
    return frame.astype({"n_levels": "Int64"})
