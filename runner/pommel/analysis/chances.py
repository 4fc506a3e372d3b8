"""How often predictions hold by chance, and what a count of items that hold says about that."""

import math
from collections.abc import Sequence
from functools import lru_cache

from pommel.errors import FormulaError
from pommel.scoring.results import PredictionResult, SuiteResult
from pommel.suite.formula import parse
from pommel.suite.formula.chance import chance_of_all

# What chance is: a share for all, or None for what each formula says.
Chance = float | None


def chances_of(
    result: SuiteResult, chance: Chance = None, *, known: Chance = None
) -> tuple[float, ...]:
    """Return the share that holds by chance of each of a result's scores; NaN where not known.

    `known` is `SuiteFacts.chance`, for a result without formulas.
    """
    formulas = [each.formula for each in result.counted]
    if result.reported or not result.predictions:
        formulas = [""]
    if result.score_rule == "each":
        return tuple(chance_of((formula,), chance, known=known) for formula in formulas)
    return (chance_of(tuple(formulas), chance, known=known),)


def prediction_chance(
    result: SuiteResult,
    prediction: PredictionResult,
    chance: Chance = None,
    *,
    known: Chance = None,
) -> float:
    """Return the share of items on which one prediction holds by chance; NaN where not known.

    `known`, which is that of what the score rule counts, tells nothing of a prediction that it
    counts together with others, or not at all.
    """
    is_alone = result.score_rule == "each" or len(result.counted) == 1
    is_known = is_alone and any(each is prediction for each in result.counted)
    return chance_of((prediction.formula,), chance, known=known if is_known else None)


def chance_of(formulas: Sequence[str], chance: Chance = None, *, known: Chance = None) -> float:
    """Return the share of items in which all formulas hold by chance; NaN where not known.

    `known` is that of results whose formulas nobody tells.
    """
    if chance is not None:
        return chance
    if any(formulas):
        return _chance_of_texts(tuple(formulas))
    return math.nan if known is None else known


@lru_cache(maxsize=4096)
def _chance_of_texts(formulas: tuple[str, ...]) -> float:
    try:
        return chance_of_all([parse(formula) for formula in formulas]).share
    except FormulaError:
        # What others call a formula may be one of another program.
        return math.nan
