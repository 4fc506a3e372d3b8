"""Counts and scores under the three score rules."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from pommel.results import ItemResult, PredictionResult, Score, ScoreRule, SuiteResult


def prediction(number: int, holds: Sequence[int], **flags: Sequence[int]) -> PredictionResult:
    truths = np.array(holds, dtype=bool)
    marks = {
        name: np.array(flags.get(name, [name == "defined"] * len(holds)), dtype=bool)
        for name in ("tie", "defined", "unscored")
    }
    return PredictionResult(
        prediction_id=number,
        formula="f",
        description="",
        holds=truths,
        margin_bits=np.where(truths, 1.5, -0.5),
        tie=marks["tie"],
        defined=marks["defined"],
        unscored=marks["unscored"],
    )


def result(rule: ScoreRule, *predictions: PredictionResult, n_items: int = 4) -> SuiteResult:
    return SuiteResult(
        suite_name="s",
        circuit="",
        model_name="m",
        score_rule=rule,
        item_numbers=tuple(range(3, 3 + n_items)),
        predictions=predictions,
    )


TWO = prediction(0, [1, 1, 1, 0]), prediction(1, [1, 0, 0, 1])


@pytest.mark.parametrize(
    ("rule", "scores", "score"),
    [
        ("all", (Score(label="", n_holding=1, n_items=4),), 0.25),
        ("first", (Score(label="", n_holding=3, n_items=4),), 0.75),
        (
            "each",
            (Score(label="0", n_holding=3, n_items=4), Score(label="1", n_holding=2, n_items=4)),
            0.625,
        ),
    ],
)
def test_the_three_score_rules(rule: ScoreRule, scores: tuple[Score, ...], score: float) -> None:
    found = result(rule, *TWO)
    assert found.scores == scores
    assert found.score == score
    assert [each.share for each in found.scores] == [each.n_holding / 4 for each in scores]
    assert found.counted == (TWO[:1] if rule == "first" else TWO)


@pytest.mark.parametrize("rule", ["all", "first", "each"])
def test_without_predictions_there_is_no_score(rule: ScoreRule) -> None:
    assert result(rule).scores == ()
    assert math.isnan(result(rule).score)


def test_counts() -> None:
    counted = prediction(
        0, [1, 0, 0, 0], tie=[0, 1, 1, 0], defined=[1, 1, 1, 0], unscored=[1, 1, 1, 0]
    )
    assert (counted.n_items, counted.n_holding) == (4, 1)
    assert (counted.n_ties, counted.n_undefined, counted.n_unscored) == (2, 1, 3)


def test_items_keep_their_numbers_and_order() -> None:
    found = result("all", *TWO)
    assert found.n_items == 4
    assert list(found.items())[1:3] == [
        ItemResult(item_number=4, holds=(True, False), margins_bits=(1.5, -0.5)),
        ItemResult(item_number=5, holds=(True, False), margins_bits=(1.5, -0.5)),
    ]
