"""What a result holds item by item: one column a score, and columns of one suite put together.

And how often its predictions hold by chance.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pommel.scoring import PredictionResult, Score, SuiteResult
from pommel.statistics import Interval
from pommel.values import frozen

Values = NDArray[np.float64]

NO_INTERVAL = Interval(low=math.nan, high=math.nan)


@frozen(eq=False)
class ItemScores:
    """A score item by item; the arrays have the shape (n_items,), and leave out what is skipped.

    Items are in the order of their numbers, so that in what is drawn at random the order of a
    suite's file does not matter.
    `label` is as in `Score`. `holds` is 1 or 0, or the share of a family's members. `margins_bits`
    is the least margin of the predictions that have to hold together, NaN where there is none.
    `swallowed` is 1 where one of these names a swallowed region, of a family's members how many do.
    `is_listed` is False where the items are only known by their number: what holds comes first,
    and `item_numbers` count from 0.
    """

    label: str
    item_numbers: NDArray[np.int64]
    holds: Values
    margins_bits: Values
    swallowed: NDArray[np.int64]
    is_listed: bool = True

    @property
    def n_items(self) -> int:
        """How many items count."""
        return len(self.holds)

    @property
    def n_holding(self) -> int:
        """In how many it holds; of one model."""
        return int(self.holds.sum())

    def among(self, item_numbers: NDArray[np.int64]) -> "ItemScores":
        """Return the column of those items alone, in the order of the numbers."""
        chosen = np.flatnonzero(np.isin(self.item_numbers, item_numbers))
        chosen = chosen[np.argsort(self.item_numbers[chosen], kind="stable")]
        return replace(
            self,
            item_numbers=self.item_numbers[chosen],
            holds=self.holds[chosen],
            margins_bits=self.margins_bits[chosen],
            swallowed=self.swallowed[chosen],
        )


def columns_of(result: SuiteResult) -> tuple[ItemScores, ...]:
    """Return a result's columns, one a score of its score rule.

    A score that was published without its items has one where it was published with their number;
    a suite without predictions has none.
    """
    if result.reported:
        return (_counted_column(result.reported),) if result.reported.n_items else ()
    if not result.predictions:
        return ()
    margins, marks = result.arrays()
    if result.score_rule == "each":
        together = [(each.label, slice(n, n + 1)) for n, each in enumerate(result.scores)]
    else:
        together = [("", slice(1 if result.score_rule == "first" else None))]
    return tuple(
        _joint_column(label, result.item_numbers, margins[own], marks[:, own])
        for label, own in together
    )


def mean_of_columns(members: Sequence[ItemScores]) -> ItemScores:
    """Return the mean over members of a family, on the items that all of them have."""
    shared = members[0].item_numbers
    for member in members[1:]:
        shared = np.intersect1d(shared, member.item_numbers)
    own = [member.among(shared) for member in members]
    # An infinite margin of both signs has no mean.
    with np.errstate(invalid="ignore"):
        return replace(
            own[0],
            holds=np.mean([member.holds for member in own], axis=0),
            margins_bits=np.mean([member.margins_bits for member in own], axis=0),
            swallowed=np.sum([member.swallowed for member in own], axis=0),
        )


def by_item(parts: Sequence[tuple[NDArray[np.int64], Values]]) -> Values:
    """Return one value an item, whose mean is the mean over parts of the means over their items.

    `parts` are (item numbers, values) of a suite's predictions, each on the items that it does not
    skip. An item's value is the sum of its values, each divided by how many items its part has,
    times the number of items over the number of parts: without skipped items, their mean. NaN is no
    value. So an item can be drawn again with all its predictions, which depend on each other.
    """
    known = [(numbers[~np.isnan(own)], own[~np.isnan(own)]) for numbers, own in parts]
    known = [part for part in known if len(part[0])]
    if not known:
        return np.empty(0)
    if len(known) == 1:
        return known[0][1]
    items = np.unique(np.concatenate([numbers for numbers, _ in known]))
    total = np.zeros(len(items))
    with np.errstate(invalid="ignore"):
        for numbers, own in known:
            total[np.searchsorted(items, numbers)] += own / len(own)
    return np.asarray(total * len(items) / len(known))


def groups_by_item(
    suites: Sequence[Sequence[tuple[NDArray[np.int64], Values]]], *, is_pooled: bool = False
) -> list[Values]:
    """Return the groups over whose means a mean is taken: `by_item` of each suite's parts.

    Pooled they are one group, whose mean is that of all values of all suites' parts.
    """
    if not is_pooled:
        return [by_item(parts) for parts in suites]
    n_values = sum(int((~np.isnan(own)).sum()) for parts in suites for _, own in parts)
    n_parts = sum(not np.isnan(own).all() for parts in suites for _, own in parts)
    pooled = []
    offset = 0
    for parts in suites:
        for numbers, own in parts:
            share = int((~np.isnan(own)).sum()) * n_parts / max(1, n_values)
            pooled.append((numbers + offset, own * share))
        # Items of two suites that have one number stay apart.
        offset += 1 + max((int(numbers.max(initial=0)) for numbers, _ in parts), default=0)
    return [by_item(pooled)]


def shares_by_item(columns: Sequence[ItemScores]) -> tuple[Values, tuple[float, float]]:
    """Return a suite's values, one an item, whose mean is its score, and between what they lie."""
    values = by_item([(each.item_numbers, each.holds) for each in columns])
    # Where predictions skip items, others count for more: the most that there can be.
    most = by_item([(each.item_numbers, np.ones(each.n_items)) for each in columns])
    return values, (0.0, float(most.max()))


