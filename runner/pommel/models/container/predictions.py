"""`get_predictions.hdf5`: the one command that writes a file, which leaves the container as output.

Nothing of this machine is mounted for it: it writes to `/tmp` in the container, and from there
the file is printed.
"""

from pathlib import Path

from pommel.files.writing import replacing
from pommel.models.container.engines.process import Command

_FILE = "/tmp/predictions.hdf5"  # noqa: S108 - in the container
# What the command prints, which should be nothing, must not get into the file.
_SCRIPT = 'get_predictions.hdf5 /dev/stdin "$1" 1>&2 && cat "$1"'
NAME = "get_predictions.hdf5"
COMMAND = ("sh", "-c", _SCRIPT, NAME, _FILE)

_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def write_output(command: Command, path: Path) -> None:
    """Write what a running `COMMAND` prints to a file, which appears when it is complete.

    Raises `ContainerError` if the command fails or what it writes is no HDF5, and `PommelError`
    for a file that cannot be written. What is no file (a pipe) is given the whole at the end.
    """
    beginning = b""
    with replacing(path) as aside, aside.open("wb") as opened:
        for chunk in command.chunks():
            beginning += chunk[: len(_SIGNATURE) - len(beginning)]
            opened.write(chunk)
        command.finish()
        if beginning != _SIGNATURE:
            raise command.failure("what it has written is no HDF5 file")
