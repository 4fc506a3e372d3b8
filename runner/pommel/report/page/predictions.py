"""A suite's predictions: in words, how often each holds, by how much, and where it fails."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pommel.analysis import Accuracy
from pommel.errors import FormulaError
from pommel.report.page.scores import (
    Cell,
    accuracy_cell,
    bits_text,
    by_model,
    interval_text,
    number_cell,
)
from pommel.report.page.sections import ReportModel, Section, plain_number
from pommel.scoring import PredictionResult
from pommel.suite import Formula

# How words and formulas name a condition.
_IN_WORDS = re.compile(r"\*([^*\n]+)\*")
_IN_FORMULA = re.compile(r"%([^%]+)%")


class PredictionText(NamedTuple):
    """A prediction as its author wrote it, and in words, in lines.

    Both are in pieces: every other one, from the second on, is the name of a condition.
    """

    prediction_id: int
    formula: list[str]
    words: list[str]
    description: str


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
            formula=_IN_FORMULA.split(formula.strip()),
            words=_words(formula, names, metric),
            description=description,
        )
        for number, (formula, description, metric) in enumerate(formulas)
    ]


def _words(formula: str, region_names: Mapping[int, str], metric: str) -> list[str]:
    try:
        lines = Formula.parse(formula).in_few_words(region_names, metric=metric)
    except FormulaError:
        # Others may have had formulas of their own kind.
        return []
    return _IN_WORDS.split("\n".join(lines))


def prediction_rows(
    section: Section, models: Sequence[ReportModel], found: Sequence[Accuracy]
) -> Iterator[tuple[ReportModel, str, list[Cell]]]:
    """Yield each model and prediction, and a share that was published by itself, with cells.

    `found` are the accuracies of the suite's predictions. Cells have the share, items, margin,
    median, and `Accuracy.COUNTS`.
    """
    rows = by_model(found)
    families = {model.family for model in models if model.label in section.records}
    for model in models:
        if model.label in section.records or model.label in families:
            for row in rows.get(model.key, []):
                yield model, row.unit.prediction_id, [*_cells(row)]


def _cells(row: Accuracy) -> Iterator[Cell]:
    yield accuracy_cell(row)
    is_counted = row.n_items is not None and row.n_holding is not None
    yield Cell(f"{row.n_holding} of {row.n_items}", number=row.n_holding) if is_counted else Cell()
    margin = row.margin_bits
    yield number_cell(margin.mean, interval_text(margin, sign="+"), sign="+")
    yield number_cell(row.median_margin_bits, sign="+")
    for name in Accuracy.COUNTS:
        yield number_cell(row.counts[name])


def failures(prediction: PredictionResult, item_numbers: Sequence[int]) -> list[tuple[int, str]]:
    """Return the items on which a prediction fails, each with its margin, the worst first.

    A margin that is not known is a dash.
    """
    margins = prediction.margin_bits.tolist()
    failing = [
        (margin, number)
        for margin, number, holds in zip(margins, item_numbers, prediction.results, strict=True)
        if holds is False
    ]
    failing.sort(key=lambda each: (math.isnan(each[0]), each))
    return [(number, bits_text(margin, sign="+")) for margin, number in failing]


_MARKS = ("tie", "defined", "swallowed", "unscored", "oov", "skipped")


def verdict_columns(section: Section) -> dict[str, list[object]]:
    """Return a value a model, prediction and item in each column of the table `predictions`."""
    names = ("model_name", "prediction_id", "item_number", "result", "margin_bits", *_MARKS)
    found: dict[str, list[object]] = {name: [] for name in names}
    for label, record in section.records.items():
        numbers = record.result.item_numbers
        for each in record.result.predictions:
            found["model_name"] += [label] * len(numbers)
            found["prediction_id"] += [each.prediction_id] * len(numbers)
            found["item_number"] += numbers
            found["result"] += ["" if it is None else str(it) for it in each.results]
            found["margin_bits"] += map(plain_number, each.margin_bits.tolist())
            for name in _MARKS:
                found[name] += map(str, getattr(each, name).tolist())
    return found
