"""Tables of stored runs for papers: Markdown, LaTeX, and tidy CSV."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from pommel.analysis import Accuracies, Comparison, ModelsCompared, Settings, Stability
from pommel.errors import UsageError
from pommel.files import frame_text
from pommel.report.latex import latex_table
from pommel.report.markdown import markdown_table
from pommel.report.score_tables import circuits_table, predictions_table, scores_table
from pommel.scoring import RunRecord, SuiteResult

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

Form = Literal["md", "latex", "csv"]

Records = Sequence[RunRecord]


class TableKind(NamedTuple):
    """What a table is about, and how it is made: for papers, and tidy, one row an observation.

    Models that were run in several ways are told apart, and of a suite in several versions the
    newest run counts, as in `analysis.models_compared`. `with_means` are the forms that have an
    accuracy of several suites, of which `Settings.average` says what it is.
    """

    name: str
    about: str
    table: "Callable[[Records, Settings], Table]"
    frame: "Callable[[Records, Settings], pd.DataFrame]"
    with_means: tuple[Form, ...] = ()

    def text(self, records: Records, form: Form, settings: Settings | None = None) -> str:
        """Return the table of complete runs as Markdown, LaTeX (booktabs) or CSV.

        Raises `UsageError` for a form that is none, where it cannot be made of these runs, and for
        items of several suites to be pooled where there is no accuracy of several suites.
        """
        UsageError.check_choice("the form of a table", form, get_args(Form))
        settings = settings or Settings()
        if settings.average == "items" and form not in self.with_means:
            raise UsageError(
                f"the table {self.name} has no accuracy of several suites as {form}; leave out "
                "--average items"
            )
        if form == "csv":
            return frame_text(self.frame(records, settings), "csv")
        table = self.table(records, settings)
        return markdown_table(table) if form == "md" else latex_table(table, label=self.name)


def _scores_frame(records: Records, _settings: Settings) -> "pd.DataFrame":
    return SuiteResult.scores_frame(
        [
            replace(record.result, model_name=each.label)
            for each in ModelsCompared.of(records).models
            for record in each.records
        ]
    )


def _circuits_frame(records: Records, settings: Settings) -> "pd.DataFrame":
    found = Accuracies.by_level(ModelsCompared.of(records), ("circuit", "model"), settings)
    return Accuracies(rows=tuple(row for each in found.values() for row in each.rows)).frame()


def _comparison_table(records: Records, settings: Settings) -> "Table":
    comparison = Comparison.of_two(records, average=settings.average)
    (table,) = comparison.tables()
    said = (*comparison.warnings, *comparison.notes)
    table.caption = "\n".join([str(table.caption), *(f"{line}." for line in said)])
    return table


def _stability(records: Records) -> Stability:
    found = Stability.of(records)
    if found.why_empty:
        raise UsageError(found.why_empty)
    return found


_KINDS = (
    TableKind(
        name="scores",
        about="suites x models, means of circuits, SG score",
        table=scores_table,
        frame=_scores_frame,
        with_means=("md", "latex"),
    ),
    TableKind(
        name="circuits",
        about="models x circuits, SG score",
        table=circuits_table,
        frame=_circuits_frame,
        with_means=get_args(Form),
    ),
    TableKind(
        name="predictions",
        about="predictions x models",
        table=predictions_table,
        frame=lambda records, settings: Accuracies.of(records, "prediction", settings).frame(),
    ),
    TableKind(
        name="accuracy",
        about="suites of each model, with tests against chance and margins",
        table=lambda records, _: Accuracies.of(records).tables()[0],
        frame=lambda records, _: Accuracies.of(records).frame(),
    ),
    TableKind(
        name="comparison",
        about="two models on the items that both have",
        table=_comparison_table,
        frame=lambda records, settings: Comparison.of_two(
            records, average=settings.average
        ).frame(),
        with_means=get_args(Form),
    ),
    TableKind(
        name="stability",
        about="suites without and with intervening material",
        table=lambda records, _: _stability(records).tables()[0],
        frame=lambda records, _: _stability(records).frame(),
    ),
)
TABLES: Mapping[str, TableKind] = {kind.name: kind for kind in _KINDS}
