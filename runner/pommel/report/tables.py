"""Results as tables for people: suites x models, predictions, what a suite holds."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pommel.report.cells import (
    add_suite_rows,
    kept_margins,
    number_cell,
    prediction_cells,
    score_cell,
)
from pommel.report.family_means import MAX_MEMBERS, FamilyMean, columns
from pommel.report.plain_table import empty_table, plain_table
from pommel.report.statistics_cells import interval_cell
from pommel.scoring.results import SuiteResult
from pommel.statistics import mean_score

if TYPE_CHECKING:
    from rich.table import Table


def score_table(results: Sequence[SuiteResult]) -> "Table":
    """Return suites (grouped by circuit) x models: the score and its 95% interval (Wilson).

    The last rows are each circuit's mean and the SG score, the unweighted mean over suites. Behind
    the seeds of a family stands their mean; a big family's members are left out.
    """
    shown = columns(results)
    rule = results[0].score_rule if results else "all"
    headers = [column if isinstance(column, str) else column.header for column in shown]
    table = empty_table(
        RULES[rule],
        names=("circuit", "suite"),
        numbers=("items", *headers),
        caption=_caption(shown),
    )
    by_key = {(each.suite_name, each.model_name): each for each in results}
    n_items: dict[str, int] = {}
    for each in results:
        n_items[each.suite_name] = max(each.n_items, n_items.get(each.suite_name, 0))

    def cells(suite: str) -> Iterator[str]:
        # Of shares that were published by themselves nobody may know of how many items they are.
        yield str(n_items[suite] or "-")
        for column in shown:
            if isinstance(column, str):
                yield _shares_cell(by_key.get((suite, column)), n_items[suite])
            else:
                yield column.suite_cell(suite)

    add_suite_rows(table, [(each.circuit, each.suite_name) for each in results], cells)
    _add_means(table, results, shown)
    return table


def prediction_table(results: Sequence[SuiteResult]) -> "Table":
    """Return one row a prediction: in how many items it holds, its mean margin, ties."""
    rows = (
        [
            result.suite_name,
            result.model_name,
            *prediction_cells(each),
            number_cell(mean_score(kept_margins(each)), sign="+"),
            str(each.n_ties),
        ]
        for result in results
        for each in result.predictions
    )
    columns = ["suite", "model", "prediction", "holds", "share", "mean margin (bits)", "ties"]
    return plain_table("", columns, rows, n_names=3)


RULES = {
    "all": "SG scores (all predictions of a suite hold)",
    "first": "SG scores (the first prediction of a suite holds)",
    "each": "Scores (each prediction on its own)",
}


def _shares_cell(result: SuiteResult | None, n_items: int) -> str:
    if result is None:
        return ""
    cells = []
    for score in result.scores:
        label = f"{score.label}: " if score.label else ""
        shown = "no items"
        if score.n_items:
            shown = interval_cell(score.share, score.interval)
        elif not score.is_counted:
            shown = score_cell(score.share)
        # The column of items has those of the suite; what is skipped depends on the model.
        of = f" of {score.n_items}" if 0 < score.n_items < n_items else ""
        cells.append(f"{label}{shown}{of}")
    return "\n".join(cells) or "no predictions"


def _caption(shown: Sequence[str | FamilyMean]) -> str:
    caption = "Share of items on which a suite's predictions hold [95% Wilson interval]."
    means = [column for column in shown if isinstance(column, FamilyMean)]
    if means:
        caption += " sd: of a sample (n - 1)."
    for mean in means:
        if mean.n > MAX_MEMBERS:
            caption += f"\n{mean.family} has {mean.n} members; --format csv has each."
    return caption


def _add_means(
    table: "Table", results: Sequence[SuiteResult], shown: Sequence[str | FamilyMean]
) -> None:
    circuits = sorted({result.circuit for result in results if result.circuit})
    table.add_section()
    for circuit in circuits if len(circuits) > 1 else []:
        cells = (_mean_cell(results, column, circuit) for column in shown)
        table.add_row(circuit, "mean", "", *cells)
    if len({result.suite_name for result in results}) > 1:
        cells = (_mean_cell(results, column) for column in shown)
        table.add_row("all suites", "SG score", "", *cells, style="bold")


def _mean_cell(results: Sequence[SuiteResult], column: str | FamilyMean, circuit: str = "") -> str:
    """Return the mean over a circuit's suites, or over all."""
    if isinstance(column, FamilyMean):
        return column.mean_cell(circuit)
    own = (each for each in results if each.model_name == column)
    return score_cell(mean_score(each.score for each in own if circuit in ("", each.circuit)))
