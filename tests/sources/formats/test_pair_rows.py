"""What is kept of a row, and the row that comes of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.sources.formats.pair_rows import has_words, kept_fields, pairs_of, whole_row
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


@given(st.permutations(["good", "bad", "id", "note"]), st.sampled_from([" ", "  ", "\u3000"]))
def test_rows_come_back(keys: list[str], space: str) -> None:
    row = {key: f"a{space}{key}" for key in keys}
    spelt = {"good": "a good", "bad": "a bad"}
    back = whole_row(kept_fields(row, spelt) or {}, spelt, as_kept=True)
    assert list(back.items()) == list(row.items())


def test_what_has_been_changed_is_written_where_the_old_text_stood() -> None:
    row = whole_row({"id": 1, "good": "a  b"}, {"good": "A b", "bad": "A c"}, as_kept=False)
    assert list(row.items()) == [("bad", "A c"), ("id", 1), ("good", "A b")]


def test_words() -> None:
    assert has_words(" a \n b", "a b")
    assert not has_words("ab", "a b")
    assert not has_words(1, "1")


def test_a_set_is_as_many_pairs_as_it_has_ungrammatical_sentences() -> None:
    sets = [MinimalSet.of("I am", "I is", "I are"), MinimalSet.of("I may")]
    assert [each.ungrammatical for each in pairs_of(sets)] == [("I is",), ("I are",)]
