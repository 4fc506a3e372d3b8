"""A suite's predictions: in words, how often each holds, by how much, and where it fails."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pommel.analysis import Accuracy
from pommel.errors import FormulaError
from pommel.report.page.scores import (
    Cell,
    Levels,
    accuracy_cell,
    bits_text,
    by_model,
    interval_text,
    number_cell,
)
from pommel.report.page.sections import ReportModel, Row, Section, plain_number
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
    section: Section, models: Sequence[ReportModel], levels: Levels
) -> Iterator[tuple[ReportModel, str, list[Cell]]]:
    """Yield each model and prediction, and a share that was published by itself, with cells.

    These have the share, items, margin, median, and `Accuracy.COUNTS`.
    """
    rows = by_model(levels["prediction"])
    families = {model.family for model in models if model.label in section.records}
    for model in models:
        if model.label in section.records or model.label in families:
            for row in rows.get(model.key, []):
                if (row.unit.language, row.unit.suite) == section.key:
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


def verdict_rows(section: Section) -> Iterator[Row]:
    """Yield a row a model, prediction and item, named as in the table `predictions` of results."""
    marks = ("tie", "defined", "swallowed", "unscored", "oov", "skipped")
    for label, record in section.records.items():
        frame = record.result.to_frame("predictions").drop(columns="suite")
        for row in frame.assign(model_name=label).to_dict("records"):
            is_known = not row["skipped"]
            yield {
                **{str(name): value for name, value in row.items()},
                "result": str(row["result"]) if is_known else "",
                "margin_bits": plain_number(row["margin_bits"]),
                **{name: str(row[name]) for name in marks},
            }
