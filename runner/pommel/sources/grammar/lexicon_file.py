"""Lexicons: CSV files beside a grammar; a row is a word, and a column one of its features."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath, PureWindowsPath

from pommel.errors import Fault, FaultyFileError, InputError, Place, quoted
from pommel.files import CsvRow, CsvTable, DecodedText
from pommel.sources.grammar.source import GrammarError, raise_any
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
    """The rows of a file; `read` is all of its text."""

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
) -> LexiconFile:
    """Return the lexicon that a grammar in a folder names at a place.

    It lies in that folder or below it. White space in cells is one space; `required` are the
    columns that it has to have. Raises `GrammarError` with all that is wrong with it.
    """
    # Windows knows all the ways to leave a folder.
    parts = PureWindowsPath(name)
    if parts.anchor or ".." in parts.parts or not name.isprintable():
        what = f"{quoted(name)} is not beside this file, nor in a folder there"
        raise GrammarError.at(place, what, "put the lexicon there, and write its name only")
    try:
        read = DecodedText.read_words(folder / name)
    except FaultyFileError as error:
        raise GrammarError(error.faults) from None
    except InputError as error:
        hint = "a lexicon is found from this file's folder"
        raise GrammarError.at(place, str(error), hint) from None
    separator = CsvTable.separator_in(read.text)
    table = _clean(CsvTable.parse(read.text, file=str(folder / name), separator=separator))
    faults: list[Fault] = []
    records = table.records(required, faults, others_allowed=True)
    if (header := table.header) and "" in header.fields:
        place = header.place(header.fields.index(""))
        faults.append(place.fault("this column has no name", "name its feature"))
    raise_any(faults)
    rows = tuple(Row(cells=_cells(each), written=each) for each in records)
    return LexiconFile(file=table.file, columns=table.rows[0].fields, rows=rows, read=read)


def _cells(row: CsvRow) -> Cells:
    return {column: cell for column, cell in row.cells.items() if cell not in ("", NOT_APPLICABLE)}


def _clean(table: CsvTable) -> CsvTable:
    rows = (
        replace(row, fields=tuple(" ".join(field.split()) for field in row.fields))
        for row in table.rows
    )
    return replace(table, rows=tuple(rows))
