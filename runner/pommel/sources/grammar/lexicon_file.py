"""Lexicons: CSV files beside a grammar; a row is a word, and a column one of its features."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath, PureWindowsPath

from pommel.errors import Fault, FaultyFileError, InputError, Place, quoted
from pommel.files import CsvRow, CsvTable, DecodedText
from pommel.sources.grammar.source import GrammarError
from pommel.values import frozen

# A cell that says that its feature does not apply, as an empty one does.
NOT_APPLICABLE = "_"

# The features that a row has, by column; what does not apply is not there.
Cells = Mapping[str, str]


@frozen(eq=False)
class Row:
    """A row of a lexicon, and as it is written in its file."""

    cells: Cells
    written: CsvRow

    @property
    def name(self) -> str:
        """What a message calls it: its first cell that is not empty."""
        return next(iter(self.cells.values()), "")

    def fault(self, column: str, message: str, hint: str) -> Fault:
        """Return what is wrong with a cell, or with the row if its file has no such column."""
        there = self.written.names
        return self.written.fault(column if column in there else there[0], message, hint)


@frozen
class LexiconFile:
    """The rows of a file that have as many fields as its header; `read` is all of its text."""

    file: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    read: DecodedText

    @property
    def name(self) -> str:
        """What messages call it."""
        return PurePath(self.file).name


def read_lexicon_file(
    name: str, place: Place, *, folder: Path, required: Sequence[str] = ()
) -> tuple[LexiconFile | None, list[Fault]]:
    """Return the lexicon that a grammar in a folder names at a place, and what is wrong with it.

    It lies in that folder or below it. White space in cells is one space. None if there is no file,
    or none that can be read; `required` are the columns that it has to have.
    """
    path = folder / name
    try:
        _check_beside(name, place)
        read = DecodedText.read_words(path)
    except FaultyFileError as error:
        return None, list(error.faults)
    except InputError as error:
        hint = "a lexicon is found from this file's folder"
        return None, [place.fault(str(error), hint)]
    table = _clean(CsvTable.parse(read.text, file=str(path)))
    faults: list[Fault] = []
    rows = tuple(
        Row(
            cells={
                column: cell
                for column, cell in each.cells.items()
                if cell not in ("", NOT_APPLICABLE)
            },
            written=each,
        )
        for each in table.records(required, faults, others_allowed=True)
    )
    columns = table.header.fields if table.header else ()
    return LexiconFile(file=table.file, columns=columns, rows=rows, read=read), faults


def _check_beside(name: str, place: Place) -> None:
    """Raise `GrammarError` for the name of a file that is in no folder below."""
    # Windows knows all the ways to leave a folder.
    parts = PureWindowsPath(name)
    if parts.anchor or ".." in parts.parts or not name.isprintable():
        what = f"{quoted(name)} is not beside this file, nor in a folder there"
        raise GrammarError.at(place, what, "put the lexicon there, and write its name only")


def _clean(table: CsvTable) -> CsvTable:
    rows = (
        replace(row, fields=tuple(" ".join(field.split()) for field in row.fields))
        for row in table.rows
    )
    return replace(table, rows=tuple(rows))
