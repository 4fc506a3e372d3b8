"""Which conditions of a suite are ungrammatical, and what its design says of them."""

import math
from collections.abc import Collection
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, strategies as st
from tests.analysis.records import seed
from tests.analysis.sentence_sets import CASES, design_scores, pair_scores
from tests.builders import make_suite, token
from tests.word_model import WordModel

from pommel.analysis.ratings import Rating, Ratings
from pommel.analysis.sentence_sets import (
    SentenceSets,
    SentenceSetsAsked,
    SetRow,
    SetScores,
    SetSentence,
    SetTable,
    is_set,
    scores_of_runs,
    set_rows,
    set_scores,
    set_sentences,
)
from pommel.errors import InputError, UsageError
from pommel.files import CsvRow
from pommel.models.model import Policy
from pommel.scoring import Choices
from pommel.scoring.run import Run, run_suites
from pommel.surprisal import ScoredSentence, Token


def test_meta_unacceptable_names_the_ungrammatical_conditions() -> None:
    suite = make_suite(unacceptable=" mismatch ")
    assert is_set(suite)
    assert set_sentences(suite) == (
        SetSentence(name="match", is_grammatical=True),
        SetSentence(name="mismatch", is_grammatical=False),
    )


def test_a_design_says_kind_order_and_assignment() -> None:
    said = {"kind": "double-nom", "case_order": ["nom", "nom"], "assignment": ["nom", "nom"]}
    suite = make_suite(
        unacceptable="mismatch", design={"cases": ["nom"], "conditions": {"mismatch": said}}
    )
    assert set_sentences(suite)[1] == SetSentence(
        name="mismatch",
        is_grammatical=False,
        kind="double-nom",
        order=("nom", "nom"),
        assignment=("nom", "nom"),
    )


@pytest.mark.parametrize(
    "design", ["2x2", {"conditions": "all"}, {"conditions": {"match": 1}}, ["match"], None]
)
def test_what_others_call_a_design_is_passed_over(design: object) -> None:
    suite = make_suite(unacceptable="mismatch", design=design)
    assert {one.kind for one in set_sentences(suite)} == {""}


