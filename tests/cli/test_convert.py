"""`pommel convert`: from sentences to suites, and between formats."""

import json
from pathlib import Path

import pytest
from tests.cli.samples import Pommel

LINES = (
    "True\tles chats dorment\nFalse\tles chats dort\nTrue\tle chat dort\nFalse\tle chat dorment\n"
)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """A file with two minimal sets in CLAMS's format."""
    path = tmp_path / "simple.txt"
    path.write_text(LINES)
    return path


def test_sentences_become_a_suite(pommel: Pommel, lines: Path, tmp_path: Path) -> None:
    suite = tmp_path / "simple.json"
    outcome = pommel("convert", lines, "-o", suite)
    assert (outcome.stdout, outcome.stderr) == ("", f"2 minimal sets: {suite}\n")
    assert pommel("validate", suite, "--strict").status == 0
    value = json.loads(suite.read_text())
    assert value["meta"] == {"name": "simple", "metric": "sum"}
    regions = value["items"][0]["conditions"][1]["regions"]
    assert [region["content"] for region in regions] == ["les chats", "dort", ""]
    assert json.loads(pommel("convert", lines, "--name", "x").stdout)["meta"]["name"] == "x"


def test_the_published_sets_become_suites_and_come_back(
    pommel: Pommel, shared_data: Path, tmp_path: Path
) -> None:
    path = shared_data / "clams" / "evalset_small" / "he.simple_agrmt.txt"
    table = tmp_path / "pairs.tsv"
    assert pommel("convert", path, "-o", table).status == 0
    outcome = pommel("convert", table, "--format", "clams")
    assert outcome.stdout == path.read_text("utf-8")
    value = json.loads(pommel("convert", path).stdout)
    assert len(value["items"]) == 140


def test_what_a_file_is_can_be_said(pommel: Pommel, lines: Path, tmp_path: Path) -> None:
    other = tmp_path / "sets"
    lines.rename(other)
    outcome = pommel("convert", other, "--format", "tsv")
    message = f"{other}: say what it is with --from, or let it end in one of .txt, .tsv"
    assert (outcome.status, outcome.stderr) == (2, f"pommel: {message}\n")
    outcome = pommel("convert", other, "--from", "clams", "--format", "tsv", "-o", "-")
    assert outcome.stdout.splitlines()[1] == "les chats dorment\tles chats dort"


def test_files_that_are_wrong(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    out = tmp_path / "x.json"
    outcome = pommel("convert", path, "-o", out)
    assert (outcome.status, outcome.stderr) == (3, f"pommel: {path}: No such file or directory\n")
    path.write_text("True\ta b\nFalse a c\n")
    outcome = pommel("convert", path, "-o", out)
    assert (outcome.status, outcome.stderr) == (
        3,
        (
            f"pommel: {path}:2:1: this is no sentence with its mark; write True or False, a tab, "
            "and a sentence\n"
        ),
    )
    path.write_text("True\ta b\n")
    outcome = pommel("convert", path, "-o", out)
    assert (outcome.status, outcome.stderr) == (
        2,
        "pommel: x: no sentence has an ungrammatical one to compare with\n",
    )
    assert not out.exists()
