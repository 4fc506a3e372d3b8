"""The tables of columns in docs/statistics.md: `python -m tests.docs.columns` writes them.

They are what the columns of statistics say they are (`Column.help`).
"""

import re
from collections.abc import Iterator, Sequence

from tests.docs.pages import REPOSITORY

from pommel.analysis import accuracy, comparison, items, regions, stability
from pommel.analysis.cells import Column

PAGE = REPOSITORY / "docs" / "statistics.md"

# In the order of the page.
_TABLES = (
    *(accuracy.COLUMNS, comparison.COLUMNS, stability.COLUMNS),
    *(items.COLUMNS, regions.OF_REGION),
)
_HEAD = "| column | what it is |\n|---|---|\n"


def page() -> str:
    """Return the page with the tables as they are."""
    before, *parts = PAGE.read_text("utf-8").split(_HEAD)
    shown = [
        _HEAD + "".join(_rows(columns)) + re.sub(r"\A(\|.*\n)+", "", part)
        for columns, part in zip(_TABLES, parts, strict=True)
    ]
    return before + "".join(shown)


def _rows(columns: Sequence[Column]) -> Iterator[str]:
    """Yield a row for each column that has a help, with those behind it that have none."""
    groups: list[list[Column]] = []
    for column in columns:
        if column.help:
            groups.append([])
        groups[-1].append(column)
    for own in groups:
        yield f"| {', '.join(each.name for each in own)} | {own[0].help} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
