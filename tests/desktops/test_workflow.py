"""`.github/workflows/tests.yml`, as far as it can be looked at where nothing runs it."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

yaml: Any = pytest.importorskip("yaml")
ACTION = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


@pytest.fixture(scope="module")
def text(repository: Path) -> str:
    return (repository / ".github" / "workflows" / "tests.yml").read_text("utf-8")


def test_all_systems_and_pythons(text: str, repository: Path) -> None:
    matrix = yaml.safe_load(text)["jobs"]["tests"]["strategy"]["matrix"]
    project = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))["project"]
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert matrix == {
        "system": ["ubuntu-latest", "macos-latest", "windows-latest"],
        "python": versions,
    }
    assert versions == ["3.11", "3.12", "3.13", "3.14"]


def test_actions_are_pinned_and_may_only_read(text: str) -> None:
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert [each for each in used if not ACTION.fullmatch(each)] == []
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert "permissions" not in job
        checkout = next(each for each in job["steps"] if "checkout" in each.get("uses", ""))
        assert checkout["with"] == {"persist-credentials": False}


def test_those_of_the_page_are_pinned_too(text: str, repository: Path) -> None:
    page = (repository / "docs" / "ci.md").read_text("utf-8")
    used = re.findall(r"uses: (actions/[\w-]+)(?:/\w+)?(@.*)", page)
    assert len(used) == page.count("uses: ") == 5
    pinned = {name: name + version for name, version in used}
    assert [each for each in pinned.values() if not ACTION.fullmatch(each)] == []
    for own in re.findall(r"uses: (.*)", text):
        assert pinned[own.partition("@")[0]] == own


def test_what_tests_import_is_installed(text: str, repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))["project"]
    jobs = yaml.safe_load(text)["jobs"].values()
    checks, tests = (
        {
            extra
            for step in job["steps"]
            for extras in re.findall(r'--editable "\.\[(.*)\]"', step.get("run", ""))
            for extra in extras.split(",")
        }
        for job in jobs
    )
    # Ray has a folder of its own, for the tests of one launcher.
    assert tests == {*project["optional-dependencies"]} - {"bench", "ray"}
    assert checks == tests - {"kenlm"}


def test_what_it_names_is_there(text: str, repository: Path) -> None:
    named = re.findall(r"tests/\w+", text)
    assert [each for each in named if not (repository / each).is_dir()] == []


# What Windows has not, under whatever name a test uses it.
_OF_POSIX = re.compile(r"mkfifo|SIGALRM|RLIMIT|getuid|fcntl|/dev/(zero|fd)")


def test_tests_that_run_on_windows_ask_for_no_posix(text: str, repository: Path) -> None:
    (rooms,) = re.findall(r"'Windows' && '(.*?)'", text)
    asking = {
        each.relative_to(repository).as_posix()
        for room in rooms.split()
        for each in (repository / room).rglob("test_*.py")
        if _OF_POSIX.search(each.read_text("utf-8"))
    }
    assert asking == {
        "tests/files/test_text.py",
        "tests/leaderboard/submission/test_reading.py",
        "tests/leaderboard/test_changing.py",
        "tests/leaderboard/test_folder.py",
        "tests/store/test_database.py",
        "tests/store/test_full_disk.py",
        "tests/store/test_salvage_refusals.py",
    }
    for name in asking:
        assert "@POSIX_ONLY" in (repository / name).read_text("utf-8")
