"""A suite's section of the report, as its template takes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pommel.analysis.item_columns import COUNTS
from pommel.report.notes import notes
from pommel.report.page.charts import Chart, curves
from pommel.report.page.items import ItemTable, item_table
from pommel.report.page.models import ReportModel
from pommel.report.page.packing import packed
from pommel.report.page.predictions import (
    FailureRow,
    PredictionRow,
    PredictionText,
    failure_rows,
    prediction_table,
    prediction_texts,
    verdict_rows,
)
from pommel.report.page.scores import Accuracies
from pommel.report.page.sections import Section


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteView:
    """A section: `number` counts the suites of the report, and is part of its anchors.

    `verdicts` are packed rows of what predictions came to, from which the page sorts and makes CSV.
    """

    number: int
    section: Section
    metric: str
    texts: tuple[PredictionText, ...]
    counts: tuple[str, ...]
    predictions: tuple[PredictionRow, ...]
    chart: Chart
    failures: tuple[FailureRow, ...]
    items: ItemTable
    notes: tuple[str, ...]
    verdicts: dict[str, Any]


def suite_view(
    number: int, section: Section, models: Sequence[ReportModel], found: Accuracies
) -> SuiteView:
    """Return a suite's section."""
    suite = section.suite
    return SuiteView(
        number=number,
        section=section,
        metric=suite.metrics[0] if suite else "",
        texts=tuple(prediction_texts(section)),
        counts=COUNTS,
        predictions=tuple(prediction_table(section, models, found)),
        chart=curves(f"curves-{number}", section),
        failures=tuple(failure_rows(section)),
        items=item_table(section),
        notes=tuple(note for run in section.runs.values() for note in notes(run)),
        verdicts=packed([*verdict_rows(section)]),
    )
