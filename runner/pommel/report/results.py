"""Runs put together: their tables, and what a notebook shows of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from pommel.errors import UsageError, check_choice, listed
from pommel.files.tables import stacked
from pommel.models.family import Named
from pommel.scoring.family_scores import FamilyScore
from pommel.scoring.results import SuiteResult
from pommel.scoring.run import ResultsTable, Run
from pommel.scoring.run_record import RunRecord

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Results:
    """Runs, in the order in which they were made; `to_frame` puts their tables together."""

    runs: tuple[Run, ...]

    @classmethod
    def told_apart(cls, made: Sequence[Run]) -> "Results":
        """Put runs together under names that tell models and families apart."""
        called = Named.unique_names(
            {
                run.surprisals.model.reference: Named(
                    name=run.result.model_name, membership=run.result.membership
                )
                for run in made
            }
        )
        runs = (run.renamed(called[run.surprisals.model.reference]) for run in made)
        return cls(runs=tuple(runs))

    def to_frame(self, table: ResultsTable = "suites") -> "pd.DataFrame":
        """Return one tidy table over all runs (docs/results.md).

        Raises `UsageError` for a name that is none.
        """
        check_choice("the table", table, get_args(ResultsTable))
        if table == "suites":
            return SuiteResult.scores_frame([run.result for run in self.runs])
        if table == "families":
            return FamilyScore.frame([run.result for run in self.runs])
        return stacked([run.to_frame(table) for run in self.runs])

    def plot_regions(
        self, suite: str | None = None, model: str | None = None
    ) -> "alt.typing.ChartType":
        """Return the surprisal of each region of a suite: a line a condition, a facet a model.

        A notebook shows it by itself; `plots.saving.save_chart` writes it to a file. `suite` may be
        left out where the runs are on one suite, and `model` is a model's name if not all of them
        are meant. Raises `UsageError` for names that no run has, and where several suites are
        there and none is named.
        """
        from pommel.report.plots.regions import region_chart  # noqa: PLC0415 - commands start sooner

        return region_chart(self._named(suite, model))

    def plot_circuits(self) -> "alt.typing.ChartType":
        """Return the score of every model on every circuit, with intervals."""
        return self.plot("circuits")

    def plot(self, name: str) -> "alt.typing.ChartType":
        """Return one of `plots.table.PLOTS` of all runs; raises `UsageError` as it does."""
        from pommel.report.plots.table import PLOTS  # noqa: PLC0415 - commands start sooner

        check_choice("the plot", name, PLOTS)
        kind = PLOTS[name]
        if kind.needs == "runs":
            return kind.draw(self.runs)
        return kind.draw([RunRecord.of(run) for run in self.runs])

    def _named(self, suite: str | None, model: str | None) -> list[Run]:
        """Return the runs on a suite, of all models or one."""
        models = [*dict.fromkeys(run.result.model_name for run in self.runs)]
        suites = [*dict.fromkeys(run.result.suite_name for run in self.runs)]
        if suite is None and len(suites) > 1:
            raise UsageError(
                f"the runs are on {len(suites)} suites ({listed(suites, most=8)}); name one: "
                f"plot_regions({suites[0]!r})"
            )
        for kind, name, known in (("suite", suite, suites), ("model", model, models)):
            if name is not None and name not in known:
                raise UsageError(
                    f"no run has the {kind} {name!r}; there are {listed(known, most=8)}"
                )
        return [
            run
            for run in self.runs
            if suite in {None, run.result.suite_name} and model in {None, run.result.model_name}
        ]

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the table of scores."""
        return SuiteResult.scores_html([run.result for run in self.runs])

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)
