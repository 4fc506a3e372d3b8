"""What is said of accuracies and their intervals is what the rows have."""

import math

import pytest
from tests.analysis.records import record, seeds

from pommel.analysis.accuracy import Accuracy, Settings, accuracies, mean_notes, suite_notes
from pommel.analysis.item_columns import Level
from pommel.scoring.run_record import RunRecord

OF_ITEMS = "Share of items on which a suite's predictions hold [95% Wilson interval]."
OF_PREDICTIONS = "Of several predictions: their mean [95% bootstrap interval, by item]."
OF_SUITES = "Mean over suites [95% bootstrap interval, items drawn within suites]."
OF_ONE = "Of one suite: share of items [95% Wilson interval]."
OF_ONE_BY_PREDICTION = (
    "Of one suite with several predictions: their mean [95% bootstrap interval, by item]."
)


def rows_of(level: Level, *records: RunRecord) -> list[Accuracy]:
    return accuracies(records, level, Settings(n_resamples=199))


def two_predictions(suite: str) -> RunRecord:
    return record("m", suite, ["1111", "1100"], rule="each", circuit="c")


def one_prediction(suite: str) -> RunRecord:
    return record("m", suite, "1100", rule="each", circuit="c")


def test_suites_of_one_prediction_have_wilsons_interval_and_others_the_bootstraps() -> None:
    one, two = one_prediction("s"), two_predictions("t")
    assert suite_notes(rows_of("suite", one)) == [OF_ITEMS]
    assert suite_notes(rows_of("suite", one, two)) == [OF_ITEMS, OF_PREDICTIONS]
    without_wilson = OF_ITEMS.replace(" [95% Wilson interval]", "")
    assert suite_notes(rows_of("suite", two)) == [without_wilson, OF_PREDICTIONS]


def test_a_mean_over_one_suite_has_that_suites_interval() -> None:
    one, two = one_prediction("s"), two_predictions("t")
    for level in ("circuit", "model"):
        assert mean_notes(rows_of(level, one)) == [OF_ONE]
        assert mean_notes(rows_of(level, two)) == [OF_ONE_BY_PREDICTION]
        assert mean_notes(rows_of(level, one, two)) == [OF_SUITES]
    every = [rows_of("model", *own) for own in ((one, two), (one,), (two,))]
    assert mean_notes([row for rows in every for row in rows]) == [
        OF_SUITES,
        OF_ONE,
        OF_ONE_BY_PREDICTION,
    ]


def test_the_exact_interval_has_its_own_name() -> None:
    rows = rows_of("suite", one_prediction("s"))
    exact = "[95% interval of Clopper and Pearson]"
    assert suite_notes(rows, "exact", share="Share") == [f"Share {exact}."]
    assert mean_notes(rows, "exact") == [f"Of one suite: share of items {exact}."]


def test_the_means_may_have_a_name() -> None:
    rows = rows_of("model", record("a", "s", "10"), record("a", "t", "11"), record("b", "s", "10"))
    assert mean_notes(rows, name="SG score") == [
        "SG score: mean over all suites [95% bootstrap interval, items drawn within suites].",
        "SG score of one suite: share of items [95% Wilson interval].",
    ]


def test_what_has_no_interval_has_no_name_of_one() -> None:
    published = [record("m", suite, share=0.7) for suite in ("s", "t")]
    assert suite_notes(rows_of("suite", *published)) == [
        "Share of items on which a suite's predictions hold."
    ]
    assert mean_notes(rows_of("model", *published)) == ["Mean over suites."]
    family = [row for row in rows_of("suite", *seeds("lstm", "s", "10", "11")) if row.is_family]
    assert suite_notes(family) == ["Share of items on which a suite's predictions hold."]


@pytest.mark.parametrize("level", ["circuit", "model"])
def test_nothing_is_said_of_what_has_no_score(level: Level) -> None:
    (row,) = rows_of(level, record("m", "s", "--"))
    assert math.isnan(row.accuracy)
    assert mean_notes([row]) == []
