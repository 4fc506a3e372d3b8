"""The store: one file with all that is kept of runs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pommel.scoring.run import environment
from pommel.store.database import Database
from pommel.store.run_tables import RunTables
from pommel.store.surprisal_cache import SurprisalCache


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """An open store: scored sentences (`cache`) and runs with their results (`runs`).

    A context manager. For one thread; another one, or another process, opens the file itself.
    """

    database: Database
    cache: SurprisalCache
    runs: RunTables

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, create: bool = True) -> Self:
        """Open the store in a file, which is made if it is missing.

        With `read_only` or without `create` a missing one is an error. What would change a store
        that is open for reading raises `StoreError`, and so does a file that is no store or may not
        be used.
        """
        database = Database.open(path, create=create and not read_only)
        if read_only and not database.read_only:
            database.connection.execute("PRAGMA query_only = ON")
        cache = SurprisalCache(database=database, provenance=environment)
        return cls(database=database, cache=cache, runs=RunTables(database=database, cache=cache))

    @property
    def path(self) -> Path:
        """The store's file."""
        return self.database.path

    @property
    def is_read_only(self) -> bool:
        """Whether the file may not be written."""
        return self.database.read_only

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
