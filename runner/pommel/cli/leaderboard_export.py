"""`pommel leaderboard export`: a board as a static site."""

from pathlib import Path

import click

from pommel.cli.leaderboard_options import board_argument
from pommel.cli.output import note
from pommel.errors import counted
from pommel.leaderboard import BoardFolder
from pommel.leaderboard.site import write_site


@click.command("export", no_args_is_help=True)
@board_argument
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the site: new, empty, or with a site that was written before.",
)
def command(board: BoardFolder, folder: Path) -> None:
    """Write BOARD as a site: a ranking, a page a submission, a CSV and a JSON file.

    The pages need no JavaScript and fetch nothing; any server of files can serve them.

    \b
      pommel leaderboard export board -o site
    """
    n_pages = write_site(board, folder)
    note(f"{folder / 'index.html'}: {counted(n_pages, 'submission')}")
