"""A run that counts as complete after its store was damaged is."""

from pathlib import Path

import pytest
from tests.store.damaged_stores import (
    N_ITEMS,
    N_PREDICTIONS,
    N_RUNS,
    add_run,
    made_good,
    pages_of,
    results_of,
    salvaged,
)
from tests.store.store_samples import cache_of, filled, numbered

from pommel.store.database import PAGE_BYTES, Database
from pommel.store.salvage import salvage


def test_runs_that_lost_results_are_not_complete(tmp_path: Path) -> None:
    data = bytearray(made_good(tmp_path / "good"))
    (tmp_path / "good").unlink()
    (page,) = set(pages_of(bytes(data), b"formula 1 of run 5"))
    data[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = bytes(PAGE_BYTES)
    target, counts = salvaged(tmp_path, bytes(data))
    # All formulas are on this page.
    assert results_of(target) == {}
    assert (counts.kept["runs"], counts.n_reopened) == (N_RUNS, N_RUNS)
    with Database.open(target) as database:
        assert database.rows("SELECT DISTINCT status, finished FROM runs") == [("running", None)]


def test_a_single_lost_item(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 1)
    with Database.open(path) as database:
        for n in range(3):
            add_run(database, n)
        with database.transaction() as connection:
            # Among the items of the second run; a number cannot be a text.
            key = N_PREDICTIONS * N_ITEMS + 7
            sql = "UPDATE item_results SET item_number = 'seven' WHERE item_result_key = ?"
            connection.execute(sql, (key,))
    target = tmp_path / "new"
    counts = salvage(path, target)
    assert set(results_of(target)) == {"run 0", "run 2"}
    assert counts.n_reopened == 1
    assert counts.lost["item_results"] == 1


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE item_results SET margin_bits = margin_bits + 1e-9 WHERE item_result_key = 187",
        "UPDATE item_results SET flags = 1 WHERE item_result_key = 187",
        "UPDATE item_results SET position = 60 WHERE item_result_key = 187",
        "DELETE FROM item_results WHERE item_result_key = 240",
        "DELETE FROM predictions WHERE prediction_key = 6",
        "UPDATE predictions SET formula = '1 < 2' WHERE prediction_key = 5",
        "UPDATE runs SET score_rule = 'each' WHERE run_key = 2",
        "UPDATE runs SET check_sum = check_sum + 1 WHERE run_key = 2",
    ],
)
def test_results_that_are_not_what_was_sealed(tmp_path: Path, change: str) -> None:
    path = tmp_path / "store"
    with Database.open(path) as database:
        cache, key = cache_of(database)
        cache.keep(key, numbered(1))
        for n in range(3):
            add_run(database, n)
        with database.transaction() as connection:
            connection.execute(change)
    counts = salvage(path, tmp_path / "new")
    assert set(results_of(tmp_path / "new")) == {"run 0", "run 2"}
    assert counts.n_reopened == 1
