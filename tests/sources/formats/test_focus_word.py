"""One word of a sentence and another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.set_round_trips import WORDS

from pommel.errors import InputError
from pommel.sources.formats.focus_word import (
    field_of,
    focus_set,
    form_faults,
    forms_of,
    n_before,
    stands_among,
    whole_number,
    words_of,
)
from pommel.sources.minimal_sets import MinimalSet, words_in


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
    assert n_before(found) == index
    assert stands_among(found, words)
    assert not stands_among(found, [*words, "more"])
    assert not stands_among(found, words[:-1])


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


def test_sets_that_have_no_such_forms_or_fields() -> None:
    assert forms_of(MinimalSet("it", "is", ("are",), "so"), 1, "x's files") == ("is", "are")
    with pytest.raises(InputError) as caught:
        forms_of(MinimalSet("", "no", ("the", "most"), "men"), 2, "x's files")
    assert str(caught.value) == (
        "minimal set 2 has 2 ungrammatical sentences; x's files have one wrong form each"
    )
    with pytest.raises(InputError) as caught:
        forms_of(MinimalSet("he", "is", ("are very",), "old"), 3, "x's files")
    assert str(caught.value) == (
        "the contrast 'are very' of minimal set 3 is not one word; x's files compare single words"
    )
    with pytest.raises(InputError) as caught:
        field_of(MinimalSet("it", "is", ("are",), "so", {"a": 1}), 4, "b", "x's files")
    assert str(caught.value) == "minimal set 4 has no 'b', which x's files need: 'it is so'"
