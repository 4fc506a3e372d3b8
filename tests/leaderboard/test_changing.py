"""Submissions onto a board, and off it."""

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.terminal import called
from tests.leaderboard.samples import (
    KEEPER,
    RIGHT,
    WHEN,
    added,
    board_at,
    model,
    ranking,
    snapshot,
    submission,
)
from tests.leaderboard.submission.changing import put, token
from tests.leaderboard.submission.samples import ABOUT, AGREEMENT, SONG, SOURCE, Parts
from tests.posix import POSIX_ONLY

from pommel.errors import PommelError, UsageError
from pommel.leaderboard import BoardFolder, folder
from pommel.leaderboard.board import Board, BoardError
from pommel.leaderboard.entry import entry_of
from pommel.leaderboard.ledger import Ledger
from pommel.leaderboard.submission import SubmissionError, read_submission, recomputed
from pommel.models.model import Policy
from pommel.scoring import Choices


def test_submissions_are_ranked_by_what_their_tokens_come_to(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    words = added(place, submission(tmp_path))
    right = added(place, submission(tmp_path, model("right", RIGHT)))
    assert (words.standing.rank, words.n_ranked) == (1, 1)
    assert (right.standing.rank, right.n_ranked) == (1, 2)
    # In agreement, one item of three; in song, one of two.
    assert words.standing.total.score == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert [(row.rank, row.name, row.total.score) for row in ranking(place)] == [
        (1, "right", 1.0),
        (2, "words", pytest.approx(5 / 12)),
    ]
    assert {(row.rank_low, row.rank_high) for row in ranking(place)} == {(1, 2)}
    row = ranking(place)[1]
    assert row.circuits["agreement"] == row.total
    assert row.total.low < row.total.score < row.total.high


def test_a_submission_is_kept_as_it_came(tmp_path: Path) -> None:
    place, path = board_at(tmp_path), submission(tmp_path)
    name = added(place, path).standing.id
    assert name == read_submission(path).sha256[:16]
    assert place.archive(name).read_bytes() == path.read_bytes()
    # There, what is read-only could not be deleted.
    assert sys.platform == "win32" or place.archive(name).stat().st_mode & 0o222 == 0
    assert path.read_bytes() != b""


def test_each_prediction_counts_under_each(tmp_path: Path) -> None:
    place = board_at(tmp_path, (AGREEMENT,), score_rule="each")
    path = submission(tmp_path)
    (run,) = recomputed(read_submission(path), (AGREEMENT,), Choices(score_rule="each"))
    expected = [each.share for each in run.result.scores]
    found = added(place, path).standing.total.score
    assert found == pytest.approx(sum(expected) / len(expected))


def test_other_suites_than_the_boards_are_passed_over(tmp_path: Path) -> None:
    place = board_at(tmp_path, (SONG,))
    assert added(place, submission(tmp_path)).standing.total.score == 0.5


def test_all_suites_have_to_be_there(tmp_path: Path) -> None:
    place, path = board_at(tmp_path), submission(tmp_path, suites=(SONG,))
    before = snapshot(place.folder)
    with pytest.raises(SubmissionError, match=r": has no run on agreement \(SHA-256 [0-9a-f]{12}"):
        added(place, path)
    assert snapshot(place.folder) == before


def test_runs_under_compat_are_not_taken(tmp_path: Path) -> None:
    path = submission(tmp_path, compat="syntaxgym")
    with pytest.raises(SubmissionError, match="was scored with --compat syntaxgym, and leaderbo"):
        added(board_at(tmp_path), path)


def test_unknown_words_excuse_nothing(tmp_path: Path) -> None:
    path = submission(tmp_path, oov="skip")
    assert added(board_at(tmp_path), path).standing.total.score == pytest.approx(5 / 12)


@pytest.mark.parametrize(
    "make",
    [
        token(0, 3, -1.0),
        token(2, 3, 0.5),
        lambda parts: parts.with_claims(put(9.0, "predictions", 0, "margin_bits", 0)).packed(),
        lambda parts: parts.packed()[:-1],
        lambda parts: parts.with_manifest(put(2, "version")).packed(),
    ],
)
def test_what_is_refused_leaves_no_trace(tmp_path: Path, sound: Parts, make: object) -> None:
    place = board_at(tmp_path)
    added(place, submission(tmp_path))
    assert callable(make)
    path = tmp_path / "x.pommel.zip"
    path.write_bytes(make(sound))
    before = snapshot(tmp_path)
    with pytest.raises(SubmissionError):
        added(place, path)
    assert snapshot(tmp_path) == before


def test_every_reason_is_said_at_once(tmp_path: Path, sound: Parts) -> None:
    place = board_at(tmp_path)

    def boast(claimed: Any) -> None:
        claimed["predictions"][0]["holds"][0] ^= True

    changed = sound.with_claims(boast, AGREEMENT).with_claims(boast, SONG)
    changed = changed.with_manifest(put("/home/me/model", "submitter", "note"))
    path = tmp_path / SOURCE
    path.write_bytes(changed.packed())
    for take in (place.check, lambda each: added(place, each)):
        with pytest.raises(SubmissionError) as caught:
            take(path)
        path_said, *suites = str(caught.value).splitlines()
        assert path_said.startswith(f"{path}: the manifest has a path of the submitter's machine")
        assert [each.partition(", item ")[0] for each in suites] == [
            f"{path}: suite agreement",
            f"{path}: suite song",
        ]


def test_the_same_content_is_taken_once(tmp_path: Path) -> None:
    place, path = board_at(tmp_path), submission(tmp_path)
    name = added(place, path).standing.id
    with pytest.raises(SubmissionError) as caught:
        added(place, path, supersede=True)
    assert str(caught.value) == f"{path}: is on the board already, as {name}"


def test_a_model_is_taken_once_under_a_policy(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    name = added(place, submission(tmp_path)).standing.id
    again = submission(tmp_path, about=replace(ABOUT, note="again"))
    with pytest.raises(SubmissionError) as caught:
        added(place, again)
    assert str(caught.value) == (
        f"{again}: is of a model and policy that the board has already, as {name} ('words' by "
        f"'A. Linguist'); say that it takes the place of that one (--supersede)"
    )


def test_another_policy_is_another_submission(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    added(place, submission(tmp_path, model("a")))
    other = submission(tmp_path, model("a", RIGHT), policy=Policy(bos="never"))
    assert added(place, other).n_ranked == 2


def test_all_that_a_submission_would_supersede_is_named(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    own = added(place, submission(tmp_path, model("a"))).standing.id
    about = replace(ABOUT, by="B. Linguist")
    other = added(place, submission(tmp_path, model("b", RIGHT), about=about)).standing.id
    path = submission(tmp_path, model("a", RIGHT))
    with pytest.raises(SubmissionError) as caught:
        added(place, path)
    assert str(caught.value) == (
        f"{path}: is of a model and policy that the board has already, as {own} ('a' by "
        f"'A. Linguist'), and has the same surprisals as {other} ('b' by 'B. Linguist'), which "
        f"calls itself another model; say that it takes the place of these 2 (--supersede)"
    )
    assert added(place, path, supersede=True).superseded == (own, other)


def test_a_submission_supersedes_that_of_its_model(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    old = added(place, submission(tmp_path)).standing.id
    added(place, submission(tmp_path, model("right", RIGHT)))
    path = submission(tmp_path, about=replace(ABOUT, note="again"))
    new = added(place, path, supersede=True)
    assert new.superseded == (old,)
    assert [row.name for row in ranking(place)] == ["right", "words"]
    listed = place.ledger(place.board()).submissions[old]
    assert (listed.status, listed.superseded_by) == ("superseded", new.standing.id)
    shutil.copy(place.archive(old), tmp_path / "old.zip")
    with pytest.raises(SubmissionError, match=f"as {old}, and {new.standing.id} has taken its pl"):
        added(place, tmp_path / "old.zip")


def test_one_that_cannot_be_computed_any_more_can_be_withdrawn(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    name = added(place, submission(tmp_path)).standing.id
    other = added(place, submission(tmp_path, model("right", RIGHT))).standing.id
    place.entry_file(name).unlink()
    place.archive(name).chmod(0o644)
    place.archive(name).write_bytes(b"no archive")
    with pytest.raises(SubmissionError):
        place.entries(place.board(), place.ledger(place.board()))
    assert place.withdraw(name, reason="broken", when=WHEN, by=KEEPER) == name
    assert [row.id for row in ranking(place)] == [other]


def test_a_submission_is_withdrawn(tmp_path: Path) -> None:
    place, path = board_at(tmp_path), submission(tmp_path)
    name = added(place, path).standing.id
    added(place, submission(tmp_path, model("right", RIGHT)))
    found = place.withdraw(name[:5], reason="a wrong tokenizer", when=WHEN, by=KEEPER)
    assert found == name
    assert [(row.rank, row.rank_high, row.name) for row in ranking(place)] == [(1, 1, "right")]
    assert place.archive(name).is_file()
    with pytest.raises(UsageError, match=f"{name} is withdrawn already"):
        place.withdraw(name, reason="again", when=WHEN, by=KEEPER)
    with pytest.raises(SubmissionError, match=f"as {name}, and was withdrawn: a wrong tokenizer"):
        added(place, path)
    # A mended one of the same model is welcome.
    mended = submission(tmp_path, about=replace(ABOUT, note="mended"))
    assert added(place, mended).n_ranked == 2


@pytest.mark.parametrize("reason", ["", " ", "two\nlines", "x" * 501])
def test_a_reason_is_one_line(tmp_path: Path, reason: str) -> None:
    with pytest.raises(UsageError, match="the reason cannot be '"):
        board_at(tmp_path).withdraw("abcd", reason=reason, when=WHEN, by=KEEPER)


@pytest.mark.parametrize("name", ["abc", "zzzz", ""])
def test_an_id_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=f"there is no submission '{name}'"):
        board_at(tmp_path).withdraw(name, reason="x", when=WHEN, by=KEEPER)


def test_derived_files_may_be_deleted(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    added(place, submission(tmp_path))
    added(place, submission(tmp_path, model("right", RIGHT)))
    before, kept = ranking(place), snapshot(place.folder / "derived")
    shutil.rmtree(place.folder / "derived")
    assert ranking(place) == before
    added(place, submission(tmp_path, model("half", {"bark": 1.0, "sat": 1.0})))
    made = snapshot(place.folder / "derived")
    for row in before:
        assert made[f"{row.id}.json"] == kept[f"{row.id}.json"]
    shutil.rmtree(place.folder / "derived")
    place.withdraw(ranking(place)[1].id, reason="x", when=WHEN, by=KEEPER)
    entries = {f"{row.id}.json" for row in ranking(place)}
    assert len(entries) == 2
    assert set(snapshot(place.folder / "derived")) == {*entries, "standings.json"}
    assert "standings.json" in kept


@pytest.mark.parametrize(
    "damage", [b"", b"{", b'{"version":1}', b"PK\x03\x04 and no more", b"[" * 9999]
)
def test_damaged_derived_files_are_made_again(tmp_path: Path, damage: bytes) -> None:
    place = board_at(tmp_path)
    added(place, submission(tmp_path))
    before = ranking(place)
    for path in (place.folder / "derived").iterdir():
        path.write_bytes(damage)
    assert ranking(place) == before


def test_what_cannot_be_written_is_not_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = board_at(tmp_path)
    added(place, submission(tmp_path))
    before = ranking(place)
    path = submission(tmp_path, model("right", RIGHT))
    files = set(snapshot(place.folder))

    change = BoardFolder.changing

    @contextmanager
    def full(own: BoardFolder, board: Board, *ledgers: Ledger) -> Iterator[None]:
        with change(own, board, *ledgers):
            yield
            raise PommelError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(BoardFolder, "changing", full)
        with pytest.raises(PommelError, match="the disk is full"):
            added(place, path)
    assert set(snapshot(place.folder)) == files - {"derived/standings.json", "derived/pairs.npz"}
    assert ranking(place) == before
    assert added(place, path).n_ranked == 2


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_addition_that_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Once the ledger has been replaced, the submission is on the board, and so is its file."""
    place = board_at(tmp_path)
    added(place, submission(tmp_path))
    path = submission(tmp_path, model("right", RIGHT))
    with interrupted(monkeypatch, place, when), pytest.raises(KeyboardInterrupt):
        added(place, path)
    assert [*place.verified()] == []
    assert len(ranking(place)) == (2 if when == "after" else 1)
    if when == "after":
        with pytest.raises(SubmissionError, match="is on the board already"):
            added(place, path)
    else:
        assert added(place, path).n_ranked == 2


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_withdrawal_that_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    place = board_at(tmp_path)
    added(place, submission(tmp_path))
    added(place, submission(tmp_path, model("right", RIGHT)))
    first = ranking(place)[0].id
    with interrupted(monkeypatch, place, when), pytest.raises(KeyboardInterrupt):
        place.withdraw(first, reason="x", when=WHEN, by=KEEPER)
    assert [*place.verified()] == []
    assert (first in [row.id for row in ranking(place)]) == (when == "before")


@contextmanager
def interrupted(monkeypatch: pytest.MonkeyPatch, place: BoardFolder, when: str) -> Iterator[None]:
    """Interrupt what changes a board before or after the ledger is replaced."""
    replace = Path.replace

    def interrupt(path: Path, target: Path) -> None:
        if target != place.ledger_file or when == "after":
            replace(path, target)
        if target == place.ledger_file:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", interrupt)
        yield


def test_what_a_killed_addition_left_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of whole files that the ledger does not know, those that the next one knows."""
    place = board_at(tmp_path)
    sound = snapshot(place.folder)
    added(place, submission(tmp_path))
    (begun,) = place.archives.iterdir()
    place.ledger_file.rename(place.folder / ".ledger.jsonl.x1.part")
    place.ledger_file.write_bytes(sound["ledger.jsonl"])
    parts = (
        place.archives / f".{begun.name}.x1.part",
        place.folder / "derived" / ".standings.json.x1.part",
        place.folder / ".ledger.jsonl.x2.part",
    )
    own = (
        *(place.archive("0" * 16), place.archives / "mine.pommel.zip"),
        *(place.archives / "download.part", place.folder / ".notes.x1.part"),
    )
    for each in (*parts, *own):
        each.write_bytes(b"PK")
    # Nothing is done while anyone only looks.
    assert [*place.verified()] == [
        f"{path}: is not in the ledger, and so not on the board; take it out of the folder, and "
        f"`pommel leaderboard add` it if it is to be ranked"
        for path in sorted(own[:3])
    ]
    unlink = Path.unlink

    def killed(path: Path) -> None:
        unlink(path)
        raise KeyboardInterrupt

    # Nor is anything forgotten where this is killed, too.
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", killed)
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                place.undo_interrupted()
    assert place.undo_interrupted() == (4, 0)
    # What is shown of the suites follows from the board alone.
    assert snapshot(place.folder).keys() == sound.keys() | {"derived/suites.json"} | {
        str(each.relative_to(place.folder)) for each in own
    }
    assert place.undo_interrupted() == (0, 0)


@POSIX_ONLY
def test_nothing_is_deleted_where_an_addition_may_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a folder of a network, which locks nothing that is only read."""
    place = board_at(tmp_path)
    path = submission(tmp_path)
    sound = place.ledger(place.board())
    began = place.ledger_file.with_name(".ledger.jsonl.x1.part")
    added(place, path)
    place.ledger_file.rename(began)
    place.ledger_file.write_text(sound.text)
    before = snapshot(place.folder)
    with monkeypatch.context() as patched:

        def refuse(*_: object) -> None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))

        patched.setattr("fcntl.flock", refuse)
        status, printed, said = called(["leaderboard", "verify", place.folder])
    assert (status, printed) == (0, "")
    assert said.replace(str(place.folder), "B") == (
        "B: a change of this board goes on or was killed; what it has begun stays (4 files), and "
        "counts for nothing\n"
        "B: all is well; 0 submissions computed again\n"
    )
    assert snapshot(place.folder) == before
    assert place.undo_interrupted() == (4, 0)


def test_two_additions_at_once(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    bits = {"a": 1.0, "b": 2.0, "c": 9.0}
    paths = [submission(tmp_path, model(name, {"bark": each})) for name, each in bits.items()]
    code = "import sys; from pommel.cli import main; main(sys.argv[1:])"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, "leaderboard", "add", str(place.folder), str(path)],
            stderr=subprocess.PIPE,
        )
        for path in paths
    ]
    assert [(each.communicate()[1], each.returncode)[1] for each in running] == [0, 0, 0]
    assert {row.name for row in ranking(place)} == {"a", "b", "c"}
    assert len(place.ledger_file.read_text().splitlines()) == 4


def test_a_board_with_a_changed_ledger_takes_nothing(tmp_path: Path) -> None:
    place, path = board_at(tmp_path), submission(tmp_path)
    added(place, path)
    lines = place.ledger_file.read_text().splitlines()
    line = json.loads(lines[1])
    place.ledger_file.write_text(f"{lines[0]}\n{json.dumps({**line, 'previous': ''})}\n")
    with pytest.raises(
        BoardError, match=r"ledger\.jsonl:2: has not the hash of the line before it"
    ):
        added(place, submission(tmp_path, model("b")))


def test_what_is_written_is_what_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that changes after it was read does not get onto the board."""
    place, path = board_at(tmp_path), submission(tmp_path)
    raw = path.read_bytes()
    checked = entry_of

    def change_file(*arguments: object) -> object:
        path.write_bytes(b"something else")
        return checked(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(folder, "entry_of", change_file)
    name = added(place, path).standing.id
    assert place.archive(name).read_bytes() == raw
