"""`pommel reproduce` and `pommel study`: what they list, print and refuse."""

from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.studies.studies import TRAINED, written


def test_without_a_name_there_is_a_list_of_what_each_takes(pommel: Pommel) -> None:
    shown = pommel("reproduce")
    assert shown.status == 0
    for name in ("clams", "gevalm", "argument-structure", "multilingual", "syntaxgymes", "hu2020"):
        assert f" {name} " in shown.stdout
    assert "two processors" in shown.stdout


def test_a_dry_run_prints_commands_and_does_nothing(
    pommel: Pommel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = pommel("reproduce", "argument-structure", "--dry-run")
    assert shown.status == 0
    first, *_, last = shown.stdout.splitlines()
    assert first == "pommel generate texts:de --text 2000 --seed 1 -o text/de.txt"
    assert last.startswith("pommel report --store store.sqlite -o report.html")
    assert [*tmp_path.iterdir()] == []


def test_a_dry_run_of_the_paper_tells_shards_and_hours(pommel: Pommel, tmp_path: Path) -> None:
    path = written(tmp_path, TRAINED)
    shown = pommel("study", "run", path, "--scale", "paper", "--offline", "--dry-run")
    assert shown.status == 0
    assert "1 model x 19 suites, " in shown.stdout
    assert "note: no text of de, fr: --corpus LANGUAGE=FILE" in shown.stderr
    assert "note: trainings may take 4 hours, one after another" in shown.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ("reproduce clam", 2, "did you mean clams?"),
        ("reproduce list", 2, "`pommel reproduce` alone lists them"),
        ("reproduce clams --corpus german.txt", 2, "write LANGUAGE=FILE"),
        ("reproduce clams --corpus de=none.txt", 3, "none.txt: there is no such text"),
        ("reproduce clams --scale huge", 2, "'huge' is not one of"),
        ("reproduce clams --corpus de=a.txt --corpus de=b.txt", 2, "there are two of de"),
        ("reproduce clams --launch '", 2, "write the words of pommel launch"),
        ("reproduce clams --max-memory lots", 2, "write a size like 512M or 16G"),
        ("reproduce argument-structure --ratings none.csv", 3, "no such table of ratings"),
        ("reproduce clams --ratings a.csv", 2, "the study has no table that people stand in"),
        ("reproduce clams --ratings a.csv --ratings ./b=c.csv", 2, "there are two of one name"),
        ("study run none.toml", 3, "none.toml"),
    ],
)
def test_mistakes_are_told(pommel: Pommel, arguments: str, status: int, said: str) -> None:
    outcome = pommel(*arguments.split(), "-o", "/no/such/folder")
    assert outcome.status == status
    assert said in outcome.stderr


def test_a_copy_is_a_study_of_ones_own(pommel: Pommel, tmp_path: Path) -> None:
    copied = pommel("study", "copy", "hu2020", tmp_path / "mine")
    assert copied.status == 0
    path = tmp_path / "mine" / "hu2020.toml"
    assert str(path) in copied.stderr
    shown = pommel("study", "run", path, "--offline", "--dry-run")
    assert shown.stdout.splitlines()[0].startswith("pommel fetch hu2020")
    again = pommel("study", "copy", "hu2020", tmp_path / "mine")
    assert again.status == 2
    assert "is there already" in again.stderr
