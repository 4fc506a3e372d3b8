"""Correlations for people."""

from dataclasses import replace

from tests.analysis.records import given_table, record
from tests.report.printed import cells

from pommel.analysis.correlation import (
    ModelCorrelations,
    PropertyCorrelations,
)

RECORDS = [
    record(model, "s", share=share, language=language)
    for model, shares in {"m": (0.5, 0.6, 0.7), "n": (0.9, 0.8)}.items()
    for language, share in zip(("de", "en", "fr"), shares, strict=False)
]
RESULT = PropertyCorrelations.of(RECORDS, given_table({"fr": 0.25, "de": 1.0, "en": 2.0}, "C_WALS"))


def test_languages_stand_in_the_order_of_their_numbers() -> None:
    table = RESULT.tables()[0]
    assert cells(table) == [
        ["models", "fr (0.25)", "de (1)", "en (2)", "Spearman", "p", "n"],
        ["m", "0.70", "0.50", "0.60", "-0.50", "1.000", "3"],
        ["n", "-", "0.90", "0.80", "-1.00", "1.000", "2"],
    ]
    assert table.title == "Mean accuracy by language, and C_WALS"
    assert table.caption == "n: how many languages."


def test_many_keys_are_not_shown() -> None:
    records = [record("m", f"s{i}", share=i / 10) for i in range(9)]
    result = PropertyCorrelations.of(
        records, given_table({f"s{i}": i for i in range(9)}, "length"), level="suite"
    )
    table = result.tables()[0]
    assert cells(table) == [["models", "Spearman", "p", "n"], ["m", "1.00", "< .001", "9"]]
    assert table.caption == "n: how many suites. --table pairs has each."


def test_pairs_one_by_one() -> None:
    assert cells(replace(RESULT, table="pairs").tables()[0])[:2] == [
        ["models", "language", "C_WALS", "accuracy", "suites", "models averaged"],
        ["m", "de", "1", "0.500", "1", "1"],
    ]


def test_two_models() -> None:
    assert cells(ModelCorrelations.of(RECORDS, coefficient="pearson").tables()[0]) == [
        ["model", "other model", "Pearson", "p", "suites"],
        ["m", "n", "-1.00", "", "2"],
    ]
