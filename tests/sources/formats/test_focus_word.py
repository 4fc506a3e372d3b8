"""One word of a sentence and another."""

import pytest
from hypothesis import given, strategies as st
from tests.sources.set_round_trips import WORDS

from pommel.sources.formats.focus_word import focus_set, form_faults, whole_number, words_of
from pommel.sources.minimal_sets import words_in


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("41", 41),
        ("007", None),
        ("-1", None),
        ("1.0", None),
        ("1_0", None),
        ("²", None),
        ("٣", None),
        ("", None),
        (" 1", None),
        ("9" * 15, 999_999_999_999_999),
        ("9" * 5000, None),
    ],
)
def test_a_number_is_one_that_is_written_back_as_it_was(text: str, number: int | None) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize(
    ("sentence", "words"),
    [("a b . <eos>", ["a", "b", "."]), ("a  b", ["a", "b"]), ("<eos>", []), ("", [])],
)
def test_words_without_the_mark_at_the_end(sentence: str, words: list[str]) -> None:
    assert words_of(sentence) == words


@given(words=st.lists(WORDS, min_size=1), data=st.data())
def test_both_forms_stand_where_the_index_says(words: list[str], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(words) - 1))
    found = focus_set(words, index, ("is", "are"), {})
    assert words_in(found.grammatical) == [*words[:index], "is", *words[index + 1 :]]
    assert words_in(found.ungrammatical[0]) == [*words[:index], "are", *words[index + 1 :]]


@pytest.mark.parametrize(
    ("forms", "faults"),
    [
        (("is", "are"), []),
        (("is", "is"), []),
        (("is", "are not"), [(1, "'are not' is not one word")]),
        (("", "are"), [(0, "'' is not one word")]),
        (("", ""), [(0, "'' is not one word"), (1, "'' is not one word")]),
    ],
)
def test_forms_that_make_no_pair(forms: tuple[str, str], faults: list[tuple[int, str]]) -> None:
    assert list(form_faults(*forms)) == faults
