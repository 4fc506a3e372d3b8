"""The tables of a store, version by version.

Version 1: cached surprisals, and runs with their results.
Version 2: sessions (which program, packages and machine scored a sentence); check sums of scored
sentences and of results; runs are found by model and suite.

A version's statements are never changed once it was released: they are what makes an older file
into a newer one. Every key is AUTOINCREMENT, so that `sqlite_sequence` says how many rows a damaged
file has had.
"""

import json
import sqlite3
import zlib
from pathlib import Path

from pommel.errors import StoreError

# "poml": what tells a store from another program's SQLite file.
APPLICATION_ID = 0x706F6D6C

_VERSION_1 = (
    # A model, known by what decides its numbers. description: ModelInfo.to_dict(), JSON.
    """
    CREATE TABLE models (
        model_id INTEGER PRIMARY KEY AUTOINCREMENT,
        fingerprint TEXT NOT NULL UNIQUE,
        description TEXT NOT NULL
    )
    """,
    # A scoring policy. description: Policy.to_dict(), JSON.
    """
    CREATE TABLE policies (
        policy_id INTEGER PRIMARY KEY AUTOINCREMENT,
        fingerprint TEXT NOT NULL UNIQUE,
        description TEXT NOT NULL
    )
    """,
    # hash: the first 16 bytes of the SHA-256 of the text's UTF-8.
    """
    CREATE TABLE sentences (
        sentence_id INTEGER PRIMARY KEY AUTOINCREMENT,
        hash BLOB NOT NULL UNIQUE,
        text TEXT NOT NULL
    )
    """,
    # What a model said of a sentence under a policy. tokens: see token_codec.
    # The sentence comes first in the index, so that it also finds what a sentence is used by.
    """
    CREATE TABLE scored (
        scored_id INTEGER PRIMARY KEY AUTOINCREMENT,
        model_id INTEGER NOT NULL REFERENCES models,
        policy_id INTEGER NOT NULL REFERENCES policies,
        sentence_id INTEGER NOT NULL REFERENCES sentences,
        tokens BLOB NOT NULL,
        UNIQUE (sentence_id, model_id, policy_id)
    )
    """,
    # sha256: Suite.sha256. document: zlib of the suite's canonical JSON, NULL where only
    # results are known.
    """
    CREATE TABLE suites (
        suite_id INTEGER PRIMARY KEY AUTOINCREMENT,
        sha256 TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        document BLOB
    )
    """,
    # run_id: the first 12 hex digits of a SHA-256 over all that decides the numbers.
    # created, finished: ISO 8601, UTC. model_id, policy_id, suite_id are NULL for what others
    # measured. record: the rest of a RunRecord, JSON.
    """
    CREATE TABLE runs (
        run_key INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL UNIQUE,
        status TEXT NOT NULL CHECK (status IN ('running', 'complete')),
        source TEXT NOT NULL,
        created TEXT NOT NULL,
        finished TEXT,
        model_name TEXT NOT NULL,
        suite_name TEXT NOT NULL,
        circuit TEXT NOT NULL,
        language TEXT NOT NULL,
        score_rule TEXT NOT NULL,
        model_id INTEGER REFERENCES models,
        policy_id INTEGER REFERENCES policies,
        suite_id INTEGER REFERENCES suites,
        record TEXT NOT NULL
    )
    """,
    # prediction_id counts from 0, in the order of the suite.
    """
    CREATE TABLE predictions (
        prediction_key INTEGER PRIMARY KEY AUTOINCREMENT,
        run_key INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        prediction_id INTEGER NOT NULL,
        formula TEXT NOT NULL,
        description TEXT NOT NULL,
        UNIQUE (run_key, prediction_id)
    )
    """,
    # position counts from 0, in the order of the result's items. margin_bits: NULL for none.
    # flags: 1 tie, 2 undefined, 4 unscored, 8 oov, 16 skipped.
    """
    CREATE TABLE item_results (
        item_result_key INTEGER PRIMARY KEY AUTOINCREMENT,
        prediction_key INTEGER NOT NULL REFERENCES predictions ON DELETE CASCADE,
        position INTEGER NOT NULL,
        item_number INTEGER NOT NULL,
        holds INTEGER NOT NULL,
        margin_bits REAL,
        flags INTEGER NOT NULL,
        UNIQUE (prediction_key, position)
    )
    """,
)

_VERSION_2 = (
    # One process that scored something. started: ISO 8601, UTC. provenance: JSON.
    """
    CREATE TABLE sessions (
        session_id INTEGER PRIMARY KEY AUTOINCREMENT,
        started TEXT NOT NULL,
        provenance TEXT NOT NULL
    )
    """,
    # NULL for what an older version scored.
    "ALTER TABLE scored ADD COLUMN session_id INTEGER REFERENCES sessions",
    # See seals, which also has those of what an older version kept.
    "ALTER TABLE scored ADD COLUMN check_sum INTEGER",
    # NULL while a run is not complete.
    "ALTER TABLE runs ADD COLUMN check_sum INTEGER",
    "CREATE INDEX runs_by_model_and_suite ON runs (model_name, suite_name)",
)

