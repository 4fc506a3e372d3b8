"""Offsets of any tokenizer become spans that follow each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.models.huggingface.tokens import character_spans
from pommel.surprisal import ScoredSentence, Token


@pytest.mark.parametrize(
    ("sentence", "offsets", "spans"),
    [
        ("", [], []),
        ("a b", [(0, 1), (1, 3)], [(0, 1), (1, 3)]),
        ("a b", [(0, 1), (2, 3)], [(0, 1), (2, 3)]),
        # pieces of one character: the last has it, and all of them stay where it is
        (
            "a 🙂.",
            [(0, 1), (1, 3), (2, 3), (2, 3), (3, 4)],
            [(0, 1), (1, 2), (2, 2), (2, 3), (3, 4)],
        ),
        # pieces of a ligature that was taken apart
        ("ﬁx", [(0, 1), (0, 1), (1, 2)], [(0, 0), (0, 1), (1, 2)]),
        # a dummy space in front, with and without offsets of its own
        ("ab", [(0, 1), (0, 1), (1, 2)], [(0, 0), (0, 1), (1, 2)]),
        ("ab", [(0, 0), (0, 2)], [(0, 0), (0, 2)]),
        # no character, and an offset that leads back
        ("ab c", [(0, 2), (0, 0), (3, 4)], [(0, 2), (2, 2), (3, 4)]),
        # dropped characters: an accent, a soft hyphen before a word, both between words
        ("cafe\u0301s", [(0, 4), (5, 6)], [(0, 5), (5, 6)]),
        ("a \u00adb", [(0, 1), (3, 4)], [(0, 1), (2, 4)]),
        ("e\u0301 \u200bb", [(0, 1), (4, 5)], [(0, 2), (3, 5)]),
        ("\u0301a\u0301", [(1, 2)], [(0, 3)]),
        # what can be seen is never passed over
        ("a ? b", [(0, 1), (4, 5)], [(0, 1), (4, 5)]),
    ],
)
def test_spans(sentence: str, offsets: list[tuple[int, int]], spans: list[tuple[int, int]]) -> None:
    assert character_spans(sentence, offsets) == spans


@given(
    sentence=st.text(alphabet="ab \u0301🙂", max_size=8),
    offsets=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=8),
)
def test_spans_fit_whatever_a_tokenizer_says(sentence: str, offsets: list[tuple[int, int]]) -> None:
    clipped = [(min(a, len(sentence)), min(b, len(sentence))) for a, b in offsets]
    spans = character_spans(sentence, clipped)
    assert len(spans) == len(offsets)
    covered = 0
    for start, end in spans:
        assert covered <= start <= end <= len(sentence)
        covered = end


@given(st.text(min_size=1, max_size=10), st.data())
def test_pieces_that_share_characters_cover_the_sentence(
    sentence: str, data: st.DataObject
) -> None:
    pieces = data.draw(st.lists(st.integers(1, 3), min_size=len(sentence), max_size=len(sentence)))
    offsets = [(i, i + 1) for i, n_pieces in enumerate(pieces) for _ in range(n_pieces)]
    spans = character_spans(sentence, offsets)
    assert [start for start, _ in spans] == [start for start, _ in offsets]
    tokens = [Token(text="x", start=a, end=b, surprisal_bits=1.0) for a, b in spans]
    ScoredSentence(text=sentence, tokens=tuple(tokens)).check()
