"""Tables of scores where families are: a path through training has a table of its own."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pommel.report.cells import circuit_cell, in_order, score_cell
from pommel.report.plain_table import empty_table
from pommel.report.tables import RULES, score_table
from pommel.scoring.results import SuiteResult
from pommel.statistics import mean_score

if TYPE_CHECKING:
    from rich.table import Table

# More suites than these do not fit beside one another; their circuits do.
_MAX_SUITES = 6


def score_tables(results: Sequence[SuiteResult]) -> "list[Table]":
    """Return a table of suites x models, and one of steps x suites for each ordered family."""
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
    what = "Means of circuits' suites" if by_circuit else "Share of items that hold"
    table = empty_table(
        title,
        names=(axis,),
        numbers=[*map(circuit_cell, circuits)] if by_circuit else [suite for _, suite in suites],
        caption=f"{what}; --format csv has every suite with its interval.",
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
        f"{score.label}: {score_cell(score.share)}" if score.label else score_cell(score.share)
        for score in result.scores
    ]
    return "\n".join(cells) or "no predictions"


def _mean(results: Iterable[SuiteResult]) -> str:
    return score_cell(mean_score(result.score for result in results))
