"""A suite's section of the report, as its template takes it: curves, predictions, items."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pommel.analysis import Accuracy
from pommel.report.page.charts import curves
from pommel.report.page.predictions import (
    failures,
    prediction_rows,
    prediction_texts,
    verdict_columns,
)
from pommel.report.page.scores import bits_text
from pommel.report.page.sections import ReportModel, Section, packed_columns
from pommel.scoring import PredictionResult, Run
from pommel.suite import Condition

# A piece of a sentence; with the number of a region that counts, None for the others.
Piece = tuple[str, int | None]


def pieces(condition: Condition, joiner: str, marked: Sequence[int]) -> Iterator[Piece]:
    """Yield a sentence in pieces; what joins two regions is a piece by itself.

    A marked region without text is a piece without text.
    """
    yield condition.context, None
    for before, region in condition.pieces(joiner):
        yield before, None
        yield region.text, region.number if region.number in marked else None


UNSCORED, UNKNOWN = "†", "‡"


class SentenceRow(NamedTuple):
    """A condition's sentence, and for each model the surprisals that count in it."""

    condition: str
    pieces: list[Piece]
    is_whole: bool
    gloss: str
    cells: list[str]


# What a prediction came to; with "h" (holds), "f" (fails), "s" (skipped), or "".
Verdict = tuple[str, str]


class ItemRows(NamedTuple):
    """An item: its sentences, none where they are not known, and what predictions came to.

    `verdicts` have one for each model, by the number of the prediction.
    """

    number: int
    sentences: list[SentenceRow]
    verdicts: Mapping[int, Sequence[Verdict]]


def item_table(section: Section) -> tuple[list[str], list[ItemRows]]:
    """Return the models with results by item, and the items of a suite, in its order.

    There are no items where results were published without them.
    """
    records = section.records.items()
    results = {label: each.result for label, each in records if each.result.predictions}
    # What each prediction came to in each item, by their numbers.
    known = [
        {
            (each.prediction_id, number): verdict
            for each in result.predictions
            for number, verdict in zip(result.item_numbers, _verdicts(each), strict=True)
        }
        for result in results.values()
    ]
    ids = sorted({each.prediction_id for result in results.values() for each in result.predictions})
    suite = section.suite
    # The suite's items in its order, behind them those that only results have.
    numbers = [item.number for item in suite.items] if suite and results else []
    numbers += [number for result in results.values() for number in result.item_numbers]
    labels = list(results)
    rows = [
        ItemRows(
            number=number,
            sentences=[*_sentence_rows(section, labels, number)],
            verdicts={each: [own.get((each, number), ("", "")) for own in known] for each in ids},
        )
        for number in dict.fromkeys(numbers)
    ]
    return labels, rows


def _sentence_rows(section: Section, labels: Sequence[str], number: int) -> Iterator[SentenceRow]:
    suite = section.suite
    found = suite and next((each for each in suite.items if each.number == number), None)
    if not suite or not found:
        return
    i, compared = suite.items.index(found), suite.compared_cells
    for c, name in enumerate(suite.condition_names):
        condition = found.condition(name)
        looked_at = [region for of_condition, region in compared if of_condition == name]
        is_whole, regions = None in looked_at, sorted(r for r in looked_at if r is not None)
        gloss = condition.as_written.get("gloss")
        yield SentenceRow(
            condition=name,
            pieces=[*pieces(condition, suite.joiner, regions)],
            is_whole=is_whole,
            gloss=" ".join(map(str, gloss)) if isinstance(gloss, list) else str(gloss or ""),
            cells=[
                _surprisals(section.runs.get(label), (i, c), regions, is_whole=is_whole)
                for label in labels
            ],
        )


def _surprisals(
    run: Run | None, sentence: tuple[int, int], regions: Sequence[int], *, is_whole: bool
) -> str:
    """Return the metric of what counts in a sentence; "3: 1.20" where several regions do."""
    if run is None:
        return ""
    table, metric = run.surprisals.table, run.surprisals.suite.metrics[0]
    is_several = len(regions) + is_whole > 1
    shown = []
    for number in regions:
        cell = (*sentence, table.region_numbers.index(number))
        marks = UNSCORED * bool(table.n_unscored[cell] > 0) + UNKNOWN * (cell in table.oovs)
        name = f"{number}: " if is_several else ""
        bits = math.nan if table.swallowed[cell] else float(table.values[metric][cell])
        shown.append(f"{name}{bits_text(bits)}{marks}")
    if is_whole:
        name = "all: " if is_several else ""
        shown.append(f"{name}{bits_text(float(table.whole[metric][sentence]))}")
    return " ".join(shown)


def _verdicts(prediction: PredictionResult) -> Iterator[Verdict]:
    """Yield what the prediction came to, item by item."""
    names = ("holds", "margin_bits", "unscored", "oov", "tie", "defined", "skipped")
    columns = (getattr(prediction, name).tolist() for name in names)
    for holds, margin, unscored, oov, tie, defined, skipped in zip(*columns, strict=True):
        marks = UNSCORED * unscored + UNKNOWN * oov
        words = [
            "✓" if holds else "✗",
            "" if math.isnan(margin) else bits_text(margin, sign="+") + marks,
            "tie" if tie else "",
            "" if defined else "no value",
        ]
        known = " ".join(filter(None, words)), "h" if holds else "f"
        yield ("skipped", "s") if skipped else known


def suite_view(
    number: int, section: Section, models: Sequence[ReportModel], of_predictions: Sequence[Accuracy]
) -> dict[str, object]:
    """Return a suite's section for its template; `number` is part of its anchors.

    `of_predictions` are the accuracies of its predictions.
    `failures` are of each model and prediction; `verdicts` are packed rows of what predictions came
    to, from which the page sorts and makes CSV.
    """
    suite, (labels, items) = section.suite, item_table(section)
    return {
        "number": number,
        "section": section,
        "metric": suite.metrics[0] if suite else "",
        "texts": prediction_texts(section),
        "predictions": [*prediction_rows(section, models, of_predictions)],
        "chart": curves(f"curves-{number}", section),
        "failures": [
            (label, each.prediction_id, failures(each, record.result.item_numbers))
            for label, record in section.records.items()
            for each in record.result.predictions
        ],
        "labels": labels,
        "item_rows": items,
        "notes": [note for run in section.runs.values() for note in run.notes()],
        "verdicts": packed_columns(verdict_columns(section)),
    }
