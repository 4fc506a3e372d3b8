"""Strings as Python writes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.sources.formats.plain_pickle import text_of_literal

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS)
def test_what_python_writes_is_read(text: str) -> None:
    assert text_of_literal(repr(text)) == text
    assert text_of_literal(repr(text.encode())) == text


@pytest.mark.parametrize(
    ("literal", "text"),
    [("B'a'", "a"), (r"b'caf\xc3\xa9'", "café"), ('b"it\'s"', "it's"), (r"'\u00e9'", "é")],
)
def test_other_spellings(literal: str, text: str) -> None:
    assert text_of_literal(literal) == text


@pytest.mark.parametrize(
    "literal",
    [
        "",
        "a",
        "b'",
        "b'a'b'c'",
        "'a' 'b'",
        "'a' + 'b'",
        "f'{1}'",
        "r'a'",
        "'''a'''",
        "b'é'",
        r"b'\d'",
        r"b'\xff'",
        r"b'\x'",
        r"'\ud800'",
        "__import__('os').getpid()",
        "(" * 100_000,
    ],
)
def test_nothing_else_is(literal: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        text_of_literal(literal)
