"""What a capital letter at the beginning is worth."""

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.builders import make_suite
from tests.word_model import WordModel

from pommel.analysis.capitalization import (
    CapitalizationGain,
    CapitalizationGains,
    with_first_letters,
)
from pommel.errors import ModelError, UsageError
from pommel.models.family import Membership, Named
from pommel.models.model import RECOVERED, Policy
from pommel.scoring import Choices
from pommel.suite.suite import Suite

# Only with its capital letter does the model find that "the" is likely.
BITS = {"the": 9.0, "a": 2.0, "The": 1.0, "A": 2.0}
ITEMS = [
    {"x": ("the dog",), "y": ("a dog",)},
    {"x": ("The dog",), "y": ("a dog",)},
    {"x": ("a dog",), "y": ("the dog",)},
    {"x": ("a cat",), "y": ("the dog",)},
]
SUITE = make_suite(ITEMS, ["(1;%x%) < (1;%y%)"], name="articles", circuit="toys")


def test_every_suite_as_it_is_and_capitalized() -> None:
    (found,) = CapitalizationGain.measured(WordModel(BITS), [SUITE])
    assert (found.as_is.score, found.capitalized.score, found.gain) == (0.75, 0.5, -0.25)
    assert (found.n_sentences, found.n_changed) == (8, 7)


def test_capital_letters_that_are_there_can_be_taken_away_first() -> None:
    (found,) = CapitalizationGain.measured(WordModel(BITS), [SUITE], lower=True)
    # The second item's "The" has become "the", which the model does not expect.
    assert (found.as_is.score, found.capitalized.score, found.n_changed) == (0.5, 0.5, 8)


def test_a_suite_that_has_capital_letters_everywhere_gains_nothing() -> None:
    suite = make_suite([{"x": ("The dog",), "y": ("A dog",)}], ["(1;%x%) < (1;%y%)"])
    model = WordModel(BITS)
    (found,) = CapitalizationGain.measured(model, [suite])
    assert (found.n_changed, found.gain) == (0, 0)
    # Both variants are the same sentences, which are scored once where all are asked for at once.
    model = WordModel(BITS, costly_calls=True)
    list(CapitalizationGain.measured(model, [suite]))
    assert model.asked == [["The dog", "A dog"]]


def test_policy_score_rule_and_unknown_words_are_passed_on() -> None:
    model = WordModel(BITS)
    suite = make_suite(ITEMS, ["(1;%x%) < (1;%y%)", "(1;%x%) > (1;%y%)"])
    policy = Policy(eos="never")
    (every,) = CapitalizationGain.measured(model, [suite], Choices(policy=policy))
    (first,) = CapitalizationGain.measured(
        model, [suite], Choices(policy=policy, score_rule="first")
    )
    assert (every.as_is.score, first.as_is.score) == (0, 0.75)
    assert set(model.policies) == {policy}


def test_what_a_model_refuses_is_raised() -> None:
    with pytest.raises(ModelError, match=r"^it fails$"):
        list(CapitalizationGain.measured(WordModel(fails_at="The dog"), [SUITE]))


def test_suites_that_are_complete_are_there_before_a_failure() -> None:
    other = make_suite([{"x": ("el perro",), "y": ("a dog",)}], ["(1;%x%) < (1;%y%)"], name="other")
    found: list[CapitalizationGain] = []
    with pytest.raises(ModelError, match=r"^it fails$"):
        found.extend(
            CapitalizationGain.measured(WordModel(BITS, fails_at="El perro"), [SUITE, other])
        )
    # Of the other there is one score, and no gain.
    assert [(each.as_is.suite_name, each.gain) for each in found] == [("articles", -0.25)]


def test_progress_counts_both_variants() -> None:
    done: list[int] = []
    list(CapitalizationGain.measured(WordModel(BITS), [SUITE], progress=done.append))
    assert sum(done) == 2 * SUITE.n_sentences == 16


def test_compat_is_passed_on() -> None:
    item = {"x": ("a", "dog"), "y": ("a", "cat")}
    suite = make_suite([item], ["(2;%x%) < (2;%y%)"])
    model = WordModel(BITS, details={"offsets": RECOVERED})
    list(CapitalizationGain.measured(model, [suite]))
    assert None not in [span for spans in model.spans for span in spans]
    model.spans.clear()
    list(CapitalizationGain.measured(model, [suite], Choices(compat="syntaxgym")))
    # Its alignment needs every token, not only those of the regions that predictions name.
    assert {span for spans in model.spans for span in spans} == {None}
    with pytest.raises(UsageError, match=r"^compat cannot be 'foo'; it is one of syntaxgym$"):
        list(CapitalizationGain.measured(model, [suite], Choices(compat="foo")))  # type: ignore[arg-type]


def test_models_of_one_name_are_told_apart() -> None:
    (found,) = CapitalizationGain.measured(WordModel(BITS), [SUITE])
    here, there = (replace(found, model_reference=f"lstm://{each}/words") for each in "ab")
    assert CapitalizationGains.of([here, here]).rows == (here, here)
    names = [each.as_is.model_name for each in CapitalizationGains.of([here, there]).rows]
    assert names == ["lstm://a/words", "lstm://b/words"]


def test_the_table() -> None:
    member = Membership(family="en", axis="seed", label="seed-1", value=1.0)
    bare = make_suite([{"x": ("a",), "y": ("b",)}], [])
    gains = [
        each.renamed(Named(name="en/seed-1", membership=member))
        for each in CapitalizationGain.measured(WordModel(BITS), [SUITE, bare])
    ]
    first, second = CapitalizationGains(rows=tuple(gains)).frame().to_dict("records")
    assert first == {
        "model_name": "en/seed-1",
        "family": "en",
        "axis": "seed",
        "axis_value": 1.0,
        "suite": "articles",
        "circuit": "toys",
        "n_sentences": 8,
        "n_changed": 7,
        "n_items_as_is": 4,
        "n_oov_as_is": 0,
        "score_as_is": 0.75,
        "n_items_capitalized": 4,
        "n_oov_capitalized": 0,
        "score_capitalized": 0.5,
        "gain": -0.25,
    }
    # A suite without predictions has no score.
    assert math.isnan(second["gain"])
    (lone,) = CapitalizationGain.measured(WordModel(BITS), [SUITE])
    assert (lone.row()["family"], lone.row()["axis"]) == (None, None)


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
    assert text_of(with_first_letters(suite, str.title)) == big
    assert text_of(with_first_letters(suite, str.lower)) == small


def test_all_conditions_of_all_items_change_and_nothing_else_does() -> None:
    suite = make_suite(
        [
            {"match": ("the dog", "barks"), "mismatch": ("the dog", "bark")},
            {"match": ("A cat", "purrs"), "mismatch": ("a cat", "purr")},
        ]
    )
    variant = with_first_letters(suite, str.title)
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
    again = with_first_letters(with_first_letters(suite, str.title), str.title)
    assert text_of(again) == text_of(with_first_letters(suite, str.title))
    joined = "".join(
        region.text
        for region in with_first_letters(suite, str.title).items[0].conditions[0].regions
    )
    plain = "".join(region.text for region in suite.items[0].conditions[0].regions)
    differing = [(one, other) for one, other in zip(plain, joined, strict=False) if one != other]
    # A letter may become several ("ß"), and shift what follows; in what has one, one differs.
    assert len(joined) != len(plain) or len(differing) <= 1
