"""CSV and TSV: text as literal fields that know where they stand, and what can be wrong with it."""

import csv
import io
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import ClassVar, Self

from pommel.errors import Fault, InputError, Place, counted, nearest, printable
from pommel.files.text import DecodedText
from pommel.values import frozen

# Blanks, and what is not seen: some spreadsheets pass over it.
_UNSEEN = r"\s\u00ad\u061c\u115f\u1160\u200b-\u200f\u2060\u2800\u3164\ufe0f\ufeff\uffa0"
# With one of these (=, +, -, @; small, of full width, the sign of minus), a text is a formula.
_SIGNS = r"=+\-@\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20\u2212\t"
# At the beginning of a text, or of what is a cell of its own to those who do not take commas.
# A sign that stands alone is no formula, nor is a number with its sign (-138.9). What is not seen
# is looked at once, however long it is. Nor is one behind apostrophes a formula, but it is treated
# alike, so that what was done can be undone.
_SIGNED_NUMBER = r"'*+[+-](?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z"
_CELL = rf"(?!{_SIGNED_NUMBER})(?='*+(?:(?!\t)[{_UNSEEN}])*+[{_SIGNS}].)"
_FORMULA = re.compile(rf"(^|[;|\t]){_CELL}", re.DOTALL)
_GUARDED = re.compile(rf"(^|[;|\t])'{_CELL}", re.DOTALL)

# More rows take a gigabyte, and so many columns nobody names.
MOST_LINES = 1_000_000
MOST_COLUMNS = 10_000
_MOST_OF_FIELD = DecodedText.MOST_OF_LINE
_MOST_OF_ROW = 16 * _MOST_OF_FIELD

# What other scripts write for commas and semicolons, which separate no columns.
_OTHER_COMMAS = "\uff0c\uff1b\u3001\u060c\u061b"

NAMES_OF_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}


@frozen(slots=False)
class CsvRow:
    """A row of a file: its fields, the line it begins in (from 1), and its text as it was written.

    One of `CsvTable.records` knows the names of its columns.
    """

    file: str
    line: int
    text: str
    fields: tuple[str, ...]
    separator: str = ","
    names: tuple[str, ...] = ()

    def __getitem__(self, column: str) -> str:
        return self.fields[self.names.index(column)]

    @property
    def cells(self) -> dict[str, str]:
        """What the row says under each name."""
        return dict(zip(self.names, self.fields, strict=True))

    def fault(self, column: str, message: str, hint: str) -> Fault:
        """Return what is wrong with the field in a column."""
        return self.place(self.names.index(column)).fault(message, hint)

    def place(self, index: int) -> Place:
        """Return where field `index` begins.

        The row's last field stands for one that it does not have.
        """
        return self.at(self.starts[min(index, len(self.starts) - 1)])

    def text_faults(self, columns: Iterable[str]) -> Iterator[Fault]:
        """Yield what is wrong with these columns as text; in CSV all is text."""
        del columns
        yield from ()

    def at(self, offset: int) -> Place:
        """Return the place of a character of the text."""
        n_ends = bisect_right(self._line_ends, offset)
        column = offset - (self._line_ends[n_ends - 1] if n_ends else 0) + 1
        return Place(file=self.file, line=self.line + n_ends, column=column)

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.end() for match in _LINE_END.finditer(self.text)]

    @cached_property
    def starts(self) -> list[int]:
        """Where in the text each field begins."""
        plain = re.compile(f"[^{re.escape(self.separator)}\r\n]*")
        starts = [0]
        while True:
            field = _QUOTED.match(self.text, starts[-1]) or plain.match(self.text, starts[-1])
            end = field.end() if field else len(self.text)
            if self.text[end : end + 1] != self.separator:
                return starts
            starts.append(end + 1)


