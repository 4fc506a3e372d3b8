"""`pommel convert`: suites and minimal sets from one format to another."""

from pathlib import Path
from typing import Any, get_args

import click

from pommel.cli.output import note, show_warnings
from pommel.cli.set_files import (
    chosen_format,
    ending_of,
    set_output_options,
    write_content,
)
from pommel.contents import Content, SetContent
from pommel.conversion import Conversion, input_names
from pommel.errors import InputError, UsageError
from pommel.minimal_sets import GRAMMATICAL, Compared
from pommel.wording import counted


@click.command("convert", no_args_is_help=True)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--from",
    "read_as",
    type=click.Choice(input_names()),
    default=None,
    help="What FILE is.  [default: by its ending and how it begins]",
)
@set_output_options
@click.option("--name", default="", help="What the suite is called.  [default: the file]")
@click.option(
    "--by",
    metavar="FIELD",
    default="",
    help="Write one file for each value of a field, into the folder -o: --by UID.",
)
@click.option(
    "--compare",
    "compared",
    type=click.Choice(get_args(Compared)),
    help="What the prediction compares: the whole sentence or the words that differ.  "
    "[default: what is usual for the format]",
)
@click.option(
    "--grammatical",
    metavar="CONDITION",
    default=GRAMMATICAL,
    show_default=True,
    help="The condition of a suite that is the grammatical one of minimal sets.",
)
@click.option(
    "--ungrammatical",
    metavar="CONDITION",
    multiple=True,
    help="An ungrammatical one; may be repeated.  [default: those that are called so]",
)
def command(file: Path, **chosen: Any) -> None:
    """Convert a suite, or minimal sets, from one format to another.

    What the sentences of a set share at their beginnings and ends, in words, becomes regions of
    their own in a suite. What else a file says of a set is kept there, and written back.

    \b
      pommel convert adjunct_island.jsonl -o adjunct_island.json
      pommel convert suite.json -o suite.csv
      pommel convert simple_agrmt.pickle --by case -o agreement
      pommel convert number_orc.json --grammatical match_sing --ungrammatical mismatch_sing -o x.tsv
    """
    output: Path | None = chosen["output"]
    conversion = Conversion(
        read_as=chosen["read_as"] or "",
        name=chosen["name"],
        compared=chosen["compared"],
        grammatical=chosen["grammatical"],
        ungrammatical=chosen["ungrammatical"],
        by=chosen["by"],
    )
    if conversion.by and (output is None or output.is_file()):
        raise UsageError("--by writes several files; name a folder for them with -o")
    form = chosen_format(chosen["form"], None if conversion.by else output)
    contents, warnings = conversion.contents(file)
    show_warnings(warnings)
    if conversion.by and output:
        _write_each(contents, form, output)
        return
    (content,) = contents
    if write_content(content, form, output):
        note(f"{_size(content)}: {output}")


def _write_each(contents: list[Content], form: str, folder: Path) -> None:
    for content in contents:
        if Path(content.name).name != content.name:
            raise InputError(f"{content.name!r} cannot be a file's name; choose another field")
    for content in contents:
        write_content(content, form, folder / f"{content.name}{ending_of(form)}")
    note(f"{counted(len(contents), 'file')}: {folder}")


def _size(content: Content) -> str:
    if isinstance(content, SetContent):
        return counted(sum(1 for _ in content.sets()), "minimal set")
    return counted(sum(1 for _ in content.items()), "item")
