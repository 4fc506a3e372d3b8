"""Tokens as bytes: everything comes back exactly, and nothing else passes for tokens."""

import math
import struct
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from tests.store.store_samples import words_scored

from pommel.errors import StoreError
from pommel.store.surprisal_cache import decode_tokens, encode_tokens
from pommel.surprisal import ScoredSentence, Token

BITS = st.none() | st.floats(allow_nan=False)


@st.composite
def sentences(draw: st.DrawFn) -> ScoredSentence:
    """Any sentence, and any tokens that could be its."""
    text = draw(st.text(max_size=300))
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=40)))
    tokens = []
    for start, end in zip(places[::2], places[1::2], strict=False):
        own = text[start:end]
        mark = draw(st.sampled_from(["", "Ġ", "##", "▁"]))
        name = draw(st.sampled_from([own, mark + own.strip()]) | st.text())
        tokens.append(
            Token(
                text=name,
                start=start,
                end=end,
                surprisal_bits=draw(BITS),
                oov=draw(st.booleans()),
                role=draw(st.sampled_from(["text", "bos", "eos", "special"])),
                why_unscored=draw(
                    st.sampled_from(["no context", "not asked for", "not comparable"])
                ),
            )
        )
    return ScoredSentence(text=text, tokens=tuple(tokens))


def exactly(sentence: ScoredSentence) -> list[object]:
    """Return all of a sentence, with its surprisals as bytes: -0.0 is not 0.0."""
    return [
        (
            replace(each, surprisal_bits=None),
            None if each.surprisal_bits is None else struct.pack("d", each.surprisal_bits),
        )
        for each in sentence.tokens
    ]


@given(sentences())
def test_what_was_written_is_read(sentence: ScoredSentence) -> None:
    encoded = encode_tokens(sentence)
    decoded = decode_tokens(sentence.text, encoded)
    assert decoded.text == sentence.text
    assert exactly(decoded) == exactly(sentence)


@pytest.mark.parametrize("n_characters", [10, 255, 256, 65_535, 65_536])
def test_sentences_of_any_length(n_characters: int) -> None:
    text = "x" * n_characters
    ends = range(1, n_characters + 1, max(1, n_characters // 300))
    tokens = [
        Token(text="y" * (end % 7), start=end - 1, end=end, surprisal_bits=math.inf) for end in ends
    ]
    sentence = ScoredSentence(text=text, tokens=tuple(tokens))
    assert decode_tokens(text, encode_tokens(sentence)) == sentence


def test_room_that_a_usual_sentence_takes() -> None:
    text = "The wrens that the robin saw yesterday were singing in gardens ."
    plain = words_scored(text)
    n = len(plain.tokens)
    # 5 + 1 + 1 bytes, and 8 + 1 + 1 + 1 a token.
    assert len(encode_tokens(plain)) == 7 + 11 * n
    marked, at = [], 0
    for token in plain.tokens:
        name = f"Ġ{token.text}" if token.start else token.text
        marked.append(
            Token(text=name, start=at, end=token.end, surprisal_bits=token.surprisal_bits)
        )
        at = token.end
    named = ScoredSentence(text=text, tokens=tuple(marked))
    # A mark has its length and two bytes.
    assert len(encode_tokens(named)) == 7 + 11 * n + 3 * (n - 1)
    assert decode_tokens(text, encode_tokens(named)) == named


WRENS = words_scored("wrens sing", 1.5, 2.0)
GOOD = encode_tokens(WRENS)


def summed(body: bytes, text: str = WRENS.text) -> bytes:
    """Return a body with a head that fits it."""
    return struct.pack("<BI", 1, zlib.crc32(body, zlib.crc32(text.encode()))) + body


@pytest.mark.parametrize(
    ("encoded", "what"),
    [
        (b"", "they are cut off or garbled"),
        (GOOD[:4], "they are cut off or garbled"),
        (GOOD[:-1], "their check sum is wrong"),
        (GOOD + b"\0", "their check sum is wrong"),
        (GOOD[:20] + bytes([GOOD[20] ^ 1]) + GOOD[21:], "their check sum is wrong"),
        (b"\2" + GOOD[1:], "they are written in form 2, which is unknown"),
        (summed(b""), "they are cut off or garbled"),
        (summed(b"\3\0"), "they are cut off or garbled"),
        (summed(GOOD[5:-1]), "they are cut off or garbled"),
        (summed(GOOD[5:] + b"rest"), "they are cut off or garbled"),
        (summed(b"\1\1" + bytes(8) + b"\0" + b"\1\0"), "they are cut off or garbled"),
        (summed(b"\1\1" + bytes(8) + b"\0" + b"\1\x0b"), "they are cut off or garbled"),
        (summed(b"\1\1" + bytes(8) + b"\xc0" + b"\0\1\0"), "they are cut off or garbled"),
        (summed(b"\1\1" + bytes(8) + b"\x18" + b"\0\1"), "they are cut off or garbled"),
        (summed(b"\1\1" + bytes(8) + b"\x80" + b"\0\1\1\xff"), "they are cut off or garbled"),
    ],
)
def test_what_are_no_tokens(encoded: bytes, what: str) -> None:
    with pytest.raises(StoreError) as raised:
        decode_tokens("wrens sing", encoded)
    assert str(raised.value) == f"the stored tokens of 'wrens sing' cannot be read: {what}"


def test_tokens_of_another_sentence() -> None:
    with pytest.raises(StoreError, match="their check sum is wrong"):
        decode_tokens("wrens sang", GOOD)


@given(st.binary(), st.booleans())
def test_any_bytes_are_tokens_or_an_error(data: bytes, has_good_sum: bool) -> None:  # noqa: FBT001
    encoded = summed(data) if has_good_sum else data
    try:
        decoded = decode_tokens(WRENS.text, encoded)
    except StoreError:
        return
    again = decode_tokens(WRENS.text, encode_tokens(decoded))
    assert exactly(again) == exactly(decoded)


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 7))
def test_one_flipped_bit_is_found(place: int, bit: int) -> None:
    flipped = bytearray(GOOD)
    flipped[place] ^= 1 << bit
    with pytest.raises(StoreError):
        decode_tokens(WRENS.text, bytes(flipped))
