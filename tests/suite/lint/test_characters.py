"""Characters that readers do not see."""

import unicodedata

import pytest
from hypothesis import given, strategies as st
from tests.builders import Sentences, make_suite, suite_value

from pommel.suite.lint import Remark, check_suite
from pommel.suite.lint.characters import as_read
from pommel.suite.read import LoadedSuite


def remarks(*verbs: str, rule: str = "control-character") -> list[Remark]:
    items: list[Sentences] = [{"a": ("The dog", verb), "b": ("The dog", "bark")} for verb in verbs]
    return check_suite(make_suite(items, []), [rule])


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
        ("\u200c", "U+200C (ZERO WIDTH NON-JOINER)"),
        ("\u200e", "U+200E (LEFT-TO-RIGHT MARK)"),
        ("\u3164", "U+3164 (HANGUL FILLER)"),
    ],
)
def test_other_characters(character: str, name: str) -> None:
    (remark,) = remarks(f"bar{character}ks")
    assert remark.message.startswith(f"the character {name} cannot be seen")
    assert remark.message.endswith("in the text in every item")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("next\u00a0to", "U+00A0 (NO-BREAK SPACE)"),
        ("the\u2009dog", "U+2009 (THIN SPACE)"),
        ("Où\u202fest", "U+202F (NARROW NO-BREAK SPACE)"),
        ("\u0915\u093f\u00a0\u0939\u093e", "U+00A0 (NO-BREAK SPACE)"),  # behind a Hindi sign
    ],
)
def test_spaces_of_another_kind(text: str, name: str) -> None:
    (remark,) = remarks("barks", text)
    assert remark.message == (
        f"the character {name} looks like a space, and stands in the text in item 2"
    )
    assert remark.hint == "write a space; to a model it is another character"
    assert remark.path == ("items", 1, "conditions", 0, "regions", 1, "content")
    # In every item, and in all conditions.
    items: list[Sentences] = [{"a": (text, "barks"), "b": (text, "bark")}] * 2
    (remark,) = check_suite(make_suite(items, []), ["control-character"])
    assert remark.message.endswith("in the text in every item")


@pytest.mark.parametrize(
    "text",
    [
        "Qui aboie\u202f?",
        "«\u00a0ouah\u00a0», dit-il\u00a0:",
        "10\u202f000\u00a0km",
        "M.\u00a0Dupont",
        "\u1820\u202f\u1822",  # a Mongolian ending
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a ZWNJ
        "\u0d15\u0d4d\u200d",  # Malayalam, with a ZWJ
        "\u05d0!\u200f \u200ea\u061c",  # marks of direction
        "\u0600\u0661",  # an Arabic number sign
        "\N{MAN}\u200d\N{WOMAN}",
        "vingt\u00a0%",
        "狗\u3000吠",
        " barks\n",  # of stray spaces `validate` speaks
    ],
)
def test_what_scripts_need(text: str) -> None:
    assert remarks(text) == []


def test_what_the_model_reads_before_a_sentence() -> None:
    value = suite_value()
    value["items"][0]["context"] = "It was\u200b late."
    value["items"][0]["conditions"][1]["context"] = "It\u200b was early."
    (remark,) = check_suite(LoadedSuite.from_dict(value).suite, ["control-character"])
    assert remark.path == ("items", 0, "context")
    del value["items"][0]["context"]
    (remark,) = check_suite(LoadedSuite.from_dict(value).suite, ["control-character"])
    assert remark.path == ("items", 0, "conditions", 1, "context")


def test_composed_characters_beside_others() -> None:
    (remark,) = remarks("court", "de\u0301gèle", "gèle", rule="mixed-normalization")
    assert remark.message == (
        "words are not in Unicode's form NFC, as others are, in item 2: 'de\u0301gèle' has "
        "U+0301 U+00E8"
    )
    assert remark.hint == "write all of them in NFC: to a model they are other words"
    assert remark.path == ("items", 1, "conditions", 0, "regions", 1, "content")


