"""The quick tests of the main job's rooms as on Windows, and what the type checker says of it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(sys.platform != "linux", reason="it is Linux that plays Windows"),
]

ROOMS = ("files", "suite", "scoring", "store", "report", "leaderboard")
COMMANDS = ("convert", "leaderboard", "report", "runs_export", "runs_list", "submit", "suites_new")
# They play other systems themselves, or are about what Windows has not: locks that children keep or
# that end with their process, and files that nobody may write.
OTHERS = (
    "tests/files/test_text.py::test_others_are_kept_out_until_the_process_is_killed",
    "tests/files/test_text.py::test_a_child_that_has_it_open_keeps_it",
    "tests/leaderboard/test_changing.py::test_a_submission_is_kept_as_it_came",
    "tests/files/test_own_path.py::test_where_a_users_own_files_are",
    "tests/leaderboard/test_board.py::test_two_boards_at_once_in_one_place",
    "tests/leaderboard/test_changing.py::test_nothing_is_deleted_where_an_addition_may_go_on",
)
# Apptainer's, which is for Linux, and the end of its processes.
FOR_LINUX = {"apptainer_engine.py", "process_channel.py", "reaper_process.py"}


@pytest.mark.timeout(900)
def test_quick_tests_pass_as_on_windows(repository: Path) -> None:
    for each in OTHERS:
        file, _, name = each.partition("::")
        assert f"def {name}(" in (repository / file).read_text("utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider"),
            *("-p", "tests.desktops.windows", "-m", "not full and not slow and not published"),
            *(f"--deselect={each}" for each in OTHERS),
            *(f"tests/{each}" for each in ROOMS),
            *(f"tests/cli/test_{each}.py" for each in COMMANDS),
        ],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed
    assert int(passed[1]) > 1_500


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("system", "for_others"), [("win32", FOR_LINUX), ("darwin", set())])
def test_no_name_is_used_that_a_system_lacks(
    system: str, for_others: set[str], repository: Path
) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--platform", system),
            *("--cache-dir", f".mypy_cache/{system}", "runner/pommel"),
        ],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    faults = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert {Path(line.partition(":")[0]).name for line in faults} == for_others, done.stdout
