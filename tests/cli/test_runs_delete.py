"""`pommel runs delete`, `gc` and `recover`."""

from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.cli.terminal import on_terminal
from tests.store.run_samples import agreement, imported, made

from pommel.scoring.run_record import RunRecord
from pommel.store import Selection, Store


@pytest.fixture
def run_id(own_store: Path) -> str:
    """A run of our own, beside one that was imported."""
    with Store.open(own_store) as store:
        found = RunRecord.of(made(store, agreement("own"))).run_id
        store.runs.save_records([imported()])
    return found


def ids(path: Path) -> list[str]:
    with Store.open(path) as store:
        return [each.run_id for each in store.runs.heads(Selection(complete_only=False))]


def test_without_a_terminal_yes_has_to_be_said(
    pommel: Pommel, run_id: str, own_store: Path
) -> None:
    outcome = pommel("runs", "delete", run_id)
    assert (
        outcome.failure(2)
        == f"this deletes 1 run: {run_id} (words on own); say --yes if that is meant"
    )
    outcome = pommel("runs", "delete", run_id[:5], "--yes")
    assert (outcome.status, outcome.stderr) == (0, "1 run deleted\n")
    assert ids(own_store) == ["0123456789ab"]


@pytest.mark.parametrize(("answer", "n_left"), [("n\n", 2), ("\n", 2), ("y\n", 1)])
def test_on_a_terminal_it_asks(run_id: str, own_store: Path, answer: str, n_left: int) -> None:
    environment = {"POMMEL_STORE": str(own_store)}
    with on_terminal(
        "runs", "delete", "--source", "paper", environment=environment, columns=200
    ) as started:
        started.wait_for("Delete 1 run, 0123456789ab (gpt2 on agreement)? [y/N]")
        started.type(answer)
        started.wait_for("1 run deleted" if n_left == 1 else "nothing is deleted")
        assert started.end() == 0
    assert len(ids(own_store)) == n_left
    assert ids(own_store)[0] == run_id


def test_interrupted_runs_are_deleted_too(pommel: Pommel, run_id: str, own_store: Path) -> None:
    with Store.open(own_store) as store, store.database.transaction() as connection:
        connection.execute("UPDATE runs SET status = 'running'")
    assert pommel("runs", "delete", "--model", "*", "--yes").stderr == "2 runs deleted\n"
    assert ids(own_store) == []
    assert run_id


@pytest.mark.usefixtures("run_id")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--yes",), "which runs? Name ids, or --model, --suite and so on; '*' is any"),
        (("ffff", "--yes"), "no run has an id that begins with 'ffff'"),
        (("--suite", "none", "--yes"), "no run in the store has such a suite"),
    ],
)
def test_nothing_is_deleted_by_mistake(
    pommel: Pommel, own_store: Path, arguments: tuple[str, ...], message: str
) -> None:
    outcome = pommel("runs", "delete", *arguments)
    assert outcome.status == 2
    assert message in outcome.stderr
    assert len(ids(own_store)) == 2


# --- what no run needs


def test_what_no_run_needs_goes(pommel: Pommel, run_id: str, own_store: Path) -> None:
    pommel("runs", "delete", run_id, "--yes")
    outcome = pommel("runs", "gc", "--dry-run")
    assert outcome.stderr == "nothing is deleted (--dry-run)\n"
    assert outcome.stdout.splitlines() == [
        "surprisals          6 of 6 would go",
        "sentences           6 of 6 would go",
        "models              1 of 1 would go",
        "policies            1 of 1 would go",
        "suites              1 of 1 would go",
        "sessions            0 of 1 would go",
    ]
    size = own_store.stat().st_size
    lines = pommel("runs", "gc").stdout.splitlines()
    assert lines[0] == "surprisals          6 of 6 deleted"
    assert lines[-1].startswith("bytes ")
    assert int(lines[-1].split()[-1].replace(",", "")) <= size
    assert pommel("runs", "gc").stdout.splitlines()[0] == "surprisals          0 of 0 deleted"
    assert ids(own_store) == ["0123456789ab"]


def test_there_is_no_store_to_clean(pommel: Pommel, own_store: Path) -> None:
    outcome = pommel("runs", "gc")
    assert outcome.status == 2
    assert f"{own_store}: there is no store;" in outcome.stderr
    assert not own_store.exists()


# --- what can be read


def test_a_truncated_store_is_recovered(
    pommel: Pommel, run_id: str, own_store: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new.sqlite"
    size = own_store.stat().st_size
    outcome = pommel("runs", "recover", own_store, "-o", new)
    assert outcome.status == 0
    assert f"Recovered: {new}\n" in outcome.stderr
    assert "scored                6 kept\n" in outcome.stdout
    assert ids(new) == [run_id, "0123456789ab"]
    assert own_store.stat().st_size == size


def test_nothing_is_recovered_over_another_store(
    pommel: Pommel, run_id: str, own_store: Path, tmp_path: Path
) -> None:
    (other := tmp_path / "other.sqlite").write_bytes(own_store.read_bytes())
    outcome = pommel("runs", "recover", own_store, "-o", other)
    assert outcome.failure(1) == f"{other}: is there already; give the new store another name"
    outcome = pommel("runs", "recover", tmp_path / "none", "-o", tmp_path / "new")
    assert outcome.status == 1
    assert str(tmp_path / "none") in outcome.stderr
    assert not (tmp_path / "new").exists()
    assert run_id in ids(own_store)
