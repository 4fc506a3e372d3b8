"""`pommel evaluate`: predictions of suites that carry their surprisals; no model is needed."""

from typing import Literal

import click

from pommel.cli.gates import GateOptions
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import field_of, option, takes_options
from pommel.cli.options import ScoreOptions
from pommel.cli.output import (
    form_option,
    form_or_usual,
    show_frame,
    show_retired_table,
    show_table,
    show_warnings,
    suites_argument,
)
from pommel.files import stacked
from pommel.report import result_tables
from pommel.scoring import Choices, SuiteResult
from pommel.sources import load_suites


class _EvaluateOptions(ScoreOptions, GateOptions):
    """How predictions are counted, and what is printed."""

    form: str | None = field_of(
        form_option(default=None, about="What to print.  [default: table; tsv with --compat]")
    )
    table: Literal["suites", "predictions"] | None = option(
        help="Scores, or predictions item by item.  [default: predictions; in a table, both]"
    )
    compat: Literal["syntaxgym"] | None = option(
        help="Print the retired tool's four columns of TSV."
    )


@click.command("evaluate", cls=Command, no_args_is_help=True)
@suites_argument
@takes_options
def command(suites: tuple[str, ...], chosen: _EvaluateOptions) -> None:
    """Check the predictions of SUITEs whose regions have surprisals (metric_value).

    \b
      pommel evaluate my_suite.evaluated.json
      pommel surprisals builtin://en-gpt2 number_prep | pommel evaluate -
    """
    loaded = load_suites(suites, evaluated=True)
    show_warnings(loaded.warnings)
    choices = Choices(
        compat=chosen.compat,
        score_rule=chosen.score_rule,
        oov=chosen.oov,
        swallowed=chosen.swallowed,
    )
    results = [SuiteResult.of_evaluated(each.suite, choices) for each in loaded.loaded]
    form = form_or_usual(chosen.form, chosen.compat)
    if chosen.compat and form == "tsv":
        show_retired_table(results)
    elif form == "table":
        if chosen.table != "predictions":
            for table in result_tables(results):
                show_table(table)
        if chosen.table != "suites":
            for table in result_tables(results, "predictions"):
                show_table(table)
    elif chosen.table == "suites":
        show_frame(SuiteResult.scores_frame(results), form)
    else:
        show_frame(stacked([each.to_frame() for each in results]), form)
    loaded.check()
    chosen.check_gates(results)
