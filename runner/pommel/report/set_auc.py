"""AUCs and preferences of sets of sentences as tables for people."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pommel.analysis.over_templates import OverTemplates
from pommel.analysis.sentence_scores import SetScores
from pommel.analysis.set_auc import SetAuc
from pommel.analysis.set_preferences import FeaturePreference, OrderPreference, OrderScore
from pommel.errors import counted, listed
from pommel.report.plain_table import Row, add_sections, empty_table
from pommel.report.statistics_cells import interval_cell

if TYPE_CHECKING:
    from rich.table import Table

# What stands before the models' columns, and in their cells: the words of a row, a model, a cell.
_Row = tuple[tuple[str, ...], SetScores, OverTemplates]

_INTERVAL = "Mean over templates [95% bootstrap interval over templates]"


def auc_table(rows: Sequence[SetAuc]) -> "Table":
    """Return suites and comparisons x models: the AUC, with its interval."""
    return _table(
        "AUC: how often a grammatical sentence scores above an ungrammatical one",
        f"{_INTERVAL}; equal scores count half, .5 is chance.",
        ("suite", "comparison", "sentences"),
        [
            (
                (row.scores.suite, row.comparison, f"{row.n_grammatical} : {row.n_ungrammatical}"),
                row.scores,
                row.auc,
            )
            for row in rows
        ],
    )


def order_table(rows: Sequence[OrderScore]) -> "Table":
    """Return suites and orders of cases x models: the mean score."""
    return _table(
        "Mean score of grammatical sentences by the order of their cases",
        f"{_INTERVAL}, in bits: higher is better.",
        ("suite", "order", "sentences"),
        [
            ((row.scores.suite, row.order, str(row.n_sentences)), row.scores, row.score)
            for row in rows
        ],
        digits=2,
    )


def pair_table(rows: Sequence[OrderPreference]) -> "Table":
    """Return suites and pairs of orders x models: how often the first one is preferred."""
    return _table(
        "Preference: how often a sentence scores above the same in another order",
        f"{_INTERVAL}; equal scores count half, .5 is no preference.",
        ("suite", "order", "above", "pairs"),
        [
            (
                (row.scores.suite, row.order, row.other_order, str(row.n_pairs)),
                row.scores,
                row.share,
            )
            for row in rows
        ],
    )


def feature_table(rows: Sequence[FeaturePreference]) -> "Table":
    """Return suites, nouns and cases x models: the AUC of sentences in which the noun has it."""
    return _table(
        "AUC: how often a sentence in which a noun has a case scores above one in which it has not",
        f"{_INTERVAL}; grammatical sentences only. In brackets: the noun's plausible case.",
        ("suite", "noun", "case", "sentences"),
        [
            (
                (row.scores.suite, _noun(row), row.case, f"{row.n_with} : {row.n_without}"),
                row.scores,
                row.auc,
            )
            for row in rows
        ],
    )


def set_notes(found: Sequence[SetScores], not_sets: Sequence[str]) -> Iterator[str]:
    """Yield what a reader of the numbers should know, in plain words."""
    for each in found:
        where = f"{each.model} on {each.suite}"
        if each.n_unscored:
            yield (
                f"{where}: {counted(each.n_unscored, 'sentence')} with a token without a "
                "surprisal, which is left out of the sentence's score"
            )
        if each.n_not_asked_for:
            yield (
                f"{where}: {counted(each.n_not_asked_for, 'template')} left out, not all of whose "
                "tokens were asked for; run it with --regions all"
            )
        if others := each.n_skipped - each.n_not_asked_for:
            yield (
                f"{where}: {counted(others, 'template')} left out, with a sentence that the method "
                "cannot score or compare"
            )
    if not_sets:
        yield f"left out, without ungrammatical conditions: {listed(not_sets)}"


def _noun(row: FeaturePreference) -> str:
    return f"{row.noun} ({row.plausible_case})" if row.plausible_case else str(row.noun)


def _table(
    title: str, caption: str, headers: Sequence[str], rows: Sequence[_Row], *, digits: int = 3
) -> "Table":
    """Return a table whose last columns are the models; each suite is a section."""
    models = list(dict.fromkeys(scores.model for _, scores, _ in rows))
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for words, scores, estimate in rows:
        cells.setdefault(words, {})[scores.model] = _cell(estimate, scores, digits)
    table = empty_table(title, names=headers, numbers=models, caption=caption)
    add_sections(
        table,
        (
            Row(
                section=words[0],
                cells=(*words, *(cells[words].get(model, "") for model in models)),
            )
            for words in sorted(cells, key=lambda each: each[0])
        ),
    )
    return table


def _cell(estimate: OverTemplates, scores: SetScores, digits: int) -> str:
    if not estimate.n_templates:
        return "no templates"
    shown = interval_cell(estimate.mean, estimate, digits)
    of = f" of {estimate.n_templates}" if scores.n_skipped else ""
    return f"{shown}{of}"
