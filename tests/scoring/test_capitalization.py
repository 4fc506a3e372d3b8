"""What a capital letter at the beginning is worth."""

import math
from dataclasses import replace

import pytest
from tests.builders import make_suite
from tests.word_model import WordModel

from pommel.errors import ModelError, UsageError
from pommel.models.family import Membership
from pommel.models.model import RECOVERED, Policy
from pommel.scoring.capitalization import (
    CapitalizationGain,
    VariantScore,
    capitalization_gains,
)

# Only with its capital letter does the model find that "the" is likely.
BITS = {"the": 9.0, "a": 2.0, "The": 1.0, "A": 2.0}
ITEMS = [
    {"x": ("the dog",), "y": ("a dog",)},
    {"x": ("The dog",), "y": ("a dog",)},
    {"x": ("a dog",), "y": ("the dog",)},
    {"x": ("a cat",), "y": ("the dog",)},
]
SUITE = make_suite(ITEMS, ["(1;%x%) < (1;%y%)"], name="articles", circuit="toys")


def gain(score_as_is: float, score_capitalized: float) -> CapitalizationGain:
    return CapitalizationGain(
        model_reference="toy://words",
        model_name="words",
        membership=None,
        suite_name="articles",
        circuit="toys",
        n_sentences=8,
        n_changed=7,
        as_is=VariantScore(score=score_as_is, n_items=4, n_oov=0),
        capitalized=VariantScore(score=score_capitalized, n_items=4, n_oov=0),
    )


def test_every_suite_as_it_is_and_capitalized() -> None:
    (found,) = capitalization_gains(WordModel(BITS), [SUITE])
    assert found == gain(0.75, 0.5)
    assert found.gain == -0.25


def test_capital_letters_that_are_there_can_be_taken_away_first() -> None:
    (found,) = capitalization_gains(WordModel(BITS), [SUITE], lower=True)
    # The second item's "The" has become "the", which the model does not expect.
    assert (found.as_is.score, found.capitalized.score, found.n_changed) == (0.5, 0.5, 8)


def test_a_suite_that_has_capital_letters_everywhere_gains_nothing() -> None:
    suite = make_suite([{"x": ("The dog",), "y": ("A dog",)}], ["(1;%x%) < (1;%y%)"])
    model = WordModel(BITS)
    (found,) = capitalization_gains(model, [suite])
    assert (found.n_changed, found.gain) == (0, 0)
    # Both variants are the same sentences, which are scored once where all are asked for at once.
    model = WordModel(BITS, costly_calls=True)
    list(capitalization_gains(model, [suite]))
    assert model.asked == [["The dog", "A dog"]]


def test_policy_score_rule_and_unknown_words_are_passed_on() -> None:
    model = WordModel(BITS)
    suite = make_suite(ITEMS, ["(1;%x%) < (1;%y%)", "(1;%x%) > (1;%y%)"])
    policy = Policy(eos="never")
    (every,) = capitalization_gains(model, [suite], policy)
    (first,) = capitalization_gains(model, [suite], policy, score_rule="first")
    assert (every.as_is.score, first.as_is.score) == (0, 0.75)
    assert set(model.policies) == {policy}


def test_what_a_model_refuses_is_raised() -> None:
    with pytest.raises(ModelError, match=r"^it fails$"):
        list(capitalization_gains(WordModel(fails_at="The dog"), [SUITE]))


def test_suites_that_are_complete_are_there_before_a_failure() -> None:
    other = make_suite([{"x": ("el perro",), "y": ("a dog",)}], ["(1;%x%) < (1;%y%)"], name="other")
    found: list[CapitalizationGain] = []
    with pytest.raises(ModelError, match=r"^it fails$"):
        found.extend(capitalization_gains(WordModel(BITS, fails_at="El perro"), [SUITE, other]))
    # Of the other there is one score, and no gain.
    assert found == [gain(0.75, 0.5)]


def test_progress_counts_both_variants() -> None:
    done: list[int] = []
    list(capitalization_gains(WordModel(BITS), [SUITE], progress=done.append))
    assert sum(done) == 2 * SUITE.n_sentences == 16


def test_compat_is_passed_on() -> None:
    item = {"x": ("a", "dog"), "y": ("a", "cat")}
    suite = make_suite([item], ["(2;%x%) < (2;%y%)"])
    model = WordModel(BITS, details={"offsets": RECOVERED})
    list(capitalization_gains(model, [suite]))
    assert None not in [span for spans in model.spans for span in spans]
    model.spans.clear()
    list(capitalization_gains(model, [suite], compat="syntaxgym"))
    # Its alignment needs every token, not only those of the regions that predictions name.
    assert {span for spans in model.spans for span in spans} == {None}
    with pytest.raises(UsageError, match=r"^compat cannot be 'foo'; it is one of syntaxgym$"):
        list(capitalization_gains(model, [suite], compat="foo"))  # type: ignore[arg-type]


def test_models_of_one_name_are_told_apart() -> None:
    here, there = (
        replace(gain(0.5, score), model_reference=f"lstm://{folder}/en")
        for folder, score in (("a", 0.5), ("b", 1.0))
    )
    assert CapitalizationGain.with_distinct_names([here, here]) == [here, here]
    found = CapitalizationGain.with_distinct_names([here, there])
    assert [each.model_name for each in found] == ["lstm://a/en", "lstm://b/en"]
    assert [each.gain for each in found] == [0, 0.5]


def test_the_table() -> None:
    member = Membership(family="en", axis="seed", label="seed-1", value=1.0)
    bare = make_suite([{"x": ("a",), "y": ("b",)}], [])
    gains = list(
        capitalization_gains(
            WordModel(BITS), [SUITE, bare], model_name="en/seed-1", membership=member
        )
    )
    first, second = CapitalizationGain.frame(gains).to_dict("records")
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
    (single,) = CapitalizationGain.frame([gain(0.5, 0.5)]).to_dict("records")
    assert (single["family"], single["axis"], single["gain"]) == (None, None, 0)
