"""Marks at the words that a language writes them to, and the regions that they stay in."""

# ruff: noqa: RUF001 - marks that look like others are what this is about

import re
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from tests.builders import make_suite, suite_value

from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Suite


def natural(language: str, *regions: str, joiner: str = " ") -> Suite:
    suite = make_suite([{"a": regions}], [], language=language, joiner=joiner)
    return suite.with_punctuation("natural")


def spelt(suite: Suite) -> list[str]:
    """Return what the regions of the first sentence have, with what joins them."""
    sentence = suite.sentences()[0][0]
    return [sentence.text[start:end] for start, end in sentence.spans]


@pytest.mark.parametrize(
    ("language", "regions", "expected"),
    [
        ("en", ("The dog", "barks", "."), ["The dog", " barks", "."]),
        ("en", ("The dog ,", "that barks", ", sleeps ."), ["The dog,", " that barks", ", sleeps."]),
        ("en", ("( The", "dog )", "barks", "?!"), ["(The", " dog)", " barks", "?!"]),
        ("en", ("", "The dog", "", "."), ["", "The dog", "", "."]),
        # What is no mark of a sentence stays where it is.
        ("en", ("a - b", "and", "50 %", "'"), ["a - b", " and", " 50 %", " '"]),
        ("es", ("¿", "Quién", "duerme", "?"), ["¿", "Quién", " duerme", "?"]),
        ("hi", ("वह", "सोता है", "।"), ["वह", " सोता है", "।"]),
        ("he", ("הכלב", "נובח", "."), ["הכלב", " נובח", "."]),
        ("ar", ("من", "؟"), ["من", "؟"]),
        ("", ("Nani", "?"), ["Nani", "?"]),
        # French has a space before high marks, and within its quotation marks.
        (
            "fr",
            ("« Dort", "-il", "» , dit", "Anne", ":"),
            ["« Dort", " -il", " », dit", " Anne", " :"],
        ),
        ("fr-BE", ("Il dort", "? !", "»", "."), ["Il dort", " ?!", " »", "."]),
        # Ideographs have wide marks, which need no space on either side.
        (
            "zh",
            ("他 说", "：「", "好", "」", "。", "走"),
            ["他 说", "：「", "好", "」", "。", "走"],
        ),
    ],
)
def test_marks_are_written_as_in_the_language(
    language: str, regions: tuple[str, ...], expected: list[str]
) -> None:
    made = natural(language, *regions)
    assert spelt(made) == expected
    # Once they are, there is nothing more to write.
    meta = {**made.meta, "punctuation": "apart"}
    assert spelt(replace(made, meta=meta).with_punctuation("natural")) == expected


@pytest.mark.parametrize(
    ("apart", "expected"),
    [
        ('" Yes , " she said .', '"Yes," she said.'),
        ('" Yes " and " no "', '"Yes" and "no"'),
        ("“ Yes ” , she said", "“Yes”, she said"),
        ("„ Ja “ , sagt sie", "„Ja“, sagt sie"),
        ("” Ja ” , säger hon", "”Ja”, säger hon"),
        ("» Ja « , sagt sie", "»Ja«, sagt sie"),
        ("« Sì » , dice", "«Sì», dice"),
        ("“ She said ‘ yes ’ . ”", "“She said ‘yes’.”"),
        # Of which one is at its word already.
        ('"Yes "', '"Yes"'),
        ('" Yes" she said "', '"Yes" she said "'),
    ],
)
def test_quotation_marks_begin_and_end(apart: str, expected: str) -> None:
    assert "".join(spelt(natural("", apart))) == expected


def test_what_a_region_says_itself_of_what_stands_before_it_holds() -> None:
    value = suite_value([{"a": ("The dog", "barks", ".")}], [])
    value["items"][0]["conditions"][0]["regions"][2]["joiner"] = " "
    suite = LoadedSuite.from_dict(value).suite.with_punctuation("natural")
    assert spelt(suite) == ["The dog", " barks", " ."]
    assert spelt(natural("en", "The dog", ".", joiner="--")) == ["The dog", "--."]


def test_a_context_has_its_marks_attached_too() -> None:
    value = suite_value([{"a": ("he", "runs", "."), "b": (", he", "run", ".")}], [])
    value["items"][0]["context"] = "Look !"
    made = LoadedSuite.from_dict(value).suite.with_punctuation("natural")
    again = LoadedSuite.from_dict(made.to_dict()).suite
    assert [each.text for each in again.sentences()[0]] == ["Look! he runs.", "Look!, he run."]
    assert again.sentences() == made.sentences()


def test_it_is_another_suite_of_the_same_name() -> None:
    suite = make_suite()
    made = suite.with_punctuation("natural")
    assert suite.with_punctuation("apart") is suite
    assert made.with_punctuation("natural") is made
    assert (made.name, made.meta["punctuation"]) == (suite.name, "natural")
    assert made.sha256 != suite.sha256
    assert LoadedSuite.from_dict(made.to_dict()).suite == made


WORDS = st.lists(
    st.sampled_from(
        ["dog", "l'", "don’t", "«x", "x»", *".,;:!?\"“”„«»()¿-।。「」'", "?!", "...", '",', "é."]
    ),
    min_size=1,
    max_size=8,
).map(" ".join)
REGIONS = st.lists(WORDS | st.just(""), min_size=1, max_size=5).filter(any)


@given(REGIONS, st.sampled_from(["en", "fr", "zh", ""]), st.sampled_from([" ", ""]))
def test_only_spaces_go(regions: list[str], language: str, joiner: str) -> None:
    made = natural(language, *regions, joiner=joiner)
    found = ["".join(each.split()) for each in spelt(made)]
    assert found == ["".join(each.split()) for each in regions]
    assert "".join(spelt(made)) == made.sentences()[0][0].text


@given(st.lists(st.text("ab é1אह", max_size=6), min_size=1, max_size=4).filter(any))
def test_a_suite_without_marks_has_the_same_sentences(regions: list[str]) -> None:
    if any(map(str.strip, regions)):
        apart = make_suite([{"a": regions}], [])
        assert natural("en", *regions).sentences() == apart.sentences()
        assert not re.search(r"[^\w\s]", apart.sentences()[0][0].text)