@pytest.mark.parametrize(
    ("unacceptable", "message"),
    [
        (
            "mismach",
            "small: meta.unacceptable names 'mismach', no condition; did you mean 'mismatch'?",
        ),
        ("xyz", "small: meta.unacceptable names 'xyz', no condition"),
        ("", "small: meta.unacceptable names no condition"),
        ("match mismatch", "small: meta.unacceptable names every condition"),
    ],
)
def test_two_sets_are_needed(unacceptable: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        set_sentences(make_suite(unacceptable=unacceptable))
    assert str(caught.value) == message


def test_a_suite_that_names_none_is_no_set() -> None:
    assert not is_set(make_suite())


ITEMS = [
    {"good": ("the dog", "barks"), "bad": ("the dog", "bark")},
    {"good": ("the cats", "purr"), "bad": ("the cats", "purrs")},
]
SUITE = make_suite(ITEMS, ("(2;%good%) < (2;%bad%)",), unacceptable="bad", language="en")
BITS = {"the": 1.0, "dog": 2.0, "cats": 2.5, "barks": 4.0, "bark": 8.0, "purr": 0.5, "purrs": 3.0}


def one_run(bits: dict[str, float | None] | None = None, **settings: object) -> Run:
    model = WordModel(bits=BITS if bits is None else {**BITS, **bits})
    (run,) = run_suites(model, [SUITE], Choices(**settings))  # type: ignore[arg-type]
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


def test_slor_takes_off_the_end_where_the_model_scores_one_only() -> None:
    def with_end(run: Run) -> Run:
        def ended(sentence: ScoredSentence) -> ScoredSentence:
            end = len(sentence.text)
            mark = Token(text="</s>", start=end, end=end, surprisal_bits=6.0, role="eos")
            return replace(sentence, tokens=(*sentence.tokens, mark))

        sentences = tuple(tuple(map(ended, row)) for row in run.surprisals.sentences)
        return replace(run, surprisals=replace(run.surprisals, sentences=sentences))

    unigram = with_end(one_run(dict.fromkeys(BITS, 3.0)))
    found = set_scores(one_run(), normalise="slor", unigram=unigram)
    assert found.scores.tolist() == [[2 / 3, -2 / 3], [5 / 3, 2.5 / 3]]
    found = set_scores(with_end(one_run()), normalise="slor", unigram=unigram)
    assert found.scores.tolist() == [[2 / 4, -2 / 4], [5 / 4, 2.5 / 4]]


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
    (note,) = SentenceSetsAsked(n_resamples=99).answer([run]).notes
    assert note == (
        "words on small: 1 template left out, with a sentence that the method cannot score or "
        "compare"
    )


def test_a_method_for_sentences_of_equal_length_leaves_out_templates_of_others() -> None:
    tokens = (token("the", 0, 1.0), token("dog", 4, 2.0), token("bar", 8, 3.0), token("k", 11, 1.0))
    sentence = ScoredSentence(text="the dog bark", tokens=tokens)
    model = WordModel(bits=BITS, sentences={sentence.text: sentence}, methods=("unmasked-ce",))
    (run,) = run_suites(model, [SUITE], Choices(policy=Policy(method="unmasked-ce")))
    assert set_scores(run).kept.tolist() == [[-4.0, -6.5]]


@pytest.mark.parametrize(("more", "is_tie"), [(0.0, True), (8e-6, True), (2e-5, False)])
def test_what_rounding_tells_apart_is_one_score(*, more: float, is_tie: bool) -> None:
    # Added up one after the other, these three give two different sums in any case.
    items = [{"good": ("a b c",), "bad": ("c b d",)}]
    suite = make_suite(items, ("(*;%good%) < (*;%bad%)",), unacceptable="bad")
    bits = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.1 + more}
    (run,) = run_suites(WordModel(bits=bits), [suite])
    ((good, bad),) = set_scores(run).scores
    assert bool(good == bad) is is_tie


def test_impossible_sentences_have_the_worst_score() -> None:
    assert set_scores(one_run({"bark": math.inf})).scores[0].tolist() == [-7.0, -math.inf]


def test_slor_of_what_is_impossible_to_both_models_is_no_number() -> None:
    found = set_scores(
        one_run({"bark": math.inf}), normalise="slor", unigram=one_run({"bark": math.inf})
    )
    assert math.isnan(found.scores[0, 1])
    assert found.scores[1].tolist() == [0.0, 0.0]
    assert found.n_skipped == 1


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
    found, _, others = scores_of_runs(runs)
    assert summary(found) == [("words (eos=auto)", "small"), ("words (eos=never)", "small")]
    assert others == []


def test_suites_that_are_no_sets_are_named() -> None:
    plain = make_suite(ITEMS, ("(2;%good%) < (2;%bad%)",), name="plain")
    runs = [*run_suites(WordModel(bits=BITS), [SUITE, plain])]
    found, _, others = scores_of_runs(runs)
    assert summary(found) == [("words", "small")]
    assert others == ["plain"]
    with pytest.raises(UsageError) as caught:
        scores_of_runs(runs[1:])
    assert str(caught.value) == (
        "no suite says which of its conditions are ungrammatical (meta.unacceptable): plain"
    )


_SHARED = "model_name suite circuit language"
_FAMILIES = "member is_family n_members sd_population"
_ESTIMATE = f"n_templates low high sd n_unscored n_skipped {_FAMILIES}"
COLUMNS = {
    "auc": f"{_SHARED} comparison n_grammatical n_ungrammatical n_templates auc low high sd n_ties "
    f"n_unscored n_skipped {_FAMILIES}".split(),
    "orders": f"{_SHARED} order n_sentences mean_score {_ESTIMATE}".split(),
    "pairs": f"{_SHARED} order other_order n_pairs share_preferred {_ESTIMATE}".split(),
    "features": f"{_SHARED} noun plausible_case case n_with n_without auc {_ESTIMATE}".split(),
}

