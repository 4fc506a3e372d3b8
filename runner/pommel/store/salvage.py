"""A new store with all that can be read of a damaged one.

SQLite reads a damaged file row by row, as far as it can. It finds a row through the pages above it;
where one of these is gone, every page that looks like one with rows is read as a table of its own.
Such a row may have been deleted, or be an older one, so this is good for rows that prove themselves
only: sentences and their tokens.
"""

import contextlib
import errno
import json
import os
import shutil
import sqlite3
import struct
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pommel.errors import PommelError, StoreError
from pommel.files import make_folder, without_empty_folders
from pommel.models import Policy
from pommel.store.database import (
    KEYS,
    PAGE_BYTES,
    Database,
    beside,
    insert_row,
    version_of,
)
from pommel.store.run_rows import MAKE_NO_SENSE, SHARED, RunRow, RunRows, content_hash
from pommel.store.run_tables import document_hash
from pommel.store.surprisal_cache import decode_tokens, owner_seal, scored_seal, sentence_hash

# Rows that are asked for at once, where nothing is damaged.
_RANGE = 1024

# No store has had so many rows of a table; what says so is garbled.
_MOST_KEYS = 1 << 28

# Fewer bytes than a row takes on average; bounds their number where nothing else says it.
_FEWEST_ROW_BYTES = 32

# What the first byte of a page with rows of a table is (https://www.sqlite.org/fileformat2.html).
_TABLE_LEAF = 13

# More do not fit on a page.
_MOST_ROWS = (PAGE_BYTES - 8) // 6

# The number of a page that no store has, with four bytes.
_SOME_PAGE = 0x7EDCBA98

# How often a copy is tried of a file that others write to, and how long is waited in between.
_MOST_COPIES = 20
_WAIT_SECONDS = 0.1
_LOG_HEAD_BYTES = 32
_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE}

_TYPES = {"INTEGER": int, "REAL": float, "TEXT": str, "BLOB": bytes}

# Tables whose rows prove themselves, so that it does not matter where they are found.
_STRAYS = {"sentences", "scored", "documents"}

# Of models, whose descriptions matter less than what they are known by.
_LOST = {"reference": "(lost)", "name": "(lost)", "kind": "(lost)"}

# The values of a row, its key first.
Row = tuple[Any, ...]
Values = Mapping[str, Any]


@dataclass(slots=True, kw_only=True)
class Salvaged:
    """How many rows of each table were kept, and how many are lost, as far as keys tell it.

    `n_reopened` runs may have lost some of their results, and count as not finished; the command
    that they came from makes them again, out of the cached surprisals. `n_unlinked` runs have lost
    what leads to their suite and their tokens.
    """

    kept: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    n_reopened: int = 0
    n_unlinked: int = 0


def salvage(damaged: Path, target: Path) -> Salvaged:
    """Write what can be read of a damaged or truncated store to a new one.

    A row is kept if it is whole: a text or a suite that has its hash, tokens that have their check
    sums and spell their sentence, a description that has its fingerprint, and what it belongs to is
    kept as well.
    The damaged file is only read; it needs room for two copies of it beside `target`.
    Raises `StoreError` if nothing can be read, for another program's file, if there is something at
    `target` already, and for what the file system refuses; there is no new file then.
    """
    if os.path.lexists(target):
        raise _taken(target)
    # Copies of a device such as /dev/zero would fill the disk.
    if damaged.exists() and not damaged.is_file():
        raise StoreError(f"{damaged}: is no file")
    try:
        with without_empty_folders(target):
            make_folder(target.parent)
            # Hidden: all that a process leaves that is killed.
            with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as aside:
                new, copy = Path(aside) / "new.sqlite", Path(aside) / "damaged.sqlite"
                _copy(damaged, copy)
                is_sound = _made_readable(copy, damaged)
                with contextlib.closing(_connected(copy)) as old:
                    found = _rescued(old, copy, new, target, is_sound=is_sound)
                if not any(found.kept.values()):
                    raise StoreError(f"{damaged}: nothing can be read from it")
                _put(new, target)
    except OSError as error:
        where = error.filename or target
        raise StoreError(f"{where}: {error.strerror or error}") from None
    return found


