"""What strangers print, in our messages."""

from hypothesis import given
from hypothesis import strategies as st

from pommel.models.container.answers import place, shortened


def test_a_sentence_has_its_number() -> None:
    assert place(3, "The cat") == "sentence 3 ('The cat')"


def test_what_is_long_is_not() -> None:
    assert shortened("x" * 401) == f"{'x' * 400}…"


@given(st.text(max_size=300))
def test_nothing_steers_a_terminal(text: str) -> None:
    assert all(line.isprintable() for line in shortened(text).split("\n"))
