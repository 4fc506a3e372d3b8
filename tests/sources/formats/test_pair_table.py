"""Minimal pairs in two columns."""

import pytest

from pommel.errors import SuiteError
from pommel.sources.formats.pair_rows import pair_lines, parse_pairs
from pommel.sources.minimal_sets import MinimalSet

HEADER = "grammatical\tungrammatical\n"


@pytest.mark.parametrize("header", ["", HEADER])
def test_a_pair_a_line(header: str) -> None:
    text = "the dog barks\tthe dog bark\nit is\tit are\n"
    pairs = parse_pairs(f"{header}{text}", file="x.tsv")
    assert pairs == [
        MinimalSet("the dog", "barks", ("bark",), ""),
        MinimalSet("it", "is", ("are",), ""),
    ]
    assert "".join(pair_lines(pairs)) == f"{HEADER}{text}"


def test_lines_end_where_editors_end_them() -> None:
    text = "it\u2028\u0085is a\u00a0b\tit\u2028\u0085are a\u00a0b\r\n"
    (pair,) = parse_pairs(text, file="x.tsv")
    assert pair == MinimalSet("", "it\u2028\u0085is", ("it\u2028\u0085are",), "a\u00a0b")


def test_larger_sets_are_several_pairs() -> None:
    found = "".join(pair_lines([MinimalSet("I", "am", ("is", "are"), "")]))
    assert found == f"{HEADER}I am\tI is\nI am\tI are\n"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (HEADER, ["x.tsv: there is no pair of sentences; write a pair a line, with a tab between"]),
        (
            "a b\na\tb\tc\n\tb\na  b\ta b\n",
            [
                *(
                    f"x.tsv:{line}:1: this is no pair of sentences; write the grammatical "
                    "sentence, a tab, the ungrammatical one"
                    for line in (1, 2, 3)
                ),
                "x.tsv:4:1: both sentences are the same; write what is ungrammatical",
            ],
        ),
    ],
)
def test_lines_that_are_wrong(text: str, faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        parse_pairs(text, file="x.tsv")
    assert str(caught.value).splitlines() == faults
