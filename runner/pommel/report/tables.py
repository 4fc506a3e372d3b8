"""Results as tables for people: suites x models, predictions, what a suite holds."""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from pommel.analysis import (
    FamilyColumn,
    add_sections,
    circuit_cell,
    grouped,
    interval_cell,
    number_cell,
    plain_table,
)
from pommel.scoring import FamilyScore, PredictionResult, SuiteResult
from pommel.statistics import mean_score
from pommel.values import frozen

if TYPE_CHECKING:
    from rich.table import Table


# More members than these are a crowd, of which only the mean is shown.
MAX_MEMBERS = 6


class ModelColumn(NamedTuple):
    """What one model scores."""

    header: str
    results: Sequence[SuiteResult]

    def suite_cell(self, suite: str, n_items: int) -> str:
        """Return what stands in the row of a suite with so many items, empty without a run."""
        return _shares([each for each in self.results if each.suite_name == suite], n_items)

    def mean_cell(self, circuit: str = "") -> str:
        """Return the mean over a circuit's suites, or over all."""
        return _mean(each for each in self.results if circuit in ("", each.circuit))

    def suites(self, circuit: str = "") -> frozenset[tuple[str, str]]:
        """Return the suites whose mean that is, without languages."""
        return _scored_on(each for each in self.results if circuit in ("", each.circuit))


@frozen
class FamilyMean(FamilyColumn):
    """Mean ± standard deviation of a family's members, row by row."""

    scores: Sequence[FamilyScore]

    def suite_cell(self, suite: str, _n_items: int) -> str:
        """Return what stands in a suite's row, empty if no member has been run on it."""
        return "\n".join(
            _labelled(each.prediction_id, self.cell(each.scores))
            for each in self.scores
            if each.level == "suite" and each.suite == suite
        )

    def mean_cell(self, circuit: str = "") -> str:
        """Return what stands in the row of a circuit's means, or of the SG scores."""
        level = "circuit" if circuit else "all"
        found = [each for each in self.scores if (each.level, each.circuit) == (level, circuit)]
        return self.cell(found[0].scores) if found else "-"

    def suites(self, circuit: str = "") -> frozenset[tuple[str, str]]:
        """Return the suites whose mean that is: those on which a member has a score."""
        return frozenset(
            ("", each.suite)
            for each in self.scores
            if each.level == "suite" and each.scores.n and circuit in ("", each.circuit)
        )


def columns(results: Sequence[SuiteResult]) -> Iterator[ModelColumn | FamilyMean]:
    """Yield the models, the mean of seeds behind them; of many seeds, the mean alone."""
    of_seeds = (score for score in FamilyScore.of(results) if score.axis == "seed")
    scores = grouped(of_seeds, lambda score: score.family)
    models = grouped(results, lambda each: each.model_name)
    family_of = {each.model_name: each.membership.family for each in results if each.membership}
    for name, own in models.items():
        family = family_of.get(name, "")
        names = [name]
        if family in scores:
            names = [each for each in models if family_of.get(each) == family]
        if len(names) <= MAX_MEMBERS:
            yield ModelColumn(header=name, results=own)
        if family in scores and name == names[-1]:
            yield FamilyMean(family=family, n=len(names), scores=scores[family])


def score_table(results: Sequence[SuiteResult]) -> "Table":
    """Return suites (grouped by circuit) x models: the score and its 95% interval (Wilson).

    Before the models stands which share holds by chance. The last rows are each circuit's mean and
    the SG score, the unweighted mean over suites. Behind the seeds of a family stands their mean; a
    big family's members are left out.
    """
    shown = [*columns(results)]
    rule = results[0].score_rule if results else "all"
    n_items: dict[str, int] = {}
    for each in results:
        n_items[each.suite_name] = max(each.n_items, n_items.get(each.suite_name, 0))
    rows = (
        (
            circuit_cell(circuit),
            suite,
            # Of shares that were published by themselves nobody may know of how many items.
            str(n_items[suite] or "-"),
            _chances(each for each in results if each.suite_name == suite),
            *(column.suite_cell(suite, n_items[suite]) for column in shown),
        )
        for circuit, suite in in_order((each.circuit, each.suite_name) for each in results)
    )
    table = plain_table(
        RULES[rule],
        names=("circuit", "suite"),
        numbers=("items", "chance", *(column.header for column in shown)),
        caption=_caption(results, shown),
    )
    add_sections(table, rows)
    table.add_section()
    circuits = sorted({result.circuit for result in results if result.circuit})
    several = [*(circuits if len(circuits) > 1 else []), *([""] if len(n_items) > 1 else [])]
    over = [
        (circuit, n, column.suites(circuit))
        for circuit in several
        for n, column in enumerate(shown)
    ]
    uneven = SuiteResult.uneven(over)
    for circuit in several:
        own = [each for each in results if circuit in ("", each.circuit)]
        head = (circuit, "mean", "") if circuit else ("all suites", "SG score", "")
        means = (
            _of_suites(column.mean_cell(circuit), column.suites(circuit), uneven.get(circuit))
            for column in shown
        )
        table.add_row(*head, _mean_chance(own), *means, style=None if circuit else "bold")
    table.caption = "\n".join([str(table.caption), *SuiteResult.uneven_lines(over)])
    return table


