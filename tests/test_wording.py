"""Pieces that messages are made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.wording import printable, quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("naïve 猫 Ġthe", "naïve 猫 Ġthe"),
        ("a\tb", "a b"),
        ("\x1b[31mred\x07", "?[31mred?"),
        ("one\ntwo\r\u2028", "one?two??"),
        # One that starts a sequence on its own, and one that turns the direction of writing.
        ("\x9b2J \u202e \ud800", "?2J ? ?"),
    ],
)
def test_what_would_steer_a_terminal_becomes_a_question_mark(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_every_character_stays_in_its_place(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert len(shown) == len(text)
    assert printable(shown) == shown


def test_what_is_short_is_quoted_whole() -> None:
    assert quoted("a 'cat'\n") == "\"a 'cat'\\n\""
    assert quoted("x" * 80) == f"'{'x' * 80}'"
    assert quoted("x" * 81) == f"'{'x' * 80}'…"


@given(st.text(max_size=300))
def test_what_is_quoted_steers_no_terminal(text: str) -> None:
    assert quoted(text).isprintable()
