"""The nouns of a permutation design: CSV, a column `word` and one a case."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from pommel.errors import Fault
from pommel.formats.csv_rows import CsvRow, CsvTable, fault_at, header_faults, parse_csv
from pommel.grammar.place import Place

WORD = "word"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noun:
    """A row: its forms by column, one space between words."""

    row: CsvRow
    forms: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Nouns by their word. Where it is not `is_whole`, rows were wrong and are not among them."""

    file: str
    columns: tuple[str, ...]
    nouns: Mapping[str, Noun]
    is_whole: bool

    @property
    def name(self) -> str:
        """The name of its file."""
        return PurePath(self.file).name

    @property
    def has_header(self) -> bool:
        """Whether its first row names columns, the one of the words among them."""
        return WORD in self.columns

    def place(self, noun: Noun, column: str) -> Place:
        """Return where a form stands."""
        line, start = noun.row.place(self.columns.index(column))
        return Place(file=self.file, line=line, column=start)


def parse_lexicon(text: str, *, file: str) -> tuple[Lexicon, list[Fault]]:
    """Return what a lexicon has, and what is wrong with it; other columns may be in it, too."""
    table = parse_csv(text, file=file)
    columns = table.rows[0].fields if table.rows else ()
    faults = [*table.faults, *header_faults(table, tuple(dict.fromkeys((WORD, *columns))))]
    has_header = WORD in columns and len(set(columns)) == len(columns)
    nouns: dict[str, Noun] = {}
    for row in table.rows[1:] if has_header else ():
        fault = _row_fault(table, row, nouns)
        if fault:
            faults.append(fault)
            continue
        forms = {
            column: " ".join(field.split())
            for column, field in zip(columns, row.fields, strict=True)
        }
        nouns.setdefault(forms[WORD], Noun(row=row, forms=forms))
    lexicon = Lexicon(file=file, columns=columns, nouns=nouns, is_whole=not faults)
    return lexicon, faults


def _row_fault(table: CsvTable, row: CsvRow, nouns: Mapping[str, Noun]) -> Fault | None:
    header = table.rows[0].fields
    if len(row.fields) != len(header):
        message = f"this row has {len(row.fields)} fields, and the header has {len(header)}"
        hint = "put a form with a comma between quotes"
        if len(row.fields) < len(header):
            hint = "an empty field has its comma, too"
        return fault_at(table, row.place(len(header)), message, hint)
    index = header.index(WORD)
    word = " ".join(row.fields[index].split())
    if not word:
        return fault_at(table, row.place(index), "this row has no word", "write one")
    if word in nouns:
        message = f"{word} stands here for the second time, after line {nouns[word].row.line}"
        return fault_at(table, row.place(index), message, "give one of the two another name")
    return None
