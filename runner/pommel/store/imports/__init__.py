"""Results that others have published as files, as the records of runs."""

from pommel.store.imports.result_format import Imported, ImportOptions, ResultFormat
from pommel.store.imports.result_formats import (
    RESULT_FORMATS,
    read_results,
    recognised,
    result_format_named,
)

__all__ = [
    "RESULT_FORMATS",
    "ImportOptions",
    "Imported",
    "ResultFormat",
    "read_results",
    "recognised",
    "result_format_named",
]
