"""`pommel run`: models x suites, scores on stdout, everything else in files."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import click

from pommel.cli.each_model import Done, ModelsAndSuites, run_each
from pommel.cli.option_groups import Folder, field_of, option, takes_options
from pommel.cli.options import (
    KeepingOptions,
    ModelOptions,
    PolicyOptions,
    ScoreOptions,
    threshold_option,
)
from pommel.cli.output import (
    asked_for_raw,
    check_table,
    fail_under,
    form_option,
    form_or_usual,
    note,
    progress_bar,
    show_notes,
    show_results,
    show_retired_table,
    show_warnings,
    tidy_table_option,
    using,
)
from pommel.files import make_folder
from pommel.models import NamedModel
from pommel.report import Results
from pommel.scoring import Choices, Regions, ResultsTable, Run
from pommel.sources import load_suites
from pommel.store import Store, run_and_keep
from pommel.suite import Suite


class _RunOptions(KeepingOptions, ScoreOptions, PolicyOptions, ModelOptions):
    """How models are run, which regions are scored, and what is printed and written."""

    output: Folder | None = option(
        "-o",
        help="Folder for the full results: one CSV a table, and runs.json with their provenance.",
    )
    form: str | None = field_of(
        form_option(default=None, about="What to print.  [default: table; tsv with --compat]")
    )
    table: ResultsTable | None = field_of(tidy_table_option)
    regions: Literal["auto"] | Regions = option(
        default="auto",
        help="Score all regions, or only those that predictions need; auto: all where they "
        "are asked for (-o, --table regions or tokens).",
    )
    strict: bool = option(help="Refuse suites with stray spaces.")
    fail_under: float | None = field_of(threshold_option)

    @property
    def choices(self) -> Choices:
        """What the models are asked for; tables of regions and tokens ask for all regions."""
        regions = self.regions
        if regions == "auto":
            asks_all = self.output or self.table in {"regions", "tokens"}
            regions = "all" if asks_all else "needed"
        return Choices(
            policy=self.policy,
            compat=self.compat,
            score_rule=self.score_rule,
            oov=self.oov,
            swallowed=self.swallowed,
            regions=regions,
        )


@click.command("run", no_args_is_help=True)
@takes_options
def command(named: ModelsAndSuites, chosen: _RunOptions) -> None:
    """Run SUITEs on MODEL and show the share of items on which predictions hold.

    A SUITE is a file, a folder, a shipped collection (suites:en, suites:en/agreement), a shipped
    suite's name, or - for standard input. An argument like scheme://... is one more model; with
    a pattern in quotes it is a family of models, seeds or checkpoints.

    \b
      pommel run builtin://en-gpt2 builtin://en-ngram suites:en
      pommel run huggingface://gpt2 my_suites/ -o results --score first
      pommel run 'lstm://models/seed-*' suites:en
      pommel run 'huggingface://EleutherAI/pythia-70m@step{1000..3000..1000}' suites:en
    """
    check_table(chosen.table, form_or_usual(chosen.form, chosen.compat))
    loaded = load_suites(named.suite_sources(), strict=chosen.strict)
    Suite.check_distinct_names(loaded.suites)
    show_warnings(loaded.warnings)
    models = named.expanded_models()
    if chosen.output:
        # A folder that cannot be is better known before the model has run.
        make_folder(chosen.output)
    with chosen.opened_store() as store:
        on_suites = partial(_run_model, suites=loaded.suites, store=store, chosen=chosen)
        done = run_each(models, on_suites)
    done.faulty = loaded.error
    results = Results.told_apart(done.runs)
    _report(results, chosen, done)
    done.check_complete(len(models) * loaded.n_files)
    fail_under((run.result for run in results.runs), chosen.fail_under)


def _run_model(
    named: NamedModel,
    made: list[Run],
    *,
    suites: Sequence[Suite],
    store: Store | None,
    chosen: _RunOptions,
) -> None:
    n_sentences = sum(suite.n_sentences for suite in suites)
    with (
        using(chosen.open_model(named.reference)) as model,
        progress_bar(named.name or model.info.name, n_sentences) as progress,
    ):
        choices = chosen.choices
        made.extend(run_and_keep(named, model, suites, choices, store=store, progress=progress))


def _report(results: Results, chosen: _RunOptions, done: Done[Run]) -> None:
    show_notes([line for run in results.runs for line in run.notes()])
    if not results.runs:
        return
    form = form_or_usual(chosen.form, chosen.compat)
    if chosen.compat and not chosen.table and form == "tsv":
        show_retired_table([run.result for run in results.runs])
    else:
        show_results(results, table=chosen.table, form=form)
    if chosen.output:
        failed = {reference: str(error) for reference, error in done.failed.items()}
        complete = done.error is None
        results.save(chosen.output, complete=complete, failed=failed, raw=asked_for_raw())
        note(f"Full results: {chosen.output}")
