"""`pommel stats scaling`: accuracy against the number of parameters."""

from typing import Any

import click

from pommel.analysis.scaling import (
    SCALES,
    points_frame,
    scaling,
    size_table,
    slope_table,
    slopes_frame,
)
from pommel.cli.output import show_notes, show_rows
from pommel.cli.output_options import form_option
from pommel.cli.stats_options import (
    level_option,
    note_left_out,
    records_of,
    several_models_options,
)
from pommel.errors import UsageError


@click.command("scaling")
@several_models_options
@level_option
@click.option(
    "--x",
    "scale",
    type=click.Choice(SCALES),
    default="linear",
    show_default=True,
    help="Slopes per billion parameters, or per power of ten.",
)
@click.option(
    "--table",
    type=click.Choice(["slopes", "points"]),
    default="slopes",
    show_default=True,
    help="The slopes, or the accuracy of each model with its size.",
)
@form_option()
def command(**chosen: Any) -> None:
    """By how much accuracy rises with a model's size, family by family.

    The slope of accuracy in percent against parameters in billions, by ordinary least squares, and
    the mean of the families' slopes. Imported results may say which family a model is of; --family
    says it, too. Seeds of one model count once, with their mean; of a path through training the
    last step counts.

    \b
      pommel stats scaling --source multilingual --family 'BLOOM=bloom*' --family 'XGLM=xglm*' \\
          --exclude-model xglm-4.5B
      pommel stats scaling --family 'Pythia=pythia-*' --by circuit --x log
    """
    result = scaling(records_of(chosen), level=chosen["level"], scale=chosen["scale"])
    note_left_out(result.without_family, "of no family (--family says which)")
    note_left_out(result.without_size, "of unknown size")
    show_notes(result.notes)
    if not result.slopes:
        raise UsageError("no model is of a family and of known size; --family NAME=GLOB makes one")
    if chosen["table"] == "slopes":
        show_rows(
            chosen["form"],
            tables=lambda: [slope_table(result.slopes)],
            frame=lambda: slopes_frame(result.slopes),
        )
    else:
        show_rows(
            chosen["form"],
            tables=lambda: [size_table(result.points)],
            frame=lambda: points_frame(result.points),
        )
