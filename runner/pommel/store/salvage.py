"""A new store with all that can be read of a damaged one."""

import bisect
import json
import os
import sqlite3
import tempfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pommel.errors import AlignmentError, PommelError, StoreError, SurprisalError
from pommel.files import make_folder
from pommel.models import Policy
from pommel.store.damaged_file import DamagedFile, opened_damaged
from pommel.store.database import KEYS, Database, beside, owner_seal, scored_seal, seal, seal_of
from pommel.store.run_tables import RUN_COLUMNS, document_hash, readable_record
from pommel.store.surprisal_cache import decode_tokens, sentence_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvaged:
    """How many rows of each table were kept, and how many are lost, as far as keys tell it.

    `n_reopened` runs may have lost some of their results, and count as not finished; the command
    that they came from makes them again, out of the cached surprisals. `n_unlinked` runs have lost
    what leads to their suite and their tokens.
    """

    kept: Mapping[str, int]
    lost: Mapping[str, int]
    n_reopened: int
    n_unlinked: int


def salvage(damaged: Path, target: Path) -> Salvaged:
    """Write what can be read of a damaged or truncated store to a new one.

    A row is kept if it is whole: a text or a suite that has its hash, tokens that have their check
    sums and spell their sentence, a description that has its fingerprint, and what it belongs to is
    kept as well.
    The damaged file is only read; it needs room for a copy of it beside `target`.
    Raises `StoreError` if nothing can be read, for another program's file, if there is something at
    `target` already, and for what the file system refuses; there is no new file then.
    """
    make_folder(target.parent)
    if os.path.lexists(target):
        raise _taken(target)
    try:
        # Hidden: all that a process leaves that is killed.
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
            new = Path(folder) / "new.sqlite"
            with opened_damaged(damaged, Path(folder)) as source:
                rescue = _rescued(source, new, target)
            if not any(rescue.kept.values()):
                raise StoreError(f"{damaged}: nothing can be read from it")
            _put(new, target)
    except OSError as error:
        where = error.filename or target
        raise StoreError(f"{where}: {error.strerror or error}") from None
    return Salvaged(
        kept=rescue.kept,
        lost=rescue.lost,
        n_reopened=rescue.n_reopened,
        n_unlinked=rescue.n_unlinked,
    )


_TYPES = {"INTEGER": int, "REAL": float, "TEXT": str, "BLOB": bytes}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its type, and whether it may be NULL."""

    kind: str
    is_needed: bool

    def takes(self, value: object) -> bool:
        """Say whether a value can be one of this column's."""
        if value is None:
            return not self.is_needed
        return isinstance(value, _TYPES[self.kind])


def is_whole(table: str, row: Mapping[str, Any]) -> bool:
    """Say whether the values of a row of the right types are as they were written."""
    match table:
        case "sentences":
            return bool(sentence_hash(row["text"]) == row["hash"])
        case "suites":
            return row["document"] is None or _has_hash(row["document"], row["sha256"])
        case "models":
            description = json_object(row["description"])
            return description is not None and description.get("fingerprint") == row["fingerprint"]
        case "policies":
            description = json_object(row["description"])
            return bool(policy_fingerprint(description or {}) == row["fingerprint"])
        case "sessions":
            return json_object(row["provenance"]) is not None
        case "runs":
            return readable_record([row[name] for name in RUN_COLUMNS]) is not None
        case _:
            return True


def are_tokens(text: str, encoded: bytes) -> bool:
    """Say whether tokens are as they were written, and can be those of a sentence."""
    try:
        decode_tokens(text, encoded).check()
    except (StoreError, AlignmentError, SurprisalError):
        return False
    return True


def policy_fingerprint(choices: Mapping[str, Any]) -> str | None:
    """Return the fingerprint of the policy of these choices; None if there is no such policy."""
    try:
        return Policy(**choices).fingerprint
    except (TypeError, PommelError):
        return None


def json_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a text is; None for other texts."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _has_hash(document: bytes, sha256: str) -> bool:
    try:
        return document_hash(document) == sha256
    except (ValueError, RecursionError, zlib.error):
        return False


def links_of(connection: sqlite3.Connection, run: Mapping[str, Any]) -> dict[str, int | None]:
    """Return the keys of a run's model, policy and suite: None for what it never had.

    They are not under the run's check sum, but its record is, which has what these are known by.
    So a key that leads elsewhere is put right, and one that leads nowhere becomes None.
    """
    record = json_object(run["record"]) or {}
    model = _found(connection, run, "models", _part(record, "model").get("fingerprint"))
    policy = _cached_fingerprint(connection, run, model, _part(record, "policy"))
    return {
        "model_id": model,
        "policy_id": _found(connection, run, "policies", policy),
        "suite_id": _found(connection, run, "suites", _part(record, "suite").get("sha256")),
    }


