"""Variational Bayes for a logistic regression with crossed random intercepts, by statsmodels."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from pommel.analysis.mixed_design import INTERCEPT, MixedDesign, Values
from pommel.errors import PommelError, first_line

# Priors: normal around 0, with these standard deviations, of the coefficients of effects scaled to
# a standard deviation of 1, and of the logarithm of a spread.
_PRIOR_SD_OF_EFFECTS = 10.0
_PRIOR_SD_OF_LOG_SPREADS = 1.0

_MOST_ITERATIONS = 10_000

# Points of the quadrature over a row's log odds, which are normal in the posterior.
_N_POINTS = 15


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Posterior:
    """An approximate posterior.

    `effects` are the means of the coefficients, (n_effects,), and `covariance` is theirs,
    (n_effects, n_effects). `log_spreads` and `log_spread_sds` are the means and standard deviations
    of the logarithms of the spreads, (n_random,). `warnings` are those of statsmodels.
    """

    effects: Values
    covariance: Values
    log_spreads: Values
    log_spread_sds: Values
    warnings: tuple[str, ...]


def posterior(design: MixedDesign) -> Posterior:
    """Return the posterior of a design; raises `PommelError` if the fit does not converge.

    Means are those of the variational fit, all of whose parameters are independent. It takes a
    coefficient for as certain as if the random intercepts were known: that of an effect of models
    would not know that models differ. So the covariance is that of the Gaussian with the fit's
    means and expected curvature (Opper and Archambeau 2009), random intercepts integrated out.
    """
    shifts, scales = _scaling(design)
    scaled = (design.effects - shifts) / scales
    levels = indicators(design)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = _variational_fit(design, scaled, levels)
    if not fit.optim_retvals.success:
        raise PommelError(
            f"the mixed model has not converged ({first_line(Exception(fit.optim_retvals.message))}"
            "): choose more runs, or fewer effects"
        )
    effects = fit.fe_mean / scales
    if INTERCEPT in design.effect_names:
        effects[design.effect_names.index(INTERCEPT)] -= effects @ shifts
    means = scaled @ fit.fe_mean + levels @ fit.vc_mean
    variances = scaled**2 @ fit.fe_sd**2 + levels @ fit.vc_sd**2
    # Trial steps may overflow; where the fit has converged, that says nothing.
    texts = [str(one.message) for one in caught if not issubclass(one.category, RuntimeWarning)]
    return Posterior(
        effects=effects,
        covariance=covariance_of(
            design, levels, expected_weights(means, variances), np.exp(-2 * fit.vcp_mean)
        ),
        log_spreads=fit.vcp_mean,
        log_spread_sds=fit.vcp_sd,
        warnings=tuple(dict.fromkeys(texts)),
    )


def _scaling(design: MixedDesign) -> tuple[Values, Values]:
    """Return what is taken off each effect, and by what it is divided then."""
    sds = design.effects.std(axis=0)
    is_varying = sds > 0
    has_intercept = INTERCEPT in design.effect_names
    # Without an intercept, taking something off would be another model.
    shifts = np.where(is_varying & has_intercept, design.effects.mean(axis=0), 0.0)
    return shifts, np.where(is_varying, sds, 1.0)


def _variational_fit(design: MixedDesign, effects: Values, levels: Any) -> Any:
    from statsmodels.genmod.bayes_mixed_glm import (  # noqa: PLC0415 - an extra
        BinomialBayesMixedGLM,
    )

    ident = np.repeat(np.arange(len(design.random)), [each.n_levels for each in design.random])
    model = BinomialBayesMixedGLM(
        design.outcomes,
        effects,
        levels,
        ident,
        vcp_p=_PRIOR_SD_OF_LOG_SPREADS,
        fe_p=_PRIOR_SD_OF_EFFECTS,
    )
    n = effects.shape[1] + len(design.random) + len(ident)
    # A start of its own makes the result repeat; the default method needs n^2 numbers.
    return model.fit_vb(
        mean=np.zeros(n),
        sd=np.full(n, 0.5),
        fit_method="L-BFGS-B",
        minim_opts={"maxiter": _MOST_ITERATIONS, "maxfun": 10 * _MOST_ITERATIONS},
    )


def indicators(design: MixedDesign) -> Any:
    """Return the sparse matrix (n_rows, n_levels of all) that says which levels a row has."""
    from scipy import sparse  # noqa: PLC0415 - takes longer to import than pommel

    n_rows = len(design.outcomes)
    return sparse.hstack(
        [
            sparse.csr_array(
                (np.ones(n_rows), (np.arange(n_rows), each.codes)), shape=(n_rows, each.n_levels)
            )
            for each in design.random
        ],
        format="csr",
    )


def expected_weights(means: Values, variances: Values) -> Values:
    """Return the expected p (1 - p) of each row, whose log odds are normal, (n_rows,)."""
    from scipy.special import expit  # noqa: PLC0415 - takes longer to import than pommel

    points, shares = np.polynomial.hermite_e.hermegauss(_N_POINTS)
    log_odds = means[:, np.newaxis] + np.sqrt(variances)[:, np.newaxis] * points
    p = expit(log_odds)
    return np.asarray((p * (1 - p)) @ shares / shares.sum())


def covariance_of(design: MixedDesign, levels: Any, weights: Values, precisions: Values) -> Values:
    """Return the covariance of the coefficients, given the curvature of each row's likelihood.

    `precisions` are those of the random intercepts, one a column of theirs.
    """
    from scipy import sparse  # noqa: PLC0415 - takes longer to import than pommel
    from scipy.sparse.linalg import splu  # noqa: PLC0415 - takes longer to import than pommel

    n_effects = design.effects.shape[1]
    matrix = sparse.hstack([sparse.csr_array(design.effects), levels], format="csr")
    of_levels = np.repeat(precisions, [each.n_levels for each in design.random])
    prior = sparse.diags_array(np.concatenate([np.zeros(n_effects), of_levels]))
    curvature = matrix.T @ matrix.multiply(weights[:, np.newaxis]) + prior
    unit = np.eye(curvature.shape[0], n_effects)
    return np.asarray(splu(curvature.tocsc()).solve(unit)[:n_effects])
