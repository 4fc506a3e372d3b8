"""Runs put together: their tables, their files, and what a notebook shows of them."""

import contextlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from pommel.errors import UsageError, listed
from pommel.files import WrittenFloat, frame_text, replacing, stacked
from pommel.models import Named
from pommel.scoring import FamilyScore, ResultsTable, Run, RunRecord, SuiteResult
from pommel.suite import Suite
from pommel.values import frozen

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd


@frozen(eq=False)
class Results:
    """Runs, in the order in which they were made; `to_frame` puts their tables together.

    Of those in a store, tokens are read from its file each time they are looked at, as they are
    there by then, and so is what came out of those that have just run: `StoreError` says what is
    gone. Of runs without a store, results are held and tokens packed.
    """

    runs: tuple[Run, ...]

    @classmethod
    def told_apart(cls, made: Sequence[Run]) -> "Results":
        """Put runs together under names that tell models and families apart."""
        asked, references = {}, []
        for run in made:
            # It may be read from a file: once, and not held.
            record = RunRecord.of(run)
            result, reference = record.result, record.model.reference
            asked[reference] = Named(name=result.model_name, membership=result.membership)
            references.append(reference)
        called = Named.unique_names(asked)
        pairs = zip(made, references, strict=True)
        return cls(runs=tuple(run.renamed(called[reference]) for run, reference in pairs))

    @classmethod
    def as_analysed(cls, runs: Sequence[Run]) -> "Results":
        """Put stored runs together under the names that analyses give their models."""
        from pommel.report.plots.regions import named_runs

        return cls(runs=tuple(named_runs(runs)))

    def notes(self) -> list[str]:
        """Return the notes of all runs; before all others, which models have failed at sentences.

        Few are shown of many, and no other note is as grave.
        """
        of_each = [[*run.notes()] for run in self.runs]
        failed = [bool(run.result.provenance.get("failed")) for run in self.runs]
        failures = [notes.pop(0) for notes in itertools.compress(of_each, failed)]
        return [*failures, *itertools.chain.from_iterable(of_each)]

    def to_frame(self, table: ResultsTable = "suites") -> "pd.DataFrame":
        """Return one tidy table over all runs (docs/results.md).

        Raises `UsageError` for a name that is none.
        """
        UsageError.check_choice("the table", table, get_args(ResultsTable))
        return _frame(table, (run.result for run in self.runs), self.runs)

    def save(
        self,
        folder: Path,
        *,
        complete: bool = True,
        failed: Mapping[str, str] | None = None,
        raw: bool = False,
    ) -> list[Path]:
        """Write one CSV a table and `runs.json`; return the files.

        Texts that a spreadsheet would run as formulas have an apostrophe in front, unless `raw`.

        `runs.json` has the provenance of every run, and says whether all that was asked for is
        there, and which models have failed (reference to message). All files are there, or none:
        those of an earlier run stay together if the disk refuses, which raises `PommelError`.
        """
        failures = [{"model": model, "error": error} for model, error in (failed or {}).items()]
        summary = {"complete": complete, "failed": failures, "runs": self.to_json()}
        frames = {table: self.to_frame(table) for table in get_args(ResultsTable)}
        return _write_all(folder, frames, "csv", summary, raw=raw)

    @staticmethod
    def export(
        records: Sequence[RunRecord],
        runs: Sequence[Run],
        folder: Path,
        form: "ExportForm",
        *,
        raw: bool = False,
    ) -> list[Path]:
        """Write one file a table and `runs.json`; return the files.

        `records` are all runs, `runs` those of them that have tokens. As CSV the files are, byte
        for byte, those of `Results.save` for the same runs. Where no run has tokens, the two tables
        of them are not written, and those of an earlier export are deleted. All files are there, or
        none: raises `UsageError` if Parquet cannot be written here, and `PommelError` for what the
        disk refuses.
        """
        if form == "parquet" and find_spec("pyarrow") is None:
            raise UsageError(f"Parquet needs pyarrow: {UsageError.install('parquet')}")
        results = [each.result for each in records]
        frames = {
            table: _frame(table, results, runs)
            for table in get_args(ResultsTable)
            if runs or table not in _OF_TOKENS
        }
        summary = {"complete": True, "failed": [], "runs": [*map(_result_to_json, results)]}
        files = _write_all(folder, frames, form, summary, raw=raw)
        for table in _OF_TOKENS:
            if table not in frames:
                (folder / f"{table}.{form}").unlink(missing_ok=True)
        return files

    @staticmethod
    def method_section(
        records: Sequence[RunRecord], suites: Mapping[str, Suite], style: Literal["text", "latex"]
    ) -> str:
        """Return the method section of a paper about complete runs, with the BibTeX of it.

        `suites` are those whose files are known, by their SHA-256.
        """
        from pommel.report.methods import methods_section

        return methods_section(records, suites, style)

    def to_json(self) -> list[dict[str, object]]:
        """Return what each run found and where it comes from, as plain JSON values."""
        return [_result_to_json(run.result) for run in self.runs]

    def plot_regions(
        self, suite: str | None = None, model: str | None = None
    ) -> "alt.typing.ChartType":
        """Return the surprisal of each region of a suite: a line a condition, a facet a model.

        A notebook shows it by itself; `plots.saving.save_chart` writes it to a file. `suite` may be
        left out where the runs are on one suite, and `model` is a model's name if not all of them
        are meant. Raises `UsageError` for names that no run has, and where several suites are
        there and none is named.
        """
        from pommel.report.plots.regions import region_chart

        return region_chart(self._named(suite, model))

    def plot_circuits(self) -> "alt.typing.ChartType":
        """Return the score of every model on every circuit, with intervals."""
        return self.plot("circuits")

    def plot(self, name: str) -> "alt.typing.ChartType":
        """Return one of `plots.table.PLOTS` of all runs; raises `UsageError` as it does."""
        from pommel.report.plots.table import PLOTS

        UsageError.check_choice("the plot", name, PLOTS)
        kind = PLOTS[name]
        return kind.draw(self.runs if kind.needs == "runs" else [*map(RunRecord.of, self.runs)])

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