def _of_suites(cell: str, suites: Collection[object], of: int | None) -> str:
    """Return a mean, with the number of its suites where models do not have the same ones."""
    return f"{cell} ({len(suites)} of {of})" if of and suites else cell


def _scored_on(results: Iterable[SuiteResult]) -> frozenset[tuple[str, str]]:
    return frozenset(("", each.suite_name) for each in results if not math.isnan(each.score))


def prediction_table(results: Sequence[SuiteResult]) -> "Table":
    """Return one row a prediction: in how many items it holds, its mean margin, ties."""
    is_swallowed = any(each.n_swallowed for result in results for each in result.predictions)
    rows = (
        [
            result.suite_name,
            result.model_name,
            *prediction_cells(each),
            number_cell(mean_score(kept_margins(each)), sign="+"),
            str(each.n_ties),
            *([str(each.n_swallowed)] if is_swallowed else []),
        ]
        for result in results
        for each in result.predictions
    )
    columns = ["suite", "model", "prediction", "holds", "share", "mean margin (bits)", "ties"]
    columns += ["swallowed"] if is_swallowed else []
    return plain_table(names=columns[:3], numbers=columns[3:], rows=rows)


RULES = {
    "all": "SG scores (all predictions of a suite hold)",
    "first": "SG scores (the first prediction of a suite holds)",
    "each": "Scores (each prediction on its own)",
}


def _labelled(label: str, text: str) -> str:
    """Return a text, behind what it is of, if that has a name."""
    return f"{label}: {text}" if label else text


def _chances(results: Iterable[SuiteResult]) -> str:
    """Return what holds by chance on a suite, of several scores each; models differ in versions."""
    cells = dict.fromkeys(
        "\n".join(
            _labelled(score.label, number_cell(chance, missing="unknown"))
            for score, chance in zip(each.scores, each.chances, strict=True)
        )
        for each in results
    )
    return " / ".join(cells)


def _mean_chance(results: Iterable[SuiteResult]) -> str:
    """Return the mean over suites of what holds by chance, each once."""
    by_suite = {
        (each.circuit, each.suite_name): math.fsum(each.chances) / len(each.chances)
        for each in results
        if each.chances
    }
    if not by_suite:
        return ""
    return number_cell(math.fsum(by_suite.values()) / len(by_suite), missing="unknown")


def _shares(results: Sequence[SuiteResult], n_items: int | None = None) -> str:
    """Return the scores of the last of a model's results on one suite; "" without a result.

    They come with their intervals if it is said how many items the suite has.
    """
    if not results:
        return ""
    cells = []
    for score in results[-1].scores:
        shown = number_cell(score.share)
        if n_items is not None and score.is_counted:
            shown = interval_cell(score.share, score.interval) if score.n_items else "no items"
        # The column of items has those of the suite; what is skipped depends on the model.
        of = f" of {score.n_items}" if 0 < score.n_items < (n_items or 0) else ""
        cells.append(_labelled(score.label, f"{shown}{of}"))
    return "\n".join(cells) or "no predictions"


def _mean(results: Iterable[SuiteResult]) -> str:
    return number_cell(mean_score(result.score for result in results))


# What the rows of several suites are; SG scores are never pooled.
_MEANS = "Means, SG score: over suites, every suite counts alike."


def _caption(results: Sequence[SuiteResult], shown: Sequence[ModelColumn | FamilyMean]) -> str:
    caption = "Share of items on which a suite's predictions hold [95% Wilson interval]."
    if len({each.suite_name for each in results}) > 1:
        caption += f"\n{_MEANS}"
    means = [column for column in shown if isinstance(column, FamilyMean)]
    if means:
        caption += " sd: of a sample (n - 1)."
    for mean in means:
        if mean.n > MAX_MEMBERS:
            caption += f"\n{mean.family} has {mean.n} members; --format csv has each."
    return "\n".join([caption, *SuiteResult.swallowed_lines(results)])


