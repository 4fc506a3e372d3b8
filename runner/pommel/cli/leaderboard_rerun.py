"""Having models score a sample of a board's submissions again, one after the other."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from pommel.cli.leaderboard_options import now
from pommel.cli.options import open_model
from pommel.cli.output import for_stdout, note
from pommel.errors import ModelNotAvailableError, PommelError, UsageError, counted, printable
from pommel.leaderboard.folder import BoardFolder
from pommel.leaderboard.rerunning import check_opened
from pommel.models.model import closing

# So many seeds there are where none is named.
_N_SEEDS = 2**32


@dataclass(slots=True)
class Outcome:
    """How many faults have been printed, and which submissions no model has scored again."""

    n_wrong: int = 0
    left_out: list[str] = field(default_factory=list)


def rerun(board: BoardFolder, ids: Sequence[str], chosen: Mapping[str, Any]) -> Outcome:
    """Score samples of all ranked submissions again, or of those with these ids.

    What differs is printed as it is found, and what does not is noted in the ledger. A submission
    that makes its model fail ends nothing but itself. Raises `UsageError` if one of `ids` has a
    reference that is not opened.
    """
    settings = board.board()
    outcome = Outcome()
    known = ids or board.ledger(settings).ranked
    references = {
        each: chosen["model"] or board.submission(each, settings).reference for each in known
    }
    openable = _openable(references, chosen["model"], outcome, is_chosen=bool(ids))
    seed = secrets.randbelow(_N_SEEDS) if chosen["seed"] is None else chosen["seed"]
    note(f"seed {seed}")
    for each, reference in openable.items():
        _rerun_one(board, each, reference, {**chosen, "seed": seed}, outcome)
    return outcome


def _openable(
    references: Mapping[str, str], model: str | None, outcome: Outcome, *, is_chosen: bool
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
            outcome.left_out.append(submission_id)
        else:
            openable[submission_id] = reference
    return openable


def _rerun_one(
    board: BoardFolder,
    submission_id: str,
    reference: str,
    chosen: Mapping[str, Any],
    outcome: Outcome,
) -> None:
    note(printable(f"{submission_id}: {reference}"))
    try:
        sample = board.sample(submission_id, chosen["sample"], seed=chosen["seed"])
        with closing(open_model(reference, dict(chosen))) as model:
            found = sample.rescored(model, tolerance_bits=chosen["tolerance"])
    except ModelNotAvailableError as error:
        note(printable(f"{submission_id}: {error}"))
        outcome.left_out.append(submission_id)
        return
    except PommelError as error:
        # What a submission asks of its model is a stranger's choice, too.
        _print_faults([f"{submission_id}: cannot be scored again: {error}"], outcome)
        return
    _print_faults([f"{submission_id}: {fault}" for fault in found.differences], outcome)
    note(
        f"{submission_id}: {counted(found.n_sentences, 'sentence')}, "
        f"{counted(found.n_tokens, 'token')}, at most {found.largest_bits:.2g} bits apart"
    )
    if not found.differences:
        board.record_rerun(
            submission_id,
            found,
            model=reference,
            seed=chosen["seed"],
            tolerance_bits=chosen["tolerance"],
            when=now(),
            by=chosen["by"],
        )


def _print_faults(faults: Sequence[str], outcome: Outcome) -> None:
    for fault in faults:
        click.echo(for_stdout(" ".join(fault.splitlines())))
    outcome.n_wrong += len(faults)
