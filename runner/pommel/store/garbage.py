"""What no stored run needs, deleted."""

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pommel.store.database import Database, beside
from pommel.store.suite_documents import suite_from_document
from pommel.store.surprisal_cache import delete_unused, sentence_hash

# What is counted, and where.
_COUNTED = {
    "surprisals": "scored",
    "sentences": "sentences",
    "models": "models",
    "policies": "policies",
    "suites": "suites",
    "sessions": "sessions",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """How much was deleted: scored sentences (`surprisals`), their texts, models, ..."""

    n_deleted: Mapping[str, int]
    n_left: Mapping[str, int]


def collect(database: Database, *, dry_run: bool = False) -> Collected:
    """Delete surprisals that no run's suite needs, and what nothing refers to any more.

    A run needs all sentences of its suite under its model and policy, whether it is complete or
    was interrupted. All is one transaction, and what another process has begun by then is needed,
    too. `dry_run` deletes nothing, and says what would go. Raises `StoreError`.
    """
    # Reading suites takes longer than everything else: it is done before others have to wait.
    sentences = dict(_suite_sentences(database, database.connection, {}))
    with database.transaction() as connection:
        before = _counts(connection)
        sentences |= _suite_sentences(database, connection, sentences)
        if dry_run:
            connection.execute("SAVEPOINT before")
        _delete(connection, sentences)
        after = _counts(connection)
        if dry_run:
            connection.execute("ROLLBACK TO before")
    return Collected(
        n_deleted={name: before[name] - after[name] for name in _COUNTED}, n_left=after
    )


def n_bytes(database: Database) -> int:
    """Return what a store takes on the disk, the log of what was written last included."""
    log = beside(database.path, "-wal")
    return sum(path.stat().st_size for path in (database.path, log) if path.exists())


def has_free_pages(database: Database) -> bool:
    """Say whether the file has room in it that could be given back."""
    ((n_free,),) = database.rows("PRAGMA freelist_count")
    return bool(n_free)


def _suite_sentences(
    database: Database, connection: sqlite3.Connection, known: Mapping[int, set[bytes]]
) -> Iterator[tuple[int, set[bytes]]]:
    """Yield the hashes of a suite's sentences by its key, for all that runs have and are new."""
    rows = connection.execute(
        "SELECT suite_id, document FROM suites WHERE document IS NOT NULL "
        "AND EXISTS (SELECT 1 FROM runs WHERE runs.suite_id = suites.suite_id)"
    )
    for suite_id, document in rows.fetchall():
        if suite_id not in known:
            suite = suite_from_document(database, document)
            texts = {each.text for row in suite.sentences() for each in row}
            yield suite_id, {found for each in texts if (found := sentence_hash(each)) is not None}


def _delete(connection: sqlite3.Connection, sentences: Mapping[int, set[bytes]]) -> None:
    connection.execute("DROP TABLE IF EXISTS temp.suite_sentences")
    connection.execute(
        "CREATE TEMP TABLE suite_sentences (sentence_id INTEGER, suite_id INTEGER, "
        "PRIMARY KEY (sentence_id, suite_id)) WITHOUT ROWID"
    )
    connection.executemany(
        "INSERT INTO suite_sentences SELECT sentence_id, ? FROM sentences WHERE hash = ?",
        ((suite_id, each) for suite_id, hashes in sentences.items() for each in hashes),
    )
    connection.execute("DROP TABLE IF EXISTS temp.suite_runs")
    connection.execute(
        "CREATE TEMP TABLE suite_runs (suite_id INTEGER, model_id INTEGER, policy_id INTEGER, "
        "PRIMARY KEY (suite_id, model_id, policy_id)) WITHOUT ROWID"
    )
    connection.execute(
        "INSERT INTO suite_runs SELECT DISTINCT suite_id, model_id, policy_id FROM runs "
        "WHERE suite_id IS NOT NULL AND model_id IS NOT NULL AND policy_id IS NOT NULL"
    )
    connection.execute(
        "DELETE FROM scored WHERE NOT EXISTS ("
        "  SELECT 1 FROM suite_sentences JOIN suite_runs USING (suite_id)"
        "  WHERE suite_sentences.sentence_id = scored.sentence_id"
        "  AND suite_runs.model_id = scored.model_id"
        "  AND suite_runs.policy_id = scored.policy_id)"
    )
    connection.execute(
        "DELETE FROM suites WHERE NOT EXISTS "
        "(SELECT 1 FROM runs WHERE runs.suite_id = suites.suite_id)"
    )
    delete_unused(connection)
    connection.execute("DROP TABLE temp.suite_sentences")
    connection.execute("DROP TABLE temp.suite_runs")


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    return {
        name: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - our own names
        for name, table in _COUNTED.items()
    }
