"""Preferences among grammatical sentences: orders of cases, and cases of nouns."""

import math

import pytest
from tests.analysis.sentence_sets import design_scores, pair_scores

from pommel.analysis.sentence_sets import (
    FEATURE_COLUMNS,
    ORDER_COLUMNS,
    PAIR_COLUMNS,
    Resampling,
    SentenceSets,
    SetSentence,
    feature_preferences,
    order_preferences,
    order_scores,
)

FEW = Resampling(n_resamples=99)


def nominative_first(one: SetSentence) -> float:
    return -float(one.order.index("nom")) if "nom" in one.order else 0.0


def test_each_order_has_the_mean_of_its_grammatical_sentences() -> None:
    scores = design_scores(nominative_first, lambda one: nominative_first(one) - 4)
    rows = [*order_scores(scores, FEW)]
    assert {row.order: row.score.mean for row in rows} == {
        "nom acc dat": -2.0,
        "nom dat acc": -2.0,
        "acc nom dat": -3.0,
        "acc dat nom": -4.0,
        "dat nom acc": -3.0,
        "dat acc nom": -4.0,
    }
    assert {(row.n_sentences, row.score.n_templates) for row in rows} == {(6, 2)}
    assert list(
        SentenceSets(rows=tuple(rows), scores=(), not_sets=(), table="orders").frame().columns
    ) == list(ORDER_COLUMNS)


def test_orders_are_compared_where_each_noun_has_the_same_case() -> None:
    # What a noun is worth in a case says nothing about the order: only the same nouns compare.
    def score(one: SetSentence) -> float:
        worth = {"nom": 100.0, "acc": 10.0, "dat": 1.0}
        return nominative_first(one) + worth[one.assignment[0]]

    rows = [*order_preferences(design_scores(score), FEW)]
    shares = {(row.order, row.other_order): row.share.mean for row in rows}
    assert len(shares) == 15
    assert shares[("nom acc dat", "acc nom dat")] == 1.0
    assert shares[("nom acc dat", "nom dat acc")] == 0.5
    assert shares[("acc dat nom", "dat nom acc")] == 0.0
    assert {row.n_pairs for row in rows} == {6}
    assert list(
        SentenceSets(rows=tuple(rows), scores=(), not_sets=(), table="pairs").frame().columns
    ) == list(PAIR_COLUMNS)


def test_a_noun_is_liked_in_one_of_its_cases() -> None:
    def score(one: SetSentence) -> float:
        return float(one.assignment[1] == "nom")

    rows = [*feature_preferences(design_scores(score), FEW)]
    found = {(row.noun, row.plausible_case, row.case): row.auc.mean for row in rows}
    assert len(found) == 9
    assert found[(2, "acc", "nom")] == 1.0
    # Where it is an accusative it is no nominative: below half of the others, tied with the rest.
    assert found[(2, "acc", "acc")] == 0.25
    assert found[(1, "nom", "acc")] == pytest.approx(0.5 + 0.125)
    assert {(row.n_with, row.n_without) for row in rows} == {(12, 24)}
    frame = SentenceSets(rows=tuple(rows), scores=(), not_sets=(), table="features").frame()
    assert list(frame.columns) == list(FEATURE_COLUMNS)


def test_a_sentence_of_probability_0_makes_its_order_infinitely_bad() -> None:
    def score(one: SetSentence) -> float:
        return -math.inf if one.order[0] == "dat" else -1.0

    found = {row.order: row.score for row in order_scores(design_scores(score, score), FEW)}
    assert found["dat nom acc"].mean == -math.inf
    assert math.isnan(found["dat nom acc"].sd)
    assert found["nom acc dat"].mean == -1.0


def test_a_suite_without_a_design_has_no_preferences() -> None:
    scores = pair_scores([[-1, -2], [-2, -1]])
    for preferences in (order_scores, order_preferences, feature_preferences):
        assert [*preferences(scores, FEW)] == []
