"""Sentences at which a model fails: counted, named, and nobody's gain."""

import json
from pathlib import Path

import pytest
from tests.builders import suite_text, suite_value
from tests.cli.samples import Pommel
from tests.word_model import WordModel

from pommel.errors import ModelError

MODEL = "builtin://en-gpt2"
LONG = "The dog that likes " + "the dog that likes " * 20 + "the cat"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite whose second item is longer than the model's 128 tokens."""
    items = [
        {"right": (subject, "barks"), "wrong": (subject, "bark")} for subject in ("The dog", LONG)
    ]
    value = suite_value(items, ["(2;%right%) < (2;%wrong%)"], name="lengths")
    path = tmp_path / "lengths.json"
    path.write_text(suite_text(value), "utf-8")
    return path


def test_its_items_are_skipped_and_the_sentences_named(
    pommel: Pommel, suite: Path, tmp_path: Path
) -> None:
    outcome = pommel("run", MODEL, suite, "-o", tmp_path / "results")
    assert outcome.status == 0
    assert "1.00 [0.21, 1.00] of 1" in outcome.stdout
    first, second, _ = outcome.stderr.splitlines()
    assert first.startswith("note: en-gpt2 on lengths: failed at 2 sentences ('The dog that likes ")
    assert first.endswith("tokens, more than the 128 that the model can take)")
    assert second == (
        "note: en-gpt2 on lengths: prediction 0 skips 1 item with a sentence at which the model "
        "has failed"
    )
    (run,) = json.loads((tmp_path / "results" / "runs.json").read_text("utf-8"))["runs"]
    assert [*run["provenance"]["failed"]] == [f"{LONG} barks", f"{LONG} bark"]
    rows = (tmp_path / "results" / "suites.csv").read_text("utf-8").splitlines()
    row = dict(zip(rows[0].split(","), rows[1].split(","), strict=True))
    assert (row["n_items"], row["n_holding"], row["n_skipped"]) == ("1", "1", "1")


def test_a_strict_run_fails(pommel: Pommel, suite: Path) -> None:
    outcome = pommel("run", MODEL, suite, "--strict-model")
    assert (outcome.status, outcome.stdout) == (1, "")
    assert outcome.stderr.endswith(
        "more than the 128 that the model can take (and 1 other sentence that it fails on)\n"
    )


def test_a_suite_of_nothing_else_is_no_run(pommel: Pommel, suite: Path) -> None:
    value = json.loads(suite.read_text("utf-8"))
    del value["items"][0]
    suite.write_text(json.dumps(value), "utf-8")
    outcome = pommel("run", MODEL, suite)
    assert (outcome.status, outcome.stdout) == (1, "")
    assert "(and 1 other sentence that it fails on)" in outcome.stderr


def test_surprisals_that_are_evaluated_later(pommel: Pommel, suite: Path, tmp_path: Path) -> None:
    evaluated = tmp_path / "evaluated.json"
    outcome = pommel("surprisals", MODEL, suite, "-o", evaluated)
    assert outcome.status == 0
    assert "note: en-gpt2 on lengths: failed at 2 sentences (" in outcome.stderr
    assert "1.00 [0.21, 1.00] of 1" in pommel("evaluate", evaluated).stdout
    assert pommel("surprisals", MODEL, suite, "--strict-model").status == 1


def test_a_recording_has_the_other_sentences(pommel: Pommel, suite: Path, tmp_path: Path) -> None:
    recorded = tmp_path / "tokens.jsonl"
    pommel("surprisals", MODEL, suite, "--format", "jsonl", "-o", recorded)
    _, *lines = recorded.read_text("utf-8").splitlines()
    assert [json.loads(line)["sentence"] for line in lines] == ["The dog barks", "The dog bark"]


def test_the_store_has_the_same_and_a_submission_is_refused(
    pommel: Pommel, suite: Path, tmp_path: Path
) -> None:
    pommel("run", MODEL, suite)
    assert pommel("report", "-o", tmp_path / "report.html").status == 0
    outcome = pommel("submit", "--by", "me", "-o", tmp_path / "x.zip")
    assert outcome.status == 2
    assert (
        "(lengths): the model has failed at 2 sentences, the first 'The dog that" in outcome.stderr
    )
    assert outcome.stderr.endswith("a submission has an answer for every one\n")
    assert not (tmp_path / "x.zip").exists()


def test_failures_are_told_before_all_other_notes(
    pommel: Pommel, suite: Path, tmp_path: Path
) -> None:
    names = [f"lengths_{number}" for number in range(6)]
    for name in names:
        text = suite.read_text("utf-8").replace('"lengths"', f'"{name}"')
        (tmp_path / f"{name}.json").write_text(text, "utf-8")
    outcome = pommel("run", MODEL, *(tmp_path / f"{name}.json" for name in names))
    shown = outcome.stderr.splitlines()
    assert [line.partition(" (")[0] for line in shown[:6]] == [
        f"note: en-gpt2 on {name}: failed at 2 sentences" for name in names
    ]
    assert len(shown) == 9
    assert shown[8].startswith("note: 4 more like these; ")


def test_targets(pommel: Pommel, tmp_path: Path) -> None:
    table = tmp_path / "targets.csv"
    table.write_text(f"context,target\nThe dog,barks\n{LONG},barks\n", "utf-8")
    outcome = pommel("conditional", MODEL, table, "--format", "csv")
    assert outcome.status == 0
    assert outcome.stderr.startswith(
        "note: no score for 1 target: the model failed ('The dog that "
    )
    assert outcome.stdout.splitlines()[2].endswith(",barks,,,0,0,[]")
    assert pommel("conditional", MODEL, table, "--strict-model").status == 1
    table.write_text(f"context,target\n{LONG},barks\n", "utf-8")
    assert pommel("conditional", MODEL, table).status == 1


def test_a_strict_model_is_asked_for_targets_once(
    pommel: Pommel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure = ModelError("it broke")
    failure.suspect = "It likes me"
    model = WordModel(fails_at=failure.suspect, failure=failure)
    monkeypatch.setattr("pommel.models.load_model", lambda *_, **__: model)
    table = tmp_path / "targets.csv"
    table.write_text("context,target\nA dog,barks\nIt likes,me\nA cat,purrs\n", "utf-8")
    outcome = pommel("conditional", "toy://words", table, "--strict-model")
    assert (outcome.status, outcome.stderr) == (1, "pommel: it broke\n")
    assert model.asked == [["A dog barks", "It likes me", "A cat purrs"]]
    assert pommel("conditional", "toy://words", table).status == 0
