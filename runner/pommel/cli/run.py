"""`pommel run`: models x suites, scores on stdout, everything else in files."""

import contextlib
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, groupby
from pathlib import Path
from typing import Literal

import click

from pommel.cli import completing
from pommel.cli.gates import Check, ComparedOptions
from pommel.cli.images_at_once import ImagesOptions, at_once, is_image, machine_memory_bytes
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import Count, File, Folder, Options, field_of, option, takes_options
from pommel.cli.options import (
    SCORING,
    FailureOptions,
    KeepingOptions,
    ModelOptions,
    PolicyOptions,
    PunctuationOptions,
    ScoreOptions,
    tidy_table_option,
)
from pommel.cli.output import (
    RESULT_FORMS,
    asked_for_raw,
    check_table,
    follow,
    form_option,
    form_or_usual,
    note,
    progress_bar,
    say_wrong,
    show_notes,
    show_other_languages,
    show_results,
    show_retired_table,
    show_warnings,
)
from pommel.errors import (
    InputError,
    ModelError,
    PommelError,
    UsageError,
    listed,
    readable_size,
)
from pommel.files import make_folder, without_empty_folders
from pommel.models import LoadOptions, NamedModel
from pommel.report import Results
from pommel.scoring import Choices, Regions, ResultsTable, Run
from pommel.sources import find_suites, load_suites
from pommel.store import Store, run_and_keep
from pommel.suite import Suite


