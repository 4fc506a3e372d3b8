"""What the members of a family score together."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Literal

from pommel.files import frame_of_rows
from pommel.scoring.results import SuiteResult
from pommel.statistics import Spread, mean_score
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd


@frozen
class FamilyScore:
    """What the members of a family score: on a suite, on those of a circuit, or on all of them.

    `prediction_id` is as in the table of suites. A member without such a score is not among the n
    of `scores`. `n_items` counts the items of the suites, skipped or not.
    """

    family: str
    axis: str
    level: Literal["suite", "circuit", "all"]
    circuit: str
    suite: str = ""
    score_rule: str
    prediction_id: str = ""
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
                **asdict(each),
                **asdict(each.scores),
                "n_members": each.scores.n,
                # 0 where nobody knows of how many items published shares are.
                "n_items": each.n_items or None,
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
    member = results[0].membership
    assert member  # noqa: S101 - those of no family have been left out
    score = partial(
        FamilyScore, family=member.family, axis=member.axis, score_rule=results[0].score_rule
    )
    firsts = {name: next(iter(own.values())) for name, own in by_suite.items()}
    for name, own in by_suite.items():
        for index, label in enumerate([each.label for each in firsts[name].scores] or [""]):
            yield score(
                level="suite",
                circuit=firsts[name].circuit,
                suite=name,
                prediction_id=label,
                n_items=firsts[name].n_items,
                scores=Spread.of(each.scores[index].share for each in own.values() if each.scores),
            )
    circuits = sorted({result.circuit for result in results if result.circuit})
    for circuit in (*circuits, ""):
        chosen = [name for name, first in firsts.items() if circuit in ("", first.circuit)]
        shares = [{model: each.score for model, each in by_suite[name].items()} for name in chosen]
        yield score(
            level="circuit" if circuit else "all",
            circuit=circuit,
            n_items=sum(firsts[name].n_items for name in chosen),
            scores=Spread.of(FamilyScore.means_of_members(shares)),
        )


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
