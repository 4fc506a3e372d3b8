"""A program that changes a board in child processes, and kills each before another step.

    python -m tests.crashes.killing_boards FOLDER

A step is whatever Python tells its audit hooks of the board: a file is opened, made, moved,
deleted, or its mode is changed. Each change is killed before its first step, its second, and so on
until it ends by itself. Prints one JSON line for each: the change, how many steps it did, whether
it ended, what `verify` says then and its exit status, and whether the board, its ranking and its
files are those of before ("before"), those of when it ended ("after"), or others ("").
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.cli.terminal import called
from tests.leaderboard.samples import (
    KEEPER,
    RIGHT,
    WHEN,
    added,
    board_at,
    model,
    ranking,
    rescored,
    snapshot,
    submission,
)

from pommel.leaderboard import BoardFolder, BoardPlan, Ranking
from pommel.leaderboard.submission.manifest import Submitter

Change = Callable[[Path], object]


def killed_before(step: int, place: Path, change: Change) -> bool:
    """Change a board in a child process that dies before a step; return whether it did."""
    child = os.fork()
    if child == 0:
        n_steps, is_over = 0, False

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal n_steps
            is_step = event in ("open", "tempfile.mkstemp") or event.startswith(("os.", "shutil."))
            if is_step and not is_over and any(str(place) in str(each) for each in arguments):
                if n_steps == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                n_steps += 1

        sys.addaudithook(count)
        change(place)
        is_over = True
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), status
    return status != 0


def state(place: Path) -> object:
    """Return all that a board is: its own files, and who stands where."""
    files = snapshot(place)
    own = {name: raw for name, raw in files.items() if not name.startswith("derived/")}
    return own, [(row.id, row.rank) for row in ranking(BoardFolder(place))]


def told(name: str, sound: Path, change: Change) -> Iterator[dict[str, object]]:
    """Kill a change of copies of a board before each of its steps."""
    place = sound.parent / "copy"

    def killed(step: int) -> bool:
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(sound, place)
        return killed_before(step, place, change)

    # First it ends by itself, so that it is known what then is there.
    assert not killed(10_000)
    before, after = state(sound), state(place)
    n_steps, is_killed = 0, True
    while is_killed:
        is_killed = killed(n_steps)
        status, printed, said = called(["leaderboard", "verify", place])
        found = state(place)
        yield {
            "change": name,
            "n_steps": n_steps,
            "ended": not is_killed,
            "verify": [status, (printed + said).replace(str(place), "BOARD")],
            "is": "before" if found == before else "after" if found == after else "",
            "parts": [each for each in snapshot(place) if each.endswith(".part")],
        }
        n_steps += 1


def changes(folder: Path) -> Iterator[dict[str, object]]:
    """Kill each change of a board that has a submission."""
    board = board_at(folder)
    first = added(board, submission(folder)).standing.id
    other = submission(folder, model("right", RIGHT))
    again = submission(folder, about=Submitter(by="A. Linguist", note="again"))

    def withdraw(place: Path) -> None:
        BoardFolder(place).withdraw(first, reason="a copy", when=WHEN, by=KEEPER)

    def rerun(place: Path) -> None:
        BoardFolder(place).record_rerun(first, rescored(), model="m", when=WHEN, by=KEEPER)

    for name, change in (
        ("add", lambda place: added(BoardFolder(place), other)),
        ("supersede", lambda place: added(BoardFolder(place), again, supersede=True)),
        ("withdraw", withdraw),
        ("rerun", rerun),
    ):
        yield from told(name, board.folder, change)
    yield from told_of_export(folder, board)
    yield from told_of_init(folder, board)


def told_of_export(folder: Path, board: BoardFolder) -> Iterator[dict[str, object]]:
    """Kill an export, and export again."""
    Ranking.write_site(board, folder / "whole")
    site, n_steps, is_killed = folder / "site", 0, True
    while is_killed:
        shutil.rmtree(site, ignore_errors=True)
        is_killed = killed_before(n_steps, site, lambda place: Ranking.write_site(board, place))
        Ranking.write_site(board, site)
        is_same = snapshot(site) == snapshot(folder / "whole")
        yield {"change": "export", "ended": not is_killed, "is": "after" if is_same else ""}
        n_steps += 1


def told_of_init(folder: Path, board: BoardFolder) -> Iterator[dict[str, object]]:
    """Kill the making of a board, and make it again unless it is there."""
    suites = board.suites(board.board())
    made, n_steps, is_killed = folder / "made" / "board", 0, True

    def make(place: Path) -> None:
        BoardFolder(place).make(suites, BoardPlan(name="Toy"), when=WHEN, by=KEEPER)

    while is_killed:
        shutil.rmtree(made.parent, ignore_errors=True)
        made.parent.mkdir()
        is_killed = killed_before(n_steps, made.parent, lambda _: make(made))
        if not made.is_dir():
            make(made)
        is_whole = [*BoardFolder(made).verified()] == []
        is_alone = [*made.parent.iterdir()] == [made]
        is_same = is_whole and (is_alone or not is_killed)
        yield {"change": "init", "ended": not is_killed, "is": "after" if is_same else ""}
        n_steps += 1


if __name__ == "__main__":
    for each in changes(Path(sys.argv[1])):
        print(json.dumps(each), flush=True)  # noqa: T201
