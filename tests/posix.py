"""What tests need that Windows itself has not: pipes with names, alarms, modes, limits."""

import sys

import pytest

POSIX_ONLY = pytest.mark.skipif(
    sys.platform == "win32", reason="needs pipes, signals, users or limits of POSIX"
)
