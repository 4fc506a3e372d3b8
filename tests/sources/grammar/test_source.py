"""What all grammars share: numbers drawn at random, and the sentences of items."""

import itertools

from hypothesis import given, strategies as st

from pommel.sources.grammar.source import GeneratedCondition, drawn_numbers
from pommel.sources.minimal_sets import condition_value
from pommel.suite.suite import Condition


@given(st.integers(0, 60), st.integers(0, 3))
def test_all_numbers_are_drawn_once(n: int, seed: int) -> None:
    drawn = list(drawn_numbers(n, seed))
    assert sorted(drawn) == list(range(n))
    assert list(drawn_numbers(n, seed)) == drawn


def test_a_draw_from_very_many_takes_no_time() -> None:
    assert len(set(itertools.islice(drawn_numbers(10**40, 1), 100))) == 100


_JOINER = st.sampled_from(["", " ", "-", "、"])


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "a", "l'", "是"]), st.none() | _JOINER),
        min_size=1,
        max_size=5,
    ),
    _JOINER,
)
def test_sentences_are_those_of_the_suite(
    regions: list[tuple[str, str | None]], joiner: str
) -> None:
    contents, joiners = zip(*regions, strict=True)
    made = GeneratedCondition("a", contents, joiner=joiner, joiners=joiners)
    value = condition_value(made.name, made.contents, joiners=made.joiners)
    read = Condition.from_dict(value).sentence(joiner)
    assert made.sentence == read.text
    for region, (_, end) in enumerate(read.spans, start=1):
        assert made.sentence_to(region) == read.text[:end]