# --- A copy that SQLite opens


def _copy(path: Path, copy: Path) -> None:
    """Copy a store's file with its log, as they were at one moment, whoever writes meanwhile."""
    for _ in range(_MOST_COPIES):
        before = _moment(path)
        # Pages go from the log to the file: those that are there too early do no harm.
        for ending in ("", "-wal", "-journal"):
            target = copy.with_name(copy.name + ending)
            target.unlink(missing_ok=True)
            try:
                shutil.copyfile(beside(path, ending), target)
            except FileNotFoundError:
                if not ending:
                    raise
        if _moment(path) == before:
            # What is left of a page that was cut would be read as one whose rows are gone.
            os.truncate(copy, copy.stat().st_size // PAGE_BYTES * PAGE_BYTES)
            return
        time.sleep(_WAIT_SECONDS)
    raise StoreError(
        f"{path}: is written to by another process; wait until that has ended, and repeat the "
        f"command"
    )


def _moment(path: Path) -> tuple[object, ...]:
    """Return what changes when a copy of file and log that is under way is spoiled.

    Where there is a log, that is when it begins anew, which its head says; until then, it has all
    that has come into the file.
    """
    head = b""
    with contextlib.suppress(FileNotFoundError), beside(path, "-wal").open("rb") as log:
        head = log.read(_LOG_HEAD_BYTES)
    stamps: list[object] = [head]
    for ending in ("-journal",) if head else ("", "-journal"):
        with contextlib.suppress(FileNotFoundError):
            status = beside(path, ending).stat()
            stamps.append((ending, status.st_size, status.st_mtime_ns))
    return tuple(stamps)


def _connected(copy: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(copy, isolation_level=None)
    # Lets SQLite read a file that is shorter than its first page says, and a schema with faults.
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    return connection


def _made_readable(copy: Path, path: Path) -> bool:
    """Make a copy one that SQLite opens; say whether nothing is wrong: what is missing was deleted.

    What was committed and is still in the log beside the file belongs to it, and is moved into the
    file. Where the first page is gone, which says where the tables begin, that of a new store takes
    its place: their places are always the same. Raises `StoreError` for another program's file.
    """
    fresh = copy.with_name("fresh.sqlite")
    with Database.open(fresh) as database:
        wanted = _columns(database.connection)
    with contextlib.closing(_connected(copy)) as connection:
        has_schema = False
        with contextlib.suppress(sqlite3.Error):
            version_of(connection, path)
            has_schema = _columns(connection) == wanted
        if has_schema:
            try:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                faults = connection.execute("PRAGMA integrity_check(1)").fetchall()
                strays = connection.execute("PRAGMA foreign_key_check").fetchone()
            except sqlite3.Error as error:
                if error.sqlite_errorcode in _NO_ROOM:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None
                return False
            return faults == [("ok",)] and not strays
    _with_first_page(copy, fresh)
    fresh.replace(copy)
    return False


def _columns(connection: sqlite3.Connection) -> dict[str, list[tuple[str, str]]]:
    """Return names and types of the columns of each table, none of one that is not there."""
    return {
        table: [row[1:3] for row in connection.execute(f"PRAGMA table_info({table})")]
        for table in KEYS
    }


# --- Its rows


def _rows(connection: sqlite3.Connection, table: str, last: int) -> Iterator[Row]:
    """Yield the rows of a table that can be read, by ascending key up to the last one.

    A range of keys that fails is halved until it is one row.
    """
    # With a limit, what follows is not looked at.
    sql = f"SELECT * FROM {table} WHERE {KEYS[table]} BETWEEN ? AND ? LIMIT ?"  # noqa: S608 - our own names
    waiting = [range(at, min(at + _RANGE, last + 1)) for at in range(1, last + 1, _RANGE)]
    # The lowest keys are to come off the stack first.
    waiting.reverse()
    while waiting:
        keys = waiting.pop()
        try:
            found = connection.execute(sql, (keys[0], keys[-1], len(keys))).fetchall()
        except sqlite3.Error:
            middle = len(keys) // 2
            waiting += [keys[middle:], keys[:middle]] if middle else []
        else:
            yield from found


def _stray_rows(copy: Path) -> Iterator[Row]:
    """Yield the rows on all pages with rows, reachable or not, of any table.

    Of another copy, whose schema has one table, each page is in its turn where this table begins.
    """
    strays = copy.with_name("strays.sqlite")
    strays.unlink(missing_ok=True)
    with contextlib.closing(_connected(strays)) as fresh:
        fresh.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        fresh.execute("CREATE TABLE stray (c0 INTEGER PRIMARY KEY, c1, c2, c3, c4, c5, c6)")
        fresh.execute("UPDATE sqlite_master SET rootpage = ?", (_SOME_PAGE,))
    begin = strays.read_bytes().index(_SOME_PAGE.to_bytes(4, "big"))
    _with_first_page(copy, strays)
    with strays.open("r+b", buffering=0) as opened:
        # The first page has the schema, and is laid out differently.
        for page in range(2, strays.stat().st_size // PAGE_BYTES + 1):
            opened.seek((page - 1) * PAGE_BYTES)
            kind, n_rows = struct.unpack(">B2xH", opened.read(5))
            if kind != _TABLE_LEAF:
                continue
            if n_rows > _MOST_ROWS:
                opened.seek((page - 1) * PAGE_BYTES + 3)
                opened.write(_MOST_ROWS.to_bytes(2, "big"))
            opened.seek(begin)
            opened.write(page.to_bytes(4, "big"))
            with contextlib.closing(_connected(strays)) as connection:
                yield from _rows_of_page(connection)


def _rows_of_page(connection: sqlite3.Connection) -> Iterator[Row]:
    """Yield all rows of a page; where one fails, by their places, since keys may be wrong."""
    try:
        yield from connection.execute("SELECT * FROM stray").fetchall()
    except sqlite3.Error:
        for at in range(_MOST_ROWS):
            with contextlib.suppress(sqlite3.Error):
                sql = "SELECT * FROM stray LIMIT 1 OFFSET ?"
                found = connection.execute(sql, (at,)).fetchall()
                if not found:
                    break
                yield from found


def _with_first_page(copy: Path, of: Path) -> None:
    """Make `of` a copy of a store with its own first page."""
    page = bytearray(of.read_bytes()[:PAGE_BYTES])
    if len(page) != PAGE_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    # The size in pages, at 28, holds if the change counter at 24 is the one at 92.
    page[28:32] = (copy.stat().st_size // PAGE_BYTES).to_bytes(4, "big")
    shutil.copyfile(copy, of)
    with of.open("r+b") as opened:
        opened.write(page)


# --- What is whole


@dataclass(slots=True, kw_only=True)
class _Rescue:
    """Puts all that is whole into a new store, within a transaction of the caller's."""

    old: sqlite3.Connection
    new: sqlite3.Connection
    runs: RunRows
    copy: Path
    is_sound: bool
    found: Salvaged = field(default_factory=Salvaged)
    _owners: dict[tuple[int, int], int | None] = field(default_factory=dict)

    def run(self) -> None:
        """Take all tables, parents before children."""
        for table in KEYS:
            self._table(table)
        self._reopen()
        for table in KEYS:
            ((n_kept,),) = self.new.execute(f"SELECT count(*) FROM {table}")  # noqa: S608 - our own names
            self.found.kept[table] = n_kept

    def _table(self, table: str) -> None:
        info = self.new.execute(f"PRAGMA table_info({table})")
        columns = {name: (_TYPES[kind], bool(needed)) for _, name, kind, needed, *_ in info}
        last = self._last_key(table)
        most = self.copy.stat().st_size // _FEWEST_ROW_BYTES if last is None else last
        taken: set[int] = set()
        dropped: set[int] = set()
        for row in _rows(self.old, table, most):
            (taken if self._take(table, columns, row) else dropped).add(row[0])
        if dropped or not self.is_sound:
            for row in self._others(table):
                is_possible = row[0] > 0 and (last is None or row[0] <= last)
                if is_possible and row[0] not in taken and self._take(table, columns, row):
                    taken.add(row[0])
        # In a sound store, what is not there was deleted; a page that is not where it belongs takes
        # its rows along without a word.
        n_there = max(taken, default=0) if last is None else last
        self.found.lost[table] = len(dropped - taken) if self.is_sound else n_there - len(taken)

    def _last_key(self, table: str) -> int | None:
        """Return a key that no row is above, None where nothing says it."""
        found = []
        for sql in (
            f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'",  # noqa: S608 - our own names
            f"SELECT max({KEYS[table]}) FROM {table}",  # noqa: S608 - our own names
        ):
            with contextlib.suppress(sqlite3.Error):
                found += [key or 0 for (key,) in self.old.execute(sql)]
        return max(
            (key for key in found if isinstance(key, int) and key <= _MOST_KEYS), default=None
        )

    def _others(self, table: str) -> Iterator[Row]:
        """Yield rows that are found in other places, some of them again."""
        if table == "models":
            # The index has both columns, so that SQLite does not look at the rows themselves.
            sql = "SELECT model_id, fingerprint FROM models ORDER BY fingerprint"
            with contextlib.suppress(sqlite3.Error):
                for key, fingerprint in self.old.execute(sql):
                    described = json.dumps({**_LOST, "fingerprint": fingerprint})
                    yield key, fingerprint, described
        if table in _STRAYS:
            yield from _stray_rows(self.copy)

    def _take(self, table: str, columns: Mapping[str, tuple[type, bool]], row: Row) -> bool:
        """Put a row into the new store if it is whole; say whether it was."""
        # What is found on some page may be of a table with more columns.
        values = dict(zip(columns, row, strict=False))
        for name, (kind, is_needed) in columns.items():
            if not (isinstance(values[name], kind) or (values[name] is None and not is_needed)):
                return False
        links: dict[str, int | None] = {}
        try:
            if table == "runs":
                # Its check sum tells that there were others.
                for name in SHARED:
                    values[name] = self._one("documents", "document_id", values[name])
                links = self._links(values)
            elif not self._is_whole(table, values):
                return False
        except MAKE_NO_SENSE:
            return False
        if table == "scored":
            links = {"session_id": self._one("sessions", "session_id", values["session_id"])}
        is_unlinked = any(values[name] is not None and links[name] is None for name in links)
        try:
            insert_row(self.new, table, {**values, **links})
        except sqlite3.IntegrityError:
            # Something is missing, is there twice, or belongs to what is not there.
            return False
        self.found.n_unlinked += is_unlinked and table == "runs"
        return True

    def _is_whole(self, table: str, row: Values) -> bool:
        """Say whether the values of a row of the right types are as they were written.

        What cannot be read raises one of `MAKE_NO_SENSE`.
        """
        match table:
            case "sentences":
                return bool(sentence_hash(row["text"]) == row["hash"])
            case "suites":
                document = row["document"]
                return document is None or document_hash(document) == row["sha256"]
            case "models":
                return bool(json.loads(row["description"])["fingerprint"] == row["fingerprint"])
            case "policies":
                policy = Policy(**json.loads(row["description"]))
                return bool(policy.fingerprint == row["fingerprint"])
            case "sessions":
                return isinstance(json.loads(row["provenance"]), dict)
            case "documents":
                return bool(content_hash(row["content"]) == row["hash"])
            case "scored":
                return self._is_said(row)
        return True

    def _is_said(self, scored: Values) -> bool:
        """Say whether tokens are what the model said of the sentence under the policy."""
        text = self._one("sentences", "text", scored["sentence_id"])
        owner = self._owner(scored["model_id"], scored["policy_id"])
        if text is None or owner is None:
            return False
        decode_tokens(text, scored["tokens"]).check()
        check_sum = scored_seal(owner, sentence_hash(text) or b"", scored["tokens"])
        return bool(scored["check_sum"] == check_sum)

    def _one(self, table: str, wanted: str, value: object, column: str = "") -> Any:
        """Return what the new store has in a column of the row of a key, or of another value."""
        sql = f"SELECT {wanted} FROM {table} WHERE {column or KEYS[table]} = ?"  # noqa: S608 - our own names
        return next((found for (found,) in self.new.execute(sql, (value,))), None)

    def _owner(self, model_id: int, policy_id: int) -> int | None:
        """Return what the check sums of a model under a policy begin with, if both are there."""
        key = model_id, policy_id
        if key not in self._owners:
            model = self._one("models", "fingerprint", model_id)
            policy = self._one("policies", "fingerprint", policy_id)
            self._owners[key] = owner_seal(model, policy) if model and policy else None
        return self._owners[key]

    def _links(self, run: Values) -> dict[str, int | None]:
        """Return the keys of a run's model, policy and suite: None for what it never had.

        They are not under the run's check sum, but its record is, which has what these are known
        by. So a key that leads elsewhere is put right, and one that leads nowhere becomes None.
        """
        record = self.runs.record(RunRow._make(run.get(name) for name in RunRow._fields))
        model = self._one("models", "model_id", record.model.fingerprint, "fingerprint")
        policy = self._cached_fingerprint(run, model, record.policy)
        suite = self._one("suites", "suite_id", record.suite.sha256, "sha256")
        found = {
            "model_id": model,
            "policy_id": self._one("policies", "policy_id", policy, "fingerprint"),
            "suite_id": suite,
        }
        return {name: None if run[name] is None else key for name, key in found.items()}

    def _cached_fingerprint(
        self, run: Values, model_id: int | None, policy: Mapping[str, Any]
    ) -> str | None:
        """Return what the policy is known by under which the cache has a run's tokens.

        It names no method for a model that has none to choose (see `run_tables.cached_policy`).
        """
        named, unnamed = policy.get("fingerprint"), None
        choices = {name: value for name, value in policy.items() if name != "fingerprint"}
        with contextlib.suppress(TypeError, PommelError):
            unnamed = Policy(**{**choices, "method": "auto"}).fingerprint
        described = json.loads(self._one("models", "description", model_id) or "{}")
        if "methods" in described:
            return named if described["methods"] else unnamed
        # What the model takes was lost.
        current = self._one("policies", "fingerprint", run["policy_id"])
        return current if current in {named, unnamed} else None

    def _reopen(self) -> None:
        """Make those runs unfinished that have not all of their results."""
        lacking = [row.run_key for row in self.runs.rows(items=True) if not self.runs.is_whole(row)]
        for run_key in lacking:
            self.runs.reopen(run_key)
        self.found.n_reopened = len(lacking)


# --- The new store


def _rescued(
    old: sqlite3.Connection, copy: Path, new: Path, target: Path, *, is_sound: bool
) -> Salvaged:
    """Fill a new file with what is whole; `target` is what errors call it.

    It has no log: what is in one would have to be moved into the file when it is closed, and if the
    disk is full by then, nobody is told.
    """
    with Database.open(new) as opened:
        database = replace(opened, path=target)
        journal = database.rows("PRAGMA journal_mode = DELETE")
        with database.transaction() as connection:
            rescue = _Rescue(
                old=old,
                new=connection,
                runs=RunRows(connection=connection),
                copy=copy,
                is_sound=is_sound,
            )
            rescue.run()
        is_good = journal == [("delete",)] and database.rows("PRAGMA quick_check") == [("ok",)]
    if not is_good or beside(new, "-wal").exists():
        raise StoreError(f"{target}: could not be written; is the disk failing? Try another one")
    return rescue.found


def _put(new: Path, target: Path) -> None:
    """Give a file its name, unless somebody else has taken it meanwhile."""
    try:
        try:
            os.link(new, target)
        except FileExistsError:
            raise
        except OSError:
            # A file system without second names: the name is taken first.
            target.open("xb").close()
            try:
                new.replace(target)
            except BaseException:
                target.unlink()
                raise
    except FileExistsError:
        raise _taken(target) from None


def _taken(target: Path) -> StoreError:
    return StoreError(f"{target}: is there already; give the new store another name")
