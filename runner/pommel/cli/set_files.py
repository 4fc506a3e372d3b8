"""The options that say what is written, and where."""

import itertools
from pathlib import Path

import click

from pommel.cli.option_groups import Options, field_of, option
from pommel.cli.output import form_option, note, show_text
from pommel.errors import counted, listed
from pommel.files import TableReading
from pommel.sources import Content, WrittenForm

_STANDARD_OUTPUT = Path("-")
# Pieces that are shown at once.
_AT_ONCE = 1_000
_SHOWN_LOST = 5


class ReadingOptions(Options):
    """How a table is read: CSV, or a workbook."""

    delimiter: str | None = option(
        type=click.Choice([",", ";", "tab"]),
        help="What separates the columns of CSV.  [default: told by the file]",
    )
    encoding: str | None = option(
        help="The encoding of CSV, as cp1252 or utf-16.  [default: UTF-8, or UTF-16 with its mark]"
    )
    sheet: str | None = option(
        metavar="NAME", help="The sheet of a workbook (.xlsx).  [default: the first]"
    )

    @property
    def reading(self) -> TableReading:
        """What these options say."""
        return TableReading(
            separator="\t" if self.delimiter == "tab" else self.delimiter or "",
            encoding=self.encoding or "",
            sheet=self.sheet or "",
        )


class PairOptions(Options):
    """Which conditions are taken as minimal sets."""

    grammatical: str | None = option(
        metavar="CONDITION",
        help="The condition that is the grammatical one of minimal sets.  [default: grammatical]",
    )
    ungrammatical: tuple[str, ...] = option(
        metavar="CONDITION",
        help="An ungrammatical one; may be repeated.  [default: those that are called so]",
    )


class SetOptions(PairOptions):
    """The file to write and its format, and which conditions are taken as minimal sets."""

    output: Path | None = option(
        "-o",
        type=click.Path(path_type=Path, allow_dash=True),
        help="File to write; its ending may say the format.  [default: standard output]",
    )
    form: str | None = field_of(
        form_option(
            WrittenForm.names(),
            default=None,
            has_tables=False,
            about="A suite, long CSV, plain sentences, or a format of minimal sets.  "
            "[default: by the ending; suite]",
        )
    )


def chosen_form(form: str | None, output: Path | None) -> WrittenForm:
    """Return the form that is asked for, or meant by the file's ending.

    Raises `UsageError` for an ending that says nothing.
    """
    if form:
        return WrittenForm.named(form)
    if output is None or output == _STANDARD_OUTPUT:
        return WrittenForm.named()
    return WrittenForm.of_file(output)


def show_or_write(content: Content, form: WrittenForm, output: Path | None) -> None:
    """Write a content, never all of it in memory; say how much of it is in a file.

    Raises `UsageError` for what the content cannot be written as, and `InputError` for a content
    without anything to write.
    """
    if output is not None and output != _STANDARD_OUTPUT:
        content.write(form, output)
        note(f"{counted(content.tally.n_written, content.noun(form))}: {output}")
    else:
        pieces = content.pieces(form)
        for first in pieces:
            show_text("".join((first, *itertools.islice(pieces, _AT_ONCE))))
    show_left_out(content, form)


def show_left_out(content: Content, form: WrittenForm) -> None:
    """Say on stderr what is not in what was written, and which sets of it are ties."""
    if n := content.tally.n_left_out:
        what = "without an ungrammatical sentence of another spelling"
        note(f"note: {counted(n, 'minimal set')} left out, {what}")
    if ties := content.tally.tie_note():
        note(f"note: {content.name}: {ties}")
    if lost := content.lost_in(form):
        told = listed(lost, most=_SHOWN_LOST)
        note(f"note: long CSV has no place for {told}; a workbook (.xlsx) keeps all")
