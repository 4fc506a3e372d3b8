"""Stores to be damaged, and what can be said of what comes back."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.store.run_samples import imported
from tests.store.store_samples import WREN, cache_of, numbered

from pommel.models.model import Policy
from pommel.scoring.run_record import ModelFacts, RunRecord
from pommel.store.database import PAGE_BYTES, Database
from pommel.store.run_rows import RunRows
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
    result = imported(f"run {n}", holds="1" * N_ITEMS, source=RunRecord.OWN)
    predictions = tuple(
        replace(
            result.result.predictions[0],
            prediction_id=number,
            formula=f"formula {number} of run {n}",
            margin_bits=n + np.arange(N_ITEMS) / 7,
        )
        for number in range(N_PREDICTIONS)
    )
    policy = Policy(method="causal")
    record = replace(
        result,
        result=replace(result.result, predictions=predictions),
        model=ModelFacts(fingerprint=WREN.fingerprint),
        policy={**policy.to_dict(), "fingerprint": policy.fingerprint},
    )
    with database.transaction() as connection:
        links = {"run_key": n + 1, "model_id": 1, "policy_id": 1, "finished": "2026"}
        RunRows(connection=connection).insert(record, links)


def results_of(path: Path) -> dict[str, tuple[object, ...]]:
    """Return the results of the complete runs of a store."""
    with Database.open(path) as database:
        rows = RunRows(connection=database.connection)
        return {
            row.run_id: (row.scores, rows.record(row).result.formulas, row.items)
            for row in rows.rows(items=True)
            if row.status == "complete"
        }


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
