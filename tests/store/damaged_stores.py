"""Stores to be damaged, and what can be said of what comes back."""

from pathlib import Path

from tests.store.store_samples import cache_of, made_with, numbered

from pommel.models.model import Policy
from pommel.store.database import PAGE_BYTES, Database, seal
from pommel.store.salvage import Salvaged, salvage

N = 2000
KEPT = numbered(N)
N_RUNS, N_PREDICTIONS, N_ITEMS = 8, 3, 60


def made_good(path: Path) -> bytes:
    """Make a store of 2,000 sentences, and of eight runs with results between them."""
    with Database.open(path) as database:
        cache, key = cache_of(database)
        for n in range(N_RUNS):
            cache.keep(key, KEPT[n * N // N_RUNS : (n + 1) * N // N_RUNS])
            add_run(database, n)
    return path.read_bytes()


def add_run(database: Database, n: int) -> None:
    """Add a run with results of its own."""
    with database.transaction() as connection:
        connection.execute(
            "INSERT INTO runs (run_id, status, source, created, finished, model_name, suite_name, "
            "circuit, language, score_rule, model_id, policy_id, record) "
            "VALUES (?, 'complete', 'pommel', '2026', '2026', '', '', '', '', 'all', 1, 1, ?)",
            (f"run {n}", made_with(Policy(method="causal"))),
        )
        for prediction in range(N_PREDICTIONS):
            values = (n + 1, prediction, f"formula {prediction} of run {n}")
            sql = "INSERT INTO predictions VALUES (NULL, ?, ?, ?, '')"
            added = connection.execute(sql, values)
            connection.executemany(
                "INSERT INTO item_results VALUES (NULL, ?, ?, ?, 1, ?, 0)",
                [(added.lastrowid, i, i + 1, n + i / 7) for i in range(N_ITEMS)],
            )
        seal(connection, n + 1)


def results_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return all results of the complete runs of a store."""
    with Database.open(path) as database:
        rows = database.rows(
            "SELECT run_id, prediction_id, formula, position, item_number, holds, margin_bits, "
            "flags FROM runs JOIN predictions USING (run_key) JOIN item_results "
            "USING (prediction_key) WHERE status = 'complete' ORDER BY prediction_key, position"
        )
    results: dict[str, list[tuple[object, ...]]] = {}
    for run_id, *rest in rows:
        results.setdefault(run_id, []).append(tuple(rest))
    return results


def is_sound(path: Path) -> bool:
    """Say whether a store is what SQLite and its tables say it is."""
    with Database.open(path) as database:
        checks = database.rows("PRAGMA integrity_check"), database.rows("PRAGMA foreign_key_check")
    return checks == ([("ok",)], [])


def pages_of(data: bytes, text: bytes) -> list[int]:
    """Return on which pages (from 0) a text begins."""
    pages, at = [], data.find(text)
    while at >= 0:
        pages.append(at // PAGE_BYTES)
        at = data.find(text, at + 1)
    return pages


def salvaged(tmp_path: Path, data: bytes) -> tuple[Path, Salvaged]:
    """Salvage what is left of a store; checks that it is sound, and nothing else was done."""
    damaged, target = tmp_path / "damaged", tmp_path / "new"
    damaged.write_bytes(data)
    counts = salvage(damaged, target)
    assert damaged.read_bytes() == data
    assert sorted(tmp_path.iterdir()) == [damaged, target]
    assert is_sound(target)
    return target, counts
