"""Making a board: suites are pinned, circuits weighed, and the ledger begun."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pommel.errors import PommelError, UsageError, nearest, printable, quoted
from pommel.files.text import file_name_fault
from pommel.leaderboard.board import LEAST_WEIGHT, MOST_WEIGHT, Board, PinnedSuite, board_from
from pommel.leaderboard.errors import BoardError
from pommel.leaderboard.folder import BoardFolder
from pommel.leaderboard.ledger import Ledger
from pommel.leaderboard.submission.submitter import has_letter
from pommel.scoring.results import ScoreRule
from pommel.sources.load import check_distinct_names
from pommel.suite.read import suite_hash, suite_to_text
from pommel.suite.suite import Suite

# What the circuit of suites is called that belong to none.
OTHER = "other"

_LONGEST_KEEPER = 200

# Hashes are of bytes, and Git changes the ends of lines on Windows. What is derived is made again.
_FOR_GIT = {".gitattributes": "* -text\n", ".gitignore": "/derived/\n"}


def make_board(  # noqa: PLR0913 - each of these is a choice of the keeper's
    folder: Path,
    suites: Sequence[Suite],
    *,
    name: str,
    description: str = "",
    score_rule: ScoreRule = "all",
    circuit_weights: Mapping[str, float] | None = None,
    suite_weights: Mapping[str, float] | None = None,
    limits: Mapping[str, int | float] | None = None,
    seed: int = 0,
    when: str,
    by: str,
) -> Board:
    """Make a board of these suites in a folder that is empty, or not there.

    A circuit and a suite weigh 1 if nothing else is said. Raises `UsageError` for weights of what
    is not there, `InputError` for suites that no board can have, and `PommelError` for a folder
    that cannot be made; then there is none.
    """
    check_distinct_names(suites)
    pinned = tuple(_pinned(suite, suite_weights or {}) for suite in suites)
    circuits = dict.fromkeys((each.circuit for each in pinned), 1.0)
    _check_weights("circuit", circuit_weights or {}, list(circuits))
    _check_weights("suite", suite_weights or {}, [suite.name for suite in suites])
    board = Board(
        name=name,
        description=description,
        score_rule=score_rule,
        circuits={**circuits, **(circuit_weights or {})},
        suites=pinned,
        limits=dict(limits or {}),
        seed=seed,
    )
    _check_names(name, by)
    board = _read_again(board)
    created = Ledger().with_event(
        "created", when=when, by=by, settings_sha256=board.settings_sha256
    )
    with _new_folder(folder) as aside:
        place = BoardFolder(aside)
        place.archives.mkdir()
        (aside / "suites").mkdir()
        for each, suite in zip(pinned, suites, strict=True):
            (aside / each.file).write_text(suite_to_text(suite), encoding="utf-8", newline="")
        place.board_file.write_text(board.to_text(), encoding="utf-8", newline="")
        for file, content in _FOR_GIT.items():
            (aside / file).write_text(content, encoding="utf-8", newline="")
        place.write_ledger(created)
    return board


def _check_names(name: str, by: str) -> None:
    if not has_letter(name):
        raise UsageError(
            f"the name of a leaderboard cannot be {name[:80]!a}; write a letter or digit"
        )
    if by != printable(by) or not has_letter(by) or len(by) > _LONGEST_KEEPER:
        raise UsageError(
            f"the keeper (--by) cannot be {quoted(by)}; write one line of up to {_LONGEST_KEEPER} "
            f"characters"
        )


def _read_again(board: Board) -> Board:
    """Return the board as its file is read; raises `UsageError` if it could not be."""
    try:
        found = board_from(board.to_text(), "the new board")
    except BoardError as error:
        raise UsageError(str(error)) from None
    found.submission_limits()
    return found


def _pinned(suite: Suite, weights: Mapping[str, float]) -> PinnedSuite:
    if fault := file_name_fault(suite.name):
        raise UsageError(f"the suite {suite.name!r} cannot be pinned: its name {fault}")
    if not suite.predictions or not suite.items:
        raise UsageError(f"the suite {suite.name} has no predictions or no items, and so no score")
    return PinnedSuite(
        name=suite.name,
        language=suite.language,
        version=suite.version,
        sha256=suite_hash(suite),
        circuit=suite.circuit or OTHER,
        weight=weights.get(suite.name, 1.0),
        n_items=len(suite.items),
        file=f"suites/{suite.name}.json",
    )


def _check_weights(what: str, weights: Mapping[str, float], known: Sequence[str]) -> None:
    for name, weight in weights.items():
        if name not in known:
            meant = nearest(name, known)
            hint = f"did you mean {meant}?" if meant else f"there are {', '.join(known)}"
            raise UsageError(f"no {what} of the board is called {quoted(name)}; {hint}")
        if not LEAST_WEIGHT <= weight <= MOST_WEIGHT:
            raise UsageError(
                f"the weight of {name} cannot be {weight:g}; it is from {LEAST_WEIGHT:f} to "
                f"{MOST_WEIGHT:,}"
            )


@contextlib.contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """Give a folder beside `folder` that takes its place when all has gone well."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: is there already, and a new board needs a folder of its own")
    aside: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.", suffix=".part"))
        yield aside
        # mkdtemp makes folders that nobody else may read.
        aside.chmod(0o755)
        if folder.is_dir():
            folder.rmdir()
        aside.rename(folder)
        aside = None
    except OSError as error:
        raise PommelError(f"{folder}: cannot be made: {error.strerror or error}") from None
    finally:
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)
