"""Where texts stop being what a grammar describes, and which known name was meant."""

import pytest

from pommel.sources.grammar.text import NearestNames, Unparsed, parsed

RULE = "attribute_varying.lark"


@pytest.mark.parametrize(
    ("text", "offset", "is_at_end", "word"),
    [
        ("N[s] a ]b c", 7, False, "]b"),
        ("N[s] a |  ", 10, True, ""),
        ("", 0, True, ""),
        ("N[s] a [" + "x" * 50, 7, False, "[" + "x" * 39),
    ],
)
def test_places(text: str, offset: int, is_at_end: bool, word: str) -> None:  # noqa: FBT001
    found = parsed(text, RULE)
    assert isinstance(found, Unparsed)
    assert (found.offset, found.is_at_end, found.word) == (offset, is_at_end, word)
    assert text.startswith(found.rest, offset)
    assert found.character == text[offset : offset + 1]


def test_what_could_have_come() -> None:
    found = parsed("N[s]", RULE)
    assert isinstance(found, Unparsed)
    assert found.expected == {"ARROW", "PRETERMINAL", "TERMINAL"}


def test_trees() -> None:
    tree = parsed("N[s] a b | c", RULE)
    words = [[str(word) for word in each.children] for each in tree.find_data("alternative")]
    assert words == [["a", "b"], ["c"]]


def test_hints_come_to_an_end() -> None:
    meant = NearestNames(n_left=5)
    known = ["verb", "noun"]
    assert [meant("vreb", known) for _ in range(4)] == ["verb", "verb", "verb", None]
    assert meant("zzzz", known) is None


def test_the_longest_search_is_finished() -> None:
    assert NearestNames(n_left=1)("x9", [f"x{n}" for n in range(10)]) == "x9"
