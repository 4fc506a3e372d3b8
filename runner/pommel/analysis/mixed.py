"""Mixed-effects logistic regression over items, with crossed random intercepts.

By variational Bayes (statsmodels' `BinomialBayesMixedGLM`); see `posterior` for what is added.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pommel.analysis.cells import Answer, interval_cell, number_cell, plain_table
from pommel.analysis.items import ItemTable
from pommel.errors import PommelError, UsageError, counted, first_line, listed, nearest
from pommel.files import frame_of_rows
from pommel.scoring import RunRecord
from pommel.statistics import Interval

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


APPROXIMATION = (
    "Variational Bayes (statsmodels), an approximation; the intervals of spreads are too narrow."
)

# So many standard deviations on either side make an interval.

# With fewer rows a level than that, on average, most levels cannot differ from their own noise.
_FEWEST_ROWS = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """A fixed effect in log odds: posterior mean and sd, 95% interval, and two-sided p (Wald).

    Interval and p are those of t with `n_free` degrees of freedom (see `freedoms`), of the
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


_LEAST_P = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedFit(Answer):
    """A fitted model; `notes` say what a reader should know, in plain words."""

    fixed: str
    n_rows: int
    n_holding: int
    coefficients: tuple[Coefficient, ...]
    components: tuple[VarianceComponent, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, records: Sequence[RunRecord], *, fixed: str, random: Sequence[str]) -> "MixedFit":
        """Fit a model to the items of runs, as `of_items` does."""
        items = ItemTable.of(records)
        fit = cls.of_items(items.rows, fixed=fixed, random=random)
        return replace(fit, notes=(*items.notes, *fit.notes))

    @classmethod
    def of_items(cls, items: "pd.DataFrame", *, fixed: str, random: Sequence[str]) -> "MixedFit":
        """Fit `holds ~ fixed`, with a random intercept for each column of `random`.

        `items` are the rows of `ItemTable`. Raises as `mixed_design` and `freedoms` do, and
        `PommelError` if the stats extra is missing, and if the fit does not converge.
        """
        _check_extra()
        design = mixed_design(items, fixed=fixed, random=random)
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
        return cls(
            fixed=fixed,
            n_rows=n_rows,
            n_holding=int(design.outcomes.sum()),
            coefficients=tuple(coefficients),
            components=tuple(_components(design, found)),
            notes=tuple(notes),
        )

    def frame(self) -> "pd.DataFrame":
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
            for each in self.coefficients
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
            for each in self.components
        ]
        frame = frame_of_rows(rows, MIXED_COLUMNS)
        return frame.astype({"n_levels": "Int64"})

    def tables(self) -> "list[Table]":
        """Return the table of fixed effects, and that of random intercepts if there are any."""
        return [self._coefficient_table(), *([self._component_table()] if self.components else [])]

    def _coefficient_table(self) -> "Table":
        """Return one row a fixed effect: log odds, odds ratio, p."""
        rows = [
            [
                each.name,
                interval_cell(each.estimate, each, 3, sign="+"),
                number_cell(each.sd, 3),
                _odds(each),
                f"< {_LEAST_P}" if each.p < _LEAST_P else number_cell(each.p, 3),
            ]
            for each in self.coefficients
        ]
        return plain_table(
            f"holds ~ {self.fixed}",
            names=["fixed effect"],
            numbers=["log odds", "sd", "odds ratio", "p"],
            rows=rows,
            caption=f"{self.n_rows} rows, of which {self.n_holding} hold. [95% interval]; p: Wald, "
            f"two-sided, by t (--format csv: df).\n{APPROXIMATION}",
        )

    def _component_table(self) -> "Table":
        """Return one row a random intercept: how far it spreads."""
        rows = [
            [each.name, str(each.n_levels), interval_cell(each.sd, each, 3)]
            for each in self.components
        ]
        return plain_table(
            "Random intercepts", names=["by"], numbers=["levels", "sd (log odds)"], rows=rows
        )


