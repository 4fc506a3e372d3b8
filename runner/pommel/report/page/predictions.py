"""A suite's predictions: in words, how often each holds, by how much, and where it fails."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pommel.analysis import Accuracy
from pommel.errors import FormulaError
from pommel.report.page.scores import (
    AllAccuracies,
    Cell,
    accuracy_cell,
    bits_text,
    interval_text,
    number_cell,
)
from pommel.report.page.sections import ReportModel, Row, Section, plain_number
from pommel.scoring import PredictionResult
from pommel.suite import Formula

# How words and formulas name a condition.
_IN_WORDS = re.compile(r"\*([^*\n]+)\*")
_IN_FORMULA = re.compile(r"%([^%]+)%")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A piece of a prediction, in words or its formula.

    The name of a condition is one by itself, without the percent signs around it.
    """

    text: str
    is_condition: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionText:
    """A prediction as its author wrote it, and in words, in lines."""

    prediction_id: int
    formula: tuple[Words, ...]
    words: tuple[Words, ...]
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionRow:
    """How often a prediction holds for a model: share, items, margin, median, `Accuracy.COUNTS`."""

    model: ReportModel
    prediction_id: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRow:
    """The items on which a prediction fails for a model, each with its margin, the worst first.

    A margin that is not known is a dash.
    """

    label: str
    prediction_id: int
    failures: Sequence[tuple[int, str]]


def prediction_texts(section: Section) -> list[PredictionText]:
    """Return the predictions; those of results without their suite as the results have them."""
    suite = section.suite
    if suite:
        formulas = [
            (each.formula.text, each.description, suite.metric_of(each))
            for each in suite.predictions
        ]
        names = suite.region_names
    else:
        results = (record.result for record in section.records.values())
        longest = max((result.predictions for result in results), key=len)
        formulas = [(each.formula, each.description, "sum") for each in longest]
        names = {}
    return [
        PredictionText(
            prediction_id=number,
            formula=_parts(_IN_FORMULA, formula.strip()),
            words=_words(formula, names, metric),
            description=description,
        )
        for number, (formula, description, metric) in enumerate(formulas)
    ]


def prediction_table(
    section: Section, models: Sequence[ReportModel], found: AllAccuracies
) -> list[PredictionRow]:
    """Return a row a model and prediction, and one for a share that was published by itself."""
    rows = found.by_model("prediction")
    families = {model.family for model in models if model.label in section.records}
    shown = (each for each in models if each.label in section.records or each.label in families)
    return [
        _prediction_row(model, row)
        for model in shown
        for row in rows.get((model.label, model.is_family), [])
        if (row.unit.language, row.unit.suite) == section.key
    ]


def failure_rows(section: Section) -> list[FailureRow]:
    """Return a row a model and prediction, those without failures included."""
    return [
        FailureRow(
            label=label,
            prediction_id=prediction.prediction_id,
            failures=_failures(prediction, record.result.item_numbers),
        )
        for label, record in section.records.items()
        for prediction in record.result.predictions
    ]


def verdict_rows(section: Section) -> Iterator[Row]:
    """Yield a row a model, prediction and item, named as in the table `predictions` of results."""
    marks = ("tie", "defined", "swallowed", "unscored", "oov", "skipped")
    for label, record in section.records.items():
        for each in record.result.predictions:
            columns = {name: getattr(each, name).tolist() for name in marks}
            for index, (number, holds) in enumerate(
                zip(record.result.item_numbers, each.results, strict=True)
            ):
                yield {
                    "model_name": label,
                    "prediction_id": each.prediction_id,
                    "item_number": number,
                    "result": "" if holds is None else str(holds),
                    "margin_bits": plain_number(float(each.margin_bits[index])),
                    **{name: str(column[index]) for name, column in columns.items()},
                }


def _parts(names: re.Pattern[str], text: str) -> tuple[Words, ...]:
    """Return the pieces of a text, those apart that the pattern's group stands for."""
    # They are every other one.
    return tuple(
        Words(text=part, is_condition=place % 2 == 1)
        for place, part in enumerate(names.split(text))
        if part
    )


def _words(formula: str, region_names: Mapping[int, str], metric: str) -> tuple[Words, ...]:
    try:
        lines = Formula.parse(formula).in_few_words(region_names, metric=metric)
    except FormulaError:
        # Others may have had formulas of their own kind.
        return ()
    return _parts(_IN_WORDS, "\n".join(lines))


def _prediction_row(model: ReportModel, row: Accuracy) -> PredictionRow:
    margin, n_holding = row.margin_bits, Cell()
    if row.n_items is not None and row.n_holding is not None:
        n_holding = Cell(text=f"{row.n_holding} of {row.n_items}", number=row.n_holding)
    mean = Cell(
        text=bits_text(margin.mean, sign="+"),
        detail=interval_text(margin, sign="+"),
        number=None if math.isnan(margin.mean) else margin.mean,
    )
    median = number_cell(row.median_margin_bits, sign="+")
    counts = (number_cell(row.counts[name]) for name in Accuracy.COUNTS)
    cells = (accuracy_cell(row), n_holding, mean, median, *counts)
    return PredictionRow(model=model, prediction_id=row.unit.prediction_id, cells=cells)


def _failures(prediction: PredictionResult, item_numbers: Sequence[int]) -> list[tuple[int, str]]:
    failing = [
        (margin, number)
        for margin, number, holds in zip(
            prediction.margin_bits.tolist(), item_numbers, prediction.results, strict=True
        )
        if holds is False
    ]
    failing.sort(key=lambda each: (math.isnan(each[0]), each))
    return [(number, bits_text(margin, sign="+")) for margin, number in failing]
