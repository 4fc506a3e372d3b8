"""Counts and scores under the three score rules."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pommel.files import WrittenFloat
from pommel.files.tables import frame_text, stacked
from pommel.scoring.choices import ScoreRule
from pommel.scoring.results import PredictionResult, Score, SuiteResult

Suites = frozenset[tuple[str, str]]


def prediction(number: int, holds: Sequence[int], **flags: Sequence[int]) -> PredictionResult:
    truths = np.array(holds, dtype=bool)
    marks = {
        name: np.array(flags.get(name, [name == "defined"] * len(holds)), dtype=bool)
        for name in ("tie", "defined", "swallowed", "unscored", "oov", "skipped")
    }
    return PredictionResult(
        prediction_id=number,
        formula="f",
        description="",
        holds=truths,
        margin_bits=np.where(truths, 1.5, -0.5),
        tie=marks["tie"],
        defined=marks["defined"],
        swallowed=marks["swallowed"],
        unscored=marks["unscored"],
        oov=marks["oov"],
        skipped=marks["skipped"],
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
    (row,) = result(rule).score_rows()
    assert (row["n_items"], row["prediction_id"]) == (4, "")


def test_counts() -> None:
    counted = prediction(
        0, [1, 0, 0, 0], tie=[0, 1, 1, 0], defined=[1, 1, 1, 0], unscored=[1, 1, 1, 0]
    )
    assert (counted.n_items, counted.n_holding) == (4, 1)
    assert (counted.n_ties, counted.n_undefined, counted.n_unscored) == (2, 1, 3)


def test_skipped_items_count_nowhere() -> None:
    counted = prediction(
        0,
        [1, 1, 0, 0],
        tie=[0, 0, 1, 1],
        defined=[1, 1, 0, 0],
        swallowed=[1, 1, 1, 1],
        unscored=[1, 1, 1, 1],
        skipped=[1, 0, 0, 1],
    )
    assert (counted.n_items, counted.n_skipped, counted.n_holding) == (2, 2, 1)
    assert (counted.n_ties, counted.n_undefined, counted.n_unscored) == (1, 1, 2)
    (row,) = result("all", counted).score_rows()
    assert (row["n_items"], row["n_skipped"], row["score"]) == (2, 2, 0.5)
    assert (row["n_ties"], row["n_undefined"], row["n_unscored"]) == (1, 1, 2)
    # Wilson's interval of 1 in 2.
    assert [row["low"], row["high"]] == pytest.approx([0.0945, 0.9055], abs=1e-4)
    assert result("all", counted).to_frame()["skipped"].tolist() == [True, False, False, True]


@pytest.mark.parametrize(
    ("rule", "scores"), [("all", [(0, 2)]), ("first", [(2, 3)]), ("each", [(2, 3), (1, 3)])]
)
def test_an_item_counts_where_no_prediction_that_counts_skips_it(
    rule: ScoreRule, scores: list[tuple[int, int]]
) -> None:
    found = result(
        rule,
        prediction(0, [1, 1, 1, 0], skipped=[1, 0, 0, 0]),
        prediction(1, [1, 0, 0, 1], skipped=[0, 0, 0, 1]),
    )
    assert [(each.n_holding, each.n_items) for each in found.scores] == scores
    rows = found.score_rows()
    assert [(row["n_holding"], row["n_items"]) for row in rows] == scores
    assert [row["score"] for row in rows] == [n_holding / n for n_holding, n in scores]
    assert [row["n_skipped"] for row in rows] == [4 - n for _, n in scores]


@pytest.mark.parametrize("rule", ["all", "first", "each"])
def test_without_items_that_count_a_score_is_no_number(rule: ScoreRule) -> None:
    found = result(rule, prediction(0, [1, 1, 0, 0], skipped=[1] * 4))
    (score,) = found.scores
    assert (score.n_holding, score.n_items) == (0, 0)
    (row,) = found.score_rows()
    values = (score.share, found.score, row["score"], row["low"], row["high"])
    assert all(isinstance(each, float) and math.isnan(each) for each in values)
    assert found.to_frame("suites").to_dict("records")[0]["n_skipped"] == 4
    assert found.to_frame()["skipped"].tolist() == [True] * 4


def test_the_mean_of_several_scores_leaves_out_those_without_items() -> None:
    one, other = TWO[0], prediction(1, [1, 0, 0, 1], skipped=[1] * 4)
    assert result("each", one, other).score == 0.75
    assert result("each", one).score == 0.75


def test_the_result_of_a_skipped_item_is_missing() -> None:
    found = result("all", TWO[0], prediction(1, [0, 1, 0, 0], skipped=[1, 0, 0, 0]))
    frame = found.to_frame()
    assert frame["result"].dtype == "boolean"
    assert frame["result"].isna().tolist() == [False] * 4 + [True] + [False] * 3
    assert [row["result"] for row in WrittenFloat.of_rows(frame)] == [
        *(True, True, True, False),
        *(None, True, False, False),
    ]
    assert [line.split(",")[4] for line in frame_text(frame, "csv").splitlines()] == [
        *("result", "True", "True", "True", "False"),
        *("", "True", "False", "False"),
    ]


def test_results_have_one_type_whether_items_are_skipped_or_not() -> None:
    frames = [
        result("all", TWO[0]).to_frame(),
        result("all", prediction(0, [1] * 4, skipped=[1] * 4)).to_frame(),
        result("all").to_frame(),
    ]
    assert [str(frame["result"].dtype) for frame in frames] == ["boolean"] * 3
    assert stacked(frames)["result"].dtype == "boolean"
    assert stacked(frames)["result"].tolist()[:4] == [True, True, True, False]


def test_what_is_skipped_stands_in_the_last_column_before_the_family() -> None:
    found = result("all", *TWO)
    columns = ["n_skipped", "family", "axis", "member", "axis_value"]
    assert found.to_frame("suites").columns[-5:].tolist() == columns
    assert found.to_frame().columns[-1] == "skipped"


def test_items_keep_their_numbers_and_order() -> None:
    found = result("all", *TWO)
    assert found.n_items == 4
    rows = found.to_frame()[["prediction_id", "item_number", "result", "margin_bits", "skipped"]]
    assert rows.to_numpy().tolist()[1:3] == [[0, 4, True, 1.5, False], [0, 5, True, 1.5, False]]
    assert rows.to_numpy().tolist()[5:7] == [[1, 4, False, -0.5, False], [1, 5, False, -0.5, False]]


def test_scores_with_swallowed_regions_are_named_below_a_table() -> None:
    plain = result("all", prediction(0, [1, 1, 0, 0]))
    swallowed = result(
        "all", prediction(0, [1, 0, 0, 0], swallowed=[0, 1, 1, 0], skipped=[0, 1, 0, 0])
    )
    assert (plain.n_swallowed, swallowed.n_swallowed) == (0, 1)
    assert SuiteResult.swallowed_lines([plain]) == []
    line = "m on s: 1 of 4 items with a region in which no token begins"
    assert SuiteResult.swallowed_lines([plain, swallowed]) == [line]
    assert SuiteResult.swallowed_lines([swallowed] * 7) == [
        *[line] * 5,
        "... and 2 more scores with such items",
    ]
    # Under "first", what the other predictions name does not count.
    first = result("first", prediction(0, [1] * 4), prediction(1, [1] * 4, swallowed=[1] * 4))
    assert first.n_swallowed == 0


SUITES = st.frozensets(st.sampled_from([("en", name) for name in "stuvw"]))


@given(st.dictionaries(st.tuples(st.sampled_from("xy"), st.sampled_from("abc")), SUITES))
def test_means_over_different_suites_are_found(over: dict[tuple[str, str], Suites]) -> None:
    means = [(what, model, suites) for (what, model), suites in over.items()]
    uneven = SuiteResult.uneven(means)
    for what in "xy":
        own = [suites for each, _, suites in means if each == what and suites]
        together = frozenset[tuple[str, str]]().union(*own)
        assert uneven.get(what) == (
            len(together) if any(each != together for each in own) else None
        )
    assert bool(SuiteResult.uneven_lines(means)) == bool(uneven)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ("x", "No suite is one of all; pommel compare takes those that two models have."),
        ("s", "All have s: --suite s."),
        ("stux", "All have s, t, u: --suite s --suite t --suite u."),
        ("stuv", "All have 4 of them (s, t, u, ...); --suite chooses suites."),
    ],
)
def test_which_suites_all_models_have_is_said(other: str, said: str) -> None:
    over = {"a": "stuvw", "b": other}
    means = [
        ("", model, frozenset(("en", name) for name in names)) for model, names in over.items()
    ]
    assert SuiteResult.uneven_lines(means)[1:] == [said]
