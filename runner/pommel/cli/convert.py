"""`pommel convert`: suites and minimal sets from one format to another."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import Options, option, takes_options
from pommel.cli.output import note, show_warnings
from pommel.cli.set_files import (
    ReadingOptions,
    SetOptions,
    chosen_form,
    show_left_out,
    show_or_write,
)
from pommel.errors import Fault, FaultyFileError, UsageError, counted
from pommel.files import DecodedText, check_file_names
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
        "--by",
        "--group",
        metavar="FIELD",
        help="Write one file for each value of a field, into the folder -o: --by UID.",
    )
    compared: Literal["sentence", "contrast", "critical"] | None = option(
        "--compare",
        help="What the prediction compares: the whole sentence, the words that differ, or the "
        "critical words behind them.  [default: what is usual for the format]",
    )


class _PairTableOptions(Options):
    """Which columns of a table are pairs."""

    good: str | None = option(
        metavar="COLUMN", help="The good sentences; with --label and no --bad, all sentences."
    )
    bad: str | None = option(metavar="COLUMN", help="The bad sentences.")
    label: str | None = option(
        metavar="COLUMN[=VALUE]",
        help="Which sentence is good: the one of --good in rows with VALUE; of two rows that are a "
        "pair, the one with VALUE.",
    )
    ids: tuple[str, ...] = option(
        "--id",
        metavar="COLUMN",
        help="Rows of a pair agree in it; may be repeated.  [default: they follow one another]",
    )
    contexts: tuple[str, ...] = option(
        "--context",
        metavar="COLUMN",
        help="What stands before the sentences and is not scored; given twice, before each.",
    )
    critical: str | None = option(
        metavar="COLUMN", help="The words behind those that differ where the effect is looked for."
    )
    language: str | None = option(help="The language of the sentences, as tr; a suite says so.")
    recipe: str | None = option(
        metavar="NAME",
        help="Columns of a published table that pommel knows.  [default: told by the columns]",
    )

    @property
    def about(self) -> dict[str, str]:
        """What a suite says of itself."""
        return {"language": self.language} if self.language else {}


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
def command(
    file: Path, chosen: _ConvertOptions, table: _SuiteTableOptions, pairs: _PairTableOptions
) -> None:
    """Convert a suite, or minimal sets, from one format to another; "-" is standard input.

    What the sentences of a set share at their beginnings and ends, in words, becomes regions of
    their own in a suite. What else a file says of a set is kept there, and written back.

    A table of pairs (CSV, TSV, xlsx, JSON, JSON Lines, Parquet) tells its columns, or options do.

    \b
      pommel convert adjunct_island.jsonl -o adjunct_island.json
      pommel convert pairs.csv --good acceptable --bad unacceptable -o pairs.json
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
        about={**table.about, **pairs.about},
        reading=table.reading,
        predictions=table.predictions,
        recipe=pairs.recipe or "",
        good=pairs.good or "",
        bad=pairs.bad or "",
        label=pairs.label or "",
        ids=pairs.ids,
        contexts=pairs.contexts,
        critical=pairs.critical or "",
    )
    if chosen.by == "" or chosen.name == "":
        raise UsageError("--by names a field, and --name a suite; neither is empty")
    if conversion.by and (output is None or output.is_file()):
        raise UsageError("--by writes several files; name a folder for them with -o")
    form = chosen_form(chosen.form, None if conversion.by else output)
    contents, warnings = _contents(conversion, file)
    show_warnings(warnings)
    if contents and (told := contents[0].told):
        note(f"note: {file}: {told}")
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
    # Formats read files, some of them twice, and of some what is written is read last.
    folder = click.get_current_context().with_resource(tempfile.TemporaryDirectory())
    spooled = Path(folder) / f"stdin{WrittenForm.named(conversion.read_as).ending}"
    spooled.write_bytes(DecodedText.bytes_of_stdin())

    def named(fault: Fault) -> Fault:
        hint = fault.hint.replace(str(spooled), "FILE")
        return replace(fault, file="<stdin>", hint=hint)

    try:
        contents, warnings = conversion.contents(spooled)
    except FaultyFileError as error:
        raise type(error)([*map(named, error.faults)]) from None
    except UsageError as error:
        raise UsageError(str(error).replace(str(spooled), "-")) from None
    return contents, [*map(named, warnings)]


def _write_each(contents: list[Content], form: WrittenForm, folder: Path) -> None:
    check_file_names(content.name for content in contents)
    for content in contents:
        content.write(form, folder / f"{content.name}{form.ending}")
        show_left_out(content, form)
    note(f"{counted(len(contents), 'file')}: {folder}")
