"""Tables of stored runs for papers: Markdown, LaTeX, and tidy CSV."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from pommel.analysis.accuracy import Accuracies
from pommel.analysis.comparison import Comparison
from pommel.analysis.models_compared import ModelsCompared
from pommel.analysis.stability import Stability
from pommel.errors import UsageError, check_choice
from pommel.files.tables import frame_text
from pommel.report.latex import latex_table
from pommel.report.markdown import markdown_table
from pommel.report.paper_table import PaperTable, from_rich
from pommel.report.score_tables import circuits_table, predictions_table, scores_table
from pommel.scoring.results import SuiteResult
from pommel.scoring.run_record import RunRecord

if TYPE_CHECKING:
    import pandas as pd

Form = Literal["md", "latex", "csv"]
FORMS: tuple[Form, ...] = get_args(Form)

Records = Sequence[RunRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKind:
    """What a table is about, and how it is made: for papers, and tidy, one row an observation."""

    about: str
    table: Callable[[Records], PaperTable]
    frame: "Callable[[Records], pd.DataFrame]"


def table_text(records: Records, *, name: str, form: Form) -> str:
    """Return one of `TABLES` over complete runs, as Markdown, LaTeX (booktabs) or CSV.

    Models that were run in several ways are told apart, and of a suite in several versions the
    newest run counts, as in `analysis.models_compared`. Raises `UsageError` for a name or a form
    that is none, and where a table cannot be made of these runs.
    """
    check_choice("the table", name, TABLES)
    check_choice("the form of a table", form, FORMS)
    kind = TABLES[name]
    if form == "csv":
        return frame_text(kind.frame(records), "csv")
    table = kind.table(records)
    return markdown_table(table) if form == "md" else latex_table(table, label=name)


def _scores_frame(records: Records) -> "pd.DataFrame":
    return SuiteResult.scores_frame(
        [
            replace(record.result, model_name=each.label)
            for each in ModelsCompared.of(records).models
            for record in each.records
        ]
    )


def _circuits_frame(records: Records) -> "pd.DataFrame":
    by_circuit, overall = Accuracies.of(records, "circuit"), Accuracies.of(records, "model")
    return Accuracies(rows=(*by_circuit.rows, *overall.rows)).frame()


def _comparison_table(records: Records) -> PaperTable:
    comparison = Comparison.of_two(records)
    (table,) = map(from_rich, comparison.tables())
    said = (*comparison.warnings, *comparison.notes)
    return replace(table, notes=(*table.notes, *(f"{line}." for line in said)))


def _stability(records: Records) -> Stability:
    found = Stability.of(records)
    if found.why_empty:
        raise UsageError(found.why_empty)
    return found


TABLES: Mapping[str, TableKind] = {
    "scores": TableKind(
        about="suites x models, means of circuits, SG score",
        table=scores_table,
        frame=_scores_frame,
    ),
    "circuits": TableKind(
        about="models x circuits, SG score", table=circuits_table, frame=_circuits_frame
    ),
    "predictions": TableKind(
        about="predictions x models",
        table=predictions_table,
        frame=lambda records: Accuracies.of(records, "prediction").frame(),
    ),
    "accuracy": TableKind(
        about="suites of each model, with tests against chance and margins",
        table=lambda records: from_rich(Accuracies.of(records).tables()[0]),
        frame=lambda records: Accuracies.of(records).frame(),
    ),
    "comparison": TableKind(
        about="two models on the items that both have",
        table=_comparison_table,
        frame=lambda records: Comparison.of_two(records).frame(),
    ),
    "stability": TableKind(
        about="suites without and with intervening material",
        table=lambda records: from_rich(_stability(records).tables()[0]),
        frame=lambda records: _stability(records).frame(),
    ),
}
