"""Tables for terminals, as those for papers have them: sections, rows, cells of plain text."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.table import Table


class Cell(NamedTuple):
    """One cell: its lines, and whether it or its row is bold."""

    lines: list[str]
    is_bold: bool


def sections_of(table: "Table") -> list[list[list[Cell]]]:
    """Return the sections that have rows, with the cells of each row."""
    rows = zip(*(column.cells for column in table.columns), strict=True)
    sections: list[list[list[Cell]]] = [[]]
    for row, cells in zip(table.rows, rows, strict=True):
        styles = [f"{row.style} {getattr(cell, 'style', '')}" for cell in cells]
        sections[-1].append(
            [
                Cell(lines=str(cell).split("\n"), is_bold="bold" in style)
                for cell, style in zip(cells, styles, strict=True)
            ]
        )
        if row.end_section:
            sections.append([])
    return [section for section in sections if section]


def notes_of(table: "Table") -> list[str]:
    """Return the lines of a table's caption."""
    return str(table.caption).split("\n") if table.caption else []
