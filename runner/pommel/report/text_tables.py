"""Tables of stored runs for papers: Markdown, LaTeX, and tidy CSV."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from pommel.analysis.accuracy import accuracies, accuracy_frame, accuracy_table
from pommel.analysis.comparison import (
    Comparison,
    Side,
    compare,
    comparison_frame,
    comparison_notes,
    comparison_table,
    comparison_warnings,
)
from pommel.analysis.models_compared import families, subjects
from pommel.analysis.stability import (
    NO_PAIRS,
    StabilityRow,
    stability,
    stability_frame,
    stability_table,
)
from pommel.errors import UsageError, check_choice, counted, listed
from pommel.report.latex import latex_table
from pommel.report.markdown import markdown_table
from pommel.report.paper_table import PaperTable, from_rich
from pommel.report.saved import to_csv
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
    newest run counts, as in `analysis.subjects`. Raises `UsageError` for a name or a form that is
    none, and where a table cannot be made of these runs.
    """
    check_choice("the table", name, TABLES)
    check_choice("the form of a table", form, FORMS)
    kind = TABLES[name]
    if form == "csv":
        return to_csv(kind.frame(records))
    table = kind.table(records)
    return markdown_table(table) if form == "md" else latex_table(table, label=name)


def _scores_frame(records: Records) -> "pd.DataFrame":
    return SuiteResult.scores_frame(
        [
            replace(record.result, model_name=each.label)
            for each in subjects(records)
            for record in each.records
        ]
    )


def _circuits_frame(records: Records) -> "pd.DataFrame":
    return accuracy_frame([*accuracies(records, "circuit"), *accuracies(records, "model")])


def _accuracy_table(records: Records) -> PaperTable:
    return from_rich(accuracy_table(accuracies(records)))


def _comparison_table(records: Records) -> PaperTable:
    comparison = _comparison(records)
    table = from_rich(comparison_table(comparison))
    said = (*comparison_warnings(comparison), *comparison_notes(comparison))
    return replace(table, notes=(*table.notes, *(f"{line}." for line in said)))


def _comparison(records: Records) -> Comparison:
    found = subjects(records)
    own = families(found)
    in_families = {id(member) for family in own for member in family.members}
    sides = [Side(label=each.label, members=each.members) for each in own]
    sides += [
        Side(label=each.label, members=(each,)) for each in found if id(each) not in in_families
    ]
    if len(sides) == 1:
        # The members of one family can be compared with each other.
        sides = [Side(label=each.label, members=(each,)) for each in found]
    if len(sides) != 2:  # noqa: PLR2004 - it takes two
        labels = listed([each.label for each in sides], most=8)
        raise UsageError(
            f"a comparison is of two models, and these runs are of {counted(len(sides), 'model')} "
            f"({labels}); choose two with --model"
        )
    return compare(*sides)


def _stability(records: Records) -> list[StabilityRow]:
    rows = stability(records)
    if not rows:
        raise UsageError(NO_PAIRS)
    return rows


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
        frame=lambda records: accuracy_frame(accuracies(records, "prediction")),
    ),
    "accuracy": TableKind(
        about="suites of each model, with tests against chance and margins",
        table=_accuracy_table,
        frame=lambda records: accuracy_frame(accuracies(records)),
    ),
    "comparison": TableKind(
        about="two models on the items that both have",
        table=_comparison_table,
        frame=lambda records: comparison_frame(_comparison(records)),
    ),
    "stability": TableKind(
        about="suites without and with intervening material",
        table=lambda records: from_rich(stability_table(_stability(records))),
        frame=lambda records: stability_frame(_stability(records)),
    ),
}
