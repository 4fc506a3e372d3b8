"""What tables of scores for papers say of their intervals."""

from tests.analysis.records import record
from tests.report.test_text_tables import bold_of, latex, two_models

from pommel.report.text_tables import TABLES


def test_of_several_suites_that_each_model_ran_one_of_no_mean_is_named() -> None:
    table = latex([record("a", "s", "1100"), record("b", "t", "1110")])
    assert table.rows[-1] == [
        *("all suites", "SG score", ""),
        *("0.50 [0.15, 0.85] (1 of 2)", "0.75 [0.30, 0.95] (1 of 2)"),
    ]
    assert "stratified" not in table.caption
    assert "Of one suite: its own score and interval." in table.caption


def test_over_different_suites_no_model_is_the_best() -> None:
    records = [
        record("a", "s", "1100", circuit="c"),
        record("a", "t", "1110", circuit="c"),
        record("a", "u", "1110", circuit="d"),
        record("b", "s", "1111", circuit="c"),
        record("b", "u", "1100", circuit="d"),
    ]
    scores = TABLES["scores"].text(records, "md")
    # The suites, and the circuit of which both have all.
    assert [cell.split(" ")[0] for cell in bold_of(scores)] == ["1.00", "0.75", "0.75"]
    means = [
        [(cell[:4], cell.split("]")[1]) for cell in row[3:]] for row in latex(records).rows[-3:]
    ]
    assert means == [
        [("0.62", " (2 of 2)"), ("1.00", " (1 of 2)")],
        [("0.75", ""), ("0.50", "")],
        [("0.67", " (3 of 3)"), ("0.75", " (2 of 3)")],
    ]
    circuits = latex(records, "circuits")
    assert [row[:3] for row in circuits.rows[1:]] == [
        ["a", "0.62 (2 of 2)", "0.75"],
        ["b", "1.00 (1 of 2)", "0.50"],
    ]
    assert bold_of(TABLES["circuits"].text(records, "md")) == ["0.75"]
    for caption in (latex(records).caption, circuits.caption):
        assert "k of n: over k of the n suites. Models do not have the same ones" in caption
        assert "All have s, u: --suite s --suite u." in caption


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