# What is said of each prediction.
_OF_PREDICTIONS = (
    "prediction_id",
    "formula",
    "description",
    "n_holding",
    "n_ties",
    "n_undefined",
    "n_swallowed",
    "n_unscored",
    "n_oov",
    "n_skipped",
)


def _result_to_json(result: SuiteResult) -> dict[str, object]:
    return {
        "model_name": result.model_name,
        "family": result.membership.to_dict() if result.membership else None,
        "suite": result.suite_name,
        "circuit": result.circuit,
        "score_rule": result.score_rule,
        "n_items": result.n_items,
        "score": WrittenFloat.of(result.score),
        "predictions": [
            {name: getattr(each, name) for name in _OF_PREDICTIONS} for each in result.predictions
        ],
        "provenance": dict(result.provenance),
    }


ExportForm = Literal["csv", "parquet", "json"]

# What only runs with tokens have.
_OF_TOKENS: tuple[ResultsTable, ...] = ("regions", "tokens")


def _frame(
    table: ResultsTable, results: Iterable[SuiteResult], runs: Sequence[Run]
) -> "pd.DataFrame":
    """Return one tidy table over all results, of which `runs` have tokens."""
    if table == "suites":
        return SuiteResult.scores_frame(results)
    if table == "families":
        return FamilyScore.frame(results)
    if table == "predictions":
        return stacked([each.to_frame(table) for each in results])
    return stacked([each.to_frame(table) for each in runs])


def _write_all(
    folder: Path,
    frames: "Mapping[ResultsTable, pd.DataFrame]",
    form: ExportForm,
    summary: Mapping[str, object],
    *,
    raw: bool,
) -> list[Path]:
    """Write one file a table, and `runs.json`; return the files."""
    files = [*(folder / f"{table}.{form}" for table in frames), folder / "runs.json"]
    with contextlib.ExitStack() as stack:
        # Every file is written beside its place before the first one is moved there.
        *asides, last = (stack.enter_context(replacing(file)) for file in files)
        for frame, aside in zip(frames.values(), asides, strict=True):
            if form == "parquet":
                frame.to_parquet(aside, index=False)
            else:
                aside.write_text(frame_text(frame, form, raw=raw), encoding="utf-8", newline="")
        text = json.dumps(summary, ensure_ascii=False, indent=2) + "\n"
        last.write_text(text, encoding="utf-8", newline="")
    return files
