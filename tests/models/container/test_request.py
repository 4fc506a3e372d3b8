"""Sentences on their way in: a line each, in pieces."""

from hypothesis import given
from hypothesis import strategies as st

from pommel.models.container.answers import sentence_chunks

LINES = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]))


@given(st.lists(LINES))
def test_every_sentence_is_a_line(sentences: list[str]) -> None:
    text = b"".join(sentence_chunks(sentences)).decode()
    assert text == "".join(f"{sentence}\n" for sentence in sentences)


def test_pieces_are_small() -> None:
    pieces = list(sentence_chunks(["x" * 1000] * 1000))
    assert len(pieces) > 10
    assert max(map(len, pieces)) <= (1 << 16) + 1001
