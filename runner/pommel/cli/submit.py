"""`pommel submit`: stored runs of one model, packed for a leaderboard."""

from pathlib import Path
from typing import Any

import click

from pommel.cli.output import note
from pommel.cli.selecting import selected, selection_options, store_for_reading
from pommel.errors import counted
from pommel.leaderboard import Submitter, write_submission


@click.command("submit")
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write (x.pommel.zip).",
)
@click.option("--by", required=True, metavar="TEXT", help="Who submits.")
@click.option(
    "--name", default="", metavar="TEXT", help="What to call the model.  [default: its own name]"
)
@click.option("--contact", default="", metavar="TEXT", help="For whoever keeps the leaderboard.")
@click.option("--url", default="", metavar="URL", help="Where the model is described.")
@click.option("--note", "remark", default="", metavar="TEXT", help="A remark, of one line.")
@selection_options
def command(runs: tuple[str, ...], output: Path, **chosen: Any) -> None:
    """Pack RUNs, or all that fit, of one model under one policy, for a leaderboard.

    Tokens, surprisals and results are packed, and where they come from. No model is needed.

    \b
      pommel submit --model en-gpt2 --by 'A. Linguist' -o en-gpt2.pommel.zip
    """
    about = Submitter(
        by=chosen["by"],
        name=chosen["name"],
        contact=chosen["contact"],
        url=chosen["url"],
        note=chosen["remark"],
    )
    chosen["only_runs"] = (*runs, *chosen["only_runs"])
    with store_for_reading(chosen) as store:
        manifest = write_submission(store, selected(store, chosen), output, about=about)
    n_tokens = sum(each.n_tokens for each in manifest.suites)
    note(
        f"{manifest.submitter.name}: {counted(len(manifest.suites), 'suite')}, "
        f"{n_tokens:,} tokens, {output.stat().st_size:,} bytes: {output}"
    )
