"""Files of minimal sets: which format is meant, and writing them piece by piece."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from pommel.cli.output import show_text
from pommel.errors import UsageError
from pommel.files import replacing
from pommel.generation import Format

_F = TypeVar("_F", bound=Callable[..., Any])

_FORMATS: dict[str, Format] = {".json": "suite", ".tsv": "tsv", ".txt": "clams"}
_STANDARD_OUTPUT = Path("-")
# Pieces that are shown at once.
_AT_ONCE = 1_000


def set_output_options(function: _F) -> _F:
    """Add the file to write, and its format."""
    output = click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
        help="File to write; its ending may say the format (.json, .tsv, .txt).  "
        "[default: standard output]",
    )
    form = click.option(
        "--format",
        "form",
        type=click.Choice(get_args(Format)),
        help="A suite, CLAMS's True/False lines, or two columns.  [default: by the ending; suite]",
    )
    return output(form(function))


def chosen_format(chosen: dict[str, Any]) -> Format:
    """Return the format that is asked for, or meant by the file's ending.

    Raises `UsageError` for an ending that says nothing.
    """
    form: Format | None = chosen["form"]
    output: Path | None = chosen["output"]
    if form or output is None or output == _STANDARD_OUTPUT:
        return form or "suite"
    if output.suffix not in _FORMATS:
        endings = ", ".join(_FORMATS)
        raise UsageError(f"{output}: say --format, or let the file end in one of {endings}")
    return _FORMATS[output.suffix]


def write_pieces(pieces: Iterator[str], output: Path | None) -> bool:
    """Write a text, never all of it in memory; return whether it is a file that was written."""
    if output is None or output == _STANDARD_OUTPUT:
        for first in pieces:
            show_text("".join((first, *itertools.islice(pieces, _AT_ONCE))))
        return False
    with replacing(output) as aside, aside.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(pieces)
    return True
