"""`pommel leaderboard show`: the ranking."""

import click

from pommel.cli.leaderboard_options import board_argument
from pommel.cli.output import note, show_table, show_text
from pommel.cli.output_options import form_option
from pommel.errors import counted, printable
from pommel.leaderboard import BoardFolder
from pommel.leaderboard.site import Ranking

# A table of hundreds of rows is read by nobody.
_SHOWN = 50


@click.command("show", no_args_is_help=True)
@board_argument
@form_option(["table", "csv", "json"])
@click.option(
    "--all", "is_whole", is_flag=True, help=f"All rows of the table, not only the first {_SHOWN}."
)
def command(board: BoardFolder, *, form: str, is_whole: bool) -> None:
    """Show the ranking of BOARD: scores with 95% intervals, and which ranks are possible.

    "ranks" are those that a submission may truly have: the ranks of all that are not significantly
    better or worse (paired by item, 5% after Holm's correction).
    """
    ranking = Ranking.of(board)
    rows = ranking.standings.rows
    if form == "csv":
        show_text(ranking.to_csv())
    elif form == "json":
        show_text(ranking.to_json(board.entries(ranking.board, ranking.ledger)))
    elif rows:
        shown = rows if is_whole else rows[:_SHOWN]
        show_table(ranking.table(shown))
        if n_more := len(rows) - len(shown):
            note(f"{counted(n_more, 'more submission')}; --all shows them")
    else:
        note(f"{printable(ranking.board.name)}: nothing has been submitted")