def _check_extra() -> None:
    try:
        import patsy  # noqa: F401, PLC0415 - an extra
        import statsmodels  # noqa: F401, PLC0415 - an extra
    except ImportError:
        message = "mixed models need the stats extra: pip install 'pommel[stats]'"
        raise PommelError(message) from None


# From a table of items and the names of its columns to matrices.

# What the fixed effects explain: whether the prediction holds in the item, 0 or 1.
OUTCOME = "holds"

# What patsy calls the effect that is 1 in every row.
INTERCEPT = "Intercept"

_FEWEST_LEVELS = 2
_ROUNDING = 1e-9

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RandomIntercept:
    """A column of which every value (level) has an intercept of its own.

    `codes` has the level of every row, (n_rows,), counted from 0.
    """

    name: str
    codes: NDArray[np.intp]
    n_levels: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MixedDesign:
    """Outcomes (n_rows,), 0 or 1; fixed effects (n_rows, n_effects), named; random intercepts.

    `n_left_out` counts the rows of the table in which a column that is needed is missing.
    """

    outcomes: Values
    effects: Values
    effect_names: tuple[str, ...]
    random: tuple[RandomIntercept, ...]
    n_left_out: int


def mixed_design(frame: "pd.DataFrame", *, fixed: str, random: Sequence[str]) -> MixedDesign:
    """Return the matrices of the model `holds ~ fixed` with random intercepts.

    `fixed` is the right side of a formula in Wilkinson's notation, as patsy reads it. Raises
    `UsageError` for a formula that makes no sense and for columns that the table does not have, and
    `PommelError` for rows on which no such model can be fitted: outcomes that are all the same, an
    effect that is constant, effects that depend on each other, that separate the outcomes, and
    random intercepts of one level or of as many as there are rows.
    """
    if not random:
        raise UsageError("a mixed model needs a random intercept, at least one")
    columns = frame.columns.tolist()
    for name in random:
        if name not in columns:
            raise _no_such_column(name, columns)
        if name == OUTCOME:
            raise UsageError(f"{name} is what is explained, and has no random intercept")
    known = frame.dropna(subset=list(random))
    effects = _effects(fixed, known)
    known = known.loc[effects.index]
    if not len(known):
        raise PommelError(f"no row has all that {fixed!r} needs; 'pommel stats items' shows them")
    design = MixedDesign(
        outcomes=known[OUTCOME].to_numpy(dtype=np.float64),
        effects=effects.to_numpy(dtype=np.float64),
        effect_names=tuple(map(str, effects.columns)),
        random=tuple(_intercept(name, known[name]) for name in dict.fromkeys(random)),
        n_left_out=len(frame) - len(known),
    )
    _check(design)
    return design


def _effects(fixed: str, frame: "pd.DataFrame") -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - `import pommel` stays fast without it
    import patsy  # noqa: PLC0415 - an extra

    if "~" in fixed:
        raise UsageError(f"{fixed!r}: write the right side of the formula alone, without a '~'")
    # Text columns are factors; what is empty text is missing, as it is in the files.
    data = pd.DataFrame(
        {
            name: column.to_numpy(dtype=np.float64, na_value=np.nan)
            if column.dtype.kind in "iuf"
            else column.replace("", None).to_numpy(dtype=object)
            for name, column in frame.items()
        },
        index=frame.index,
    )
    try:
        # A formula has names for the table's columns, patsy's own functions and numpy.
        names = patsy.EvalEnvironment([{"np": np}])
        effects: pd.DataFrame = patsy.dmatrix(fixed, data, eval_env=names, return_type="dataframe")
    except Exception as error:  # noqa: BLE001 - a formula computes: anything may come of it
        raise _refused(fixed, error, frame.columns.tolist()) from None
    for each in effects.design_info.factor_infos.values():
        if each.type == "categorical" and len(each.categories) < _FEWEST_LEVELS:
            raise _constant(each.factor.name(), each.categories[0])
    return effects


def _constant(name: str, value: object) -> PommelError:
    return PommelError(
        f"{name} is {value} in every row, and explains nothing: leave it out of --fixed, or choose "
        "runs that differ in it"
    )


