"""Tokens as JSON: what is written is read, and nothing else is."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.errors import InputError, SurprisalError
from pommel.models.recorded import Recording
from pommel.surprisal import ScoredSentence, Token

TOKENS = st.builds(
    Token,
    text=st.text(),
    start=st.integers(0, 99),
    end=st.integers(0, 99),
    surprisal_bits=st.none() | st.floats(0, allow_nan=False),
    oov=st.booleans(),
    role=st.sampled_from(["text", "bos", "eos", "special"]),
)


@given(st.lists(TOKENS))
def test_what_is_written_is_read(tokens: list[Token]) -> None:
    text = json.dumps(
        Recording.sentence_to_dict(ScoredSentence(text="", tokens=tuple(tokens)))["tokens"],
        allow_nan=False,
    )
    assert Recording.read_tokens(json.loads(text), "x") == tuple(tokens)


def test_whole_numbers_are_bits() -> None:
    (token,) = Recording.read_tokens([["a", 0, 1, 2, False, "text"]], "x")
    assert type(token.surprisal_bits) is float


SHAPE = (
    "; it has to be [text, start, end, surprisal in bits or null, oov true or false, "
    "role (text, bos, eos, special)]"
)


@pytest.mark.parametrize(
    "token",
    [
        None,
        "abcdef",
        [],
        ["a", 0, 1, None, False],
        ["a", 0, 1, None, False, "text", 0],
        [1, 0, 1, None, False, "text"],
        ["a", "0", 1, None, False, "text"],
        ["a", 0.0, 1, None, False, "text"],
        ["a", True, 1, None, False, "text"],
        ["a", 0, 1, None, 0, "text"],
        ["a", 0, 1, None, False, "word"],
        ["a", 0, 1, None, False, ["text"]],
        ["\ud800", 0, 1, None, False, "text"],
    ],
)
def test_another_shape(token: Any) -> None:
    with pytest.raises(InputError) as caught:
        Recording.read_tokens([["a", 0, 1, None, False, "text"], token], "x:3")
    assert str(caught.value) == f"x:3: token 2 is {token!r}{SHAPE}"


@pytest.mark.parametrize("tokens", [None, {}, "ab", 1])
def test_no_list(tokens: Any) -> None:
    with pytest.raises(InputError, match=r"^x:3: 'tokens' has to be a list$"):
        Recording.read_tokens(tokens, "x:3")


@pytest.mark.parametrize(
    ("bits", "message"),
    [
        ("1", "has the surprisal '1', which is not a number"),
        ("-Infinity", "has the surprisal '-Infinity', which is not a number"),
        (True, "has the surprisal True, which is not a number"),
        ([1], "has the surprisal [1], which is not a number"),
        (json.loads("1e999"), 'has a surprisal that is not finite; write "Infinity"'),
        (10**400, 'has a surprisal that is not finite; write "Infinity"'),
    ],
)
def test_surprisals_that_are_none(bits: Any, message: str) -> None:
    with pytest.raises(SurprisalError) as caught:
        Recording.read_tokens([["a", 0, 1, bits, False, "text"]], "x:3")
    assert str(caught.value) == f"x:3: token 1 {message}"
