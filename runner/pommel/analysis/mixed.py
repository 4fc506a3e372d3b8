"""Mixed-effects logistic regression over items, with crossed random effects.

Maximum likelihood by Laplace's approximation, as lme4's `glmer` has it, by GPBoost. What is added:
which units have to have an intercept of their own, and how many of them an effect is compared
between.
"""

import logging
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from itertools import combinations
from logging.handlers import BufferingHandler
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pommel.analysis.asking import Option, Question
from pommel.analysis.cells import Answer, Column, interval_cell, number_cell, plain_table
from pommel.analysis.items import ItemTable
from pommel.errors import PommelError, UsageError, counted, first_line, listed, nearest
from pommel.scoring import RunRecord
from pommel.statistics import Interval
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


METHOD = "Maximum likelihood by Laplace's approximation (GPBoost), as lme4's glmer has it."

# What the design of suites and runs draws from more of its kind. The first three have intercepts of
# their own unless something else is said; the others where an effect is the same within them. A
# colon joins columns: the rows of one model on one suite.
Unit = Literal[
    "model", "family", "suite", "suite:prediction_id", "item", "model:suite", "model:item"
]
UNITS: tuple[Unit, ...] = get_args(Unit)
_USUAL = ("model", "suite", "item")

# With fewer rows a level than that, on average, Laplace's approximation makes spreads too small.
_FEWEST_ROWS = 3


@frozen(slots=False)
class MixedAsked(Question):
    """Fit whether predictions hold, item by item, by fixed effects and random intercepts.

    Needs the stats extra. By maximum likelihood, as lme4's glmer has it. Models, suites and items
    count as drawn from more of their kind.

    \b
      pommel stats mixed --fixed 'modifier + log10_parameters'
      pommel stats mixed --fixed modifier --random 'modifier || model' --random suite --random item
    """

    fixed: Annotated[
        str,
        Option(
            metavar="FORMULA",
            help="Fixed effects: columns of `pommel stats items` in a formula (modifier + "
            "log10_parameters), as patsy reads it.",
        ),
    ]
    random: Annotated[
        tuple[str, ...],
        Option(
            metavar="COLUMN",
            help="A column each value of which has an intercept of its own (suite:prediction_id "
            "joins two), or 'EFFECT || COLUMN', with a slope, too; repeatable.  [default: model, "
            "suite and item, and other units within which an effect is the same]",
        ),
    ] = ()
    not_random: Annotated[
        tuple[Unit, ...],
        Option(
            metavar="UNIT",
            help="A unit without an intercept of its own, though an effect is the same within it: "
            "what is found then holds for these models (suites ...) alone; repeatable.",
        ),
    ] = ()

    def answer(self, records: Sequence[RunRecord]) -> "MixedFit":
        """Fit a model to the items of runs, as `of_items` does."""
        items = ItemTable.of(records)
        fit = self.of_items(items.rows)
        return replace(fit, notes=(*items.notes, *fit.notes))

    def of_items(self, items: "pd.DataFrame") -> "MixedFit":
        """Fit `holds ~ fixed`, with the random effects that `mixed_design` reads from `random`.

        `items` are the rows of `ItemTable`. Raises as `mixed_design` and `freedoms` do, and
        `PommelError` if the stats extra is missing, and if the fit does not converge.
        """
        if None in map(find_spec, ("gpboost", "patsy")):
            raise PommelError(f"mixed models need the stats extra: {PommelError.install('stats')}")
        design = mixed_design(items, self)
        free = freedoms(design)
        found = fitted(design)
        notes = []
        if design.n_left_out:
            what = counted(design.n_left_out, "row")
            notes.append(f"{what} left out: a column that the model needs is missing there")
        n_rows = len(design.outcomes)
        notes += [
            f"there are fewer than {_FEWEST_ROWS} rows a value of {each.name}: its spread, and "
            "with it all effects, come out too small"
            for each in design.random
            if n_rows < _FEWEST_ROWS * each.n_levels
        ]
        components = [*_components(design, found)]
        notes += [
            f"{each.name} does not spread beyond what chance does: its sd is at the border, 0"
            for each in components
            if not each.estimate
        ]
        notes += [each.note for each in free if each.note]
        notes += [f"GPBoost: {text}" for text in found.warnings]
        return MixedFit(
            fixed=self.fixed,
            n_rows=n_rows,
            n_holding=int(design.outcomes.sum()),
            coefficients=tuple(
                map(_coefficient, free, found.effects.tolist(), found.errors.tolist())
            ),
            components=tuple(components),
            notes=tuple(notes),
        )


