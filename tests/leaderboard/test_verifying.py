"""Is a board what it says?"""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.leaderboard.samples import (
    KEEPER,
    RIGHT,
    WHEN,
    added,
    board_at,
    model,
    resealed,
    submission,
)
from tests.leaderboard.submission.changing import put
from tests.leaderboard.submission.samples import ABOUT

from pommel.leaderboard import BoardFolder
from pommel.leaderboard.board import BoardError
from pommel.leaderboard.ledger import Ledger


@pytest.fixture
def place(tmp_path: Path) -> BoardFolder:
    """A board with three submissions, of which one is withdrawn."""
    board = board_at(tmp_path)
    for each in (model(), model("right", RIGHT), model("half", {"bark": 1.0, "sing": 1.0})):
        added(board, submission(tmp_path, each))
    half = list(board.ledger(board.board()).submissions)[-1]
    board.withdraw(half, reason="a mistake", when=WHEN, by=KEEPER)
    return board


def ids(place: BoardFolder) -> list[str]:
    """Return the ids in the order in which they were added."""
    return list(place.ledger(place.board()).submissions)


def test_a_sound_board(place: BoardFolder) -> None:
    assert [*place.verified()] == []
    for path in (place.folder / "derived").iterdir():
        path.unlink()
    assert [*place.verified()] == []


def test_the_file_of_a_withdrawn_submission_may_be_deleted(place: BoardFolder) -> None:
    place.archive(ids(place)[2]).unlink()
    assert [*place.verified()] == []


def not_derived(path: Path) -> str:
    """Return what is said of a file in `derived/` that has something else."""
    return f"{path}: is not what comes out of the submissions; delete it, and it is made again"


def not_in_ledger(path: Path) -> str:
    """Return what is said of a submission that is not on the board."""
    return (
        f"{path}: is not in the ledger, and so not on the board; take it out of the folder, and "
        f"`pommel leaderboard add` it if it is to be ranked"
    )


def _archive_changed(place: BoardFolder) -> str:
    path = place.archive(ids(place)[0])
    path.chmod(0o644)
    path.write_bytes(path.read_bytes() + b" ")
    return f"{path}: is not the file that was added; its SHA-256 differs"


def _archive_gone(place: BoardFolder) -> str:
    path = place.archive(ids(place)[0])
    path.unlink()
    return f"{path}: is missing"


def _withdrawn_changed(place: BoardFolder) -> str:
    path = place.archive(ids(place)[2])
    path.chmod(0o644)
    path.write_bytes(b"")
    return f"{path}: is not the file that was added; its SHA-256 differs"


def _stray(place: BoardFolder) -> str:
    path = place.archives / "mine.pommel.zip"
    path.write_bytes(b"")
    return not_in_ledger(path)


def _orphan(place: BoardFolder) -> str:
    """What nothing says of that `add` has put it there."""
    path = place.archive("0" * 16)
    shutil.copy(place.archive(ids(place)[0]), path)
    return not_in_ledger(path)


def _suite_changed(place: BoardFolder) -> str:
    path = place.folder / "suites" / "song.json"
    path.write_text(path.read_text().replace("wrens", "robins"))
    return f"{path}: is not the suite that was pinned; its SHA-256 differs"


def _entry_changed(place: BoardFolder) -> str:
    path = place.entry_file(ids(place)[0])

    def change(value: dict[str, Any]) -> None:
        first = next(iter(value["n_holding"]))
        value["n_holding"][first] = [1 for _ in value["n_holding"][first]]

    resealed(path, change)
    return not_derived(path)


def _ranking_changed(place: BoardFolder) -> str:
    path = place.standings_file
    resealed(path, put(1, "rows", 1, "rank"))
    return not_derived(path)


def _ranking_of_words(place: BoardFolder) -> str:
    path = place.standings_file
    resealed(path, put("2", "rows", 1, "rank"))
    return not_derived(path)


@pytest.mark.parametrize(
    "damage",
    [
        _ranking_of_words,
        _archive_changed,
        _archive_gone,
        _withdrawn_changed,
        _stray,
        _orphan,
        _suite_changed,
        _entry_changed,
        _ranking_changed,
    ],
)
def test_what_is_wrong_is_said(place: BoardFolder, damage: Callable[[BoardFolder], str]) -> None:
    expected = damage(place)
    assert [*place.verified()] == [expected]


def test_all_that_is_wrong_is_said(place: BoardFolder) -> None:
    expected = {_withdrawn_changed(place), _stray(place), _entry_changed(place)}
    assert {*place.verified()} == expected


def test_one_submission_is_computed_again(place: BoardFolder) -> None:
    first, second, _ = ids(place)
    expected = _entry_changed(place)
    assert [*place.verified([second])] == []
    assert [*place.verified([first])] == [expected]


def _rewritten(place: BoardFolder, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the lines of the ledger, and chain them again, as a forger would."""
    ledger = Ledger()
    for line in place.ledger_file.read_text().splitlines():
        value = json.loads(line)
        value.pop("previous")
        change(value)
        event, when, by = (value.pop(key) for key in ("event", "when", "by"))
        ledger = ledger.with_event(event, value, when=when, by=by)
    place.ledger_file.write_text(ledger.text)


def test_a_ledger_of_another_content(place: BoardFolder) -> None:
    """An id that is no submission's, with a ranking and an entry that fit it."""
    real, fake = ids(place)[0], "a" * 16

    def change(value: dict[str, Any]) -> None:
        if value.get("id") == real:
            value.update(id=fake, content_sha256="a" * 64)

    _rewritten(place, change)
    place.archive(real).rename(place.archive(fake))
    place.entry_file(real).rename(place.entry_file(fake))
    resealed(place.entry_file(fake), lambda entry: entry.update(id=fake, content_sha256="a" * 64))
    said = (
        f"{place.archive(fake)}: is the submission {real}, and the ledger has another content as "
        f"{fake}"
    )
    assert [*place.verified()] == [said]
    assert [*place.verified([fake])] == [said]
    shutil.rmtree(place.folder / "derived")
    board = place.board()
    with pytest.raises(BoardError) as caught:
        place.standings(board, place.ledger(board))
    assert str(caught.value) == said


def test_a_model_that_a_rewritten_ledger_ranks_twice(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    old = added(place, submission(tmp_path)).standing.id
    again = submission(tmp_path, about=replace(ABOUT, note="again"))
    new = added(place, again, supersede=True).standing.id
    assert [*place.verified()] == []

    def change(value: dict[str, Any]) -> None:
        if "supersedes" in value:
            value["supersedes"] = []

    _rewritten(place, change)
    shutil.rmtree(place.folder / "derived")
    assert [*place.verified()] == [
        f"{place.ledger_file}: ranks {old} and {new}, which are of one model and policy"
    ]
