"""The lines of a grammar, and where what stands in them stands in the file."""

from pommel.sources.grammar.context_free.grammar import logical_lines

TEXT = """\
# a comment \\
  S -> A \\
\t| B

   # another
A -> 'a' \\
"""


def test_comments_and_empty_lines_are_left_out_and_backslashes_continue() -> None:
    lines = list(logical_lines(TEXT, "x.cfg"))
    assert [(line.text, line.is_open) for line in lines] == [
        ("S -> A | B", False),
        ("A -> 'a' ", False),
    ]


def test_the_last_line_may_be_open() -> None:
    (line,) = logical_lines("A -> 'a' \\", "x.cfg")
    assert (line.text, line.is_open) == ("A -> 'a' ", True)


def test_places_are_those_in_the_file() -> None:
    line = next(logical_lines(TEXT, "x.cfg"))
    places = [line.place(offset) for offset in (0, 5, 7, 9, 10)]
    assert [(each.line, each.column) for each in places] == [(2, 3), (2, 8), (3, 2), (3, 4), (3, 5)]
    assert {each.file for each in places} == {"x.cfg"}
