"""A board's folder: what is kept there is made again, and nothing is written beside it."""

import base64
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.leaderboard.samples import (
    KEEPER,
    RIGHT,
    WHEN,
    added,
    board_at,
    model,
    ranking,
    resealed,
    snapshot,
    submission,
)
from tests.leaderboard.submission.changing import put
from tests.posix import POSIX_ONLY

from pommel.leaderboard import BoardFolder
from pommel.leaderboard.board import BoardError
from pommel.leaderboard.site import Ranking
from pommel.leaderboard.standings import Standings
from pommel.leaderboard.submission import SubmissionError


@pytest.fixture
def place(tmp_path: Path) -> BoardFolder:
    """A board with two submissions."""
    board = board_at(tmp_path)
    added(board, submission(tmp_path))
    added(board, submission(tmp_path, model("right", RIGHT)))
    return board


@pytest.mark.parametrize(
    "change",
    [
        put("x", "rows", 0, "id"),
        put(3, "rows", 0, "name"),
        put("\x1b[31m", "rows", 0, "by"),
        put(1, "version"),
        put("1", "rows", 0, "rank"),
        put(1.5, "rows", 0, "rank"),
        put(float("nan"), "rows", 0, "total", "score"),
        put(None, "rows", 0, "total", "low"),
        put({}, "rows", 0, "circuits"),
        put({}, "rows", 0, "suites"),
        put({}, "rows", 0, "n_swallowed"),
        put("1", "rows", 0, "total", "n_swallowed"),
        put([], "pairs", "ids"),
        put(["a" * 16] * 2, "pairs", "ids"),
        put(3, "pairs"),
        put("AAAA", "pairs", "p"),
        put("?", "pairs", "p"),
        put(base64.b64encode(np.full((2, 2), 0.5).tobytes()).decode(), "pairs", "p"),
        put(
            base64.b64encode(np.array([[np.nan, 2], [2, np.nan]]).tobytes()).decode(), "pairs", "p"
        ),
        put([], "rows"),
        put("rows", "rows"),
    ],
)
def test_a_ranking_that_cannot_be_is_made_again(
    place: BoardFolder, change: Callable[[Any], None]
) -> None:
    expected = ranking(place)
    resealed(place.standings_file, change)
    assert ranking(place) == expected


def _no_predictions(entry: Any) -> None:
    entry["n_predictions"] = dict.fromkeys(entry["n_predictions"], 0)


@pytest.mark.parametrize(
    "change",
    [
        _no_predictions,
        put(3, "name"),
        put(None, "created"),
        put("words", "model"),
        put({}, "model"),
        put({"fingerprint": 3}, "policy"),
        put("many", "n_tokens"),
        put({}, "n_swallowed"),
        put("0" * 64, "content_sha256"),
    ],
)
def test_an_entry_that_cannot_be_is_made_again(
    place: BoardFolder, change: Callable[[Any], None]
) -> None:
    board = place.board()
    expected = place.entries(board, place.ledger(board))
    resealed(place.entry_file(expected[0].id), change)
    assert place.entries(board, place.ledger(board)) == expected


