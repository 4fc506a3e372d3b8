"""A run that counts as complete after its store was damaged is."""

from pathlib import Path

import pytest
from tests.store.damaged_stores import (
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
    truth = results_of(tmp_path / "good")
    (tmp_path / "good").unlink()
    # Of what is only known of this run; a page has it of several.
    pages = pages_of(bytes(data), b"formula 1 of run 5")
    for page in pages:
        data[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = bytes(PAGE_BYTES)
    target, counts = salvaged(tmp_path, bytes(data))
    found = results_of(target)
    assert "run 5" not in found
    assert found == {run_id: truth[run_id] for run_id in found}
    assert (counts.kept["runs"], counts.n_reopened) == (N_RUNS, N_RUNS - len(found))
    with Database.open(target) as database:
        sql = "SELECT DISTINCT status, finished, scores FROM runs WHERE status != 'complete'"
        assert database.rows(sql) == [("running", None, "[]")]


def test_a_run_that_lost_its_items(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 1)
    with Database.open(path) as database:
        for n in range(3):
            add_run(database, n)
        with database.transaction() as connection:
            # Packed items cannot be a text.
            connection.execute("UPDATE results SET items = 'seven' WHERE run_key = 2")
    target = tmp_path / "new"
    counts = salvage(path, target)
    assert set(results_of(target)) == {"run 0", "run 2"}
    assert counts.n_reopened == 1
    assert counts.lost["results"] == 1


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE results SET items = zeroblob(length(items)) WHERE run_key = 2",
        "UPDATE results SET items = CAST(x'01' || substr(items, 2) AS BLOB) WHERE run_key = 2",
        "UPDATE results SET items = CAST(items || x'00' AS BLOB) WHERE run_key = 2",
        "UPDATE results SET items = x'00' WHERE run_key = 2",
        "DELETE FROM results WHERE run_key = 2",
        "UPDATE documents SET content = replace(content, 'formula 1 of run 1', '1 < 2')",
        "DELETE FROM documents WHERE content LIKE '%of run 1%'",
        "UPDATE runs SET of_suite = of_suite - 1 WHERE run_key = 2",
        "UPDATE runs SET of_choices = NULL WHERE run_key = 2",
        "UPDATE runs SET scores = '[]' WHERE run_key = 2",
        "UPDATE runs SET score_rule = 'each' WHERE run_key = 2",
        "UPDATE runs SET check_sum = check_sum + 1 WHERE run_key = 2",
        "UPDATE runs SET check_sum = NULL WHERE run_key = 2",
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
