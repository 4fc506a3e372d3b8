"""What a model is asked for: which regions, in which calls, by which method."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.builders import Sentences, by_word, make_suite
from tests.word_model import WordModel

from pommel.errors import ModelError, UnsupportedFeatureError, UsageError
from pommel.models.model import RECOVERED, Policy, Spans
from pommel.scoring import Choices
from pommel.scoring.run import Run, SuiteSurprisals, run_suites
from pommel.surprisal import ScoredSentence

ITEMS: list[Sentences] = [
    {"a": ("The dog", "barks"), "b": ("The dog", "bark")},
    {"a": ("The dog", "barks"), "b": ("The dog", "ran")},
    {"b": ("A cat", "purrs"), "a": ("A cat", "purr")},
]
FORMULA = "(2;%a%) < (2;%b%)"

# --- only the regions that predictions name

NEEDED: dict[str, Spans | None] = {
    "The dog barks": ((7, 14),),
    "The dog bark": ((7, 13),),
    "The dog ran": ((7, 12),),
    "A cat purr": ((5, 11),),
    "A cat purrs": ((5, 12),),
}


def test_only_the_regions_that_predictions_name_are_asked_for() -> None:
    model = WordModel()
    suite = make_suite(ITEMS, [FORMULA])
    surprisals = SuiteSurprisals.of(model, suite, Choices(regions="needed"))
    assert dict(zip(model.asked[0], model.spans[0], strict=True)) == NEEDED
    whole = SuiteSurprisals.of(WordModel(), suite)
    assert surprisals.evaluate().to_frame().equals(whole.evaluate().to_frame())
    frame = surprisals.to_frame()
    assert frame["sum_bits"].isna().tolist() == [True, False] * 6
    assert frame["n_unscored"].tolist() == [0] * 12
    assert surprisals.n_unscored == 0
    assert list(Run(surprisals=surprisals, result=surprisals.evaluate()).notes()) == []
    assert len(surprisals.to_frame("tokens")) == len(whole.to_frame("tokens"))


def test_all_regions_are_asked_for_where_nothing_else_is_said() -> None:
    model = WordModel()
    list(run_suites(model, [make_suite(ITEMS, [FORMULA])]))
    assert model.spans == [[None] * 5]


def test_other_predictions_than_the_first_are_still_shown() -> None:
    suite = make_suite(ITEMS, [FORMULA, "(1;%a%) > 1"])
    (run,) = run_suites(WordModel(), [suite], Choices(regions="needed", score_rule="first"))
    assert run.result.predictions[1].defined.all()


@pytest.mark.parametrize("costly_calls", [False, True])
def test_a_sentence_of_two_suites_is_asked_for_once_with_what_both_need(
    *, costly_calls: bool
) -> None:
    model = WordModel(costly_calls=costly_calls)
    suites = [make_suite(ITEMS, [FORMULA]), make_suite(ITEMS, ["(1;%a%) < (*;%b%)"])]
    runs = list(run_suites(model, suites, Choices(regions="needed")))
    needed = {
        "The dog barks": ((0, 14),),
        "The dog bark": None,
        "The dog ran": None,
        "A cat purr": ((0, 11),),
        "A cat purrs": None,
    }
    assert len(model.asked) == 1
    assert dict(zip(model.asked[0], model.spans[0], strict=True)) == needed
    whole = list(run_suites(WordModel(), suites))
    for run, other in zip(runs, whole, strict=True):
        assert run.to_frame("predictions").equals(other.to_frame("predictions"))


def test_what_is_known_in_part_is_asked_for_again_where_more_is_needed() -> None:
    model = WordModel()
    known: dict[str, ScoredSentence] = {}
    one, other = make_suite(ITEMS, [FORMULA]), make_suite(ITEMS, ["(1;%a%) < 100"])
    SuiteSurprisals.of(model, one, Choices(regions="needed"), known=known)
    SuiteSurprisals.of(model, one, Choices(regions="needed"), known=known)
    found = SuiteSurprisals.of(model, other, Choices(regions="needed"), known=known)
    # "The dog barks" is condition a of two items.
    assert [len(each) for each in model.asked] == [5, 2]
    assert model.asked[1] == ["The dog barks", "A cat purr"]
    assert found.evaluate().predictions[0].defined.all()


def test_the_retired_alignment_goes_by_more_than_where_tokens_begin() -> None:
    model = WordModel(details={"offsets": RECOVERED})
    suite = make_suite(ITEMS, [FORMULA])
    choices = Choices(policy=Policy.SYNTAXGYM, regions="needed")
    SuiteSurprisals.of(model, suite, replace(choices, compat="syntaxgym"))
    SuiteSurprisals.of(model, suite, choices)
    assert model.spans[0] == [None] * 5
    assert model.spans[1] == list(NEEDED.values())


def test_regions_that_cannot_be() -> None:
    with pytest.raises(
        UsageError, match="regions cannot be 'some'; it is one of auto, all, needed"
    ):
        Choices(regions="some")  # type: ignore[arg-type]


@settings(max_examples=50)
@given(st.data())
def test_predictions_do_not_depend_on_which_regions_are_scored(data: st.DataObject) -> None:
    words = st.sampled_from(["", "", "a", "bb", "ccc dd", "a bb"])
    sentence = st.tuples(words, words, words).filter(any)
    item = st.fixed_dictionaries({"x": sentence, "y": sentence})
    reference = st.tuples(st.sampled_from("123*"), st.sampled_from("xy"))
    formula = st.tuples(reference, reference).map(
        lambda pair: "({};%{}%) < ({};%{}%)".format(*pair[0], *pair[1])
    )
    suites = [
        make_suite(data.draw(st.lists(item, min_size=1, max_size=3)), formulas)
        for formulas in data.draw(st.lists(st.lists(formula, max_size=2), min_size=1, max_size=3))
    ]
    costly = data.draw(st.booleans())
    partial = run_suites(WordModel(costly_calls=costly), suites, Choices(regions="needed"))
    for run, other in zip(partial, run_suites(WordModel(), suites), strict=True):
        for one, two in zip(run.result.predictions, other.result.predictions, strict=True):
            np.testing.assert_array_equal(one.margin_bits, two.margin_bits)
            np.testing.assert_array_equal(one.holds, two.holds)
        table, whole = run.surprisals.table, other.surprisals.table
        np.testing.assert_array_equal(table.n_tokens, whole.n_tokens)
        # What has a value has the right one.
        known = ~np.isnan(table.values["sum"])
        np.testing.assert_array_equal(table.values["sum"][known], whole.values["sum"][known])


# --- one call for all suites

OTHER: list[Sentences] = [{"a": ("A", "mouse"), "b": ("A", "mice")}]


def test_where_calls_are_costly_all_is_asked_for_at_once() -> None:
    model = WordModel(costly_calls=True)
    suites = [make_suite(ITEMS, [FORMULA]), make_suite(OTHER, [FORMULA], name="other")]
    steps: list[int] = []
    runs = list(run_suites(model, suites, progress=steps.append))
    assert [len(each) for each in model.asked] == [7]
    assert sum(steps) == 8
    assert [run.result.n_items for run in runs] == [3, 1]


@pytest.mark.parametrize("failure", [ModelError("it fails"), KeyboardInterrupt()])
def test_a_failure_comes_after_the_suites_that_are_complete(failure: BaseException) -> None:
    # The last sentences are answered first.
    suites = [
        make_suite(ITEMS, [FORMULA]),
        make_suite(OTHER, [FORMULA], name="other"),
        make_suite([{"a": ("A", "cat purrs"), "b": ("A", "mouse")}], [FORMULA], name="mixed"),
    ]
    model = WordModel(costly_calls=True, fails_at="A cat purr", failure=failure)
    made: list[Run] = []
    steps: list[int] = []
    with pytest.raises(type(failure)) as raised:
        made.extend(run_suites(model, suites, Choices(regions="needed"), progress=steps.append))
    assert raised.value is failure
    assert [run.result.suite_name for run in made] == ["other", "mixed"]
    assert made[0].result.predictions[0].margin_bits.tolist() == [-1]
    # "A mouse" and "A cat purrs" are sentences of two suites each.
    assert sum(steps) == 5
    assert len(model.asked) == 1


@pytest.mark.parametrize("costly_calls", [True, False])
def test_what_a_model_refuses_costs_its_own_suite_only(*, costly_calls: bool) -> None:
    model = WordModel(costly_calls=costly_calls, refuses="A cat purr")
    suites = [
        replace(make_suite(items, [FORMULA]), name=name)
        for name, items in (("one", ITEMS[:1]), ("too long", ITEMS), ("two", ITEMS[:2]))
    ]
    runs: list[Run] = []
    with pytest.raises(ModelError, match=r"^it fails$"):
        runs.extend(run_suites(model, suites))
    assert [run.result.suite_name for run in runs] == ["one", "two"]


def test_a_failure_at_the_first_sentence_leaves_nothing() -> None:
    model = WordModel(costly_calls=True, fails_at="A mice")
    made: list[Run] = []
    with pytest.raises(ModelError, match="it fails"):
        made.extend(run_suites(model, [make_suite(OTHER, [FORMULA])]))
    assert made == []


# --- methods


def test_the_method_that_a_policy_means_is_part_of_the_result() -> None:
    suite = make_suite(ITEMS, [FORMULA])
    for model, policy, method in (
        (WordModel(), Policy(), "auto"),
        (WordModel(methods=("pll", "focus-mask")), Policy(), "pll"),
        (WordModel(methods=("pll", "focus-mask")), Policy(method="focus-mask"), "focus-mask"),
        (WordModel(details={"method": "unmasked-ce"}), Policy(), "unmasked-ce"),
    ):
        (run,) = run_suites(model, [suite], Choices(policy=policy))
        assert run.surprisals.method == method
        assert run.result.provenance["method"] == method
        assert run.result.provenance["policy"]["method"] == policy.method


def test_a_method_that_the_model_does_not_take_is_refused_before_it_is_asked() -> None:
    model = WordModel(methods=("causal",))
    with pytest.raises(UnsupportedFeatureError) as raised:
        list(
            run_suites(
                model,
                [make_suite(ITEMS, [FORMULA])],
                Choices(policy=Policy(method="pll")),
            )
        )
    assert str(raised.value) == ("toy://words does not take the method 'pll'; it takes causal")
    assert model.asked == []


def test_items_of_unequal_length_are_skipped_and_told() -> None:
    model = WordModel(methods=("unmasked-ce",))
    items: list[Sentences] = [*ITEMS, {"a": ("The dog", "did bark"), "b": ("The dog", "barks")}]
    (run,) = run_suites(model, [make_suite(items, [FORMULA])], Choices(regions="needed"))
    assert run.result.predictions[0].skipped.tolist() == [False, False, False, True]
    assert [(each.n_holding, each.n_items) for each in run.result.scores] == [(1, 3)]
    assert list(run.notes()) == [
        (
            "words on small: prediction 0 skips 1 item whose conditions have different numbers of "
            "tokens (unmasked-ce)"
        )
    ]


def test_items_with_words_of_several_tokens_are_skipped_and_told() -> None:
    hidden = replace(by_word("A cat purr", {"purr": None}).tokens[2], why_unscored="not comparable")
    sentence = ScoredSentence(text="A cat purr", tokens=(*by_word("A cat purr").tokens[:2], hidden))
    model = WordModel(methods=("focus-mask",), sentences={"A cat purr": sentence})
    (run,) = run_suites(model, [make_suite(ITEMS, [FORMULA])], Choices(regions="needed"))
    assert run.result.predictions[0].skipped.tolist() == [False, False, True]
    assert list(run.notes()) == [
        (
            "words on small: prediction 0 skips 1 item in which a word that it needs is several "
            "tokens or unknown (focus-mask)"
        )
    ]
