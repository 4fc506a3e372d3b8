"""Predictions the wrong way round, by what `meta.unacceptable` says of conditions."""

import pytest
from tests.builders import Sentences, make_suite

from pommel.suite.lint import Remark, check_suite

ITEM: Sentences = dict.fromkeys(("good", "bad", "fine", "wrong"), ("The dog", "barks", "."))


def remarks(*formulas: str, unacceptable: str = "bad wrong") -> list[Remark]:
    return check_suite(make_suite([ITEM], formulas, unacceptable=unacceptable), ["wrong-way"])


def test_what_no_speaker_would_say_should_be_more_surprising() -> None:
    (remark,) = remarks("(2;%good%) < (2;%bad%)", "(2;%bad%) < (2;%fine%)")
    assert remark.message == (
        "prediction 1 wants 'bad', which meta.unacceptable names, to be less surprising than 'fine'"
    )
    assert remark.hint == "turn the comparison round, or mend meta.unacceptable"
    assert remark.path == ("predictions", 1, "formula")
    assert remark.predictions == (1,)


@pytest.mark.parametrize(
    "formula",
    [
        "(2;%good%) > (2;%bad%)",
        "!((2;%good%) < (2;%bad%))",
        "(2;%good%) - (2;%bad%) > 0",
        "(2;%good%) < (2;%fine%) & (2;%bad%) < (2;%fine%)",
        "(2;%bad%) + (2;%wrong%) < (2;%good%) + (2;%fine%)",
        "(*;%bad%) < (*;%good%)",
    ],
)
def test_ways_to_have_it_the_wrong_way_round(formula: str) -> None:
    assert [each.rule for each in remarks(formula)] == ["wrong-way"]
    assert remarks(formula, unacceptable="") == []


@pytest.mark.parametrize(
    "formula",
    [
        "(2;%good%) < (2;%bad%)",
        "(2;%bad%) < (2;%wrong%)",
        "(2;%good%) < (2;%fine%)",
        # One violation is worse than another one; both are where they should be.
        "((2;%bad%) - (2;%good%)) > ((2;%wrong%) - (2;%fine%))",
        "(2;%good%) = (2;%bad%)",
        "(2;%bad%) < 10",
        "(1;%bad%) < (2;%bad%)",
        "abs((2;%bad%) - (2;%good%)) < 1",
    ],
)
def test_what_may_be_meant_so(formula: str) -> None:
    assert remarks(formula) == []