# Sixteenths of bits: their sums are exact, so that sentences of one sum are tied.
weights = st.integers(min_value=-160, max_value=0).map(lambda n: n / 16)


def means(rows: list[SetRow]) -> dict[str, float]:
    return {str(row.about["comparison"]): row.estimate.mean for row in rows}


def additive(by_case: dict[str, float]) -> list[SetRow]:
    return [*set_rows(design_scores(lambda one: sum(by_case[each] for each in one.order)))]


def test_a_case_additive_scorer_is_at_chance_and_prefers_its_likeliest_case_doubled() -> None:
    rows = additive({"nom": -1.0, "acc": -1.5, "dat": -1.75})
    assert means(rows) == {
        "all": 0.5,
        "double-nom": 0.0,
        "double-acc": 0.5,
        "double-dat": 1.0,
        "plausible": 0.5,
    }
    assert [(row.about["n_grammatical"], row.about["n_ungrammatical"]) for row in rows] == [
        (36, 108),
        (36, 36),
        (36, 36),
        (36, 36),
        (6, 108),
    ]


@given(st.lists(weights, min_size=3, max_size=3, unique=True))
def test_any_case_additive_scorer_is_at_chance(values: list[float]) -> None:
    by_case = dict(zip(CASES, values, strict=True))
    found = means(additive(by_case))
    worst, middle, best = sorted(CASES, key=by_case.__getitem__)
    assert found["all"] == found["plausible"] == found[f"double-{middle}"] == 0.5
    assert (found[f"double-{best}"], found[f"double-{worst}"]) == (0.0, 1.0)


@given(weights, weights)
def test_equal_cases_share_what_they_win_and_lose(value: float, other: float) -> None:
    found = means(additive({"nom": value, "acc": value, "dat": other}))
    assert found["all"] == found["plausible"] == 0.5
    assert found["double-nom"] == found["double-acc"]


def test_who_knows_the_grammar_is_always_right() -> None:
    def knows(one: SetSentence) -> float:
        return float(one.is_grammatical)

    assert set(means([*set_rows(design_scores(knows))]).values()) == {1.0}


def test_plausible_sentences_alone_against_all_violations() -> None:
    def likes_sense(one: SetSentence) -> float:
        return {"plausible": 2.0, "grammatical": 0.0}.get(one.kind, 1.0)

    found = means([*set_rows(design_scores(likes_sense))])
    assert found["plausible"] == 1.0
    assert found["all"] == pytest.approx(6 / 36)


@given(st.lists(st.lists(weights, min_size=5, max_size=5), min_size=1, max_size=6))
def test_the_mean_over_templates_is_that_of_all_pairs_compared_one_by_one(
    rows: list[list[float]],
) -> None:
    (found,) = set_rows(pair_scores(rows, "g1 u1 g2 u2 u3"))
    shares = []
    for g1, u1, g2, u2, u3 in rows:
        pairs = [*product((g1, g2), (u1, u2, u3))]
        shares.append(sum((g > u) + (g == u) / 2 for g, u in pairs) / len(pairs))
    assert found.estimate.mean == pytest.approx(math.fsum(shares) / len(shares), abs=1e-12)
    assert found.about["n_ties"] == sum(
        g == u for g1, u1, g2, u2, u3 in rows for g, u in product((g1, g2), (u1, u2, u3))
    )


def test_minimal_pairs_have_the_share_of_pairs_as_their_auc() -> None:
    (found,) = set_rows(pair_scores([[-1, -2], [-2, -1], [-1, -1], [-3, -math.inf]]))
    assert (found.about["comparison"], found.estimate.mean, found.estimate.n) == ("all", 0.625, 4)
    assert found.columns("auc")["sd"] == pytest.approx(
        math.sqrt((0.375**2 * 2 + 0.625**2 + 0.125**2) / 3)
    )
    assert 0 <= found.estimate.low < 0.625 < found.estimate.high <= 1
    assert found.about["n_ties"] == 1


