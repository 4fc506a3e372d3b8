"""From a table of items and the names of its columns to the matrices of a mixed model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pommel.errors import PommelError, UsageError, counted, first_line, listed, nearest

if TYPE_CHECKING:
    import pandas as pd

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