# More suites than these do not fit beside one another; their circuits do.
_MAX_SUITES = 6


def result_tables(
    results: Sequence[SuiteResult], about: Literal["suites", "predictions"] = "suites"
) -> "list[Table]":
    """Return a table of suites x models, and one of steps x suites for each ordered family.

    About predictions it is one table, with a row for each.
    """
    if about == "predictions":
        return [prediction_table(results)]
    families: dict[tuple[str, str], list[SuiteResult]] = {}
    others = []
    for result in results:
        if (member := result.membership) and member.is_ordered:
            families.setdefault((member.family, member.axis), []).append(result)
        else:
            others.append(result)
    steps = [_step_table(family, axis, own) for (family, axis), own in families.items()]
    return [score_table(others), *steps] if others else steps


def _step_table(family: str, axis: str, results: Sequence[SuiteResult]) -> "Table":
    """Return one row a member, in the order of training; of many suites the circuits' means.

    `results` are those of one ordered family.
    """
    suites = in_order((each.circuit, each.suite_name) for each in results)
    parts, headers = [[suite] for suite in suites], [name for _, name in suites]
    if by_circuit := len(suites) > _MAX_SUITES:
        circuits = dict.fromkeys(circuit for circuit, _ in suites)
        parts = [[each for each in suites if each[0] == circuit] for circuit in circuits]
        headers = [*map(circuit_cell, circuits)]
    is_several = len(suites) > 1
    table = plain_table(
        f"{family} by {axis}: {RULES[results[0].score_rule]}",
        names=(axis,),
        numbers=headers,
    )
    if is_several:
        table.add_column("SG score", justify="right", style="bold")

    def of_parts(own: Sequence[SuiteResult]) -> list[list[SuiteResult]]:
        """Return the results that a row's cells are of."""
        return [
            [each for each in own if (each.circuit, each.suite_name) in part]
            for part in (*parts, *([suites] if is_several else []))
        ]

    by_step = {label: of_parts(own) for label, own in _by_step(results).items()}
    # Cells from here on are of several suites.
    first = 0 if by_circuit else len(parts)
    over = [
        (n, label, _scored_on(found))
        for label, own in by_step.items()
        for n, found in enumerate(own)
        if n >= first
    ]
    uneven = SuiteResult.uneven(over)
    for label, own in by_step.items():
        table.add_row(
            label,
            *map(_shares, own[:first]),
            *(
                _of_suites(_mean(found), _scored_on(found), uneven.get(n))
                for n, found in enumerate(own[first:], first)
            ),
        )
    table.add_section()
    chances = of_parts(results)
    table.add_row("chance", *map(_chances, chances[:first]), *map(_mean_chance, chances[first:]))
    share = f"Share of items that hold.{f' {_MEANS}' if is_several else ''}"
    format_csv = "--format csv has every suite with its interval."
    table.caption = "\n".join([share, *SuiteResult.uneven_lines(over), format_csv])
    return table


def _by_step(results: Sequence[SuiteResult]) -> dict[str, list[SuiteResult]]:
    """Return the results of each member; those without a number, which is no step, come last."""
    members: dict[tuple[bool, float, str], list[SuiteResult]] = {}
    for result in results:
        if member := result.membership:
            key = (member.value is None, member.value or 0.0, member.label)
            members.setdefault(key, []).append(result)
    return {key[-1]: members[key] for key in sorted(members)}


def kept_margins(prediction: PredictionResult) -> list[float]:
    """Return the margins in bits of the items that are not skipped and have a finite one."""
    margins = prediction.margin_bits[~prediction.skipped]
    kept: list[float] = margins[np.isfinite(margins)].tolist()
    return kept


def prediction_cells(prediction: PredictionResult) -> tuple[str, str, str]:
    """Return what a prediction says, in how many items it holds, and the share of these."""
    n_holding, n_items = prediction.n_holding, prediction.n_items
    return (
        f"{prediction.prediction_id}: {prediction.description or prediction.formula}",
        f"{n_holding}/{n_items}",
        number_cell(n_holding / n_items if n_items else math.nan),
    )


def in_order(suites: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return (circuit, suite) pairs sorted, every one once; those without a circuit come last."""
    return sorted(set(suites), key=lambda each: (not each[0], each))
