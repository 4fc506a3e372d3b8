"""`pommel evaluate`: predictions of suites that carry their surprisals; no model is needed."""

from typing import Any

import click

from pommel.cli.options import score_options, threshold_option
from pommel.cli.output import (
    fail_under,
    form_option,
    output_form,
    show_frame,
    show_retired_table,
    show_table,
    show_warnings,
)
from pommel.files import stacked
from pommel.report import result_tables
from pommel.scoring import Choices, SuiteResult
from pommel.sources import load_suites


@click.command("evaluate", no_args_is_help=True)
@click.argument("suites", nargs=-1, required=True, metavar="SUITE...")
@form_option(default=None, about="What to print.  [default: table; tsv with --compat]")
@click.option(
    "--table",
    type=click.Choice(["suites", "predictions"]),
    help="Scores, or predictions item by item.  [default: predictions; in a table, both]",
)
@click.option(
    "--compat",
    type=click.Choice(["syntaxgym"]),
    help="Print the retired tool's four columns of TSV.",
)
@score_options
@threshold_option
def command(suites: tuple[str, ...], **chosen: Any) -> None:
    """Check the predictions of SUITEs whose regions have surprisals (metric_value).

    \b
      pommel evaluate my_suite.evaluated.json
      pommel surprisals builtin://en-gpt2 number_prep | pommel evaluate -
    """
    loaded = load_suites(suites, evaluated=True)
    show_warnings(loaded.warnings)
    choices = Choices(
        compat=chosen["compat"],
        score_rule=chosen["score_rule"],
        oov=chosen["oov"],
        swallowed=chosen["swallowed"],
    )
    results = [SuiteResult.of_evaluated(each.suite, choices) for each in loaded.loaded]
    form = output_form(chosen)
    if chosen["compat"] and form == "tsv":
        show_retired_table(results)
    elif form == "table":
        if chosen["table"] != "predictions":
            for table in result_tables(results):
                show_table(table)
        if chosen["table"] != "suites":
            for table in result_tables(results, "predictions"):
                show_table(table)
    elif chosen["table"] == "suites":
        show_frame(SuiteResult.scores_frame(results), form)
    else:
        show_frame(stacked([each.to_frame() for each in results]), form)
    loaded.check()
    fail_under(results, chosen["fail_under"])
