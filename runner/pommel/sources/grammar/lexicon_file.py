"""Lexicons: CSV files beside a grammar; a row is a word, and a column one of its features."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePath, PureWindowsPath

from pommel.errors import Fault, FaultyFileError, InputError, Place, counted, listed, quoted
from pommel.files import CsvRow, CsvTable, DecodedText
from pommel.sources.grammar.source import GrammarError
from pommel.values import frozen

# A cell that says that its feature does not apply, as an empty one does.
NOT_APPLICABLE = "_"

# The features that a row has, by column; what does not apply is not there.
Cells = Mapping[str, str]


@frozen(eq=False)
class Row:
    """A row of a lexicon. `columns` are those of its file, `written` is where it stands there."""

    cells: Cells
    file: str
    columns: tuple[str, ...]
    written: CsvRow

    @property
    def name(self) -> str:
        """What a message calls it: its first cell that is not empty."""
        return next(iter(self.cells.values()), "")

    def place(self, column: str | None = None) -> Place:
        """Return where a cell stands, or the row if its file has no such column."""
        index = self.columns.index(column) if column in self.columns else 0
        line, at = self.written.place(index)
        return Place(file=self.file, line=line, column=at)


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
    name: str, place: Place, *, folder: Path, required: Collection[str] = ()
) -> tuple[LexiconFile | None, list[Fault]]:
    """Return the lexicon that a grammar in a folder names at a place, and what is wrong with it.

    It lies in that folder or below it. White space in cells is one space. None if there is no file,
    or none that can be read; `required` are the columns that it has to have.
    """
    try:
        read = _read(name, place, folder)
    except FaultyFileError as error:
        return None, list(error.faults)
    table = _clean(CsvTable.parse(read.text, file=str(folder / name)))
    faults = [*table.faults, *_header_faults(table, required), *_length_faults(table)]
    columns = table.rows[0].fields if table.rows else ()
    rows = tuple(
        Row(
            cells={
                column: cell
                for column, cell in zip(columns, each.fields, strict=True)
                if cell not in ("", NOT_APPLICABLE)
            },
            file=table.file,
            columns=columns,
            written=each,
        )
        for each in table.rows[1:]
        if len(each.fields) == len(columns)
    )
    found = LexiconFile(file=table.file, columns=columns, rows=rows, read=read)
    return found, sorted(faults, key=lambda fault: (fault.line, fault.column))


def _read(name: str, place: Place, folder: Path) -> DecodedText:
    """Read a file that is named at a place; raises `FaultyFileError`."""
    # Windows knows all the ways to leave a folder.
    parts = PureWindowsPath(name)
    if parts.anchor or ".." in parts.parts or not name.isprintable():
        what = f"{quoted(name)} is not beside this file, nor in a folder there"
        raise GrammarError.at(place, what, "put the lexicon there, and write its name only")
    try:
        if (folder / name).is_file():
            return DecodedText.read_words(folder / name)
    except OSError as error:
        what = f"{quoted(name)}: {error.strerror}"
        raise GrammarError.at(place, what, "write the name of a CSV file") from None
    except FaultyFileError:
        raise
    except InputError as error:
        raise GrammarError.at(place, str(error), "write the name of a CSV file") from None
    hint = "a lexicon is found from this file's folder"
    raise GrammarError.at(place, f"there is no file {quoted(name)}", hint)


def _clean(table: CsvTable) -> CsvTable:
    rows = (
        replace(row, fields=tuple(" ".join(field.split()) for field in row.fields))
        for row in table.rows
    )
    return replace(table, rows=tuple(rows))


def _header_faults(table: CsvTable, required: Collection[str]) -> Iterator[Fault]:
    if not table.rows:
        if not table.faults:
            what = "the file is empty"
            yield table.fault((1, 1), what, "its first line names the columns: word,category")
        return
    header = table.rows[0]
    yield from table.header_faults(tuple(dict.fromkeys((*required, *header.fields))))
    if "" in header.fields:
        place = header.place(header.fields.index(""))
        yield table.fault(place, "this column has no name", "name its feature")


def _length_faults(table: CsvTable) -> Iterator[Fault]:
    n_columns = len(table.rows[0].fields) if table.rows else 0
    for row in table.rows[1:]:
        n = len(row.fields)
        if n != n_columns:
            what = f"this row has {counted(n, 'field')}, the header has {n_columns}"
            hint = "remove what is too much, or put text with a comma between quotes"
            if n < n_columns:
                missing = table.rows[0].fields[n:]
                hint = f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing"
                hint += "; write _ for what does not apply"
            yield table.fault(row.place(min(n, n_columns)), what, hint)
