"""Accuracy against the complexity of what stands between two words that depend on each other.

Kryvosheieva and Levy (2025), figure 3: series of suites with ever longer intervening material, and
on each the mean over the versions (sizes) of a model, with the standard error of that mean.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pommel.analysis.asking import Option, Question, WithFamilies, WithPooling
from pommel.analysis.cells import (
    Answer,
    ends_cell,
    grouped,
    mean_sd_cell,
    number_cell,
    p_cell,
    plain_table,
    step_cell,
)
from pommel.analysis.given_tables import GivenTable
from pommel.analysis.inference import Correlation, Fit, PMethod, SignFlip
from pommel.analysis.item_columns import interval_of_suites
from pommel.analysis.models_compared import (
    INCOMPLETE_SEEDS,
    OF_SEVERAL,
    Average,
    EvenScores,
    ModelScores,
    Pooling,
    even_scores,
    incomplete_seeds,
    model_scores,
    pooled,
    suite_labels,
)
from pommel.errors import UsageError, nearest
from pommel.files import frame_of_rows
from pommel.scoring import RunRecord, SuiteKey
from pommel.statistics import Estimate, Interval, Spread, mean_score
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


# What suites of one series have in common.
Series = Literal["circuit", "language", "group", "none"]
# One row a complexity, or a series.
ComplexityTable = Literal["points", "trends"]


@frozen(slots=False)
class ComplexityAsked(WithPooling, WithFamilies, Question):
    """How accuracy falls with the complexity of intervening material.

    For each series of suites, and each model or the mean over a family: the mean accuracy at each
    complexity with its standard error, the slope, and Spearman's rank correlation.

    \b
      pommel stats complexity --complexity complexity.csv --pool family
      pommel stats complexity --difference number_src number_prep
    """

    file: Annotated[
        Path | None,
        Option(
            name="--complexity",
            help="CSV or TSV with the columns suite, complexity and maybe series.  [default: what "
            "the suites say, meta.complexity]",
        ),
    ] = None
    series: Annotated[
        Series,
        Option(
            help="Suites that are compared with one another have this in common; the column "
            "series of the file says it instead."
        ),
    ] = "circuit"
    difference: Annotated[
        tuple[str, str] | None,
        Option(
            n_values=2,
            metavar="SUITE SUITE",
            help="Instead: by how much accuracy on the first is above that on the second, with "
            "its mean over models.",
        ),
    ] = None
    table: Annotated[
        ComplexityTable,
        Option(
            help="Which tidy table --format csv, tsv or json prints: one row a complexity, or a "
            "series."
        ),
    ] = "points"

    def answer(self, records: Sequence[RunRecord]) -> "Complexity | SuiteDifferences":
        """Set accuracy against the complexity that a file gives, or that suites say they have.

        Or compare two suites. Raises `UsageError` for a file none of whose suites has a run, and as
        `of_complexities` and `SuiteDifferences.of` do; as `GivenTable.read` does for a faulty file.
        """
        records = self.chosen(records)
        if self.difference:
            if self.file:
                raise UsageError("--difference compares two suites; it needs no --complexity")
            return SuiteDifferences.of(records, *self.difference, pooling=self.pooling)
        if not self.file:
            return self.of_known(records)
        found = given_complexities(self.file, records, self.series)
        if not found:
            raise UsageError(f"{self.file}: none of its suites has a run")
        return self.of_complexities(records, found)

    def of_known(self, records: Sequence[RunRecord]) -> "Complexity":
        """Set accuracy against the complexity that suites say they have."""
        return self.of_complexities(records, known_complexities(records, self.series))

    def of_complexities(
        self, records: Sequence[RunRecord], complexities: Sequence["SuiteComplexity"]
    ) -> "Complexity":
        """Set accuracy against complexity, series by series.

        Seeds of one model count once, with their mean. Raises `UsageError` where one model was run
        in several ways and a mean over models would count it several times.
        """
        pools = pooled(model_scores(records), self.pooling)
        labels = suite_labels(records)
        by_series = grouped(complexities, lambda each: each.series)
        points: list[ComplexityPoint] = []
        trends: list[ComplexityTrend] = []
        notes: list[str] = []
        for series, own in sorted(by_series.items(), key=lambda pair: (not pair[0], pair[0])):
            for name, models in pools.items():
                points += _points(name, models, own, labels, is_alone=self.pooling == "none")
                even = even_scores(models, list(dict.fromkeys(each.suite for each in own)))
                trends.append(_trend(name, series, even, own))
                notes += even.notes(f"{name}, {series}" if series else name, labels)
        known = {each.suite for each in complexities}
        return Complexity(
            asked=self,
            points=tuple(points),
            trends=tuple(trends),
            without_complexity=tuple(label for key, label in labels.items() if key not in known),
            notes=tuple(notes),
        )


@frozen
class SuiteComplexity:
    """How complex a suite's intervening material is, within which series."""

    suite: SuiteKey
    series: str
    complexity: float


@frozen
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


@frozen
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


@frozen
class Complexity(Answer):
    """Accuracy at each complexity, how it changes along series, and suites of none.

    `notes` say in plain words which suites, models and seeds are left out of trends.
    """

    plot: ClassVar[str] = "complexity"

    Asked = ComplexityAsked

    asked: ComplexityAsked
    points: tuple[ComplexityPoint, ...]
    trends: tuple[ComplexityTrend, ...]
    without_complexity: tuple[str, ...]
    notes: tuple[str, ...] = ()

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
        if self.asked.table == "trends":
            return frame_of_rows(self.trends, ComplexityTrend)
        frame = frame_of_rows(self.points, ComplexityPoint)
        return frame.assign(suites=frame["suites"].map(" ".join))

    def tables(self) -> "list[Table]":
        """Return a table a series: one row a model (family), one column a complexity."""
        points = grouped(self.points, lambda point: point.series)
        return [
            _table(points.get(series, []), trends, self.asked.pooling)
            for series, trends in grouped(self.trends, lambda trend: trend.series).items()
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
            series=own_series[0] if own_series else _series_of(record, series),
            complexity=complexity,
        )
        for (suite, *own_series), complexity in table.rows.items()
        if not math.isnan(complexity)
        for key, record in first.get(suite, {}).items()
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


@frozen
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


@frozen
class SuiteDifferences(Answer):
    """By how much accuracy on one suite is above that on another, model by model.

    Kryvosheieva and Levy (2025) give the mean over models of such a difference. The last row is
    that of all models together, if there are several.
    """

    rows: tuple[SuiteDifference, ...]
    incomplete: tuple[str, ...]

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
        keys = {name: key for key, name in suite_labels(records).items()}
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
        return cls(rows=tuple(rows), incomplete=incomplete_seeds(records, both))

    @property
    def left_out(self) -> Mapping[str, Sequence[str]]:
        """The seeds that are in no mean."""
        return {INCOMPLETE_SEEDS: self.incomplete}

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
    of_items = interval_of_suites(
        (member.columns(key), sign / len(model.complete) / len(models))
        for model in models
        for member in model.complete
        for key, sign in zip(keys, (1, -1), strict=True)
    )
    if math.isnan(of_models.low) or math.isnan(of_items.low):
        return of_models if math.isnan(of_items.low) else of_items
    return Interval(low=min(of_models.low, of_items.low), high=max(of_models.high, of_items.high))
