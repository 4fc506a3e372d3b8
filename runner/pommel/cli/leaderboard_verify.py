"""`pommel leaderboard verify`: is a board what it says, and are its numbers a model's?"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from pommel.cli.leaderboard_options import board_argument, keeper_option, now
from pommel.cli.opening import open_model
from pommel.cli.options import model_options
from pommel.cli.output import for_stdout, note, progress_bar
from pommel.errors import ModelNotAvailableError, PommelError, UsageError
from pommel.leaderboard import (
    Board,
    BoardFolder,
    found_id,
    record_rerun,
    reference_of,
    rescored,
    sampled,
    verified,
)
from pommel.leaderboard.opening import check_opened
from pommel.models.model import closing
from pommel.submission import Submission, read_submission
from pommel.wording import counted, printable

# So many seeds there are where none is named.
_N_SEEDS = 2**32


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
    ledger. Exit status 1 if anything differs, 4 if a model is not available: the others are asked
    all the same.

    A reference that was submitted is a stranger's. It is opened if it is a built-in model, a name
    on the Hugging Face hub or an image in a registry (`show --format json` has it); say with
    --model where any other is: a server, a file, a folder. A server may replay what was claimed.
    """
    if chosen["model"] and not (chosen["rerun"] and len(ids) == 1):
        raise UsageError("--model says where the model of one ID is, with --rerun")
    settings = board.board()
    ledger = board.ledger(settings)
    known = [found_id(ledger, each) for each in ids]
    with progress_bar("submissions", len(ledger.submissions)) as progress:
        wrong = list(verified(board, known, progress=progress))
    left_out: list[str] = []
    if chosen["rerun"] and not wrong:
        references = _references(board, known or ledger.ranked, chosen["model"])
        openable = _openable(references, chosen["model"], left_out, is_chosen=bool(known))
        wrong = list(_rerun(board, openable, chosen, left_out))
    for line in wrong:
        click.echo(for_stdout(line))
    if wrong:
        raise PommelError(f"{board.folder}: {counted(len(wrong), 'thing')} wrong")
    if left_out:
        what = counted(len(left_out), "submission")
        raise ModelNotAvailableError(f"{board.folder}: {what} not scored again (see above)")
    n_checked = len(known or ledger.ranked)
    note(f"{board.folder}: all is well; {counted(n_checked, 'submission')} computed again")


def _references(board: BoardFolder, ids: Sequence[str], model: str | None) -> dict[str, str]:
    """Return where the model of each submission is."""
    settings = board.board()
    return {each: model or reference_of(_read(board, settings, each)) for each in ids}


def _openable(
    references: Mapping[str, str], model: str | None, left_out: list[str], *, is_chosen: bool
) -> dict[str, str]:
    """Return those references that may be opened.

    The others are told and left out; where the keeper chose them, they end the command before the
    first is opened.
    """
    openable = {}
    for submission_id, reference in references.items():
        try:
            if not model:
                check_opened(submission_id, reference)
        except UsageError as error:
            if is_chosen:
                raise
            note(str(error))
            left_out.append(submission_id)
        else:
            openable[submission_id] = reference
    return openable


def _rerun(
    board: BoardFolder,
    references: Mapping[str, str],
    chosen: Mapping[str, Any],
    left_out: list[str],
) -> Iterator[str]:
    """Yield what differs, submission by submission, and note in the ledger what does not."""
    settings = board.board()
    seed = secrets.randbelow(_N_SEEDS) if chosen["seed"] is None else chosen["seed"]
    note(f"seed {seed}")
    for each, reference in references.items():
        submission = _read(board, settings, each)
        texts = sampled(submission, settings, chosen["sample"], seed)
        note(printable(f"{each}: {reference}"))
        try:
            opened = open_model(reference, dict(chosen))
        except ModelNotAvailableError as error:
            note(f"{each}: {error}")
            left_out.append(each)
            continue
        with closing(opened) as model:
            found = rescored(submission, settings, texts, model, tolerance_bits=chosen["tolerance"])
        yield from (f"{each}: {fault}" for fault in found.differences)
        note(
            f"{each}: {counted(found.n_sentences, 'sentence')}, "
            f"{counted(found.n_tokens, 'token')}, at most {found.largest_bits:.2g} bits apart"
        )
        if not found.differences:
            record_rerun(
                board,
                each,
                found,
                model=reference,
                seed=seed,
                tolerance_bits=chosen["tolerance"],
                when=now(),
                by=chosen["by"],
            )


def _read(board: BoardFolder, settings: Board, submission_id: str) -> Submission:
    limits = settings.submission_limits()
    return read_submission(board.archive(submission_id), limits=limits)