# VERSIONS[n] makes version n + 1 of what version n left.
VERSIONS = (_VERSION_1, _VERSION_2)

# Each table with its key; parents before children.
KEYS = {
    "models": "model_id",
    "policies": "policy_id",
    "sentences": "sentence_id",
    "sessions": "session_id",
    "suites": "suite_id",
    "scored": "scored_id",
    "runs": "run_key",
    "predictions": "prediction_key",
    "item_results": "item_result_key",
}
TABLES = tuple(KEYS)


_RUN = """
    SELECT run_id, source, created, model_name, suite_name, circuit, language, score_rule, record
    FROM runs WHERE run_key = ?
"""
_RESULTS = """
    SELECT prediction_id, formula, description, position, item_number, holds, margin_bits, flags
    FROM predictions LEFT JOIN item_results USING (prediction_key)
    WHERE run_key = ? ORDER BY prediction_id, position
"""

_SCORED = """
    UPDATE scored SET check_sum = scored_seal(m.fingerprint, p.fingerprint, s.hash, tokens)
    FROM models m, policies p, sentences s
    WHERE m.model_id = scored.model_id AND p.policy_id = scored.policy_id
    AND s.sentence_id = scored.sentence_id
"""


def owner_seal(model_fingerprint: str, policy_fingerprint: str) -> int:
    """Return what the check sums of all sentences of a model under a policy begin with."""
    return zlib.crc32(f"{model_fingerprint} {policy_fingerprint} ".encode())


def scored_seal(owner: int, sentence_hash: bytes, tokens: bytes) -> int:
    """Return the CRC-32 over whose tokens these are (see `owner_seal`), of what, and which."""
    return zlib.crc32(tokens, zlib.crc32(sentence_hash, owner))


def seal_everything(connection: sqlite3.Connection) -> None:
    """Note the check sums of all scored sentences and complete runs; within a transaction."""

    def sealed(model: str, policy: str, sentence_hash: bytes, tokens: bytes) -> int:
        return scored_seal(owner_seal(model, policy), sentence_hash, tokens)

    connection.create_function("scored_seal", 4, sealed, deterministic=True)
    connection.execute(_SCORED)
    runs = connection.execute("SELECT run_key FROM runs WHERE status = 'complete'")
    for (run_key,) in runs.fetchall():
        seal(connection, run_key)


def seal(connection: sqlite3.Connection, run_key: int) -> None:
    """Note the check sum of a run's results, once they are all there; within a transaction.

    It tells, of a damaged store, whether the results of a complete run are still all there, and
    the same.
    """
    check_sum = seal_of(connection, run_key)
    connection.execute("UPDATE runs SET check_sum = ? WHERE run_key = ?", (check_sum, run_key))


def seal_of(connection: sqlite3.Connection, run_key: int) -> int:
    """Return the CRC-32 over what a run says of itself, its predictions and their items."""
    check_sum = 0
    for sql in (_RUN, _RESULTS):
        for row in connection.execute(sql, (run_key,)):
            check_sum = zlib.crc32(json.dumps(row).encode(), check_sum)
    return check_sum


CURRENT_VERSION = len(VERSIONS)

# The first version with check sums.
_SEALED_VERSION = 2


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring a store to the current version; one that is already there is not written to.

    All steps are one transaction, with the number of the version: whatever happens in between, the
    file is the old store or the new one. So no copy is made, which would need room for a second
    store. Two processes that do this at once do it once.
    Raises `StoreError` for a newer version, and for what is no store; neither is changed.
    """
    if version_of(connection, path) == CURRENT_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it while this one waited.
        version = version_of(connection, path)
        for statements in VERSIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        if version < _SEALED_VERSION:
            seal_everything(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {CURRENT_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        # A full disk has ended the transaction already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """Return a store's version, 0 for an empty file; raises `StoreError` for what is no store."""
    ((application_id,),) = connection.execute("PRAGMA application_id")
    ((version,),) = connection.execute("PRAGMA user_version")
    ((n_tables,),) = connection.execute("SELECT count(*) FROM sqlite_master")
    if not n_tables and application_id in {0, APPLICATION_ID} and not version:
        return 0
    if application_id != APPLICATION_ID:
        raise StoreError(
            f"{path}: is another program's SQLite file, and was not changed; give another store "
            f"with --store"
        )
    if version > CURRENT_VERSION:
        raise StoreError(
            f"{path}: is a store of version {version}, and this pommel knows versions up to "
            f"{CURRENT_VERSION}; update pommel (`pip install --upgrade pommel`), or give another "
            f"store with --store"
        )
    return int(version)
