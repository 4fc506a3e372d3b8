"""`pommel leaderboard init`: a board with pinned suites."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pommel.cli.leaderboard_options import keeper_option, now
from pommel.cli.options import rule_option
from pommel.cli.output import note, show_warnings
from pommel.errors import UsageError, counted
from pommel.leaderboard.folder import BoardFolder
from pommel.sources.load import load_suites


@click.command("init", no_args_is_help=True)
@click.argument("folder", metavar="BOARD", type=click.Path(path_type=Path))
@click.option(
    "--suites",
    "sources",
    multiple=True,
    required=True,
    metavar="SUITE",
    help="A suite file, a folder, a shipped collection (suites:en) or suite; repeatable.",
)
@click.option("--name", metavar="TEXT", help="What it is called.  [default: the folder's name]")
@click.option("--description", default="", metavar="TEXT", help="What it is about.")
@rule_option
@click.option(
    "--circuit-weight",
    "circuit_weights",
    multiple=True,
    metavar="NAME=X",
    help="What a circuit weighs in the score; repeatable.  [default: 1]",
)
@click.option(
    "--suite-weight",
    "suite_weights",
    multiple=True,
    metavar="NAME=X",
    help="What a suite weighs in its circuit; repeatable.  [default: 1]",
)
@keeper_option
def command(folder: Path, sources: tuple[str, ...], **chosen: Any) -> None:
    """Make a leaderboard in the folder BOARD, which has to be empty or new.

    The suites are copied to it, and stay what they are: a score is always one on these. It is the
    weighted mean over circuits of the weighted means over their suites.

    \b
      pommel leaderboard init board --suites suites:en --name 'English syntax'
      pommel leaderboard init board --suites my_suites --circuit-weight Agreement=2
    """
    loaded = load_suites(sources)
    show_warnings([warning for each in loaded for warning in each.warnings])
    board = BoardFolder(folder).make(
        [each.suite for each in loaded],
        name=folder.resolve().name if chosen["name"] is None else chosen["name"],
        description=chosen["description"],
        score_rule=chosen["score_rule"],
        circuit_weights=_weights("--circuit-weight", chosen["circuit_weights"]),
        suite_weights=_weights("--suite-weight", chosen["suite_weights"]),
        when=now(),
        by=chosen["by"],
    )
    n_items = sum(each.n_items for each in board.suites)
    note(
        f"{folder}: {counted(len(board.suites), 'suite')}, "
        f"{counted(len(board.circuits), 'circuit')}, {n_items:,} items"
    )


def _weights(option: str, values: Sequence[str]) -> dict[str, float]:
    found = {}
    for value in values:
        name, _, number = value.rpartition("=")
        try:
            weight = float(number)
        except ValueError:
            weight = math.nan
        if not name or math.isnan(weight):
            raise UsageError(f"{option} cannot be {value!r}; write NAME=X with a number for X")
        found[name] = weight
    return found
