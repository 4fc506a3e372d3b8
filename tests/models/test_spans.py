"""Which tokens spans ask for, and whether they have been scored."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import by_word, token

from pommel.models.model import Spans
from pommel.models.neural.questions import asked_for
from pommel.scoring.regions import united
from pommel.surprisal import ScoredSentence

# "the dog ." and the mark at its end, which begins behind the last character.
STARTS = np.array([0, 4, 8, 9])


@pytest.mark.parametrize(
    ("spans", "asked"),
    [
        (None, [True, True, True, True]),
        ((), [False, False, False, False]),
        (((4, 7),), [False, True, False, False]),
        # A token is asked for where it begins, and nowhere else.
        (((1, 4), (5, 8)), [False, False, False, False]),
        (((0, 1), (8, 9)), [True, False, True, False]),
        (((8, 10),), [False, False, True, True]),
    ],
)
def test_a_token_is_asked_for_by_its_first_character(
    spans: Spans | None, asked: list[bool]
) -> None:
    assert asked_for(STARTS, spans).tolist() == asked


def test_no_tokens() -> None:
    assert asked_for(STARTS[:0], None).tolist() == []
    assert asked_for(STARTS[:0], ((0, 5),)).tolist() == []


def test_has_all_of() -> None:
    scored = ScoredSentence(
        text="a b c",
        tokens=(
            token("a", 0, None, why="not asked for"),
            token("b", 2, 1.0),
            token("c", 4, None, why="not comparable"),
            token("</s>", 5, None, end=5, role="eos", why="not asked for"),
        ),
    )
    assert scored.has_all_of(())
    assert scored.has_all_of(((1, 5),))
    assert not scored.has_all_of(((1, 6),))
    assert not scored.has_all_of(((0, 1),))
    assert not scored.has_all_of(None)
    assert by_word("a b c", {"a": None}).has_all_of(None)


SPANS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 5)).map(lambda pair: (pair[0], sum(pair)))
)


@given(SPANS, SPANS)
def test_a_character_is_in_the_union_if_it_is_in_either(one: Spans, other: Spans) -> None:
    both = united(one, other)
    assert both is not None
    found = [place for start, end in both for place in range(start, end)]
    assert found == sorted({place for spans in (one, other) for place in _places(spans)})
    # No two ranges touch, so that equal unions are the same ranges.
    assert all(after[0] > before[1] for before, after in itertools.pairwise(both))


def _places(spans: Spans) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}
