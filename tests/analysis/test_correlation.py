"""Accuracy against properties of languages and models, and models against others."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.analysis.records import given_table, record, seeds
from tests.report.printed import cells

from pommel.analysis.correlation import CorrelationAsked, PropertyCorrelations
from pommel.errors import UsageError
from pommel.scoring.run_record import RunRecord

VALUES = {"de": 1.0, "en": 2.0, "fr": 3.0}


def by_models(result: PropertyCorrelations) -> dict[str, float]:
    return {each.models: each.value for each in result.correlations}


def scored(shares: dict[tuple[str, str], float], model: str = "m", **facts: Any) -> list[RunRecord]:
    """Return records by language and suite."""
    return [
        record(model, suite, share=share, language=language, **facts)
        for (language, suite), share in shares.items()
    ]


def test_languages_without_a_number_or_without_a_run_are_told() -> None:
    records = scored({("de", "s"): 0.5, ("en", "s"): 0.6, ("he", "s"): 0.7, ("fr", "s"): 0.8})
    result = CorrelationAsked().with_numbers(
        records, given_table({**VALUES, "fr": math.nan, "ru": 4.0})
    )
    assert result.without_value == ("fr", "he")
    assert result.without_accuracy == ("ru",)
    assert [each.key for each in result.pairs] == ["de", "en"]
    assert result.correlations[0].n == 2


def test_models_are_correlated_each_or_in_the_mean() -> None:
    up = {("de", "s"): 0.5, ("en", "s"): 0.6, ("fr", "s"): 0.7}
    down = {("de", "s"): 0.9, ("en", "s"): 0.6, ("fr", "s"): 0.3}
    records = [*scored(up, "a", size_family="F"), *scored(down, "b", size_family="F")]
    assert by_models(CorrelationAsked().with_numbers(records, given_table(VALUES))) == {
        "a": 1.0,
        "b": -1.0,
    }
    pooled = CorrelationAsked(pooling="family").with_numbers(records, given_table(VALUES))
    assert by_models(pooled) == {"F": -1.0}
    assert [each.accuracy for each in pooled.pairs] == pytest.approx([0.7, 0.6, 0.5])
    assert [each.n_models for each in pooled.pairs] == [2, 2, 2]


def test_common_suites_of_several_models_are_those_of_all() -> None:
    records = [
        *scored({("de", "s"): 0.5, ("de", "t"): 0.9, ("en", "s"): 0.6, ("en", "t"): 0.9}, "a"),
        *scored({("de", "s"): 0.7, ("en", "s"): 0.8, ("en", "t"): 0.1}, "b"),
    ]
    result = CorrelationAsked(pooling="all", common_suites=True).with_numbers(
        records, given_table(VALUES)
    )
    assert [each.accuracy for each in result.pairs] == pytest.approx([0.6, 0.7])
    uneven = CorrelationAsked(pooling="all").with_numbers(records, given_table(VALUES))
    assert uneven.uneven == ("all models",)
    assert [each.accuracy for each in uneven.pairs] == pytest.approx([0.7, 0.6])


def test_without_a_suite_in_common_nothing_is_left() -> None:
    records = scored({("de", "s"): 0.5, ("en", "t"): 0.6})
    result = CorrelationAsked(common_suites=True).with_numbers(records, given_table(VALUES))
    assert result.pairs == ()
    assert result.correlations[0].n == 0


def test_suites_circuits_and_groups_have_properties_too() -> None:
    records = [
        record("m", "s", share=0.5, circuit="c", group="x"),
        record("m", "t", share=0.7, circuit="c", group="y"),
        record("m", "u", share=0.9, circuit="d", group="y"),
    ]
    pairs = {
        level: {
            each.key: each.accuracy
            for each in CorrelationAsked(level=level)
            .with_numbers(records, given_table(dict.fromkeys("stucdxy", 1.0)))
            .pairs
        }
        for level in ("suite", "circuit", "group")
    }
    assert pairs["suite"] == {"s": 0.5, "t": 0.7, "u": 0.9}
    assert pairs["circuit"] == pytest.approx({"c": 0.6, "d": 0.9})
    assert pairs["group"] == pytest.approx({"x": 0.5, "y": 0.8})


def test_models_have_properties_and_seeds_are_one_model() -> None:
    records = [
        *seeds("lstm", "s", "1100", "1110"),
        record("a", "s", "1000"),
        record("b", "s", "1111"),
        record("b", "t", "0000"),
    ]
    values = {"lstm": 2.0, "a": 1.0, "b": 3.0}
    result = CorrelationAsked(level="model").with_numbers(records, given_table(values))
    assert by_models(result) == {"all suites": 0.5}
    assert {each.key: each.accuracy for each in result.pairs} == {
        "lstm": 0.625,
        "a": 0.25,
        "b": 0.5,
    }
    assert result.uneven == ("all suites",)
    common = CorrelationAsked(level="model", common_suites=True).with_numbers(
        records, given_table(values)
    )
    assert by_models(common) == {"all suites": 1.0}


def test_pearson_may_be_asked_for() -> None:
    from scipy.stats import pearsonr

    records = scored({("de", "s"): 0.5, ("en", "s"): 0.9, ("fr", "s"): 0.8})
    (found,) = (
        CorrelationAsked(coefficient="pearson")
        .with_numbers(records, given_table(VALUES))
        .correlations
    )
    expected = pearsonr([1, 2, 3], [0.5, 0.9, 0.8])
    assert (found.coefficient, found.n) == ("pearson", 3)
    assert found.value == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 8)), min_size=10, max_size=14))
def test_spearman_is_that_of_scipy(points: list[tuple[int, int]]) -> None:
    from scipy.stats import spearmanr

    x, y = zip(*points, strict=True)
    records = scored({(f"l{i}", "s"): share / 8 for i, share in enumerate(y)})
    values = {f"l{i}": float(value) for i, value in enumerate(x)}
    (found,) = CorrelationAsked().with_numbers(records, given_table(values)).correlations
    assert found.n == len(points)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert math.isnan(found.value)
        return
    expected = spearmanr(x, y)
    assert found.value == pytest.approx(expected.statistic, abs=1e-12)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)


def test_what_cannot_be_asked_for() -> None:
    records = scored({("de", "s"): 0.5, ("en", "s"): 0.9})
    with pytest.raises(UsageError) as caught:
        CorrelationAsked(exclude=("dee",)).with_numbers(records, given_table(VALUES))
    assert str(caught.value) == "there is no language 'dee' to leave out; did you mean 'de'?"
    with pytest.raises(UsageError) as caught:
        CorrelationAsked(exclude=("ru",)).with_numbers(records, given_table(VALUES))
    assert str(caught.value) == "there is no language 'ru' to leave out; there are de, en"
    with pytest.raises(UsageError) as caught:
        CorrelationAsked(level="circuit", common_suites=True).with_numbers(
            records, given_table(VALUES)
        )
    assert str(caught.value) == (
        "a suite is in one circuit alone; common suites are those of languages or models"
    )


def test_the_tables() -> None:
    records = scored({("de", "s"): 0.5, ("en", "s"): 0.9})
    result = CorrelationAsked().with_numbers(records, given_table(VALUES))
    assert " ".join(result.frame().columns) == "models level coefficient n value p p_method average"
    assert replace(result, asked=replace(result.asked, table="pairs")).frame().to_dict("records")[
        0
    ] == {
        "models": "m",
        "level": "language",
        "key": "de",
        "value": 1.0,
        "accuracy": 0.5,
        "n_suites": 1,
        "n_models": 1,
        "average": "suites",
    }


def test_items_of_several_suites_may_be_pooled() -> None:
    counts = {("de", "s"): "1110", ("de", "t"): "01", ("en", "s"): "1000", ("fr", "s"): "1"}
    records = [
        record("m", suite, holds, language=language) for (language, suite), holds in counts.items()
    ]
    found = CorrelationAsked(average="items").with_numbers(records, given_table(VALUES))
    assert {each.key: each.accuracy for each in found.pairs} == {
        "de": pytest.approx(4 / 6),
        "en": 0.25,
        "fr": 1.0,
    }
    assert found.frame()["average"].tolist() == ["items"]
    assert "Of several suites: all items together" in str(found.tables()[0].caption)


RECORDS = [
    record(model, "s", share=share, language=language)
    for model, shares in {"m": (0.5, 0.6, 0.7), "n": (0.9, 0.8)}.items()
    for language, share in zip(("de", "en", "fr"), shares, strict=False)
]
RESULT = CorrelationAsked().with_numbers(
    RECORDS, given_table({"fr": 0.25, "de": 1.0, "en": 2.0}, "C_WALS")
)


def test_languages_stand_in_the_order_of_their_numbers() -> None:
    table = RESULT.tables()[0]
    assert cells(table) == [
        ["models", "fr (0.25)", "de (1)", "en (2)", "Spearman", "p", "n"],
        ["m", "0.70", "0.50", "0.60", "-0.50", "1.000 exact", "3"],
        ["n", "-", "0.90", "0.80", "-1.00", "1.000 exact", "2"],
    ]
    assert table.title == "Mean accuracy by language, and C_WALS"
    assert table.caption == (
        "Of several suites: their mean, every suite counts alike.\nn: how many languages."
    )


def test_many_keys_are_not_shown() -> None:
    records = [record("m", f"s{i}", share=i / 10) for i in range(9)]
    result = CorrelationAsked(level="suite").with_numbers(
        records, given_table({f"s{i}": i for i in range(9)}, "length")
    )
    table = result.tables()[0]
    assert cells(table) == [["models", "Spearman", "p", "n"], ["m", "1.00", "< .001 exact", "9"]]
    assert table.caption == "n: how many suites. --table pairs has each."


def test_pairs_one_by_one() -> None:
    assert cells(replace(RESULT, asked=replace(RESULT.asked, table="pairs")).tables()[0])[:2] == [
        ["models", "language", "C_WALS", "accuracy", "suites", "models averaged"],
        ["m", "de", "1", "0.500", "1", "1"],
    ]
