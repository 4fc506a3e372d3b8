"""Accuracy against the complexity of what stands between two words that depend on each other.

Kryvosheieva and Levy (2025), figure 3: series of suites with ever longer intervening material, and
on each the mean over the versions (sizes) of a model, with the standard error of that mean.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pommel.analysis.cells import (
    Answer,
    ends_cell,
    mean_sd_cell,
    number_cell,
    p_cell,
    plain_table,
    step_cell,
)
from pommel.analysis.given_tables import GivenTable
from pommel.analysis.inference import Correlation, Fit, PMethod, SignFlip
from pommel.analysis.item_columns import shares_by_item
from pommel.analysis.models_compared import (
    OF_SEVERAL,
    Average,
    EvenScores,
    ModelScores,
    Pooling,
    even_scores,
    model_scores,
    pooled,
    suites_by,
)
from pommel.errors import UsageError, nearest
from pommel.files import frame_of_rows
from pommel.scoring import RunRecord, SuiteKey
from pommel.statistics import Estimate, Interval, Spread, mean_score

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


# What suites of one series have in common.
Series = Literal["circuit", "language", "group", "none"]
# One row a complexity, or a series.
ComplexityTable = Literal["points", "trends"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteComplexity:
    """How complex a suite's intervening material is, within which series."""

    suite: SuiteKey
    series: str
    complexity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplexityPoint:
    """The mean accuracy at one complexity.

    For each model by itself it is the mean over the suites of that complexity, and the standard
    error that of the mean over suites; otherwise it is the mean over the models' own means, and
    the standard error theirs: that of a sample (n - 1), NaN for one value alone. All of the
    `n_models` have all of the suites (see `even_scores`).
    """

    models: str
    series: str
    complexity: float
    suites: tuple[str, ...]
    n_models: int
    n_suites: int
    accuracy: float
    standard_error: float
    average: Average = "suites"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplexityTrend:
    """How accuracy changes along a series: percentage points per unit of complexity, and ranks.

    Each suite is a point, with its mean over the `n_models`, all of which have all of the suites
    (see `even_scores`); of a model by itself, those suites that it has. `slope_p` and `rho_p` are
    two-sided, the latter found by `rho_p_method`.
    """

    models: str
    series: str
    n_models: int
    n_suites: int
    slope_percent: float
    standard_error_percent: float
    slope_p: float
    rho: float
    rho_p: float
    rho_p_method: PMethod = ""
    average: Average = "suites"


