"""The group itself: help, versions, wrong usage; the edge that turns errors into statuses."""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest
from tests.cli.samples import Pommel


def test_help_lists_every_command(pommel: Pommel) -> None:
    outcome = pommel("--help")
    assert outcome.status == 0
    for name in ("run", "surprisals", "conditional", "evaluate", "validate", "suites", "models"):
        assert f"\n  {name} " in outcome.stdout


@pytest.mark.parametrize(
    "name",
    [
        "run",
        "surprisals",
        "compute-surprisals",
        "conditional",
        "evaluate",
        "validate",
        "suites",
        "models",
    ],
)
def test_every_command_has_help(pommel: Pommel, name: str) -> None:
    outcome = pommel(name, "--help")
    assert outcome.status == 0
    assert outcome.stdout.startswith("Usage: pommel")


def test_version(pommel: Pommel) -> None:
    assert pommel("--version").stdout.startswith("pommel ")


def test_a_misspelt_command_names_the_nearest(pommel: Pommel) -> None:
    outcome = pommel("valdate")
    assert outcome.status == 2
    assert "No such command 'valdate'. Did you mean 'validate'?" in outcome.stderr


def test_a_missing_argument_is_wrong_usage(pommel: Pommel) -> None:
    outcome = pommel("run", "dummy://")
    assert outcome.status == 2
    assert outcome.failure(2) == "no suites to run: name files, folders, or suites:en"


def test_a_reader_that_leaves_early_is_no_error(suite_file: Path) -> None:
    command = f"{sys.executable} -m pommel suites show {suite_file} --quiet | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", ["suites list", "suites show cleft", "--help"])
def test_a_closed_stdout_is_a_message(arguments: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m pommel {arguments} >&-"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "pommel: the output: Bad file descriptor\n")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ("validate - <&-", 3, "<stdin>:1:1: this is not JSON: the file is empty"),
        ("tokenize dummy:// - <&-", 0, ""),
        ("suites list 2>&- >/dev/null", 0, ""),
        ("run dummy:// number_prep --no-store 2>&- >/dev/null", 0, ""),
        ("run nonsense:// number_prep --no-store 2>&- >/dev/null", 4, ""),
        ("run dummy:// number_prep --no-store <&- 2>&- >&-", 1, ""),
    ],
)
def test_closed_streams_are_no_mistake_of_ours(arguments: str, status: int, said: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m pommel {arguments}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, said in done.stdout) == (status, True), done.stderr
    assert "mistake in pommel" not in done.stderr


def test_a_full_disk_on_stdout_is_a_message(suite_file: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pommel", "surprisals", "dummy://", suite_file],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_mistake_of_ours_is_a_line_and_a_file(
    pommel: Pommel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail() -> NoReturn:
        raise KeyError("\x1b[2Jodd\nmore")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("pommel.cli.models.known_references", fail)
    said = pommel("models", "list").failure(70)
    (file,) = tmp_path.iterdir()
    assert said == (
        "this is a mistake in pommel itself: KeyError: '\\x1b[2Jodd\\nmore'\n"
        f"Please report it, with {file}, which says where it happened"
    )
    written = file.read_text("utf-8")
    assert written.startswith("pommel ")
    assert "in fail\n" in written
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    assert pommel("models", "list").failure(70) == said.partition("\n")[0]
