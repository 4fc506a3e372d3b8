"""The table of all plots: what `pommel report --plot NAME` offers."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from pommel.analysis import (
    Accuracies,
    Complexity,
    Scaling,
    SentenceSets,
    Settings,
    Stability,
    Training,
)
from pommel.errors import UsageError
from pommel.report.plots.auc import auc_chart
from pommel.report.plots.circuits import circuit_chart
from pommel.report.plots.heat_map import heat_map
from pommel.report.plots.lines import (
    complexity_chart,
    correlation_chart,
    scaling_chart,
    training_chart,
)
from pommel.report.plots.regions import region_chart
from pommel.report.plots.stability import stability_chart

if TYPE_CHECKING:
    import altair as alt


class PlotKind(NamedTuple):
    """A plot, and what it draws: records of results, or runs, which have to have their tokens.

    `about` says what it shows, in a few words. Where that is what a statistic answers, which says
    so (`Answer.plot`), `chart` draws an answer.
    """

    about: str
    draw: Callable[..., "alt.typing.ChartType"]
    needs: Literal["records", "runs"] = "records"
    chart: Callable[..., "alt.typing.ChartType"] | None = None


def _needs_numbers(_: object) -> "alt.typing.ChartType":
    raise UsageError(
        "accuracy is drawn against numbers that a file has: `pommel stats correlate --with FILE "
        "--plot NAME.svg`"
    )


# Every plot draws what it is given, all of it; each raises `UsageError` for what it cannot show.
PLOTS: Mapping[str, PlotKind] = {
    "regions": PlotKind(
        about="surprisal by region and condition, on one suite", draw=region_chart, needs="runs"
    ),
    "circuits": PlotKind(
        about="accuracy by circuit, with intervals",
        # No mark is a margin.
        draw=lambda records: circuit_chart(
            Accuracies.of(records, "circuit", Settings(n_resamples=0))
        ),
        chart=lambda answer: circuit_chart(answer.drawn()),
    ),
    "heat-map": PlotKind(about="the score of every model on every suite", draw=heat_map),
    "stability": PlotKind(
        about="accuracy without and with intervening material",
        draw=lambda records: stability_chart(Stability.of(records)),
        chart=stability_chart,
    ),
    "scaling": PlotKind(
        about="accuracy by the size of models",
        draw=lambda records: scaling_chart(Scaling.Asked(level="all").answer(records)),
        chart=scaling_chart,
    ),
    "training": PlotKind(
        about="accuracy along training",
        draw=lambda records: training_chart(Training.Asked(level="all").answer(records)),
        chart=training_chart,
    ),
    "complexity": PlotKind(
        about="accuracy by the complexity of what intervenes",
        draw=lambda records: complexity_chart(Complexity.Asked().of_known(records)),
        chart=complexity_chart,
    ),
    "correlation": PlotKind(
        about="accuracy by a number that a file has for each language (or circuit)",
        draw=_needs_numbers,
        chart=correlation_chart,
    ),
    "auc": PlotKind(
        about="AUC by violation, with templates",
        draw=lambda runs: auc_chart(SentenceSets.Asked().answer(runs)),
        needs="runs",
        chart=auc_chart,
    ),
}