def test_aucs_that_are_all_1_have_an_interval_with_a_width() -> None:
    (found,) = set_rows(pair_scores([[-1, -2]] * 24))
    assert (found.estimate.mean, found.estimate.high) == (1.0, 1.0)
    assert found.estimate.low == pytest.approx(24 / (24 + 1.96**2), abs=1e-4)


def test_a_template_that_lacks_a_score_is_left_out_and_counted() -> None:
    (found,) = set_rows(pair_scores([[-1, -2], [math.nan, -9]]))
    frame = SentenceSets(rows=(found,), scores=(), not_sets=()).frame()
    assert list(frame.columns) == COLUMNS["auc"]
    row = frame.iloc[0]
    assert (row["auc"], row["n_templates"], row["n_skipped"]) == (1.0, 1, 1)
    assert math.isnan(row["sd"])


def test_without_a_template_that_counts_there_is_no_auc() -> None:
    (found,) = set_rows(pair_scores([[math.nan, -9]]))
    assert found.estimate.n == 0
    assert math.isnan(found.estimate.mean)


def nominative_first(one: SetSentence) -> float:
    return -float(one.order.index("nom")) if "nom" in one.order else 0.0


def test_each_order_has_the_mean_of_its_grammatical_sentences() -> None:
    scores = design_scores(nominative_first, lambda one: nominative_first(one) - 4)
    rows = [*set_rows(scores, "orders", n_resamples=99)]
    assert {row.about["order"]: row.estimate.mean for row in rows} == {
        "nom acc dat": -2.0,
        "nom dat acc": -2.0,
        "acc nom dat": -3.0,
        "acc dat nom": -4.0,
        "dat nom acc": -3.0,
        "dat acc nom": -4.0,
    }
    assert {(row.about["n_sentences"], row.estimate.n) for row in rows} == {(6, 2)}
    assert (
        list(SentenceSets(rows=tuple(rows), scores=(), not_sets=(), table="orders").frame().columns)
        == COLUMNS["orders"]
    )


def test_orders_are_compared_where_each_noun_has_the_same_case() -> None:
    # What a noun is worth in a case says nothing about the order: only the same nouns compare.
    def score(one: SetSentence) -> float:
        worth = {"nom": 100.0, "acc": 10.0, "dat": 1.0}
        return nominative_first(one) + worth[one.assignment[0]]

    rows = [*set_rows(design_scores(score), "pairs")]
    shares = {(row.about["order"], row.about["other_order"]): row.estimate.mean for row in rows}
    assert len(shares) == 15
    assert shares[("nom acc dat", "acc nom dat")] == 1.0
    assert shares[("nom acc dat", "nom dat acc")] == 0.5
    assert shares[("acc dat nom", "dat nom acc")] == 0.0
    assert {row.about["n_pairs"] for row in rows} == {6}
    assert (
        list(SentenceSets(rows=tuple(rows), scores=(), not_sets=(), table="pairs").frame().columns)
        == COLUMNS["pairs"]
    )


def test_a_noun_is_liked_in_one_of_its_cases() -> None:
    def score(one: SetSentence) -> float:
        return float(one.assignment[1] == "nom")

    rows = [*set_rows(design_scores(score), "features")]
    found = {
        (row.about["noun"], row.about["plausible_case"], row.about["case"]): row.estimate.mean
        for row in rows
    }
    assert len(found) == 9
    assert found[(2, "acc", "nom")] == 1.0
    # Where it is an accusative it is no nominative: below half of the others, tied with the rest.
    assert found[(2, "acc", "acc")] == 0.25
    assert found[(1, "nom", "acc")] == pytest.approx(0.5 + 0.125)
    assert {(row.about["n_with"], row.about["n_without"]) for row in rows} == {(12, 24)}
    frame = SentenceSets(rows=tuple(rows), scores=(), not_sets=(), table="features").frame()
    assert list(frame.columns) == COLUMNS["features"]


