"""What a board keeps of its suites for its site."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.leaderboard.samples import KEEPER, WHEN, added, board_at, model, resealed, submission
from tests.leaderboard.submission.samples import AGREEMENT
from tests.store.run_samples import agreement

from pommel.leaderboard import BoardFolder, BoardPlan
from pommel.leaderboard.examples import SuiteExample, examples_from, examples_text
from pommel.scoring.choices import ScoreRule


@pytest.fixture
def place(tmp_path: Path) -> BoardFolder:
    """A board with a submission, which has its examples."""
    board = board_at(tmp_path)
    added(board, submission(tmp_path))
    return board


def test_an_example_is_the_first_item() -> None:
    example = SuiteExample.of(AGREEMENT, BoardPlan(name="x").board([AGREEMENT]))
    assert [item.number for item in example.suite.items] == [1]
    assert example.suite.predictions == AGREEMENT.predictions
    assert example.in_words == [
        "region 2 (r2) must be less surprising in *good* than in *bad*",
        "the whole sentence must be less surprising in *good* than in *bad*",
    ]


@pytest.mark.parametrize(
    ("rule", "chance"),
    [
        # Both regions in the same order; one of six orders of three; the mean of a half and 1/6.
        ("all", 1 / 6),
        ("first", 1 / 2),
        ("each", 1 / 3),
    ],
)
def test_chance_goes_by_the_rule(rule: ScoreRule, chance: float) -> None:
    formulas = ("(1;%good%) < (2;%good%)", "(1;%good%) < (2;%good%) & (2;%good%) < (3;%good%)")
    suite = agreement(formulas=formulas)
    example = SuiteExample.of(suite, BoardPlan(name="x", score_rule=rule).board([suite]))
    assert example.chance == round(chance, 6)


def test_chance_that_is_not_known_is_kept_as_such() -> None:
    board = BoardPlan(name="x").board([AGREEMENT])
    example = replace(SuiteExample.of(AGREEMENT, board), chance=math.nan)
    (kept,) = examples_from(examples_text([example]), board) or ()
    assert math.isnan(kept.chance)


def test_what_is_kept_is_read(place: BoardFolder) -> None:
    board = place.board()
    kept = place.examples(board)
    for each in board.suites:
        (place.folder / each.file).unlink()
    # So suites are not read again.
    assert place.examples(board) == kept


def test_only_add_keeps_them(place: BoardFolder, tmp_path: Path) -> None:
    place.examples_file.unlink()
    board = place.board()
    place.examples(board)
    first, *_ = place.ledger(board).ranked
    place.withdraw(first, reason="x", when=WHEN, by=KEEPER)
    assert not place.examples_file.exists()
    added(place, submission(tmp_path, model("other")), supersede=True)
    assert place.examples_file.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(version=0),
        lambda value: value["examples"].pop(),
        lambda value: value.update(examples=5),
        lambda value: value["examples"][0].update(chance=2),
        lambda value: value["examples"][0].update(chance="x"),
        lambda value: value["examples"][0].update(suite={"meta": 1}),
        lambda value: value["examples"][0]["suite"]["meta"].update(name="other"),
        lambda value: value["examples"].reverse(),
    ],
)
def test_what_cannot_be_is_made_again(place: BoardFolder, change: Any) -> None:
    board = place.board()
    kept, raw = place.examples(board), place.examples_file.read_text()
    resealed(place.examples_file, change)
    assert place.examples_file.read_text() != raw
    assert place.examples(board) == kept


def test_a_change_is_noticed(place: BoardFolder) -> None:
    resealed(place.examples_file, lambda value: value["examples"][0].update(chance=0.75))
    said = "is not what comes out of the suites; delete it, and it is made again"
    assert [*place.verified()] == [f"{place.examples_file}: {said}"]
    place.examples_file.unlink()
    assert [*place.verified()] == []
