"""Tables as Markdown, as GitHub reads it: pipes, aligned, names that are no mark-up."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from pommel.errors import printable
from pommel.report.paper_table import Cell, notes_of, sections_of

if TYPE_CHECKING:
    from rich.table import Table

# What stands for something else in the middle of a line; GitHub has formulas between dollars.
# The brackets of an interval do not, unless something follows that makes a link of them.
_MARKUP = re.compile(r"[\\`*_<>|~&$]|\[(?![+-]?\.?\d)|\](?=[(\[:])")
# What begins a heading, a list, a line under a heading, or a table.
_BEGINNING = re.compile(r"^(\d*)(?=[-#+=:.)])")
_LEAST_WIDTH = 3


def markdown_table(table: "Table") -> str:
    """Return a table with its title above, and the lines of its caption below."""
    rows = [[_cell(each) for each in row] for section in sections_of(table) for row in section]
    columns = []
    for index, column in enumerate(table.columns):
        cells = [markdown_text(str(column.header)), *(row[index] for row in rows)]
        columns.append(_aligned(cells, is_right=column.justify == "right"))
    lines = [f"| {' | '.join(row)} |" for row in zip(*columns, strict=True)]
    title = markdown_text(str(table.title or ""))
    head = [f"**{title}**", ""] if title else []
    notes = [_BEGINNING.sub(r"\1\\", markdown_text(note)) for note in notes_of(table)]
    foot = ["", "  \n".join(notes)] if notes else []
    return "\n".join([*head, *lines, *foot]) + "\n"


@lru_cache(maxsize=4096)
def markdown_text(text: str) -> str:
    """Return a text that Markdown shows as it is, in the middle of a line.

    Whatever is no printable character or blank becomes a question mark, and line breaks blanks.
    """
    return _MARKUP.sub(lambda match: f"\\{match[0]}", printable(" ".join(text.split())))


def _cell(cell: Cell) -> str:
    lines = [markdown_text(line) for line in cell.lines if line.strip()]
    return "<br>".join(f"**{line}**" if cell.is_bold else line for line in lines)


def _aligned(cells: list[str], *, is_right: bool) -> list[str]:
    """Return a column's cells, all as wide as the widest; a rule stands behind the header."""
    from rich.cells import cell_len

    width = max(_LEAST_WIDTH, *map(cell_len, cells))
    blanks = [" " * (width - cell_len(cell)) for cell in cells]
    header, *others = [
        blank + cell if is_right else cell + blank
        for cell, blank in zip(cells, blanks, strict=True)
    ]
    dashes = "-" * (width - 1)
    return [header, f"{dashes}:" if is_right else f":{dashes}", *others]
