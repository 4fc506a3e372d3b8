"""Tables on a console: as Rich prints them, though most cells do not go through its hands."""

import io

import pytest
from hypothesis import given, strategies as st
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pommel.cli.console import SafeConsole

# What is printed as it is: one wide character, and one that joins the one before it.
_texts = st.text(st.sampled_from("ab  \n\u05d0\u4e2d\u0301"), max_size=12)


def shown(console: Console, rows: list[list[str]], *, soft_wrap: bool) -> str:
    """Return what a console prints of a table, with one bold cell that is no plain text."""
    table = Table(title="title", caption="caption", row_styles=["", "bold"])
    for justify in ("left", "right", "full"):
        table.add_column("one header", justify=justify)
    for row in rows:
        table.add_row(*row)
    table.add_row(Text("bold", style="bold"), "", " ")
    console.file = io.StringIO()
    console.print(table, soft_wrap=soft_wrap)
    return console.file.getvalue()


@given(
    rows=st.lists(st.lists(_texts, min_size=3, max_size=3), max_size=4),
    width=st.integers(10, 60),
    soft_wrap=st.booleans(),
)
def test_a_table_is_that_of_rich(rows: list[list[str]], width: int, *, soft_wrap: bool) -> None:
    theirs = Console(width=width, markup=False, emoji=False, highlight=False)
    ours = SafeConsole(width=width)
    assert shown(ours, rows, soft_wrap=soft_wrap) == shown(theirs, rows, soft_wrap=soft_wrap)


def test_cells_that_fit_are_not_taken_to_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    wrapped: list[str] = []
    wrap = Text.wrap

    def counted(own: Text, *given: object, **named: object) -> object:
        wrapped.append(own.plain)
        return wrap(own, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Text, "wrap", counted)
    table = Table()
    table.add_column("name")
    for number in range(1_000):
        table.add_row(f"model {number}")
    table.add_row("two\nlines")
    console = SafeConsole(width=80)
    console.file = io.StringIO()
    console.print(table)
    assert wrapped == ["two\nlines"]
    assert console.file.getvalue().count("\n") == 1_006
