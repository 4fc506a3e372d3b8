"""Which sets and items come out of a source, and what they look like."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pommel.errors import UsageError
from pommel.sources.generation import Generation, drawn_numbers
from pommel.sources.grammar.source import GeneratedCondition, GeneratedItem
from pommel.sources.minimal_sets import MinimalSet
from pommel.sources.output import ItemContent, SetContent


class Words:
    """A source of a set for each pair of words, some of them the same."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.n_sets = len(words)
        self.ungrammatical_counts = frozenset([1])
        self.recipe: Mapping[str, Any] = {"kind": "words"}

    def sets(self, indices: Sequence[int] | None = None) -> Iterator[MinimalSet]:
        chosen = range(self.n_sets) if indices is None else indices
        return (MinimalSet("", self.words[each], ("-",), "") for each in chosen)


class Items:
    """A source of items with a suite of their own."""

    words = ("ein", "Hund", "bellt")
    recipe: Mapping[str, Any] = {"kind": "items"}
    head: Mapping[str, Any] = {
        "meta": {"language": "de", "metric": "sum"},
        "region_meta": {"1": "first", "2": "rest"},
        "predictions": [],
    }
    n_items = 3

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        for each in range(3) if indices is None else indices:
            yield (GeneratedCondition("a", ("", f"ein Hund {each}")),)


@given(st.integers(0, 60), st.integers(0, 3))
def test_all_numbers_are_drawn_once(n: int, seed: int) -> None:
    drawn = list(drawn_numbers(n, seed))
    assert sorted(drawn) == list(range(n))
    assert list(drawn_numbers(n, seed)) == drawn


def test_a_draw_from_very_many_takes_no_time() -> None:
    assert len(set(itertools.islice(drawn_numbers(10**40, 1), 100))) == 100


def test_a_sample_has_distinct_sentences_in_the_order_of_the_source() -> None:
    words = Words(*"aabbccdd")
    for seed in range(20):
        generation = Generation(source=words, name="x", n_sampled=3, seed=seed)
        found = [each.form for each in generation.content(as_sets=True).sets()]
        assert len(set(found)) == 3
        assert found == sorted(found)


@pytest.mark.parametrize(
    ("n_sampled", "there"),
    [
        (9, "x has 8 minimal sets"),
        (5, "x has 8 minimal sets, of which 4 are distinct"),
        (0, "x has 8 minimal sets"),
    ],
)
def test_fewer_distinct_sets_than_are_asked_for(n_sampled: int, there: str) -> None:
    generation = Generation(source=Words(*"aabbccdd"), name="x", n_sampled=n_sampled)
    with pytest.raises(UsageError) as caught:
        generation.content(as_sets=True)
    message = f"a sample of {n_sampled} cannot be drawn: {there}; ask for no more, or add words"
    assert str(caught.value) == message


def test_a_suite_of_items_keeps_what_the_grammar_says_of_it() -> None:
    generation = Generation(
        source=Items(), name="x", n_sampled=2, capitalize=True, about={"circuit": "agreement"}
    )
    content = generation.content(as_sets=True)
    assert isinstance(content, ItemContent)
    assert content.head["meta"]["language"] == "de"
    assert (content.head["meta"]["name"], content.head["meta"]["circuit"]) == ("x", "agreement")
    assert content.head["meta"]["metric"] == "sum"
    assert content.head["meta"]["generator"]["sample"] == {"n": 2, "seed": 1}
    texts = [item.conditions[0].regions[1].content for item in content.items()]
    assert len(texts) == content.tally.n_written == 2
    # The first region is empty: the sentence begins in the second.
    assert all(text.startswith("Ein Hund") for text in texts)


def test_marks_of_the_end_stand_behind_items_and_sets() -> None:
    made = Generation(source=Items(), name="x", eos=True).content(as_sets=False)
    first = next(made.items())
    assert first.conditions[0].sentence().text == "ein Hund 0 . <eos>"
    content = Generation(source=Words("a", "b!"), name="x", eos=True, capitalize=True).content(
        as_sets=True
    )
    assert isinstance(content, SetContent)
    # Where there is a mark already, no other is put behind it.
    assert [each.grammatical for each in content.sets()] == ["A . <eos>", "B! <eos>"]
    assert (content.tally.n_written, content.tally.n_left_out) == (2, 0)


def test_words_that_a_vocabulary_lacks() -> None:
    assert Generation(source=Items(), name="x").unknown_words(["Hund"]) == ["ein", "bellt"]


class Repeated(Words):
    """A source of very many sets, of which three are distinct."""

    def __init__(self) -> None:
        super().__init__()
        self.n_sets = 10**30

    def sets(self, indices: Sequence[int] | None = None) -> Iterator[MinimalSet]:
        return (MinimalSet("", f"{each % 3}", ("-",), "") for each in indices or ())


def test_a_search_for_distinct_sentences_ends() -> None:
    three = Generation(source=Repeated(), name="x", n_sampled=3).content(as_sets=True)
    assert {each.form for each in three.sets()} == {"0", "1", "2"}
    with pytest.raises(UsageError) as caught:
        Generation(source=Repeated(), name="x", n_sampled=4).content(as_sets=True)
    assert re.fullmatch(
        r"a sample of 4 cannot be drawn: x has 10{30} minimal sets, of which 3 are distinct as far "
        r"as 2\d{4} draws tell; ask for no more, or add words",
        str(caught.value),
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (MinimalSet("the dog", "barks", ("bark",), ""), ["The dog barks", "The dog bark"]),
        (MinimalSet("", "this", ("these",), "dog"), ["This dog", "These dog"]),
        # One of the sentences begins behind the contrast.
        (MinimalSet("", "", ("this",), "dogs bark"), ["Dogs bark", "This dogs bark"]),
    ],
)
def test_every_sentence_begins_with_a_capital_letter(
    found: MinimalSet, expected: list[str]
) -> None:
    class One(Words):
        def sets(self, indices: Sequence[int] | None = None) -> Iterator[MinimalSet]:
            assert indices is None
            yield found

    content = Generation(source=One("a"), name="x", capitalize=True).content(as_sets=True)
    (made,) = content.sets()
    assert [made.grammatical, *made.ungrammatical] == expected


@pytest.mark.parametrize(
    ("about", "sentence", "joiner"),
    [
        ({"language": "ja"}, "一二", ""),
        ({"language": "ja", "joiner": " "}, "一 二", " "),
        ({"language": "ko"}, "一 二", None),
        ({}, "一 二", None),
    ],
)
def test_words_of_a_language_without_spaces_stand_together(
    about: Mapping[str, str], sentence: str, joiner: str | None
) -> None:
    made = Generation(source=Words("一 二"), name="words", about=about)
    content = made.content(as_sets=False)
    assert content.head["meta"].get("joiner") == joiner
    assert [each.grammatical for each in content.sets()] == [sentence]
    # Formats of minimal sets say nothing of a language, and have words.
    assert [each.grammatical for each in made.content(as_sets=True).sets()] == ["一 二"]


def test_items_of_a_language_without_spaces_have_nothing_between_regions() -> None:
    made = Generation(source=Items(), name="items", about={"language": "th"})
    assert made.content(as_sets=False).head["meta"]["joiner"] == ""


def test_capital_letters_are_those_of_the_language() -> None:
    made = Generation(source=Words("iyi"), name="words", capitalize=True, about={"language": "tr"})
    assert [each.grammatical for each in made.content(as_sets=True).sets()] == ["İyi"]
