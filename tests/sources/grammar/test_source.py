"""What all grammars share: numbers drawn at random."""

import itertools

from hypothesis import given, strategies as st

from pommel.sources.grammar.source import drawn_numbers


@given(st.integers(0, 60), st.integers(0, 3))
def test_all_numbers_are_drawn_once(n: int, seed: int) -> None:
    drawn = list(drawn_numbers(n, seed))
    assert sorted(drawn) == list(range(n))
    assert list(drawn_numbers(n, seed)) == drawn


def test_a_draw_from_very_many_takes_no_time() -> None:
    assert len(set(itertools.islice(drawn_numbers(10**40, 1), 100))) == 100
