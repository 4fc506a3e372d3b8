"""What no run needs goes, and nothing else."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders import by_word
from tests.store.run_samples import ITEMS, agreement, imported, made, named, store_at
from tests.word_model import WordModel

from pommel.errors import StoreError
from pommel.models.model import Policy
from pommel.scoring.run_record import RunRecord
from pommel.store import Store
from pommel.store.store import run_and_keep
from pommel.suite.suite import Suite


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_at(tmp_path) as opened:
        yield opened


def n_scored(store: Store) -> int:
    """Return how many scored sentences the store has."""
    ((number,),) = store.database.rows("SELECT count(*) FROM scored")
    return int(number)


def with_fox() -> Suite:
    """Return the suite with one more item, of two sentences."""
    return agreement("fox", [*ITEMS, {"good": ("A fox", "ran"), "bad": ("A fox", "run")}])


def test_what_runs_need_stays(store: Store) -> None:
    runs = [made(store, each) for each in (agreement(), with_fox())]
    made(store, agreement(), policy=Policy(bos="never"))
    store.runs.save_records([imported()])
    collected = store.collect_garbage()
    assert set(collected.n_deleted.values()) == {0}
    left = {"surprisals": 14, "sentences": 8, "models": 1, "policies": 2, "suites": 2}
    assert {name: collected.n_left[name] for name in left} == left
    for run in runs:
        assert len(store.runs.run(RunRecord.of(run).run_id).to_frame("tokens")) > 0


def test_what_only_deleted_runs_needed_goes(store: Store) -> None:
    kept = RunRecord.of(made(store, agreement())).run_id
    others = [made(store, with_fox()), made(store, agreement(), policy=Policy(bos="never"))]
    store.runs.delete([RunRecord.of(each).run_id for each in others])
    collected = store.collect_garbage()
    gone = {"surprisals": 8, "sentences": 2, "models": 0, "policies": 1, "suites": 1, "sessions": 0}
    assert collected.n_deleted == gone
    assert store.runs.run(kept).result.n_items == 3
    assert set(store.collect_garbage().n_deleted.values()) == {0}


def test_surprisals_of_no_run_go(store: Store) -> None:
    key = store.cache.key(WordModel().info, Policy())
    store.cache.keep(key, [by_word("A stray cat"), by_word("The dogs bark .")])
    store.collect_garbage()
    assert n_scored(store) == 0
    # Whoever was about to add more can.
    store.cache.keep(key, [by_word("Another one")])
    assert n_scored(store) == 1


def test_what_an_interrupted_run_needs_stays(store: Store) -> None:
    run = made(store, agreement())
    record = RunRecord.of(run)
    with store.database.transaction() as connection:
        connection.execute("UPDATE runs SET status = 'running'")
    store.collect_garbage()
    assert store.runs.progress(record) == (6, 6)


def test_a_dry_run_deletes_nothing_and_says_what_would_go(store: Store) -> None:
    store.runs.delete([RunRecord.of(made(store, agreement())).run_id])
    would_go = store.collect_garbage(dry_run=True)
    assert would_go.n_deleted["surprisals"] == n_scored(store) == 6
    assert store.collect_garbage() == would_go


def test_room_is_given_back(store: Store) -> None:
    key = store.cache.key(WordModel().info, Policy())
    store.cache.keep(key, [by_word(f"The cat number {n} sleeps") for n in range(2000)])
    before = store.database.n_bytes
    store.collect_garbage()
    assert store.database.has_free_pages
    store.database.shrink()
    assert not store.database.has_free_pages
    assert store.database.n_bytes < before / 2


def test_it_is_safe_while_another_writes(tmp_path: Path) -> None:
    made_runs: list[str] = []
    errors: list[BaseException] = []

    def write() -> None:
        try:
            with store_at(tmp_path) as own:
                for number in range(20):
                    suite, model = agreement(f"suite-{number}"), WordModel()
                    runs = run_and_keep(named(model), model, [suite], store=own)
                    made_runs.extend(RunRecord.of(run).run_id for run in runs)
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            errors.append(error)

    with store_at(tmp_path) as store:
        writer = threading.Thread(target=write)
        writer.start()
        while writer.is_alive():
            store.collect_garbage()
        assert errors == []
        store.collect_garbage()
        assert len(made_runs) == 20
        for run_id in made_runs:
            assert store.runs.run(run_id).result.n_items == 3


def test_a_store_for_reading_is_not_changed(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        made(store, agreement())
    with (
        Store.open(tmp_path / "store.sqlite", read_only=True) as reader,
        pytest.raises(StoreError, match="may not be written"),
    ):
        reader.collect_garbage()
