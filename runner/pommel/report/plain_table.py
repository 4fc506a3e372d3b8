"""What tables for people have in common: title, caption, columns, rows in sections."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def empty_table(
    title: str = "",
    *,
    names: Sequence[str] = (),
    numbers: Sequence[str] = (),
    caption: str = "",
) -> "Table":
    """Return a table without rows: columns of names, on the left, then of numbers, on the right."""
    from rich.table import Table  # noqa: PLC0415 - `import pommel` stays fast without it

    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    for name in names:
        table.add_column(name)
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def plain_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str = "",
    n_names: int = 1,
) -> "Table":
    """Return a table; the first `n_names` columns are names, on the left, the others numbers."""
    table = empty_table(title, names=columns[:n_names], numbers=columns[n_names:], caption=caption)
    for row in rows:
        table.add_row(*row)
    return table


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a section; the first of its cells is what the section is called."""

    section: str
    cells: Sequence[str]
    style: str | None = None


def add_sections(table: "Table", rows: Iterable[Row], *, has_lines: bool = True) -> None:
    """Add rows, those of one section behind each other; what it is called stands in its first.

    There is a line between sections if `has_lines`.
    """
    previous = None
    for row in rows:
        if has_lines and previous not in (None, row.section):
            table.add_section()
        name, *others = row.cells
        table.add_row("" if row.section == previous else name, *others, style=row.style)
        previous = row.section
