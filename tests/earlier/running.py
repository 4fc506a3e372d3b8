"""Commands inside this process: what they print, and how they end."""

import contextlib
import io
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from pommel.cli import main

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a command ended, and what it wrote."""

    status: int
    stdout: str
    stderr: str


def pommel(*arguments: str | Path) -> Outcome:
    """Run a command as in a pipe; nothing that it writes is seen elsewhere."""
    written = [io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for _ in range(2)]
    status = 0
    with (
        contextlib.redirect_stdout(written[0]),
        contextlib.redirect_stderr(written[1]),
        warnings.catch_warnings(),
    ):
        # What packages of plots warn of is not what is looked at here.
        warnings.simplefilter("ignore")
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as leaving:
            status = int(leaving.code or 0)
    for stream in written:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in written)
    return Outcome(status=status, stdout=out, stderr=err)


@contextlib.contextmanager
def standing_in(folder: Path) -> Iterator[None]:
    """Work in a folder, whose store is the one that commands use."""
    settings = {"POMMEL_STORE": "store.sqlite", "NO_COLOR": "1", "TZ": "UTC"}
    with contextlib.chdir(folder), mock.patch.dict(os.environ, settings):
        yield
