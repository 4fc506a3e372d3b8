"""Every command as on Windows, with cp1252, and a blank, é and Hebrew in every path.

What is printed and every file are the same bytes as without; but for times, which are never.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.crashes.commands import WRITING, Folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it is Linux that plays Windows")

AS_WINDOWS = Path(__file__).with_name("as_windows")
# Reading commands have no ways of their own; these show what the others write.
# A page says how many seconds each step of a study took.
_WRITING = [each for each in WRITING if not each.startswith("study run")]
_READING = (
    "runs list",
    "runs show RUN",
    "evaluate scored.json",
    "compare dummy en-ngram",
    "stats accuracy",
    "leaderboard show board",
    "leaderboard verify board",
    "validate s.json",
    "suites preview s.json --plain",
    "suites list",
    "models list",
)
_MORE = (
    "report --suite agreement --plot regions -o out.svg",
    "report --plot circuits -o out.html",
    "report --table csv --name scores -o out.csv",
    "suites check s.json --format json",
    "convert long.csv -o out.json",
    "runs delete --model * --yes",
)
# These are given to commands as whole paths.
_NAMES = re.compile(
    r"(s\.json|text\.txt|items\.csv|pairs\.csv|long\.csv|new\.json|board|other|store\.sqlite"
    r"|second\.pommel\.zip|scored\.json|out(\.[a-z0-9.]+)?|new\.sqlite)"
)
_TIMES = (
    (rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)|\d{4}-\d\d-\d\d \d\d:\d\d", b"WHEN"),
    (rb'"(seconds|n_words_per_second)": [\d.e-]+', b"SPEED"),
    (rb"[\d,]+ (words|tokens)/s", b"SPEED"),
)
# What is chained by hashes has the times in them.
_CHAINED = {"ledger.jsonl", "standings.json"}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command has ended, what it has printed, and what its folder has then."""

    status: int
    stdout: bytes
    stderr: bytes
    files: dict[str, bytes]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    place = tmp_path_factory.mktemp("all") / "mes études שפה"
    place.mkdir()
    filled = Folder.filled(place / "été קיץ")
    assert _ended(filled, place / "בדיקה 1", "convert s.json -o long.csv").status == 0
    (place / "בדיקה 1" / "long.csv").rename(filled.path / "long.csv")
    return filled


@pytest.mark.full
@pytest.mark.parametrize("command", [*_WRITING, *_MORE, *_READING])
def test_all_is_as_elsewhere(command: str, folder: Folder) -> None:
    _check_same(folder, command)


def test_a_run_and_its_results_are_as_elsewhere(tmp_path: Path) -> None:
    place = tmp_path / "mes études שפה"
    place.mkdir()
    folder = Folder.filled(place / "été קיץ", prepared=())
    _check_same(folder, "run dummy:// s.json --regions all -o out")


def _check_same(folder: Folder, command: str) -> None:
    # Which sentences are scored again is nobody's to know, unless it is said.
    command += " --seed 1" * ("--rerun" in command)
    place = folder.path.with_name("בדיקה 1")
    usual = _ended(folder, place, command)
    there = _ended(folder, place, command, before=AS_WINDOWS)
    # A command that is refused would be refused alike.
    assert usual.status == 0, usual.stderr
    assert (there.status, there.stderr) == (0, usual.stderr)
    assert there.files.keys() == usual.files.keys()
    assert [name for name in usual.files if there.files[name] != usual.files[name]] == []
    # A table of how fast it was, and a token that is drawn.
    if not command.startswith(("train lstm", "train transformer", "serve token new")):
        assert there.stdout == usual.stdout


def _ended(folder: Folder, place: Path, command: str, before: Path | None = None) -> Ended:
    made = folder.copy(place)
    words = [str(place / each) if _NAMES.fullmatch(each) else each for each in made.words(command)]
    paths = [before, Path(__file__).parents[2] / "runner"]
    done = subprocess.run(
        [sys.executable, "-m", "pommel", *words],
        cwd=place,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(each) for each in paths if each),
            "PYTHONIOENCODING": "cp1252",
            "HOME": str(place),
            "POMMEL_STORE": str(place / "store.sqlite"),
            "POMMEL_CACHE": str(place / "cache"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    files = {
        str(path.relative_to(place)): _timeless(path.read_bytes(), path.name)
        for path in sorted(place.rglob("*"))
        if path.is_file() and ".sqlite" not in path.name
    }
    return Ended(done.returncode, _timeless(done.stdout), _timeless(done.stderr), files)


def _timeless(content: bytes, name: str = "") -> bytes:
    for pattern, said in _TIMES:
        content = re.sub(pattern, said, content)
    return re.sub(rb"[0-9a-f]{64}", b"HASH", content) if name in _CHAINED else content