@frozen
class Effect:
    """A fixed effect, or how far a unit's random intercepts (slopes) spread; with 95% interval.

    A fixed one has an estimate in log odds, its standard error `sd`, and a two-sided p (Wald).
    Interval and p are those of t with `n_free` degrees of freedom (see `freedoms`), of the normal
    distribution where these are infinitely many. The estimate of a random one is its standard
    deviation in log odds, over `n_levels`, and its interval that of the logarithm of the variance
    (Wald); NaN where it is 0.
    """

    part: Literal["fixed", "random"]
    name: str
    estimate: float
    low: float
    high: float
    sd: float = math.nan
    p: float = math.nan
    n_free: float = math.nan
    n_levels: int | None = None

    @property
    def df(self) -> float:
        """The degrees of freedom; NaN where they are infinitely many."""
        return self.n_free if math.isfinite(self.n_free) else math.nan

    @property
    def p_normal(self) -> float:
        """The p by the normal distribution, which is lme4's; with few units it is too small."""
        return math.erfc(abs(self.estimate) / self.sd / math.sqrt(2))

    @property
    def odds_ratio(self) -> float:
        """By what the odds are multiplied when the effect grows by 1; NaN of a random one."""
        return self._odds(self.estimate)

    @property
    def odds_ratio_low(self) -> float:
        """Where the interval of the odds ratio begins."""
        return self._odds(self.low)

    @property
    def odds_ratio_high(self) -> float:
        """Where the interval of the odds ratio ends."""
        return self._odds(self.high)

    def _odds(self, log_odds: float) -> float:
        return math.exp(log_odds) if self.part == "fixed" else math.nan


COLUMNS = (
    Column("part"),
    Column("term", "name"),
    Column("n_levels"),
    Column("estimate"),
    Column("sd"),
    Column("low"),
    Column("high"),
    Column("p"),
    Column("df"),
    Column("p_normal"),
    Column("odds_ratio"),
    Column("odds_ratio_low"),
    Column("odds_ratio_high"),
)


_LEAST_P = 0.001


@frozen
class MixedFit(Answer):
    """A fitted model; `notes` say what a reader should know, in plain words."""

    fixed: str
    n_rows: int
    n_holding: int
    coefficients: tuple[Effect, ...]
    components: tuple[Effect, ...]
    notes: tuple[str, ...]

    def frame(self) -> "pd.DataFrame":
        """Return one row a coefficient ("fixed") and random effect ("random": its spread)."""
        frame = Column.frame([*self.coefficients, *self.components], COLUMNS)
        return frame.astype({"n_levels": "Int64"})

    def tables(self) -> "list[Table]":
        """Return the table of fixed effects, and that of random effects."""
        return [self._coefficient_table(), self._component_table()]

    def _coefficient_table(self) -> "Table":
        """Return one row a fixed effect: log odds, odds ratio, p."""
        rows = [
            [
                each.name,
                interval_cell(each.estimate, each, 3, sign="+"),
                number_cell(each.sd, 3),
                f"{each.odds_ratio:.3g} [{each.odds_ratio_low:.3g}, {each.odds_ratio_high:.3g}]",
                "< 0.001" if each.p < _LEAST_P else number_cell(each.p, 3),
            ]
            for each in self.coefficients
        ]
        return plain_table(
            f"holds ~ {self.fixed}",
            names=["fixed effect"],
            numbers=["log odds", "sd", "odds ratio", "p"],
            rows=rows,
            caption=f"{self.n_rows} rows, of which {self.n_holding} hold. [95% interval]; p: Wald, "
            f"two-sided, by t (--format csv: df; p_normal is lme4's).\n{METHOD}",
        )

    def _component_table(self) -> "Table":
        """Return one row a random intercept (slope): how far it spreads."""
        rows = [
            [each.name, str(each.n_levels), interval_cell(each.estimate, each, 3)]
            for each in self.components
        ]
        return plain_table(
            "Random effects", names=["by"], numbers=["levels", "sd (log odds)"], rows=rows
        )


# From a table of items and the names of its columns to matrices.

# What the fixed effects explain: whether the prediction holds in the item, 0 or 1.
OUTCOME = "holds"

# What patsy calls the effect that is 1 in every row.
INTERCEPT = "Intercept"

_FEWEST_LEVELS = 2
_ROUNDING = 1e-9

Values = NDArray[np.float64]


# What stands between an effect and the unit by which its slope varies.
_SLOPE = "||"


