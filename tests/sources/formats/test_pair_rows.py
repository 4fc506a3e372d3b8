"""What is kept of a row, the row that comes of it, and tables of pairs."""

import pytest
from hypothesis import given, strategies as st

from pommel.errors import SuiteError
from pommel.sources.formats.pair_rows import (
    PairRows,
    has_words,
    kept_fields,
    pair_lines,
    pairs_of,
    parse_pairs,
)
from pommel.sources.minimal_sets import MinimalSet

SPELT = {"good": "a b", "bad": "a c"}


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        ({**SPELT, "id": "1"}, {"id": "1"}),
        ({"id": "1", **SPELT}, {"id": "1", **SPELT}),
        ({"good": "a  b", "bad": "a c", "id": "1"}, {"good": "a  b", "bad": "a c", "id": "1"}),
        ({**SPELT, "other": 2}, {**SPELT, "other": 2}),
        (SPELT, SPELT),
    ],
)
def test_sentences_are_kept_only_where_they_would_be_lost(
    row: dict[str, object], kept: dict[str, object]
) -> None:
    assert kept_fields(row, SPELT, {"id", "good", "bad"}) == kept
    assert list(kept_fields(row, SPELT, {"id", "good", "bad"}) or ()) == list(kept)


def test_nothing_is_kept_of_a_row_that_says_nothing_else() -> None:
    assert kept_fields(SPELT, SPELT) is None


ROWS = PairRows(("good", "bad"), {"id", "note"})


@given(st.permutations(["good", "bad", "id", "note"]), st.sampled_from([" ", "  ", "\u3000"]))
def test_rows_come_back(keys: list[str], space: str) -> None:
    row = {key: f"a{space}{key}" for key in keys}
    pair = ROWS.read(row)
    assert list(ROWS.row(pair, pair.fields or {}).items()) == list(row.items())


def test_what_has_been_changed_is_written_where_the_old_text_stood() -> None:
    row = ROWS.row(MinimalSet.of("A b", "A c"), {"id": 1, "good": "a  b"})
    assert list(row.items()) == [("bad", "A c"), ("id", 1), ("good", "A b")]


def test_words() -> None:
    assert has_words(" a \n b", "a b")
    assert not has_words("ab", "a b")
    assert not has_words(1, "1")


def test_a_set_is_as_many_pairs_as_it_has_ungrammatical_sentences() -> None:
    sets = [MinimalSet.of("I am", "I is", "I are"), MinimalSet.of("I may")]
    assert [each.ungrammatical for each in pairs_of(sets)] == [("I is",), ("I are",)]


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
            "a b\na\tb\tc\n\tb\n",
            [
                *(
                    f"x.tsv:{line}:1: this is no pair of sentences; write the grammatical "
                    "sentence, a tab, the ungrammatical one"
                    for line in (1, 2, 3)
                ),
            ],
        ),
    ],
)
def test_lines_that_are_wrong(text: str, faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        parse_pairs(text, file="x.tsv")
    assert str(caught.value).splitlines() == faults