def test_a_sentence_of_probability_0_makes_its_order_infinitely_bad() -> None:
    def score(one: SetSentence) -> float:
        return -math.inf if one.order[0] == "dat" else -1.0

    rows = [*set_rows(design_scores(score, score), "orders", n_resamples=99)]
    found = {row.about["order"]: row.estimate for row in rows}
    assert found["dat nom acc"].mean == -math.inf
    frame = SentenceSets(rows=tuple(rows), scores=(), not_sets=(), table="orders").frame()
    assert frame["sd"].isna().tolist() == [math.isinf(row.estimate.mean) for row in rows]
    assert found["nom acc dat"].mean == -1.0


def test_a_suite_without_a_design_has_no_preferences() -> None:
    scores = pair_scores([[-1, -2], [-2, -1]])
    for table in get_args(SetTable)[1:]:
        assert [*set_rows(scores, table)] == []


def test_orders_of_other_nouns_are_no_pair_and_a_case_that_is_everywhere_is_no_preference() -> None:
    def good(*cases: str, order: str) -> SetSentence:
        return SetSentence(
            name=order, is_grammatical=True, order=tuple(order.split()), assignment=cases
        )

    scores = replace(
        pair_scores([[-1.0, -2.0, -3.0]], "g1 g2 u"),
        sentences=(
            good("nom", "acc", order="nom acc"),
            good("nom", "dat", order="dat nom"),
            SetSentence(name="u", is_grammatical=False),
        ),
    )
    assert [row.about["order"] for row in set_rows(scores, "orders", n_resamples=99)] == [
        "nom acc",
        "dat nom",
    ]
    assert [*set_rows(scores, "pairs")] == []
    # The first noun is a nominative throughout.
    found = {
        (row.about["noun"], row.about["case"]): row.estimate.mean
        for row in set_rows(scores, "features")
    }
    assert found == {(2, "acc"): 1.0, (2, "dat"): 0.0}


def test_what_is_left_out_is_told_and_shown() -> None:
    sets = SentenceSetsAsked(n_resamples=99).answer([one_run(regions="needed")])
    (note,) = sets.notes
    assert note == (
        "words on small: 2 templates left out, not all of whose tokens were asked for; run it "
        "with --regions all"
    )
    assert [each.suite for each in sets.without_templates] == ["small"]
    (table,) = sets.tables()
    assert [*table.columns[-1].cells] == ["no templates"]
    (note,) = SentenceSetsAsked(n_resamples=99).answer([one_run({"the": None})]).notes
    assert note == (
        "words on small: 4 sentences with a token without a surprisal, which is left out of the "
        "sentence's score"
    )


def seed_run(number: int, bits: dict[str, float | None], **settings: object) -> Run:
    run = one_run(bits, **settings)
    member = seed(number)
    result = replace(
        run.result,
        model_name=f"lstm/{member.label}",
        membership=member,
        provenance={**run.result.provenance, "fingerprint": str(number)},
    )
    return replace(run, result=result)


