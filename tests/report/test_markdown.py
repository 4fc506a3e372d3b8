"""Tables as Markdown: what another reader of Markdown makes of them."""

import re

from hypothesis import example, given, strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.text import Text

from pommel.analysis import plain_table
from pommel.errors import printable
from pommel.report.markdown import markdown_table, markdown_text

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NAMES = st.text(max_size=30) | st.text("\\`*_[]()<>|~&$#+-=:!.;1a \n", max_size=12)


def shown(name: str) -> str:
    """Return what has to be seen of a name."""
    return printable(" ".join(name.split()))


def read(text: str) -> tuple[list[str], list[list[str]]]:
    """Return the text of the paragraphs and of the rows of the only table."""
    paragraphs: list[str] = []
    rows: list[list[str]] = []
    is_table = False
    for token in READER.parse(text):
        is_table = token.type == "table_open" or (is_table and token.type != "table_close")
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and is_table:
            rows[-1].append(text_of(token))
        elif token.type == "inline":
            paragraphs.append(text_of(token))
        assert token.type.removesuffix("_open").removesuffix("_close") in (
            *("inline", "paragraph", "table", "thead", "tbody", "tr", "th", "td"),
        )
    return paragraphs, rows


def text_of(inline: Token) -> str:
    parts = []
    for token in inline.children or []:
        assert token.type in {
            "text",
            "text_special",
            "strong_open",
            "strong_close",
            "hardbreak",
        } or (token.content == "<br>")
        parts.append("\n" if token.type == "hardbreak" else token.content)
    return "".join(parts)


@given(NAMES, NAMES, NAMES, NAMES)
@example("a|b", "\\|", "[x](y)", "1. x")
@example("[1](http://x)", "*x*", "&amp;", ":-")
@example("~~x~~", "`|`", "<b>", "===")
def test_any_name_is_shown_as_it_is(title: str, header: str, cell: str, note: str) -> None:
    # Of a cell, a line break would begin a line, and of a caption a note.
    cell, note = (" ".join(text.split()) for text in (cell, note))
    table = plain_table(
        title,
        names=(header,),
        numbers=("score",),
        rows=[(cell, "-0.50")],
        caption=f"{note}\nSecond.",
    )
    paragraphs, rows = read(markdown_table(table))
    assert rows == [[shown(header), "score"], [shown(cell), "-0.50"]]
    notes = [each for each in (shown(note), "Second.") if each]
    assert paragraphs == [each for each in (shown(title), "\n".join(notes)) if each]


@given(NAMES)
def test_escapes_can_be_undone(name: str) -> None:
    assert re.sub(r"\\(.)", r"\1", markdown_text(name)) == shown(name)


def test_an_interval_keeps_its_brackets_and_a_link_is_none() -> None:
    assert markdown_text("0.75 [0.55, 0.88]") == "0.75 [0.55, 0.88]"
    assert markdown_text("[1](x)") == r"[1\](x)"
    assert markdown_text("[a] [^1]") == r"\[a] \[^1]"


def test_columns_are_aligned_whatever_the_script() -> None:
    table = plain_table(names=("model",), numbers=("score",))
    table.add_row("日本語", Text("1.00", style="bold"), end_section=True)
    table.add_row("a_b", "0: 0.5\n1: 0.25")
    assert markdown_table(table) == (
        "| model  |             score |\n"
        "| :----- | ----------------: |\n"
        "| 日本語 |          **1.00** |\n"
        "| a\\_b   | 0: 0.5<br>1: 0.25 |\n"
    )
