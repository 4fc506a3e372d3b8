"""Paths through training for people."""

from dataclasses import replace

from tests.analysis.records import record, seed
from tests.report.printed import cells

from pommel.analysis.accuracy import Settings
from pommel.analysis.training import Training


def followed() -> Training:
    """Return two suites at two steps, and one at another family's epochs."""
    steps = {("s", 100): 10, ("s", 2000): 20, ("t", 100): 5, ("t", 2000): 0}
    records = [
        record(f"p/{n}", suite, "1" * held + "0" * (20 - held), member=seed(n, "p", "step"))
        for (suite, n), held in steps.items()
    ]
    records += [record("e/1", "s", "10", member=seed(1, "e", "epoch"))]
    return Training.of(records, settings=Settings(n_resamples=99))


def test_one_table_a_family_and_one_row_a_suite() -> None:
    steps, epochs = followed().tables()
    assert cells(steps) == [
        [
            "suite",
            "steps",
            "first (step)",
            "final (step)",
            "above chance from",
            "90% of final from",
            "Spearman",
            "p",
        ],
        ["s", "2", "0.50 (100)", "1.00 (2000)", "2000", "2000", "1.00", "1.000"],
        ["t", "2", "0.25 (100)", "0.00 (2000)", "-", "-", "-1.00", "1.000"],
    ]
    assert steps.title == "p by step: accuracy on the way"
    assert cells(epochs)[0][:3] == ["suite", "epochs", "first (epoch)"]
    assert cells(epochs)[1][-2:] == ["-", ""]


def test_where_nobody_knows_chance_no_step_is_above_it() -> None:
    records = [
        record(f"p/{n}", "s", "1" * 20, formulas=[""], member=seed(n, "p", "step")) for n in (1, 2)
    ]
    (table,) = Training.of(records, settings=Settings(n_resamples=99)).tables()
    assert cells(table)[1][4] == "unknown"
    assert "p < .05, from there on at every step. Where chance is unknown" in str(table.caption)


def test_one_row_a_step_and_one_column_a_suite() -> None:
    steps, _ = replace(followed(), table="points").tables()
    assert cells(steps) == [
        ["step", "s", "t"],
        ["100", "0.50 [0.30, 0.70]", "0.25 [0.11, 0.47]"],
        ["2000", "1.00 [0.84, 1.00]", "0.00 [0.00, 0.16]"],
    ]
