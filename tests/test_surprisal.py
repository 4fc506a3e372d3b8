"""What a model says of a sentence, checked: tokens that spell it, surprisals that can be."""

from dataclasses import FrozenInstanceError, replace

import pytest

from pommel.errors import AlignmentError, SurprisalError
from pommel.surprisal import ScoredSentence, Token


def token(text: str, start: int, end: int, bits: float | None = 1.0) -> Token:
    return Token(text=text, start=start, end=end, surprisal_bits=bits)


def scored(*tokens: Token) -> ScoredSentence:
    return ScoredSentence(text="a bird", tokens=tokens)


def test_tokens_of_rows_are_tokens() -> None:
    row = ("Ġa", 1, 3, 2.5, True, "special", "not asked for")
    made = Token.of_rows([row])
    assert made == (
        Token(
            text="Ġa",
            start=1,
            end=3,
            surprisal_bits=2.5,
            oov=True,
            role="special",
            why_unscored="not asked for",
        ),
    )
    assert (type(made[0]), hash(made[0])) == (Token, hash(replace(made[0])))
    with pytest.raises(FrozenInstanceError):
        made[0].text = "b"  # type: ignore[misc]


def test_tokens_that_spell_their_sentence_are_fine() -> None:
    scored(token("a", 0, 1), token("Ġbird", 1, 6)).check()
    scored(token("a", 0, 1), token("bird", 2, 6, None)).check()


def test_an_end_mark_stands_for_no_character() -> None:
    end = Token(text="</s>", start=6, end=6, surprisal_bits=2.0, role="eos")
    scored(token("a", 0, 1), token("bird", 2, 6), end).check()


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ((token("a", 0, 1),), r"no token stands for 'bird' \(character 1\)"),
        ((token("bird", 2, 6),), r"no token stands for 'a' \(character 0\)"),
    ],
)
def test_a_word_without_a_token_is_named(tokens: tuple[Token, ...], said: str) -> None:
    with pytest.raises(AlignmentError, match=said):
        scored(*tokens).check()


@pytest.mark.parametrize("bits", [float("nan"), -1.0, -2 * Token.ROUNDING_BITS])
def test_what_no_surprisal_can_be_is_refused(bits: float) -> None:
    with pytest.raises(SurprisalError, match=f"has a surprisal of {bits} bits"):
        scored(token("a", 0, 1, bits), token("bird", 2, 6)).check()


def test_rounding_may_go_a_little_below_nothing() -> None:
    scored(token("a", 0, 1, -Token.ROUNDING_BITS / 2), token("bird", 2, 6)).check()
