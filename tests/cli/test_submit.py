"""`pommel submit`."""

from pathlib import Path

import pytest
from tests.cli.samples import Pommel

from pommel.leaderboard.submission import read_submission, recomputed
from pommel.sources.load import load_suites
from pommel.store import Store


def test_runs_of_a_model_are_packed(pommel: Pommel, suites: Path, tmp_path: Path) -> None:
    pommel("run", "dummy://", "dummy://uniform?bits=2", suites)
    path = tmp_path / "x.pommel.zip"
    outcome = pommel(
        *("submit", "--model", "dummy", "--by", "A. Linguist", "--name", "Dummy 1"),
        *("--contact", "a@example.org", "--url", "https://example.org", "--note", "a toy"),
        *("-o", path),
    )
    assert outcome.status == 0
    assert outcome.stdout == ""
    n_bytes = f"{path.stat().st_size:,}"
    submission = read_submission(path)
    n_tokens = sum(each.entry.n_tokens for each in submission.runs)
    assert outcome.stderr == f"Dummy 1: 2 suites, {n_tokens} tokens, {n_bytes} bytes: {path}\n"
    submitter = submission.manifest.submitter
    assert (submitter.name, submitter.by) == ("Dummy 1", "A. Linguist")
    assert (submitter.contact, submitter.url) == ("a@example.org", "https://example.org")
    assert submitter.note == "a toy"
    loaded = load_suites([str(suites)]).suites
    runs = recomputed(submission, loaded)
    assert [run.result.suite_name for run in runs] == ["first", "second"]


def test_runs_are_chosen_by_their_ids(
    pommel: Pommel, suites: Path, tmp_path: Path, own_store: Path
) -> None:
    pommel("run", "dummy://", suites)
    with Store.open(own_store) as store:
        (first, _) = (each.run_id for each in store.runs.heads())
    path = tmp_path / "x.zip"
    assert pommel("submit", first[:6], "--by", "me", "-o", path).status == 0
    assert [each.entry.name for each in read_submission(path).runs] == ["first"]


def test_runs_that_are_no_submission(pommel: Pommel, suites: Path, tmp_path: Path) -> None:
    pommel("run", "dummy://", "dummy://uniform?bits=2", suites)
    path = tmp_path / "x.zip"
    outcome = pommel("submit", "--by", "me", "-o", path)
    assert outcome.status == 2
    assert outcome.stderr.startswith("pommel: a submission is of one model, and these runs are of ")
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Error: Missing option '--by'.\n"),
        (("--by", "a", "--url", "ftp://x"), "pommel: url cannot be 'ftp://x'; write https://...\n"),
    ],
)
def test_what_is_said_of_the_submitter(
    pommel: Pommel, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    outcome = pommel("submit", *arguments, "-o", tmp_path / "x.zip")
    assert outcome.status == 2
    assert outcome.stderr.endswith(said)


def test_a_path_is_not_published(pommel: Pommel, suites: Path, tmp_path: Path) -> None:
    recording = tmp_path / "ana.jsonl"
    (first, *_) = sorted(suites.iterdir())
    pommel("surprisals", "dummy://", first, "--format", "jsonl", "-o", recording)
    assert pommel("run", f"recorded://{recording}", first).status == 0
    path = tmp_path / "x.pommel.zip"
    submit = ("submit", "--by", "Ana", "-o", path)
    message = pommel(*submit).failure(2)
    assert message.startswith(f"the model 'recorded://{tmp_path.parent}")
    assert " is called by a path of this machine, which is not published; say" in message
    assert message.endswith("; say what it is to be called, with --name 'NAME'")
    assert not path.exists()
    assert pommel(*submit, "--name", "Dummy").status == 0
    model = read_submission(path).manifest.model
    assert model["reference"] == "local://Dummy"
    assert str(tmp_path) not in str(model)


def test_there_is_no_store(pommel: Pommel, tmp_path: Path, own_store: Path) -> None:
    outcome = pommel("submit", "--by", "me", "-o", tmp_path / "x.zip")
    assert outcome.status == 2
    assert outcome.stderr.startswith(f"pommel: {own_store}: there is no store; ")


def test_a_place_that_cannot_be_written(pommel: Pommel, suites: Path, tmp_path: Path) -> None:
    pommel("run", "dummy://", suites)
    (tmp_path / "file").touch()
    outcome = pommel("submit", "--by", "me", "-o", tmp_path / "file" / "x.zip")
    assert outcome.status == 1
    assert outcome.stderr.endswith("x.zip: cannot be written: Not a directory\n")
