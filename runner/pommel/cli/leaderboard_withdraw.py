"""`pommel leaderboard withdraw`: a submission off the ranking."""

import click

from pommel.cli.leaderboard_options import board_argument, keeper_option, now
from pommel.cli.output import note
from pommel.leaderboard import BoardFolder


@click.command("withdraw", no_args_is_help=True)
@board_argument
@click.argument("submission_id", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why; everyone can read it.")
@keeper_option
def command(board: BoardFolder, submission_id: str, *, reason: str, by: str) -> None:
    """Take the submission ID off the ranking of BOARD, for good.

    The ledger keeps what it was, and the reason. Its file stays in the folder and may be deleted.
    """
    found = board.withdraw(submission_id, reason=reason, when=now(), by=by)
    note(f"{found} is withdrawn")
