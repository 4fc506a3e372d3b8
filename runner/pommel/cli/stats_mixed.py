"""`pommel stats mixed`: mixed-effects logistic regression over items."""

from typing import Any

import click

from pommel.analysis.items import item_table
from pommel.analysis.mixed import fit_mixed, mixed_frame, mixed_tables
from pommel.cli.output import show_notes, show_rows
from pommel.cli.output_options import form_option
from pommel.cli.selecting import selected_records, selection_options


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
    default=("model", "item"),
    show_default=True,
    metavar="COLUMN",
    help="A column each value of which has an intercept of its own; repeatable.",
)
@form_option()
def command(**chosen: Any) -> None:
    """Fit whether predictions hold, item by item, by fixed effects and random intercepts.

    Needs the stats extra. By variational Bayes, which is an approximation: for what you publish,
    see whether lme4 says the same (`pommel stats items`).

    \b
      pommel stats mixed --fixed 'modifier + log10_parameters' --random model --random item
    """
    table = item_table(selected_records(chosen))
    fit = fit_mixed(table.frame, fixed=chosen["fixed"], random=chosen["random"])
    show_notes([*table.notes, *fit.notes])
    show_rows(chosen["form"], tables=lambda: mixed_tables(fit), frame=lambda: mixed_frame(fit))