@pytest.mark.parametrize(
    ("verbs", "is_told"),
    [
        (["dégèle", "gèle"], False),
        # The nukta, whose composed letters NFC takes apart.
        (["\u095dना", "\u095dी"], False),
        (["\u095dना", "\u0922\u093cना"], True),
        (["한국", "\u1112\u1161\u11ab"], True),
    ],
)
def test_a_suite_in_one_form_is_well(verbs: list[str], *, is_told: bool) -> None:
    assert bool(remarks(*verbs, rule="mixed-normalization")) == is_told


def test_all_words_in_a_form_that_no_model_knows() -> None:
    (remark,) = remarks("de\u0301ge\u0300le", "ge\u0300le", rule="mixed-normalization")
    assert remark.message == (
        "words are not in Unicode's form NFC in every item: 'de\u0301ge\u0300le' has U+0301 U+0300"
    )
    assert remark.hint == (
        "write all of them in NFC: to a model they are other words, and its texts have NFC"
    )


def test_a_letter_of_another_script() -> None:
    (remark,) = remarks("barks", "b\u0430rks", "b\u0430rks", rule="mixed-scripts")
    assert remark.message == (
        "letters look like those of another script in 2 of 3 items (2, 3): 'b\u0430rks' has "
        "U+0430 (CYRILLIC SMALL LETTER A)"
    )
    assert remark.hint == "write each word in one script: to a model it is another word"
    assert remark.path == ("items", 1, "conditions", 0, "regions", 1, "content")


def russian(text: str) -> list[Remark]:
    nouns = ("врач", "сосед", "певец", "учитель", "писатель", "художник", "строитель", "друг")
    items: list[Sentences] = [{"a": (noun, "сидит"), "b": (noun, "сидят")} for noun in nouns]
    suite = make_suite([*items, {"a": (text, "сидит"), "b": (text, "сидят")}], [])
    return check_suite(suite, ["mixed-scripts"])


@pytest.mark.parametrize(
    "text",
    [
        "вр\u0061ч",  # a Latin a
        "врач \u0061 друг",  # the conjunction, in Latin
        "\u0063\u006f\u0063",  # a word of Latin letters alone, each of which has its like
        "вра\u03bfч",  # a Greek o
    ],
)
def test_letters_among_cyrillic_ones(text: str) -> None:
    assert len(russian(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "IT-компания",
        "COCA",
        "Пётр I",
        "врач iPhone",
        "DVD\u0448\u043a\u0430",
        "врач из Caracas",
    ],
)
def test_names_and_numerals_are_no_slips(text: str) -> None:
    assert russian(text) == []


def test_other_scripts_may_stand_in_one_word() -> None:
    assert remarks("OSを使う", "5\u03a9", "Tシャツ", rule="mixed-scripts") == []


SPACELESS: list[Sentences] = [
    {"a": ("犬が", "吠えた"), "b": ("犬が", "咲いた")},
    {"a": ("花が", "咲いた"), "b": ("花が", "吠えた")},
]


def joined(items: list[Sentences], **meta: str) -> list[Remark]:
    return check_suite(make_suite(items, [], **meta), ["missing-joiner"])


def test_a_script_without_spaces() -> None:
    (remark,) = joined(SPACELESS)
    assert remark.message == (
        "regions are joined by a space, and the text is in a script that has none between words"
    )
    assert remark.hint == 'say `"joiner": ""` in meta'
    assert remark.path == ("meta", "joiner")
    assert joined(SPACELESS, joiner="") == []
    assert len(joined([{"a": ("หมา", "เห่า"), "b": ("หมา", "ร้อง")}])) == 1


@pytest.mark.parametrize(
    "item",
    [
        # Words that are kept apart within regions, too.
        {"a": ("我 的 狗", "叫 了"), "b": ("我 的 狗", "吃 了")},
        # One region, in which there is nothing to join.
        {"a": ("犬が吠えた",), "b": ("犬が咲いた",)},
        {
            "a": ("개가", "짖는다"),
            "b": ("개가", "짖는"),
        },
        {"a": ("inu ga", "hoeta"), "b": ("inu ga", "saita")},
    ],
)
def test_spaces_that_are_meant(item: Sentences) -> None:
    assert joined([item], language="ja") == []


@given(st.text())
def test_what_readers_see_is_the_same_in_each_form(text: str) -> None:
    seen = as_read(text)
    assert as_read(unicodedata.normalize("NFD", text)) == seen
    assert as_read(f"{text}\u200b") == seen
