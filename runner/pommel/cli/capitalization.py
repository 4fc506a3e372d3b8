"""`pommel capitalization`: what a capital letter at a sentence's beginning is worth."""

from collections.abc import Sequence
from functools import partial

import click

from pommel.analysis import CapitalizationGain, CapitalizationGains
from pommel.cli.each_model import ModelsAndSuites, run_each
from pommel.cli.option_groups import field_of, option, takes_options
from pommel.cli.options import RunOptions
from pommel.cli.output import (
    form_option,
    note,
    progress_bar,
    show_notes,
    show_rows,
    show_warnings,
    using,
)
from pommel.errors import listed
from pommel.models import Named, NamedModel
from pommel.sources import load_suites
from pommel.suite import Suite


class _CapitalizationOptions(RunOptions):
    """How models are run, and what is printed of the gain."""

    lower: bool = option(
        help="First take the capital letters away, for suites that are written with them."
    )
    form: str = field_of(form_option())


@click.command("capitalization", no_args_is_help=True)
@takes_options
def command(named: ModelsAndSuites, chosen: _CapitalizationOptions) -> None:
    """Run SUITEs on MODEL as they are and with a capital letter at each sentence's beginning.

    Mueller et al. (2020), Table 4. Models and suites are named as in `pommel run`.

    \b
      pommel capitalization 'lstm://models/seed-*' my_suites/
      pommel capitalization builtin://en-gpt2 suites:en/agreement --lower
    """
    loaded = load_suites(named.suite_sources())
    Suite.check_distinct_names(loaded.suites)
    show_warnings(loaded.warnings)
    models = named.expanded_models()
    done = run_each(models, partial(_run_model, suites=loaded.suites, chosen=chosen))
    done.faulty = loaded.error
    if done.runs:
        gains = CapitalizationGains.of(done.runs)
        if gains.unchanged:
            note(
                f"note: the sentences of {listed(gains.unchanged)} begin with a capital letter "
                "already, or with no letter; --lower takes it away first"
            )
        show_notes(gains.notes)
        show_rows(chosen.form, tables=gains.tables, frame=gains.frame)
    done.check_complete(len(models) * loaded.n_files)


def _run_model(
    named: NamedModel,
    made: list[CapitalizationGain],
    *,
    suites: Sequence[Suite],
    chosen: _CapitalizationOptions,
) -> None:
    n_sentences = 2 * sum(suite.n_sentences for suite in suites)
    with (
        chosen.opened_store() as store,
        using(chosen.cached(chosen.open_model(named.reference), store)) as model,
        progress_bar(named.name or model.info.name, n_sentences) as progress,
    ):
        found = CapitalizationGain.measured(
            model, suites, chosen.choices, lower=chosen.lower, progress=progress
        )
        called = Named(name=named.name or model.info.name, membership=named.membership)
        made.extend(each.renamed(called) for each in found)
