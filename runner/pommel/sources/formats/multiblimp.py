"""MultiBLiMP's TSV (Jumelet et al. 2025): `sen`, `wrong_sen`, and columns that say what they test.

Which columns there are differs from release to release; all of them are kept, as text. Published
files are written by pandas, and so is what is written here: tabs, and double quotes around what
holds a tab, a quote or a line break.
"""

from collections.abc import Iterable, Iterator

from pommel.errors import Fault, quoted
from pommel.files import CsvRow, CsvTable
from pommel.sources.formats.json_lines import json_text
from pommel.sources.formats.pair_rows import PairRows, pairs_of
from pommel.sources.formats.set_format import SetFormat, check_columns, checked_sets, first_line_of
from pommel.sources.minimal_sets import MinimalSet

_ROWS = PairRows(("sen", "wrong_sen"))


def multiblimp_lines(sets: Iterable[MinimalSet]) -> Iterator[str]:
    """Yield the header, then a line for each pair.

    The columns are those of the first pair; without any there are the two sentences. Values that
    are no text are written as pandas does (`True`, nothing for null), lists and objects as JSON.
    Raises `InputError` for a pair with other columns than the first one.
    """
    header: tuple[str, ...] = ()
    for pair in pairs_of(sets):
        row = _ROWS.row(pair, pair.fields or {})
        if not header:
            header = tuple(row)
            yield CsvTable.line(header, "\t")
        check_columns(header, row, f"the pair of {quoted(pair.grammatical)}")
        yield CsvTable.line((_cell(row[column]) for column in header), "\t")
    if not header:
        yield CsvTable.line(_ROWS.columns, "\t")


def parse_multiblimp(text: str, file: str) -> list[MinimalSet]:
    """Return the pairs of a file's text.

    Raises `SuiteError` with every fault: broken quotes, a column that is missing or comes twice, a
    row with more or fewer fields than the header or without a sentence, and a text without a pair.
    """
    table = CsvTable.parse(text, file=file, separator="\t")
    faults: list[Fault] = []
    records = table.records(_ROWS.columns, faults, others_allowed=True)
    return checked_sets(records, _faults, lambda record: _ROWS.read(record.cells), faults)


def _faults(record: CsvRow) -> Iterator[Fault]:
    for (column,), message, _ in _ROWS.problems(record.cells):
        yield record.fault(str(column), message, "write its words")


def _cell(value: object) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, bool | str) else json_text(value)


def _is_like(text: str) -> bool:
    header = first_line_of(text)
    return {*_ROWS.columns} <= {*header.replace('"', "").split("\t")}


MULTIBLIMP = SetFormat(
    name="multiblimp",
    endings=(".tsv",),
    parse=parse_multiblimp,
    pieces=multiblimp_lines,
    is_like=_is_like,
)
