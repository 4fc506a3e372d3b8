"""`pommel stats complexity`: accuracy against how much material intervenes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pommel.analysis.complexity import (
    SERIES,
    SuiteComplexity,
    complexity,
    complexity_tables,
    difference_table,
    differences_frame,
    given_complexities,
    known_complexities,
    points_frame,
    suite_differences,
    trends_frame,
)
from pommel.analysis.models_compared import incomplete_seeds
from pommel.cli.output import show_notes, show_rows
from pommel.cli.output_options import form_option
from pommel.cli.stats_options import (
    INCOMPLETE_SEEDS,
    note_left_out,
    pooling_option,
    records_of,
    several_models_options,
)
from pommel.errors import UsageError
from pommel.scoring.run_record import RunRecord


@click.command("complexity")
@several_models_options
@pooling_option
@click.option(
    "--complexity",
    "file",
    type=click.Path(path_type=Path),
    help="CSV or TSV with the columns suite, complexity and maybe series.  [default: what the "
    "suites say, meta.complexity]",
)
@click.option(
    "--series",
    type=click.Choice(SERIES),
    default="circuit",
    show_default=True,
    help="Suites that are compared with one another have this in common; the column series of the "
    "file says it instead.",
)
@click.option(
    "--difference",
    nargs=2,
    metavar="SUITE SUITE",
    help="Instead: by how much accuracy on the first is above that on the second, with its mean "
    "over models.",
)
@click.option(
    "--table",
    type=click.Choice(["points", "trends"]),
    default="points",
    show_default=True,
    help="Which tidy table --format csv, tsv or json prints: one row a complexity, or a series.",
)
@form_option()
def command(**chosen: Any) -> None:
    """How accuracy falls with the complexity of intervening material.

    For each series of suites, and each model or the mean over a family: the mean accuracy at each
    complexity with its standard error, the slope, and Spearman's rank correlation.

    \b
      pommel stats complexity --complexity complexity.csv --pool family
      pommel stats complexity --difference number_src number_prep
    """
    records = records_of(chosen)
    if chosen["difference"]:
        if chosen["file"]:
            raise UsageError("--difference compares two suites; it needs no --complexity")
        note_left_out(incomplete_seeds(records, chosen["difference"]), INCOMPLETE_SEEDS)
        found = suite_differences(records, *chosen["difference"], pooling=chosen["pooling"])
        show_rows(
            chosen["form"],
            tables=lambda: [difference_table(found)],
            frame=lambda: differences_frame(found),
        )
        return
    result = complexity(records, _complexities(records, chosen), pooling=chosen["pooling"])
    note_left_out(result.without_complexity, "of no known complexity")
    show_notes(result.notes)
    show_rows(
        chosen["form"],
        tables=lambda: complexity_tables(result, chosen["pooling"]),
        frame=lambda: (
            points_frame(result.points)
            if chosen["table"] == "points"
            else trends_frame(result.trends)
        ),
    )


def _complexities(records: Sequence[RunRecord], chosen: dict[str, Any]) -> list[SuiteComplexity]:
    if chosen["file"]:
        found = given_complexities(chosen["file"], records, chosen["series"])
        if not found:
            raise UsageError(f"{chosen['file']}: none of its suites has a run")
        return found
    found = known_complexities(records, chosen["series"])
    if not found:
        raise UsageError(
            "no suite says how complex it is (meta.complexity); --complexity FILE does instead"
        )
    return found
