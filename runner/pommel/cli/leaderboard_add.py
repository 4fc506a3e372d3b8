"""`pommel leaderboard add`: a submission onto a board."""

from pathlib import Path

import click

from pommel.cli.leaderboard_options import board_argument, keeper_option, now
from pommel.cli.output import note
from pommel.errors import listed, printable
from pommel.leaderboard.folder import BoardFolder


@click.command("add", no_args_is_help=True)
@board_argument
@click.argument("submission", type=click.Path(path_type=Path))
@click.option(
    "--supersede",
    is_flag=True,
    help="Put it in the place of all that the board has of this model under this policy, and of "
    "all that has the same surprisals, whatever its model is called and whoever submitted it.",
)
@keeper_option
def command(board: BoardFolder, submission: Path, *, supersede: bool, by: str) -> None:
    """Check SUBMISSION, compute it on the suites of BOARD from its tokens, and rank it.

    What it says of its scores is compared and not believed. It is added wholly or not at all.

    \b
      pommel leaderboard add board en-gpt2.pommel.zip
    """
    added = board.add(submission, when=now(), by=by, supersede=supersede)
    row = added.standing
    instead = f", in the place of {listed(added.superseded)}" if added.superseded else ""
    note(
        f"{row.id} ({printable(row.name)}): {row.total.words}, rank {row.rank} of "
        f"{added.n_ranked} (not distinguishable: {row.rank_range}){instead}"
    )
