"""Results as tables for people: suites x models, predictions, what a suite holds."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pommel.analysis import (
    FamilyColumn,
    add_suite_rows,
    circuit_cell,
    interval_cell,
    number_cell,
    plain_table,
)
from pommel.scoring import FamilyScore, PredictionResult, SuiteResult
from pommel.statistics import mean_score

if TYPE_CHECKING:
    from rich.table import Table


# More members than these are a crowd, of which only the mean is shown.
MAX_MEMBERS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyMean(FamilyColumn):
    """Mean ± standard deviation of a family's members, row by row."""

    scores: Sequence[FamilyScore]

    def suite_cell(self, suite: str) -> str:
        """Return what stands in a suite's row, empty if no member has been run on it."""
        found = [each for each in self.scores if each.level == "suite" and each.suite == suite]
        return "\n".join(
            f"{each.prediction_id}: {self._shown(each)}"
            if each.prediction_id
            else self._shown(each)
            for each in found
        )

    def mean_cell(self, circuit: str = "") -> str:
        """Return what stands in the row of a circuit's means, or of the SG scores."""
        level = "circuit" if circuit else "all"
        found = [each for each in self.scores if (each.level, each.circuit) == (level, circuit)]
        return self._shown(found[0]) if found else "-"

    def _shown(self, score: FamilyScore) -> str:
        return self.cell(score.scores)


def columns(results: Sequence[SuiteResult]) -> list[str | FamilyMean]:
    """Return models' names, the mean of seeds behind them; of many seeds, the mean alone."""
    scores: dict[str, list[FamilyScore]] = {}
    for score in FamilyScore.of(results):
        if score.axis == "seed":
            scores.setdefault(score.family, []).append(score)
    members: dict[str, dict[str, None]] = {}
    for result in results:
        if result.membership and result.membership.family in scores:
            members.setdefault(result.membership.family, {})[result.model_name] = None
    found: list[str | FamilyMean] = []
    for model, membership in {each.model_name: each.membership for each in results}.items():
        family = membership.family if membership else ""
        if family not in members:
            found.append(model)
            continue
        of_it = [*members[family]]
        if len(of_it) <= MAX_MEMBERS:
            found.append(model)
        if model == of_it[-1]:
            found.append(FamilyMean(family=family, n=len(of_it), scores=scores[family]))
    return found


def score_table(results: Sequence[SuiteResult]) -> "Table":
    """Return suites (grouped by circuit) x models: the score and its 95% interval (Wilson).

    Before the models stands which share holds by chance. The last rows are each circuit's mean and
    the SG score, the unweighted mean over suites. Behind the seeds of a family stands their mean; a
    big family's members are left out.
    """
    shown = columns(results)
    rule = results[0].score_rule if results else "all"
    headers = [column if isinstance(column, str) else column.header for column in shown]
    caption = _caption(results, shown)
    n_items: dict[str, int] = {}
    for each in results:
        n_items[each.suite_name] = max(each.n_items, n_items.get(each.suite_name, 0))
    table = plain_table(
        RULES[rule],
        names=("circuit", "suite"),
        numbers=("items", "chance", *headers),
        caption=caption,
    )
    by_key = {(each.suite_name, each.model_name): each for each in results}

    def cells(suite: str) -> Iterator[str]:
        # Of shares that were published by themselves nobody may know of how many items they are.
        yield str(n_items[suite] or "-")
        yield _chances_cell(each for each in results if each.suite_name == suite)
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


def _chances_cell(results: Iterable[SuiteResult]) -> str:
    """Return what holds by chance on a suite, of several scores each; models differ in versions."""
    cells: dict[str, None] = {}
    for each in results:
        labels = [f"{score.label}: " if score.label else "" for score in each.scores]
        shown = [number_cell(chance, missing="unknown") for chance in each.chances]
        cells["\n".join(map("".join, zip(labels, shown, strict=True)))] = None
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
            shown = number_cell(score.share)
        # The column of items has those of the suite; what is skipped depends on the model.
        of = f" of {score.n_items}" if 0 < score.n_items < n_items else ""
        cells.append(f"{label}{shown}{of}")
    return "\n".join(cells) or "no predictions"


# What the rows of several suites are; SG scores are never pooled.
_MEANS = "Means, SG score: over suites, every suite counts alike."


def _caption(results: Sequence[SuiteResult], shown: Sequence[str | FamilyMean]) -> str:
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


