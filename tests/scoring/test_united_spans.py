"""What is needed of a sentence twice is needed once."""

import itertools

from hypothesis import given, strategies as st

from pommel.models.model import Spans
from pommel.scoring.regions import united

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