@frozen
class CsvTable:
    """The rows of a CSV, the header first, and what is wrong with its quotes. No row is empty."""

    # So many faults of a file's rows are told.
    MOST_FAULTS: ClassVar = 1_000

    file: str
    rows: tuple[CsvRow, ...]
    faults: tuple[Fault, ...]
    # None in a workbook: "".
    separator: str = ","

    @property
    def start(self) -> Place:
        """Where the file begins."""
        return Place(file=self.file, line=1, column=1)

    @property
    def header(self) -> CsvRow | None:
        """The first row; None if there is none, or if one with broken quotes was before it."""
        if not self.rows or (self.faults and self.faults[0].line < self.rows[0].line):
            return None
        return self.rows[0]

    @property
    def separator_warnings(self) -> list[Fault]:
        """What is told of a table whose columns are separated by something else than commas."""
        name = NAMES_OF_SEPARATORS.get(self.separator)
        if not self.header or self.separator == "," or not name:
            return []
        told = self.header.place(0).fault(f"the columns are separated by {name}s", "")
        return [replace(told, severity="warning")]

    @classmethod
    def parse(cls, text: str, *, file: str, separator: str = ",") -> Self:
        """Read CSV (or TSV, separated by tabs) with double quotes; `file` is its name in messages.

        Lines end in LF, CRLF or CR, and may do so within quotes. Blank lines are no rows, and
        neither are rows with broken quotes, which are faults. Raises `InputError` for more than a
        million lines.
        """
        if text.count("\n") > MOST_LINES:
            raise _too_long(file)
        # Unlike str.splitlines, this splits at no other characters than CR and LF.
        lines = io.StringIO(text, newline="")
        found = rows_of(lines, file=file, separator=separator)
        return replace(cls.of(found, file), separator=separator)

    @staticmethod
    def separator_in(text: str) -> str:
        """Return what separates the columns, as the first line that is not empty tells it.

        It is a tab where there is one, and a semicolon where there are more of them than of commas.
        """
        first = _FIRST_LINE.search(text)
        header = _QUOTED.sub("", first[0]) if first else ""
        semicolon = ";" if header.count(";") > header.count(",") else ","
        return "\t" if "\t" in header else semicolon

    @classmethod
    def of(cls, found: "Iterable[CsvRow | Fault]", file: str) -> Self:
        """Return the table of some rows; they say what separates its columns."""
        both = [*found]
        rows = tuple(each for each in both if isinstance(each, CsvRow))
        return cls(
            file=file,
            rows=rows,
            faults=tuple(each for each in both if isinstance(each, Fault)),
            separator=rows[0].separator if rows else ",",
        )

    def records(
        self, required: Sequence[str], faults: list[Fault], *, others_allowed: bool = False
    ) -> list[CsvRow]:
        """Return the rows below the header, which should have these columns (`header_faults`).

        What is wrong with quotes, the header and the lengths of rows is added to `faults`. Without
        one of the columns no row tells anything.
        """
        faults += self.faults
        faults += self.header_faults(required, others_allowed=others_allowed)
        names = self.header.fields if self.header else ()
        found = []
        for row in self.rows[1:] if {*required} <= {*names} else ():
            if fault := self.length_fault(row):
                faults.append(fault)
                if len(faults) >= self.MOST_FAULTS:
                    break
            else:
                found.append(replace(row, names=names))
        return found

    def header_faults(
        self, required: Sequence[str], *, others_allowed: bool = False
    ) -> Iterator[Fault]:
        """Yield what is wrong with a header that should have these columns, in any order.

        It has no others unless these are allowed. A file without rows, or with nothing but a
        header, is a fault, too; a header with broken quotes is one of the table's own.
        """
        separator = NAMES_OF_SEPARATORS.get(self.separator, "cell")
        expected = ",".join(required) or "the names of its columns"
        if self.separator != ",":
            between = f", with {separator}s between" if self.separator else ""
            expected = f"{', '.join(required)}{between}"
        header = self.header
        if header is None:
            if not self.faults:
                yield self.start.fault("the file is empty", f"its first line is {expected}")
            return
        names = header.fields
        others = re.escape("".join({*",;\t|"} - {self.separator}))
        if len(names) == 1 and (found := re.search(f"[{others}{_OTHER_COMMAS}]", names[0])):
            message = f"the columns are separated by {found[0]!r}"
            yield header.place(0).fault(message, f"separate them by {separator}s")
            return
        yield from self._name_faults(header, required, expected, others_allowed=others_allowed)
        if len(self.rows) == 1 and not self.faults:
            message = "there is nothing but a header"
            yield header.place(0).fault(message, "write some rows")

    def _name_faults(
        self, header: CsvRow, required: Sequence[str], expected: str, *, others_allowed: bool
    ) -> Iterator[Fault]:
        missing = [column for column in required if column not in header.fields]
        others: list[str] = []
        for index, name in enumerate(header.fields):
            if name in header.fields[:index]:
                message = f"the column {name!r} stands here for the second time"
                yield header.place(index).fault(message, "remove one of the two")
            elif name not in required:
                others.append(name)
                if not others_allowed:
                    meant = nearest(name, missing)
                    missing = [column for column in missing if column != meant]
                    hint = (
                        f"did you mean {meant!r}?" if meant else f"remove it; there are {expected}"
                    )
                    yield header.place(index).fault(f"there is no column {name!r}", hint)
        for column in missing:
            meant = nearest(column, others) if others_allowed else None
            hint = f"rename {meant!r}" if meant else f"write {expected}"
            yield header.place(0).fault(f"the column {column!r} is missing", hint)

    def length_fault(self, row: CsvRow) -> Fault | None:
        """Return what is wrong with a row that has not as many fields as the first one."""
        n_columns = len(self.rows[0].fields)
        if len(row.fields) == n_columns:
            return None
        separator = NAMES_OF_SEPARATORS.get(self.separator)
        fields = counted(len(row.fields), "field")
        message = f"this row has {fields}, and the header has {n_columns}"
        hint = f"put text with a {separator} between quotes"
        if any(field.startswith(("\u201c", "\u201e", "\xab")) for field in row.fields):
            hint = f'{hint}, which are straight ones: "'
        if not separator:
            hint = "name its column in the header, or empty the cell"
        elif len(row.fields) < n_columns:
            hint = f"an empty field has its {separator}, too"
        return row.place(n_columns).fault(message, hint)

    @staticmethod
    @lru_cache(maxsize=1 << 16)  # Most texts of a table are there in many rows.
    def spreadsheet_cell(text: str) -> str:
        """Return a text for a cell: it steers no terminal, and no spreadsheet runs it as a formula.

        What a spreadsheet would run has an apostrophe in front, also behind a semicolon, a tab or a
        bar: there, too, some begin a cell.
        """
        return _FORMULA.sub(r"\1'", printable(text, has_lines=True))

    @staticmethod
    def text_of_cell(cell: str) -> str:
        """Return the text that `spreadsheet_cell` has made a cell of, if that has made it."""
        return _GUARDED.sub(r"\1", cell)

    @staticmethod
    def line(fields: Iterable[str], separator: str = ",") -> str:
        """Return a row with its line feed, and quotes only where it could not be read without.

        The csv module's own writer leaves a lone carriage return bare.
        """
        special = {separator, '"', "\r", "\n"}
        cells = [
            '"' + field.replace('"', '""') + '"' if special.intersection(field) else field
            for field in fields
        ]
        # An empty line would be no row.
        return '""\n' if cells == [""] else separator.join(cells) + "\n"


