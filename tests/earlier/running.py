"""Commands inside this process: what they print, and how they end."""

import contextlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from tests.cli.samples import Outcome
from tests.cli.terminal import Pipe, called

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"


def pommel(*arguments: str | Path) -> Outcome:
    """Run a command as in a pipe; nothing that it writes is seen elsewhere."""
    with warnings.catch_warnings():
        # What packages of plots warn of is not what is looked at here.
        warnings.simplefilter("ignore")
        status, out, err = called(arguments, Pipe)
    return Outcome(status=status, stdout=out, stderr=err)


@contextlib.contextmanager
def standing_in(folder: Path) -> Iterator[None]:
    """Work in a folder, whose store is the one that commands use."""
    settings = {"POMMEL_STORE": "store.sqlite", "NO_COLOR": "1", "TZ": "UTC"}
    with contextlib.chdir(folder), mock.patch.dict(os.environ, settings):
        yield
