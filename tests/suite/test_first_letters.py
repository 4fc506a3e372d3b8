"""Variants of suites whose sentences begin with a capital letter, or a small one."""

import pytest
from hypothesis import assume, given, strategies as st
from tests.builders import make_suite, suite_value

from pommel.suite.suite import Suite


def one_sentence(*regions: str) -> Suite:
    return make_suite([{"a": regions}], ["(1;%a%) > 0"])


def text_of(suite: Suite, condition: str = "a") -> str:
    return suite.items[0].condition(condition).sentence(suite.joiner).text


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
    assert text_of(suite.with_first_letters("capital")) == big
    assert text_of(suite.with_first_letters("small")) == small


@pytest.mark.parametrize(
    ("language", "small", "capital"),
    [
        ("tr", "işçi güldü", "İşçi güldü"),
        ("az-Latn", "ıldırım", "Ildırım"),  # noqa: RUF001 - no dots is the point
        ("tr", "şair", "Şair"),
        ("nl", "ijs smelt", "IJs smelt"),
        ("nl-BE", "«ijs smelt", "«IJs smelt"),
        ("nl", "in huis", "In huis"),
        ("en", "ijs", "Ijs"),
        ("", "işçi", "Işçi"),
    ],
)
def test_letters_are_those_of_the_language(language: str, small: str, capital: str) -> None:
    suite = make_suite([{"a": [small]}], ["(1;%a%) > 0"], language=language)
    made = suite.with_first_letters("capital")
    assert text_of(made) == capital
    assert text_of(made.with_first_letters("small")) == (small if language else "işçi")


def test_all_conditions_of_all_items_change_and_nothing_else_does() -> None:
    suite = make_suite(
        [
            {"match": ("the dog", "barks"), "mismatch": ("the dog", "bark")},
            {"match": ("A cat", "purrs"), "mismatch": ("a cat", "purr")},
        ]
    )
    variant = suite.with_first_letters("capital")
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
    assert variant.name == after["meta"].pop("name") == "small_capital"
    assert variant.modifier_of == after["meta"].pop("modifier_of") == "small"
    del before["meta"]["name"]
    assert before == after
    # It is another suite, and provenance says so.
    assert variant.sha256 != suite.sha256


def test_a_context_begins_the_sentence() -> None:
    value = suite_value([{"match": ("he", "runs"), "mismatch": ("he", "run")}])
    value["items"][0]["context"] = "look !"
    again = Suite.from_dict(Suite.from_dict(value).with_first_letters("capital").to_dict())
    assert text_of(again, "match") == "Look ! he runs"


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=8), min_size=1, max_size=4))
def test_laws(regions: list[str]) -> None:
    assume(any(region.strip() for region in regions))
    suite = one_sentence(*regions)
    again = suite.with_first_letters("capital").with_first_letters("capital")
    assert text_of(again) == text_of(suite.with_first_letters("capital"))
    joined = "".join(
        region.text for region in suite.with_first_letters("capital").items[0].conditions[0].regions
    )
    plain = "".join(region.text for region in suite.items[0].conditions[0].regions)
    differing = [(one, other) for one, other in zip(plain, joined, strict=False) if one != other]
    # A letter may become several ("ß"), and shift what follows; in what has one, one differs.
    assert len(joined) != len(plain) or len(differing) <= 1
