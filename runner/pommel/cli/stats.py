"""`pommel stats`: what the runs in the store say together."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pommel.analysis import (
    Accuracies,
    Answer,
    Complexity,
    GivenTable,
    ItemTable,
    MixedFit,
    ModelCorrelations,
    ModelsCompared,
    PropertyCorrelations,
    Scaling,
    SentenceSets,
    Settings,
    Stability,
    SuiteDifferences,
    Training,
)
from pommel.cli.output import (
    form_option,
    note,
    output_option,
    progress_bar,
    show_notes,
    show_rows,
    show_text,
)
from pommel.cli.selecting import selected_records, selected_runs, selection_options
from pommel.errors import PommelError, UsageError, listed
from pommel.files import frame_text, replacing, write_text
from pommel.scoring import Run, RunRecord, SuiteKey
from pommel.statistics import Estimate

if TYPE_CHECKING:
    import pandas as pd

_F = TypeVar("_F", bound=Callable[..., Any])


_level_option = click.option(
    "--by",
    "level",
    type=click.Choice(Scaling.LEVELS),
    default="suite",
    show_default=True,
    help="Each suite, or the mean over the suites of each circuit, language or group, or over all.",
)
_exclude_option = click.option(
    "--exclude-model",
    "excluded_models",
    multiple=True,
    metavar="GLOB",
    help="Models to leave out: name, reference or family; repeatable.",
)
_chance_option = click.option(
    "--chance",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="Share of items that hold by chance.  [default: what formulas or imports say]",
)
average_option = click.option(
    "--average",
    type=click.Choice(Accuracies.AVERAGES),
    default="suites",
    show_default=True,
    help="Of several suites: the mean of their accuracies, or all their items pooled.",
)
_pooling_option = click.option(
    "--pool",
    "pooling",
    type=click.Choice(Complexity.POOLINGS),
    default="none",
    show_default=True,
    help="Each model by itself, or the mean over the sizes of a family, or over all models.",
)


def _several_models_options(function: _F) -> _F:
    """Add which stored runs a command is about, and which models are left out and are families."""
    families = click.option(
        "--family",
        "size_families",
        multiple=True,
        metavar="NAME=GLOB",
        help="Models that are one family in several sizes (BLOOM='bloom*'); repeatable.",
    )
    return selection_options(_exclude_option(families(function)))


# Fewer have no 2.5th percentile.
_FEWEST_RESAMPLES = 99


def resampling_options(function: _F) -> _F:
    """Add how often items are drawn again, and the seed."""
    resamples = click.option(
        "--resamples",
        type=click.IntRange(min=_FEWEST_RESAMPLES),
        default=Estimate.N_RESAMPLES,
        show_default=True,
        metavar="N",
        help="How often the bootstrap draws items again.",
    )
    seed = click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="Seed of these draws: the same one gives the same numbers.",
    )
    return resamples(seed(function))


def _settings(chosen: dict[str, Any]) -> Settings:
    """Return how accuracies are computed: chance, `average_option` and `resampling_options`."""
    return Settings(
        chance=chosen["chance"],
        average=chosen["average"],
        n_resamples=chosen["resamples"],
        seed=chosen["seed"],
    )


def _records(chosen: dict[str, Any]) -> list[RunRecord]:
    """Return the runs that are meant, without models that are left out, in their families.

    Raises `UsageError` as `selected_records` and `ModelsCompared.chosen` do.
    """
    records = selected_records(chosen)
    families = _families(chosen.get("size_families", ()))
    return ModelsCompared.chosen(records, exclude=chosen["excluded_models"], size_families=families)


def _families(arguments: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for argument in arguments:
        name, equals, glob = argument.partition("=")
        if not (name.strip() and equals and glob):
            raise UsageError(f"--family {argument}: write NAME=GLOB, such as BLOOM='bloom*'")
        found.setdefault(name.strip(), []).append(glob)
    return found


def _show(found: Answer, form: str) -> None:
    """Say on standard error what a reader should know, and print the table."""
    for why, names in found.left_out.items():
        _note_left_out(names, why)
    show_notes(found.notes)
    if found.why_empty:
        raise UsageError(found.why_empty)
    show_rows(form, tables=found.tables, frame=found.frame)


def _note_left_out(names: Sequence[str], why: str) -> None:
    """Say on standard error what is left out, if anything is."""
    if names:
        # A suite without a language or circuit has "" for one.
        shown = [name or "(none)" for name in names]
        note(f"note: left out, {why}: {listed(shown, most=8)}")


# Why seeds are left out of means over the seeds of a model.
_INCOMPLETE_SEEDS = "without suites that other seeds of the same model have"


@click.command("accuracy")
@selection_options
@click.option(
    "--by",
    "level",
    type=click.Choice(Accuracies.LEVELS),
    default="suite",
    show_default=True,
    help="What a row is about; circuits, languages, groups and models have several suites.",
)
@average_option
@_chance_option
@click.option(
    "--interval",
    type=click.Choice(Accuracies.INTERVALS),
    default="wilson",
    show_default=True,
    help="Interval of shares in the table; csv, tsv and json have both.",
)
@resampling_options
@form_option()
def accuracy(**chosen: Any) -> None:
    """Accuracy of stored runs, with intervals, tests against chance, and margins.

    \b
      pommel stats accuracy --model gpt2
      pommel stats accuracy --by circuit --source hu2020
      pommel stats accuracy --by group --average items
      pommel stats accuracy --by prediction --suite number_prep --format csv
    """
    records = selected_records(chosen)
    with progress_bar("drawing items", len(records)) as progress:
        found = Accuracies.of(
            records,
            chosen["level"],
            _settings(chosen),
            interval=chosen["interval"],
            progress=progress,
        )
    _show(found, chosen["form"])


@click.command("stability")
@selection_options
# What is said for the bootstrap that there was; nothing is drawn any more.
@click.option("--resamples", type=int, hidden=True)
@click.option("--seed", type=int, hidden=True)
@form_option()
def stability(**chosen: Any) -> None:
    """How much intervening material costs: suites that come with and without it.

    A suite with intervening material names the one without it in `meta.modifier_of`.

    \b
      pommel stats stability --source hu2020
      pommel stats stability --model gpt2 --format csv
    """
    records = selected_records(chosen)
    _show(Stability.of(records), chosen["form"])


@click.command("complexity")
@_several_models_options
@_pooling_option
@click.option(
    "--complexity",
    "file",
    type=click.Path(path_type=Path),
    help="CSV or TSV with the columns suite, complexity and maybe series.  [default: what the "
    "suites say, meta.complexity]",
)
@click.option(
    "--series",
    type=click.Choice(Complexity.SERIES),
    default="circuit",
    show_default=True,
    help="Suites that are compared with one another have this in common; the column series of the "
    "file says it instead.",
)
@click.option(
    "--difference",
    nargs=2,
    metavar="SUITE SUITE",
    help="Instead: by how much accuracy on the first is above that on the second, with its mean "
    "over models.",
)
@click.option(
    "--table",
    type=click.Choice(Complexity.TABLES),
    default="points",
    show_default=True,
    help="Which tidy table --format csv, tsv or json prints: one row a complexity, or a series.",
)
@form_option()
def complexity(**chosen: Any) -> None:
    """How accuracy falls with the complexity of intervening material.

    For each series of suites, and each model or the mean over a family: the mean accuracy at each
    complexity with its standard error, the slope, and Spearman's rank correlation.

    \b
      pommel stats complexity --complexity complexity.csv --pool family
      pommel stats complexity --difference number_src number_prep
    """
    records = _records(chosen)
    if chosen["difference"]:
        if chosen["file"]:
            raise UsageError("--difference compares two suites; it needs no --complexity")
        incomplete = ModelsCompared.of(records).incomplete_seeds(chosen["difference"])
        _note_left_out(incomplete, _INCOMPLETE_SEEDS)
        differences = SuiteDifferences.of(records, *chosen["difference"], pooling=chosen["pooling"])
        _show(differences, chosen["form"])
        return
    found = Complexity.of(
        records,
        file=chosen["file"],
        series=chosen["series"],
        pooling=chosen["pooling"],
        table=chosen["table"],
    )
    _show(found, chosen["form"])


@click.command("scaling")
@_several_models_options
@_level_option
@click.option(
    "--x",
    "scale",
    type=click.Choice(Scaling.SCALES),
    default="linear",
    show_default=True,
    help="Slopes per billion parameters, or per power of ten.",
)
@click.option(
    "--table",
    type=click.Choice(Scaling.TABLES),
    default="slopes",
    show_default=True,
    help="The slopes, or the accuracy of each model with its size.",
)
@form_option()
def scaling(**chosen: Any) -> None:
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
    found = Scaling.of(
        _records(chosen), level=chosen["level"], scale=chosen["scale"], table=chosen["table"]
    )
    _show(found, chosen["form"])


@click.command("training")
@selection_options
@_exclude_option
@_level_option
@click.option(
    "--reach",
    "reach_percent",
    type=click.FloatRange(min=0, max=100, min_open=True),
    default=Training.REACH_PERCENT,
    show_default=True,
    metavar="PERCENT",
    help="How much of its final accuracy a model has to reach.",
)
@average_option
@_chance_option
@resampling_options
@click.option(
    "--table",
    type=click.Choice(Training.TABLES),
    default="paths",
    show_default=True,
    help="One row a suite (circuit, ...), or one a step.",
)
@form_option()
def training(**chosen: Any) -> None:
    """When models learn what: accuracy along the steps or epochs of a family.

    From which step on a suite is above chance (exact one-sided binomial test, p < .05), and from
    which on it has reached most of its final accuracy, at that step and all later ones.

    \b
      pommel run 'huggingface://EleutherAI/pythia-70m@step{1000..143000..1000}' suites:en
      pommel stats training --model 'pythia-70m*' --by circuit
      pommel stats training --table points --format csv
    """
    found = Training.of(
        _records(chosen),
        level=chosen["level"],
        reach_percent=chosen["reach_percent"],
        settings=_settings(chosen),
        table=chosen["table"],
    )
    _show(found, chosen["form"])


@click.command("auc")
@selection_options
@click.option(
    "--table",
    type=click.Choice(SentenceSets.TABLES),
    default="auc",
    show_default=True,
    help="AUC of all sentences and of each violation; or, of grammatical sentences, the mean score "
    "of each order of cases, preferences between two orders, and of nouns for cases.",
)
@click.option(
    "--normalise",
    type=click.Choice(SentenceSets.NORMALISATIONS),
    default="none",
    show_default=True,
    help="A sentence's score: its log-probability; that by token; or less the log-probability by "
    "a unigram model, by token (slor).",
)
@click.option(
    "--unigram",
    metavar="GLOB",
    help="The unigram model of --normalise slor: name or reference of a model that has run on the "
    "same suites.",
)
@resampling_options
@form_option()
def auc(**chosen: Any) -> None:
    """How well models tell the grammatical sentences of a set from the ungrammatical ones.

    Of suites whose meta.unacceptable names the conditions that no speaker would say. In each item
    (template) every grammatical sentence is compared with every ungrammatical one, and the AUC is
    the mean over items. Needs runs whose surprisals are in the store.

    \b
      pommel run ngram://model.arpa de_argument_structure
      pommel stats auc --suite de_argument_structure
      pommel stats auc --table orders --format csv
    """
    found = SentenceSets.of(
        selected_runs(chosen),
        table=chosen["table"],
        normalise=chosen["normalise"],
        unigrams=_unigrams(chosen),
        n_resamples=chosen["resamples"],
        seed=chosen["seed"],
    )
    _show(found, chosen["form"])


def _unigrams(chosen: dict[str, Any]) -> dict[SuiteKey, Run]:
    """Return the runs of the unigram model, by suite."""
    if (chosen["normalise"] == "slor") != bool(chosen["unigram"]):
        raise UsageError("--normalise slor and --unigram GLOB go together")
    if not chosen["unigram"]:
        return {}
    found: dict[SuiteKey, Run] = {}
    asked = {**chosen, "only_runs": (), "only_models": (chosen["unigram"],), "only_choices": ()}
    for run in selected_runs(asked):
        suite = run.surprisals.suite
        other = found.setdefault((suite.language, suite.name), run)
        if other is not run:
            names = f"{other.result.model_name} and {run.result.model_name}"
            raise UsageError(f"--unigram {chosen['unigram']!r} is both {names}; name one of them")
    return found


@click.command("correlate")
@_several_models_options
@_pooling_option
@click.option(
    "--with",
    "file",
    type=click.Path(path_type=Path),
    help="CSV or TSV with a number for each language (circuit, ...).",
)
@click.option("--key", default="", metavar="COLUMN", help="The file's keys.  [default: its first]")
@click.option(
    "--value", default="", metavar="COLUMN", help="The file's numbers.  [default: its second]"
)
@click.option(
    "--between-models",
    is_flag=True,
    help="Instead: the scores of every two models, suite by suite.",
)
@click.option(
    "--by",
    "level",
    type=click.Choice(PropertyCorrelations.LEVELS),
    default="language",
    show_default=True,
    help="What the file has numbers for; accuracy is the mean over the suites of each.",
)
@click.option(
    "--coefficient",
    type=click.Choice(PropertyCorrelations.COEFFICIENTS),
    default="spearman",
    show_default=True,
)
@click.option(
    "--exclude", multiple=True, metavar="KEY", help="A language (...) to leave out; repeatable."
)
@click.option(
    "--common-suites",
    is_flag=True,
    help="Only suites that there are in every language (of one group, or one name), or for every "
    "model.",
)
@click.option(
    "--table",
    type=click.Choice(PropertyCorrelations.TABLES),
    default="correlations",
    show_default=True,
    help="The coefficients, or what they are of.",
)
@form_option()
def correlate(**chosen: Any) -> None:
    """Rank correlation of accuracy with a property of languages, circuits, suites or models.

    \b
      pommel stats correlate --with cwals.tsv --key lang --value C_WALS_fig3_vector
      pommel stats correlate --with cwals.tsv --exclude de --common-suites
      pommel stats correlate --between-models --circuit agreement
    """
    if chosen["between_models"] == bool(chosen["file"]):
        raise UsageError("say what accuracy is compared with: --with FILE, or --between-models")
    records = _records(chosen)
    _note_left_out(ModelsCompared.of(records).incomplete_seeds(), _INCOMPLETE_SEEDS)
    if chosen["between_models"]:
        _show(ModelCorrelations.of(records, coefficient=chosen["coefficient"]), chosen["form"])
        return
    found = PropertyCorrelations.of(
        records,
        GivenTable.read(chosen["file"], key=chosen["key"], value=chosen["value"]),
        level=chosen["level"],
        coefficient=chosen["coefficient"],
        pooling=chosen["pooling"],
        common_suites=chosen["common_suites"],
        exclude=chosen["exclude"],
        table=chosen["table"],
    )
    _show(found, chosen["form"])


_ITEM_FORMS = ("csv", "tsv", "json", "parquet")


@click.command("items")
@selection_options
@form_option(
    _ITEM_FORMS,
    default=None,
    about="What to write.  [default: what the name of --output ends in, or csv]",
)
@output_option
def items(**chosen: Any) -> None:
    """Print one row a model, suite, prediction and item, for lme4, pandas and others.

    Columns are numbers or text: holds, tie, modifier and the like are 0 or 1. Skipped items have
    no row.

    \b
      pommel stats items --language de -o items.csv
      Rscript -e 'library(lme4); summary(glmer(holds ~ modifier + (1 | model) + (1 | suite/item),
                  data = read.csv("items.csv"), family = binomial))'
    """
    path: Path | None = chosen["output"]
    ending = path.suffix.removeprefix(".").lower() if path else ""
    form = chosen["form"] or (ending if ending in _ITEM_FORMS else "csv")
    if form == "parquet" and path is None:
        raise UsageError("--format parquet needs a file: -o FILE")
    items = ItemTable.of(selected_records(chosen))
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


@click.command("mixed")
@selection_options
@click.option(
    "--fixed",
    required=True,
    metavar="FORMULA",
    help="Fixed effects: columns of `pommel stats items` in a formula (modifier + "
    "log10_parameters), as patsy reads it.",
)
@click.option(
    "--random",
    multiple=True,
    metavar="COLUMN",
    help="A column each value of which has an intercept of its own (suite:prediction_id joins "
    "two), or 'EFFECT || COLUMN', with a slope, too; repeatable.  [default: model, suite and item, "
    "and other units within which an effect is the same]",
)
@click.option(
    "--not-random",
    multiple=True,
    metavar="UNIT",
    type=click.Choice(MixedFit.UNITS),
    help="A unit without an intercept of its own, though an effect is the same within it: what is "
    "found then holds for these models (suites ...) alone; repeatable.",
)
@form_option()
def mixed(**chosen: Any) -> None:
    """Fit whether predictions hold, item by item, by fixed effects and random intercepts.

    Needs the stats extra. By maximum likelihood, as lme4's glmer has it. Models, suites and items
    count as drawn from more of their kind.

    \b
      pommel stats mixed --fixed 'modifier + log10_parameters'
      pommel stats mixed --fixed modifier --random 'modifier || model' --random suite --random item
    """
    records = selected_records(chosen)
    found = MixedFit.of(
        records,
        fixed=chosen["fixed"],
        random=chosen["random"] or None,
        not_random=chosen["not_random"],
    )
    _show(found, chosen["form"])
