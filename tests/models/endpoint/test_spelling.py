"""Tokens as servers write them, and where they stand."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st
from tests.endpoint_server.language_model import (
    Writing,
    as_bytes,
    as_names,
    as_text,
    as_whole_characters,
    without_parts,
)
from tests.models.tiny_tokenizers import tokenizer_for

from pommel.errors import AlignmentError
from pommel.models.endpoint.spelling import spell
from pommel.models.huggingface.tokens import character_spans

BYTE_LEVEL: Any = tokenizer_for("gpt2", Path())
METASPACE: Any = tokenizer_for("llama", Path())
WRITINGS = (as_text, as_names, as_bytes, as_whole_characters)

# Words of one blank each, as sentences have them; some characters are several tokens.
TEXTS = st.lists(
    st.text(st.sampled_from("abcThe.,naïé“”🙂🦒日本x'"), min_size=1, max_size=6),
    min_size=1,
    max_size=6,
).map(" ".join)


def own_spans(tokenizer: Any, text: str) -> list[tuple[int, int]]:
    """Where the tokenizer itself says that its tokens stand."""
    read = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    return character_spans(text, read["offset_mapping"])


def visible(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans without the blanks around them, which servers write or leave out."""
    shown = []
    for start, end in spans:
        part = text[start:end]
        first = end - len(part.lstrip()) if part.strip() else start
        shown.append((first, first + len(part.strip())))
    return shown


@pytest.mark.parametrize("writing", WRITINGS)
@given(text=TEXTS)
def test_bytes_stand_where_their_tokenizer_has_them(writing: Writing, text: str) -> None:
    ids = BYTE_LEVEL(text)["input_ids"]
    tokens = writing(BYTE_LEVEL, ids)
    spans = spell(text, tokens, n_tokens=len(ids))
    assert visible(text, spans) == visible(text, own_spans(BYTE_LEVEL, text))


@given(text=TEXTS)
def test_parts_that_are_not_written_stand_in_their_word(text: str) -> None:
    ids = BYTE_LEVEL(text)["input_ids"]
    tokens = without_parts(BYTE_LEVEL, ids)
    spans = visible(text, spell(text, tokens, n_tokens=len(ids)))
    for token, span, own in zip(
        tokens, spans, visible(text, own_spans(BYTE_LEVEL, text)), strict=True
    ):
        # Which of two characters beside each other a token without text is of, nothing tells.
        assert (
            span == own
            if token.strip()
            else text.count(" ", 0, span[0]) == text.count(" ", 0, own[0])
        )


@given(text=TEXTS)
def test_pieces_without_their_blanks_stand_where_their_tokenizer_has_them(text: str) -> None:
    ids = METASPACE(text, add_special_tokens=False)["input_ids"]
    names = as_names(METASPACE, ids)
    # A blank that the tokenizer has put in front is no character of the text.
    first = 1 if names[0] == "▁" else 0
    expected = visible(text, own_spans(METASPACE, text))[first:]
    assert visible(text, spell(text, names, n_tokens=len(ids)))[first:] == expected
    stripped = [name.replace("▁", " ").strip() if "▁" in name else name for name in names]
    assert visible(text, spell(text, stripped, n_tokens=len(ids)))[first:] == expected


@given(text=TEXTS, data=st.data())
def test_a_changed_token_is_refused(text: str, data: st.DataObject) -> None:
    tokens = as_bytes(BYTE_LEVEL, BYTE_LEVEL(text)["input_ids"])
    place = data.draw(st.integers(0, len(tokens) - 1))
    other = data.draw(
        st.sampled_from([tokens[place] + "Q", "Q" + tokens[place], "Q", "bytes:\\xff"])
    )
    with pytest.raises(AlignmentError):
        spell(text, [*tokens[:place], other, *tokens[place + 1 :]], n_tokens=len(tokens))


@given(text=TEXTS, data=st.data())
def test_a_token_that_is_missing_is_missed(text: str, data: st.DataObject) -> None:
    tokens = as_bytes(BYTE_LEVEL, BYTE_LEVEL(text)["input_ids"])
    place = data.draw(st.integers(0, len(tokens) - 1))
    assume(tokens[place].strip())
    left = tokens[:place] + tokens[place + 1 :]
    with pytest.raises(AlignmentError):
        spell(text, left)


