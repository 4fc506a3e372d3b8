"""One store's file: where it is, opening it, transactions, and errors that say what to do."""

import contextlib
import datetime as dt
import json
import os
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path, PurePath
from typing import Any, Self

from pommel.errors import PommelError, StoreAccessError, StoreError
from pommel.files import make_folder
from pommel.models import ModelInfo, Policy
from pommel.values import frozen

BUSY_SECONDS = 30.0
PAGE_BYTES = 4096
_RETRY_SECONDS = 0.02

# How SQLite opens a file; what nobody changes needs no lock, and no log beside it.
_WRITING, _READING, _UNCHANGED = "mode=rwc", "mode=ro", "mode=ro&immutable=1"

# Every commit is on the disk before it returns (FULL), so that power loss costs nothing that was
# kept. A larger cache and rarer checkpoints let pages of the index of sentences, which a batch hits
# everywhere, be written once for many batches.
_SETTINGS = (
    f"PRAGMA page_size = {PAGE_BYTES}",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA synchronous = FULL",
    "PRAGMA cache_size = -65536",
    "PRAGMA wal_autocheckpoint = 16384",
    "PRAGMA journal_size_limit = 67108864",
)


def beside(path: Path, ending: str = "") -> Path:
    """Return the file of a store that is reached by `path`, or one that SQLite puts beside it.

    Where `path` is a link, that is beside the file that it leads to.
    """
    file = Path(os.path.realpath(path))
    return file.with_name(file.name + ending)


