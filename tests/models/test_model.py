"""The contract of models: spans, distinct sentences."""

import numpy as np
import pytest
from tests.builders import by_word, token

from pommel.models.model import DistinctSentence, Spans
from pommel.models.neural.questions import asked_for
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


def test_texts_are_sorted_and_know_where_they_were() -> None:
    assert DistinctSentence.all_of(["b", "a c", "b", "a"]) == [
        DistinctSentence(text="a", indices=(3,), spans=None),
        DistinctSentence(text="a c", indices=(1,), spans=None),
        DistinctSentence(text="b", indices=(0, 2), spans=None),
    ]
    assert DistinctSentence.all_of([]) == []


def test_spans_are_those_that_any_of_them_asks_for() -> None:
    found = DistinctSentence.all_of(
        ["x", "y", "x", "y"], [[(0, 1)], [(0, 1)], [(2, 3), (4, 5)], None]
    )
    assert [each.spans for each in found] == [((0, 1), (2, 3), (4, 5)), None]
    assert [each.spans for each in DistinctSentence.all_of(["x"], [[]])] == [()]