def _add_means(
    table: "Table", results: Sequence[SuiteResult], shown: Sequence[str | FamilyMean]
) -> None:
    circuits = sorted({result.circuit for result in results if result.circuit})
    table.add_section()
    for circuit in circuits if len(circuits) > 1 else []:
        cells = (_mean_cell(results, column, circuit) for column in shown)
        own = [each for each in results if each.circuit == circuit]
        table.add_row(circuit, "mean", "", _mean_chance(own), *cells)
    if len({result.suite_name for result in results}) > 1:
        cells = (_mean_cell(results, column) for column in shown)
        table.add_row("all suites", "SG score", "", _mean_chance(results), *cells, style="bold")


def _mean_cell(results: Sequence[SuiteResult], column: str | FamilyMean, circuit: str = "") -> str:
    """Return the mean over a circuit's suites, or over all."""
    if isinstance(column, FamilyMean):
        return column.mean_cell(circuit)
    own = (each for each in results if each.model_name == column)
    return number_cell(mean_score(each.score for each in own if circuit in ("", each.circuit)))


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
    families: dict[str, list[SuiteResult]] = {}
    others = []
    for result in results:
        if result.membership and result.membership.is_ordered:
            families.setdefault(result.membership.family, []).append(result)
        else:
            others.append(result)
    steps = [_step_table(own) for own in families.values()]
    return [score_table(others), *steps] if others else steps


def _step_table(results: Sequence[SuiteResult]) -> "Table":
    """Return one row a member, in the order of training; of many suites the circuits' means.

    `results` are those of one ordered family.
    """
    title, axis = _title(results)
    suites = in_order((each.circuit, each.suite_name) for each in results)
    circuits = list(dict.fromkeys(circuit for circuit, _ in suites))
    by_circuit = len(suites) > _MAX_SUITES
    what = f"Share of items that hold.{f' {_MEANS}' if len(suites) > 1 else ''}"
    table = plain_table(
        title,
        names=(axis,),
        numbers=[*map(circuit_cell, circuits)] if by_circuit else [suite for _, suite in suites],
        caption=f"{what}\n--format csv has every suite with its interval.",
    )
    if len(suites) > 1:
        table.add_column("SG score", justify="right", style="bold")
    for label, own in _by_step(results).items():
        if by_circuit:
            cells = [_mean(each for each in own if each.circuit == name) for name in circuits]
        else:
            found = {(each.circuit, each.suite_name): each for each in own}
            cells = [_shares(found.get(suite)) for suite in suites]
        table.add_row(label, *cells, *([_mean(own)] if len(suites) > 1 else []))
    table.add_section()
    parts = (
        [_mean_chance(each for each in results if each.circuit == name) for name in circuits]
        if by_circuit
        else [
            _chances_cell(each for each in results if (each.circuit, each.suite_name) == suite)
            for suite in suites
        ]
    )
    table.add_row("chance", *parts, *([_mean_chance(results)] if len(suites) > 1 else []))
    return table


def _title(results: Sequence[SuiteResult]) -> tuple[str, str]:
    member = results[0].membership
    assert member is not None  # noqa: S101 - the others have a table without steps
    return f"{member.family} by {member.axis}: {RULES[results[0].score_rule]}", member.axis


def _by_step(results: Sequence[SuiteResult]) -> dict[str, list[SuiteResult]]:
    """Return the results of each member; those without a number, which is no step, come last."""
    members: dict[tuple[bool, float, str], list[SuiteResult]] = {}
    for result in results:
        if member := result.membership:
            key = (member.value is None, member.value or 0.0, member.label)
            members.setdefault(key, []).append(result)
    return {key[-1]: members[key] for key in sorted(members)}


def _shares(result: SuiteResult | None) -> str:
    if result is None:
        return ""
    cells = [
        f"{score.label}: {number_cell(score.share)}" if score.label else number_cell(score.share)
        for score in result.scores
    ]
    return "\n".join(cells) or "no predictions"


def _mean(results: Iterable[SuiteResult]) -> str:
    return number_cell(mean_score(result.score for result in results))


def kept_margins(prediction: PredictionResult) -> list[float]:
    """Return the margins in bits of the items that are not skipped and have a finite one."""
    return [
        margin
        for margin, skipped in zip(prediction.margin_bits.tolist(), prediction.skipped, strict=True)
        if math.isfinite(margin) and not skipped
    ]


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
