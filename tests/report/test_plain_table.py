"""Tables: columns of names and of numbers, rows in sections."""

from tests.report.printed import cells, printed

from pommel.analysis.cells import Row, add_sections, plain_table


def test_names_stand_on_the_left_and_numbers_on_the_right() -> None:
    table = plain_table(
        "T", names=["name"], numbers=["n"], rows=[["a", "1"], ["long name", "10"]], caption="C."
    )
    lines = printed(table)
    assert (lines[0].strip(), lines[-1].strip()) == ("T", "C.")
    assert [line for line in lines if line[:1] in ("┃", "│")] == [
        "┃ name      ┃  n ┃",
        "│ a         │  1 │",
        "│ long name │ 10 │",
    ]


def test_what_a_section_is_called_stands_in_its_first_row() -> None:
    rows = [
        Row(section="b", cells=("b!", "1")),
        Row(section="b", cells=("b?", "2"), style="bold"),
        Row(section="", cells=("(none)", "3")),
        Row(section="b", cells=("b", "4")),
    ]
    table = plain_table(names=["name"], numbers=["n"])
    add_sections(table, rows)
    assert cells(table)[1:] == [["b!", "1"], ["", "2"], ["(none)", "3"], ["b", "4"]]
    assert [each.end_section for each in table.rows] == [False, True, True, False]
    assert [each.style for each in table.rows] == [None, "bold", None, None]


def test_sections_may_be_without_lines_between_them() -> None:
    table = plain_table("T", names=["name"], caption="C.")
    add_sections(table, [Row(section=each, cells=(each,)) for each in "ab"], has_lines=False)
    assert [each.end_section for each in table.rows] == [False, False]
    assert (table.title, table.caption) == ("T", "C.")
