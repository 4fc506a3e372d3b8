"""What belongs together in a store that was salvaged belonged together before."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.store.run_samples import agreement, made, store_at
from tests.store.store_samples import ROBIN, WREN, cache_of, filled, numbered
from tests.word_model import WordModel

from pommel.errors import StoreError
from pommel.models.model import Method, Policy
from pommel.scoring.run_record import RunRecord
from pommel.store.database import PAGE_BYTES, Database
from pommel.store.salvage import salvage
from pommel.store.store import Store
from pommel.store.surprisal_cache import encode_tokens

OWL = replace(ROBIN, reference="owl", name="owl", fingerprint="c" * 64)


def moved(path: Path, tokens: bytes, place: int) -> None:
    """Flip the last bit of the key of the model that said something: of model 2 it becomes 3.

    `place` is how many bytes of keys stand between it and the tokens; a key that is 1 takes none.
    """
    data = bytearray(path.read_bytes())
    (at,) = [n for n in range(len(data)) if data.startswith(tokens, n)]
    assert data[at - place] == 2
    data[at - place] = 3
    path.write_bytes(data)


def said_by(path: Path, model_id: int) -> int:
    """Return how many sentences of a model a store has."""
    with Database.open(path) as database:
        sql = "SELECT count(*) FROM scored WHERE model_id = ?"
        ((n,),) = database.rows(sql, (model_id,))
    return int(n)


def test_tokens_that_went_over_to_another_model(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with Database.open(path) as database:
        for info, n in ((WREN, 1), (ROBIN, 5), (OWL, 2)):
            cache, key = cache_of(database, info)
            cache.keep(key, numbered(n, 10))
    moved(path, encode_tokens(numbered(1, 14)[0]), 3)
    counts = salvage(path, tmp_path / "new")
    assert (said_by(tmp_path / "new", 2), said_by(tmp_path / "new", 3)) == (4, 2)
    assert counts.lost["scored"] == 1


@pytest.mark.parametrize("methods", [(), ("causal",)])
@pytest.mark.parametrize("column", ["model_id", "policy_id", "suite_id"])
def test_a_run_that_leads_elsewhere_is_put_right(
    tmp_path: Path, column: str, methods: tuple[Method, ...]
) -> None:
    model = WordModel(methods=methods)
    with store_at(tmp_path) as store:
        first = made(store, agreement(), model)
        made(store, agreement("other"), model, policy=Policy(bos="never"))
        run_id = RunRecord.of(first).run_id
        changed(store, f"UPDATE runs SET {column} = 3 - {column} WHERE run_key = 1")  # noqa: S608
        path = store.path
    if column == "suite_id":
        with Store.open(path) as store, pytest.raises(StoreError):
            store.runs.run(run_id)
    counts = salvage(path, tmp_path / "new")
    assert (counts.n_reopened, counts.n_unlinked) == (0, 0)
    with Store.open(tmp_path / "new") as store:
        assert store.database.rows("SELECT model_id, policy_id, suite_id FROM runs") == [
            (1, 1, 1),
            (1, 2, 2),
        ]
        assert store.runs.run(run_id).surprisals.sentences == first.surprisals.sentences


def test_a_run_without_its_suite(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        run_id = RunRecord.of(made(store, agreement())).run_id
        changed(store, "UPDATE suites SET document = x'00'")
        path = store.path
    counts = salvage(path, tmp_path / "new")
    assert (counts.kept["suites"], counts.n_unlinked, counts.n_reopened) == (0, 1, 0)
    with Store.open(tmp_path / "new") as store:
        (record,) = store.runs.records()
        assert record.run_id == run_id
        assert record.result.predictions
        assert store.runs.with_tokens([record]) == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE policies SET fingerprint = 'else'",
        "UPDATE models SET fingerprint = 'else'",
        "UPDATE suites SET sha256 = 'else'",
    ],
)
def test_what_is_not_what_it_is_known_by(tmp_path: Path, change: str) -> None:
    with store_at(tmp_path) as store:
        made(store, agreement())
        changed(store, change)
        path = store.path
    counts = salvage(path, tmp_path / "new")
    with Store.open(tmp_path / "new") as store:
        rows = store.database.rows("SELECT model_id, policy_id, suite_id FROM runs")
        assert sum(key is None for key in rows[0]) >= counts.n_unlinked == 1
        assert len(store.runs.records()) == 1


def test_the_suite_of_another_run(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        run_id = RunRecord.of(made(store, agreement())).run_id
        made(store, agreement("other"))
        changed(store, "UPDATE runs SET suite_id = 2 WHERE run_key = 1")
        with pytest.raises(StoreError, match=f"is damaged .run {run_id} has another run's suite"):
            store.runs.run(run_id)


def test_a_page_in_the_place_of_another_is_no_silent_loss(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 1000)
    data = bytearray(path.read_bytes())
    scored = [encode_tokens(each) for each in numbered(1000)]
    first, second = (data.index(scored[n]) // PAGE_BYTES for n in (100, 500))
    assert first != second
    data[first * PAGE_BYTES : (first + 1) * PAGE_BYTES] = data[
        second * PAGE_BYTES : (second + 1) * PAGE_BYTES
    ]
    path.write_bytes(data)
    counts = salvage(path, tmp_path / "new")
    assert counts.kept["scored"] < 1000
    assert counts.kept["scored"] + counts.lost["scored"] == 1000


def test_what_was_deleted_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 100)
    with Database.open(path) as database, database.transaction() as connection:
        connection.execute("DELETE FROM scored WHERE scored_id % 2")
    assert not any(salvage(path, tmp_path / "new").lost.values())


def changed(store: Store, statement: str) -> None:
    """Change what a store has."""
    store.database.connection.execute("PRAGMA foreign_keys = OFF")
    with store.database.transaction() as connection:
        connection.execute(statement)