@frozen(eq=False)
class RandomEffect:
    """A unit of which every value (level) has an intercept, or a slope, of its own.

    `codes` has the level of every row, (n_rows,), counted from 0; `slope` what the slope is that
    of, (n_rows,), None for an intercept.
    """

    name: str
    unit: str
    codes: NDArray[np.intp]
    n_levels: int
    slope: Values | None = None

    def is_within(self, other: "RandomEffect") -> bool:
        """Say whether all rows of a level are in one level of the other unit."""
        return (
            self.n_levels >= other.n_levels
            and len(np.unique(np.column_stack([self.codes, other.codes]), axis=0)) == self.n_levels
        )

    def is_same(self, other: "RandomEffect") -> bool:
        """Say whether both units part the rows in the same way."""
        return self.n_levels == other.n_levels and self.is_within(other)

    def constant(self, effects: Values) -> NDArray[np.bool_]:
        """Say of each effect whether it is the same in all rows of a level, (n_effects,).

        Of a slope, whether it is the slope's effect times something that is.
        """
        import pandas as pd

        if self.slope is not None:
            is_here = self.slope != 0
            ratios = effects / np.where(is_here, self.slope, 1.0)[:, np.newaxis]
            inside = replace(self, slope=None, codes=self.codes[is_here])
            is_nowhere_else: NDArray[np.bool_] = ~effects[~is_here].any(axis=0)
            return is_nowhere_else & inside.constant(ratios[is_here])
        # What is divided is rounded.
        tolerance = _ROUNDING * np.abs(effects).max(axis=0, initial=0.0)
        levels = pd.DataFrame(effects).groupby(self.codes)
        is_constant: NDArray[np.bool_] = (levels.max() - levels.min() <= tolerance).all().to_numpy()
        return is_constant


@frozen(eq=False)
class MixedDesign:
    """Outcomes (n_rows,), 0 or 1; fixed effects (n_rows, n_effects), named; random effects.

    Intercepts come before slopes. `n_left_out` counts the rows of the table in which a column that
    is needed is missing.
    """

    outcomes: Values
    effects: Values
    effect_names: tuple[str, ...]
    random: tuple[RandomEffect, ...]
    n_left_out: int

    @property
    def intercepts(self) -> tuple[RandomEffect, ...]:
        """The random effects that are no slopes."""
        return tuple(each for each in self.random if each.slope is None)


def mixed_design(frame: "pd.DataFrame", asked: MixedAsked) -> MixedDesign:
    """Return the matrices of the model `holds ~ fixed` with random effects.

    `fixed` is the right side of a formula in Wilkinson's notation, as patsy reads it. `random` has
    units, each a column or several joined by ":", and "EFFECT || UNIT", the unit's intercept and a
    slope of an effect that is independent of it, as lme4 reads it. None are the units of the
    design: models, suites and items, and those others of `UNITS` within which an effect is the
    same. An effect that is the same in all rows of such a unit is as often observed as there are
    units, and so the unit has to be random, unless `not_random` says that it shall not be.

    Raises `UsageError` for a formula that makes no sense, for columns that the table does not have,
    and for units that have to be random and are not, and `PommelError` for rows on which no such
    model can be fitted: outcomes that are all the same, an effect that is constant, effects that
    depend on each other, that separate the outcomes, and units that are one, as many as there are
    rows, or the same as others.
    """
    named, slopes = _named(asked, frame.columns.tolist())
    known = frame.dropna(subset=_columns_of([*named, *(unit for _, unit in slopes)], frame))
    effects = _effects(asked.fixed, known)
    values = {effect: _slope(effect, known) for effect, _ in slopes}
    for each in values.values():
        effects = effects.loc[effects.index.intersection(each.index)]
    known = known.loc[effects.index]
    if not len(known):
        raise PommelError(
            f"no row has all that {asked.fixed!r} needs; 'pommel stats items' shows them"
        )
    matrix = effects.to_numpy(dtype=np.float64)
    names = tuple(map(str, effects.columns))
    units = [
        _unit(name, known)
        for name in UNITS
        if not {name, *name.split(":")} & {*asked.not_random}
        and {*name.split(":")} <= {*known.columns}
    ]
    intercepts = [_unit(name, known) for name in named] or _of_design(units, matrix, names)
    by_unit = {each.unit: each for each in intercepts}
    design = MixedDesign(
        outcomes=known[OUTCOME].to_numpy(dtype=np.float64),
        effects=matrix,
        effect_names=names,
        random=(
            *intercepts,
            *(
                replace(
                    by_unit[unit],
                    name=f"{effect} {_SLOPE} {unit}",
                    slope=np.asarray(values[effect].loc[effects.index], dtype=np.float64),
                )
                for effect, unit in slopes
            ),
        ),
        n_left_out=len(frame) - len(known),
    )
    _check(design)
    if named:
        _check_units(design, units)
    return design


