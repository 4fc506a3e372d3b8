"""CLAMS's `True` and `False` lines."""

from pathlib import Path

import pytest

from pommel.errors import SuiteError
from pommel.sources.formats.clams import clams_lines, parse_clams
from pommel.sources.minimal_sets import MinimalSet


def test_a_set_is_a_true_line_and_the_false_lines_after_it() -> None:
    text = "True\tje pense\nFalse\tje penses\nFalse\tje pensons\nTrue\til dort\n"
    sets = parse_clams(text, file="x.txt")
    assert sets == [
        MinimalSet("je", "pense", ("penses", "pensons"), ""),
        MinimalSet("il dort", "", (), ""),
    ]
    assert "".join(clams_lines(sets)) == text


def test_the_published_files_come_out_as_they_went_in(shared_data: Path) -> None:
    paths = sorted((shared_data / "clams" / "evalset_small").glob("*.txt"))
    assert len(paths) == 15
    for path in paths:
        text = path.read_text("utf-8")
        sets = parse_clams(text, file=path.name)
        # The English files lack the last line feed.
        assert "".join(clams_lines(sets)).removesuffix("\n") == text.removesuffix("\n")
        assert {len(each.others) for each in sets} == {1}


def test_lines_end_where_editors_end_them() -> None:
    (found,) = parse_clams("True\ta\u2028b\u0085 c\r\nFalse\ta\u2028b\u0085 d\r\n", file="x.txt")
    assert found == MinimalSet("a\u2028b\u0085", "c", ("d",), "")


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", ["x.txt: there is no sentence; write True, a tab, and a sentence"]),
        (
            "False\ta b\nTrue\ta c\n",
            [
                (
                    "x.txt:1:1: this ungrammatical sentence belongs to no grammatical one; write "
                    "its line True before it"
                )
            ],
        ),
        (
            "True\ta\nmaybe\ta\nTrue a\nTrue\t \n\nFalse\ta b\n",
            [
                f"x.txt:{line}:1: this is no sentence with its mark; write True or False, a tab, "
                "and a sentence"
                for line in (2, 3, 4, 5)
            ],
        ),
    ],
)
def test_lines_that_are_wrong(text: str, faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        parse_clams(text, file="x.txt")
    assert str(caught.value).splitlines() == faults
