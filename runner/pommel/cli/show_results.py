"""Results on stdout, as `pommel run` prints them."""

import json
from typing import get_args

import click

from pommel.api import Results
from pommel.cli.output import show_frame, show_table
from pommel.errors import UsageError
from pommel.report.saved import runs_to_json
from pommel.report.tables import prediction_table, score_tables
from pommel.scoring.run import ResultsTable

tidy_table_option = click.option(
    "--table",
    type=click.Choice(get_args(ResultsTable)),
    help="Which tidy table --format csv, tsv or json prints.  [default: suites]",
)


def check_table(table: ResultsTable | None, form: str) -> None:
    """Raise `UsageError` for a tidy table that no table for people shows."""
    if table in {"regions", "tokens", "families"} and form == "table":
        raise UsageError(f"--table {table} needs --format csv, tsv or json")


def show_results(results: Results, *, table: ResultsTable | None, form: str) -> None:
    """Print results: tables for people, a tidy table, or JSON with the provenance."""
    if form == "json" and not table:
        click.echo(json.dumps(runs_to_json(results.runs), ensure_ascii=False, indent=2))
    elif form != "table":
        show_frame(results.to_frame(table or "suites"), form)
    elif table == "predictions":
        show_table(prediction_table([run.result for run in results]))
    else:
        for each in score_tables([run.result for run in results]):
            show_table(each)
