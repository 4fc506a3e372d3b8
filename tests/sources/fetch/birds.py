"""The source of most tests: two files, and what is said when they cannot be had."""

import re

import pytest
from tests.sources.fetch.server import COMMIT, FileServer, tree

from pommel.errors import PommelError
from pommel.sources.fetch.fetching import FetchedSource
from pommel.sources.fetch.source import FetchOptions, PublishedSource

WREN, TIT = b'{"bird": "wren"}', b'{"bird": "great tit"}'
AT = f"birds/{COMMIT}"


def failure(source: PublishedSource, options: FetchOptions) -> str:
    """Return what is said of a source that cannot be fetched; nothing half may be left."""
    with pytest.raises(PommelError) as caught:
        FetchedSource.fetch(source, options=options)
    assert caught.value.exit_status == 1
    assert options.root is not None
    assert not [path for path in tree(options.root) if path.endswith(".part")]
    return str(caught.value)


def reason(server: FileServer, message: str, path: str = "wren.json") -> str:
    """Return why the one file that is missing could not be had."""
    expected = rf"birds: 1 of \d files? could not be fetched\n  {re.escape(path)}: (.*) "
    address = re.escape(f"({server.address}/{AT}/{path})")
    hopeless = r"(\ntry again when the server can be reached, or name a mirror \(--base-url\))?"
    kept = rf"{hopeless}(\nwhat has come whole is kept(; the same command fetches the rest)?)?"
    matched = re.fullmatch(expected + address + kept, message)
    assert matched is not None, message
    return matched[1]
