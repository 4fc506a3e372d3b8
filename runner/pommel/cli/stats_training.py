"""`pommel stats training`: accuracy against the step of training."""

from typing import Any

import click

from pommel.analysis.training import (
    REACH_PERCENT,
    path_tables,
    paths_frame,
    points_frame,
    step_tables,
    training,
)
from pommel.cli.output import show_rows
from pommel.cli.output_options import form_option
from pommel.cli.resampling import resampling_options
from pommel.cli.selecting import selection_options
from pommel.cli.stats_options import (
    chance_option,
    exclude_option,
    level_option,
    note_left_out,
    records_of,
    settings_of,
)
from pommel.errors import UsageError


@click.command("training")
@selection_options
@exclude_option
@level_option
@click.option(
    "--reach",
    "reach_percent",
    type=click.FloatRange(min=0, max=100, min_open=True),
    default=REACH_PERCENT,
    show_default=True,
    metavar="PERCENT",
    help="How much of its final accuracy a model has to reach.",
)
@chance_option
@resampling_options
@click.option(
    "--table",
    type=click.Choice(["paths", "points"]),
    default="paths",
    show_default=True,
    help="One row a suite (circuit, ...), or one a step.",
)
@form_option()
def command(**chosen: Any) -> None:
    """When models learn what: accuracy along the steps or epochs of a family.

    From which step on a suite is above chance (exact one-sided binomial test, p < .05), and from
    which on it has reached most of its final accuracy, at that step and all later ones.

    \b
      pommel run 'huggingface://EleutherAI/pythia-70m@step{1000..143000..1000}' suites:en
      pommel stats training --model 'pythia-70m*' --by circuit
      pommel stats training --table points --format csv
    """
    result = training(
        records_of(chosen),
        level=chosen["level"],
        reach_percent=chosen["reach_percent"],
        settings=settings_of(chosen),
    )
    note_left_out(result.without_step, "without the number of a step")
    note_left_out(result.incomplete, "not run on all suites of a mean")
    if not result.paths:
        raise UsageError(
            "no run is of a family of steps or epochs; a reference with a pattern names one "
            "('MODEL@step{1000..3000..1000}')"
        )
    if chosen["table"] == "paths":
        show_rows(
            chosen["form"],
            tables=lambda: path_tables(result.paths),
            frame=lambda: paths_frame(result.paths),
        )
    else:
        show_rows(
            chosen["form"],
            tables=lambda: step_tables(result.points),
            frame=lambda: points_frame(result.points),
        )
