from .conversion import Conversion as Conversion
from .fetch.fetching import FetchedSource as FetchedSource
from .fetch.source import FetchOptions as FetchOptions, PublishedSource as PublishedSource
from .formats.context_pairs import TargetTable as TargetTable
from .formats.json_lines import JsonLine as JsonLine
from .generation import Generation as Generation
from .load import (
    SuiteCard as SuiteCard,
    find_suites as find_suites,
    load_drafts as load_drafts,
    load_suites as load_suites,
)
from .output import Content as Content, WrittenForm as WrittenForm
