"""`pommel convert`: suites and minimal sets from one format to another."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import option, takes_options
from pommel.cli.output import note, show_warnings
from pommel.cli.set_files import (
    ReadingOptions,
    SetOptions,
    check_output,
    chosen_form,
    show_left_out,
    show_or_write,
)
from pommel.errors import Fault, FaultyFileError, InputError, UsageError, counted
from pommel.files import DecodedText, file_name_fault
from pommel.sources import Content, Conversion, WrittenForm

_STANDARD_INPUT = Path("-")


class _ConvertOptions(SetOptions):
    """What a file is read as, and what is written of it."""

    read_as: str | None = option(
        "--from",
        type=click.Choice(WrittenForm.input_names()),
        default=None,
        help="What FILE is.  [default: by its ending and how it begins]",
    )
    name: str | None = option(help="What the suite is called.  [default: the file]")
    by: str | None = option(
        metavar="FIELD",
        help="Write one file for each value of a field, into the folder -o: --by UID.",
    )
    compared: Literal["sentence", "contrast"] | None = option(
        "--compare",
        help="What the prediction compares: the whole sentence or the words that differ.  "
        "[default: what is usual for the format]",
    )


class _SuiteTableOptions(ReadingOptions):
    """Suites as tables: how they are read, and what they have no column for."""

    predictions: tuple[str, ...] = option(
        "--prediction", metavar="FORMULA", help="A prediction of the suite; repeatable."
    )
    meta: tuple[str, ...] = option(
        metavar="KEY=VALUE",
        help="What the suite says of itself, as language=eu, joiner= or reference=...; repeatable.",
    )

    @property
    def about(self) -> dict[str, str]:
        """The pairs of `--meta`; raises `UsageError` for what is none."""
        for each in self.meta:
            if not each.partition("=")[0] or "=" not in each:
                raise UsageError(f"--meta {each!r} is not KEY=VALUE")
        return dict(each.split("=", 1) for each in self.meta)


@click.command("convert", cls=Command, no_args_is_help=True)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@takes_options
def command(file: Path, chosen: _ConvertOptions, table: _SuiteTableOptions) -> None:
    """Convert a suite, or minimal sets, from one format to another; "-" is standard input.

    What the sentences of a set share at their beginnings and ends, in words, becomes regions of
    their own in a suite. What else a file says of a set is kept there, and written back.

    \b
      pommel convert adjunct_island.jsonl -o adjunct_island.json
      pommel convert suite.json -o suite.xlsx
      pommel convert suite.csv --encoding cp1252 --meta language=eu -o suite.json
      pommel convert simple_agrmt.pickle --by case -o agreement
      pommel convert number_orc.json --grammatical match_sing --ungrammatical mismatch_sing -o x.tsv
    """
    output: Path | None = chosen.output
    conversion = Conversion(
        read_as=chosen.read_as or "",
        name=chosen.name or "",
        compared=chosen.compared,
        grammatical=chosen.grammatical or "",
        ungrammatical=chosen.ungrammatical,
        by=chosen.by or "",
        about=table.about,
        reading=table.reading,
        predictions=table.predictions,
    )
    if chosen.by == "" or chosen.name == "":
        raise UsageError("--by names a field, and --name a suite; neither is empty")
    check_output(output, [file])
    if conversion.by and (output is None or output.is_file()):
        raise UsageError("--by writes several files; name a folder for them with -o")
    form = chosen_form(chosen.form, None if conversion.by else output)
    contents, warnings = _contents(conversion, file)
    show_warnings(warnings)
    if conversion.by and output:
        _write_each(contents, form, output)
        return
    (content,) = contents
    show_or_write(content, form, output)


def _contents(conversion: Conversion, file: Path) -> tuple[list[Content], Sequence[Fault]]:
    if file != _STANDARD_INPUT:
        return conversion.contents(file)
    if not conversion.read_as:
        raise UsageError("say with --from what standard input is")
    with tempfile.TemporaryDirectory() as folder:
        # Formats read files, some of them twice.
        spooled = Path(folder) / f"stdin{WrittenForm.named(conversion.read_as).ending}"
        spooled.write_bytes(DecodedText.bytes_of_stdin())
        try:
            return conversion.contents(spooled)
        except FaultyFileError as error:
            faults = [replace(fault, file="<stdin>") for fault in error.faults]
            raise type(error)(faults) from None


def _write_each(contents: list[Content], form: WrittenForm, folder: Path) -> None:
    names: dict[str, str] = {}
    for content in contents:
        if fault := file_name_fault(content.name):
            raise InputError(f"{content.name!r} cannot be a file's name: it {fault}")
        # Not every file system tells capital letters from small ones.
        other = names.setdefault(content.name.casefold(), content.name)
        if other != content.name:
            raise InputError(f"{other!r} and {content.name!r} differ in capital letters only")
    for content in contents:
        content.write(form, folder / f"{content.name}{form.ending}")
        show_left_out(content, form)
    note(f"{counted(len(contents), 'file')}: {folder}")