def _unless_planned(
    context: click.Context, argument: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    if bool(given) == bool(context.params.get("plan") or context.params.get("shard")):
        if given:
            raise UsageError("a plan has the models and the suites; name none beside it")
        raise click.MissingParameter(ctx=context, param=argument)
    return given


class ModelsAndSuites(Options, title="What"):
    """The models and the suites that a command is about."""

    arguments: tuple[str, ...] = field_of(
        click.argument(
            "arguments",
            nargs=-1,
            callback=_unless_planned,
            metavar="MODEL SUITE...",
            shell_complete=completing.models_and_suites,
        )
    )
    more_models: tuple[str, ...] = option(
        "-m", "--model", help="Another model; repeatable.", shell_complete=completing.models
    )
    limit: Count | None = option(
        help="Run the first N items of each suite only, for a trial: they are a suite of their "
        "own, named so."
    )
    strict: bool = option(help="Refuse suites with stray spaces.")

    def suite_sources(self) -> list[str]:
        """Return what names suites: all arguments but models."""
        models = self._models
        sources = [each for each in self.arguments if each not in models]
        for pattern, of_it in NamedModel.unquoted_patterns([*models, *sources]).items():
            if of_it[0] in models and of_it[-1] in sources:
                raise UsageError(
                    f"{next(each for each in of_it if each in sources)} would be a suite; if it is "
                    f"a model, write the pattern in quotes: '{pattern}'"
                )
        if not sources:
            taken = ", ".join(each for each in models if "://" not in each)
            but = f"; taken as models: {taken}" if taken else ""
            raise UsageError(f"no suites to run: name files, folders, or suites:en{but}")
        return sources

    @cached_property
    def _models(self) -> list[str]:
        """Return which arguments are models: those that can be nothing else, in whichever order.

        A name that is neither here nor a suite's is the model where it comes first, or where there
        is no other. Raises `UsageError` where there is none, and for a folder that is a model and
        has suites, but where one is wanted only.
        """
        models = [each for each in self.arguments if _is_model(each)]
        names = [each for each in self.arguments if not (each in models or _is_suite(each))]
        if names and (names[0] == self.arguments[0] or not (models or self.more_models)):
            models = [names[0], *models]
        if not models and not self.more_models:
            raise UsageError(
                f"no model to run: {listed(self.arguments)} would be suites; name one, such as "
                f"builtin://en-gpt2 (`pommel models list`), or a folder with its config.json"
            )
        is_alone = models == [self.arguments[0]] and len(self.arguments) > 1
        for each in () if is_alone else models:
            if suites := _suites_in(each):
                raise UsageError(
                    f"{each} is a model's folder, and has suites ({listed(suites)}): for the model "
                    f"write {NamedModel.certain(each)}, for suites the names of its files"
                )
        return models

    def expanded_models(self) -> list[NamedModel]:
        """Return the models that are to run, and say what a user may not have meant."""
        expanded = NamedModel.expand_all((*self._models, *self.more_models))
        for reference, named in expanded.items():
            if not named:
                note(f"note: {reference} belongs to a family that is named, too; it runs once")
        models = [each for named in expanded.values() for each in named]
        alone = [each.reference for each in models if not each.membership]
        for pattern, of_it in NamedModel.unquoted_patterns(alone).items():
            note(
                f"note: {listed(of_it, most=2)} are taken as "
                f"{len(of_it)} separate models; as one family, write it in quotes: '{pattern}'"
            )
        return models


def _is_model(argument: str) -> bool:
    """Say whether an argument can be nothing but a model; an unknown scheme is a model's, too."""
    return "://" in argument or bool(NamedModel.certain(argument))


def _is_suite(argument: str) -> bool:
    """Say whether an argument names suites, if it is no model."""
    is_file = Path(argument).suffix.lower() in {".json", ".csv"}
    if is_file or argument == "-" or Path(argument).is_dir():
        return True
    with contextlib.suppress(InputError):
        return not Path(argument).exists() and bool(find_suites(argument))
    return argument.startswith("suites:")


def _suites_in(model: str) -> list[str]:
    """Return the names of the files that are suites in a model's folder."""
    if "://" in model or not Path(model).is_dir():
        return []
    with contextlib.suppress(InputError):
        return [each.name for each in find_suites(model) if _OF_A_SUITE in each.read_bytes()]
    return []


_OF_A_SUITE = b'"region_meta"'


class ChoiceOptions(ScoreOptions, PolicyOptions, PunctuationOptions, FailureOptions, title=SCORING):
    """What models are asked for, and how predictions are counted then."""

    regions: Regions = option(
        default="auto",
        help="Score all regions, or only those that predictions need; auto: all where that costs "
        "little more, and where they are asked for (-o, --table regions or tokens).",
    )

    verdicts: Literal["float32"] | None = option(
        help="With --dtype float16 or bfloat16: score again in float32 what that leaves open, so "
        "that all verdicts are float32's."
    )

    def chosen(self, *, asks_all: bool = False) -> Choices:
        """Return the same as a run has it; `asks_all` means all regions, unless some are named."""
        regions = "all" if asks_all and self.regions == "auto" else self.regions
        return Choices(
            policy=self.policy,
            compat=self.compat,
            score_rule=self.score_rule,
            oov=self.oov,
            swallowed=self.swallowed,
            regions=regions,
            strict_model=self.strict_model,
            verdicts=self.verdicts,
            punctuation=self.punctuation,
        )


class _OutputOptions(Options, title="Output"):
    """What is printed and written."""

    output: Folder | None = option(
        "-o",
        help="Folder for the full results: one CSV a table, and runs.json with their provenance.",
    )
    form: str | None = field_of(
        form_option(
            RESULT_FORMS,
            default=None,
            about="What to print; json-full is nested, with the provenance.  [default: table; tsv "
            "with --compat]",
        )
    )
    table: ResultsTable | None = field_of(tidy_table_option)


class _ShardOptions(Options, title="A shard of a plan"):
    """Which shard of which plan is run, in place of models and suites."""

    plan: File | None = option(
        help="Plan of `pommel plan`, of which one shard is run; its results lie in the folder -o."
    )
    shard: str | None = option(
        metavar="K/N",
        help="Which shard of the plan, from 1.  [default: SLURM_ARRAY_TASK_ID, or what follows "
        "JOB_COMPLETION_INDEX or SKYPILOT_NODE_RANK, which count from 0]",
    )

    def run_shard(self, folder: Path | None, store: Path | None, options: LoadOptions) -> None:
        """Run it; raises `UsageError` for what a plan has said already, and what fails."""
        from pommel.sharding import Plan, PlanFolder

        context = click.get_current_context()
        told = {
            each.name: each.opts[0]
            for each in context.command.params
            if each.name
            and context.get_parameter_source(each.name) == click.core.ParameterSource.COMMANDLINE
        }
        if others := {*told} - {"plan", "shard", "output", "store", "quiet", *Plan.OF_A_MACHINE}:
            named = listed(sorted(told[each] for each in others))
            raise UsageError(f"a plan says that already, or a shard has no use for it: {named}")
        shard = self.shard or PlanFolder.shard_of_environment()
        if not (self.plan and shard and bool(folder) != bool(store)):
            raise UsageError(
                "a shard of a plan takes --plan FILE, --shard K/N and -o DIR (or --store FILE)"
            )
        plan = Plan.read(self.plan)
        here = PlanFolder(plan=plan, path=self.plan.parent, store=store)
        into = PlanFolder.begun(plan, folder) if folder else here
        into.run(plan.shard(shard), options, note)


class _WorkerOptions(ModelOptions, title="Model"):
    """How many processes load models."""

    workers: Count | None = option(
        help="Processes that score at once, each with a model of its own in memory.  [default: one "
        "for each of several devices: --device cuda:0,cuda:1]"
    )


# Help has them in this order; what is about models in containers comes last but for servers.
class _RunOptions(
    ChoiceOptions,
    _OutputOptions,
    ComparedOptions,
    KeepingOptions,
    _ShardOptions,
    _WorkerOptions,
    ImagesOptions,
    title=SCORING,
):
    """How models are run, and what is printed and written."""

    @property
    def choices(self) -> Choices:
        """What the models are asked for; tables of regions and tokens ask for all regions."""
        return self.chosen(asks_all=bool(self.output) or self.table in {"regions", "tokens"})

    @property
    def n_workers(self) -> int:
        """How many processes score; raises `UsageError` for what only one can do."""
        n_workers = self.workers or len(self.device.split(","))
        if n_workers > 1 and (self.no_store or self.rescore or self.parallel_images > 1):
            raise UsageError(
                "--no-store, --rescore and --parallel-images are for one process: workers meet in "
                "the store (--store FILE names another one)"
            )
        return n_workers

    def run_at_once(
        self, models: Sequence[NamedModel], suites: Mapping[Path, Suite], store: Store
    ) -> None:
        """Have workers run models on suites, so that the store has it.

        What has failed in one is not told: whoever runs the models then meets it again.
        """
        from pommel.sharding import Plan, PlanFolder

        costs = replace(Plan.costs(models, suites, self.load_options), models=tuple(models))
        n_workers, each_bytes = self.n_workers, max(costs.memory)
        if self.device == "cpu" and (there := machine_memory_bytes()):
            n_workers = max(1, min(n_workers, there // each_bytes))
        plan = Plan.of(costs, self.choices, n_shards=n_workers)
        if n_workers < self.n_workers:
            note(f"note: as many workers as there is memory: {readable_size(each_bytes)} for each")
        with tempfile.TemporaryDirectory(prefix="pommel-workers-") as folder:
            work = PlanFolder(plan=plan, path=Path(folder), store=store.path.absolute())
            n_sentences = len(models) * sum(each.n_sentences for each in suites.values())
            steps = work.run_all(len(plan.shards), self.load_options)
            before = store.last_scored
            if len(plan.shards) > 1:
                follow(steps, n_sentences, lambda: store.last_scored - before)

    @contextlib.contextmanager
    def made_output(self) -> Iterator[None]:
        """Have the folder of the results, which is gone again if nothing comes into it."""
        if not self.output:
            yield
            return
        with without_empty_folders(self.output / "runs.json"):
            # A folder that cannot be is better known before the model has run.
            make_folder(self.output)
            yield


@dataclass(slots=True, kw_only=True)
class Done:
    """What has been run, which models have failed (by reference), and what has stopped it all.

    `faulty` is what is wrong with files that are no suites, and were left out.
    """

    runs: list[Run] = field(default_factory=list)
    failed: dict[str, PommelError] = field(default_factory=dict)
    stopped_by: BaseException | None = None
    faulty: PommelError | None = None

    @property
    def error(self) -> BaseException | None:
        """What the command ends with; several failures are one, with the first's status."""
        failures = [*self.failed.values(), *([self.faulty] if self.faulty else [])]
        if self.stopped_by or not failures:
            return self.stopped_by
        return ModelError.joined(failures)

    def errors(self) -> Iterator[Check]:
        """Yield what has failed, as reports for CI systems have it."""
        whole = {} if self.failed else {"pommel": self.error}
        for model, error in (self.failed | whole).items():
            said = str(error) or "stopped"
            yield Check(model=model, about="run", said=said, outcome="error")

    def check_complete(self, n_asked: int) -> None:
        """Raise what has failed or stopped it; a note says how many of the runs are complete."""
        if not (error := self.error):
            return
        # What was refused before anything ran says all that there is to say.
        refused = isinstance(self.stopped_by, PommelError) and not self.runs
        if (self.runs or self.stopped_by) and not refused:
            how = "stopped; " if self.stopped_by else ""
            note(f"pommel: {how}{len(self.runs)} of {n_asked} runs are complete")
        if self.stopped_by and self.faulty:
            say_wrong(f"pommel: {self.faulty}")
        raise error


@click.command("run", cls=Command, no_args_is_help=True)
@takes_options
def command(named: ModelsAndSuites, chosen: _RunOptions) -> None:
    """Run SUITEs on MODEL and show the share of items on which predictions hold.

    A SUITE is a file, a folder, a shipped collection (suites:en, suites:en/agreement), a shipped
    suite's name, or - for standard input. A MODEL is scheme://..., a folder or a file that is a
    model, or a name of the LM Zoo; there may be several, before or behind the suites. With a
    pattern in quotes it is a family of models, seeds or checkpoints.

    \b
      pommel run builtin://en-gpt2 builtin://en-ngram suites:en
      pommel run huggingface://gpt2 my_suites/ -o results --score first
      pommel run 'lstm://models/seed-*' suites:en
      pommel run 'huggingface://EleutherAI/pythia-70m@step{1000..3000..1000}' suites:en
      pommel run --plan plan.json --shard 3/64 -o shards
    """
    if chosen.plan or chosen.shard:
        chosen.run_shard(chosen.output, chosen.store, chosen.load_options)
        return
    choices = chosen.choices
    is_at_once = chosen.n_workers > 1
    check_table(chosen.table, form_or_usual(chosen.form, chosen.compat))
    loaded = load_suites(named.suite_sources(), strict=named.strict)
    Suite.check_distinct_names(loaded.suites)
    suites = [each.first_items(named.limit) if named.limit else each for each in loaded.suites]
    n_sentences = sum(suite.n_sentences for suite in suites)
    show_warnings(loaded.warnings)
    models = named.expanded_models()
    show_other_languages(models, suites)
    is_step = any(each.membership and each.membership.is_ordered for each in models)
    chosen.check_names(suites, has_steps=is_step)
    chosen = chosen.shared_out([each.reference for each in models])
    is_apart = chosen.parallel_images > 1
    with chosen.made_output(), chosen.opened_store() as store:
        kept = chosen.kept_records(store, suites, choices)
        # A suite from standard input no other process can read.
        by_file = {path: each for path, each in zip(loaded.paths, suites, strict=True) if path}
        if is_at_once and by_file and store:
            chosen.run_at_once(models, by_file, store)
        chosen = replace(chosen, device=chosen.device.split(",")[0])

        def run_model(each: NamedModel, made: list[Run]) -> None:
            with (
                # A store is for one thread.
                store.reopened() if store and is_apart else contextlib.nullcontext(store) as own,
                chosen.opened_model(each.reference, own) as model,
                progress_bar(each.name or model.info.name, n_sentences) as progress,
            ):
                try:
                    made.extend(
                        run_and_keep(each, model, suites, choices, store=own, progress=progress)
                    )
                finally:
                    made[:] = Store.late_runs(made, own)

        done = run_each(models, run_model, n_images=chosen.parallel_images)
    done.faulty = loaded.error
    results = Results.told_apart(done.runs)
    _report(results, chosen, done)
    more = done.errors() if done.error else chosen.compared(results.runs, kept)
    failed = chosen.failed_gates((run.result for run in results.runs), more)
    if failed and done.failed:
        # The command ends with what has failed; what came of the other models is told, too.
        say_wrong(f"pommel: {failed}")
    done.check_complete(len(models) * loaded.n_files)
    if failed:
        raise failed


def _report(results: Results, chosen: _RunOptions, done: Done) -> None:
    if not results.runs:
        return
    try:
        # Nothing can be shown on a terminal that was closed.
        if chosen.output:
            failed = {reference: str(error) for reference, error in done.failed.items()}
            complete = done.error is None
            results.save(chosen.output, complete=complete, failed=failed, raw=asked_for_raw())
    finally:
        show_notes(results.notes())
        form = form_or_usual(chosen.form, chosen.compat)
        if chosen.compat and not chosen.table and form == "tsv":
            show_retired_table([run.result for run in results.runs])
        else:
            show_results(results, table=chosen.table, form=form)
    if chosen.output:
        note(f"Full results: {chosen.output}")


_RunModel = Callable[[NamedModel, list[Run]], None]


def run_each(models: Sequence[NamedModel], run_model: _RunModel, *, n_images: int = 1) -> Done:
    """Run models, each of which is freed before the next one is loaded; images `n_images` at once.

    `run_model` adds each run to a list as soon as it is complete. A model that fails is no reason
    to go without the next; anything else ends it all, and still what is complete is kept (a second
    Ctrl-C meanwhile ends everything). All comes in the order of the models, whichever ends first.
    """
    done = Done()
    made: list[list[Run]] = [[] for _ in models]
    works = [partial(run_model, *each) for each in zip(models, made, strict=True)]
    try:
        with contextlib.closing(_attempts(models, works, n_images)) as attempts:
            for model, attempt in zip(models, attempts, strict=True):
                try:
                    attempt()
                except (ModelError, InputError) as error:
                    done.failed[model.reference] = error.without_frames()
                    if len(models) > 1:
                        note(f"pommel: {model.reference} failed; going on with the other models")
    except BaseException as error:  # noqa: BLE001 - raised again by the caller
        done.stopped_by = error
    done.runs = [*chain.from_iterable(made)]
    return done


def _attempts(
    models: Sequence[NamedModel], works: Sequence[Callable[[], None]], n_images: int
) -> Generator[Callable[[], None], None, None]:
    """Yield what runs each model, or raises what came of it.

    Images that follow each other are run at once; all others need the whole machine.
    """

    def is_apart(number: int) -> bool:
        return n_images > 1 and is_image(models[number].reference)

    for apart, numbers in groupby(NamedModel.one_after_another(range(len(models))), is_apart):
        if apart:
            with at_once([works[number] for number in numbers], n_images) as outcomes:
                for outcome in outcomes:
                    yield outcome.result
        else:
            for number in numbers:
                yield works[number]
