"""What is said of accuracies and their intervals is what the rows have."""

import math
from dataclasses import replace

import pytest
from tests.analysis.records import record, seeds

from pommel.analysis.accuracy import Accuracies, Level, Settings
from pommel.scoring.run_record import RunRecord

OF_ITEMS = "Share of items on which a suite's predictions hold [95% Wilson interval]."
OF_PREDICTIONS = "Of several predictions: their mean [95% bootstrap interval, by item]."
OF_SUITES = "Mean over suites [95% bootstrap interval, items drawn within suites]."
OF_ONE = "Of one suite: share of items [95% Wilson interval]."
OF_ONE_BY_PREDICTION = (
    "Of one suite with several predictions: their mean [95% bootstrap interval, by item]."
)


def of(level: Level, *records: RunRecord) -> Accuracies:
    return Accuracies.of(records, level, Settings(n_resamples=199))


def two_predictions(suite: str) -> RunRecord:
    return record("m", suite, ["1111", "1100"], rule="each", circuit="c")


def one_prediction(suite: str) -> RunRecord:
    return record("m", suite, "1100", rule="each", circuit="c")


def test_suites_of_one_prediction_have_wilsons_interval_and_others_the_bootstraps() -> None:
    one, two = one_prediction("s"), two_predictions("t")
    assert of("suite", one).suite_notes() == [OF_ITEMS]
    assert of("suite", one, two).suite_notes() == [
        OF_ITEMS,
        OF_PREDICTIONS,
    ]
    without_wilson = OF_ITEMS.replace(" [95% Wilson interval]", "")
    assert of("suite", two).suite_notes() == [
        without_wilson,
        OF_PREDICTIONS,
    ]


def test_a_mean_over_one_suite_has_that_suites_interval() -> None:
    one, two = one_prediction("s"), two_predictions("t")
    for level in ("circuit", "model"):
        assert of(level, one).mean_notes() == [OF_ONE]
        assert of(level, two).mean_notes() == [OF_ONE_BY_PREDICTION]
        assert of(level, one, two).mean_notes() == [OF_SUITES]
    every = [of("model", *own) for own in ((one, two), (one,), (two,))]
    assert Accuracies(rows=tuple([row for each in every for row in each.rows])).mean_notes() == [
        OF_SUITES,
        OF_ONE,
        OF_ONE_BY_PREDICTION,
    ]


def test_the_exact_interval_has_its_own_name() -> None:
    found = of("suite", one_prediction("s"))
    exact = "[95% interval of Clopper and Pearson]"
    assert replace(found, interval="exact").suite_notes(share="Share") == [f"Share {exact}."]
    assert replace(found, interval="exact").mean_notes() == [
        f"Of one suite: share of items {exact}."
    ]


def test_the_means_may_have_a_name() -> None:
    found = of("model", record("a", "s", "10"), record("a", "t", "11"), record("b", "s", "10"))
    assert found.mean_notes(name="SG score") == [
        "SG score: mean over all suites [95% bootstrap interval, items drawn within suites].",
        "SG score of one suite: share of items [95% Wilson interval].",
    ]


def test_what_has_no_interval_has_no_name_of_one() -> None:
    published = [record("m", suite, share=0.7) for suite in ("s", "t")]
    assert of("suite", *published).suite_notes() == [
        "Share of items on which a suite's predictions hold."
    ]
    assert of("model", *published).mean_notes() == ["Mean over suites."]
    family = [row for row in of("suite", *seeds("lstm", "s", "10", "11")).rows if row.is_family]
    assert Accuracies(rows=tuple(family)).suite_notes() == [
        "Share of items on which a suite's predictions hold."
    ]


@pytest.mark.parametrize("level", ["circuit", "model"])
def test_nothing_is_said_of_what_has_no_score(level: Level) -> None:
    (row,) = of(level, record("m", "s", "--")).rows
    assert math.isnan(row.accuracy)
    assert Accuracies(rows=(row,)).mean_notes() == []