def interval_of_suites(
    suites: Iterable[tuple[Sequence[ItemScores], float]],
) -> Interval:
    """Return the stratified score interval of a sum of suites' scores, each times its weight.

    None (NaN) where the items of a suite are not known. Items of one number are not taken to belong
    together.
    """
    weighted = list(suites)
    if not weighted or not all(columns for columns, _ in weighted):
        return NO_INTERVAL
    shares = [shares_by_item(columns) for columns, _ in weighted]
    return Interval.of_means(
        [values for values, _ in shares],
        weights=[weight for _, weight in weighted],
        bounds=[ends for _, ends in shares],
    )


def mean_of_means(groups: Iterable[Values]) -> float:
    """Return the mean over groups of their means; NaN is no value, and an empty group none.

    NaN where there is no value, and for values that are infinite in both directions.
    """
    known = [group[~np.isnan(group)] for group in groups]
    with np.errstate(invalid="ignore"):
        means = [float(group.mean()) for group in known if group.size]
        return float(np.mean(means)) if means else math.nan


def _joint_column(
    label: str, item_numbers: tuple[int, ...], margins: Values, marks: NDArray[np.bool_]
) -> ItemScores:
    numbers, in_order = _in_order(item_numbers)
    holds, swallowed, skipped = marks
    places = in_order[~skipped.any(axis=0)[in_order]]
    return ItemScores(
        label=label,
        item_numbers=numbers[places],
        holds=holds.all(axis=0)[places].astype(np.float64),
        margins_bits=margins.min(axis=0)[places],
        swallowed=swallowed.any(axis=0)[places].astype(np.int64),
    )


# Models have run on the same suites.
@lru_cache(maxsize=4096)
def _in_order(item_numbers: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    numbers = np.array(item_numbers, dtype=np.int64)
    return numbers, np.argsort(numbers, kind="stable")


def _counted_column(score: Score) -> ItemScores:
    numbers = np.arange(score.n_items)
    return ItemScores(
        label=score.label,
        item_numbers=numbers,
        holds=(numbers < score.n_holding).astype(np.float64),
        margins_bits=np.full(score.n_items, np.nan),
        swallowed=np.zeros(score.n_items, dtype=np.int64),
        is_listed=False,
    )


# Chance.

# What chance is: a share for all, or None for what each formula says.
Chance = float | None


def chances_of(
    result: SuiteResult, chance: Chance = None, *, known: Chance = None
) -> tuple[float, ...]:
    """Return the share that holds by chance of each of a result's scores; NaN where not known.

    `known` is `SuiteFacts.chance`, for a result without formulas.
    """
    formulas = result.formulas if result.predictions and not result.reported else ("",)
    if result.score_rule == "each":
        return tuple(chance_of((formula,), chance, known=known) for formula in formulas)
    return (chance_of(formulas, chance, known=known),)


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
    is_known = result.score_rule == "each"
    # Where there is a formula, `known` is not asked for: each look at the others unpacks them all.
    if not is_known and not prediction.formula:
        is_known = [each.prediction_id for each in result.counted] == [prediction.prediction_id]
    return chance_of((prediction.formula,), chance, known=known if is_known else None)


def chance_of(formulas: tuple[str, ...], chance: Chance = None, *, known: Chance = None) -> float:
    """Return the share of items in which all formulas hold by chance; NaN where not known.

    `known` is that of results whose formulas nobody tells.
    """
    if chance is not None:
        return chance
    if any(formulas):
        return SuiteResult.chance_of(formulas)
    return math.nan if known is None else known
