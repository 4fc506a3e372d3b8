"""The share of items that holds by chance, of results."""

import math

import pytest
from tests.analysis.records import record

from pommel.analysis.item_columns import chance_of, chances_of, prediction_chance
from pommel.scoring.results import ScoreRule, SuiteResult

NAN = math.nan
LESS, BOTH = "(1;%a%) < (1;%b%)", "((1;%a%) < (1;%b%)) & ((2;%a%) < (2;%b%))"


@pytest.mark.parametrize(
    ("rule", "chances"), [("all", (0.125,)), ("first", (0.5,)), ("each", (0.5, 0.25))]
)
def test_the_rule_says_which_formulas_have_to_hold(
    rule: ScoreRule, chances: tuple[float, ...]
) -> None:
    second = BOTH.replace("(1;", "(3;")
    result = record(holds=["10", "11"], formulas=[LESS, second], rule=rule).result
    assert chances_of(result) == chances


def test_a_chance_that_is_given_holds_for_all() -> None:
    result = record(holds=["10", "11"], formulas=[LESS, BOTH], rule="each").result
    assert chances_of(result, 0.3) == (0.3, 0.3)
    assert chances_of(record(share=0.5).result, 0.0) == (0.0,)


@pytest.mark.parametrize(
    "result",
    [record(share=0.9, n_items=10).result, record(holds=["10", "11"], formulas=[""]).result],
)
def test_without_a_formula_chance_is_what_is_known_of_the_suite(result: SuiteResult) -> None:
    (unknown,) = chances_of(result)
    assert math.isnan(unknown)
    assert chances_of(result, known=0.25) == (0.25,)
    assert chances_of(result, 0.3, known=0.25) == (0.3,)


def test_a_formula_goes_before_what_is_known_of_the_suite() -> None:
    assert chances_of(record(holds="10", formulas=[LESS]).result, known=0.25) == (0.5,)


@pytest.mark.parametrize(
    ("rule", "chances"), [("all", (NAN, NAN)), ("first", (0.25, NAN)), ("each", (0.25, 0.25))]
)
def test_of_predictions_that_count_together_one_by_itself_has_no_known_chance(
    rule: ScoreRule, chances: tuple[float, ...]
) -> None:
    result = record(holds=["10", "11"], formulas=[""], rule=rule).result
    found = tuple(prediction_chance(result, each, known=0.25) for each in result.predictions)
    assert found == pytest.approx(chances, nan_ok=True)


def test_what_depends_on_the_size_of_surprisals_has_no_chance() -> None:
    assert math.isnan(chance_of(("(1;%a%) < 3",)))
    assert math.isnan(chance_of(("who knows",)))
