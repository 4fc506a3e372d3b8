"""One score a sentence of a set, from a run's tokens."""

import math
from dataclasses import replace

import pytest
from tests.builders import make_suite, token
from tests.word_model import WordModel

from pommel.analysis.sentence_sets import SetScores, scores_of_runs, set_scores
from pommel.errors import InputError, UsageError
from pommel.models.model import Policy
from pommel.scoring.run import Run, run_suites
from pommel.surprisal import ScoredSentence

ITEMS = [
    {"good": ("the dog", "barks"), "bad": ("the dog", "bark")},
    {"good": ("the cats", "purr"), "bad": ("the cats", "purrs")},
]
SUITE = make_suite(ITEMS, ("(2;%good%) < (2;%bad%)",), unacceptable="bad", language="en")
BITS = {"the": 1.0, "dog": 2.0, "cats": 2.5, "barks": 4.0, "bark": 8.0, "purr": 0.5, "purrs": 3.0}


def one_run(bits: dict[str, float | None] | None = None, **settings: object) -> Run:
    model = WordModel(bits=BITS if bits is None else {**BITS, **bits})
    (run,) = run_suites(model, [SUITE], **settings)  # type: ignore[arg-type]
    return run


def test_the_score_is_the_log_probability_in_bits() -> None:
    found = set_scores(one_run())
    assert found.scores.tolist() == [[-7.0, -11.0], [-4.0, -6.5]]
    assert (found.model, found.suite, found.language) == ("words", "small", "en")
    assert [one.is_grammatical for one in found.sentences] == [True, False]
    assert (found.n_unscored, found.n_skipped, found.n_not_asked_for) == (0, 0, 0)


def test_by_length_it_is_that_of_a_token() -> None:
    found = set_scores(one_run(), normalise="length")
    assert found.scores.tolist() == [[-7 / 3, -11 / 3], [-4 / 3, -6.5 / 3]]


def test_slor_takes_off_what_a_unigram_model_says() -> None:
    unigram = one_run(dict.fromkeys(BITS, 3.0))
    found = set_scores(one_run(), normalise="slor", unigram=unigram)
    assert found.scores.tolist() == [[2 / 3, -2 / 3], [5 / 3, 2.5 / 3]]


def test_slor_of_a_sentence_without_its_first_token_takes_off_the_others() -> None:
    unigram = one_run(dict.fromkeys(BITS, 3.0))
    found = set_scores(one_run({"the": None}), normalise="slor", unigram=unigram)
    assert found.scores.tolist() == [[0.0, -2.0], [1.5, 0.25]]


def test_a_token_without_a_surprisal_is_left_out_of_the_sum_and_counted() -> None:
    found = set_scores(one_run({"the": None, "purrs": 0.25}))
    assert found.scores.tolist() == [[-6.0, -10.0], [-3.0, -2.75]]
    assert (found.n_unscored, found.n_skipped) == (4, 0)


def test_a_template_with_a_token_that_was_not_asked_for_is_left_out() -> None:
    found = set_scores(one_run(regions="needed"))
    assert all(map(math.isnan, found.scores.ravel()))
    assert (found.n_skipped, found.n_not_asked_for, found.n_unscored) == (2, 2, 0)


def test_a_template_with_a_word_that_the_method_cannot_score_is_left_out() -> None:
    tokens = (token("the", 0, 1.0), token("dog", 4, 2.0), token("bark", 8, None))
    cannot = replace(tokens[2], why_unscored="not comparable")
    sentence = ScoredSentence(text="the dog bark", tokens=(*tokens[:2], cannot))
    (run,) = run_suites(WordModel(bits=BITS, sentences={sentence.text: sentence}), [SUITE])
    found = set_scores(run)
    assert found.kept.tolist() == [[-4.0, -6.5]]
    assert (found.n_skipped, found.n_not_asked_for, found.n_unscored) == (1, 0, 0)


def test_a_method_for_sentences_of_equal_length_leaves_out_templates_of_others() -> None:
    tokens = (token("the", 0, 1.0), token("dog", 4, 2.0), token("bar", 8, 3.0), token("k", 11, 1.0))
    sentence = ScoredSentence(text="the dog bark", tokens=tokens)
    model = WordModel(bits=BITS, sentences={sentence.text: sentence}, methods=("unmasked-ce",))
    (run,) = run_suites(model, [SUITE], Policy(method="unmasked-ce"))
    assert set_scores(run).kept.tolist() == [[-4.0, -6.5]]


def test_the_order_of_the_same_tokens_makes_no_difference() -> None:
    # Added up one after the other, these three give two different sums.
    items = [{"good": ("a b c",), "bad": ("c b a",)}]
    suite = make_suite(items, ("(*;%good%) < (*;%bad%)",), unacceptable="bad")
    (run,) = run_suites(WordModel(bits={"a": 0.1, "b": 0.2, "c": 0.3}), [suite])
    ((good, bad),) = set_scores(run).scores
    assert good == bad


def test_impossible_sentences_have_the_worst_score() -> None:
    assert set_scores(one_run({"bark": math.inf})).scores[0].tolist() == [-7.0, -math.inf]


def test_slor_needs_a_run_on_the_same_sentences() -> None:
    with pytest.raises(InputError) as caught:
        set_scores(one_run(), normalise="slor")
    assert str(caught.value) == "small: there is no run of a unigram model on it, which slor needs"
    other = make_suite(ITEMS[:1], ("(2;%good%) < (2;%bad%)",), unacceptable="bad")
    (unigram,) = run_suites(WordModel(), [other])
    with pytest.raises(InputError) as caught:
        set_scores(one_run(), normalise="slor", unigram=unigram)
    assert str(caught.value) == "small: words has been run on other sentences"


def summary(found: list[SetScores]) -> list[tuple[str, str]]:
    return [(each.model, each.suite) for each in found]


def test_runs_that_differ_in_the_policy_are_told_apart_and_others_count_once() -> None:
    runs = [
        one_run(),
        one_run(score_rule="first"),
        one_run({"dog": 3.0}, policy=Policy(eos="never")),
    ]
    found, others = scores_of_runs(runs)
    assert summary(found) == [("words (eos=auto)", "small"), ("words (eos=never)", "small")]
    assert others == []


def test_suites_that_are_no_sets_are_named() -> None:
    plain = make_suite(ITEMS, ("(2;%good%) < (2;%bad%)",), name="plain")
    runs = [*run_suites(WordModel(bits=BITS), [SUITE, plain])]
    found, others = scores_of_runs(runs)
    assert summary(found) == [("words", "small")]
    assert others == ["plain"]
    with pytest.raises(UsageError) as caught:
        scores_of_runs(runs[1:])
    assert str(caught.value) == (
        "no suite says which of its conditions are ungrammatical (meta.unacceptable): plain"
    )
