"""`pommel stats correlate`: accuracy against a property of languages, suites or models."""

from pathlib import Path
from typing import Any

import click

from pommel.analysis.correlation import (
    COEFFICIENTS,
    KEY_LEVELS,
    correlation_table,
    correlations_frame,
    model_correlations,
    model_table,
    models_frame,
    pair_table,
    pairs_frame,
    property_correlations,
)
from pommel.analysis.given_tables import read_given_table
from pommel.analysis.models_compared import incomplete_seeds
from pommel.cli.output import note, show_rows
from pommel.cli.output_options import form_option
from pommel.cli.stats_options import (
    INCOMPLETE_SEEDS,
    note_left_out,
    pooling_option,
    records_of,
    several_models_options,
)
from pommel.errors import UsageError, listed
from pommel.scoring.run_record import RunRecord


@click.command("correlate")
@several_models_options
@pooling_option
@click.option(
    "--with",
    "file",
    type=click.Path(path_type=Path),
    help="CSV or TSV with a number for each language (circuit, ...).",
)
@click.option("--key", default="", metavar="COLUMN", help="The file's keys.  [default: its first]")
@click.option(
    "--value", default="", metavar="COLUMN", help="The file's numbers.  [default: its second]"
)
@click.option(
    "--between-models",
    is_flag=True,
    help="Instead: the scores of every two models, suite by suite.",
)
@click.option(
    "--by",
    "level",
    type=click.Choice(KEY_LEVELS),
    default="language",
    show_default=True,
    help="What the file has numbers for; accuracy is the mean over the suites of each.",
)
@click.option(
    "--coefficient", type=click.Choice(COEFFICIENTS), default="spearman", show_default=True
)
@click.option(
    "--exclude", multiple=True, metavar="KEY", help="A language (...) to leave out; repeatable."
)
@click.option(
    "--common-suites",
    is_flag=True,
    help="Only suites that there are in every language (of one group, or one name), or for every "
    "model.",
)
@click.option(
    "--table",
    type=click.Choice(["correlations", "pairs"]),
    default="correlations",
    show_default=True,
    help="The coefficients, or what they are of.",
)
@form_option()
def command(**chosen: Any) -> None:
    """Rank correlation of accuracy with a property of languages, circuits, suites or models.

    \b
      pommel stats correlate --with cwals.tsv --key lang --value C_WALS_fig3_vector
      pommel stats correlate --with cwals.tsv --exclude de --common-suites
      pommel stats correlate --between-models --circuit agreement
    """
    if chosen["between_models"] == bool(chosen["file"]):
        raise UsageError("say what accuracy is compared with: --with FILE, or --between-models")
    records = records_of(chosen)
    note_left_out(incomplete_seeds(records), INCOMPLETE_SEEDS)
    if chosen["between_models"]:
        found = model_correlations(records, coefficient=chosen["coefficient"])
        if not found:
            raise UsageError("there is only one model; --between-models needs two")
        show_rows(
            chosen["form"], tables=lambda: [model_table(found)], frame=lambda: models_frame(found)
        )
    else:
        _correlate(records, chosen)


def _correlate(records: list[RunRecord], chosen: dict[str, Any]) -> None:
    table = read_given_table(chosen["file"], key=chosen["key"], value=chosen["value"])
    result = property_correlations(
        records,
        table.by_key(),
        level=chosen["level"],
        coefficient=chosen["coefficient"],
        pooling=chosen["pooling"],
        common_suites=chosen["common_suites"],
        exclude=chosen["exclude"],
    )
    note_left_out(result.without_value, f"with no number in {table.file}")
    note_left_out(result.without_accuracy, "with a number, but no run")
    if not result.pairs:
        raise UsageError(f"no {chosen['level']} has both a number and an accuracy")
    if result.uneven and not chosen["common_suites"]:
        note(
            f"note: not the same suites for every {chosen['level']}: {listed(result.uneven)}; "
            "--common-suites leaves out the others"
        )
    if chosen["table"] == "correlations":
        show_rows(
            chosen["form"],
            tables=lambda: [correlation_table(result, table.value_column)],
            frame=lambda: correlations_frame(result.correlations),
        )
    else:
        show_rows(
            chosen["form"],
            tables=lambda: [pair_table(result.pairs, table.value_column)],
            frame=lambda: pairs_frame(result.pairs),
        )
