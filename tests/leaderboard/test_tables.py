"""A board's ranking as rows."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from tests.leaderboard.samples import added, board_at, submission

from pommel.leaderboard.site import Ranking


def cells(folder: Path, by: str, separator: str = ",") -> list[str]:
    """Return the cells of the one row of a board, as a program reads them."""
    place = board_at(folder)
    added(place, submission(folder))
    board = place.board()
    ledger = place.ledger(board)
    standings = place.standings(board, ledger)
    # Not all of these are taken now; a board may have had them before.
    changed = replace(standings, rows=(replace(standings.rows[0], by=by),))
    text = Ranking(board=board, ledger=ledger, standings=changed).to_csv()
    _, row = csv.reader(io.StringIO(text), delimiter=separator)
    return row


@pytest.mark.parametrize("by", ["A. Linguist", 'an "x", and y', "GPT-2; a-b | c", "a=b", "1 + 1"])
def test_a_text_is_what_it_was(tmp_path: Path, by: str) -> None:
    assert cells(tmp_path, by)[5] == by


@pytest.mark.parametrize(
    ("by", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("\u200e=1+1", "'\u200e=1+1"),
        ("\u2800\u200d-1+1", "'\u2800\u200d-1+1"),
        ("a;=1+1;b", "a;'=1+1;b"),
        ("a; \u200f+1;b", "a;' \u200f+1;b"),
        ("a|\uff20b", "a|'\uff20b"),
    ],
)
def test_a_text_that_would_be_a_formula(tmp_path: Path, by: str, shown: str) -> None:
    assert cells(tmp_path, by)[5] == shown


@pytest.mark.parametrize("separator", [";", "|"])
@pytest.mark.parametrize("by", ["=1+1", "a;=1+1;b", 'a"|=1+1|"b', 'a";";=1+1'])
def test_another_separator_makes_no_formulas(tmp_path: Path, by: str, separator: str) -> None:
    assert not [each for each in cells(tmp_path, by, separator) if each.startswith("=")]


def test_texts_are_in_quotation_marks(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    name = added(place, submission(tmp_path)).standing.id
    header, row = Ranking.of(place).to_csv().splitlines()
    assert header.startswith('"rank","rank_low","rank_high","id","model","by","added","score",')
    assert row.startswith(f'1,1,1,"{name}","words","A. Linguist","2026-01-02T03:04:05+00:00",0.41')
