"""Tokens that are called what stands beside them."""

import pytest
from hypothesis import given, strategies as st
from tests.builders import by_word, token

from pommel.leaderboard.submission.token_lines import is_shifted
from pommel.surprisal import ScoredSentence

TEXT = "The old dogs bark loudly ."


def called(*names: str, text: str = TEXT) -> ScoredSentence:
    """Return a sentence whose words are called so."""
    scored = by_word(text)
    tokens = [
        token(name, each.start, 1.0, end=each.end)
        for name, each in zip(names, scored.tokens, strict=True)
    ]
    return ScoredSentence(text=text, tokens=tuple(tokens))


@pytest.mark.parametrize(
    "names",
    [
        TEXT.split(),
        ["The", "Ġold", "Ġdogs", "Ġbark", "Ġloudly", "Ġ."],
        ["▁the", "▁old", "▁dogs", "▁bark", "▁loudly", "▁."],
        ["the</w>", "old</w>", "dogs</w>", "bark</w>", "loudly</w>", ".</w>"],
        ["<unk>"] * 6,
        ["464", "1468", "6844", "21405", "23112", "764"],
        ["old"] * 6,
    ],
)
def test_names_that_models_give(names: list[str]) -> None:
    assert not is_shifted(called(*names))


@pytest.mark.parametrize(
    "names",
    [
        [".", *TEXT.split()[:-1]],
        [*TEXT.split()[1:], "<eos>"],
        ["Ġold", "Ġdogs", "Ġbark", "Ġloudly", "Ġ.", "The"],
        ["x</w>", "the</w>", "old</w>", "dogs</w>", "bark</w>", "loudly</w>"],
    ],
)
def test_names_of_the_tokens_beside_them(names: list[str]) -> None:
    assert is_shifted(called(*names))


def test_a_word_that_repeats_itself() -> None:
    assert not is_shifted(called(*["no"] * 4, text="no no no no"))


@given(words=st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=8))
def test_words_under_their_own_names_never_are(words: list[str]) -> None:
    assert not is_shifted(by_word(" ".join(words)))
