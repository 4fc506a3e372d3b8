"""What is kept of runs: token surprisals and results, in one SQLite file; all the SQL there is."""

from pommel.store.database import default_store_path
from pommel.store.run_tables import RunTables
from pommel.store.selection import Selection
from pommel.store.store import Store
from pommel.store.surprisal_cache import CachedModel

__all__ = ["CachedModel", "RunTables", "Selection", "Store", "default_store_path"]
