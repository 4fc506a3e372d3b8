"""`pommel stats stability`: suites with and without intervening material."""

from typing import Any

import click

from pommel.analysis.stability import NO_PAIRS, stability, stability_frame, stability_table
from pommel.cli.output import show_rows
from pommel.cli.output_options import form_option
from pommel.cli.resampling import resampling_options
from pommel.cli.selecting import selected_records, selection_options
from pommel.errors import UsageError


@click.command("stability")
@selection_options
@resampling_options
@form_option()
def command(**chosen: Any) -> None:
    """How much intervening material costs: suites that come with and without it.

    A suite with intervening material names the one without it in `meta.modifier_of`.

    \b
      pommel stats stability --source hu2020
      pommel stats stability --model gpt2 --format csv
    """
    rows = stability(selected_records(chosen), n_resamples=chosen["resamples"], seed=chosen["seed"])
    if not rows:
        raise UsageError(NO_PAIRS)
    show_rows(
        chosen["form"],
        tables=lambda: [stability_table(rows)],
        frame=lambda: stability_frame(rows),
    )