@frozen
class Database:
    """An open store; `Database.open` makes one.

    All that SQLite raises comes out as `StoreError`, which names the file. For one thread.
    """

    path: Path
    connection: sqlite3.Connection
    how: str
    opened: tuple[int, ...]

    @classmethod
    def open(cls, path: Path, *, create: bool = True, any_thread: bool = False) -> "Database":
        """Open a store.

        A missing one is created, with its folder, unless `create` says no. One that may not be
        written is opened for reading. It is for this thread, or for any, one after the other.
        Raises `StoreError` for a file that is no store of this version, which stays as it is, and
        for what the file system refuses.
        """
        exists = _is_there(path)
        if not exists:
            if not create:
                raise StoreError(f"{path}: there is no store; `pommel run` makes one")
            try:
                make_folder(beside(path).parent)
            except PommelError as error:
                raise StoreAccessError(str(error)) from None
        may_write = not exists or os.access(path, os.W_OK)
        read_only = not (may_write and os.access(beside(path).parent, os.W_OK))
        with explained(path):
            if exists:
                _check_identity(path)
            if read_only:
                connection, how = _reader(path, any_thread=any_thread)
            else:
                make = _writer if exists else _new
                connection, how = make(path, any_thread=any_thread), _WRITING
            opened = _process_and_file(connection)
            return cls(path=path, connection=connection, how=how, opened=opened)

    @property
    def read_only(self) -> bool:
        """Whether the file may not be written."""
        return self.how != _WRITING

    @contextlib.contextmanager
    def attached(self, other: Path, *, unchanged: bool = False) -> Iterator[None]:
        """Have the tables of another store at hand as those of `theirs`, to be read.

        It is not written to; what stays `unchanged` by anybody is read without a lock. Raises
        `StoreError` for what is no store, and for this one.
        """
        if not _is_there(other):
            raise StoreError(f"{other}: there is no store")
        if beside(other).samefile(beside(self.path)):
            raise StoreError(f"{other}: is the store itself")
        with explained(other):
            _check_identity(other)
            with contextlib.closing(_connect(other, _UNCHANGED)) as connection:
                version_of(connection, other)
            how = _UNCHANGED
            if not unchanged:
                reader, how = _reader(other)
                reader.close()
                # Who may only read a log leaves its files behind.
                if how == _READING and os.access(beside(other).parent, os.W_OK):
                    how = "mode=rw" if os.access(other, os.W_OK) else how
            uri = f"{uri_of(beside(other).absolute())}?{how}"
            self.connection.execute("ATTACH DATABASE ? AS theirs", (uri,))
            try:
                yield
            finally:
                self.connection.execute("DETACH DATABASE theirs")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give the connection within a transaction: all that is done is kept at the end, or none.

        The store is locked against other writers from the beginning. Raises `StoreError`.
        """
        if self.read_only:
            raise StoreAccessError(
                f"{self.path}: may not be written (no permission, or a file system for reading "
                f"only); give another store with --store"
            )
        with explained(self.path):
            now_here = _process_and_file(self.connection)
            if now_here[0] != self.opened[0]:
                raise StoreError(f"{self.path}: was opened by another process; open it in each")
            if now_here != self.opened:
                raise StoreError(
                    f"{self.path}: was deleted or replaced while it was open, and nothing more is "
                    f"kept in it; repeat the command"
                )
            self.connection.execute("BEGIN IMMEDIATE")
            with self.connection:
                yield self.connection

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query; raises `StoreError`."""
        with explained(self.path):
            return self.connection.execute(sql, parameters).fetchall()

    @property
    def n_bytes(self) -> int:
        """What the file takes on the disk, the log of what was written last included."""
        log = beside(self.path, "-wal")
        return sum(path.stat().st_size for path in (self.path, log) if path.exists())

    @property
    def n_changes(self) -> int:
        """What is another number as soon as somebody else has kept something in the file."""
        ((found,),) = self.rows("PRAGMA data_version")
        return int(found)

    @property
    def is_in_place(self) -> bool:
        """Whether the file is still the one that was opened: not deleted, and none in its place."""
        # Not to be opened for that: with a file that is closed, SQLite's locks on it would go.
        return _process_and_file(self.connection) == self.opened

    @property
    def has_free_pages(self) -> bool:
        """Whether the file has room in it that could be given back."""
        ((n_free,),) = self.rows("PRAGMA freelist_count")
        return bool(n_free)

    def shrink(self) -> None:
        """Give the room of what was deleted back to the file system; raises `StoreError`.

        For the time of it, it needs as much room again as the store has.
        """
        with explained(self.path):
            self.connection.execute("VACUUM")
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Let go of the file; the last process to do so moves what was kept into its main part."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _process_and_file(connection: sqlite3.Connection) -> tuple[int, ...]:
    """Return for which process and file a connection is; for others, what it keeps would be lost.

    SQLite itself does not notice a log whose file is gone, nor that others take it for unused.
    """
    ((_, _, file), *_) = connection.execute("PRAGMA database_list")
    try:
        found = Path(file).stat()
    except OSError:
        return (os.getpid(),)
    return os.getpid(), found.st_dev, found.st_ino


def set_journal(connection: sqlite3.Connection, *, busy_seconds: float = BUSY_SECONDS) -> str:
    """Have commits written to a log beside the file (WAL), and return which journal there is."""
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            ((journal,),) = connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # Others that are just opening the file; SQLite does not wait for them here.
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not is_busy or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)
        else:
            return str(journal)


def allows_log(folder: Path, *, how: str = "mode=rwc") -> bool:
    """Say whether stores in a folder can have a log, which takes memory that processes share.

    Many network file systems have none; there, pages are saved before they are changed, which is
    as safe, and slower. It is tried on a file of its own: a store that was told to have a log and
    cannot would not open any more. `how` is how SQLite is to open it.
    """
    try:
        with (
            tempfile.TemporaryDirectory(dir=folder, prefix=".pommel-") as trial,
            contextlib.closing(_connect(Path(trial) / "trial", how)) as connection,
        ):
            journal = set_journal(connection, busy_seconds=0)
            connection.execute("CREATE TABLE trial (number INTEGER)")
    except (OSError, sqlite3.Error):
        return False
    return journal == "wal"


def _connect(path: Path, how: str, *, any_thread: bool = False) -> sqlite3.Connection:
    uri = f"{uri_of(path.absolute())}?{how}"
    return sqlite3.connect(
        uri,
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=not any_thread,
    )


