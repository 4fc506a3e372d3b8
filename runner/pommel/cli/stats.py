"""`pommel stats`: what the runs in the store say together."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from pommel.analysis import (
    Accuracies,
    Answer,
    Complexity,
    GivenTable,
    ItemTable,
    MixedFit,
    ModelsCompared,
    PropertyCorrelations,
    Scaling,
    SentenceSets,
    Settings,
    Stability,
    Training,
)
from pommel.cli.option_groups import Options, field_of, option, takes_options
from pommel.cli.output import (
    form_option,
    note,
    output_option,
    progress_bar,
    show_notes,
    show_rows,
    show_text,
)
from pommel.cli.selecting import SelectionOptions
from pommel.errors import PommelError, UsageError, listed
from pommel.files import frame_text, replacing, write_text
from pommel.scoring import Run, RunRecord, SuiteKey
from pommel.statistics import Estimate

if TYPE_CHECKING:
    import pandas as pd


class AverageOptions(Options):
    """What counts alike in an accuracy of several suites."""

    average: Literal["suites", "items"] = option(
        default="suites",
        help="Of several suites: the mean of their accuracies, or all their items pooled.",
    )


class _LevelOptions(Options):
    """What an accuracy is of."""

    level: Literal["suite", "circuit", "language", "group", "all"] = option(
        "--by",
        default="suite",
        help="Each suite, or the accuracy on the suites of each circuit, language or group, or on "
        "all.",
    )


class _PoolingOptions(Options):
    """Whose accuracy is looked at."""

    pooling: Literal["none", "family", "all"] = option(
        "--pool",
        default="none",
        help="Each model by itself, or the mean over the sizes of a family, or over all models.",
    )


class _Statistic(ABC, SelectionOptions):
    """What every statistic is told; its docstring is the help of its command."""

    form: str = field_of(form_option())

    @abstractmethod
    def answer(self) -> Answer:
        """Return what the statistic says of the runs that are meant."""


def command(name: str, statistic: type[_Statistic]) -> click.Command:
    """Return the command that asks a statistic, and prints its table."""

    def ask(chosen: _Statistic) -> None:
        found = chosen.answer()
        for why, names in found.left_out.items():
            _note_left_out(names, why)
        show_notes(found.notes)
        if found.why_empty:
            raise UsageError(found.why_empty)
        show_rows(chosen.form, tables=found.tables, frame=found.frame)

    ask.__annotations__["chosen"] = statistic
    return click.command(name, help=inspect.cleandoc(statistic.__doc__ or ""))(takes_options(ask))


class _ModelsOptions(_Statistic):
    """Which stored runs a command is about, and which models are left out."""

    excluded_models: tuple[str, ...] = option(
        "--exclude-model",
        metavar="GLOB",
        help="Models to leave out: name, reference or family; repeatable.",
    )

    def chosen_records(self) -> list[RunRecord]:
        """Return the runs that are meant, without models that are left out, in their families.

        Raises `UsageError` as `records` and `ModelsCompared.chosen` do.
        """
        return ModelsCompared.chosen(self.records(), exclude=self.excluded_models)


class _SeveralModels(_ModelsOptions):
    """Which stored runs a command is about, and which models are left out and are families."""

    size_families: tuple[str, ...] = option(
        "--family",
        metavar="NAME=GLOB",
        help="Models that are one family in several sizes (BLOOM='bloom*'); repeatable.",
    )

    def chosen_records(self) -> list[RunRecord]:
        """Return the same in the families of sizes that are said here."""
        records = super().chosen_records()
        families: dict[str, list[str]] = {}
        for argument in self.size_families:
            name, equals, glob = argument.partition("=")
            if not (name.strip() and equals and glob):
                raise UsageError(f"--family {argument}: write NAME=GLOB, such as BLOOM='bloom*'")
            families.setdefault(name.strip(), []).append(glob)
        return ModelsCompared.chosen(records, size_families=families)


# Fewer have no 2.5th percentile.
_FEWEST_RESAMPLES = 99


class ResamplingOptions(Options):
    """How often items are drawn again, and the seed."""

    resamples: int = option(
        type=click.IntRange(min=_FEWEST_RESAMPLES),
        default=Estimate.N_RESAMPLES,
        metavar="N",
        help="How often the bootstrap draws items again.",
    )
    seed: int = option(
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Seed of these draws: the same one gives the same numbers.",
    )


class _SettingsOptions(ResamplingOptions, AverageOptions):
    """How accuracies are computed: chance, of several suites, and draws."""

    chance: float | None = option(
        type=click.FloatRange(0, 1),
        metavar="X",
        help="Share of items that hold by chance.  [default: what formulas or imports say]",
    )

    @property
    def settings(self) -> Settings:
        """The same as they are computed with."""
        return Settings(
            chance=self.chance, average=self.average, n_resamples=self.resamples, seed=self.seed
        )


def _note_left_out(names: Sequence[str], why: str) -> None:
    """Say on standard error what is left out, if anything is."""
    if names:
        # A suite without a language or circuit has "" for one.
        shown = [name or "(none)" for name in names]
        note(f"note: left out, {why}: {listed(shown, most=8)}")


# Why seeds are left out of means over the seeds of a model.
_INCOMPLETE_SEEDS = "without suites that other seeds of the same model have"


class _Accuracy(_SettingsOptions, _Statistic):
    """Accuracy of stored runs, with intervals, tests against chance, and margins.

    \b
      pommel stats accuracy --model gpt2
      pommel stats accuracy --by circuit --source hu2020
      pommel stats accuracy --by group --average items
      pommel stats accuracy --by prediction --suite number_prep --format csv
    """

    level: Literal["prediction", "suite", "circuit", "language", "group", "model"] = option(
        "--by",
        default="suite",
        help="What a row is about; circuits, languages, groups and models have several suites.",
    )
    interval: Literal["wilson", "exact"] = option(
        default="wilson", help="Interval of shares in the table; csv, tsv and json have both."
    )

    def answer(self) -> Answer:
        records = self.records()
        with progress_bar("drawing items", len(records)) as progress:
            return Accuracies.of(
                records, self.level, self.settings, interval=self.interval, progress=progress
            )


accuracy = command("accuracy", _Accuracy)


class _Stability(_Statistic):
    """How much intervening material costs: suites that come with and without it.

    A suite with intervening material names the one without it in `meta.modifier_of`.

    \b
      pommel stats stability --source hu2020
      pommel stats stability --model gpt2 --format csv
    """

    def answer(self) -> Answer:
        return Stability.of(self.records())


stability = command("stability", _Stability)


class _Complexity(_PoolingOptions, _SeveralModels):
    """How accuracy falls with the complexity of intervening material.

    For each series of suites, and each model or the mean over a family: the mean accuracy at each
    complexity with its standard error, the slope, and Spearman's rank correlation.

    \b
      pommel stats complexity --complexity complexity.csv --pool family
      pommel stats complexity --difference number_src number_prep
    """

    file: Path | None = option(
        "--complexity",
        help="CSV or TSV with the columns suite, complexity and maybe series.  [default: what "
        "the suites say, meta.complexity]",
    )
    series: Literal["circuit", "language", "group", "none"] = option(
        default="circuit",
        help="Suites that are compared with one another have this in common; the column "
        "series of the file says it instead.",
    )
    difference: tuple[str, str] | None = option(
        nargs=2,
        metavar="SUITE SUITE",
        help="Instead: by how much accuracy on the first is above that on the second, with "
        "its mean over models.",
    )
    table: Literal["points", "trends"] = option(
        default="points",
        help="Which tidy table --format csv, tsv or json prints: one row a complexity, or a "
        "series.",
    )

    def answer(self) -> Answer:
        records = self.chosen_records()
        if self.difference:
            if self.file:
                raise UsageError("--difference compares two suites; it needs no --complexity")
            incomplete = ModelsCompared.of(records).incomplete_seeds(self.difference)
            _note_left_out(incomplete, _INCOMPLETE_SEEDS)
            return Complexity.difference(records, self.difference, pooling=self.pooling)
        return Complexity.of(
            records,
            file=self.file,
            series=self.series,
            pooling=self.pooling,
            table=self.table,
        )


complexity = command("complexity", _Complexity)


class _Scaling(_LevelOptions, AverageOptions, _SeveralModels):
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

    scale: Literal["linear", "log"] = option(
        "--x", default="linear", help="Slopes per billion parameters, or per power of ten."
    )
    table: Literal["slopes", "points"] = option(
        default="slopes", help="The slopes, or the accuracy of each model with its size."
    )

    def answer(self) -> Answer:
        return Scaling.of(
            self.chosen_records(),
            level=self.level,
            scale=self.scale,
            average=self.average,
            table=self.table,
        )


scaling = command("scaling", _Scaling)


class _Training(_LevelOptions, _SettingsOptions, _ModelsOptions):
    """When models learn what: accuracy along the steps or epochs of a family.

    From which step on a suite is above chance (exact one-sided binomial test, p < .05), and from
    which on it has reached most of its final accuracy, at that step and all later ones.

    \b
      pommel run 'huggingface://EleutherAI/pythia-70m@step{1000..143000..1000}' suites:en
      pommel stats training --model 'pythia-70m*' --by circuit
      pommel stats training --table points --format csv
    """

    reach_percent: float = option(
        "--reach",
        type=click.FloatRange(min=0, max=100, min_open=True),
        default=Training.REACH_PERCENT,
        metavar="PERCENT",
        help="How much of its final accuracy a model has to reach.",
    )
    table: Literal["paths", "points"] = option(
        default="paths", help="One row a suite (circuit, ...), or one a step."
    )

    def answer(self) -> Answer:
        return Training.of(
            self.chosen_records(),
            level=self.level,
            reach_percent=self.reach_percent,
            settings=self.settings,
            table=self.table,
        )


training = command("training", _Training)


class _Auc(_Statistic, ResamplingOptions):
    """How well models tell the grammatical sentences of a set from the ungrammatical ones.

    Of suites whose meta.unacceptable names the conditions that no speaker would say. In each item
    (template) every grammatical sentence is compared with every ungrammatical one, and the AUC is
    the mean over items. Needs runs whose surprisals are in the store.

    \b
      pommel run ngram://model.arpa de_argument_structure
      pommel stats auc --suite de_argument_structure
      pommel stats auc --table orders --format csv
    """

    table: Literal["auc", "orders", "pairs", "features"] = option(
        default="auc",
        help="AUC of all sentences and of each violation; or, of grammatical sentences, the "
        "mean score of each order of cases, preferences between two orders, and of nouns for "
        "cases.",
    )
    normalise: Literal["none", "length", "slor"] = option(
        default="none",
        help="A sentence's score: its log-probability; that by token; or less the "
        "log-probability by a unigram model, by token (slor).",
    )
    unigram: str | None = option(
        metavar="GLOB",
        help="The unigram model of --normalise slor: name or reference of a model that has "
        "run on the same suites.",
    )

    def answer(self) -> Answer:
        return SentenceSets.of(
            self.runs(),
            table=self.table,
            normalise=self.normalise,
            unigrams=self._unigrams(),
            n_resamples=self.resamples,
            seed=self.seed,
        )

    def _unigrams(self) -> dict[SuiteKey, Run]:
        """Return the runs of the unigram model, by suite."""
        if (self.normalise == "slor") != bool(self.unigram):
            raise UsageError("--normalise slor and --unigram GLOB go together")
        if not self.unigram:
            return {}
        found: dict[SuiteKey, Run] = {}
        asked = replace(self, only_runs=(), only_models=(self.unigram,), only_choices=())
        for run in asked.runs():
            suite = run.surprisals.suite
            other = found.setdefault((suite.language, suite.name), run)
            if other is not run:
                names = f"{other.result.model_name} and {run.result.model_name}"
                raise UsageError(f"--unigram {self.unigram!r} is both {names}; name one of them")
        return found


auc = command("auc", _Auc)


class _Correlate(_PoolingOptions, AverageOptions, _SeveralModels):
    """Rank correlation of accuracy with a property of languages, circuits, suites or models.

    \b
      pommel stats correlate --with cwals.tsv --key lang --value C_WALS_fig3_vector
      pommel stats correlate --with cwals.tsv --exclude de --common-suites
      pommel stats correlate --between-models --circuit agreement
    """

    file: Path | None = option(
        "--with", help="CSV or TSV with a number for each language (circuit, ...)."
    )
    key: str = option(default="", metavar="COLUMN", help="The file's keys.  [default: its first]")
    value: str = option(
        default="", metavar="COLUMN", help="The file's numbers.  [default: its second]"
    )
    between_models: bool = option(help="Instead: the scores of every two models, suite by suite.")
    level: Literal["language", "circuit", "group", "suite", "model"] = option(
        "--by",
        default="language",
        help="What the file has numbers for; accuracy is that on the suites of each.",
    )
    coefficient: Literal["spearman", "pearson"] = option(default="spearman")
    exclude: tuple[str, ...] = option(
        metavar="KEY", help="A language (...) to leave out; repeatable."
    )
    common_suites: bool = option(
        help="Only suites that there are in every language (of one group, or one name), or "
        "for every model."
    )
    table: Literal["correlations", "pairs"] = option(
        default="correlations", help="The coefficients, or what they are of."
    )

    def answer(self) -> Answer:
        if self.between_models == (self.file is not None):
            raise UsageError("say what accuracy is compared with: --with FILE, or --between-models")
        records = self.chosen_records()
        _note_left_out(ModelsCompared.of(records).incomplete_seeds(), _INCOMPLETE_SEEDS)
        if self.file is None:
            return PropertyCorrelations.between_models(records, coefficient=self.coefficient)
        return PropertyCorrelations.of(
            records,
            GivenTable.read(self.file, key=self.key, value=self.value),
            level=self.level,
            coefficient=self.coefficient,
            pooling=self.pooling,
            common_suites=self.common_suites,
            exclude=self.exclude,
            average=self.average,
            table=self.table,
        )


correlate = command("correlate", _Correlate)


_ITEM_FORMS = ("csv", "tsv", "json", "parquet")


class _ItemsOptions(SelectionOptions):
    """Of which runs there are rows, and where to and how they are written."""

    form: str | None = field_of(
        form_option(
            _ITEM_FORMS,
            default=None,
            about="What to write.  [default: what the name of --output ends in, or csv]",
        )
    )
    output: Path | None = field_of(output_option)


@click.command("items")
@takes_options
def items(chosen: _ItemsOptions) -> None:
    """Print one row a model, suite, prediction and item, for lme4, pandas and others.

    Columns are numbers or text: holds, tie, modifier and the like are 0 or 1. Skipped items have
    no row.

    \b
      pommel stats items --language de -o items.csv
      Rscript -e 'library(lme4); summary(glmer(holds ~ modifier + (1 | model) + (1 | suite/item),
                  data = read.csv("items.csv"), family = binomial))'
    """
    path: Path | None = chosen.output
    ending = path.suffix.removeprefix(".").lower() if path else ""
    form = chosen.form or (ending if ending in _ITEM_FORMS else "csv")
    if form == "parquet" and path is None:
        raise UsageError("--format parquet needs a file: -o FILE")
    items = ItemTable.of(chosen.records())
    show_notes(items.notes)
    if form == "parquet" and path is not None:
        _write_parquet(items.rows, path)
        return
    text = frame_text(items.rows, form)
    if path is None:
        show_text(text)
    else:
        write_text(path, text)


def _write_parquet(frame: "pd.DataFrame", path: Path) -> None:
    if find_spec("pyarrow") is None:
        raise PommelError("Parquet needs the parquet extra: pip install 'pommel[parquet]'")
    with replacing(path) as aside:
        frame.to_parquet(aside, engine="pyarrow", index=False)


class _Mixed(_Statistic):
    """Fit whether predictions hold, item by item, by fixed effects and random intercepts.

    Needs the stats extra. By maximum likelihood, as lme4's glmer has it. Models, suites and items
    count as drawn from more of their kind.

    \b
      pommel stats mixed --fixed 'modifier + log10_parameters'
      pommel stats mixed --fixed modifier --random 'modifier || model' --random suite --random item
    """

    fixed: str = option(
        required=True,
        metavar="FORMULA",
        help="Fixed effects: columns of `pommel stats items` in a formula (modifier + "
        "log10_parameters), as patsy reads it.",
    )
    random: tuple[str, ...] = option(
        metavar="COLUMN",
        help="A column each value of which has an intercept of its own (suite:prediction_id "
        "joins two), or 'EFFECT || COLUMN', with a slope, too; repeatable.  [default: model, "
        "suite and item, and other units within which an effect is the same]",
    )
    not_random: tuple[str, ...] = option(
        metavar="UNIT",
        type=click.Choice(MixedFit.UNITS),
        help="A unit without an intercept of its own, though an effect is the same within it: "
        "what is found then holds for these models (suites ...) alone; repeatable.",
    )

    def answer(self) -> Answer:
        return MixedFit.of(
            self.records(),
            fixed=self.fixed,
            random=self.random or None,
            not_random=self.not_random,
        )


mixed = command("mixed", _Mixed)
