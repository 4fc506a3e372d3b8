"""What a result holds item by item: one column a score, and columns of one suite put together."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pommel.analysis.models_compared import SuiteKey, suite_key
from pommel.errors import FormulaError
from pommel.scoring.results import PredictionResult, Score, SuiteResult
from pommel.scoring.run_record import RunRecord
from pommel.suite.formula import parse
from pommel.suite.formula.chance import chance_of_all

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """A score item by item; the arrays have the shape (n_items,), and leave out what is skipped.

    Items are in the order of their numbers, so that in what is drawn at random the order of a
    suite's file does not matter.
    `label` is as in `Score`. `holds` is 1 or 0, or the share of a family's members. `margins_bits`
    is the least margin of the predictions that have to hold together, NaN where there is none.
    `is_listed` is False where the items are only known by their number: what holds comes first,
    and `item_numbers` count from 0.
    """

    label: str
    item_numbers: NDArray[np.int64]
    holds: Values
    margins_bits: Values
    is_listed: bool = True

    @property
    def n_items(self) -> int:
        """How many items count."""
        return len(self.holds)

    @property
    def n_holding(self) -> int:
        """In how many it holds; of one model."""
        return int(self.holds.sum())

    def among(self, item_numbers: NDArray[np.int64]) -> "Column":
        """Return the column of those items alone, in the order of the numbers."""
        chosen = np.flatnonzero(np.isin(self.item_numbers, item_numbers))
        chosen = chosen[np.argsort(self.item_numbers[chosen], kind="stable")]
        return replace(
            self,
            item_numbers=self.item_numbers[chosen],
            holds=self.holds[chosen],
            margins_bits=self.margins_bits[chosen],
        )


def columns_of(result: SuiteResult) -> tuple[Column, ...]:
    """Return a result's columns, one a score of its score rule.

    A score that was published without its items has one where it was published with their number;
    a suite without predictions has none.
    """
    if result.reported:
        return (_counted_column(result.reported),) if result.reported.n_items else ()
    if not result.counted:
        return ()
    if result.score_rule == "each":
        return tuple(
            _joint_column(str(each.prediction_id), result, [each]) for each in result.counted
        )
    return (_joint_column("", result, result.counted),)


def prediction_column(result: SuiteResult, prediction: PredictionResult) -> Column:
    """Return the column of one prediction by itself."""
    return _joint_column(str(prediction.prediction_id), result, [prediction])


def mean_of_columns(members: Sequence[Column]) -> Column:
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


def mean_of_means(groups: Iterable[Values]) -> float:
    """Return the mean over groups of their means; NaN is no value, and an empty group none.

    NaN where there is no value, and for values that are infinite in both directions.
    """
    known = [group[~np.isnan(group)] for group in groups]
    with np.errstate(invalid="ignore"):
        means = [float(group.mean()) for group in known if group.size]
        return float(np.mean(means)) if means else math.nan


def mean_share(columns: Sequence[Column]) -> float:
    """Return the score of a suite: the mean over its columns of the share that holds."""
    return mean_of_means(each.holds for each in columns)


def _joint_column(
    label: str, result: SuiteResult, predictions: Sequence[PredictionResult]
) -> Column:
    kept = ~np.logical_or.reduce([each.skipped for each in predictions])
    holds = np.logical_and.reduce([each.holds for each in predictions])
    margins = np.minimum.reduce([each.margin_bits for each in predictions])
    numbers = np.array(result.item_numbers, dtype=np.int64)
    places = np.flatnonzero(kept)
    places = places[np.argsort(numbers[places], kind="stable")]
    return Column(
        label=label,
        item_numbers=numbers[places],
        holds=holds[places].astype(np.float64),
        margins_bits=margins[places],
    )


def _counted_column(score: Score) -> Column:
    numbers = np.arange(score.n_items)
    return Column(
        label=score.label,
        item_numbers=numbers,
        holds=(numbers < score.n_holding).astype(np.float64),
        margins_bits=np.full(score.n_items, np.nan),
        is_listed=False,
    )


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


Level = Literal["prediction", "suite", "circuit", "language", "group", "model"]
LEVELS: tuple[Level, ...] = get_args(Level)

COUNTS = ("n_ties", "n_undefined", "n_unscored", "n_oov", "n_skipped")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a row is about; "" where it is about several, or where there is none.

    A suite has all that is known of it, a circuit only its name.
    """

    language: str = ""
    circuit: str = ""
    group: str = ""
    suite: str = ""
    prediction_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """One suite's share of a row, or one prediction's.

    `share` is NaN where there is none; `chances` has one a column. `counts` are those of `COUNTS`,
    over all columns, None where they are not known. `n_items` is the number of items that count,
    None where that is not known.
    """

    suite: SuiteKey
    unit: Unit
    share: float
    columns: tuple[Column, ...]
    chances: tuple[float, ...]
    counts: dict[str, int | None]
    n_items: int | None


def parts_of(record: RunRecord, level: Level, chance: Chance = None) -> Iterator[Part]:
    """Yield a record's suite; at the level "prediction" each of its predictions, counted or not."""
    result = record.result
    if level == "prediction" and not result.reported:
        for prediction in result.predictions:
            yield _prediction_part(record, prediction, chance)
        return
    columns = columns_of(result)
    label = result.reported.label if result.reported and level == "prediction" else ""
    is_counted = result.reported is None or result.reported.is_counted
    yield Part(
        suite=suite_key(record),
        unit=_unit(record, level, label),
        share=result.score,
        columns=columns,
        chances=chances_of(result, chance, known=record.suite.chance),
        counts=_counts_of_scores(result.score_rows()),
        n_items=sum(each.n_items for each in columns) if is_counted else None,
    )


def unit_order(unit: Unit) -> tuple[tuple[bool, str] | str | int, ...]:
    """Return what rows are sorted by: those without a language, circuit or group come last."""
    names = (unit.language, unit.circuit, unit.group)
    number = int(unit.prediction_id) if unit.prediction_id.isdecimal() else -1
    return (*((not name, name) for name in names), unit.suite, number, unit.prediction_id)


def _prediction_part(record: RunRecord, prediction: PredictionResult, chance: Chance) -> Part:
    column = prediction_column(record.result, prediction)
    return Part(
        suite=suite_key(record),
        unit=_unit(record, "prediction", column.label),
        share=mean_share([column]),
        columns=(column,),
        chances=(prediction_chance(record.result, prediction, chance, known=record.suite.chance),),
        counts={name: getattr(prediction, name) for name in COUNTS},
        n_items=column.n_items,
    )


def _unit(record: RunRecord, level: Level, prediction_id: str) -> Unit:
    suite, result = record.suite, record.result
    match level:
        case "circuit":
            return Unit(circuit=result.circuit)
        case "language":
            return Unit(language=suite.language)
        case "group":
            return Unit(group=suite.group)
        case "model":
            return Unit()
        case _:
            return Unit(
                language=suite.language,
                circuit=result.circuit,
                group=suite.group,
                suite=result.suite_name,
                prediction_id=prediction_id,
            )


def _counts_of_scores(rows: list[dict[str, Any]]) -> dict[str, int | None]:
    return {name: total([row.get(name) for row in rows]) for name in COUNTS}


def total(counts: list[int | None]) -> int | None:
    """Return the sum of what is known, None where nothing is."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
