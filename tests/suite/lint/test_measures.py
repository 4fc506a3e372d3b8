"""How long and how frequent what predictions look at is, and how many words a suite has."""

from dataclasses import replace
from itertools import chain
from math import isnan, log10
from statistics import fmean

import pytest
from hypothesis import given, strategies as st
from tests.builders import Sentences, make_suite

from pommel.suite.lint import Frequencies
from pommel.suite.lint.measures import ConditionMeasure, ContrastMeasure, Measures, RegionMeasure
from pommel.suite.lint.subject import Side

LESS = "(2;%a%) < (2;%b%)"
ITEMS: list[Sentences] = [
    {"a": ("The dog", "barks", "today ."), "b": ("The dog", "does bark", "today .")},
    {"a": ("The dog", "", "today ."), "b": ("The dogs", "Barks !", "")},
]

words = st.sampled_from(["a", "bb", "ccc", "Dddd", "!"])
texts = st.lists(words, max_size=4).map(" ".join)


def test_measures_in_full() -> None:
    assert Measures.of(make_suite(ITEMS, [LESS])) == Measures(
        n_distinct_sentences=4,
        # the, dog, barks, today, does, bark, dogs
        n_words=7,
        n_critical_words=3,
        n_differing_words=3,
        n_lexemes={},
        n_unlisted=None,
        regions=(
            RegionMeasure(number=1, name="r1", is_critical=False, n_texts=2),
            RegionMeasure(number=2, name="r2", is_critical=True, n_texts=3),
            RegionMeasure(number=3, name="r3", is_critical=False, n_texts=1),
        ),
        conditions=(
            ConditionMeasure(condition="a", regions=(2,), means={"words": 0.5, "characters": 2.5}),
            ConditionMeasure(condition="b", regions=(2,), means={"words": 1.5, "characters": 7.0}),
        ),
        contrasts=(
            ContrastMeasure(
                less=Side(condition="a", regions=(2,)),
                more=Side(condition="b", regions=(2,)),
                directed=True,
                differences={"words": 1.0, "characters": 4.5},
            ),
        ),
    )


def test_of_whole_sentences_that_are_compared_some_words_differ() -> None:
    items: list[Sentences] = [
        {"a": ("The dog", "barks"), "b": ("The dog", "bark")},
        {"a": ("The dogs that see the dog", "bark"), "b": ("The dogs that see the dog", "barks")},
        {"a": ("The cat", "sleeps and sleeps"), "b": ("The cat", "sleeps")},
    ]
    found = Measures.of(make_suite(items, ["(*;%a%) < (*;%b%)"]))
    assert (found.n_critical_words, found.n_differing_words) == (10, 4)


def test_words_of_a_lexicon_are_counted_by_slot() -> None:
    suite = make_suite(ITEMS, [LESS])
    sources = [{"V.word": "barks", "N.word": "dog"}, {"V.word": "bark", "N.word": "dog"}]
    items = tuple(
        replace(item, as_written={**item.as_written, "source": source})
        for item, source in zip(suite.items, sources, strict=True)
    )
    assert Measures.of(replace(suite, items=items)).n_lexemes == {"V.word": 2, "N.word": 1}


def test_frequencies_are_means_where_there_are_words() -> None:
    frequencies = Frequencies(file="words.tsv", counts={"barks": 999, "bark": 99, "the": 10_000})
    found = Measures.of(make_suite(ITEMS, [LESS]), frequencies)
    # The words of the file, and how many there are of them.
    millions = (999 + 99 + 10_000 + 3) / 1e6
    barks, bark, does = (log10(n / millions) + 3 for n in (1_000, 100, 1))
    means = [each.means["Zipf"] for each in found.conditions]
    assert means == pytest.approx([barks, ((does + bark) / 2 + barks) / 2])
    # In the second item there is nothing to compare with.
    (contrast,) = found.contrasts
    assert contrast.differences["Zipf"] == pytest.approx((does + bark) / 2 - barks)
    assert (found.n_unlisted, found.n_critical_words) == (1, 3)


def test_without_words_there_is_no_frequency() -> None:
    suite = make_suite([{"a": ("The", "."), "b": ("The", "!")}], [LESS])
    found = Measures.of(suite, Frequencies(file="words.tsv", counts={"the": 1}))
    assert all(isnan(each.means["Zipf"]) for each in found.conditions)
    assert isnan(found.contrasts[0].differences["Zipf"])


def test_without_spaces_characters_are_all_there_is() -> None:
    items: list[Sentences] = [{"a": ("犬が", "吠える"), "b": ("犬が", "吠えた よ")}]
    frequencies = Frequencies(file="words.tsv", counts={"犬": 1})
    found = Measures.of(make_suite(items, [LESS], joiner=""), frequencies)
    assert (found.n_words, found.n_critical_words, found.n_unlisted) == (None, None, None)
    assert [each.means for each in found.conditions] == [{"characters": 3.0}, {"characters": 4.0}]


def test_whole_sentences_are_all_of_their_regions() -> None:
    found = Measures.of(make_suite(ITEMS, ["(*;%a%) < (2;%b%) + (1;%b%)"]))
    assert [(each.condition, each.regions) for each in found.conditions] == [
        ("a", None),
        ("b", (1, 2)),
    ]
    assert found.conditions[0].means == {"words": 3.5, "characters": 14.5}
    assert all(each.is_critical for each in found.regions)


def test_a_suite_without_predictions_has_words() -> None:
    found = Measures.of(make_suite(ITEMS, []))
    assert (found.conditions, found.contrasts, found.n_critical_words) == ((), (), 0)
    assert found.n_words == 7


def test_a_context_is_no_part_of_a_sentence() -> None:
    suite = make_suite(ITEMS, [LESS])
    value = {**suite.to_dict()}
    value["items"][0]["context"] = "Somebody comes ."
    found = Measures.of(type(suite).from_dict(value))
    assert found.n_words == 7


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_differences_are_those_of_means(pairs: list[tuple[str, str]]) -> None:
    items: list[Sentences] = [{"a": ("x", a), "b": ("x", b)} for a, b in pairs]
    found = Measures.of(make_suite(items, [LESS]))
    means = {each.condition: each.means for each in found.conditions}
    for unit, difference in found.contrasts[0].differences.items():
        assert difference == pytest.approx(means["b"][unit] - means["a"][unit])
    own = [[word for word in a.split() if word != "!"] for a, _ in pairs]
    assert means["a"]["words"] == pytest.approx(fmean(map(len, own)))
    every = chain.from_iterable(text.lower().split() for pair in pairs for text in pair)
    assert found.n_critical_words == len({*every} - {"!"})
