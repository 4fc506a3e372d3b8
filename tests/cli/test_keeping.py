"""Where commands keep what they score: `--store`, `--no-store`, the user's own store."""

import sqlite3
from pathlib import Path

import pytest
from tests.cli.samples import Pommel


def sentences(path: Path) -> int:
    connection = sqlite3.connect(path)
    ((n,),) = connection.execute("SELECT count(*) FROM scored")
    connection.close()
    return int(n)


def test_runs_are_kept_in_the_users_own_store(
    pommel: Pommel, suite_file: Path, own_store: Path
) -> None:
    assert pommel("run", "dummy://", suite_file).status == 0
    assert sentences(own_store) > 0


def test_a_store_that_was_named(pommel: Pommel, suite_file: Path, own_store: Path) -> None:
    path = own_store.with_name("other.sqlite")
    for command in (["run", "dummy://", suite_file], ["surprisals", "dummy://", suite_file]):
        assert pommel(*command, "--store", path).status == 0
    assert sentences(path) > 0
    assert not own_store.exists()


def test_a_store_without_a_name(pommel: Pommel, suite_file: Path) -> None:
    for command in (["run", "dummy://", suite_file], ["runs", "list"]):
        outcome = pommel(*command, "--store", "")
        assert outcome.status == 2
        assert "--store': it is empty; name a file" in outcome.stderr


def test_nothing_is_kept_if_nothing_is_to_be(
    pommel: Pommel, suite_file: Path, own_store: Path
) -> None:
    for command in ("run", "surprisals"):
        assert pommel(command, "dummy://", suite_file, "--no-store").status == 0
    assert not own_store.exists()


def test_both_is_too_much(pommel: Pommel, suite_file: Path, own_store: Path) -> None:
    outcome = pommel("run", "dummy://", suite_file, "--no-store", "--store", own_store)
    assert outcome.status == 2
    assert "--store and --no-store: say one of them" in outcome.stderr


def test_scored_again(pommel: Pommel, suite_file: Path, own_store: Path) -> None:
    first = pommel("run", "dummy://", suite_file)
    assert pommel("run", "dummy://", suite_file, "--rescore") == first
    outcome = pommel("run", "dummy://", suite_file, "--rescore", "--no-store")
    assert (outcome.status, own_store.exists()) == (2, True)
    assert "leave --rescore out" in outcome.stderr


def test_an_own_store_that_cannot_be_is_no_reason_not_to_score(
    pommel: Pommel, suite_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = suite_file / "below" / "store.sqlite"  # a file has no folders
    monkeypatch.setenv("POMMEL_STORE", str(nowhere))
    outcome = pommel("run", "dummy://", suite_file)
    assert outcome.status == 0
    assert outcome.stderr.startswith(f"note: nothing is kept: {nowhere.parent}")
    # One that was asked for is.
    outcome = pommel("run", "dummy://", suite_file, "--store", nowhere)
    assert outcome.status == 1
    assert outcome.stderr.startswith(f"pommel: {nowhere.parent}")


def test_a_file_that_is_no_store_is_an_error(
    pommel: Pommel, suite_file: Path, own_store: Path
) -> None:
    own_store.parent.mkdir(parents=True)
    own_store.write_text("a list of things to buy\n" * 100)
    outcome = pommel("run", "dummy://", suite_file)
    assert outcome.status == 1
    assert "is no SQLite file, and was not changed" in outcome.stderr
    assert own_store.read_text().startswith("a list of things")
