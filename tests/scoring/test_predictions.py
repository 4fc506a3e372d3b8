"""A suite and its surprisals to results."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.builders import by_word, make_suite, token

from pommel.errors import SurprisalError
from pommel.scoring.choices import Choices, Swallowed
from pommel.scoring.predictions import evaluate_predictions
from pommel.scoring.regions import RegionTable, region_table
from pommel.suite.metrics import METRICS
from pommel.suite.suite import Suite
from pommel.surprisal import ScoredSentence

ITEMS = [
    {"a": ("The dog", "barks"), "b": ("The dog", "bark")},
    {"b": ("The dog", "barking"), "a": ("The dog", "is")},
    {"a": ("The dog", "ran"), "b": ("The dog", "ran")},
]


def table_of(suite: Suite, *metrics: str, **bits: float | None) -> RegionTable:
    """Score every word with its length."""
    layouts = suite.sentences()
    scored = [[by_word(each.text, bits) for each in row] for row in layouts]
    return region_table(suite, scored, metrics or tuple(METRICS))


def with_unknown(text: str, unknown: set[str]) -> ScoredSentence:
    """Score every word with its length, and mark those that are unknown."""
    scored = by_word(text)
    tokens = [replace(each, oov=each.text in unknown) for each in scored.tokens]
    return replace(scored, tokens=tuple(tokens))


def test_every_prediction_is_checked_in_every_item() -> None:
    suite = make_suite(ITEMS, ["(2;%a%) < (2;%b%)", "(*;%a%) >= (*;%b%)"], circuit="agreement")
    result = evaluate_predictions(
        suite, table_of(suite), Choices(score_rule="each"), model_name="toy"
    )
    assert (result.suite_name, result.model_name, result.circuit) == ("small", "toy", "agreement")
    assert (result.item_numbers, result.score_rule) == ((1, 2, 3), "each")
    first, second = result.predictions
    assert first.holds.tolist() == [False, True, False]
    assert first.margin_bits.tolist() == [-1, 5, 0]
    assert first.tie.tolist() == [False, False, True]
    assert second.holds.tolist() == [True, False, True]
    assert (first.prediction_id, second.prediction_id) == (0, 1)
    assert first.formula == "(2;%a%) < (2;%b%)"


def test_pairs_are_comparisons_on_their_own() -> None:
    apart = ["(2;%a%) < (2;%b%)", "(1;%a%) = (1;%b%)", "((2;%b%) < 7) | ((2;%a%) < 3)"]
    joined = make_suite(ITEMS, [f"(({apart[0]}) & ({apart[1]})) & ({apart[2]})", "(2;%a%) > 2"])
    found = evaluate_predictions(joined, table_of(joined), Choices(score_rule="pairs"))
    suite = make_suite(ITEMS, [*apart, "(2;%a%) > 2"])
    expected = evaluate_predictions(suite, table_of(suite), Choices(score_rule="each"))
    assert (found.score_rule, found.scores) == ("each", expected.scores)
    for one, other in zip(found.predictions, expected.predictions, strict=True):
        assert one.prediction_id == other.prediction_id
        np.testing.assert_array_equal(one.margin_bits, other.margin_bits)
    # Where nothing is joined, it is the suite itself.
    assert suite.with_pairs() is suite


@pytest.mark.parametrize(
    ("metric", "margin"),
    [("sum", 4), ("mean", -1), ("median", -1), ("min", -1), ("max", -1), (["max", "sum"], -1)],
)
def test_predictions_read_the_first_of_the_suites_metrics(metric: Any, margin: float) -> None:
    suite = make_suite(
        [{"a": ("xxxx",), "b": ("xxx xxx xx",)}], ["(1;%a%) < (1;%b%)"], metric=metric
    )
    expected = {"mean": 8 / 3 - 4, "min": -2}.get(metric if isinstance(metric, str) else "", margin)
    result = evaluate_predictions(suite, table_of(suite))
    assert result.predictions[0].margin_bits.tolist() == [pytest.approx(expected)]


def test_a_metric_that_the_table_does_not_have() -> None:
    suite = make_suite(ITEMS, ["(2;%a%) < (2;%b%)"], metric="mean")
    with pytest.raises(SurprisalError, match="the mean over the regions is not known"):
        evaluate_predictions(suite, table_of(suite, "sum"))


def test_only_items_whose_regions_lack_a_surprisal_are_marked() -> None:
    suite = make_suite(ITEMS, ["(2;%a%) < (2;%b%)", "(1;%a%) < 100", "(*;%b%) < 100"])
    result = evaluate_predictions(suite, table_of(suite, barks=None))
    assert [each.unscored.tolist() for each in result.predictions] == [
        [True, False, False],
        [False, False, False],
        [False, False, False],
    ]
    result = evaluate_predictions(suite, table_of(suite, The=None))
    assert [each.n_unscored for each in result.predictions] == [0, 3, 3]


def test_an_item_is_skipped_where_a_region_that_a_formula_names_is_not_comparable() -> None:
    suite = make_suite(ITEMS, ["(2;%a%) < (2;%b%)", "(1;%a%) < 100", "(*;%b%) < 100"])
    scored = [[by_word(each.text) for each in row] for row in suite.sentences()]
    tokens = scored[1][1].tokens
    hidden = token("barking", 8, None, why="not comparable")
    scored[1][1] = ScoredSentence(text="The dog barking", tokens=(*tokens[:2], hidden))
    result = evaluate_predictions(suite, region_table(suite, scored))
    assert [each.skipped.tolist() for each in result.predictions] == [
        [False, True, False],
        [False, False, False],
        [False, True, False],
    ]
    first = result.predictions[0]
    np.testing.assert_array_equal(first.margin_bits, [-1, math.nan, 0])
    assert first.tie.tolist() == [False, False, True]
    assert [(each.n_holding, each.n_items) for each in result.scores] == [(0, 2)]


def test_sentences_of_unequal_length_are_skipped_where_only_equal_ones_compare() -> None:
    items = [
        {"a": ("The dog", "barks"), "b": ("The dog", "bark"), "c": ("Dogs", "bark")},
        {"a": ("The dog", "did bark"), "b": ("The dog", "barks"), "c": ("Dogs", "do bark")},
    ]
    tie = "(2;%a%) - (2;%a%) < (2;%c%) - (2;%c%)"
    formulas = ["(2;%a%) < (2;%b%)", "(2;%a%) > (2;%c%)", "(2;%c%) > 0", "1 < 2", tie]
    suite = make_suite(items, formulas)
    result = evaluate_predictions(suite, table_of(suite), skip_unequal=True)
    assert [each.skipped.tolist() for each in result.predictions] == [
        [False, True],
        [True, True],
        [False, False],
        [False, False],
        [True, True],
    ]
    # By what was computed, the second prediction would hold in both items.
    assert [each.holds.tolist() for each in result.predictions] == [
        [False, False],
        [False, False],
        [True, True],
        [True, True],
        [False, False],
    ]
    assert not any(each.tie.any() for each in result.predictions)
    assert [np.isnan(each.margin_bits).tolist() for each in result.predictions] == [
        each.skipped.tolist() for each in result.predictions
    ]
    result = evaluate_predictions(suite, table_of(suite))
    assert [each.n_skipped for each in result.predictions] == [0] * 5
    assert result.predictions[1].holds.tolist() == [True, True]
    assert result.predictions[4].tie.tolist() == [True, True]


def test_items_whose_comparison_rests_on_an_unknown_word_are_counted_and_can_be_skipped() -> None:
    pairs = [
        ("The dog", "barks", "The dog", "bark"),  # everything is known
        ("The glorp", "barks", "The glorp", "bark"),  # both have it, and nobody looks at it
        ("The dog", "glorps", "The dog", "bark"),  # one has it where the formula looks
        ("The dog", "glorps", "The dog", "glorps"),  # both have it where the formula looks
        ("The glorp", "barks", "The dog", "barks"),  # one has it elsewhere: they differ by it
        ("The glorp", "barks", "The florp", "barks"),  # each has another
    ]
    items = [{"a": (a1, a2), "b": (b1, b2)} for a1, a2, b1, b2 in pairs]
    formulas = ["(2;%a%) <= (2;%b%)", "(*;%a%) <= (*;%b%)", "(2;%a%) > 0", "(1;%a%) <= (1;%b%)"]
    suite = make_suite(items, formulas)
    layouts = suite.sentences()
    unknown = {"glorp", "glorps", "florp"}
    scored = [[with_unknown(each.text, unknown) for each in row] for row in layouts]
    table = region_table(suite, scored)
    kept = evaluate_predictions(suite, table).predictions
    # Where the formula looks at whole sentences, an unknown word that all of them have is shared.
    assert [each.oov.astype(int).tolist() for each in kept] == [
        [0, 0, 1, 1, 1, 1],
        [0, 0, 1, 0, 1, 1],
        [0, 0, 1, 1, 0, 0],
        # What comes after all that it looks at is no matter.
        [0, 1, 0, 0, 1, 1],
    ]
    assert [(each.n_oov, each.n_skipped, each.n_items) for each in kept] == [
        (4, 0, 6),
        (3, 0, 6),
        (2, 0, 6),
        (3, 0, 6),
    ]
    result = evaluate_predictions(suite, table, Choices(oov="skip", score_rule="each"))
    for before, after in zip(kept, result.predictions, strict=True):
        assert after.skipped.tolist() == after.oov.tolist() == before.oov.tolist()
        assert after.holds.tolist() == (before.holds & ~before.oov).tolist()
        assert (after.n_oov, after.n_skipped) == (0, before.n_oov)
    rows = result.to_frame("suites")
    assert rows["n_items"].tolist() == [2, 3, 4, 3]
    assert rows["n_skipped"].tolist() == [4, 3, 2, 3]
    assert rows["n_oov"].tolist() == [0, 0, 0, 0]


SWALLOWING = [
    {"a": ("xx", "yy", "z"), "b": ("xx", "yyyy", "z")},
    {"a": ("xx", "y", "z"), "b": ("xx", "yyy", "z")},
    {"a": ("xx", "", "z"), "b": ("xx", "yyy", "z")},
]


def joined(suite: Suite) -> RegionTable:
    """Score words with their length; in the first item, one token covers regions 1 and 2 of a."""

    def scored(text: str) -> ScoredSentence:
        if text != "xx yy z":
            return by_word(text)
        return ScoredSentence(text=text, tokens=(token("xx yy", 0, 5.0), token("z", 6, 1.0)))

    return region_table(suite, [[scored(each.text) for each in row] for row in suite.sentences()])


@pytest.mark.parametrize(
    ("formula", "swallowed", "holds", "defined", "skipped"),
    [
        # By more than 3 bits, if a region that nobody measured had 0.
        ("(2;%a%) < (2;%b%)", "begin", [1, 1, 1], [1, 1, 1], [0, 0, 0]),
        ("(2;%a%) < (2;%b%)", "undefined", [0, 1, 1], [0, 1, 1], [0, 0, 0]),
        ("(2;%a%) < (2;%b%)", "skip", [0, 1, 1], [1, 1, 1], [1, 0, 0]),
        ("!((2;%a%) > (2;%b%))", "undefined", [0, 1, 1], [0, 1, 1], [0, 0, 0]),
        # What the other side decides does not need it.
        ("(2;%a%) < (2;%b%) | (1;%b%) > 0", "undefined", [1, 1, 1], [1, 1, 1], [0, 0, 0]),
        ("(2;%a%) < (2;%b%) & (1;%b%) < 0", "undefined", [0, 0, 0], [1, 1, 1], [0, 0, 0]),
        # Regions that nobody names, and whole sentences, swallow nothing.
        ("(1;%a%) > 0 & (*;%a%) > 0", "undefined", [1, 1, 1], [1, 1, 1], [0, 0, 0]),
    ],
)
def test_a_region_that_a_token_swallows_has_no_value(
    formula: str, swallowed: Swallowed, holds: list[int], defined: list[int], skipped: list[int]
) -> None:
    suite = make_suite(SWALLOWING, [formula])
    result = evaluate_predictions(suite, joined(suite), Choices(swallowed=swallowed))
    (found,) = result.predictions
    assert found.holds.tolist() == holds
    assert found.defined.tolist() == defined
    assert found.skipped.tolist() == skipped
    # An empty region is not swallowed: it has nothing to lose.
    names_it = "(2;%a%)" in formula
    assert found.swallowed.tolist() == [names_it, False, False]
    assert found.n_swallowed == int(names_it and swallowed != "skip")
    has_margin = np.array(defined, dtype=bool) & ~np.array(skipped, dtype=bool)
    assert np.isnan(found.margin_bits).tolist() == (~has_margin).tolist()
    assert result.to_frame("suites")["n_swallowed"].tolist() == [found.n_swallowed]


def test_the_mean_of_an_empty_region_is_undefined_and_does_not_hold() -> None:
    suite = make_suite(
        [{"a": ("x", ""), "b": ("x", "yy")}, {"a": ("x", "y"), "b": ("x", "yy")}],
        ["(2;%a%) < (2;%b%)"],
        metric="mean",
    )
    (found,) = evaluate_predictions(suite, table_of(suite)).predictions
    assert found.holds.tolist() == [False, True]
    assert found.defined.tolist() == [False, True]
    assert found.n_undefined == 1
    assert math.isnan(found.margin_bits[0])


def test_without_predictions_nothing_is_checked() -> None:
    suite = make_suite(ITEMS, [])
    assert evaluate_predictions(suite, table_of(suite)).predictions == ()
