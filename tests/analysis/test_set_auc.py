"""AUC of grammatical against ungrammatical sentences, template by template."""

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.analysis.sentence_sets import CASES, design_scores, pair_scores

from pommel.analysis.sentence_sets import (
    AUC_COLUMNS,
    Resampling,
    SentenceSets,
    SetAuc,
    SetSentence,
    set_aucs,
)

FEW = Resampling(n_resamples=99)

# Sixteenths of bits: their sums are exact, so that sentences of one sum are tied.
weights = st.integers(min_value=-160, max_value=0).map(lambda n: n / 16)


def means(rows: list[SetAuc]) -> dict[str, float]:
    return {row.comparison: row.auc.mean for row in rows}


def additive(by_case: dict[str, float]) -> list[SetAuc]:
    return [*set_aucs(design_scores(lambda one: sum(by_case[each] for each in one.order)), FEW)]


def test_a_case_additive_scorer_is_at_chance_and_prefers_its_likeliest_case_doubled() -> None:
    rows = additive({"nom": -1.0, "acc": -1.5, "dat": -1.75})
    assert means(rows) == {
        "all": 0.5,
        "double-nom": 0.0,
        "double-acc": 0.5,
        "double-dat": 1.0,
        "plausible": 0.5,
    }
    assert [(row.n_grammatical, row.n_ungrammatical) for row in rows] == [
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

    assert set(means([*set_aucs(design_scores(knows), FEW)]).values()) == {1.0}


def test_plausible_sentences_alone_against_all_violations() -> None:
    def likes_sense(one: SetSentence) -> float:
        return {"plausible": 2.0, "grammatical": 0.0}.get(one.kind, 1.0)

    found = means([*set_aucs(design_scores(likes_sense), FEW)])
    assert found["plausible"] == 1.0
    assert found["all"] == pytest.approx(6 / 36)


@given(st.lists(st.lists(weights, min_size=5, max_size=5), min_size=1, max_size=6))
def test_the_mean_over_templates_is_that_of_all_pairs_compared_one_by_one(
    rows: list[list[float]],
) -> None:
    (found,) = set_aucs(pair_scores(rows, "g1 u1 g2 u2 u3"), FEW)
    shares = []
    for g1, u1, g2, u2, u3 in rows:
        pairs = [*product((g1, g2), (u1, u2, u3))]
        shares.append(sum((g > u) + (g == u) / 2 for g, u in pairs) / len(pairs))
    assert found.auc.mean == pytest.approx(math.fsum(shares) / len(shares), abs=1e-12)
    assert found.n_ties == sum(
        g == u for g1, u1, g2, u2, u3 in rows for g, u in product((g1, g2), (u1, u2, u3))
    )


def test_minimal_pairs_have_the_share_of_pairs_as_their_auc() -> None:
    (found,) = set_aucs(pair_scores([[-1, -2], [-2, -1], [-1, -1], [-3, -math.inf]]))
    assert (found.comparison, found.auc.mean, found.auc.n_templates) == ("all", 0.625, 4)
    assert found.auc.sd == pytest.approx(math.sqrt((0.375**2 * 2 + 0.625**2 + 0.125**2) / 3))
    assert 0 <= found.auc.low < 0.625 < found.auc.high <= 1
    assert found.n_ties == 1


def test_the_interval_repeats_with_its_seed() -> None:
    scores = pair_scores([[-1, -2], [-2, -1], [-1, -2]] * 7)
    one, again, other = (
        next(set_aucs(scores, Resampling(n_resamples=999, seed=seed))).auc for seed in (1, 1, 2)
    )
    assert one == again
    assert one.mean == other.mean


def test_a_template_that_lacks_a_score_is_left_out_and_counted() -> None:
    (found,) = set_aucs(pair_scores([[-1, -2], [math.nan, -9]]), FEW)
    frame = SentenceSets(rows=(found,), scores=(), not_sets=()).frame()
    assert list(frame.columns) == list(AUC_COLUMNS)
    row = frame.iloc[0]
    assert (row["auc"], row["n_templates"], row["n_skipped"]) == (1.0, 1, 1)
    assert math.isnan(row["low"])
    assert math.isnan(row["sd"])


def test_without_a_template_that_counts_there_is_no_auc() -> None:
    (found,) = set_aucs(pair_scores([[math.nan, -9]]), FEW)
    assert found.auc.n_templates == 0
    assert math.isnan(found.auc.mean)
