from .imports.results import (
    ImportOptions as ImportOptions,
    read_results as read_results,
)
from .run_index import RunIndex as RunIndex
from .selection import Selection as Selection
from .store import (
    Store as Store,
    default_store_path as default_store_path,
    run_and_keep as run_and_keep,
)