_QUOTED = re.compile(r'"(?:[^"]|"")*+"')
_LINE_END = re.compile(r"\r\n|\r|\n")
_FIRST_LINE = re.compile(r"[^\r\n]+")


def rows_of(lines: Iterable[str], *, file: str, separator: str) -> Iterator[CsvRow | Fault]:
    """Yield the rows of a CSV's lines, and for one with broken quotes what is wrong.

    No more of the lines is held than a row. The rest as `CsvTable.parse`.
    """
    # A field is looked at when it is read: Python's own limit is the process's, and a low one.
    csv.field_size_limit(max(csv.field_size_limit(), _MOST_OF_ROW))
    taken: list[str] = []
    reader = csv.reader(_counted(lines, taken, file), delimiter=separator, strict=True)
    while True:
        start = reader.line_num
        taken.clear()
        problem = ""
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem, fields = str(error), []
        if len(fields) > MOST_COLUMNS:
            problem = f"a row has at most {MOST_COLUMNS:,} fields"
        elif max(map(len, fields), default=0) > _MOST_OF_FIELD:
            problem = f"a field has at most {_MOST_OF_FIELD:,} characters"
        row = CsvRow(
            file=file,
            line=start + 1,
            text="".join(taken),
            fields=tuple(fields),
            separator=separator,
        )
        if problem:
            yield _broken(row, problem)
        elif fields:
            yield row


def _counted(lines: Iterable[str], taken: list[str], file: str) -> Iterator[str]:
    """Yield lines, and add them to `taken`, the row's; end where a row is longer than any."""
    size = 0
    for number, line in enumerate(lines, start=1):
        if number > MOST_LINES:
            raise _too_long(file)
        size = size + len(line) if taken else len(line)
        # Behind a quote that is never closed no row is found.
        if size > _MOST_OF_ROW:
            return
        taken.append(line)
        yield line


def _too_long(file: str) -> InputError:
    what = f"has more than {MOST_LINES:,} lines, the most that is read of a table"
    return InputError(f"{file}: {what}; divide it")


def _broken(row: CsvRow, problem: str) -> Fault:
    kind = "TSV" if row.separator == "\t" else "CSV"
    message, hint = f"this is not {kind}: {problem}", ""
    offset = 0
    for start in row.starts:
        quoted = _QUOTED.match(row.text, start)
        if not row.text.startswith('"', start):
            continue
        if not quoted:
            offset, message = start, "this quote is never closed"
            hint = 'close it; a quote that is part of the text is written "", and between quotes'
            break
        if row.text[quoted.end() : quoted.end() + 1] not in ("", row.separator, "\r", "\n"):
            offset, message = quoted.end(), "there is text behind the quote that ends the field"
            hint = 'write a quote that is part of the text ""'
            break
    return row.at(offset).fault(message, hint)
