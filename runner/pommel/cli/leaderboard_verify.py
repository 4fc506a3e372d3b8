"""`pommel leaderboard verify`: is a board what it says, and are its numbers a model's?"""

from collections.abc import Sequence
from typing import Any

import click

from pommel.cli.leaderboard_options import board_argument, keeper_option
from pommel.cli.leaderboard_rerun import Outcome, rerun
from pommel.cli.options import model_options
from pommel.cli.output import for_stdout, note, progress_bar
from pommel.errors import ModelNotAvailableError, PommelError, UsageError, counted
from pommel.leaderboard import BoardFolder, verified


@click.command("verify", no_args_is_help=True)
@board_argument
@click.argument("ids", nargs=-1, metavar="[ID...]")
@click.option("--rerun", is_flag=True, help="Have models score a sample of sentences again.")
@click.option(
    "--model", metavar="MODEL", help="Where the model of one ID is.  [default: as was submitted]"
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="How many sentences of a submission are scored again.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="S",
    help="Which sentences.  [default: others each time, which nobody can know beforehand]",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=0.01,
    show_default=True,
    metavar="BITS",
    help="How far apart two surprisals of a token may be.",
)
@keeper_option
@model_options
def command(board: BoardFolder, ids: tuple[str, ...], **chosen: Any) -> None:
    """Check all hashes of BOARD and its ledger, and compute submissions again from their tokens.

    All ranked ones are computed again, or those with these IDs. With --rerun, their models score a
    sample of sentences, which are compared token by token; what comes out the same is noted in the
    ledger. Exit status 1 if anything differs or cannot be scored again, 4 if a model is not
    available: the others are asked all the same.

    A reference that was submitted is a stranger's. It is opened if it is a built-in model, a name
    on the Hugging Face hub or an image in a public registry (`show --format json` has it); say with
    --model where any other is: a server, a file, a folder. A server may replay what was claimed.
    """
    if chosen["model"] and not (chosen["rerun"] and len(ids) == 1):
        raise UsageError("--model says where the model of one ID is, with --rerun")
    ledger = board.ledger(board.board())
    known = [ledger.found_id(each) for each in ids]
    n_wrong = _n_faults(board, known, len(ledger.submissions))
    outcome = rerun(board, known, chosen) if chosen["rerun"] and not n_wrong else Outcome()
    n_wrong += outcome.n_wrong
    if n_wrong:
        raise PommelError(f"{board.folder}: {counted(n_wrong, 'thing')} wrong")
    if outcome.left_out:
        what = counted(len(outcome.left_out), "submission")
        raise ModelNotAvailableError(f"{board.folder}: {what} not scored again (see above)")
    n_checked = len(known or ledger.ranked)
    note(f"{board.folder}: all is well; {counted(n_checked, 'submission')} computed again")


def _n_faults(board: BoardFolder, ids: Sequence[str], n_submissions: int) -> int:
    """Print what is wrong with a board, and return how much that is."""
    wrong: list[str] = []
    try:
        # A line on stdout would go through the bar on stderr.
        with progress_bar("submissions", n_submissions) as progress:
            for line in verified(board, ids, progress=progress):
                wrong.append(line)  # noqa: PERF402 - those before an error are printed, too
    finally:
        for line in wrong:
            click.echo(for_stdout(line))
    return len(wrong)
