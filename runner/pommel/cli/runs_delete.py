"""`pommel runs delete`: runs out of the store."""

import sys
from typing import Any

import click

from pommel.cli.asking import confirm
from pommel.cli.output import note
from pommel.cli.selecting import (
    described,
    is_selective,
    selected_heads,
    selection_options,
    store_for_writing,
)
from pommel.errors import UsageError, counted, listed, printable


@click.command("delete", no_args_is_help=True)
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@click.option("--yes", is_flag=True, help="Do not ask.")
@selection_options
def command(runs: tuple[str, ...], *, yes: bool, **chosen: Any) -> None:
    """Delete RUNs, or all that fit, complete or interrupted, with their results.

    Their surprisals stay, so that the same run is made again in no time; `pommel runs gc` deletes
    those that no run needs.

    \b
      pommel runs delete 3f2a91c07d11
      pommel runs delete --source hu2020 --yes
    """
    chosen["only_runs"] = (*runs, *chosen["only_runs"])
    if not is_selective(chosen):
        raise UsageError("which runs? Name ids, or --model, --suite and so on; '*' is any")
    with store_for_writing(chosen) as store:
        found = selected_heads(store, chosen)
        named = listed([f"{each.run_id} ({described(each)})" for each in found])
        if not yes:
            if not sys.stdin.isatty():
                what = f"this deletes {counted(len(found), 'run')}: {named}"
                raise UsageError(f"{what}; say --yes if that is meant")
            question = f"Delete {counted(len(found), 'run')}, {named}?"
            if not confirm(printable(question), default=False):
                note("nothing is deleted")
                return
        n_deleted = store.runs.delete([each.run_id for each in found])
    note(f"{counted(n_deleted, 'run')} deleted")
