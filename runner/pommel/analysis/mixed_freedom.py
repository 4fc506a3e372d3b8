"""How many models (items, suites) an effect is really compared between.

An effect that is the same in all rows of a model, such as its size, has as many observations as
there are models, however many rows they have: with two models, a difference in size is no other
than that between any two models.
"""

import math
from dataclasses import dataclass

import numpy as np

from pommel.analysis.mixed_design import INTERCEPT, MixedDesign, RandomIntercept, Values
from pommel.errors import PommelError, counted

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
