"""What a board is, and making one."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.builders import make_suite
from tests.leaderboard.samples import KEEPER, WHEN, board_at, snapshot
from tests.leaderboard.submission.samples import AGREEMENT, SONG, SUITES
from tests.posix import POSIX_ONLY
from tests.store.run_samples import agreement

from pommel.errors import InputError, UsageError
from pommel.files import write_text
from pommel.leaderboard import BoardFolder, BoardPlan
from pommel.leaderboard.board import BoardError, board_from
from pommel.suite.suite import Suite

OTHER = make_suite(name="loose", language="en")


def test_suites_are_pinned(tmp_path: Path) -> None:
    place = board_at(tmp_path, (*SUITES, OTHER), circuit_weights={"agreement": 3})
    board = place.board()
    assert board.circuits == {"agreement": 3, "other": 1}
    assert [(each.name, each.circuit, each.n_items) for each in board.suites] == [
        ("agreement", "agreement", 3),
        ("song", "agreement", 2),
        ("loose", "other", 1),
    ]
    assert [each.sha256 for each in place.suites(board)] == [
        each.sha256 for each in (*SUITES, OTHER)
    ]
    assert board.shares == pytest.approx((3 / 8, 3 / 8, 1 / 4))
    assert sorted(snapshot(place.folder)) == [
        ".gitattributes",
        ".gitignore",
        "board.json",
        "ledger.jsonl",
        "suites/agreement.json",
        "suites/loose.json",
        "suites/song.json",
    ]


def test_suites_have_weights_within_their_circuit(tmp_path: Path) -> None:
    board = board_at(tmp_path, (*SUITES, OTHER), suite_weights={"song": 3}).board()
    assert board.shares == pytest.approx((1 / 8, 3 / 8, 1 / 2))


def test_a_board_is_what_its_file_says(tmp_path: Path) -> None:
    board = board_at(tmp_path, limits={"n_tokens": 10}, seed=4).board()
    assert board_from(board.to_text(), "board.json") == board
    assert board.submission_limits().n_tokens == 10


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (
            {"circuit_weights": {"agrement": 2}},
            "no circuit of the board is called 'agrement'; did you mean agreement?",
        ),
        (
            {"circuit_weights": {"agreement": 0}},
            "the weight of agreement cannot be 0; it is from 0.000001 to 1,000,000",
        ),
        (
            {"suite_weights": {"x": 1}},
            "no suite of the board is called 'x'; there are agreement, song",
        ),
        (
            {"suite_weights": {"song": 1e-7}},
            "the weight of song cannot be 1e-07; it is from 0.000001 to 1,000,000",
        ),
        ({"name": " "}, "the name of a leaderboard cannot be ' '; write a letter or digit"),
        (
            {"name": "\u3164\u200d"},
            "the name of a leaderboard cannot be '\\u3164\\u200d'; write a letter or digit",
        ),
        ({"name": "x" * 300}, f"the new board: '{'x' * 80}'… is too long (at name)"),
        (
            {"name": "two\nlines"},
            (
                "the new board: the name 'two\\nlines' has characters that are not shown, or more "
                "than one line"
            ),
        ),
        (
            {"name": "a\udcff"},
            (
                "the new board: the name 'a\\udcff' has characters that are not shown, or more "
                "than one line"
            ),
        ),
        (
            {"description": "a\nb\x1b[2J"},
            (
                "the new board: the description 'b\\x1b[2J' has characters that are not shown, or "
                "more than one line"
            ),
        ),
        (
            {"by": "a\udcff"},
            "the keeper (--by) cannot be 'a\\udcff'; write one line of up to 200 characters",
        ),
    ],
)
def test_choices_that_make_no_board(tmp_path: Path, choices: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        board_at(tmp_path, **choices)
    assert str(caught.value) == said
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        (make_suite(name="a/b"), "'a/b' cannot be a file's name: it has the character '/'"),
        (
            make_suite(name="Nul"),
            "'Nul' cannot be a file's name: it is that of a device on Windows",
        ),
        (
            make_suite(formulas=()),
            "the suite small has no predictions or no items, and so no score",
        ),
    ],
)
def test_suites_that_cannot_be_pinned(tmp_path: Path, suite: Suite, said: str) -> None:
    with pytest.raises((UsageError, InputError)) as caught:
        board_at(tmp_path, (suite,))
    assert str(caught.value) == said


def test_a_folder_that_is_not_empty(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    before = snapshot(tmp_path)
    with pytest.raises(UsageError, match="is there already, and a new board needs a folder"):
        place.make(SUITES, BoardPlan(name="again"), when=WHEN, by=KEEPER)
    assert snapshot(tmp_path) == before


def test_an_empty_folder_becomes_a_board(tmp_path: Path) -> None:
    (tmp_path / "board").mkdir()
    assert board_at(tmp_path).board().name == "Toy"


@POSIX_ONLY
def test_two_boards_at_once_in_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a killed one has left is deleted, and not that in which another still works."""
    (tmp_path / ".board.x1.part").mkdir()
    writing = "pommel.leaderboard.folder.write_text"

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    def write_meanwhile(path: Path, text: str) -> None:
        write_text(path, text)
        monkeypatch.setattr(writing, stop)
        with pytest.raises(KeyboardInterrupt):
            board_at(tmp_path)
        monkeypatch.setattr(writing, write_text)

    monkeypatch.setattr(writing, write_meanwhile)
    assert [*board_at(tmp_path).verified()] == []
    assert [each.name for each in tmp_path.iterdir()] == ["board"]


