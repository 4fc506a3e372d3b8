"""Tables as Markdown, as GitHub reads it: pipes, aligned, names that are no mark-up."""

import re
from collections.abc import Iterator, Sequence

from pommel.errors import printable
from pommel.report.paper_table import Cell, PaperColumn, PaperTable

# What stands for something else in the middle of a line; GitHub has formulas between dollars.
# The brackets of an interval do not, unless something follows that makes a link of them.
_MARKUP = re.compile(r"[\\`*_<>|~&$]|\[(?![+-]?\.?\d)|\](?=[(\[:])")
# What begins a heading, a list, a line under a heading, or a table.
_BEGINNING = re.compile(r"^(\d*)(?=[-#+=:.)])")
_LEAST_WIDTH = 3


def markdown_table(table: PaperTable) -> str:
    """Return a table with its title above and its notes below."""
    rows = [row for section in table.sections for row in section]
    cells = [[_cell(each) for each in row] for row in rows]
    header = [markdown_text(column.header) for column in table.columns]
    lines = _aligned([header, *cells], table.columns)
    title = markdown_text(table.title)
    head = [f"**{title}**", ""] if title else []
    notes = ["", "  \n".join(map(_note, table.notes))] if table.notes else []
    return "\n".join([*head, *lines, *notes]) + "\n"


def markdown_text(text: str) -> str:
    """Return a text that Markdown shows as it is, in the middle of a line.

    Whatever is no printable character or blank becomes a question mark, and line breaks blanks.
    """
    return _MARKUP.sub(lambda match: f"\\{match[0]}", printable(" ".join(text.split())))


def _cell(cell: Cell) -> str:
    lines = [f"{markdown_text(line)}{cell.mark}" for line in cell.lines if line.strip()]
    return "<br>".join(f"**{line}**" if cell.is_bold else line for line in lines)


def _note(text: str) -> str:
    return _BEGINNING.sub(r"\1\\", markdown_text(text))


def _aligned(rows: Sequence[Sequence[str]], columns: Sequence[PaperColumn]) -> Iterator[str]:
    from rich.cells import cell_len

    widths = [
        max(_LEAST_WIDTH, *(cell_len(row[index]) for row in rows)) for index in range(len(columns))
    ]
    for number, row in enumerate(rows):
        padded = (
            _padded(cell, width - cell_len(cell), column)
            for cell, width, column in zip(row, widths, columns, strict=True)
        )
        yield f"| {' | '.join(padded)} |"
        if number == 0:
            yield f"| {' | '.join(map(_rule, widths, columns))} |"


def _padded(cell: str, n_blanks: int, column: PaperColumn) -> str:
    blanks = " " * n_blanks
    return blanks + cell if column.align == "right" else cell + blanks


def _rule(width: int, column: PaperColumn) -> str:
    dashes = "-" * (width - 1)
    return f"{dashes}:" if column.align == "right" else f":{dashes}"