def test_the_row_of_a_family_of_seeds_is_the_mean_over_its_members() -> None:
    # Both right, one right, one right and one tie.
    seeds: list[dict[str, float | None]] = [{}, {"purr": 9.0}, {"bark": 4.0}]
    runs = [seed_run(number, bits) for number, bits in enumerate(seeds, 1)]
    found = SentenceSetsAsked(n_resamples=99).answer([*runs, one_run()])
    rows = found.frame().to_dict("records")
    assert [(row["model_name"], row["member"], row["is_family"]) for row in rows] == [
        ("lstm/seed-1", "seed-1", False),
        ("lstm/seed-2", "seed-2", False),
        ("lstm/seed-3", "seed-3", False),
        ("lstm", "", True),
        ("words", "", False),
    ]
    assert [row["auc"] for row in rows] == [1.0, 0.5, 0.75, 0.75, 1.0]
    assert [row["n_members"] for row in rows] == [1, 1, 1, 3, 1]
    family = rows[3]
    assert (family["sd"], family["sd_population"]) == (0.25, pytest.approx(math.sqrt(1 / 24)))
    assert math.isnan(family["low"])
    assert math.isnan(rows[0]["sd_population"])
    # Counts are those of all members; how many sentences there are is none.
    assert [family[each] for each in ("n_templates", "n_ties", "n_grammatical")] == [6, 1, 1]
    (table,) = found.tables()
    assert [str(each.header) for each in table.columns][3:] == [
        "lstm/seed-1",
        "lstm/seed-2",
        "lstm/seed-3",
        "lstm (mean ± sd, n = 3)",
        "words",
    ]
    assert [*table.columns[-2].cells] == ["0.750 ± 0.250"]
    assert str(table.caption).endswith("\nsd: of a sample (n - 1), over members.")


def test_a_seed_without_templates_is_no_part_of_the_mean_and_a_lone_one_has_none_shown() -> None:
    runs = [seed_run(1, {}), seed_run(2, {"purr": 9.0}), seed_run(3, {"bark": math.inf})]
    unknown = replace(runs[2].surprisals, sentences=one_run(regions="needed").surprisals.sentences)
    runs[2] = replace(runs[2], surprisals=unknown)
    found = SentenceSetsAsked(n_resamples=99).answer(runs)
    family = found.frame().to_dict("records")[-1]
    assert [family[each] for each in ("auc", "n_members", "n_skipped")] == [0.75, 2, 2]
    assert [*found.tables()[0].columns[-1].cells] == ["0.750 ± 0.354 (n = 2)"]
    alone = SentenceSetsAsked(n_resamples=99).answer(runs[:1])
    assert [*alone.frame()["model_name"]] == ["lstm/seed-1", "lstm"]
    assert [str(each.header) for each in alone.tables()[0].columns][3:] == ["lstm/seed-1"]


def rated(scores: SetScores, *, without: Collection[tuple[int, str]] = ()) -> SetScores:
    """Return people whose ratings are a model's scores, but for sentences that nobody has rated."""
    scores = replace(scores, item_numbers=tuple(range(1, len(scores.scores) + 1)))
    head = CsvRow(file="r.csv", line=1, text="", fields=("suite",))
    rows = tuple(
        Rating(
            suite=scores.suite,
            item=item,
            condition=one.name,
            rating=value,
            participant="",
            row=head,
        )
        for item, row in zip(scores.item_numbers, scores.scores.tolist(), strict=True)
        for one, value in zip(scores.sentences, row, strict=True)
        if (item, one.name) not in without
    )
    columns = {"suite": "suite"}
    ratings = Ratings(name="human", file="r.csv", columns=columns, head=head, rows=rows)
    return SetScores.rated(ratings, scores)


@pytest.mark.parametrize("table", get_args(SetTable))
def test_people_who_rate_as_a_model_scores_have_its_rows(table: SetTable) -> None:
    scores = design_scores(nominative_first, lambda one: float(len(one.name) % 5))
    own, people = (
        [row.columns("mean") for row in set_rows(each, table, n_resamples=99)]
        for each in (scores, rated(scores))
    )
    assert len(own) == len(people) > 1
    for row, of_people in zip(own, people, strict=True):
        assert of_people == pytest.approx({**row, "model_name": "human"}, nan_ok=True, abs=1e-9)


