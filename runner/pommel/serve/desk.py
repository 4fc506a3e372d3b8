"""What the server keeps of its own, in one SQLite file: people, drafts, what was sent, and jobs.

Results are the store's, and a board is its folder: nothing of these is only here. All the SQL of
its tables stands in the modules that they are of; what a table holds, below.
"""

import contextlib
import datetime as dt
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from pommel.errors import StoreError
from pommel.files import make_folder
from pommel.values import frozen

# By these SQLite's files are told from others, and older ones from newer.
_APPLICATION = 0x706F6D73
_VERSION = 1
_BUSY_SECONDS = 30.0
_SECONDS_BETWEEN_TRIES = 0.02

# Times are UTC in ISO 8601.
_SCHEMA = """
CREATE TABLE tokens (
    token_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,          -- whose it is, as pages and ledgers say it
    hash BLOB NOT NULL UNIQUE,   -- the SHA-256 of the token, which is kept by its owner only
    scopes TEXT NOT NULL,        -- what it allows, with blanks between
    created TEXT NOT NULL,
    expires TEXT NOT NULL,
    revoked TEXT                 -- when it was taken back
) STRICT;
CREATE TABLE drafts (
    draft_id TEXT PRIMARY KEY,   -- random, for addresses
    revision INTEGER NOT NULL,   -- which of `revisions` is shown; undo goes back
    title TEXT NOT NULL,         -- what its suite is called
    created TEXT NOT NULL,
    created_by TEXT NOT NULL,
    file TEXT,                   -- in the folder of suites, once it is saved there
    saved_sha256 TEXT            -- of that file as it was saved, or opened; two while it is saved
) STRICT, WITHOUT ROWID;
CREATE TABLE revisions (
    draft_id TEXT NOT NULL REFERENCES drafts ON DELETE CASCADE,
    revision INTEGER NOT NULL,   -- from 1; no number is given twice
    parent INTEGER,              -- the revision that undo goes back to, NULL for the first
    document BLOB NOT NULL,      -- the suite's JSON, finished or not, packed by zlib
    said TEXT NOT NULL,          -- what was done, and where
    changed TEXT NOT NULL,
    changed_by TEXT NOT NULL,
    PRIMARY KEY (draft_id, revision)
) STRICT, WITHOUT ROWID;
CREATE TABLE uploads (
    upload_id TEXT PRIMARY KEY,  -- random, for addresses
    kind TEXT NOT NULL CHECK (kind IN ('submission', 'suite')),
    place TEXT NOT NULL,         -- the folder that it is for: a board's, or that of suites
    name TEXT NOT NULL,          -- what its file was called
    words TEXT NOT NULL,         -- what its sender says of it
    content BLOB NOT NULL,       -- as it came; empty once it is decided, or is faulty
    n_bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,        -- of the content
    sent TEXT NOT NULL,
    sent_by TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('sent', 'faulty', 'waiting', 'accepted', 'refused')),
    found TEXT NOT NULL,         -- JSON: what the check has said
    decided TEXT,                -- of one that waits: when somebody began to accept it
    decided_by TEXT,
    reason TEXT                  -- why it was refused
) STRICT;
CREATE INDEX uploads_of_place ON uploads (place, kind, status, sent);
CREATE UNIQUE INDEX uploads_once ON uploads (place, kind, sha256)
    WHERE status IN ('sent', 'waiting');
CREATE TABLE jobs (
    job_id TEXT PRIMARY KEY,     -- random, for addresses
    kind TEXT NOT NULL,          -- such as 'run'
    title TEXT NOT NULL,
    arguments TEXT NOT NULL,     -- JSON: those of `pommel`
    about TEXT NOT NULL,         -- JSON: what the page of the job shows beside its log
    begun TEXT NOT NULL,
    begun_by TEXT NOT NULL,
    server TEXT NOT NULL,        -- which process of a server has begun it
    seen TEXT NOT NULL,          -- when that server has last said that it is there
    ended TEXT,
    exit_status INTEGER,         -- None while it goes on, and where its server was killed
    log TEXT NOT NULL            -- what it has said, its end if that is long
) STRICT;
CREATE INDEX jobs_by_time ON jobs (begun);
"""


@frozen
class Desk:
    """The file, which `Desk.open` makes; each use opens it anew, in whatever thread."""

    path: Path

    @classmethod
    def open(cls, path: Path, *, create: bool = True) -> "Desk":
        """Return the desk in a file, which is made if it is missing.

        Raises `StoreError` for a file of another kind, where none can be made, and, without
        `create`, where there is none.
        """
        desk = cls(path=path)
        if not (create or path.exists()):
            raise StoreError(f"{path}: there is no such file; `pommel serve token new` makes one")
        try:
            make_folder(path.absolute().parent)
            # Drafts and submissions are not for everybody on this machine, from the first byte on.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise StoreError(
                f"{path}: {error.strerror}; name a place that can be written with --desk"
            ) from None
        with desk._explained(), contextlib.closing(desk._connected()) as connection:
            (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if not n_tables:
                desk._make(connection)
            # After the tables: between the two another process may have made the file.
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if application != _APPLICATION:
                raise StoreError(f"{path}: is no file of `pommel serve`; name another with --desk")
            if version != _VERSION:
                raise StoreError(
                    f"{path}: is of version {version}, and this pommel knows {_VERSION}; update "
                    f"pommel, or name another file with --desk"
                )
        return desk

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open the file for a look at one moment of it; raises `StoreError`."""
        with self._explained(), contextlib.closing(self._connected()) as connection:
            connection.execute("BEGIN")
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open the file for a transaction, which is on the disk when the block has ended.

        Otherwise nothing of it is. Others wait until then. Raises `StoreError`.
        """
        with self._explained(), contextlib.closing(self._connected()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def _make(self, connection: sqlite3.Connection) -> None:
        self._write_ahead(connection)
        connection.execute("BEGIN IMMEDIATE")
        # Another server may have made it meanwhile.
        (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not n_tables:
            for statement in filter(str.strip, _SCHEMA.split(";\n")):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute("COMMIT")

    @staticmethod
    def _write_ahead(connection: sqlite3.Connection) -> None:
        """Have readers not wait for writers, for good."""
        until = time.monotonic() + _BUSY_SECONDS
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:
                # For this one SQLite does not wait where two do it at once.
                if time.monotonic() > until:
                    raise
                time.sleep(_SECONDS_BETWEEN_TRIES)
            else:
                return

    def _connected(self) -> sqlite3.Connection:
        # A file that is gone is not made anew, empty and for everybody to read.
        address = f"{self.path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
        # Rows are known by the names of their columns: values are made of them as they are.
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from None


def now(later: dt.timedelta = dt.timedelta()) -> str:
    """Return the time in UTC as the tables have it, or what it is so much later."""
    return (dt.datetime.now(dt.UTC) + later).isoformat(timespec="seconds")


def moment(when: str) -> str:
    """Return a time of a table as people read it: UTC, to the minute."""
    return when[:16].replace("T", " ")


def new_id() -> str:
    """Return what nobody can guess, for an address."""
    return secrets.token_urlsafe(9)
