"""Families in the store: beside their members alone, and reached by several paths."""

import json
import sqlite3
from pathlib import Path

import pytest
from tests.cli.samples import Pommel, suite_value

STEPS = "recorded://en/step{1,2,3}.jsonl"
LAST = "recorded://en/step3.jsonl"
LEFT_OUT = (
    "note: 1 run left out whose model was scored alike in a family (dummy on agreement); --run "
    "chooses others\n"
)


@pytest.fixture(autouse=True)
def models(here: Path, pommel: Pommel, suite_file: Path) -> Path:
    """A folder with recordings of three steps."""
    folder = here / "en"
    folder.mkdir()
    pommel(
        "surprisals", "dummy://", suite_file, "--no-store", "--format", "jsonl", "-o", "as.jsonl"
    )
    header, *lines = Path("as.jsonl").read_text().splitlines()
    for step in (1, 2, 3):
        sentences = [json.loads(line) for line in lines]
        for sentence in sentences:
            sentence["tokens"][2][3] = 9.0 - step if " is " in sentence["sentence"] else 7.5
        written = "\n".join([header, *map(json.dumps, sentences)]) + "\n"
        (folder / f"step{step}.jsonl").write_text(written)
    return folder


def n_scored(store: Path) -> int:
    connection = sqlite3.connect(store)
    ((n,),) = connection.execute("SELECT count(*) FROM scored")
    connection.close()
    return int(n)


@pytest.mark.parametrize("alone_first", [True, False])
def test_a_member_alone_is_a_run_of_its_own(
    pommel: Pommel, suite_file: Path, own_store: Path, *, alone_first: bool
) -> None:
    for reference in (LAST, STEPS) if alone_first else (STEPS, LAST):
        pommel("run", reference, suite_file)
    runs = pommel("runs", "list", "--format", "csv").rows()
    assert sorted(row["model_name"] for row in runs) == [
        *("dummy", "en/step1", "en/step2", "en/step3"),
    ]
    # Its sentences were scored once.
    assert n_scored(own_store) == 3 * 6
    outcome = pommel("stats", "training", "--table", "points", "--format", "csv")
    assert [row["member"] for row in outcome.rows()] == ["step1", "step2", "step3"]
    assert outcome.stderr == LEFT_OUT
    (alone,) = [row["run_id"] for row in runs if row["model_name"] == "dummy"]
    (row,) = pommel("stats", "accuracy", "--run", alone, "--by", "model", "--format", "csv").rows()
    assert row["model_name"] == "dummy"


def test_what_is_left_out_is_said_once(pommel: Pommel, suite_file: Path) -> None:
    pommel("run", STEPS, suite_file)
    pommel("run", LAST, suite_file)
    outcome = pommel("compare", LAST, "*", "--format", "csv")
    assert outcome.stderr.count("left out whose model") == 1


def test_a_model_in_two_families_is_in_both(pommel: Pommel, suite_file: Path) -> None:
    pommel("run", STEPS, suite_file)
    # The last step is the model that one of several seeds became.
    Path("all").mkdir()
    Path("all/seed-1.jsonl").write_text(Path("en/step3.jsonl").read_text())
    Path("all/seed-2.jsonl").write_text(Path("en/step1.jsonl").read_text() + "\n")
    pommel("run", "recorded://all/seed-*", suite_file)
    outcome = pommel("stats", "training", "--table", "points", "--format", "csv")
    assert [row["member"] for row in outcome.rows()] == ["step1", "step2", "step3"]
    assert outcome.stderr == ""
    names = [row["model_name"] for row in pommel("stats", "accuracy", "--format", "csv").rows()]
    assert {"all/seed-1", "all/seed-2", "en/step3"} <= set(names)


def test_a_family_is_one_by_whichever_path(
    pommel: Pommel, here: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        Path(f"{name}.json").write_text(json.dumps(suite_value(name)))
    pommel("run", "recorded://en/step*", "a.json")
    pommel("run", f"recorded://{here}/en/step*", "b.json")
    monkeypatch.chdir(models)
    pommel("run", "recorded://step*", "../c.json")
    outcome = pommel("stats", "training", "--table", "points", "--by", "all", "--format", "csv")
    assert [(row["family"], row["member"]) for row in outcome.rows()] == [
        *(("en", f"step{step}") for step in (1, 2, 3)),
    ]
    evaluated = pommel("runs", "evaluate", "--score", "first", "--format", "csv").rows()
    assert {row["model_name"] for row in evaluated} == {f"en/step{step}" for step in (1, 2, 3)}
    assert {row["family"] for row in evaluated} == {"en"}
    # Deleting takes the family by its name, wherever it was found.
    outcome = pommel("runs", "delete", "--model", "en", "--yes")
    assert outcome.stderr == "18 runs deleted\n"


def test_another_suite_is_checked_once_for_a_model(pommel: Pommel, suite_file: Path) -> None:
    pommel("run", STEPS, suite_file)
    Path("b.json").write_text(json.dumps(suite_value("b")))
    pommel("run", LAST, "b.json")
    Path("c.json").write_text(json.dumps(suite_value("c")))
    outcome = pommel("runs", "evaluate", "--suite-file", "c.json", "--format", "csv")
    assert [row["model_name"] for row in outcome.rows()] == ["en/step1", "en/step2", "en/step3"]
    assert "3 runs kept" in outcome.stderr
