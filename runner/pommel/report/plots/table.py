"""The table of all plots: what `pommel report --plot NAME` offers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pommel.analysis import Accuracies, Complexity, Scaling, SentenceSets, Stability, Training
from pommel.report.plots.auc import auc_chart
from pommel.report.plots.circuits import circuit_chart
from pommel.report.plots.complexity import complexity_chart
from pommel.report.plots.heat_map import heat_map
from pommel.report.plots.margins import margin_chart
from pommel.report.plots.regions import region_chart
from pommel.report.plots.scaling import scaling_chart
from pommel.report.plots.stability import stability_chart
from pommel.report.plots.training import training_chart
from pommel.scoring import Run, RunRecord

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotOfRecords:
    """A plot of results, which needs no tokens; `about` says what it shows, in a few words."""

    about: str
    draw: Callable[[Sequence[RunRecord]], "alt.typing.ChartType"]
    needs: Literal["records"] = "records"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotOfRuns:
    """A plot of surprisals: its runs have to have their tokens."""

    about: str
    draw: Callable[[Sequence[Run]], "alt.typing.ChartType"]
    needs: Literal["runs"] = "runs"


PlotKind = PlotOfRecords | PlotOfRuns


def _of_circuits(records: Sequence[RunRecord]) -> "alt.typing.ChartType":
    return circuit_chart(Accuracies.of(records, "circuit"))


def _of_stability(records: Sequence[RunRecord]) -> "alt.typing.ChartType":
    return stability_chart(Stability.of(records))


def _of_scaling(records: Sequence[RunRecord]) -> "alt.typing.ChartType":
    return scaling_chart(Scaling.of(records, level="all"))


def _of_training(records: Sequence[RunRecord]) -> "alt.typing.ChartType":
    return training_chart(Training.of(records, level="all"))


def _of_complexity(records: Sequence[RunRecord]) -> "alt.typing.ChartType":
    return complexity_chart(Complexity.of(records))


def _of_aucs(runs: Iterable[Run]) -> "alt.typing.ChartType":
    return auc_chart(SentenceSets.of(runs))


# Every plot draws what it is given, all of it; each raises `UsageError` for what it cannot show.
PLOTS: Mapping[str, PlotKind] = {
    "regions": PlotOfRuns(
        about="surprisal by region and condition, on one suite", draw=region_chart
    ),
    "circuits": PlotOfRecords(about="accuracy by circuit, with intervals", draw=_of_circuits),
    "heat-map": PlotOfRecords(about="the score of every model on every suite", draw=heat_map),
    "margins": PlotOfRecords(about="margins item by item, with failures", draw=margin_chart),
    "stability": PlotOfRecords(
        about="accuracy without and with intervening material", draw=_of_stability
    ),
    "scaling": PlotOfRecords(about="accuracy by the size of models", draw=_of_scaling),
    "training": PlotOfRecords(about="accuracy along training", draw=_of_training),
    "complexity": PlotOfRecords(
        about="accuracy by the complexity of what intervenes", draw=_of_complexity
    ),
    "auc": PlotOfRuns(about="AUC by violation, with templates", draw=_of_aucs),
}