def _refused(fixed: str, error: Exception, columns: Sequence[str]) -> PommelError:
    """Return what to say of a formula that patsy does not take, whatever it raises."""
    cause = error.__cause__ or error
    if isinstance(cause, NameError) and cause.name:
        return _no_such_column(cause.name, columns)
    return UsageError(f"{fixed!r}: {first_line(error)}")


def _no_such_column(name: str, columns: Sequence[str]) -> UsageError:
    meant = nearest(name, columns)
    hint = f"; did you mean {meant}?" if meant else f"; there are {listed(columns, most=50)}"
    return UsageError(f"there is no column {name!r}{hint}")


def _intercept(name: str, column: Any) -> RandomIntercept:
    import pandas as pd  # noqa: PLC0415 - `import pommel` stays fast without it

    codes, levels = pd.factorize(column)
    return RandomIntercept(name=name, codes=codes, n_levels=len(levels))


def _check(design: MixedDesign) -> None:
    n_rows = len(design.outcomes)
    if len(set(design.outcomes.tolist())) < _FEWEST_LEVELS:
        what = "hold" if design.outcomes[0] else "fail"
        raise PommelError(f"all {counted(n_rows, 'row')} {what}: there is nothing to explain")
    for each in design.random:
        if each.n_levels < _FEWEST_LEVELS:
            raise PommelError(
                f"every row has the same {each.name}: leave out --random {each.name}, or choose "
                "more runs"
            )
        if each.n_levels == n_rows:
            raise PommelError(
                f"every row has another {each.name}, which tells nothing: leave out "
                f"--random {each.name}, or choose more runs"
            )
    _check_effects(design)


def _check_effects(design: MixedDesign) -> None:
    spans = np.ptp(design.effects, axis=0)
    for name, span, first in zip(design.effect_names, spans, design.effects[0], strict=True):
        if span == 0 and name != INTERCEPT:
            raise _constant(name, f"{first:g}")
    scaled = design.effects / np.maximum(np.abs(design.effects).max(axis=0), _ROUNDING)
    if np.linalg.matrix_rank(scaled) < len(design.effect_names):
        raise PommelError(
            f"the fixed effects ({', '.join(design.effect_names)}) depend on each other: one of "
            "them follows from the others; leave it out of --fixed"
        )
    if separating := _separating(scaled, design.outcomes):
        names = [design.effect_names[index] for index in separating]
        shown = [name for name in names if name != INTERCEPT] or names
        raise PommelError(
            f"rows that hold and rows that fail are told apart without an exception by "
            f"{listed(shown, most=8)}, so that no finite coefficient is the best: leave it out of "
            "--fixed, or choose more runs"
        )


def _separating(effects: Values, outcomes: Values) -> list[int]:
    """Return the effects that separate the outcomes, wholly or in part; none if nothing does.

    That is whether some coefficients, not all without effect, put every row on its own side or on
    the border (Albert and Anderson 1984), found by a linear programme (Konis 2007). Rows that are
    alike need be looked at once: where both outcomes occur, they have to be on the border.
    """
    from scipy.optimize import linprog  # noqa: PLC0415 - takes longer to import than pommel

    rows, which = np.unique(effects, axis=0, return_inverse=True)
    n_rows = np.bincount(which.ravel())
    n_holding = np.bincount(which.ravel(), weights=outcomes)
    side = np.where(n_holding == n_rows, 1.0, np.where(n_holding == 0, -1.0, 0.0))
    signed = rows[side != 0] * side[side != 0, np.newaxis]
    if not len(signed):
        return []
    border = rows[side == 0]
    solution = linprog(
        -signed.sum(axis=0),
        A_ub=-signed,
        b_ub=np.zeros(len(signed)),
        A_eq=border if len(border) else None,
        b_eq=np.zeros(len(border)) if len(border) else None,
        bounds=(-1, 1),
    )
    if not solution.success or -solution.fun <= _ROUNDING * len(signed):
        return []
    return [int(index) for index in np.flatnonzero(np.abs(solution.x) > _ROUNDING)]


