"""`pommel runs recover`: what can be read of a damaged store."""

from pathlib import Path

import click

from pommel.cli.output import note
from pommel.errors import counted
from pommel.store.salvage import salvage


@click.command("recover", no_args_is_help=True)
@click.argument("damaged", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="NEW",
    help="File of the new store.",
)
def command(damaged: Path, output: Path) -> None:
    """Write what can be read of a DAMAGED store to a NEW one.

    The damaged file is not changed. A run that may have lost results is listed as interrupted; the
    command that it came from completes it, from the surprisals that are left.

    \b
      pommel runs recover store.sqlite -o recovered.sqlite
      pommel runs list --store recovered.sqlite
    """
    saved = salvage(damaged, output)
    for table, n_kept in saved.kept.items():
        n_lost = saved.lost.get(table, 0)
        lost = f"; up to {n_lost:,} lost" if n_lost else ""
        click.echo(f"{table:<12}  {n_kept:>9,} kept{lost}")
    if saved.n_reopened:
        note(
            f"{counted(saved.n_reopened, 'run')} may lack results and count as interrupted; the "
            f"same `pommel run` completes them"
        )
    if saved.n_unlinked:
        note(
            f"{counted(saved.n_unlinked, 'run')} lost what leads to suite and tokens; the same "
            f"`pommel run` makes them again"
        )
    note(f"Recovered: {output}")
