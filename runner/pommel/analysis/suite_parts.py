"""What a level's accuracy is made of: one part a suite, or a prediction by itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pommel.analysis.chances import Chance, chances_of, prediction_chance
from pommel.analysis.columns import Column, columns_of, mean_share, prediction_column
from pommel.analysis.subjects import SuiteKey, suite_key
from pommel.scoring.results import PredictionResult
from pommel.scoring.run_record import RunRecord

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
