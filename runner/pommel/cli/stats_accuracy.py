"""`pommel stats accuracy`: shares of items with intervals and tests, margins, ties."""

from typing import Any

import click

from pommel.analysis.accuracy import accuracies, accuracy_frame, accuracy_table
from pommel.analysis.item_columns import LEVELS
from pommel.cli.output import progress_bar, show_rows
from pommel.cli.output_options import form_option
from pommel.cli.resampling import resampling_options
from pommel.cli.selecting import selected_records, selection_options
from pommel.cli.stats_options import chance_option, settings_of


@click.command("accuracy")
@selection_options
@click.option(
    "--by",
    "level",
    type=click.Choice(LEVELS),
    default="suite",
    show_default=True,
    help="What a row is about; circuits, languages, groups and models are means over suites.",
)
@chance_option
@click.option(
    "--interval",
    type=click.Choice(["wilson", "exact"]),
    default="wilson",
    show_default=True,
    help="Interval of shares in the table; csv, tsv and json have both.",
)
@resampling_options
@form_option()
def command(**chosen: Any) -> None:
    """Accuracy of stored runs, with intervals, tests against chance, and margins.

    \b
      pommel stats accuracy --model gpt2
      pommel stats accuracy --by circuit --source hu2020
      pommel stats accuracy --by prediction --suite number_prep --format csv
    """
    records = selected_records(chosen)
    with progress_bar("drawing items", len(records)) as progress:
        rows = accuracies(records, chosen["level"], settings_of(chosen), progress=progress)
    show_rows(
        chosen["form"],
        tables=lambda: [accuracy_table(rows, chosen["interval"])],
        frame=lambda: accuracy_frame(rows),
    )