def _found(
    connection: sqlite3.Connection, run: Mapping[str, Any], table: str, value: object
) -> int | None:
    """Return the key of what is known by a value, if the run refers to anything there."""
    if run[KEYS[table]] is None or not isinstance(value, str):
        return None
    name = "sha256" if table == "suites" else "fingerprint"
    sql = f"SELECT {KEYS[table]} FROM {table} WHERE {name} = ?"  # noqa: S608 - our own names
    found = connection.execute(sql, (value,)).fetchone()
    return found[0] if found else None


def _cached_fingerprint(
    connection: sqlite3.Connection,
    run: Mapping[str, Any],
    model_id: int | None,
    policy: Mapping[str, Any],
) -> object:
    """Return what the policy is known by under which the cache has a run's tokens.

    It names no method for a model that has none to choose (see `run_tables.cached_policy`).
    """
    sql = "SELECT description FROM models WHERE model_id = ?"
    (text,) = connection.execute(sql, (model_id,)).fetchone() or ("",)
    methods = (json_object(text) or {}).get("methods")
    choices = {name: value for name, value in policy.items() if name != "fingerprint"}
    named, unnamed = policy.get("fingerprint"), policy_fingerprint({**choices, "method": "auto"})
    if methods is not None:
        return named if methods else unnamed
    # What the model takes was lost.
    sql = "SELECT fingerprint FROM policies WHERE policy_id = ?"
    (current,) = connection.execute(sql, (run["policy_id"],)).fetchone() or (None,)
    return current if current in {named, unnamed} else None


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = record.get(name)
    return part if isinstance(part, dict) else {}


# Tables whose rows prove themselves, so that it does not matter where they are found.
_STRAYS = {
    "sentences": ("sentence_id", "hash", "text"),
    "scored": (
        "scored_id",
        "model_id",
        "policy_id",
        "sentence_id",
        "tokens",
        "session_id",
        "check_sum",
    ),
}

# Of models and policies, whose descriptions matter less than what they are known by.
_LOST = {"reference": "(lost)", "name": "(lost)", "kind": "(lost)"}


@dataclass(slots=True, kw_only=True)
class Rescue:
    """Puts all that is whole into a new store, within a transaction of the caller's.

    `kept` and `lost` count rows by table, `n_reopened` runs that may have lost results, and
    `n_unlinked` runs that have lost their suite, model or policy.
    """

    source: DamagedFile
    connection: sqlite3.Connection
    kept: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    n_reopened: int = 0
    n_unlinked: int = 0
    _owners: dict[tuple[int, int], int | None] = field(default_factory=dict)

    def run(self) -> None:
        """Take all tables, parents before children."""
        missing = {table: self._table(table) for table in KEYS}
        self._reopen(missing)
        for table in KEYS:
            ((self.kept[table],),) = self.connection.execute(
                f"SELECT count(*) FROM {table}"  # noqa: S608 - our own names
            )

    def _table(self, table: str) -> list[range]:
        """Take a table; return the keys of rows that are, or may be, missing, ascending."""
        info = self.connection.execute(f"PRAGMA table_info({table})")
        columns = {name: Column(kind, bool(needed)) for _, name, kind, needed, *_ in info}
        taken: set[int] = set()
        dropped: set[int] = set()
        for row in self.source.rows(table):
            (taken if self._take(table, columns, row) else dropped).add(row[KEYS[table]])
        unreadable, last = self.source.unreadable[table], self.source.last_keys[table]
        if dropped or unreadable or not self.source.is_sound:
            for row in self._others(table):
                key = row[KEYS[table]]
                is_possible = key > 0 and (last is None or key <= last)
                if is_possible and key not in taken and self._take(table, columns, row):
                    taken.add(key)
        if self.source.is_sound and not unreadable:
            missing = [range(key, key + 1) for key in sorted(dropped - taken)]
        else:
            # A page that is not where it belongs takes its rows along without a word.
            ends = [max(taken, default=0), last or 0, *(keys.stop - 1 for keys in unreadable)]
            missing = _gaps(taken, max(ends))
        self.lost[table] = sum(map(len, missing))
        return missing

    def _take(self, table: str, columns: Mapping[str, Column], row: Mapping[str, Any]) -> bool:
        """Put a row into the new store if it is whole; say whether it was."""
        values = {name: row.get(name) for name in columns}
        if not all(column.takes(values[name]) for name, column in columns.items()):
            return False
        if not is_whole(table, values):
            return False
        is_unlinked = False
        if table == "scored":
            values["check_sum"] = self._check_sum(values)
            if values["check_sum"] is None:
                return False
            if not self._has("sessions", values["session_id"]):
                values["session_id"] = None
        elif table == "runs":
            links = links_of(self.connection, values)
            is_unlinked = any(values[name] is not None and links[name] is None for name in links)
            values |= links
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        sql = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - our own names
        try:
            self.connection.execute(sql, tuple(values.values()))
        except sqlite3.IntegrityError:
            # Something is missing, is there twice, or belongs to what is not there.
            return False
        self.n_unlinked += is_unlinked
        return True

    def _others(self, table: str) -> Iterator[dict[str, Any]]:
        """Yield rows that are found in other places, some of them again."""
        if table in {"models", "policies"}:
            for key, fingerprint in self.source.fingerprints(table).items():
                described = json.dumps({**_LOST, "fingerprint": fingerprint})
                yield {KEYS[table]: key, "fingerprint": fingerprint, "description": described}
        names = _STRAYS.get(table, ())
        for key, values in self.source.stray_rows() if names else ():
            # Columns that were added later are missing in older rows; the key is stored as NULL.
            if 0 < len(values) <= len(names) and values[0] is None:
                row = dict(zip(names, values, strict=False))
                yield {**row, KEYS[table]: key}

    def _check_sum(self, row: dict[str, Any]) -> int | None:
        """Return the check sum of a scored sentence; None if it is not what was written."""
        owner = self._owner(row["model_id"], row["policy_id"])
        sql = "SELECT text, hash FROM sentences WHERE sentence_id = ?"
        found = self.connection.execute(sql, (row["sentence_id"],)).fetchone()
        if owner is None or found is None or not are_tokens(found[0], row["tokens"]):
            return None
        check_sum = scored_seal(owner, found[1], row["tokens"])
        if row["check_sum"] is None:
            return check_sum if self.source.is_indexed(row) else None
        return check_sum if row["check_sum"] == check_sum else None

    def _owner(self, model_id: int, policy_id: int) -> int | None:
        """Return what the check sums of a model under a policy begin with, if both are there."""
        key = model_id, policy_id
        if key not in self._owners:
            sql = (
                "SELECT m.fingerprint, p.fingerprint FROM models m, policies p "
                "WHERE model_id = ? AND policy_id = ?"
            )
            found = self.connection.execute(sql, key).fetchone()
            self._owners[key] = owner_seal(*found) if found else None
        return self._owners[key]

    def _has(self, table: str, key: int | None) -> bool:
        sql = f"SELECT 1 FROM {table} WHERE {KEYS[table]} = ?"  # noqa: S608 - our own names
        return self.connection.execute(sql, (key,)).fetchone() is not None

    def _reopen(self, missing: Mapping[str, Sequence[range]]) -> None:
        """Make those runs unfinished that have not, or may not have, all of their results.

        Where there is no check sum: the rows of one run were written in one go, so that their keys
        have no gaps; a missing key among them or next to them may have been one of theirs.
        """
        for run_key, check_sum, *bounds in self.connection.execute(_EXTENTS).fetchall():
            spans = {"predictions": bounds[:2], "item_results": bounds[2:]}
            if check_sum is not None:
                is_harmed = check_sum != seal_of(self.connection, run_key)
            else:
                is_harmed = any(_is_touched(spans[table], missing[table]) for table in spans)
            if is_harmed:
                self.connection.execute("DELETE FROM predictions WHERE run_key = ?", (run_key,))
                self.connection.execute(_REOPENED, (run_key,))
                self.n_reopened += 1
            elif check_sum is None:
                seal(self.connection, run_key)


