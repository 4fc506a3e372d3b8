from .imports.results import RESULT_FORMATS as RESULT_FORMATS
from .imports.results import ImportOptions as ImportOptions
from .imports.results import read_results as read_results
from .selection import Selection as Selection
from .store import Store as Store
from .store import default_store_path as default_store_path
from .store import run_and_keep as run_and_keep
