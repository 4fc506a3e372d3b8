"""Which tokens spans ask for."""

import numpy as np
import pytest

from pommel.models.model import Spans
from pommel.models.spans import asked_for

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