@pytest.mark.parametrize(
    ("text", "tokens", "spans"),
    [
        ("The cat", ["The", " cat"], ((0, 3), (3, 7))),
        # The token that was generated is cut off.
        ("The cat", ["The", " cat", " sat"], ((0, 3), (3, 7))),
        ("The cat", ["The", " cat", ""], ((0, 3), (3, 7))),
        (
            "ééé",
            ["", "é", "", "é", "", "é", " x"],
            ((0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3)),
        ),
        ("ééé", ["", "é", "", "é", "", "é", ""], ((0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3))),
        # A blank that the tokenizer has put in front.
        ("The cat", [" The", "cat"], ((0, 3), (4, 7))),
        ("The cat", ["▁The", "▁c", "at"], ((0, 3), (3, 5), (5, 7))),
        ("The cat", ["▁", "The", "▁cat"], ((0, 0), (0, 3), (3, 7))),
        ("a  b", ["a", " ", " b"], ((0, 1), (1, 2), (2, 4))),
        ("a b ", ["a", " b"], ((0, 1), (1, 3))),
        ("“cat”", ["", "", "“", "cat", "�", "�"], ((0, 0), (0, 0), (0, 1), (1, 4), (4, 4), (4, 5))),
        ("né 🙂", ["n", "é", " ��", "��"], ((0, 1), (1, 2), (2, 3), (3, 4))),
        ("é", ["bytes:\\xc3", "bytes: \\xa9"], ((0, 0), (0, 1))),
        ("é", ["<0xC3>", "<0xA9>", "</s>"], ((0, 0), (0, 1))),
        # A text may itself have what others write for something else.
        ("a � b", ["a", " �", " b"], ((0, 1), (1, 3), (3, 5))),
        ("Ġx ▁", ["Ġx", " ▁"], ((0, 2), (2, 4))),
        ("", [], ()),
        (" ", [], ()),
        (" ", ["zz"], ()),
        (" ", [" ", "zz"], ((0, 1),)),
        ("", [" and"], ()),
    ],
)
def test_where_tokens_stand(
    text: str, tokens: list[str], spans: tuple[tuple[int, int], ...]
) -> None:
    assert spell(text, tokens) == spans


@pytest.mark.parametrize(
    ("text", "tokens", "message"),
    [
        ("The cat sat", ["The", " dog"], "its token 2 is ' dog' where the text has ' cat sat'"),
        ("The cat sat", ["The", " cat"], "its tokens end before ' sat'"),
        ("The cat sat", [], "its tokens end before 'The cat sat'"),
        ("The cat", ["the", " cat"], "its token 1 is 'the' where the text has 'The cat'"),
        # A character that is left out as a whole is none that was cut.
        ("a café x", ["a", " caf", " x"], "its token 3 is ' x' where the text has 'é x'"),
        ("a café", ["a", " cafe"], "its token 2 is ' cafe' where the text has ' café'"),
        ("a 日本", ["a", " �"], "its tokens end before '日本'"),
        ("The cat", ["The", "\n", "cat"], "its token 2 is '\\n' where the text has ' cat'"),
        (
            "one two three four five six",
            ["one"],
            "its tokens end before ' two three four five'…",
        ),
        # Of what one token is generated, no more can be behind the prompt.
        (
            "I am",
            ["I", " am", *[" no"] * 500],
            "it shows 500 tokens behind the prompt, and 1 was asked for",
        ),
        ("The cat", ["x" * 10**6], f"its token 1 is '{'x' * 80}'… where the text has 'The cat'"),
        (
            "日",
            ["�", "�", "�"],
            "it cannot be told whether the token '�' is the end of the text or generated",
        ),
    ],
)
def test_what_does_not_spell_the_text(text: str, tokens: list[str], message: str) -> None:
    with pytest.raises(AlignmentError) as raised:
        spell(text, tokens)
    assert str(raised.value) == message


def test_what_is_generated_is_not_guessed() -> None:
    with pytest.raises(AlignmentError, match="it cannot be told whether the token '' is the end"):
        spell("a日", ["a", "", "", ""])


def test_the_servers_count_decides_what_tokens_leave_open() -> None:
    tokens = ["a", "�", "�", "�"]
    assert spell("a日", tokens, n_tokens=3) == ((0, 1), (1, 1), (1, 2))
    assert spell("a日", tokens, n_tokens=4) == ((0, 1), (1, 1), (1, 1), (1, 2))


@pytest.mark.parametrize("n_tokens", [0, 1, 4, 300])
def test_a_count_that_does_not_agree_is_no_count_of_this_text(n_tokens: int) -> None:
    with pytest.raises(AlignmentError) as raised:
        spell("The cat", ["The", " cat", " sat"], n_tokens=n_tokens)
    counted = "1 token" if n_tokens == 1 else f"{n_tokens} tokens"
    assert str(raised.value) == f"it counts {counted}, and shows 2"


@pytest.mark.parametrize("n_parts", [2, 3])
def test_long_texts_in_parts_of_characters(n_parts: int) -> None:
    # Each of thousands of tokens may end at thousands of places.
    text = "".join(chr(0x4E00 + place) for place in range(1000))
    tokens = ["�"] * (n_parts * len(text))
    spans = spell(text, [*tokens, "x"], n_tokens=len(tokens))
    assert [end for _, end in spans[n_parts - 1 :: n_parts]] == list(range(1, 1001))
    assert all(start == end for start, end in spans[::n_parts])
