"""Characters that readers do not see."""

import pytest
from tests.builders import Sentences, make_suite

from pommel.suite.lint import Remark, check_suite


def remarks(*verbs: str) -> list[Remark]:
    items: list[Sentences] = [{"a": ("The dog", verb), "b": ("The dog", "bark")} for verb in verbs]
    return check_suite(make_suite(items, []), ["control-character"])


def test_a_character_that_steers_a_terminal() -> None:
    (remark,) = remarks("barks", "bar\x1b[31mks", "\x1bbarks")
    assert remark.message == (
        "the character U+001B cannot be seen, and stands in the text in 2 of 3 items (2, 3)"
    )
    assert remark.hint == "remove it; a model reads it, too"
    assert remark.path == ("items", 1, "conditions", 0, "regions", 1, "content")
    assert remark.item_numbers == (2, 3)


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\u202e", "U+202E (RIGHT-TO-LEFT OVERRIDE)"),
        ("\u2066", "U+2066 (LEFT-TO-RIGHT ISOLATE)"),
        ("\u200b", "U+200B (ZERO WIDTH SPACE)"),
        ("\u00ad", "U+00AD (SOFT HYPHEN)"),
        ("\ufeff", "U+FEFF (ZERO WIDTH NO-BREAK SPACE)"),
        ("\u2028", "U+2028 (LINE SEPARATOR)"),
        ("\t", "U+0009"),
    ],
)
def test_other_characters(character: str, name: str) -> None:
    (remark,) = remarks(f"bar{character}ks")
    assert remark.message.startswith(f"the character {name} cannot be seen")
    assert remark.message.endswith("in the text in every item")


@pytest.mark.parametrize(
    "text",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a ZWNJ
        "\u0d15\u0d4d\u200d",  # Malayalam, with a ZWJ
        "\u05d0!\u200f \u200ea\u061c",  # marks of direction
        "\u0600\u0661",  # an Arabic number sign
        "vingt\u00a0%",
        "狗\u3000吠",
        " barks\n",  # of stray spaces `validate` speaks
    ],
)
def test_what_scripts_need(text: str) -> None:
    assert remarks(text) == []