# How many models (items, suites) an effect is really compared between: one that is the same in all
# rows of a model, such as its size, has as many observations as there are models, however many rows
# they have. With two models, a difference in size is no other than that between any two models.

# With fewer degrees of freedom, even t is a rough guide: the spread itself is hardly known.
_FEW = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Freedom:
    """The degrees of freedom of an effect: infinitely many where it varies within every level.

    `column` is the random intercept within whose levels it does not vary, of which there are
    `n_levels`; of several the one with the fewest degrees.
    """

    name: str
    n_free: float = math.inf
    column: str = ""
    n_levels: int = 0

    @property
    def note(self) -> str:
        """What a reader should know of an effect with few degrees of freedom, "" if nothing."""
        if self.n_free >= _FEW or self.name == INTERCEPT:
            return ""
        return (
            f"{self.name} is the same in all rows of one {self.column}, of which there are "
            f"{self.n_levels}: its interval and p are a rough guide"
        )


def freedoms(design: MixedDesign) -> list[Freedom]:
    """Return the degrees of freedom of every effect, by the between-within method.

    Those of an effect that does not vary within the levels of a random intercept are the number of
    levels, less that of all such effects (Pinheiro and Bates 2000, section 2.4.2). Raises
    `PommelError` where one has none: nothing tells it from the differences between the levels.
    """
    found = [Freedom(name=name) for name in design.effect_names]
    for each in design.random:
        is_constant = _is_constant_within(design.effects, each)
        n_free = each.n_levels - int(is_constant.sum())
        for index in np.flatnonzero(is_constant):
            name = design.effect_names[index]
            if n_free < 1 and name != INTERCEPT:
                raise _no_freedom(name, each)
            if n_free < found[index].n_free:
                found[index] = Freedom(
                    name=name, n_free=n_free, column=each.name, n_levels=each.n_levels
                )
    return found


def _is_constant_within(effects: Values, column: RandomIntercept) -> "np.typing.NDArray[np.bool_]":
    """Say of each effect whether it is the same in all rows of a level, (n_effects,)."""
    shape = (column.n_levels, effects.shape[1])
    highest, lowest = np.full(shape, -math.inf), np.full(shape, math.inf)
    np.maximum.at(highest, column.codes, effects)
    np.minimum.at(lowest, column.codes, effects)
    return np.asarray((highest == lowest).all(axis=0))


def _no_freedom(name: str, column: RandomIntercept) -> PommelError:
    return PommelError(
        f"{name} is the same in all rows of one {column.name}, and {column.name} has "
        f"{counted(column.n_levels, 'value')} only: nothing tells it from what else they differ "
        "in; choose more runs, or leave it out of --fixed"
    )


# The fit: variational Bayes by statsmodels, and what is added to it.

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


# What is said of a fit.


def _components(design: MixedDesign, found: Posterior) -> list[VarianceComponent]:
    return [
        VarianceComponent(
            name=each.name,
            n_levels=each.n_levels,
            sd=math.exp(log_sd),
            low=math.exp(Interval.around(log_sd, sd_of_log).low),
            high=math.exp(Interval.around(log_sd, sd_of_log).high),
        )
        for each, log_sd, sd_of_log in zip(
            design.random, found.log_spreads.tolist(), found.log_spread_sds.tolist(), strict=True
        )
    ]


def _coefficient(free: Freedom, estimate: float, sd: float) -> Coefficient:
    from scipy.special import stdtr  # noqa: PLC0415 - takes longer to import than pommel

    n_free, size = free.n_free, abs(estimate) / sd
    is_normal = math.isinf(n_free)
    interval = Interval.around(estimate, sd, n_free)
    return Coefficient(
        name="(Intercept)" if free.name == INTERCEPT else free.name,
        estimate=estimate,
        sd=sd,
        low=interval.low,
        high=interval.high,
        p=math.erfc(size / math.sqrt(2)) if is_normal else 2 * float(stdtr(n_free, -size)),
        n_free=n_free,
    )


def _odds(each: Coefficient) -> str:
    return f"{each.odds_ratio:.3g} [{math.exp(each.low):.3g}, {math.exp(each.high):.3g}]"
