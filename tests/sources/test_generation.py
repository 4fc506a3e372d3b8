"""Which sets and items come out of a source, and what they look like."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pommel.errors import UsageError
from pommel.sources.generation import Generation
from pommel.sources.grammar.source import GeneratedCondition, GeneratedItem, ItemGroups
from pommel.sources.load import load_suites
from pommel.sources.minimal_sets import MinimalSet
from pommel.sources.output import ItemContent, SetContent, WrittenForm
from pommel.suite.lint import check_suite
from pommel.suite.suite import Suite


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
    groups: ItemGroups | None = None
    once_to: int | None = None
    has_own_joiners = False

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        for each in range(3) if indices is None else indices:
            yield GeneratedItem((GeneratedCondition("a", ("", f"ein Hund {each}")),))


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


class Elided(Items):
    """Items in whose first condition nothing stands before the last region."""

    has_own_joiners = True

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        for item in super().items(indices):
            good = GeneratedCondition("good", ("l'", "arbre"), joiners=(None, ""))
            yield GeneratedItem((good, *item))


@pytest.mark.parametrize("form", ["suite", "csv", "xlsx"])
def test_what_stands_before_regions_is_read_again(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"x{WrittenForm.named(form).ending}"
    Generation(source=Elided(), name="x").content(as_sets=False).write(
        WrittenForm.named(form), path
    )
    (suite,) = load_suites([str(path)]).suites
    good, other = suite.items[0].conditions
    assert good.sentence(suite.joiner).text == "l'arbre"
    assert [[region.joiner for region in each.regions] for each in (good, other)] == [
        [None, ""],
        [None, None],
    ]


def test_without_joiners_of_regions_no_column_is_written_for_them() -> None:
    pieces = (
        Generation(source=Items(), name="x").content(as_sets=False).pieces(WrittenForm.named("csv"))
    )
    assert "joiner" not in "".join(pieces)


def test_capital_letters_are_those_of_the_language() -> None:
    made = Generation(source=Words("iyi"), name="words", capitalize=True, about={"language": "tr"})
    assert [each.grammatical for each in made.content(as_sets=True).sets()] == ["İyi"]


class Endings(Items):
    """A source of nine items, with three subjects and three ends; its verbs go with its subjects.

    What another prediction compares is the same in all of one `end`.
    """

    n_items = 9

    def __init__(self, *formulas: str) -> None:
        predictions = [{"type": "formula", "formula": each} for each in formulas]
        self.head = {**Items.head, "predictions": predictions}

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        for each in range(9) if indices is None else indices:
            subject, end = f"S{each // 3}", f"E{each % 3}"
            conditions = (GeneratedCondition(name, (subject, name, end)) for name in "ab")
            yield GeneratedItem(tuple(conditions))


VERB, END = "(2;%a%) < (2;%b%)", "(3;%a%) < (3;%b%)"


def suite(source: Endings, n: int | None, seed: int = 1) -> Suite:
    made = Generation(source=source, name="x", n_sampled=n, seed=seed).content(as_sets=False)
    return Suite.from_dict(json.loads("".join(made.suite_pieces())))


@pytest.mark.parametrize("formulas", [(VERB,), (VERB, END), (END, VERB), (f"[{END}] | [{VERB}]",)])
def test_no_prediction_asks_the_same_twice(formulas: tuple[str, ...]) -> None:
    source = Endings(*formulas)
    is_doubted = [each.rule for each in check_suite(suite(source, None), ["duplicate-prefix"])]
    most = 3 if is_doubted else 9
    # Where one looks at the end, that is asked, too.
    assert bool(is_doubted) == (VERB in formulas)
    for seed in range(20):
        sample = suite(source, most, seed)
        assert len(sample.items) == most
        assert check_suite(sample, ["duplicate-prefix"]) == []
    if is_doubted:
        with pytest.raises(UsageError) as caught:
            suite(source, 4)
        assert str(caught.value) == (
            "a sample of 4 cannot be drawn: x has 9 items, of which 3 are distinct; ask for no "
            "more, or add words"
        )


def test_what_looks_at_all_of_a_sentence_or_at_nothing_takes_any_item() -> None:
    for formulas in ((), ("1 < 2",), ("(*;%a%) < (*;%b%)",), ("(*;%a%) - (1;%a%) < (2;%b%)",)):
        assert len(suite(Endings(*formulas), 9).items) == 9


@pytest.mark.parametrize(("once_to", "most"), [(1, 3), (2, 3), (3, 9), (None, 9)])
def test_what_is_there_once_is_what_the_source_says(once_to: int | None, most: int) -> None:
    source = Endings("(*;%a%) < (*;%b%)")
    source.once_to = once_to
    for seed in range(20):
        sample = suite(source, most, seed)
        begun = {
            tuple(region.text for region in item.conditions[0].regions[:once_to])
            for item in sample.items
        }
        assert len(sample.items) == len(begun) == most
    with pytest.raises(UsageError, match=f"a sample of {most + 1} cannot be drawn"):
        suite(source, most + 1)


class Pairs(Items):
    """A source whose samples are balanced: of nine numbers, threes in which each remainder is."""

    n_items = 9
    size = 3
    n = 3
    about = "X has 3 values"

    def __init__(self, *repeated: int) -> None:
        self.groups = self
        self._repeated = repeated

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        for each in range(9) if indices is None else indices:
            said = "same" if each in self._repeated else str(each)
            yield GeneratedItem((GeneratedCondition("a", (said,)),))

    def drawn(self, seed: int) -> Iterator[tuple[int, ...]]:
        yield from [(6, 7, 8), (0, 1, 2), (3, 4, 5)][seed % 3 :]


def taken(source: Pairs, n: int, seed: int = 0) -> list[str]:
    content = Generation(source=source, name="x", n_sampled=n, seed=seed).content(as_sets=False)
    return [item.conditions[0].sentence().text for item in content.items()]


def test_a_balanced_sample_is_made_of_groups_in_the_order_of_the_source() -> None:
    assert taken(Pairs(), 3) == ["6", "7", "8"]
    assert taken(Pairs(), 6) == ["0", "1", "2", "6", "7", "8"]
    assert taken(Pairs(), 3, seed=2) == ["3", "4", "5"]


def test_a_group_with_a_sentence_that_is_there_is_left_out_whole() -> None:
    assert taken(Pairs(1, 8), 6) == ["3", "4", "5", "6", "7", "same"]
    assert taken(Pairs(6, 7), 6) == ["0", "1", "2", "3", "4", "5"]


class Shared(Pairs):
    """Its items 0 and 8 differ, and share a sentence; all have one that is there twice."""

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        for each in range(9) if indices is None else indices:
            names = {
                "a": f"{each}",
                "b": f"{each}",
                "c": "shared" if each in (0, 8) else f"c{each}",
            }
            conditions = (GeneratedCondition(name, (text,)) for name, text in names.items())
            yield GeneratedItem(tuple(conditions))


def test_a_balanced_sample_has_no_sentence_in_two_items() -> None:
    assert taken(Shared(), 6) == ["3", "4", "5", "6", "7", "8"]


class Begun(Pairs):
    """Its items 0 and 6 begin alike, and end otherwise; a prediction looks at the beginning."""

    head: Mapping[str, Any] = {
        **Items.head, "predictions": [{"type": "formula", "formula": "(1;%a%) < 9"}]
    }  # fmt: skip

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        for each in range(9) if indices is None else indices:
            yield GeneratedItem((GeneratedCondition("a", (f"{each or 6}", f"end {each}")),))


def test_a_balanced_sample_asks_nothing_twice() -> None:
    assert taken(Begun(), 6) == [f"{each} end {each}" for each in range(3, 9)]


@pytest.mark.parametrize(
    ("n_sampled", "message"),
    [
        (1, "a sample of 1 cannot be balanced: X has 3 values; ask for 3"),
        (7, "a sample of 7 cannot be balanced: X has 3 values; ask for 6 or 9"),
        (
            12,
            (
                "a sample of 12 cannot be drawn: x has 9 items for balanced samples (X has 3 "
                "values); ask for no more, or add words"
            ),
        ),
        (
            9,
            (
                "a sample of 9 cannot be drawn: x has 9 items for balanced samples (X has 3 "
                "values), of which 6 are distinct; ask for no more, or add words"
            ),
        ),
    ],
)
def test_samples_that_cannot_be_balanced(n_sampled: int, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        taken(Pairs(1, 8), n_sampled)
    assert str(caught.value) == message


def test_all_items_are_all_that_there_are() -> None:
    content = Generation(source=Pairs(), name="x").content(as_sets=False)
    assert len(list(content.items())) == 9
