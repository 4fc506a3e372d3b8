"""What the members of a family score together; pure."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pommel.scoring.results import SuiteResult
from pommel.statistics import Spread, mean_score, spread


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyScore:
    """What the members of a family score: on a suite, on those of a circuit, or on all of them.

    `prediction_id` is as in the table of suites. A member without such a score is not among the n
    of `scores`. `n_items` counts the items of the suites, skipped or not.
    """

    family: str
    axis: str
    level: Literal["suite", "circuit", "all"]
    circuit: str
    suite: str
    score_rule: str
    prediction_id: str
    n_items: int
    scores: Spread


def family_scores(results: Iterable[SuiteResult]) -> list[FamilyScore]:
    """Return the scores of every family that is no path through training.

    Those of circuits and of all suites (the SG score) are the spread of the members' own means;
    a member that lacks a score that another member has on one of the suites is not counted there.
    """
    families: dict[str, list[SuiteResult]] = {}
    for result in results:
        if result.membership and not result.membership.is_ordered:
            families.setdefault(result.membership.family, []).append(result)
    return [score for own in families.values() for score in _scores_of_family(own)]


def _scores_of_family(results: Sequence[SuiteResult]) -> Iterable[FamilyScore]:
    by_suite: dict[str, dict[str, SuiteResult]] = {}
    for result in results:
        by_suite.setdefault(result.suite_name, {})[result.model_name] = result
    shared = _shared(results[0])
    for name, own in by_suite.items():
        first, *_ = own.values()
        labels = [score.label for score in first.scores] or [""]
        for index, label in enumerate(labels):
            shares = [each.scores[index].share for each in own.values() if each.scores]
            yield FamilyScore(
                **shared,
                level="suite",
                circuit=first.circuit,
                suite=name,
                prediction_id=label,
                n_items=first.n_items,
                scores=spread(shares),
            )
    circuits = sorted({result.circuit for result in results if result.circuit})
    for circuit in (*circuits, ""):
        chosen = [
            own for own in by_suite.values() if circuit in ("", next(iter(own.values())).circuit)
        ]
        yield FamilyScore(
            **shared,
            level="circuit" if circuit else "all",
            circuit=circuit,
            suite="",
            prediction_id="",
            n_items=sum(next(iter(own.values())).n_items for own in chosen),
            scores=spread(
                means_of_members(
                    [{model: each.score for model, each in own.items()} for own in chosen]
                )
            ),
        )


def _shared(result: SuiteResult) -> dict[str, Any]:
    assert result.membership  # noqa: S101 - those of no family have been left out
    return {
        "family": result.membership.family,
        "axis": result.membership.axis,
        "score_rule": result.score_rule,
    }


def means_of_members(scores: Sequence[Mapping[str, float]]) -> list[float]:
    """Return the mean over suites of each member that has all scores that there are.

    `scores` has one mapping a suite, from members to scores; NaN is none.
    """
    scored = [own for own in scores if not all(map(math.isnan, own.values()))]
    members = dict.fromkeys(model for own in scored for model in own)
    complete = [[own.get(model, math.nan) for own in scored] for model in members]
    return [mean_score(own) for own in complete if not any(map(math.isnan, own))]