@dataclass(frozen=True, slots=True, kw_only=True)
class Complexity(Answer):
    """Accuracy at each complexity, how it changes along series, and suites of none.

    `notes` say in plain words which suites, models and seeds are left out of trends.
    """

    points: tuple[ComplexityPoint, ...]
    trends: tuple[ComplexityTrend, ...]
    without_complexity: tuple[str, ...]
    notes: tuple[str, ...] = ()
    pooling: Pooling = "none"
    table: ComplexityTable = "points"

    @classmethod
    def of(
        cls,
        records: Sequence[RunRecord],
        *,
        file: Path | None = None,
        series: Series = "circuit",
        pooling: Pooling = "none",
        table: ComplexityTable = "points",
    ) -> "Complexity":
        """Set accuracy against the complexity that a file gives, or that suites say they have.

        Raises `UsageError` for a file none of whose suites has a run, and as `of_complexities`
        does; as `GivenTable.read` does for a faulty file.
        """
        if file:
            found = given_complexities(file, records, series)
            if not found:
                raise UsageError(f"{file}: none of its suites has a run")
        else:
            found = known_complexities(records, series)
        return cls.of_complexities(records, found, pooling=pooling, table=table)

    @classmethod
    def of_complexities(
        cls,
        records: Sequence[RunRecord],
        complexities: Sequence[SuiteComplexity],
        *,
        pooling: Pooling = "none",
        table: ComplexityTable = "points",
    ) -> "Complexity":
        """Set accuracy against complexity, series by series.

        Seeds of one model count once, with their mean. Raises `UsageError` where one model was run
        in several ways and a mean over models would count it several times.
        """
        pools = pooled(model_scores(records), pooling)
        labels = {key: name for name, keys in suites_by(records, "suite").items() for key in keys}
        by_series: dict[str, list[SuiteComplexity]] = {}
        for each in complexities:
            by_series.setdefault(each.series, []).append(each)
        points: list[ComplexityPoint] = []
        trends: list[ComplexityTrend] = []
        notes: list[str] = []
        for series, own in sorted(by_series.items(), key=lambda pair: (not pair[0], pair[0])):
            for name, models in pools.items():
                points += _points(name, models, own, labels, is_alone=pooling == "none")
                even = even_scores(models, list(dict.fromkeys(each.suite for each in own)))
                trends.append(_trend(name, series, even, own))
                notes += even.notes(f"{name}, {series}" if series else name, labels)
        known = {each.suite for each in complexities}
        return cls(
            pooling=pooling,
            table=table,
            points=tuple(points),
            trends=tuple(trends),
            without_complexity=tuple(label for key, label in labels.items() if key not in known),
            notes=tuple(notes),
        )

    @staticmethod
    def difference(
        records: Sequence[RunRecord], suites: tuple[str, str], *, pooling: Pooling = "none"
    ) -> "SuiteDifferences":
        """Compare accuracy on two suites, as `SuiteDifferences.of` does."""
        return SuiteDifferences.of(records, *suites, pooling=pooling)

    @property
    def left_out(self) -> Mapping[str, Sequence[str]]:
        """The suites that are in no series, where others are."""
        return {"of no known complexity": self.without_complexity} if self.trends else {}

    @property
    def why_empty(self) -> str:
        """Why there is no series; "" where there is one."""
        if self.trends:
            return ""
        return "no suite says how complex it is (meta.complexity); --complexity FILE does instead"

    def frame(self) -> "pd.DataFrame":
        """Return one row a model (family), series and complexity, or of trends one a series.

        `suites` has the names of a point's suites, with blanks.
        """
        if self.table == "trends":
            return frame_of_rows(self.trends, ComplexityTrend)
        frame = frame_of_rows(self.points, ComplexityPoint)
        return frame.assign(suites=frame["suites"].map(" ".join))

    def tables(self) -> "list[Table]":
        """Return a table a series: one row a model (family), one column a complexity."""
        by_series: dict[str, list[ComplexityTrend]] = {}
        for trend in self.trends:
            by_series.setdefault(trend.series, []).append(trend)
        return [
            _table([each for each in self.points if each.series == series], trends, self.pooling)
            for series, trends in by_series.items()
        ]


def known_complexities(
    records: Iterable[RunRecord], series: Series = "circuit"
) -> list[SuiteComplexity]:
    """Return the complexities that suites themselves say they have (`SuiteFacts.complexity`)."""
    found: dict[SuiteKey, SuiteComplexity] = {}
    for record in records:
        if record.suite.complexity is not None:
            own = SuiteComplexity(
                suite=record.suite_key,
                series=_series_of(record, series),
                complexity=record.suite.complexity,
            )
            found.setdefault(own.suite, own)
    return list(found.values())


def given_complexities(
    path: Path, records: Sequence[RunRecord], series: Series = "circuit"
) -> list[SuiteComplexity]:
    """Return the complexities in a CSV or TSV with the columns suite, complexity, maybe series.

    A suite may be in several series. Without the column, the series are as `series` says. Suites
    of the file that no record is of are left out. Raises as `GivenTable.read` does.
    """
    table = GivenTable.read(path, key="suite", value="complexity", more_keys=("series",))
    first: dict[str, dict[SuiteKey, RunRecord]] = {}
    for record in records:
        first.setdefault(record.result.suite_name, {}).setdefault(record.suite_key, record)
    return [
        SuiteComplexity(
            suite=key,
            series=row.keys[1] if len(row.keys) > 1 else _series_of(record, series),
            complexity=row.value,
        )
        for row in table.rows
        if not math.isnan(row.value)
        for key, record in first.get(row.keys[0], {}).items()
    ]


