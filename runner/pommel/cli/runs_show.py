"""`pommel runs show`: one run, and all that is known of it."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from pommel.cli.options import store_option
from pommel.cli.output import for_stdout, show_table, show_text
from pommel.cli.output_options import form_option
from pommel.cli.selecting import listed_run, run_of_id, store_for_reading
from pommel.files.json import WrittenFloat, to_json
from pommel.report.run_list import (
    ListedRun,
    count_table,
    head_lines,
    provenance_lines,
    score_lines,
)
from pommel.report.saved import frame_to_json


@click.command("show", no_args_is_help=True)
@click.argument("run")
@form_option(["text", "json"], default="text")
@store_option
def command(run: str, form: str, store: Path | None) -> None:
    """Show a RUN, named by its id or the id's first 4 digits or more.

    Text shows what ran on what and how, its predictions with their counts and margins, its scores,
    and where it comes from; JSON has every item, too.
    """
    with store_for_reading({"store": store}) as opened:
        listed = listed_run(opened, run_of_id(opened, run))
    if form == "json":
        show_text(to_json(_to_json(listed), indent=2))
        return
    result = listed.record.result
    for line in head_lines(listed):
        click.echo(for_stdout(line))
    if result.predictions:
        click.echo()
        show_table(count_table(result))
    for line in score_lines(result):
        click.echo(line)
    if result.provenance:
        click.echo()
        for line in provenance_lines(result.provenance):
            click.echo(for_stdout(line))


def _to_json(listed: ListedRun) -> dict[str, Any]:
    record, result = listed.record, listed.record.result
    return {
        "run_id": record.run_id,
        "status": record.status,
        "n_scored": listed.progress[0] if listed.progress else None,
        "n_sentences": listed.progress[1] if listed.progress else None,
        "source": record.source,
        "created": record.created,
        "model_name": result.model_name,
        "family": result.membership.to_dict() if result.membership else None,
        "model": asdict(record.model),
        "suite_name": result.suite_name,
        "circuit": result.circuit,
        "suite": asdict(record.suite),
        "policy": dict(record.policy),
        "settings": dict(record.settings),
        "score_rule": result.score_rule,
        "score": WrittenFloat.of(result.score),
        "scores": [
            {name: WrittenFloat.of(value) for name, value in row.items()}
            for row in (result.score_rows() if record.status == "complete" else [])
        ],
        "predictions": [
            {
                "prediction_id": each.prediction_id,
                "formula": each.formula,
                "description": each.description,
            }
            for each in result.predictions
        ],
        "items": frame_to_json(result.to_frame("predictions")),
        "provenance": dict(result.provenance),
    }
