"""Has the Python that begins with this run pommel as on Windows, as far as Linux can play it."""

import importlib.util
import io
import sys
from pathlib import Path

_FILE = Path(__file__).parents[1] / "windows.py"
_spec = importlib.util.spec_from_file_location("windows", _FILE)
assert _spec is not None
assert _spec.loader is not None
_windows = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_windows)
_windows.install()
for _stream in (sys.stdout, sys.stderr):
    if isinstance(_stream, io.TextIOWrapper):
        _stream.reconfigure(newline="\r\n")