def _series_of(record: RunRecord, series: Series) -> str:
    return {
        "circuit": record.result.circuit,
        "language": record.suite.language,
        "group": record.suite.group,
        "none": "",
    }[series]


def _points(
    name: str,
    models: Sequence[ModelScores],
    suites: Sequence[SuiteComplexity],
    labels: Mapping[SuiteKey, str],
    *,
    is_alone: bool,
) -> Iterator[ComplexityPoint]:
    """Yield the points of one series, from the least complex suites on."""
    for value in sorted({each.complexity for each in suites}):
        own = list(dict.fromkeys(each.suite for each in suites if each.complexity == value))
        even = even_scores(models, own)
        if is_alone:
            shares = Spread.of(each.scores[suite] for each in even.models for suite in even.suites)
        else:
            shares = Spread.of(map(even.mean, even.models))
        if shares.n:
            yield ComplexityPoint(
                models=name,
                series=suites[0].series,
                complexity=value,
                suites=tuple(labels[suite] for suite in even.suites),
                n_models=len(even.models),
                n_suites=len(even.suites),
                accuracy=shares.mean,
                standard_error=shares.standard_error,
            )


def _trend(
    name: str, series: str, even: EvenScores, suites: Sequence[SuiteComplexity]
) -> ComplexityTrend:
    suites = [each for each in suites if each.suite in even.suites]
    values = [each.complexity for each in suites]
    shares = [mean_score(model.scores[each.suite] for model in even.models) for each in suites]
    fit = Fit.of(values, [100 * share for share in shares])
    ranks = Correlation.spearman(values, shares)
    return ComplexityTrend(
        models=name,
        series=series,
        n_models=len(even.models),
        n_suites=fit.n,
        slope_percent=fit.slope,
        standard_error_percent=fit.standard_error,
        slope_p=fit.p,
        rho=ranks.rho,
        rho_p=ranks.p,
        rho_p_method=ranks.p_method,
    )


def _table(
    points: Sequence[ComplexityPoint], trends: Sequence[ComplexityTrend], pooling: Pooling
) -> "Table":
    values = sorted({each.complexity for each in points})
    cells = {(each.models, each.complexity): each for each in points}
    rows = [
        [
            trend.models,
            *(_point_cell(cells.get((trend.models, value)), pooling) for value in values),
            number_cell(trend.slope_percent, sign="+"),
            p_cell(trend.slope_p),
            number_cell(trend.rho),
            p_cell(trend.rho_p, trend.rho_p_method),
            str(trend.n_suites if pooling == "none" else trend.n_models),
        ]
        for trend in trends
    ]
    what = "suites" if pooling == "none" else "models"
    series = f": {trends[0].series}" if trends[0].series else ""
    return plain_table(
        f"Accuracy by complexity of intervening material{series}",
        names=["models"],
        numbers=[*map(step_cell, values), "slope", "p", "Spearman", "p", "n"],
        rows=rows,
        caption=f"Mean ± standard error of the mean over {what} (n). Slope: percentage points per "
        f"unit of complexity, over the same n {what} throughout.\n{OF_SEVERAL['suites']}",
    )