def _named(asked: MixedAsked, columns: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the units that are asked for, and the slopes: effect and unit."""
    for name in asked.not_random:
        if name in asked.random:
            raise UsageError(f"{name} can not be both random and not random")
    parts = [_effect_and_unit(text, columns) for text in dict.fromkeys(asked.random)]
    units = list(dict.fromkeys(unit for _, unit in parts))
    # Slopes in the order of their units, as the fit returns them.
    slopes = dict.fromkeys(each for each in parts if each[0])
    return units, sorted(slopes, key=lambda slope: units.index(slope[1]))


def _effect_and_unit(text: str, columns: Sequence[str]) -> tuple[str, str]:
    """Return what the slope of a random effect is that of, "" for an intercept, and its unit."""
    effect, bars, unit = (part.strip() for part in text.rpartition(_SLOPE))
    if "|" in effect + unit or (bars and not effect):
        raise UsageError(
            f"{text!r}: write COLUMN, or 'EFFECT {_SLOPE} COLUMN' for a slope, which is "
            "independent of the intercept"
        )
    for name in unit.split(":"):
        if name not in columns:
            raise _no_such_column(name, columns)
        if name == OUTCOME:
            raise UsageError(f"{name} is what is explained, and has no random intercept")
    return effect, unit


def _columns_of(units: Sequence[str], frame: "pd.DataFrame") -> list[str]:
    names = dict.fromkeys(name for unit in (units or UNITS) for name in unit.split(":"))
    return [name for name in names if name in frame.columns]


def _unit(name: str, frame: "pd.DataFrame") -> RandomEffect:
    parts = [frame[part] for part in name.split(":")]
    # A model of no family is a family of its own.
    keys = [
        part.where(part.ne(""), frame["model"]) if part.name == "family" else part for part in parts
    ]
    levels = frame.groupby(keys, sort=False)
    return RandomEffect(
        name=name,
        unit=name,
        codes=levels.ngroup().to_numpy().astype(np.intp),
        n_levels=levels.ngroups,
    )


def _slope(effect: str, frame: "pd.DataFrame") -> "pd.Series[float]":
    found = _effects(f"0 + {effect}", frame)
    if found.shape[1] != 1:
        raise UsageError(f"{effect!r}: a slope is that of one number, and of no factor")
    column = found.iloc[:, 0]
    if len(column) and np.ptp(column) == 0:
        raise _constant(effect, f"{column.iloc[0]:g}", option="--random")
    return column


def _of_design(
    units: Sequence[RandomEffect], effects: Values, names: Sequence[str]
) -> list[RandomEffect]:
    """Return the units that have an intercept where none is asked for."""
    pool = _pool(units, len(effects))
    needed = {each.unit for own in _needed(pool, effects, names).values() for each in own}
    found = [each for each in pool if each.unit in (*_USUAL, *needed)]
    if not found:
        raise PommelError(
            f"of {listed(_USUAL)} none has several values with several rows each, and so there is "
            "nothing to be random; choose more runs"
        )
    return found


def _pool(units: Sequence[RandomEffect], n_rows: int) -> list[RandomEffect]:
    """Return the units that can be random, one of each set that part the rows in the same way."""
    found: list[RandomEffect] = []
    for each in units:
        if _FEWEST_LEVELS <= each.n_levels < n_rows and not any(map(each.is_same, found)):
            found.append(each)
    return found


def _needed(
    pool: Sequence[RandomEffect], effects: Values, names: Sequence[str]
) -> dict[str, list[RandomEffect]]:
    """Return, for each effect, the largest units of which all rows have the same of it."""
    constant = {each.unit: each.constant(effects) for each in pool}
    found: dict[str, list[RandomEffect]] = {}
    for index, name in enumerate(names):
        if name == INTERCEPT:
            continue
        own = [each for each in pool if constant[each.unit][index]]
        found[name] = [
            each
            for each in own
            if not any(each.is_within(other) for other in own if other is not each)
        ]
    return found


def _check_units(design: MixedDesign, units: Sequence[RandomEffect]) -> None:
    """Refuse effects that are the same in all rows of a unit which is not random."""
    random = {each.unit for each in design.random}
    pool = _pool([*design.intercepts, *units], len(design.outcomes))
    for effect, own in _needed(pool, design.effects, design.effect_names).items():
        for each in own:
            if each.unit not in random:
                raise UsageError(
                    f"{effect} is the same in all rows of one {each.unit}, and {each.unit} is not "
                    "random: its rows would count as if they were independent, and p be far too "
                    f"small; add --random {each.unit}, or --not-random {each.unit} if nothing is "
                    f"to be said about others than these {each.n_levels}"
                )


def _effects(fixed: str, frame: "pd.DataFrame") -> "pd.DataFrame":
    import pandas as pd
    import patsy

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


def _constant(name: str, value: object, *, option: str = "--fixed") -> PommelError:
    return PommelError(
        f"{name} is {value} in every row, and explains nothing: leave it out of {option}, or "
        "choose runs that differ in it"
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


def _check(design: MixedDesign) -> None:
    n_rows = len(design.outcomes)
    if len(set(design.outcomes.tolist())) < _FEWEST_LEVELS:
        what = "hold" if design.outcomes[0] else "fail"
        raise PommelError(f"all {counted(n_rows, 'row')} {what}: there is nothing to explain")
    for each in design.intercepts:
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
    for one, other in combinations(design.intercepts, 2):
        if one.is_same(other):
            raise PommelError(
                f"{one.name} and {other.name} part the rows in the same way, and their spreads can "
                f"not be told apart: leave out --random {other.name}"
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
    from scipy.optimize import linprog

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


@frozen
class Freedom:
    """The degrees of freedom of an effect: infinitely many where it varies within every level.

    `column` is the random unit within whose levels it does not vary, of which there are
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
    levels, less those of the larger units that these are in, and less that of all such effects
    (Pinheiro and Bates 2000, section 2.4.2). A slope is an intercept of what it multiplies. Raises
    `PommelError` where an effect has none: nothing tells it from the differences between levels.
    """
    found = [Freedom(name=name) for name in design.effect_names]
    for each in design.random:
        is_own = each.constant(design.effects)
        larger = _larger(each, design.intercepts)
        for other in larger:
            is_own = is_own & ~other.constant(design.effects)
        # Of crossed units that cover each other's levels, one degree is the same.
        n_larger = 1 + sum(other.n_levels - 1 for other in larger) if larger else 0
        n_free = each.n_levels - n_larger - int(is_own.sum())
        for index in np.flatnonzero(is_own):
            name = design.effect_names[index]
            if n_free < 1 and name != INTERCEPT:
                raise _no_freedom(name, each)
            if n_free < found[index].n_free:
                found[index] = Freedom(
                    name=name, n_free=max(1, n_free), column=each.unit, n_levels=each.n_levels
                )
    return found


def _larger(own: RandomEffect, others: Sequence[RandomEffect]) -> list[RandomEffect]:
    """Return the smallest of the other units that the levels of this one are in."""
    if own.slope is not None:
        return []
    around = [each for each in others if each is not own and own.is_within(each)]
    return [
        each
        for each in around
        if not any(other.is_within(each) for other in around if other is not each)
    ]


def _no_freedom(name: str, column: RandomEffect) -> PommelError:
    unit = column.unit
    return PommelError(
        f"{name} is the same in all rows of one {unit}, and {unit} has "
        f"{counted(column.n_levels, 'value')} only: nothing tells it from what else they differ "
        f"in; choose more runs, leave it out of --fixed, or say --not-random {unit} if nothing is "
        f"to be said about others than these {column.n_levels}"
    )


# The fit, by GPBoost.

# A spread below that, in log odds, is none.
_NO_SPREAD = 1e-3

_MOST_ITERATIONS = 20_000
# More lines of GPBoost are forgotten.
_MOST_SAID = 1_000_000
_NOT_CONVERGED = "did not converge"
_NO_INTERCEPT = "There is no intercept"


@frozen(eq=False)
class Fitted:
    """The coefficients and their standard errors, (n_effects,), and those of the variances.

    `variances` and `variance_errors`, (n_random,), are those of the random effects; an error is NaN
    where there is none. `warnings` are those of GPBoost.
    """

    effects: Values
    errors: Values
    variances: Values
    variance_errors: Values
    warnings: tuple[str, ...]


def fitted(design: MixedDesign) -> Fitted:
    """Return the fit of a design; raises `PommelError` if it does not converge.

    It maximises the likelihood with the random effects integrated out by Laplace's approximation
    (Tierney and Kadane 1986), as lme4's `glmer` does with its default nAGQ = 1. Standard errors are
    those of the expected information, given the variances.
    """
    import gpboost

    # Coefficients of about one size; taking off a mean would be another model for slopes.
    scales = _sizes(design.effects)
    slopes = [each for each in design.random if each.slope is not None]
    columns = np.array([each.slope for each in slopes]).T if slopes else None
    slope_sizes = np.ones(0) if columns is None else _sizes(columns)
    units = [each.unit for each in design.intercepts]
    with _warned() as warned:
        # One thread: the sums of several are rounded as it comes.
        model = gpboost.GPModel(
            group_data=np.column_stack([each.codes for each in design.intercepts]),
            group_rand_coef_data=None if columns is None else columns / slope_sizes,
            ind_effect_group_rand_coef=[units.index(each.unit) + 1 for each in slopes] or None,
            likelihood="bernoulli_logit",
            matrix_inversion_method="cholesky",
            num_parallel_threads=1,
        )
        options = {
            # Without an intercept, GPBoost's descent leaves the coefficients' common level as it
            # began (1.8.0; lme4 and the likelihood tell); the simplex finds it, and takes longer.
            "optimizer_cov": "lbfgs" if INTERCEPT in design.effect_names else "nelder_mead",
            "maxit": _MOST_ITERATIONS,
            "delta_rel_conv": 1e-10,
            "max_num_restarts_lbfgs": 10,
        }
        model.fit(y=design.outcomes, X=design.effects / scales, params=options)
        effects, errors = model.get_coef(std_err=True, format_pandas=False)
        spreads = model.get_cov_pars(std_err=True, format_pandas=False)
    if any(_NOT_CONVERGED in text for text in warned) or not np.isfinite([effects, errors]).all():
        raise PommelError(
            f"the mixed model has not converged in {_MOST_ITERATIONS} iterations: choose more "
            "runs, or fewer effects"
        )
    squares = np.concatenate([np.ones(len(units)), slope_sizes]) ** 2
    variances, variance_errors = np.atleast_2d(spreads)[[0, -1]] / squares
    return Fitted(
        effects=effects / scales,
        errors=errors / scales,
        variances=variances,
        variance_errors=variance_errors,
        warnings=tuple(text for text in dict.fromkeys(warned) if _NO_INTERCEPT not in text),
    )


def _sizes(columns: Values) -> Values:
    """Return by what columns are divided: their standard deviation, 1 where it is 0."""
    sds = columns.std(axis=0)
    return np.where(sds > 0, sds, 1.0)


@contextmanager
def _warned() -> Iterator[list[str]]:
    """Gather what GPBoost warns of, and would print to standard output."""
    import gpboost

    logger = logging.getLogger("gpboost")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    gathering = BufferingHandler(_MOST_SAID)
    logger.addHandler(gathering)
    gpboost.register_logger(logger)
    warned: list[str] = []
    try:
        yield warned
    finally:
        logger.removeHandler(gathering)
    warned += [
        text
        for each in gathering.buffer
        if (text := each.getMessage().partition("[Warning]")[2].strip())
    ]


# What is said of a fit.


def _components(design: MixedDesign, found: Fitted) -> Iterator[Effect]:
    for each, variance, error in zip(
        design.random, found.variances.tolist(), found.variance_errors.tolist(), strict=True
    ):
        is_none = math.sqrt(variance) < _NO_SPREAD
        low = high = math.nan
        if not is_none and error > 0:
            around = Interval.around(math.log(variance) / 2, error / variance / 2)
            low, high = math.exp(around.low), math.exp(around.high)
        yield Effect(
            part="random",
            name=each.name,
            n_levels=each.n_levels,
            # At the border, only how the descent ended would be told.
            estimate=0.0 if is_none else math.sqrt(variance),
            low=low,
            high=high,
        )


def _coefficient(free: Freedom, estimate: float, sd: float) -> Effect:
    from scipy.special import stdtr

    n_free, size = free.n_free, abs(estimate) / sd
    is_normal = math.isinf(n_free)
    interval = Interval.around(estimate, sd, n_free)
    return Effect(
        part="fixed",
        name="(Intercept)" if free.name == INTERCEPT else free.name,
        estimate=estimate,
        sd=sd,
        low=interval.low,
        high=interval.high,
        p=math.erfc(size / math.sqrt(2)) if is_normal else 2 * float(stdtr(n_free, -size)),
        n_free=n_free,
    )
