"""Accuracy against complexity for people."""

from tests.analysis.records import record
from tests.report.printed import cells

from pommel.analysis.complexity import Complexity, SuiteComplexity, SuiteDifferences

SHARES = {"a": (0.5, 0.75), "b": (0.25, 0.5), "c": (0.5, 0.25)}
RECORDS = [
    record(model, suite, share=share, size_family="F")
    for suite, own in SHARES.items()
    for model, share in zip(("m", "n"), own, strict=True)
]
SUITES = [
    SuiteComplexity(suite=("", suite), series="verb", complexity=value)
    for suite, value in (("a", 0), ("b", 1), ("c", 1))
]


def test_models_by_themselves() -> None:
    (table,) = Complexity.of_complexities(RECORDS, SUITES).tables()
    assert cells(table) == [
        ["models", "0", "1", "slope", "p", "Spearman", "p", "n"],
        ["m", "0.50 ± - (1)", "0.38 ± 0.12 (2)", "-12.50", ".667", "-0.50", "1.000", "3"],
        ["n", "0.75 ± - (1)", "0.38 ± 0.12 (2)", "-37.50", ".333", "-0.87", ".667", "3"],
    ]
    assert table.title == "Accuracy by complexity of intervening material: verb"
    assert table.caption == (
        "Mean ± standard error of the mean over suites (n). Slope: percentage points per unit of "
        "complexity, over the same n suites throughout."
    )


def test_the_mean_over_a_family() -> None:
    (table,) = Complexity.of_complexities(RECORDS, SUITES, pooling="family").tables()
    assert cells(table)[1][:3] == ["F", "0.62 ± 0.12 (2)", "0.38 ± 0.00 (2)"]
    assert cells(table)[1][-1] == "2"
    assert "mean over models (n)" in str(table.caption)


def test_a_model_without_a_suite_has_a_dash() -> None:
    records = [*RECORDS, record("o", "a", share=0.5)]
    (table,) = Complexity.of_complexities(records, SUITES).tables()
    assert cells(table)[3][:4] == ["o", "0.50 ± - (1)", "-", "-"]


def test_differences() -> None:
    table = SuiteDifferences.of(RECORDS, "b", "a").tables()[0]
    assert cells(table) == [
        ["models", "n", "difference", "standard error", "95% interval", "p"],
        ["m", "1", "-0.250", "-", "-", ""],
        ["n", "1", "-0.250", "-", "-", ""],
        ["all models", "2", "-0.250", "0.000", "-", ".500"],
    ]
    assert table.title == "Accuracy on b, less that on a"
