"""`pommel runs export`: the tables of stored runs, as files."""

from pathlib import Path
from typing import Any

import click

from pommel.cli.output import note
from pommel.cli.output_options import folder_option, form_option
from pommel.cli.selecting import runs_of, selected, selection_options, store_for_reading
from pommel.errors import counted
from pommel.report.exported import export_runs
from pommel.store.run_names import told_apart_records


@click.command("export")
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@folder_option
@form_option(["csv", "parquet", "json"], default="csv", about="Format of the files.")
@selection_options
def command(runs: tuple[str, ...], output: Path, form: Any, **chosen: Any) -> None:
    """Write the tables of RUNs, or of all that fit, to a folder, as `pommel run -o` would have.

    Of runs of one model on one suite under one score rule the newest counts, unless they are
    named by their ids.

    \b
      pommel runs export 3f2a91c07d11 -o results
      pommel runs export --model 'gpt2*' -o results --format parquet
    """
    chosen["only_runs"] = (*runs, *chosen["only_runs"])
    with store_for_reading(chosen) as store:
        records = told_apart_records(selected(store, chosen))
        own = store.runs.with_tokens(records)
        found = list(runs_of(store, own))
    export_runs(records, found, output, form)
    if n_imported := len(records) - len(own):
        others = "those files hold the others only" if own else "those files are not written"
        note(
            f"note: {counted(n_imported, 'run')} came without tokens, so that tokens.{form} and "
            f"regions.{form} lack them; {others}"
        )
    note(f"{counted(len(records), 'run')}: {output}")
