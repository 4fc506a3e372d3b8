"""Accuracy along the path of a model through its training: families by step or epoch."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pommel.analysis.accuracy import Accuracies, Accuracy
from pommel.analysis.asking import Option, Question, Settings, WithChance, WithLevel, WithModels
from pommel.analysis.cells import (
    Answer,
    circuit_cell,
    grouped,
    interval_cell,
    number_cell,
    p_cell,
    plain_table,
    step_cell,
)
from pommel.analysis.inference import Correlation, PMethod
from pommel.analysis.models_compared import (
    ALL_SUITES,
    OF_SEVERAL,
    Average,
    Grouping,
    labelled,
    suite_labels,
)
from pommel.errors import UsageError, listed
from pommel.files import frame_of_rows
from pommel.models import Membership
from pommel.scoring import RunRecord, SuiteKey
from pommel.statistics import ALPHA
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


# One row a suite (circuit, ...), or one a step.
TrainingTable = Literal["paths", "points"]

# A share that is as high but for rounding is as high.
_ROUNDING = 1e-12


@frozen(slots=False)
class TrainingAsked(WithLevel, WithChance, WithModels, Question):
    """When models learn what: accuracy along the steps or epochs of a family.

    From which step on a suite is above chance (exact one-sided binomial test, p < .05), and from
    which on it has reached most of its final accuracy, at that step and all later ones.

    \b
      pommel run 'huggingface://EleutherAI/pythia-70m@step{1000..143000..1000}' suites:en
      pommel stats training --model 'pythia-70m*' --by circuit
      pommel stats training --table points --format csv
    """

    reach_percent: Annotated[
        float,
        Option(
            name="--reach",
            least=0,
            most=100,
            is_open=True,
            metavar="PERCENT",
            help="How much of its final accuracy a model has to reach.",
        ),
    ] = 90.0
    table: Annotated[
        TrainingTable, Option(help="One row a suite (circuit, ...), or one a step.")
    ] = "paths"

    def answer(self, records: Sequence[RunRecord]) -> "Training":
        """Follow the accuracy of every family whose members are steps or epochs.

        Raises `UsageError` where some steps were run in several ways and others were not, and as
        `Accuracies.of` does.
        """
        own = [
            each
            for each in self.chosen(records)
            if each.result.membership and each.result.membership.is_ordered
        ]
        # Margins are not looked at, and so none are drawn.
        settings = Settings(n_resamples=0, average=self.average, chance=self.chance)
        rows = Accuracies.of(own, "model" if self.level == "all" else self.level, settings).rows
        return self.along(rows, suite_labels(own))

    def along(
        self, rows: Sequence[Accuracy], labels: Mapping[SuiteKey, str] | None = None
    ) -> "Training":
        """Follow accuracies of steps and epochs, those of `level`; `labels` are those of suites.

        Raises `UsageError` as `answer` does.
        """
        _check_variants(rows)
        parted = grouped(rows, lambda row: _member(row).value is not None)
        ways: dict[tuple[str, str], list[Accuracy]] = {}
        incomplete: dict[str, None] = {}
        groups = grouped(
            parted.get(True, ()),
            lambda row: (
                labelled(_member(row).family, row.who.variant),
                _name(row, self.level, labels or {}),
            ),
        )
        for family_and_name, group in groups.items():
            # Suites that some step has a score on; one that lacks one would have another mean.
            suites = frozenset[SuiteKey]().union(*(row.suites for row in group))
            complete = [row for row in group if row.suites and row.suites == suites]
            incomplete.update((row.label, None) for row in group if row.suites != suites)
            if complete:
                complete.sort(key=lambda row: (row.axis_value, _member(row).label))
                ways[family_and_name] = complete
        return Training(
            asked=self,
            ways=ways,
            without_step=tuple(dict.fromkeys(row.label for row in parted.get(False, ()))),
            incomplete=tuple(incomplete),
        )


@frozen
class TrainingPoint:
    """The accuracy at one step (or epoch): of a suite, or the mean over several.

    `low` and `high` are Wilson's 95% interval of a share of items, and of a mean the stratified
    score interval; `p_above` is that of the exact test against chance (see `Accuracy`).
    """

    family: str
    axis: str
    level: Grouping
    name: str
    member: str
    axis_value: float
    n_items: int | None
    n_holding: int | None
    accuracy: float
    low: float
    high: float
    chance: float
    p_above: float
    average: Average = "suites"


@frozen
class TrainingPath:
    """What becomes of an accuracy on the way; NaN where it does not.

    `above_chance_from` is the first step from which on the accuracy is above chance at every step
    (exact one-sided binomial test, p < .05), `reached_from` that from which on it is at least
    `reach_percent` of the final one. `chance` is that of the last step, NaN where nobody knows it:
    then no step is above it. `rho` is Spearman's correlation with the step, `rho_p`
    two-sided, and found by `rho_p_method`.
    """

    family: str
    axis: str
    level: Grouping
    name: str
    n_steps: int
    first_step: float
    last_step: float
    first_accuracy: float
    final_accuracy: float
    above_chance_from: float
    reach_percent: float
    reached_from: float
    rho: float
    rho_p: float
    chance: float = math.nan
    average: Average = "suites"
    rho_p_method: PMethod = ""


@frozen(slots=False)
class Training(Answer):
    """Points in the order of training, paths, and members that are left out of some of them.

    `ways` has the accuracies that these are of, by the family and the suite (circuit, ...).
    `without_step` are those whose step has no number, `incomplete` those that lack a suite of a
    circuit (language, group, all) that another step has.
    """

    plot: ClassVar[str] = "training"

    Asked = TrainingAsked

    asked: TrainingAsked
    ways: Mapping[tuple[str, str], Sequence[Accuracy]]
    without_step: tuple[str, ...]
    incomplete: tuple[str, ...]

    @cached_property
    def points(self) -> tuple[TrainingPoint, ...]:
        """One a step and suite (circuit, ...)."""
        return tuple(
            _point(row, family, self.asked.level, name)
            for (family, name), rows in self.ways.items()
            for row in rows
        )

    @cached_property
    def paths(self) -> tuple[TrainingPath, ...]:
        """One a family and suite (circuit, ...)."""
        return tuple(
            _path(rows, family, name, self.asked) for (family, name), rows in self.ways.items()
        )

    @property
    def left_out(self) -> Mapping[str, Sequence[str]]:
        """The members that are left out, by the reason."""
        return {
            "without the number of a step": self.without_step,
            "not run on all suites of a mean": self.incomplete,
        }

    @property
    def why_empty(self) -> str:
        """Why there is no path; "" where there is one."""
        if self.ways:
            return ""
        return (
            "no run is of a family of steps or epochs; a reference with a pattern names one "
            "('MODEL@step{1000..3000..1000}')"
        )

    def frame(self) -> "pd.DataFrame":
        """Return one row a family and suite (circuit, ...), or of points one a step and suite."""
        if self.asked.table == "points":
            return frame_of_rows(self.points, TrainingPoint)
        return frame_of_rows(self.paths, TrainingPath)

    def tables(self) -> "list[Table]":
        """Return a table a family: its suites (circuits, ...), or one row a step."""
        if self.asked.table == "points":
            steps = grouped(self.points, lambda point: point.family)
            return [_step_table(own) for own in steps.values()]
        paths = grouped(self.paths, lambda path: path.family)
        return [_path_table(own) for own in paths.values()]


def _member(row: Accuracy) -> Membership:
    assert row.who.membership is not None  # noqa: S101 - only members of families are looked at
    return row.who.membership


def _check_variants(rows: Sequence[Accuracy]) -> None:
    for family, own in grouped(rows, lambda row: _member(row).family).items():
        found = dict.fromkeys(row.who.variant for row in own)
        if len(found) > 1 and "" in found:
            named = [variant for variant in found if variant]
            raise UsageError(
                f"some members of {family} were run in several ways ({listed(named)}), others were "
                "not; say which is meant, with --run, --score or --source"
            )


def _name(row: Accuracy, level: Grouping, labels: Mapping[SuiteKey, str]) -> str:
    match level:
        case "suite":
            return labels.get((row.unit.language, row.unit.suite), "")
        case "all":
            return ALL_SUITES
        case level:
            return str(getattr(row.unit, level))


def _point(row: Accuracy, family: str, level: Grouping, name: str) -> TrainingPoint:
    member, interval = _member(row), row.interval()
    return TrainingPoint(
        family=family,
        axis=member.axis,
        level=level,
        name=name,
        member=member.label,
        axis_value=row.axis_value,
        n_items=row.n_items,
        n_holding=row.n_holding,
        accuracy=row.accuracy,
        low=interval.low,
        high=interval.high,
        chance=row.chance,
        p_above=row.p_above,
        average=row.average,
    )


def _path(rows: Sequence[Accuracy], family: str, name: str, asked: TrainingAsked) -> TrainingPath:
    first, last = rows[0], rows[-1]
    steps = [row.axis_value for row in rows]
    ranks = Correlation.spearman(steps, [row.accuracy for row in rows])
    goal = last.accuracy * asked.reach_percent / 100 - _ROUNDING
    is_reached = [row.accuracy >= goal for row in rows]
    return TrainingPath(
        family=family,
        axis=_member(first).axis,
        level=asked.level,
        name=name,
        n_steps=len(rows),
        first_step=steps[0],
        last_step=steps[-1],
        first_accuracy=first.accuracy,
        final_accuracy=last.accuracy,
        above_chance_from=_from_when_on(steps, [row.p_above < ALPHA for row in rows]),
        reach_percent=asked.reach_percent,
        # Of nothing, everything is 90%.
        reached_from=_from_when_on(steps, is_reached) if last.accuracy > 0 else math.nan,
        rho=ranks.rho,
        rho_p=ranks.p,
        rho_p_method=ranks.p_method,
        chance=last.chance,
        average=last.average,
    )


def _from_when_on(steps: Sequence[float], is_so: Sequence[bool]) -> float:
    """Return the first step from which on it is so up to the last; NaN if it is not at the last."""
    last = list(takewhile(lambda pair: pair[1], zip(reversed(steps), reversed(is_so), strict=True)))
    return last[-1][0] if last else math.nan


def _path_table(paths: Sequence[TrainingPath]) -> "Table":
    first = paths[0]
    rows = [
        [
            circuit_cell(each.name),
            str(each.n_steps),
            f"{number_cell(each.first_accuracy)} ({step_cell(each.first_step)})",
            f"{number_cell(each.final_accuracy)} ({step_cell(each.last_step)})",
            "unknown" if math.isnan(each.chance) else step_cell(each.above_chance_from),
            step_cell(each.reached_from),
            number_cell(each.rho),
            p_cell(each.rho_p, each.rho_p_method),
        ]
        for each in paths
    ]
    is_unknown = any(math.isnan(each.chance) for each in paths)
    unknown = " Where chance is unknown there is none; --chance X says it." if is_unknown else ""
    columns = [
        first.level,
        f"{first.axis}s",
        f"first ({first.axis})",
        f"final ({first.axis})",
        "above chance from",
        f"{first.reach_percent:g}% of final from",
        "Spearman",
        "p",
    ]
    return plain_table(
        f"{first.family} by {first.axis}: accuracy on the way",
        names=columns[:1],
        numbers=columns[1:],
        rows=rows,
        caption="Above chance: exact one-sided binomial test, p < .05, from there on at every "
        f"{first.axis}.{unknown}\n{_of_several(first)}Spearman: accuracy with {first.axis}.",
    )


def _step_table(points: Sequence[TrainingPoint]) -> "Table":
    first = points[0]
    names = list(dict.fromkeys(point.name for point in points))
    steps = grouped(points, lambda point: (point.axis_value, point.member))
    rows = []
    for (step, _), own in sorted(steps.items()):
        cells = {point.name: interval_cell(point.accuracy, point) for point in own}
        rows.append([step_cell(step), *(cells.get(name, "-") for name in names)])
    return plain_table(
        f"{first.family} by {first.axis}: accuracy",
        names=[first.axis],
        numbers=[*map(circuit_cell, names)],
        rows=rows,
        caption=f"{_of_several(first)}95% intervals: Wilson's of a share of items, of a mean the "
        "stratified score interval.",
    )


def _of_several(row: TrainingPoint | TrainingPath) -> str:
    """Return what the accuracy of several suites is, and a space; "" where there are none."""
    return "" if row.level == "suite" else f"{OF_SEVERAL[row.average]} "
