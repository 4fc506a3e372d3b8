"""What the members of a family score together."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pommel.files import frame_of_rows
from pommel.scoring.results import SuiteResult
from pommel.statistics import Spread, mean_score

if TYPE_CHECKING:
    import pandas as pd


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

    @staticmethod
    def frame(results: Iterable[SuiteResult]) -> "pd.DataFrame":
        """One row a family and suite (and prediction), circuit, and one for all suites.

        Families whose members are steps of a training have no rows: their mean would say nothing.
        What the mean of models without a common axis ("member") says is for the reader to judge.
        """
        rows = [
            {
                "family": each.family,
                "axis": each.axis,
                "level": each.level,
                "circuit": each.circuit,
                "suite": each.suite,
                "score_rule": each.score_rule,
                "prediction_id": each.prediction_id,
                "n_members": each.scores.n,
                # 0 where nobody knows of how many items published shares are.
                "n_items": each.n_items or None,
                "mean": each.scores.mean,
                "sd": each.scores.sd,
                "sd_population": each.scores.sd_population,
                "min": each.scores.low,
                "max": each.scores.high,
            }
            for each in FamilyScore.of(results)
        ]
        return frame_of_rows(rows, _FAMILY_COLUMNS)

    @classmethod
    def of(cls, results: Iterable[SuiteResult]) -> list["FamilyScore"]:
        """Return the scores of every family that is no path through training.

        Those of circuits and of all suites (the SG score) are the spread of the members' own
        means; a member that lacks a score that another member has on one of the suites is not
        counted there.
        """
        families: dict[str, list[SuiteResult]] = {}
        for result in results:
            if result.membership and not result.membership.is_ordered:
                families.setdefault(result.membership.family, []).append(result)
        return [score for own in families.values() for score in _scores_of_family(own)]

    @staticmethod
    def means_of_members(scores: Sequence[Mapping[str, float]]) -> list[float]:
        """Return the mean over suites of each member that has all scores that there are.

        `scores` has one mapping a suite, from members to scores; NaN is none.
        """
        scored = [own for own in scores if not all(map(math.isnan, own.values()))]
        members = dict.fromkeys(model for own in scored for model in own)
        complete = [[own.get(model, math.nan) for own in scored] for model in members]
        return [mean_score(own) for own in complete if not any(map(math.isnan, own))]


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
                scores=Spread.of(shares),
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
            scores=Spread.of(
                FamilyScore.means_of_members(
                    [{model: each.score for model, each in own.items()} for own in chosen]
                )
            ),
        )


def _shared(result: SuiteResult) -> Mapping[str, Any]:
    assert result.membership  # noqa: S101 - those of no family have been left out
    return {
        "family": result.membership.family,
        "axis": result.membership.axis,
        "score_rule": result.score_rule,
    }


_FAMILY_COLUMNS = (
    "family",
    "axis",
    "level",
    "circuit",
    "suite",
    "score_rule",
    "prediction_id",
    "n_members",
    "n_items",
    "mean",
    "sd",
    "sd_population",
    "min",
    "max",
)
