"""Accuracy against the number of parameters: a slope for each family of models of several sizes.

Kryvosheieva and Levy (2025), "Controlled evaluation of syntactic knowledge in multilingual language
models", Table 1: accuracy in percent against parameters in billions, by ordinary least squares, and
the mean of the families' slopes.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pommel.analysis.asking import Option, Question, WithAverage, WithFamilies, WithLevel
from pommel.analysis.cells import Answer, circuit_cell, grouped, number_cell, plain_table
from pommel.analysis.inference import Fit
from pommel.analysis.models_compared import (
    OF_SEVERAL,
    Average,
    EvenScores,
    Grouping,
    ModelScores,
    check_distinct,
    even_scores,
    model_scores,
    suite_labels,
    suites_by,
)
from pommel.files import frame_of_rows
from pommel.scoring import RunRecord
from pommel.statistics import mean_score
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


# What accuracy is set against: parameters in billions, or log10 of their number.
Scale = Literal["linear", "log"]

# The slopes, or the accuracy of each model with its size.
ScalingTable = Literal["slopes", "points"]

# What the mean of the families' slopes is called, as in the paper.
AVERAGE = "Average"

_BILLION = 1e9


@frozen(slots=False)
class ScalingAsked(WithLevel, WithAverage, WithFamilies, Question):
    """By how much accuracy rises with a model's size, family by family.

    The slope of accuracy in percent against parameters in billions, by ordinary least squares, and
    the mean of the families' slopes. Imported results may say which family a model is of; --family
    says it, too. Seeds of one model count once, with their mean; of a path through training the
    last step counts.

    \b
      pommel stats scaling --source multilingual --family 'BLOOM=bloom*' --family 'XGLM=xglm*' \\
          --exclude-model xglm-4.5B
      pommel stats scaling --family 'Pythia=pythia-*' --by circuit --x log
    """

    scale: Annotated[
        Scale,
        Option(name="--x", help="Slopes per billion parameters, or per power of ten."),
    ] = "linear"
    table: Annotated[
        ScalingTable, Option(help="The slopes, or the accuracy of each model with its size.")
    ] = "slopes"

    def answer(self, records: Sequence[RunRecord]) -> "Scaling":
        """Fit accuracy against size, for each `ModelFacts.size_family`.

        The accuracy on a circuit (a language, a group, all) is the mean over the same suites for
        all models of a family, as `even_scores` finds them, or with the `average` "items" the share
        of all their items. Seeds of one model count once, with
        their mean over those that have all of the suites. The average is the mean of the families'
        slopes as they are, not of rounded ones; a family without a slope (of fewer than two sizes)
        is not in it. Raises `UsageError` where a model of a family was run in several ways.
        """
        records = self.chosen(records)
        models = model_scores(records)
        families = grouped(
            (each for each in models if each.size_family and each.n_parameters),
            lambda model: model.size_family,
        )
        for own in families.values():
            check_distinct(own)
        labels = suite_labels(records)
        points: list[ScalingPoint] = []
        notes: list[str] = []
        for name, keys in suites_by(records, self.level).items():
            for family, own in families.items():
                even = even_scores(own, keys, self.average)
                points += self._points(family, own, even, name)
                notes += even.notes(f"{family}, {name or '(none)'}", labels)
        return Scaling(
            asked=self,
            slopes=tuple(self._slopes(points)),
            points=tuple(points),
            without_family=tuple(each.label for each in models if not each.size_family),
            without_size=tuple(
                each.label for each in models if each.size_family and not each.n_parameters
            ),
            notes=tuple(notes),
        )

    def _points(
        self, family: str, models: Iterable[ModelScores], even: EvenScores, name: str
    ) -> Iterator["ScalingPoint"]:
        kept = {(each.label, each.n_parameters): each for each in even.models}
        for model in models:
            own = kept.get((model.label, model.n_parameters))
            yield ScalingPoint(
                family=family,
                model_name=model.name,
                n_parameters=model.n_parameters or 0,
                n_members=len((own or model).complete),
                level=self.level,
                name=name,
                accuracy=even.mean(own) if own else math.nan,
                n_suites=len(even.suites),
                average=self.average,
            )

    def _slopes(self, points: Iterable["ScalingPoint"]) -> Iterator["ScalingSlope"]:
        for name, of_name in grouped(points, lambda point: point.name).items():
            families = grouped(of_name, lambda point: point.family)
            fits = {family: self._fit(own) for family, own in families.items()}
            slope = partial(
                ScalingSlope, level=self.level, name=name, scale=self.scale, average=self.average
            )
            for family, fit in fits.items():
                yield slope(
                    family=family,
                    n_families=1,
                    n_models=fit.n,
                    slope_percent=fit.slope,
                    intercept_percent=fit.intercept,
                    r=fit.r,
                    p=fit.p,
                    standard_error_percent=fit.standard_error,
                    n_suites=families[family][0].n_suites,
                )
            known = [fit for fit in fits.values() if not math.isnan(fit.slope)]
            yield slope(
                family=AVERAGE,
                n_families=len(known),
                n_models=sum(fit.n for fit in known),
                slope_percent=mean_score(fit.slope for fit in known),
                n_suites=min(filter(None, (point.n_suites for point in of_name)), default=0),
            )

    def _fit(self, points: Sequence["ScalingPoint"]) -> Fit:
        is_linear = self.scale == "linear"
        sizes = [
            point.n_parameters / _BILLION if is_linear else math.log10(point.n_parameters)
            for point in points
        ]
        return Fit.of(sizes, [100 * point.accuracy for point in points])


@frozen
class ScalingPoint:
    """A model of a family: its size, and its accuracy on a suite, or the mean over several.

    The accuracy is NaN if the model lacks one of the `n_suites` suites that the others of its
    family have. `n_members` counts the seeds that it is the mean of.
    """

    family: str
    model_name: str
    n_parameters: int
    n_members: int
    level: Grouping
    name: str
    accuracy: float
    n_suites: int = 1
    average: Average = "suites"


@frozen
class ScalingSlope:
    """By how many percentage points accuracy rises per billion parameters, or per power of ten.

    `r`, `p` and `standard_error` are as in `statistics.Fit`. The mean of the families' slopes is a
    row of its own: its `family` is "Average", `n_families` counts the slopes, and nothing but
    the slope is defined. `n_suites` counts the suites that accuracy is the mean over, for the
    average those of the family that has the fewest.
    """

    family: str
    level: Grouping
    name: str
    scale: Scale
    n_families: int
    n_models: int
    slope_percent: float
    intercept_percent: float = math.nan
    r: float = math.nan
    p: float = math.nan
    standard_error_percent: float = math.nan
    n_suites: int = 1
    average: Average = "suites"


@frozen
class Scaling(Answer):
    """Slopes, the points that they lie in, and the models that are in no family or of no size.

    `notes` say in plain words which suites, models and seeds are left out of means over suites.
    The slopes come name by name, the families in the order in which they are first met, their mean
    behind them.
    """

    plot: ClassVar[str] = "scaling"

    Asked = ScalingAsked

    asked: ScalingAsked
    slopes: tuple[ScalingSlope, ...]
    points: tuple[ScalingPoint, ...]
    without_family: tuple[str, ...]
    without_size: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def left_out(self) -> Mapping[str, Sequence[str]]:
        """The models that are in no slope, by the reason."""
        return {
            "of no family (--family says which)": self.without_family,
            "of unknown size": self.without_size,
        }

    @property
    def why_empty(self) -> str:
        """Why there is no slope; "" where there is one."""
        if self.slopes:
            return ""
        return "no model is of a family and of known size; --family NAME=GLOB makes one"

    def frame(self) -> "pd.DataFrame":
        """Return one row a family and suite (circuit, ...), and one for the mean of the families.

        Of points: one row a model and suite (circuit, ...).
        """
        if self.asked.table == "points":
            return frame_of_rows(self.points, ScalingPoint)
        return frame_of_rows(self.slopes, ScalingSlope)

    def tables(self) -> "list[Table]":
        """Return one table: suites x families, or models x suites."""
        return [self._size_table() if self.asked.table == "points" else self._slope_table()]

    def _slope_table(self) -> "Table":
        """Return one row a suite (circuit, ...), one column a family, and their mean."""
        by_family = grouped(self.slopes, lambda slope: slope.family)
        n_models = {family: max(each.n_models for each in own) for family, own in by_family.items()}

        def cell(slope: ScalingSlope) -> str:
            # Above the column stands how many there are; one that lacks the suite is not of them.
            is_whole = slope.family == AVERAGE or slope.n_models == n_models[slope.family]
            of = "" if is_whole else f" (n = {slope.n_models})"
            return number_cell(slope.slope_percent, 3) + of

        return plain_table(
            f"Accuracy against size: percentage points per {_UNITS[self.asked.scale]}",
            names=[self.asked.level],
            numbers=[
                family if family == AVERAGE else f"{family} (n = {n})"
                for family, n in n_models.items()
            ],
            # Every name has a slope of every family.
            rows=[
                [circuit_cell(own[0].name), *map(cell, own)]
                for own in grouped(self.slopes, lambda slope: slope.name).values()
            ],
            caption="Ordinary least squares over a family's models (n), the seeds of one with "
            f"their mean. {AVERAGE}: mean of the slopes.\n"
            f"{self._of_several}--format csv has r, p and the standard error.",
        )

    def _size_table(self) -> "Table":
        """Return one row a model, from the smallest on in its family; one column a suite (...)."""
        models = grouped(
            self.points, lambda each: (each.family, each.model_name, each.n_parameters)
        )
        families = list(dict.fromkeys(each.family for each in self.points))
        names = dict.fromkeys(circuit_cell(each.name) for each in self.points)
        return plain_table(
            "Accuracy by size",
            names=["family", "model"],
            numbers=["parameters", *names],
            # Every model has a point of every name.
            rows=[
                [family, model, f"{size:,}", *(number_cell(each.accuracy) for each in own)]
                for (family, model, size), own in sorted(
                    models.items(), key=lambda pair: (families.index(pair[0][0]), pair[0][2])
                )
            ],
            caption=self._of_several.rstrip(),
        )

    @property
    def _of_several(self) -> str:
        """A line on what the accuracy of several suites is; none where there are none."""
        return "" if self.asked.level == "suite" else f"{OF_SEVERAL[self.asked.average]}\n"


_UNITS: dict[Scale, str] = {
    "linear": "billion parameters",
    "log": "power of ten of parameters",
}