def uri_of(path: PurePath) -> str:
    uri = path.as_uri()
    # Of \\server\share on Windows, SQLite takes the server in the path only.
    return uri.replace("//", "////", 1) if path.drive.startswith("\\\\") else uri


def _is_there(path: Path) -> bool:
    """Return whether there is a file; raises `StoreError` for something else."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreAccessError(f"{path}: cannot be read: {error.strerror or error}") from None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "no file"
        raise StoreError(f"{path}: is {what}; give the store's file with --store")
    return True


def _check_identity(path: Path) -> None:
    """Raise `StoreError` for what is no store, without a lock on it or a new file beside it."""
    if beside(path, "-journal").exists():
        # Somebody is writing, or was cut off; only an ordinary connection knows what holds.
        return
    connection = _connect(path, _UNCHANGED)
    # What SQLite itself refuses it refuses again, when it reads with a lock.
    with contextlib.closing(connection), contextlib.suppress(sqlite3.Error):
        version_of(connection, path)


def _reader(path: Path, *, any_thread: bool = False) -> tuple[sqlite3.Connection, str]:
    """Return a connection, and how it was opened."""
    how = _READING
    connection = _connect(path, how, any_thread=any_thread)
    try:
        version = version_of(connection, path)
    except sqlite3.OperationalError as error:
        connection.close()
        # In a folder that may not be written no log can be made, and none is needed; one that is
        # there would have to be read along.
        is_refused = error.sqlite_errorcode & 0xFF in {
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
        }
        log = beside(path, "-wal")
        if not is_refused or (log.exists() and log.stat().st_size):
            raise
        how = _UNCHANGED
        connection = _connect(path, how, any_thread=any_thread)
        version = version_of(connection, path)
    if not version:
        connection.close()
        raise StoreError(
            f"{path}: is a store without content, and may not be written to be brought up to date; "
            f"copy it, and give the copy with --store"
        )
    return connection, how


def _writer(path: Path, *, any_thread: bool = False) -> sqlite3.Connection:
    connection = _connect(path, _WRITING, any_thread=any_thread)
    try:
        for setting in _SETTINGS:
            connection.execute(setting)
        _fill(connection, path)
        ((journal,),) = connection.execute("PRAGMA journal_mode")
        if journal != "wal" and allows_log(beside(path).parent):
            set_journal(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _new(path: Path, *, any_thread: bool = False) -> sqlite3.Connection:
    """Return a store that was not there; the empty file that a full disk leaves of one goes."""
    try:
        connection = _writer(path, any_thread=any_thread)
    except BaseException:
        file = beside(path)
        with contextlib.suppress(OSError):
            if not file.stat().st_size:
                file.unlink()
        raise
    if not _is_there(path):
        # Another process, which could not make it, has taken it for what it had left itself.
        connection.close()
        raise StoreError(f"{path}: was deleted while it was made; repeat the command")
    return connection


# What every SQLite takes in one statement.
_MOST_PARAMETERS = 999

# How many keys a query is given at once.
_KEYS = 500


def pieces(values: Sequence[Any], size: int = _KEYS) -> Iterator[Sequence[Any]]:
    """Cut values into parts of one size; the last one may be shorter."""
    for at in range(0, len(values), size):
        yield values[at : at + size]


def marks(values: Sequence[Any]) -> str:
    """Return the placeholders of a statement for so many values."""
    return ", ".join("?" * len(values))


def insert_rows(
    connection: sqlite3.Connection,
    table: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
) -> None:
    """Insert rows, hundreds in a statement; within a transaction.

    Every statement has SQLite note the last key of its table, which costs as much as a row.
    """
    for piece in pieces(rows, _MOST_PARAMETERS // len(columns)):
        row = f"({marks(columns)})"
        sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES "  # noqa: S608 - our own names
        connection.execute(sql + ", ".join([row] * len(piece)), [*chain.from_iterable(piece)])


def insert_row(connection: sqlite3.Connection, table: str, row: Mapping[str, object]) -> int:
    """Insert a row, and return its key; within a transaction."""
    sql = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks([*row])})"  # noqa: S608 - our own names
    key = connection.execute(sql, [*row.values()]).lastrowid
    assert key is not None  # noqa: S101 - one row was added
    return key


def key_of(
    connection: sqlite3.Connection, table: str, column: str, value: str | bytes
) -> int | None:
    """Return the key of the row that a value is of, None if there is none."""
    sql = f"SELECT {KEYS[table]} FROM {table} WHERE {column} = ?"  # noqa: S608 - our own names
    return next((int(key) for (key,) in connection.execute(sql, (value,))), None)


def owner_ids(connection: sqlite3.Connection, info: ModelInfo, policy: Policy) -> dict[str, int]:
    """Return the keys of a model and a policy, which are entered if they are new."""
    ids = {}
    for table, owner in (("models", info), ("policies", policy)):
        key = key_of(connection, table, "fingerprint", owner.fingerprint)
        if key is None:
            row = {"fingerprint": owner.fingerprint, "description": as_json(owner.to_dict())}
            key = insert_row(connection, table, row)
        ids[KEYS[table]] = key
    return ids


def as_json(value: Mapping[str, object]) -> str:
    """Return a value as the tables have it, the same for the same value."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def now() -> str:
    """Return the time as the tables have it."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


# Another place would do.
_ACCESS = {sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}

# What a damaged file leads to: pages that make no sense, a table or column that is not there, text
# that is no UTF-8 (of which Python's module says no code).
_DAMAGE = {
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_FORMAT,
    sqlite3.SQLITE_SCHEMA,
}

# Primary result code -> what has happened, and what to do about it.
_KNOWN: Mapping[int, str] = {
    sqlite3.SQLITE_PERM: "may not be opened; give another store with --store",
    sqlite3.SQLITE_BUSY: (
        "is locked by another process, for {seconds:g} s already; wait until that has ended, and "
        "repeat the command"
    ),
    sqlite3.SQLITE_LOCKED: "is locked by this process; end it, and repeat the command",
    sqlite3.SQLITE_READONLY: (
        "may not be written (no permission, or a file system for reading only); give another store "
        "with --store"
    ),
    sqlite3.SQLITE_IOERR: (
        "could not be read or written ({error}): the disk may be full, a quota used up, or the "
        "disk failing; what was kept before is safe: make room and repeat the command, or give "
        "another store with --store"
    ),
    sqlite3.SQLITE_FULL: (
        "the disk is full; what was kept before is safe: make room and repeat the command, or give "
        "another store with --store"
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened: it is no file, or it or its folder may not be read or written; give "
        "another store with --store"
    ),
    sqlite3.SQLITE_PROTOCOL: (
        "cannot be locked; is it on a network file system? Give a store on a disk of this machine "
        "with --store"
    ),
    sqlite3.SQLITE_NOTADB: (
        "is no SQLite file, and was not changed; give another store with --store (if it was a "
        "store once, `pommel runs recover {path} -o NEW` saves what can be read)"
    ),
}


def damaged(path: Path, what: str) -> StoreError:
    """Return that a file is not as it was left, and how to save the rest of it."""
    return StoreError(
        f"{path}: is damaged ({what}); `pommel runs recover {path} -o NEW` saves what can be read"
    )


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raise SQLite's errors as `StoreError`; wrong calls of ours stay what they are."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise
    except UnicodeDecodeError:
        # Python's, for a message of SQLite with a damaged name in it.
        raise damaged(path, "the name of a table or of a column is not UTF-8") from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code in _KNOWN:
            name = getattr(error, "sqlite_errorname", "") or error
            what = _KNOWN[code].format(seconds=BUSY_SECONDS, error=name, path=path)
            kind = StoreAccessError if code in _ACCESS else StoreError
            raise kind(f"{path}: {what}") from None
        if code in _DAMAGE:
            raise damaged(path, str(error)) from None
        # A constraint that is violated is a fault of ours.
        raise


# "poml": what tells a store from another program's SQLite file.
APPLICATION_ID = 0x706F6D6C

# Stores of older versions have been made by nobody but the authors, and are not read.
CURRENT_VERSION = 3

# Every key is AUTOINCREMENT, so that `sqlite_sequence` says how many rows a damaged file has had.
# Tables, and columns in them, stay in this order: it decides on which page a table begins, by which
# a store is read whose first page is lost.
TABLES = (
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
    # What a model said of a sentence under a policy. tokens: see `encode_tokens`.
    # check_sum: see `scored_seal`.
    # The sentence comes first in the index, so that it also finds what a sentence is used by.
    """
    CREATE TABLE scored (
        scored_id INTEGER PRIMARY KEY AUTOINCREMENT,
        model_id INTEGER NOT NULL REFERENCES models,
        policy_id INTEGER NOT NULL REFERENCES policies,
        sentence_id INTEGER NOT NULL REFERENCES sentences,
        tokens BLOB NOT NULL,
        session_id INTEGER REFERENCES sessions,
        check_sum INTEGER,
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
    # One process that scored something. started: ISO 8601, UTC. provenance: JSON.
    """
    CREATE TABLE sessions (
        session_id INTEGER PRIMARY KEY AUTOINCREMENT,
        started TEXT NOT NULL,
        provenance TEXT NOT NULL
    )
    """,
    # What many runs have alike, kept once. hash: the SHA-256 of content, JSON.
    """
    CREATE TABLE documents (
        document_id INTEGER PRIMARY KEY AUTOINCREMENT,
        hash BLOB NOT NULL UNIQUE,
        content TEXT NOT NULL
    )
    """,
    # run_id: the first 12 hex digits of a SHA-256 over all that decides the numbers.
    # created, finished: ISO 8601, UTC. model_id, policy_id, suite_id are NULL for what others
    # measured. of_model, of_suite, of_choices: keys of documents, in which the rest of a RunRecord
    # is; NULL for one that is lost. No constraint: all runs would be looked through for each
    # document that is deleted. scores: label, how many items hold, how many count, the share if it
    # was published by itself, and the counts of each score, JSON. record: what the provenance has
    # of its own, JSON.
    # check_sum: a CRC-32 over what the run says of itself, these documents, and its items; NULL
    # while a run is not complete.
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
        of_model INTEGER,
        of_suite INTEGER,
        of_choices INTEGER,
        scores TEXT NOT NULL,
        record TEXT NOT NULL,
        check_sum INTEGER
    )
    """,
    # What a run's predictions came to on every item. items: see `KeptPredictions.packed`.
    """
    CREATE TABLE results (
        run_key INTEGER PRIMARY KEY AUTOINCREMENT REFERENCES runs ON DELETE CASCADE,
        items BLOB NOT NULL
    )
    """,
    "CREATE INDEX runs_by_model_and_suite ON runs (model_name, suite_name)",
)

# Each table with its key; parents before children.
KEYS = {
    "models": "model_id",
    "policies": "policy_id",
    "sentences": "sentence_id",
    "sessions": "session_id",
    "suites": "suite_id",
    "scored": "scored_id",
    "documents": "document_id",
    "runs": "run_key",
    "results": "run_key",
}


def _fill(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new store, in one transaction.

    One that has them is not written to. Raises `StoreError` for another version, and for what is
    no store; neither is changed.
    """
    if version_of(connection, path) == CURRENT_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        # Another process may have done it while this one waited.
        if not version_of(connection, path):
            for statement in TABLES:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {CURRENT_VERSION}")


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """Return a store's version, 0 for an empty file; raises `StoreError` for what is no store."""
    # Another process may make the store between two of these: what it writes first is read last.
    ((n_tables,),) = connection.execute("SELECT count(*) FROM sqlite_master")
    ((version,),) = connection.execute("PRAGMA user_version")
    ((application_id,),) = connection.execute("PRAGMA application_id")
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
    if version < CURRENT_VERSION:
        raise StoreError(
            f"{path}: is a store of version {version}, from before the first release, which is not "
            f"read; move it aside and repeat the command, or give another store with --store"
        )
    return int(version)
