"""Which tags languages have."""

import pytest

from pommel.suite.published import PublishedSuite


@pytest.mark.parametrize("tag", ["en", "eu", "zh-Hant", "de-CH-1901", "x-klingon", "i-default"])
def test_language_tags(tag: str) -> None:
    assert PublishedSuite.language_fault(tag) == ""


@pytest.mark.parametrize("tag", ["", "e", "x", "not a tag!", "en-", "klingon"])
def test_what_is_no_language_tag(tag: str) -> None:
    assert (
        PublishedSuite.language_fault(tag)
        == f"{tag!r} is no language tag; write one such as en, eu, zh-Hant"
    )


@pytest.mark.parametrize(
    ("name", "code"),
    [("English", "en"), ("basque", "eu"), (" Hindi", "hi"), ("ja_JP", "ja-JP"), ("en\n", "en")],
)
def test_the_name_of_a_language_is_no_tag(name: str, code: str) -> None:
    assert (
        PublishedSuite.language_fault(name) == f"{name!r} is no language tag; did you mean {code}?"
    )


@pytest.mark.parametrize(
    ("suite", "code"),
    [("basque-DO", "eu"), ("Swahili_a", "sw"), ("basque", ""), ("frisian-a", ""), ("1-a", "")],
)
def test_the_language_that_a_name_begins_with(suite: str, code: str) -> None:
    assert PublishedSuite(suite).language == code


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("he", "rtl"),
        ("ar-EG", "rtl"),
        ("az-Arab", "rtl"),
        ("hi", "auto"),
        ("en", "auto"),
        ("", "auto"),
    ],
)
def test_the_direction_of_a_language(language: str, expected: str) -> None:
    assert PublishedSuite.direction(language) == expected


@pytest.mark.parametrize(
    ("language", "joiner"),
    [
        *(("en", " "), ("ko", " "), ("he", " "), ("", " "), ("vi", " ")),
        *(
            ("ja", ""),
            ("zh-Hant", ""),
            ("zh_TW", ""),
            ("TH", ""),
            ("lo", ""),
            ("km", ""),
            ("my", ""),
        ),
    ],
)
def test_what_stands_between_the_regions_of_a_language(language: str, joiner: str) -> None:
    assert PublishedSuite.usual_joiner(language) == joiner