# Of each complete run, its check sum, and the first and last keys of what it has.
_EXTENTS = """
    SELECT run_key, check_sum, min(prediction_key), max(prediction_key),
           min(item_result_key), max(item_result_key)
    FROM runs LEFT JOIN predictions USING (run_key) LEFT JOIN item_results USING (prediction_key)
    WHERE status = 'complete' GROUP BY run_key
"""

_REOPENED = """
    UPDATE runs SET status = 'running', finished = NULL, check_sum = NULL WHERE run_key = ?
"""


def _gaps(keys: Collection[int], last: int) -> list[range]:
    """Return the keys from 1 to the last one that are missing among some, ascending."""
    gaps, begin = [], 1
    for key in (*sorted(keys), last + 1):
        if key > begin:
            gaps.append(range(begin, key))
        begin = key + 1
    return gaps


def _is_touched(span: Sequence[int | None], missing: Sequence[range]) -> bool:
    """Say whether a missing key lies between two keys or next to them.

    Where there are no keys, any of the missing may have been one.
    """
    first, last = span
    if first is None or last is None:
        return bool(missing)
    at = bisect.bisect_left(missing, first, key=lambda keys: keys.stop)
    return at < len(missing) and missing[at].start <= last + 1


def _rescued(source: DamagedFile, new: Path, target: Path) -> Rescue:
    """Fill a new file with what is whole; `target` is what errors call it.

    It has no log: what is in one would have to be moved into the file when it is closed, and if the
    disk is full by then, nobody is told.
    """
    with Database.open(new) as opened:
        database = replace(opened, path=target)
        journal = database.rows("PRAGMA journal_mode = DELETE")
        with database.transaction() as connection:
            rescue = Rescue(source=source, connection=connection)
            rescue.run()
        is_good = journal == [("delete",)] and database.rows("PRAGMA quick_check") == [("ok",)]
    if not is_good or beside(new, "-wal").exists():
        raise StoreError(f"{target}: could not be written; is the disk failing? Try another one")
    return rescue


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
