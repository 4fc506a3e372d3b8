"""`pommel convert`: minimal pairs from one format to another."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pommel.cli.output import note
from pommel.cli.set_files import chosen_format, set_output_options, write_pieces
from pommel.errors import UsageError
from pommel.formats.clams import parse_clams
from pommel.formats.pair_table import parse_pairs
from pommel.generation import set_chunks
from pommel.minimal_sets import MinimalSet
from pommel.text_file import read_text
from pommel.wording import counted

_Parser = Callable[..., list[MinimalSet]]

# How a file ends -> what it holds.
_READ: dict[str, tuple[str, _Parser]] = {
    ".txt": ("clams", parse_clams),
    ".tsv": ("tsv", parse_pairs),
}


@click.command("convert", no_args_is_help=True)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--from",
    "read_as",
    type=click.Choice([name for name, _ in _READ.values()]),
    help="What FILE is.  [default: by its ending]",
)
@set_output_options
@click.option("--name", help="What the suite is called.  [default: the file]")
def command(file: Path, read_as: str | None, **chosen: Any) -> None:
    """Convert minimal sets: CLAMS's True/False lines (.txt) or two columns (.tsv).

    What the sentences of a set share at their beginnings and ends, in words, becomes regions of
    their own in a suite.

    \b
      pommel convert fr.simple_agrmt.txt -o simple_agrmt.json
      pommel convert pairs.tsv --format clams
    """
    sets = _parser(file, read_as)(read_text(file).text, file=str(file))
    pieces = set_chunks(
        chosen_format(chosen),
        sets,
        n_others={len(each.others) for each in sets},
        meta={"name": chosen["name"] or file.stem},
    )
    if write_pieces(pieces, chosen["output"]):
        note(f"{counted(len(sets), 'minimal set')}: {chosen['output']}")


def _parser(file: Path, read_as: str | None) -> _Parser:
    by_name = dict(_READ.values())
    if read_as:
        return by_name[read_as]
    if file.suffix not in _READ:
        endings = ", ".join(_READ)
        raise UsageError(f"{file}: say what it is with --from, or let it end in one of {endings}")
    return _READ[file.suffix][1]
