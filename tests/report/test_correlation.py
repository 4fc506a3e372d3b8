"""Correlations for people."""

from tests.analysis.records import record
from tests.report.printed import cells

from pommel.analysis.correlation import (
    correlation_table,
    model_correlations,
    model_table,
    pair_table,
    property_correlations,
)

RECORDS = [
    record(model, "s", share=share, language=language)
    for model, shares in {"m": (0.5, 0.6, 0.7), "n": (0.9, 0.8)}.items()
    for language, share in zip(("de", "en", "fr"), shares, strict=False)
]
RESULT = property_correlations(RECORDS, {"fr": 0.25, "de": 1.0, "en": 2.0})


def test_languages_stand_in_the_order_of_their_numbers() -> None:
    table = correlation_table(RESULT, "C_WALS")
    assert cells(table) == [
        ["models", "fr (0.25)", "de (1)", "en (2)", "Spearman", "p", "n"],
        ["m", "0.70", "0.50", "0.60", "-0.50", "1.000", "3"],
        ["n", "-", "0.90", "0.80", "-1.00", "1.000", "2"],
    ]
    assert table.title == "Mean accuracy by language, and C_WALS"
    assert table.caption == "n: how many languages."


def test_many_keys_are_not_shown() -> None:
    records = [record("m", f"s{i}", share=i / 10) for i in range(9)]
    result = property_correlations(records, {f"s{i}": i for i in range(9)}, level="suite")
    table = correlation_table(result, "length")
    assert cells(table) == [["models", "Spearman", "p", "n"], ["m", "1.00", "< .001", "9"]]
    assert table.caption == "n: how many suites. --table pairs has each."


def test_pairs_one_by_one() -> None:
    assert cells(pair_table(RESULT.pairs, "C_WALS"))[:2] == [
        ["models", "language", "C_WALS", "accuracy", "suites", "models averaged"],
        ["m", "de", "1", "0.500", "1", "1"],
    ]


def test_two_models() -> None:
    assert cells(model_table(model_correlations(RECORDS, coefficient="pearson"))) == [
        ["model", "other model", "Pearson", "p", "suites"],
        ["m", "n", "-1.00", "", "2"],
    ]