def _put(*path: Any, value: Any) -> Any:
    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            _put("format", value="x"),
            'this is no leaderboard; it has to hold "format": "pommel-leaderboard"',
        ),
        (
            _put("version", value=3),
            (
                "is a leaderboard of version 3, and this pommel knows versions up to 2; update "
                "pommel (`pip install --upgrade pommel`)"
            ),
        ),
        (
            _put("score_rule", value="best"),
            "'best' is not one of ['all', 'first', 'each'] (at score_rule)",
        ),
        (
            _put("suites", 0, "file", value="suites/../x.json"),
            r"'suites/../x.json' does not match '^suites/[^/\\\\]+\\.json$' (at suites[0].file)",
        ),
        (
            _put("circuits", 0, "weight", value=1e-320),
            "1e-320 is less than the minimum of 1e-06 (at circuits[0].weight)",
        ),
        (
            _put("suites", 0, "version", value="1\u202e"),
            "the version '1\\u202e' has characters that are not shown, or more than one line",
        ),
        (_put("suites", 0, "circuit", value="x"), "the circuit 'x' has no weight, or no suites"),
        (
            _put("suites", 1, "file", value="suites/agreement.json"),
            "the file suites/agreement.json is there twice",
        ),
    ],
)
def test_files_that_are_no_board(tmp_path: Path, change: Any, said: str) -> None:
    value = board_at(tmp_path).board().to_dict()
    change(value)
    with pytest.raises(BoardError) as caught:
        board_from(json.dumps(value), "board.json")
    assert str(caught.value) == f"board.json: {said}"


def test_what_decides_scores_may_not_change(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    text = place.board_file.read_text()
    place.board_file.write_text(text.replace('"Toy"', '"Another name"'))
    assert place.ledger(place.board()).ranked == ()
    place.board_file.write_text(text.replace('"weight": 1.0', '"weight": 2.0'))
    with pytest.raises(BoardError, match="only name and description may change"):
        place.ledger(place.board())


def test_a_suite_may_not_change(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    path = place.folder / "suites" / "song.json"
    path.write_text(path.read_text().replace("wrens", "robins"))
    with pytest.raises(BoardError, match="is not the suite that was pinned; its SHA-256 differs"):
        place.suites(place.board())


def _as_other_programs_write(text: str) -> str:
    """Return a board's text as a program writes it for which 1.0 is 1."""
    return text.replace("1.0", "1").replace("1e-05", "0.00001")


def test_another_program_may_write_the_file(tmp_path: Path) -> None:
    place = board_at(tmp_path, suite_weights={"song": 1e-5}, limits={"surprisal_bits": 11.0})
    board, text = place.board(), place.board_file.read_text()
    place.board_file.write_text(_as_other_programs_write(text))
    assert place.board_file.read_text() != text
    assert place.board() == board
    assert place.ledger(place.board()).ranked == ()


def test_whole_numbers_are_as_good(tmp_path: Path) -> None:
    whole: dict[str, Any] = {"circuit_weights": {"agreement": 2}, "limits": {"surprisal_bits": 50}}
    place = board_at(tmp_path / "a", **whole)
    assert place.ledger(place.board()).ranked == ()
    broken: dict[str, Any] = {
        "circuit_weights": {"agreement": 2.0},
        "limits": {"surprisal_bits": 50.0},
    }
    other = board_at(tmp_path / "b", **broken)
    assert place.board().settings_sha256 == other.board().settings_sha256
    value = place.board().to_dict()
    value["seed"], value["suites"][0]["n_items"] = 0.0, 3.0
    found = board_from(json.dumps(value), "board.json")
    assert found.settings_sha256 == place.board().settings_sha256
    assert (type(found.seed), type(found.suites[0].n_items)) == (int, int)


@pytest.mark.parametrize("number", ["NaN", "Infinity"])
def test_what_is_no_number(tmp_path: Path, number: str) -> None:
    text = board_at(tmp_path).board().to_text().replace("1.0", number, 1)
    with pytest.raises(BoardError) as caught:
        board_from(text, "board.json")
    assert str(caught.value) == f"board.json: {number} is not JSON; write null"


def test_git_leaves_line_ends_alone_and_what_is_derived_out(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    git = shutil.which("git")
    if git is None:
        pytest.skip("there is no git")
    (place.folder / "derived").mkdir()
    (place.folder / "derived" / "x").write_text("x")
    before = snapshot(place.folder)
    for words in (
        ["init", "-q"],
        ["config", "core.autocrlf", "true"],
        ["add", "."],
        ["-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "-m", "x"],
        ["clone", "-q", "-c", "core.autocrlf=true", ".", str(tmp_path / "clone")],
    ):
        subprocess.run([git, *words], cwd=place.folder, check=True)
    shutil.rmtree(tmp_path / "clone" / ".git")
    del before["derived/x"]
    assert snapshot(tmp_path / "clone") == before


def test_a_folder_that_is_no_board(tmp_path: Path) -> None:
    with pytest.raises(BoardError, match="is no leaderboard"):
        BoardFolder(tmp_path).board()


def test_the_same_suites_make_the_same_board(tmp_path: Path) -> None:
    one = board_at(tmp_path / "a", (AGREEMENT, SONG)).board()
    other = board_at(tmp_path / "b", (agreement(), SONG)).board()
    assert one.settings_sha256 == other.settings_sha256