@pytest.mark.parametrize("which", ["standings", "entry"])
def test_a_changed_byte_of_what_is_derived_is_noticed(place: BoardFolder, which: str) -> None:
    """Numbers that are damaged are not shown: they are made again, and `verify` names the file."""
    board = place.board()
    ledger = place.ledger(board)
    standings, entries = place.standings(board, ledger), place.entries(board, ledger)
    path = place.standings_file if which == "standings" else place.entry_file(entries[0].id)
    raw = path.read_bytes()
    for at in range(0, len(raw), max(1, len(raw) // 40)):
        path.write_bytes(raw[:at] + bytes([raw[at] ^ 4]) + raw[at + 1 :])
        assert place.standings(board, ledger).to_text() == standings.to_text()
        assert place.entries(board, ledger) == entries
    path.write_bytes(raw[:-40] + bytes([raw[-40] ^ 4]) + raw[-39:])
    said = f"{path}: is not what comes out of the submissions; delete it, and it is made again"
    assert [*place.verified()] == [said]
    path.unlink()
    assert [*place.verified()] == []


@pytest.mark.parametrize(
    "name",
    ["ledger.jsonl", "derived/standings.json", "derived", "submissions"],
)
def test_links_out_of_the_board_are_not_written_to(
    place: BoardFolder, tmp_path: Path, name: str
) -> None:
    path, outside = place.folder / name, tmp_path / "outside"
    other, known = submission(tmp_path, model("half", {"bark": 1.0})), ranking(place)[0].id
    path.rename(outside)
    path.symlink_to(outside)
    before = snapshot(tmp_path)
    said = f"{path}: is a link, and a board writes to its own files only"
    with pytest.raises(BoardError) as caught:
        added(place, other)
    assert str(caught.value) == said
    with pytest.raises(BoardError) as caught:
        place.withdraw(known, reason="x", when=WHEN, by=KEEPER)
    assert str(caught.value) == said
    assert snapshot(tmp_path) == before


def test_a_link_that_leads_nowhere_is_not_written_to(place: BoardFolder, tmp_path: Path) -> None:
    path = place.entry_file("0" * 16)
    path.symlink_to(tmp_path / "outside")
    with pytest.raises(BoardError, match="is a link, and a board writes to its own files only"):
        added(place, submission(tmp_path, model("half", {"bark": 1.0})))
    assert not (tmp_path / "outside").exists()


def test_a_circuit_of_next_to_no_weight_has_a_score(place: BoardFolder) -> None:
    board = place.board()
    entries = place.entries(board, place.ledger(board))
    first, second = board.suites
    tiny = replace(
        board,
        circuits={"agreement": 5e-324, "other": 1e6},
        suites=(replace(first, weight=5e-324), replace(second, circuit="other")),
    )
    assert tiny.shares == (0, 1)
    row = Standings.of(tiny, entries, "").rows[-1]
    assert row.circuits["agreement"].score == pytest.approx(1 / 3, abs=1e-9)
    # Wilson's interval of one of three.
    ends = (row.circuits["agreement"].low, row.circuits["agreement"].high)
    assert ends == pytest.approx((0.06149, 0.79234), abs=1e-5)
    assert row.total.score == 0.5


def test_a_board_without_submissions_comes_through_git(tmp_path: Path) -> None:
    """Git keeps no folder that is empty."""
    place = board_at(tmp_path)
    place.archives.rmdir()
    assert added(place, submission(tmp_path)).n_ranked == 1


@pytest.fixture
def no_waiting() -> Iterator[None]:
    """End what waits, for a pipe's writer or the end of a device, with an error."""

    def stop(_number: int, _frame: object) -> None:
        raise AssertionError("waits")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _pipe(path: Path) -> str:
    os.mkfifo(path)
    return "it is no file"


def _endless(path: Path) -> str:
    path.symlink_to("/dev/zero")
    return "it is a link"


def _elsewhere(path: Path) -> str:
    path.symlink_to("/etc/hostname")
    return "it is a link"


TRAPS = pytest.mark.parametrize("trap", [_pipe, _endless, _elsewhere])


@POSIX_ONLY
@TRAPS
@pytest.mark.parametrize("name", ["board.json", "ledger.jsonl", "suites/song.json"])
@pytest.mark.usefixtures("no_waiting")
def test_a_strangers_folder_has_files_only(
    place: BoardFolder, name: str, trap: Callable[[Path], str]
) -> None:
    path = place.folder / name
    path.unlink()
    why = trap(path)
    with pytest.raises(BoardError) as caught:
        place.suites(place.board()) if name.startswith("suites") else ranking(place)
    assert str(caught.value) == f"{path}: cannot be read: {why}"


@POSIX_ONLY
@TRAPS
@pytest.mark.usefixtures("no_waiting")
def test_an_archive_that_is_no_file(
    place: BoardFolder, tmp_path: Path, trap: Callable[[Path], str]
) -> None:
    expected = ranking(place)
    name = expected[0].id
    place.archive(name).unlink()
    said = f"{place.archive(name)}: cannot be read: {trap(place.archive(name))}"
    assert [*place.verified()] == [said]
    with pytest.raises(SubmissionError) as caught:
        place.submission(name, place.board())
    assert str(caught.value) == said
    # What was computed is there, and needs no archive.
    assert Ranking.write_site(place, tmp_path / "site") == 2


@POSIX_ONLY
@TRAPS
@pytest.mark.usefixtures("no_waiting")
def test_derived_files_that_are_none_are_made_again(
    place: BoardFolder, tmp_path: Path, trap: Callable[[Path], str]
) -> None:
    expected = ranking(place)
    for path in (place.folder / "derived").iterdir():
        path.unlink()
        trap(path)
    assert ranking(place) == expected
    assert Ranking.write_site(place, tmp_path / "site") == 2
    assert len([*place.verified()]) > 0
    with pytest.raises(BoardError, match=r"is a (link|pipe or device), and a board writes to"):
        place.withdraw(expected[0].id, reason="x", when=WHEN, by=KEEPER)


def test_files_have_an_end(place: BoardFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pommel.leaderboard.folder.read_plain.__defaults__", (9,))
    with pytest.raises(BoardError) as caught:
        place.board()
    said = f"{place.board_file}: cannot be read: it has more than 9 bytes"
    assert str(caught.value) == said
