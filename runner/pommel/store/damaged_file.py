"""Reading a store that SQLite calls damaged, row by row, as far as it can be read."""

import contextlib
import errno
import os
import shutil
import sqlite3
import struct
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from pommel.errors import StoreError
from pommel.store.database import KEYS, PAGE_BYTES, Database, beside, version_of

# Rows that are asked for at once, where nothing is damaged.
_RANGE = 1024

# No store has had so many rows of a table; what says so is garbled.
_MOST_KEYS = 1 << 28

# How often a copy is tried of a file that others write to, and how long is waited in between.
_MOST_COPIES = 20
_WAIT_SECONDS = 0.1
_LOG_HEAD_BYTES = 32
_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE}

# Fewer bytes than a row takes on average; bounds their number where nothing else says it.
_FEWEST_ROW_BYTES = 32
Value = int | str | bytes | None
Row = dict[str, Any]


@dataclass(slots=True, kw_only=True)
class DamagedFile:
    """A copy of a store, opened to be read whatever is wrong with it.

    `is_sound` says that SQLite finds nothing wrong: then a key that is missing was deleted.
    `unreadable` has, for each table that has been read, the keys that nothing is known of; where
    nothing says how many rows there were, the first of those at the end stands for all. `last_keys`
    has the key that no row of a table is above, None where nothing says it.
    """

    path: Path
    connection: sqlite3.Connection
    is_sound: bool
    unreadable: dict[str, list[range]] = field(default_factory=dict)
    last_keys: dict[str, int | None] = field(default_factory=dict)

    def rows(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table that can be read, by ascending key.

        A range of keys that fails is halved until it is one row.
        """
        lost = self.unreadable[table] = []
        columns = self._columns(table)
        last, is_guess = self._last_key(table) if columns else (0, False)
        self.last_keys[table] = None if is_guess else last
        waiting = [range(at, min(at + _RANGE, last + 1)) for at in range(1, last + 1, _RANGE)]
        # The lowest keys are to come off the stack first.
        waiting.reverse()
        while waiting:
            keys = waiting.pop()
            try:
                found = self._between(table, columns, keys)
            except sqlite3.Error:
                if len(keys) > 1:
                    middle = len(keys) // 2
                    waiting += [keys[middle:], keys[:middle]]
                elif lost and lost[-1].stop == keys.start:
                    lost[-1] = range(lost[-1].start, keys.stop)
                else:
                    lost.append(keys)
            else:
                yield from found
        if is_guess and lost and lost[-1].stop > last:
            # How many follow nobody knows; that there may be some has to be known.
            lost[-1] = lost[-1][:1]

    def fingerprints(self, table: str) -> dict[int, str]:
        """Return key and fingerprint of models or policies as far as their index can be read."""
        # The index has both columns, so that SQLite does not look at the rows themselves.
        sql = f"SELECT {KEYS[table]}, fingerprint FROM {table} ORDER BY fingerprint"  # noqa: S608 - our own names
        found: dict[int, str] = {}
        with contextlib.suppress(sqlite3.Error):
            found.update(self.connection.execute(sql))
        return found

    def is_indexed(self, scored: Row) -> bool:
        """Say whether the index of scored sentences has a row that has no check sum."""
        # The index has all of these columns, so that SQLite does not look at the row itself.
        sql = (
            "SELECT 1 FROM scored INDEXED BY sqlite_autoindex_scored_1 "
            "WHERE sentence_id = ? AND model_id = ? AND policy_id = ? AND scored_id = ?"
        )
        names = ("sentence_id", "model_id", "policy_id", "scored_id")
        try:
            found = self.connection.execute(sql, [scored[name] for name in names])
            return found.fetchone() is not None
        except sqlite3.Error:
            return False

    def stray_rows(self) -> Iterator[tuple[int, tuple[Value, ...]]]:
        """Yield key and columns of the rows on all pages, reachable or not, of any table."""
        return leaf_rows(self.path, PAGE_BYTES)

    def _between(self, table: str, columns: list[str], keys: range) -> list[Row]:
        sql = f"SELECT * FROM {table} WHERE {KEYS[table]} BETWEEN ? AND ?"  # noqa: S608 - our own names
        rows = self.connection.execute(sql, (keys[0], keys[-1]))
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def _columns(self, table: str) -> list[str]:
        with contextlib.suppress(sqlite3.Error):
            return [row[1] for row in self.connection.execute(f"PRAGMA table_info({table})")]
        return []

    def _last_key(self, table: str) -> tuple[int, bool]:
        """Return a key that no row is above, and whether that is a guess."""
        found = []
        for sql in (
            f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'",  # noqa: S608 - our own names
            f"SELECT max({KEYS[table]}) FROM {table}",  # noqa: S608 - our own names
        ):
            with contextlib.suppress(sqlite3.Error):
                found += [row[0] for row in self.connection.execute(sql)]
        known = [key for key in found if isinstance(key, int) and key <= _MOST_KEYS]
        if known or (found and found == [None] * len(found)):
            return max(known, default=0), False
        return self.path.stat().st_size // _FEWEST_ROW_BYTES, True


@contextlib.contextmanager
def opened_damaged(path: Path, folder: Path) -> Iterator[DamagedFile]:
    """Give what can be read of a store, from a copy in `folder`; the file itself is only read.

    What was committed and is still in the log beside the file belongs to it. Where the first page
    is gone, which says where the tables begin, that of a new store takes its place: their places
    are always the same.
    Raises `StoreError` for another program's file and for one that others write to all the time,
    and `OSError`.
    """
    copy = folder / "damaged.sqlite"
    _copy(path, copy)
    # What is left of a page that was cut would be read as one whose rows are gone.
    os.truncate(copy, copy.stat().st_size // PAGE_BYTES * PAGE_BYTES)
    with contextlib.closing(_connected(copy)) as connection:
        whole = _has_first_page(connection, path)
        if whole:
            _settle(connection)
            yield DamagedFile(path=copy, connection=connection, is_sound=_is_sound(connection))
    if not whole:
        _replace_first_page(copy)
        with contextlib.closing(_connected(copy)) as connection:
            yield DamagedFile(path=copy, connection=connection, is_sound=False)


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
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


def _has_first_page(connection: sqlite3.Connection, path: Path) -> bool:
    try:
        version_of(connection, path)
        connection.execute("SELECT name FROM sqlite_master").fetchall()
    except sqlite3.Error:
        return False
    return True


def _settle(connection: sqlite3.Connection) -> None:
    """Move what is in the log into the file, where `stray_rows` looks for it."""
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error as error:
        if error.sqlite_errorcode in _NO_ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None


def _is_sound(connection: sqlite3.Connection) -> bool:
    try:
        faults = connection.execute("PRAGMA integrity_check(1)").fetchall()
        return faults == [("ok",)] and not connection.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.Error:
        return False


def _replace_first_page(copy: Path) -> None:
    with tempfile.TemporaryDirectory(dir=copy.parent) as folder:
        new = Path(folder) / "new.sqlite"
        Database.open(new).close()
        page = bytearray(new.read_bytes()[:PAGE_BYTES])
    if len(page) != PAGE_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    n_pages = copy.stat().st_size // PAGE_BYTES
    # The size in pages, at 28, holds if the change counter at 24 is the one at 92.
    page[28:32] = n_pages.to_bytes(4, "big")
    with copy.open("r+b") as opened:
        opened.write(page)


# Rows on pages of a damaged file that no other page leads to any more. SQLite finds a row through
# the pages above it. Where one of these is gone, the rows below are still there: this reads a file
# page by page, and takes every page that looks like one with rows of a table for one
# (https://www.sqlite.org/fileformat2.html, sections 1.5, 1.6 and 2.1). Such a row may have been
# deleted, or be an older one, and nothing says of which table it is; so this is good for rows that
# prove themselves only.

_TABLE_LEAF = 13
_PAGE_HEADER_BYTES = 8
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_CONSTANTS = {0: None, 8: 0, 9: 1}
_FIRST_BLOB = 12

# A garbled length would read on to the end of the file; no sentence takes so much.
_MOST_BYTES = 1 << 24


def leaf_rows(path: Path, page_bytes: int) -> Iterator[tuple[int, tuple[Value, ...]]]:
    """Yield key and columns of every row found; a column that is the key itself is None.

    Rows with numbers that are no integers are left out. Raises `OSError`.
    """
    with path.open("rb") as opened:
        n_pages = path.stat().st_size // page_bytes
        # The first page has the schema, and is laid out differently.
        for number in range(2, n_pages + 1):
            opened.seek((number - 1) * page_bytes)
            page = opened.read(page_bytes)
            if page[0] != _TABLE_LEAF:
                continue
            (n_cells,) = struct.unpack_from(">H", page, 3)
            n_cells = min(n_cells, (page_bytes - _PAGE_HEADER_BYTES) // 2)
            for at in struct.unpack_from(f">{n_cells}H", page, _PAGE_HEADER_BYTES):
                try:
                    n_bytes, start = _varint(page, at)
                    key, start = _varint(page, start)
                    payload = _payload(opened, page, start, n_bytes)
                    yield key, _columns(payload)
                except (LookupError, ValueError, struct.error):
                    continue


def _payload(opened: BinaryIO, page: bytes, start: int, n_bytes: int) -> bytes:
    """Return a row's bytes; what does not fit on its page is on a chain of others."""
    if n_bytes > _MOST_BYTES:
        raise ValueError(n_bytes)
    usable = len(page)
    if n_bytes <= usable - 35:
        return page[start : start + n_bytes]
    smallest = (usable - 12) * 32 // 255 - 23
    local = smallest + (n_bytes - smallest) % (usable - 4)
    local = local if local <= usable - 35 else smallest
    parts, missing = [page[start : start + local]], n_bytes - local
    (following,) = struct.unpack_from(">I", page, start + local)
    while following and missing > 0:
        opened.seek((following - 1) * usable)
        overflow = opened.read(usable)
        parts.append(overflow[4 : 4 + missing])
        missing -= len(parts[-1])
        (following,) = struct.unpack_from(">I", overflow)
    return b"".join(parts)


def _columns(payload: bytes) -> tuple[Value, ...]:
    head_bytes, at = _varint(payload, 0)
    kinds = []
    while at < head_bytes:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    columns: list[Value] = []
    for kind in kinds:
        if kind in _CONSTANTS:
            columns.append(_CONSTANTS[kind])
            continue
        length = _INTEGER_BYTES[kind] if kind < _FIRST_BLOB else (kind - _FIRST_BLOB) // 2
        value = payload[at : at + length]
        if len(value) != length:
            raise ValueError(kind)
        at += length
        if kind < _FIRST_BLOB:
            columns.append(int.from_bytes(value, "big", signed=True))
        else:
            columns.append(value.decode() if kind % 2 else value)
    return tuple(columns)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number at `at`, and where it ends; seven bits a byte, the ninth has eight."""
    number = 0
    for place in range(at, at + 8):
        byte = data[place]
        number = number << 7 | byte & 0x7F
        if not byte & 0x80:
            return number, place + 1
    return number << 8 | data[at + 8], at + 9