def _point_cell(point: ComplexityPoint | None, pooling: Pooling) -> str:
    if point is None:
        return "-"
    n = point.n_suites if pooling == "none" else point.n_models
    return f"{mean_sd_cell(point.accuracy, point.standard_error)} ({n})"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteDifference:
    """By how much the accuracy on one suite is above that on another: the mean over models.

    `low` and `high` are 95% intervals: that of t of the mean over models, for three or more, and
    never narrower than the stratified score interval of the items of the two suites, which keeps
    its width where all models are alike (see `_interval`). `p` is two-sided, by turning the signs
    of the models' differences, and found by `p_method` (see `SignFlip`). The standard error is a
    sample's, and NaN for one model alone, as p.
    """

    models: str
    suite: str
    other_suite: str
    n_models: int
    difference: float
    standard_error: float
    low: float
    high: float
    p: float
    p_method: PMethod


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteDifferences(Answer):
    """By how much accuracy on one suite is above that on another, model by model.

    Kryvosheieva and Levy (2025) give the mean over models of such a difference. The last row is
    that of all models together, if there are several.
    """

    rows: tuple[SuiteDifference, ...]

    @classmethod
    def of(
        cls,
        records: Sequence[RunRecord],
        suite: str,
        other_suite: str,
        *,
        pooling: Pooling = "none",
    ) -> "SuiteDifferences":
        """Compare two suites; raises `UsageError` for one that there is not, and as `pooled`."""
        keys = {name: own[0] for name, own in suites_by(records, "suite").items()}
        for name in (suite, other_suite):
            if name not in keys:
                meant = nearest(name, keys)
                hint = f"; did you mean {meant!r}?" if meant else ""
                raise UsageError(f"no run is on the suite {name!r}{hint}")
        models = model_scores(records)
        pools = pooled(models, pooling)
        if len(pools) > 1:
            pools.update(pooled(models, "all"))
        both = keys[suite], keys[other_suite]
        rows = []
        for label, own in pools.items():
            on_both = [each.on(both) for each in own]
            complete = [each for each in on_both if all(key in each.scores for key in both)]
            rows.append(_difference(label, (suite, other_suite), both, complete))
        return cls(rows=tuple(rows))

    def frame(self) -> "pd.DataFrame":
        """Return one row a model (family), and one for all."""
        return frame_of_rows(self.rows, SuiteDifference)

    def tables(self) -> "list[Table]":
        """Return one table: a row a model (family), and one for all."""
        first = self.rows[0]
        rows = [
            [
                each.models,
                str(each.n_models),
                number_cell(each.difference, 3, sign="+"),
                number_cell(each.standard_error, 3),
                ends_cell(each, 3, sign="+"),
                p_cell(each.p, each.p_method),
            ]
            for each in self.rows
        ]
        is_drawn = any(each.p_method == "drawn" for each in self.rows)
        drawn = f" (drawn: {Estimate.N_RESAMPLES:,} ways)" if is_drawn else ""
        table = plain_table(
            f"Accuracy on {first.suite}, less that on {first.other_suite}",
            names=["models"],
            numbers=["n", "difference", "standard error", "95% interval", "p"],
            rows=rows,
            caption="Mean over n models [t interval, from three models on, and at least the "
            "stratified score interval of the items]; p: the models' differences with their signs "
            f"turned, two-sided{drawn}.",
        )
        return [table]


def _difference(
    name: str,
    suites: tuple[str, str],
    keys: tuple[SuiteKey, SuiteKey],
    models: Sequence[ModelScores],
) -> SuiteDifference:
    """Return the mean over models, all of which have both suites."""
    differences = [each.scores[keys[0]] - each.scores[keys[1]] for each in models]
    found, signs = Spread.of(differences), SignFlip.of([differences])
    interval = _interval(models, keys, differences)
    return SuiteDifference(
        models=name,
        suite=suites[0],
        other_suite=suites[1],
        n_models=found.n,
        difference=found.mean,
        standard_error=found.standard_error,
        low=interval.low,
        high=interval.high,
        p=signs.p,
        p_method=signs.method,
    )


def _interval(
    models: Sequence[ModelScores], keys: tuple[SuiteKey, SuiteKey], differences: Sequence[float]
) -> Interval:
    """Return what both intervals cover: that of other models, by t, and that of other items.

    Models that are all alike have none by t, and few have a wide one; items that are not known have
    no other. Items of one number are not taken to belong together, nor are models' answers.
    """
    of_models = Interval.of_mean(differences)
    groups, weights, bounds = [], [], []
    for model in models:
        for member in model.complete:
            for columns, sign in zip(member.columns(keys), (1, -1), strict=True):
                if not columns:
                    return of_models
                values, ends = shares_by_item(columns)
                groups.append(values)
                weights.append(sign / model.n_members / len(models))
                bounds.append(ends)
    if not groups:
        return of_models
    of_items = Interval.of_means(groups, weights=weights, bounds=bounds)
    if math.isnan(of_models.low):
        return of_items
    return Interval(low=min(of_models.low, of_items.low), high=max(of_models.high, of_items.high))