@given(
    st.lists(st.lists(weights, min_size=5, max_size=5), min_size=1, max_size=4),
    st.sets(st.tuples(st.integers(1, 4), st.sampled_from(["g1", "u1", "g2", "u2", "u3"]))),
)
def test_only_rated_sentences_are_compared(
    rows: list[list[float]], without: set[tuple[int, str]]
) -> None:
    names = ["g1", "u1", "g2", "u2", "u3"]
    found = rated(pair_scores(rows, " ".join(names)), without=without)
    (row,) = set_rows(found)
    shares = []
    for item, values in enumerate(rows, 1):
        known = {n: v for n, v in zip(names, values, strict=True) if (item, n) not in without}
        pairs = [(known[g], known[u]) for g in known for u in known if g < "h" < u]
        if pairs:
            shares.append(sum((g > u) + (g == u) / 2 for g, u in pairs) / len(pairs))
    assert row.estimate.n == len(shares)
    if shares:
        assert row.estimate.mean == pytest.approx(math.fsum(shares) / len(shares), abs=1e-12)
    lacking = [sum((item, name) in without for name in names) for item in range(1, len(rows) + 1)]
    assert found.n_skipped == lacking.count(5)
    assert found.n_unscored == sum(n for n in lacking if n < 5)


def test_orders_are_preferred_where_both_are_rated() -> None:
    scores = design_scores(nominative_first)
    first = next(one for one in scores.sentences if " ".join(one.order) == "nom acc dat")
    some = rated(scores, without={(1, first.name)})
    (pair,) = (
        row
        for row in set_rows(some, "pairs")
        if (row.about["order"], row.about["other_order"]) == ("nom acc dat", "acc nom dat")
    )
    assert (pair.estimate.mean, pair.about["n_pairs"]) == (1.0, 6)
    every = [one.name for one in scores.sentences if " ".join(one.order) == "nom acc dat"]
    lacking = rated(scores, without={(1, name) for name in every})
    orders = {row.about["order"]: row for row in set_rows(lacking, "orders", n_resamples=99)}
    assert (orders["nom acc dat"].estimate.n, orders["nom acc dat"].cell) == (0, "no templates")
    assert orders["acc nom dat"].estimate.mean == -1.0


RATINGS = """\
participant,suite,item,condition,rating
P1,small,1,good,5
P1,small,1,bad,1
P1,small,2,good,4
P1,small,2,bad,4
P2,small,1,good,2
P2,small,1,bad,3
P2,fillers,1,bad,9
P3,small,2,good,7
"""


def answered(folder: Path, *told: str, text: str = RATINGS, **asked: object) -> SentenceSets:
    path = folder / "ratings.csv"
    path.write_text(text, "utf-8")
    ratings = tuple(each.format(path) for each in told or ("{}",))
    asking = SentenceSetsAsked(n_resamples=99, ratings=ratings, **asked)  # type: ignore[arg-type]
    return asking.answer([one_run()])


def test_people_stand_behind_the_models_together_and_each_by_itself(tmp_path: Path) -> None:
    found = answered(tmp_path, rating_scale="raw")
    rows = found.frame().to_dict("records")
    kept = ("model_name", "auc", "n_templates", "n_unscored", "is_family", "n_members")
    assert [[row[each] for each in kept] for row in rows] == [
        ["words", 1.0, 2, 0, False, 1],
        # In item 1 good is 3.5 and bad 2, in item 2 they are 5.5 and 4.
        ["human", 1.0, 2, 0, False, 1],
        # .75 and 0; the third has not rated two sentences of one item.
        ["human (each by itself)", 0.375, 3, 0, True, 2],
    ]
    assert rows[2]["sd"] == pytest.approx(math.sqrt(2) * 0.375)
    (table,) = found.tables()
    assert [str(each.header) for each in table.columns][2:] == [
        "sentences",
        "words",
        "human",
        "human (each by itself) (mean ± sd, n = 3)",
    ]
    assert [*table.columns[-1].cells] == ["0.375 ± 0.530 (n = 2)"]
    assert str(table.caption).endswith("\nsd: of a sample (n - 1), over participants.")
    assert found.notes == ["left out, by human: 1 rating of sentences without a run"]


