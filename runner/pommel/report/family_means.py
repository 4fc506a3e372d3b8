"""The columns of a table of scores: one a model, and behind the seeds of a family their mean."""

from collections.abc import Sequence
from dataclasses import dataclass

from pommel.report.cells import family_header, spread_cell
from pommel.scoring.family_scores import FamilyScore, family_scores
from pommel.scoring.results import SuiteResult

# More members than these are a crowd, of which only the mean is shown.
MAX_MEMBERS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyMean:
    """Mean ± standard deviation of a family's members, row by row; `n` is how many there are."""

    family: str
    n: int
    scores: Sequence[FamilyScore]

    @property
    def header(self) -> str:
        """What stands above the column."""
        return family_header(self.family, self.n)

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
        return spread_cell(score.scores, n_members=self.n)


def columns(results: Sequence[SuiteResult]) -> list[str | FamilyMean]:
    """Return models' names, the mean of seeds behind them; of many seeds, the mean alone."""
    scores: dict[str, list[FamilyScore]] = {}
    for score in family_scores(results):
        if score.axis == "seed":
            scores.setdefault(score.family, []).append(score)
    members: dict[str, dict[str, None]] = {}
    for result in results:
        if result.membership and result.membership.family in scores:
            members.setdefault(result.membership.family, {})[result.model_name] = None
    found: list[str | FamilyMean] = []
    for model, family in {each.model_name: _family(each) for each in results}.items():
        if family not in members:
            found.append(model)
            continue
        of_it = [*members[family]]
        if len(of_it) <= MAX_MEMBERS:
            found.append(model)
        if model == of_it[-1]:
            found.append(FamilyMean(family=family, n=len(of_it), scores=scores[family]))
    return found


def _family(result: SuiteResult) -> str:
    return result.membership.family if result.membership else ""
