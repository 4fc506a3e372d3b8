"""Accuracy against the number of parameters: a slope for each family of models of several sizes.

Kryvosheieva and Levy (2025), "Controlled evaluation of syntactic knowledge in multilingual language
models", Table 1: accuracy in percent against parameters in billions, by ordinary least squares, and
the mean of the families' slopes.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pommel.analysis.cells import Answer, circuit_cell, number_cell, plain_table
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
    suites_by,
)
from pommel.files import frame_of_rows
from pommel.scoring import RunRecord
from pommel.statistics import mean_score

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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling(Answer):
    """Slopes, the points that they lie in, and the models that are in no family or of no size.

    `notes` say in plain words which suites, models and seeds are left out of means over suites.
    The slopes come name by name, the families in the order in which they are first met, their mean
    behind them.
    """

    slopes: tuple[ScalingSlope, ...]
    points: tuple[ScalingPoint, ...]
    without_family: tuple[str, ...]
    without_size: tuple[str, ...]
    notes: tuple[str, ...] = ()
    table: ScalingTable = "slopes"

    @classmethod
    def of(
        cls,
        records: Sequence[RunRecord],
        *,
        level: Grouping = "suite",
        scale: Scale = "linear",
        average: Average = "suites",
        table: ScalingTable = "slopes",
    ) -> "Scaling":
        """Fit accuracy against size, for each `ModelFacts.size_family`.

        The accuracy on a circuit (a language, a group, all) is the mean over the same suites for
        all models of a family, as `even_scores` finds them, or with the `average` "items" the share
        of all their items. Seeds of one model count once, with
        their mean over those that have all of the suites. The average is the mean of the families'
        slopes as they are, not of rounded ones; a family without a slope (of fewer than two sizes)
        is not in it. Raises `UsageError` where a model of a family was run in several ways.
        """
        models = model_scores(records)
        families = _families(models)
        suites = suites_by(records, level)
        found = {
            (name, family): even_scores(own, keys, average)
            for name, keys in suites.items()
            for family, own in families.items()
        }
        points = [
            point
            for (name, family), even in found.items()
            for point in _points(family, families[family], even, level, name)
        ]
        labels = {key: name for name, keys in suites_by(records, "suite").items() for key in keys}
        return cls(
            table=table,
            slopes=tuple(_slopes(points, suites, level, scale)),
            points=tuple(points),
            without_family=tuple(each.label for each in models if not each.size_family),
            without_size=tuple(
                each.label for each in models if each.size_family and not each.n_parameters
            ),
            notes=tuple(
                note
                for (name, family), even in found.items()
                for note in even.notes(f"{family}, {name or '(none)'}", labels)
            ),
        )

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
        if self.table == "points":
            return frame_of_rows(self.points, ScalingPoint)
        return frame_of_rows(self.slopes, ScalingSlope)

    def tables(self) -> "list[Table]":
        """Return one table: suites x families, or models x suites."""
        return [self._size_table() if self.table == "points" else self._slope_table()]

    def _slope_table(self) -> "Table":
        """Return one row a suite (circuit, ...), one column a family, and their mean."""
        slopes = self.slopes
        families = list(dict.fromkeys(each.family for each in slopes))
        n_models = {
            family: max(each.n_models for each in slopes if each.family == family)
            for family in families
        }
        by_name: dict[str, dict[str, ScalingSlope]] = {}
        for each in slopes:
            by_name.setdefault(each.name, {})[each.family] = each
        headers = [
            family if family == AVERAGE else f"{family} (n = {n_models[family]})"
            for family in families
        ]
        rows = [
            [
                circuit_cell(name),
                *(_slope_cell(own[family], n_models[family]) for family in families),
            ]
            for name, own in by_name.items()
        ]
        return plain_table(
            f"Accuracy against size: percentage points per {_UNITS[slopes[0].scale]}",
            names=[slopes[0].level],
            numbers=headers,
            rows=rows,
            caption="Ordinary least squares over a family's models (n), the seeds of one with "
            f"their mean. {AVERAGE}: mean of the slopes.\n"
            f"{_of_several(slopes[0])}--format csv has r, p and the standard error.",
        )

    def _size_table(self) -> "Table":
        """Return one row a model, from the smallest on in its family; one column a suite (...)."""
        points = self.points
        names = list(dict.fromkeys(each.name for each in points))
        models: dict[tuple[str, str, int], dict[str, ScalingPoint]] = {}
        for each in points:
            key = (each.family, each.model_name, each.n_parameters)
            models.setdefault(key, {})[each.name] = each
        families = list(dict.fromkeys(family for family, _, _ in models))
        ordered = sorted(models, key=lambda key: (families.index(key[0]), key[2]))
        rows = [
            [
                key[0],
                key[1],
                f"{key[2]:,}",
                *(number_cell(models[key][name].accuracy) for name in names),
            ]
            for key in ordered
        ]
        columns = ["family", "model", "parameters", *map(circuit_cell, names)]
        return plain_table(
            "Accuracy by size",
            names=columns[:2],
            numbers=columns[2:],
            rows=rows,
            caption=_of_several(points[0]).rstrip(),
        )


def _of_several(row: ScalingPoint | ScalingSlope) -> str:
    """Return a line on what the accuracy of several suites is; none where there are none."""
    return "" if row.level == "suite" else f"{OF_SEVERAL[row.average]}\n"


def _families(models: Iterable[ModelScores]) -> dict[str, list[ModelScores]]:
    """Return the models of each family whose size is known."""
    found: dict[str, list[ModelScores]] = {}
    for model in models:
        if model.size_family and model.n_parameters:
            found.setdefault(model.size_family, []).append(model)
    for own in found.values():
        check_distinct(own)
    return found


def _points(
    family: str, models: Iterable[ModelScores], even: EvenScores, level: Grouping, name: str
) -> Iterator[ScalingPoint]:
    kept = {(each.label, each.n_parameters): each for each in even.models}
    for model in models:
        assert model.n_parameters  # noqa: S101 - those of no size are not here
        own = kept.get((model.label, model.n_parameters))
        yield ScalingPoint(
            family=family,
            model_name=model.name,
            n_parameters=model.n_parameters,
            n_members=own.n_members if own else model.n_members,
            level=level,
            name=name,
            accuracy=even.mean(own) if own else math.nan,
            n_suites=len(even.suites),
            average=even.average,
        )


def _slopes(
    points: Iterable[ScalingPoint], names: Iterable[str], level: Grouping, scale: Scale
) -> Iterator[ScalingSlope]:
    by_name: dict[str, dict[str, list[ScalingPoint]]] = {name: {} for name in names}
    for point in points:
        by_name[point.name].setdefault(point.family, []).append(point)
    for name, families in by_name.items():
        fits = {family: _fit(own, scale) for family, own in families.items()}
        for family, fit in fits.items():
            yield ScalingSlope(
                family=family,
                level=level,
                name=name,
                scale=scale,
                n_families=1,
                n_models=fit.n,
                slope_percent=fit.slope,
                intercept_percent=fit.intercept,
                r=fit.r,
                p=fit.p,
                standard_error_percent=fit.standard_error,
                n_suites=families[family][0].n_suites,
                average=families[family][0].average,
            )
        if fits:
            known = [fit for fit in fits.values() if not math.isnan(fit.slope)]
            sizes = [own[0].n_suites for own in families.values() if own[0].n_suites]
            yield ScalingSlope(
                family=AVERAGE,
                level=level,
                name=name,
                scale=scale,
                n_families=len(known),
                n_models=sum(fit.n for fit in known),
                slope_percent=mean_score(fit.slope for fit in known),
                n_suites=min(sizes, default=0),
                average=next(iter(families.values()))[0].average,
            )


def _fit(points: Sequence[ScalingPoint], scale: Scale) -> Fit:
    sizes = [
        point.n_parameters / _BILLION if scale == "linear" else math.log10(point.n_parameters)
        for point in points
    ]
    return Fit.of(sizes, [100 * point.accuracy for point in points])


_UNITS: dict[Scale, str] = {
    "linear": "billion parameters",
    "log": "power of ten of parameters",
}


def _slope_cell(slope: ScalingSlope, n_models: int) -> str:
    # Above the column stands how many models there are; one that lacks the suite is not among them.
    is_average = slope.family == AVERAGE
    of = "" if is_average or slope.n_models == n_models else f" (n = {slope.n_models})"
    return number_cell(slope.slope_percent, 3) + of
