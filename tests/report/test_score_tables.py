"""What tables of scores for papers say of their intervals."""

from tests.analysis.records import record
from tests.report.test_text_tables import latex, two_models


def test_of_several_suites_that_each_model_ran_one_of_no_mean_is_named() -> None:
    table = latex([record("a", "s", "1100"), record("b", "t", "1110")])
    assert table.rows[-1] == [
        *("all suites", "SG score", ""),
        *("0.50 [0.15, 0.85]", "0.75 [0.30, 0.95]"),
    ]
    assert "stratified" not in table.caption
    assert "Of one suite: its own score and interval." in table.caption


def test_the_score_on_one_suite_has_wilsons_interval() -> None:
    table = latex([record("m", "s", "1100", circuit="c")], "circuits")
    assert table.rows[1] == ["m", "0.50", "0.50 [0.15, 0.85]"]
    assert table.caption == (
        "SG scores (all predictions of a suite hold). Share of items on which a suite's "
        "predictions hold. SG score of one suite: share of items [95% Wilson interval]."
    )
    assert latex(two_models(), "circuits").caption == (
        "SG scores (all predictions of a suite hold). Means over suites of the share of items on "
        "which a suite's predictions hold. SG score: mean over all suites [95% stratified score "
        "interval]; every suite counts alike. Bold: the best."
    )
