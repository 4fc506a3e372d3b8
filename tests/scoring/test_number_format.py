"""Verdicts that half precision leaves open are float32's, and no others are asked for again."""

import itertools
import math
import random
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.builders import Sentences, make_suite, token
from tests.half_model import STEP, HalfModel
from tests.word_model import WordModel

from pommel.errors import ModelError, UnsupportedFeatureError, UsageError
from pommel.scoring import Choices, Run
from pommel.scoring.number_format import noise_bits, sampled, unsettled
from pommel.scoring.run import SuiteSurprisals, run_suites
from pommel.suite.suite import Suite
from pommel.surprisal import ScoredSentence

SETTLED = Choices(verdicts="float32", regions="needed")


def suite_of(n_items: int, *, name: str = "many", metric: str = "sum", formula: str = "") -> Suite:
    """Return a suite whose every sentence has words of its own."""
    items: list[Sentences] = [
        {c: (f"The {name}{n}", f"{c}{n} {c}{n}s", f"x{c}{n}") for c in "ab"} for n in range(n_items)
    ]
    return make_suite(items, [formula or "(2;%a%) < (2;%b%)"], name=name, metric=metric)


def random_bits(suites: list[Suite], *, seed: int, spread: float = 2.0) -> Mapping[str, float]:
    """Return surprisals of all words, so near each other that half precision turns verdicts."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    words = {
        word
        for suite in suites
        for row in suite.sentences()
        for each in row
        for word in each.text.split()
    }
    return {word: 5 + chance.uniform(-spread, spread) for word in sorted(words)}


def verdicts(runs: list[Run]) -> list[list[bool]]:
    return [each.holds.tolist() for run in runs for each in run.result.predictions]


@pytest.mark.parametrize(
    "formula", ["", "(2;%a%) < (2;%b%) & (*;%a%) > (*;%b%)", "(1;%a%) = (2;%b%)"]
)
@pytest.mark.parametrize("metric", ["sum", "mean", "max", "range"])
def test_verdicts_are_those_of_float32_and_few_sentences_are_asked_for_again(
    formula: str, metric: str
) -> None:
    suites = [
        suite_of(n, name=name, metric=metric, formula=formula)
        for n, name in ((120, "many"), (40, "few"))
    ]
    bits = random_bits(suites, seed=4)
    half = HalfModel(WordModel(bits=bits))
    runs = list(run_suites(half, suites, SETTLED))
    assert verdicts(runs) == verdicts(list(run_suites(WordModel(bits=bits), suites)))
    sample, again = half.exact.asked
    assert len(sample) == 54
    assert 0 < len(again) < 266
    # Each was asked for once, in one call, and of what it was asked for, no more than before.
    assert half.asked == [[text for each in suites for text in dict.fromkeys(texts_of(each))]]
    assert not {*sample} & {*again}


def texts_of(suite: Suite) -> list[str]:
    return [each.text for row in suite.sentences() for each in row]


def test_without_the_choice_the_verdicts_are_those_of_the_format() -> None:
    suite = suite_of(200)
    bits = random_bits([suite], seed=4)
    half = HalfModel(WordModel(bits=bits))
    (rounded,) = run_suites(half, [suite])
    (exact,) = run_suites(WordModel(bits=bits), [suite])
    assert half.exact.asked == []
    n_turned = sum(a != b for a, b in zip(*verdicts([rounded, exact]), strict=True))
    assert n_turned == 1
    assert "verdicts" not in rounded.result.provenance


def test_what_was_scored_again_is_told_and_all_else_is_of_the_format() -> None:
    suite = suite_of(200)
    half = HalfModel(WordModel(bits=random_bits([suite], seed=4)))
    (run,) = run_suites(half, [suite], SETTLED)
    told = run.result.provenance["verdicts"]
    again = {text for call in half.exact.asked for text in call}
    assert told == {
        "dtype": "float32",
        "fingerprint": "0",
        "noise_bits": told["noise_bits"],
        "sentences": [text for text in texts_of(suite) if text in again],
    }
    assert told["noise_bits"] == pytest.approx(STEP / math.sqrt(12), rel=0.15)
    assert run.surprisals.model.dtype == "float16"
    for row in run.surprisals.sentences:
        for each in row:
            scored = [one.surprisal_bits for one in each.tokens if one.surprisal_bits is not None]
            are_rounded = all(bits % STEP == 0 for bits in scored)
            assert are_rounded is (each.text not in again)
    (note,) = run.notes()
    assert note == (
        f"words on many: {len(again)} sentences scored again in float32, so that all verdicts are "
        f"float32's; the others have float16's bits, {told['noise_bits']:.2g} a token off"
    )


def test_a_model_that_rounds_nothing_is_asked_once() -> None:
    suite, model = suite_of(10), WordModel()
    (run,) = run_suites(model, [suite], SETTLED)
    assert len(model.asked) == 1
    assert "verdicts" not in run.result.provenance


def test_a_model_that_cannot_be_asked_in_float32_is_refused_before_it_computes() -> None:
    class OnlyHalf(WordModel):
        @property
        def info(self):  # type: ignore[no-untyped-def]
            return replace(WordModel.info.fget(self), dtype="bfloat16")  # type: ignore[attr-defined]

    model = OnlyHalf()
    with pytest.raises(UnsupportedFeatureError) as caught:
        list(run_suites(model, [suite_of(2)], SETTLED))
    assert str(caught.value) == (
        "toy://words computes in bfloat16, and has no way to be asked in float32, too; leave "
        "--verdicts out"
    )
    assert model.asked == []


def test_a_sentence_at_which_half_precision_fails_is_said_by_float32() -> None:
    suite = suite_of(100)
    bits = random_bits([suite], seed=1)
    half = HalfModel(WordModel(bits=bits), overflows_at="many7 ")
    (run,) = run_suites(half, [suite], SETTLED)
    (prediction,) = run.result.predictions
    assert not prediction.skipped.any()
    assert "failed" not in run.result.provenance
    assert verdicts([run]) == verdicts([*run_suites(WordModel(bits=bits), [suite])])


def test_one_that_fails_everywhere_is_said_by_float32_throughout() -> None:
    suite = suite_of(100)
    half = HalfModel(WordModel(), overflows_at="The")
    (run,) = run_suites(half, [suite], SETTLED)
    assert len(run.result.provenance["verdicts"]["sentences"]) == 200


def test_no_run_is_complete_whose_verdicts_are_not_settled() -> None:
    suites = [suite_of(20), suite_of(20, name="more")]
    half = HalfModel(WordModel(fails_at="The many0 a0 a0s xa0"))
    runs: list[Run] = []
    half.exact.failure = ModelError("no memory for float32")
    with pytest.raises(ModelError, match="no memory for float32"):
        runs += run_suites(half, suites, SETTLED)
    assert runs == []


def test_what_verdicts_can_be_is_told() -> None:
    with pytest.raises(UsageError, match="verdicts cannot be 'float64'; it is one of float32"):
        Choices(verdicts="float64")  # type: ignore[arg-type]


def test_some_dozens_of_sentences_from_everywhere_tell_how_noisy_a_format_is() -> None:
    texts = [f"{number:04}" for number in range(1000)]
    chosen = sampled(reversed(texts))
    assert (len(chosen), chosen[:2], chosen[-1]) == (63, ["0000", "0016"], "0992")
    assert sampled(texts[:64]) == texts[:64:2]
    assert sampled(texts[:63]) == texts[:63]
    assert sampled([]) == []


def scored(*bits: float | None) -> ScoredSentence:
    tokens = [
        token(word, 2 * at, each)
        for at, (word, each) in enumerate(zip("abcdef", bits, strict=False))
    ]
    return ScoredSentence(text="a b c d e f"[: 2 * len(bits) - 1], tokens=tuple(tokens))


@pytest.mark.parametrize(
    ("pairs", "noise"),
    [
        ([], 0.0),
        ([(scored(1.0, 2.0), scored(1.0, 2.0))], 0.0),
        # Each goes its own way: the root of the mean square.
        ([(scored(1.0, 2.0), scored(1.5, 1.5))], 0.5),
        # All go one way: the sum of four is off by four times as much, not by twice.
        ([(scored(1.0, 1.0, 1.0, 1.0), scored(1.5, 1.5, 1.5, 1.5))], 1.0),
        # What is not scored, or infinite, says nothing, nor does a sentence that has failed.
        ([(scored(None, math.inf, 2.0), scored(None, math.inf, 3.0))], 1.0),
        ([(ScoredSentence(text="a", tokens=(), failure="nan"), scored(3.0))], 0.0),
    ],
)
def test_noise_is_the_standard_deviation_of_a_token(
    pairs: list[tuple[ScoredSentence, ScoredSentence]], noise: float
) -> None:
    assert noise_bits(pairs) == pytest.approx(noise)


_NOISES = st.floats(0.001, 0.1)


@pytest.mark.parametrize(
    # How many tokens the largest region has that the formula names.
    ("n_tokens", "formula"),
    [
        (2, "(2;%a%) < (2;%b%)"),
        (2, "(2;%a%) - (3;%b%) > (2;%b%) - (3;%a%)"),
        (5, "(*;%a%) < 25"),
        (5, "(2;%a%) - (3;%b%) > (2;%b%) - (3;%a%) | !((*;%a%) <= (*;%b%))"),
    ],
)
@settings(max_examples=50)
@given(st.integers(0, 10**6), _NOISES, st.sampled_from(["sum", "mean", "median", "min", "range"]))
def test_no_verdict_differs_that_is_not_named_if_no_token_is_off_by_more_than_the_bound(
    n_tokens: int, formula: str, seed: int, noise: float, metric: str
) -> None:
    suite = suite_of(12, metric=metric, formula=formula)
    chance = random.Random(seed)  # noqa: S311 - no secret
    exact = random_bits([suite], seed=seed, spread=16 * noise)
    # All tokens are off by so much that one more would be too much: that of a region of n by 8
    # sqrt(n) times the noise at most.
    off = 7.99 / math.sqrt(n_tokens) * noise
    # In the worst way for each other: up in one condition, and down in the other.
    up = chance.choice("ab")
    rounded = {
        word: bits + (off if word.lstrip("x").startswith(up) else -off)
        for word, bits in exact.items()
    }
    true, given_ = (SuiteSurprisals.of(WordModel(bits=each), suite) for each in (exact, rounded))
    open_cells = {*unsettled(suite, given_.table, Choices(), noise_bits=noise)}
    for one, other in zip(given_.evaluate().predictions, true.evaluate().predictions, strict=True):
        turned = np.flatnonzero(one.holds != other.holds).tolist()
        conditions = {each.condition for each in suite.predictions[0].formula.references}
        assert open_cells >= {*itertools.product(turned, map("ab".index, conditions))}
