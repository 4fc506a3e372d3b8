"""A new store with all that can be read of a damaged one."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pommel.errors import StoreError
from pommel.files.text import make_folder
from pommel.store.damaged_file import DamagedFile, opened_damaged
from pommel.store.database import Database, beside
from pommel.store.rescue import Rescue


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
