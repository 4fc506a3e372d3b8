"""Files of suites, sentences and minimal sets: which format is meant, and writing them."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from pommel.cli.output import show_text
from pommel.contents import Content
from pommel.errors import UsageError
from pommel.files import replacing
from pommel.formats.long_csv import long_csv_pieces
from pommel.formats.sentence_lines import sentence_lines
from pommel.formats.set_formats import FORMATS, format_named, written_at

_F = TypeVar("_F", bound=Callable[..., Any])

# Formats of whole items; the others are formats of minimal sets.
_SUITE, _CSV, _SENTENCES = "suite", "csv", "sentences"
# Those in which the end of a sentence is the model's own mark.
WITHOUT_MARKS = (_SUITE, _CSV)
_BY_ENDING = {".json": _SUITE, ".csv": _CSV}
_STANDARD_OUTPUT = Path("-")
# Pieces that are shown at once.
_AT_ONCE = 1_000


def set_output_options(function: _F) -> _F:
    """Add the file to write, and its format."""
    output = click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, allow_dash=True),
        help="File to write; its ending may say the format.  [default: standard output]",
    )
    form = click.option(
        "--format",
        "form",
        type=click.Choice(output_names()),
        help="A suite, long CSV, plain sentences, or a format of minimal sets.  "
        "[default: by the ending; suite]",
    )
    return output(form(function))


def output_names() -> tuple[str, ...]:
    """Return the names of all formats that are written."""
    return (_SUITE, _CSV, _SENTENCES, *(each.name for each in FORMATS if each.is_written))


def chosen_format(form: str | None, output: Path | None) -> str:
    """Return the format that is asked for, or meant by the file's ending.

    Raises `UsageError` for an ending that says nothing.
    """
    if form or output is None or output == _STANDARD_OUTPUT:
        return form or _SUITE
    found = _BY_ENDING.get(output.suffix) or getattr(written_at(output.suffix), "name", None)
    if found is None:
        written = (ending for each in FORMATS if each.is_written for ending in each.endings)
        endings = ", ".join(dict.fromkeys([*_BY_ENDING, *written]))
        raise UsageError(f"{output}: say --format, or let the file end in one of {endings}")
    return found


def is_of_sets(form: str) -> bool:
    """Say whether a format is one of minimal sets."""
    return format_named(form) is not None


def ending_of(form: str) -> str:
    """Return how a file of that format ends."""
    own = {name: ending for ending, name in _BY_ENDING.items()} | {_SENTENCES: ".txt"}
    found = format_named(form)
    return found.endings[0] if found else own[form]


def write_content(content: Content, form: str, output: Path | None) -> bool:
    """Write a content, never all of it in memory; return whether it is a file that was written.

    Raises `UsageError` for what the content cannot be written as, and for a format that is no text
    without a file to write.
    """
    is_shown = output is None or output == _STANDARD_OUTPUT
    found = format_named(form)
    if found and found.save:
        if output is None or is_shown:
            raise UsageError(f"{form} is no text to be shown; name a file with -o")
        found.save(content.sets(), output)
        return True
    pieces = _pieces(content, form)
    if output is None or is_shown:
        for first in pieces:
            show_text("".join((first, *itertools.islice(pieces, _AT_ONCE))))
        return False
    with replacing(output) as aside, aside.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(pieces)
    return True


def _pieces(content: Content, form: str) -> Iterator[str]:
    found = format_named(form)
    if found and found.pieces:
        return found.pieces(content.sets())
    match form:
        case "csv":
            return long_csv_pieces(content.items(), content.region_names)
        case "sentences":
            return sentence_lines(content.items(), content.joiner)
    return content.suite_pieces()
