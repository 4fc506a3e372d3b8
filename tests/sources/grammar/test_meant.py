"""Hints of which name was meant, as long as they are cheap."""

from pommel.sources.grammar.text import Meant


def test_hints_come_to_an_end() -> None:
    meant = Meant(most_compared=5)
    known = ["verb", "noun"]
    assert [meant("vreb", known) for _ in range(4)] == ["verb", "verb", "verb", None]
    assert meant("zzzz", known) is None


def test_the_longest_search_is_finished() -> None:
    assert Meant(most_compared=1)("x9", [f"x{n}" for n in range(10)]) == "x9"
