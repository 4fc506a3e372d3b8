"""Suites with other first letters."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.builders import make_suite

from pommel.scoring.capitalization import capitalized, n_sentences_changed, uncapitalized
from pommel.suite.suite import Suite


def one_sentence(*regions: str) -> Suite:
    return make_suite([{"a": regions}], ["(1;%a%) > 0"])


def text_of(suite: Suite) -> str:
    return suite.items[0].condition("a").sentence(suite.joiner).text


@pytest.mark.parametrize(
    ("regions", "big", "small"),
    [
        (("the dog", "barks"), "The dog barks", "the dog barks"),
        (("The dog", "barks"), "The dog barks", "the dog barks"),
        # The rest of the word stays as it is, which str.capitalize would change.
        (("iPhone", "rings"), "IPhone rings", "iPhone rings"),
        (("", "", "the dog"), "The dog", "the dog"),
        (("«el perro", "ladra»"), "«El perro ladra»", "«el perro ladra»"),
        (("¿quién", "ladra?"), "¿Quién ladra?", "¿quién ladra?"),
        (("écoute",), "Écoute", "écoute"),
        (("собака", "лает"), "Собака лает", "собака лает"),
        # A letter of its own for the beginning of a word, which is neither of the other two.
        (("ǆep",), "ǅep", "ǆep"),
        # What has no cases, and a first word without letters.
        (("הכלב", "נובח"), "הכלב נובח", "הכלב נובח"),
        (("3 dogs", "bark"), "3 dogs bark", "3 dogs bark"),
        (("1st dogs", "bark"), "1st dogs bark", "1st dogs bark"),
        (("- a dog",), "- a dog", "- a dog"),
    ],
)
def test_the_first_letter_and_no_other(regions: tuple[str, ...], big: str, small: str) -> None:
    suite = one_sentence(*regions)
    assert text_of(capitalized(suite)) == big
    assert text_of(uncapitalized(suite)) == small


def test_all_conditions_of_all_items_change_and_nothing_else_does() -> None:
    suite = make_suite(
        [
            {"match": ("the dog", "barks"), "mismatch": ("the dog", "bark")},
            {"match": ("A cat", "purrs"), "mismatch": ("a cat", "purr")},
        ]
    )
    variant = capitalized(suite)
    assert n_sentences_changed(suite, variant) == 3
    assert n_sentences_changed(suite, suite) == 0
    before, after = suite.to_dict(), variant.to_dict()
    contents = [
        condition["regions"][0]["content"]
        for item in after["items"]
        for condition in item["conditions"]
    ]
    assert contents == ["The dog", "The dog", "A cat", "A cat"]
    for item in (*before["items"], *after["items"]):
        for condition in item["conditions"]:
            condition["regions"][0]["content"] = ""
    assert before == after
    # It is another suite, and provenance says so.
    assert variant.sha256 != suite.sha256


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=8), min_size=1, max_size=4))
def test_laws(regions: list[str]) -> None:
    assume(any(region.strip() for region in regions))
    suite = one_sentence(*regions)
    again = capitalized(capitalized(suite))
    assert text_of(again) == text_of(capitalized(suite))
    joined = "".join(region.text for region in capitalized(suite).items[0].conditions[0].regions)
    plain = "".join(region.text for region in suite.items[0].conditions[0].regions)
    differing = [(one, other) for one, other in zip(plain, joined, strict=False) if one != other]
    # A letter may become several ("ß"), and shift what follows; in what has one, one differs.
    assert len(joined) != len(plain) or len(differing) <= 1
