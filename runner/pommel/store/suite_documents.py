"""Suites as they were when they ran."""

import hashlib
import json
import sqlite3
import zlib

from pommel.errors import InputError, StoreError
from pommel.scoring.run_record import RunRecord
from pommel.store.database import Database
from pommel.store.failures import damaged
from pommel.store.record_rows import storable
from pommel.suite.read import parse_suite, suite_hash, suite_to_text
from pommel.suite.suite import Suite


def describe_suite(connection: sqlite3.Connection, suite: Suite) -> int:
    """Return the key of a suite, which is entered if it is new; within a transaction."""
    sha256 = suite_hash(suite)
    sql = "SELECT suite_id FROM suites WHERE sha256 = ?"
    if known := connection.execute(sql, (sha256,)).fetchone():
        return int(known[0])
    # A text with half of a surrogate pair is written with its escape.
    document = zlib.compress(suite_to_text(suite).encode())
    connection.execute(
        "INSERT INTO suites (sha256, name, document) VALUES (?, ?, ?)",
        (sha256, storable(suite.name), document),
    )
    return int(connection.execute(sql, (sha256,)).fetchone()[0])


def suite_of(database: Database, record: RunRecord) -> Suite:
    """Return the suite that a run was made with; raises `StoreError` if only results are known."""
    rows = database.rows(
        "SELECT document FROM runs JOIN suites USING (suite_id) "
        "WHERE run_id = ? AND document IS NOT NULL",
        (record.run_id,),
    )
    if not rows:
        raise StoreError(
            f"{database.path}: of run {record.run_id} ({record.result.model_name} on "
            f"{record.result.suite_name}) there are results only, no suite and no tokens"
        )
    suite = suite_from_document(database, rows[0][0])
    if record.suite.sha256 not in {"", suite_hash(suite)}:
        raise damaged(database.path, f"run {record.run_id} has another run's suite")
    return suite


def document_hash(document: bytes) -> str:
    """Return the `suite_hash` of the suite in a document, without making the suite of it.

    Raises `zlib.error`, and `ValueError` for what is no JSON.
    """
    content = json.loads(zlib.decompress(document))
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def suite_from_document(database: Database, document: bytes) -> Suite:
    """Return the suite of a row of `suites`; raises `StoreError` for one that is damaged."""
    try:
        return parse_suite(zlib.decompress(document).decode(), file="<store>").suite
    except (zlib.error, UnicodeDecodeError, InputError) as error:
        raise damaged(database.path, f"a suite cannot be read: {error}") from None