def test_ratings_are_standardised_unless_that_is_not_wanted(tmp_path: Path) -> None:
    # To the first this is one step of seven, to the second all there is.
    text = "participant,item,condition,rating\n" + "".join(
        f"{who},{item},{condition},{rating}\n"
        for who, item, condition, rating in (
            ("P1", 1, "good", 4),
            ("P1", 1, "bad", 3),
            ("P1", 2, "good", 7),
            ("P1", 2, "bad", 1),
            ("P2", 1, "good", 1),
            ("P2", 1, "bad", 2),
            ("P2", 2, "good", 2),
            ("P2", 2, "bad", 1),
        )
    )
    aucs = {
        scale: answered(tmp_path, text=text, rating_scale=scale).frame()["auc"].tolist()
        for scale in ("z", "raw")
    }
    assert aucs == {"z": [1.0, 0.5, 0.75], "raw": [1.0, 0.75, 0.75]}


def test_nothing_is_taken_off_ratings(tmp_path: Path) -> None:
    plain, by_token = (answered(tmp_path, normalise=each) for each in ("none", "length"))
    assert plain.scores[-1].scores.tolist() == by_token.scores[-1].scores.tolist()
    assert plain.scores[0].scores.tolist() != by_token.scores[0].scores.tolist()


def test_several_tables_of_ratings_have_several_names(tmp_path: Path) -> None:
    found = answered(tmp_path, "{}", "students={}")
    assert [*dict.fromkeys(found.frame()["model_name"])] == [
        "words",
        "human",
        "human (each by itself)",
        "students",
        "students (each by itself)",
    ]
    with pytest.raises(UsageError, match="several --ratings have one name; write --ratings NAME="):
        answered(tmp_path, "{}", "human={}")
    with pytest.raises(UsageError, match="a model is called 'words', too; write --ratings NAME="):
        answered(tmp_path, "words={}")


def test_participants_who_do_not_say_who_they_are_have_no_row_by_themselves(
    tmp_path: Path,
) -> None:
    text = "item,condition,rating\n1,good,2\n1,bad,1\n2,good,1\n"
    found = answered(tmp_path, text=text)
    assert [*found.frame()["model_name"]] == ["words", "human"]
    assert found.notes == ["human on small: 1 sentence left out, which nobody has rated"]
    # In the design of the paper, who rates a sentence rates no other one of its template.
    text = "participant,item,condition,rating\nP1,1,good,2\nP2,1,bad,1\nP3,1,good,1\n"
    found = answered(tmp_path, text=text, rating_scale="raw")
    assert [*found.frame()["model_name"]] == ["words", "human"]
    assert [*found.tables()[0].columns[-1].cells] == ["1.000 [0.207, 1.000] of 1"]
    assert found.notes == [
        "human on small: 1 template left out, of which nobody has rated a sentence"
    ]


def test_a_suite_of_one_name_in_two_languages_is_chosen(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(RATINGS, "utf-8")
    other = make_suite(ITEMS, ("(2;%good%) < (2;%bad%)",), unacceptable="bad", language="de")
    (run,) = run_suites(WordModel(bits=BITS), [other])
    asked = SentenceSetsAsked(n_resamples=99, ratings=(str(tmp_path / "r.csv"),))
    with pytest.raises(UsageError, match="a suite small in each of en, de; choose one with --lang"):
        asked.answer([one_run(), run])


def test_a_suite_of_first_items_is_rated_as_the_whole(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(RATINGS, "utf-8")
    (run,) = run_suites(WordModel(bits=BITS), [SUITE.first_items(1)])
    found = SentenceSetsAsked(n_resamples=99, ratings=(str(tmp_path / "r.csv"),)).answer([run])
    assert {*found.frame()["suite"]} == {"small (first 1 of 2)"}
    assert found.frame()["n_templates"].tolist() == [1, 1, 2]
    assert found.notes == ["left out, by human: 4 ratings of sentences without a run"]
