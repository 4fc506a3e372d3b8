"""Accuracy against the complexity of intervening material, and differences of two suites."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.analysis.published_accuracies import multilingual_records
from tests.analysis.records import record, seeds
from tests.report.printed import cells

from pommel.analysis.complexity import (
    ComplexityAsked,
    ComplexityPoint,
    SuiteComplexity,
    SuiteDifferences,
    given_complexities,
    known_complexities,
)
from pommel.analysis.models_compared import ModelsCompared, without_models
from pommel.errors import FaultyFileError, UsageError
from pommel.scoring.run_record import RunRecord
from pommel.statistics import Interval

SERIES = ("swahili-N_of_Poss_V", "swahili-N_of_Poss_D_V", "swahili-N_of_Poss_D_A_V")


def known(value: float, suite: str, series: str = "x") -> SuiteComplexity:
    return SuiteComplexity(suite=("", suite), series=series, complexity=value)


def shown(points: tuple[ComplexityPoint, ...]) -> list[tuple[str, str, float, float]]:
    return [
        (each.models, each.series, each.complexity, round(each.accuracy, 12)) for each in points
    ]


def scored(shares: dict[str, float], model: str = "m", **facts: object) -> list[RunRecord]:
    return [record(model, suite, share=share, **facts) for suite, share in shares.items()]  # type: ignore[arg-type]


def test_suites_say_how_complex_they_are() -> None:
    records = [
        record("m", "s", "1", circuit="c", complexity=1.0, language="de"),
        record("n", "s", "1", circuit="c", complexity=1.0, language="de"),
        record("m", "t", "1", circuit="c", group="g"),
    ]
    assert known_complexities(records) == [
        SuiteComplexity(suite=("de", "s"), series="c", complexity=1.0)
    ]
    assert [each.series for each in known_complexities(records, "language")] == ["de"]
    assert [each.series for each in known_complexities(records, "none")] == [""]


def test_a_file_says_it_instead(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    records = [record("m", suite, "1", circuit="c") for suite in ("s", "t", "u")]
    path.write_text("suite,complexity\ns,0\nt,1.5\nu,\nelsewhere,3\n")
    assert given_complexities(path, records) == [known(0, "s", "c"), known(1.5, "t", "c")]
    path.write_text("series,suite,complexity\nx,s,0\ny,s,2\n")
    assert given_complexities(path, records) == [known(0, "s", "x"), known(2, "s", "y")]


def test_faults_of_such_a_file_have_a_place(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("suite,complexity\ns,high\ns,1\n")
    with pytest.raises(FaultyFileError) as caught:
        given_complexities(path, [])
    assert str(caught.value) == (
        f"{path}:2:3: 'high' is no number; write one like 0.5, and nothing where it is not known"
    )


def test_a_model_by_itself_has_means_over_suites() -> None:
    records = scored({"a": 0.5, "b": 0.7, "c": 0.3})
    result = ComplexityAsked().of_complexities(
        records, [known(0, "a"), known(0, "b"), known(1, "c")]
    )
    first, second = result.points
    assert shown((first,)) == [("m", "x", 0, 0.6)]
    assert (first.suites, first.n_suites, first.n_models) == (("a", "b"), 2, 1)
    assert first.standard_error == pytest.approx(0.1)
    assert (second.accuracy, second.n_suites) == (0.3, 1)
    assert math.isnan(second.standard_error)
    (trend,) = result.trends
    assert (trend.n_suites, trend.slope_percent) == pytest.approx((3, -30))


def test_a_family_has_means_over_models_and_those_that_lack_a_suite_are_not_in_them() -> None:
    records = [
        *scored({"a": 0.5, "b": 0.3}, "m1", size_family="F"),
        *scored({"a": 0.7, "b": 0.5}, "m2", size_family="F"),
        *scored({"a": 0.9}, "m3", size_family="F"),
        *scored({"a": 0.2, "b": 0.1}, "other"),
    ]
    result = ComplexityAsked(pooling="family").of_complexities(
        records, [known(0, "a"), known(1, "b")]
    )
    assert [(each.models, each.n_models) for each in result.points] == [
        ("F", 3),
        ("F", 2),
        ("other", 1),
        ("other", 1),
    ]
    assert [each.accuracy for each in result.points] == pytest.approx([0.7, 0.4, 0.2, 0.1])
    assert result.points[0].standard_error == pytest.approx(0.2 / math.sqrt(3))
    assert math.isnan(result.points[2].standard_error)
    # Along the series only the models that have all of it: .6 and .4.
    (family, _) = result.trends
    assert (family.n_models, family.slope_percent) == pytest.approx((2, -20))


def test_one_run_of_another_suite_takes_nothing_away() -> None:
    records = [
        *scored({"a": 0.5, "b": 0.3}, "m1", size_family="F"),
        *scored({"a": 0.7, "b": 0.5}, "m2", size_family="F"),
    ]
    suites = [known(0, "a"), known(1, "b"), known(1, "c")]
    for extra in (scored({"c": 0.9}, "alone"), scored({"c": 0.9}, "m1", size_family="F")):
        for pooling in ("family", "all"):
            result = ComplexityAsked(pooling=pooling).of_complexities([*records, *extra], suites)
            trend = result.trends[0]
            assert (trend.n_models, trend.n_suites) == (2, 2)
            assert trend.slope_percent == pytest.approx(-20)
            assert [(each.suites, each.n_models) for each in result.points][:2] == [
                (("a",), 2),
                (("b",), 2),
            ]
    assert result.notes == ("all models, x: without c, which not all of the models have",)


def test_seeds_count_once() -> None:
    records = [*seeds("lstm", "a", "11", "10"), *seeds("lstm", "b", "10", "00")]
    result = ComplexityAsked(pooling="all").of_complexities(records, [known(0, "a"), known(1, "b")])
    assert shown(result.points) == [("all models", "x", 0, 0.75), ("all models", "x", 1, 0.25)]
    assert [each.n_models for each in result.points] == [1, 1]


def test_series_are_apart_and_suites_of_no_known_complexity_are_told() -> None:
    records = scored({"a": 0.5, "b": 0.6, "c": 0.7})
    result = ComplexityAsked().of_complexities(
        records, [known(0, "b", ""), known(0, "a", "z"), known(1, "b", "z")]
    )
    assert shown(result.points) == [("m", "z", 0, 0.5), ("m", "z", 1, 0.6), ("m", "", 0, 0.6)]
    assert [(each.series, each.n_suites) for each in result.trends] == [("z", 2), ("", 1)]
    assert result.without_complexity == ("c",)


def test_a_model_without_a_series_has_a_trend_of_nothing() -> None:
    records = [*scored({"a": 0.5, "b": 0.6}), *scored({"c": 0.1}, "n")]
    result = ComplexityAsked().of_complexities(records, [known(0, "a"), known(1, "b")])
    assert [(each.models, each.n_suites) for each in result.trends] == [("m", 2), ("n", 0)]
    assert math.isnan(result.trends[1].slope_percent)


@given(st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=2, max_size=6))
def test_means_and_trends_are_those_of_scipy(shares: list[list[float]]) -> None:
    from scipy.stats import linregress, sem

    names, values = ("a", "b", "c", "d"), [0, 1, 2, 4]
    records = [
        each
        for i, own in enumerate(shares)
        for each in scored(dict(zip(names, own, strict=True)), f"m{i}")
    ]
    suites = [known(value, name) for value, name in zip(values, names, strict=True)]
    result = ComplexityAsked(pooling="all").of_complexities(records, suites)
    matrix = np.array(shares)
    assert [each.accuracy for each in result.points] == pytest.approx(matrix.mean(axis=0).tolist())
    errors = [each.standard_error for each in result.points]
    assert errors == pytest.approx(sem(matrix, axis=0).tolist(), abs=1e-12)
    fit = linregress(values, 100 * matrix.mean(axis=0))
    assert result.trends[0].slope_percent == pytest.approx(fit.slope, abs=1e-9)


def test_figure_3_of_kryvosheieva_and_levy(shared_data: Path) -> None:
    import pandas as pd

    globs = {"mGPT": ["mGPT-*"], "BLOOM": ["bloom*"], "XGLM": ["xglm-*"], "XLM-R": ["xlmr-*"]}
    records = without_models(multilingual_records(shared_data), ["human"])
    suites = [
        SuiteComplexity(suite=("swahili", name), series="verb", complexity=value)
        for value, name in enumerate(SERIES)
    ]
    points = (
        ComplexityAsked(pooling="family")
        .of_complexities(ModelsCompared.with_size_families(records, globs), suites)
        .points
    )
    table = pd.read_csv(shared_data / "multilingual" / "accuracies.csv")[1:]
    # The versions of each model in the order of the file, as the paper's figure has them.
    table["model"] = ["mGPT"] * 2 + ["BLOOM"] * 6 + ["XGLM"] * 5 + ["mbert"] + ["XLM-R"] * 4
    by_model = table.groupby("model")[list(SERIES)]
    mean, error = by_model.mean(), by_model.sem()
    assert len(points) == 15
    for each in points:
        suite = SERIES[int(each.complexity)]
        assert each.accuracy == pytest.approx(mean.loc[each.models, suite])
        expected = error.loc[each.models, suite]
        assert each.standard_error == pytest.approx(expected, nan_ok=True)
    assert {each.models: each.n_models for each in points}["mbert"] == 1


def test_the_tables() -> None:
    records = scored({"a": 0.5, "b": 0.7, "c": 0.3})
    result = ComplexityAsked().of_complexities(
        records, [known(0, "a"), known(0, "b"), known(1, "c")]
    )
    points = replace(result, asked=replace(result.asked, table="points")).frame()
    assert " ".join(points.columns) == (
        "models series complexity suites n_models n_suites accuracy standard_error average"
    )
    assert points["suites"].tolist() == ["a b", "c"]
    assert " ".join(
        replace(result, asked=replace(result.asked, table="trends")).frame().columns
    ) == (
        "models series n_models n_suites slope_percent standard_error_percent slope_p rho rho_p "
        "rho_p_method average"
    )


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
    (table,) = ComplexityAsked().of_complexities(RECORDS, SUITES).tables()
    assert cells(table) == [
        ["models", "0", "1", "slope", "p", "Spearman", "p", "n"],
        ["m", "0.50 ± - (1)", "0.38 ± 0.12 (2)", "-12.50", ".667", "-0.50", "1.000 exact", "3"],
        ["n", "0.75 ± - (1)", "0.38 ± 0.12 (2)", "-37.50", ".333", "-0.87", ".667 exact", "3"],
    ]
    assert table.title == "Accuracy by complexity of intervening material: verb"
    assert table.caption == (
        "Mean ± standard error of the mean over suites (n). Slope: percentage points per unit of "
        "complexity, over the same n suites throughout.\nOf several suites: their mean, every "
        "suite counts alike."
    )


def test_the_mean_over_a_family() -> None:
    (table,) = ComplexityAsked(pooling="family").of_complexities(RECORDS, SUITES).tables()
    assert cells(table)[1][:3] == ["F", "0.62 ± 0.12 (2)", "0.38 ± 0.00 (2)"]
    assert cells(table)[1][-1] == "2"
    assert "mean over models (n)" in str(table.caption)


def test_a_model_without_a_suite_has_a_dash() -> None:
    records = [*RECORDS, record("o", "a", share=0.5)]
    (table,) = ComplexityAsked().of_complexities(records, SUITES).tables()
    assert cells(table)[3][:4] == ["o", "0.50 ± - (1)", "-", "-"]


def test_differences() -> None:
    table = SuiteDifferences.of(RECORDS, "b", "a").tables()[0]
    assert cells(table) == [
        ["models", "n", "difference", "standard error", "95% interval", "p"],
        ["m", "1", "-0.250", "-", "-", ""],
        ["n", "1", "-0.250", "-", "-", ""],
        ["all models", "2", "-0.250", "0.000", "-", ".500 exact"],
    ]
    assert table.title == "Accuracy on b, less that on a"


def test_the_mean_difference_of_two_suites(shared_data: Path) -> None:
    records = without_models(multilingual_records(shared_data), ["human"])
    (found,) = SuiteDifferences.of(
        records, "swahili-N_of_Poss_D_V", "swahili-N_of_Poss_V", pooling="all"
    ).rows
    assert (found.models, found.n_models) == ("all models", 18)
    assert 1000 * found.difference == pytest.approx(-138.889, abs=0.0005)
    assert found.low < found.difference < found.high < 0
    assert found.p == 0.0001
    assert (found.low, found.high) == pytest.approx((-0.1685, -0.1093), abs=0.0005)


def test_differences_model_by_model_and_of_all() -> None:
    records = [
        *scored({"a": 0.5, "b": 0.3}, "m1"),
        *scored({"a": 0.7, "b": 0.6}, "m2"),
        *scored({"a": 0.9}, "m3"),
    ]
    found = SuiteDifferences.of(records, "b", "a").rows
    assert [(each.models, each.n_models) for each in found] == [
        ("m1", 1),
        ("m2", 1),
        ("m3", 0),
        ("all models", 2),
    ]
    assert [each.difference for each in found] == pytest.approx(
        [-0.2, -0.1, math.nan, -0.15], nan_ok=True
    )
    assert found[3].standard_error == pytest.approx(0.05)
    assert math.isnan(found[0].low)
    assert math.isnan(found[0].p)


@pytest.mark.parametrize(("n", "p"), [(2, 0.5), (3, 0.25), (5, 0.0625), (6, 0.03125)])
def test_a_few_models_cannot_differ_much(n: int, p: float) -> None:
    records = [
        each
        for k in range(n)
        for each in scored({"a": 0.8, "b": 0.3 + 0.01 * k * (k - 1)}, f"m{k}")
    ]
    found = SuiteDifferences.of(records, "a", "b", pooling="all").rows[-1]
    assert (found.n_models, found.p) == (n, p)
    assert math.isnan(found.low) == (n == 2)


def test_models_that_are_all_alike_have_an_interval_of_their_items() -> None:
    records = [
        record(f"m{n}", suite, holds)
        for n in range(4)
        for suite, holds in (("a", "1" * 24), ("b", "1" * 24))
    ]
    *alone, whole = SuiteDifferences.of(records, "a", "b").rows
    mee = Interval.of_means([[1.0] * 24] * 2, weights=(1, -1))
    assert {(each.low, each.high) for each in alone} == {(mee.low, mee.high)}
    assert (whole.difference, whole.p) == (0, 1)
    assert mee.low < whole.low < -0.01 < 0.01 < whole.high < mee.high


def test_the_interval_is_that_of_models_where_it_is_the_wider_one() -> None:
    records = [
        record(f"m{n}", suite, share=share, n_items=1000)
        for n in range(5)
        for suite, share in (("a", 0.5 + 0.1 * n), ("b", 0.4))
    ]
    whole = SuiteDifferences.of(records, "a", "b", pooling="all").rows[-1]
    expected = Interval.of_mean([0.1 + 0.1 * n for n in range(5)])
    assert (whole.low, whole.high) == pytest.approx((expected.low, expected.high))


def test_many_models_have_drawn_signs() -> None:
    records = [
        each
        for n in range(14)
        for each in scored({"a": 0.5 + 0.01 * n, "b": 0.4 - 0.01 * n**2 / 14}, f"m{n}")
    ]
    found = SuiteDifferences.of(records, "a", "b", pooling="all")
    assert found.rows[-1].p_method == "drawn"
    assert str(found.tables()[0].caption).endswith("turned, two-sided (drawn: 9,999 ways).")


def test_seeds_that_have_one_of_the_two_suites_are_left_out() -> None:
    records = [
        *seeds("l", "a", "11", "00"),
        *seeds("l", "b", "10"),
        *scored({"c": 1.0}, "l/seed-1"),
    ]
    result = SuiteDifferences.of(records, "a", "b")
    (found,) = result.rows
    assert found.difference == 0.5
    assert result.left_out == {
        "without suites that other seeds of the same model have": ("l/seed-2",)
    }


def test_a_suite_that_there_is_not() -> None:
    with pytest.raises(UsageError) as caught:
        SuiteDifferences.of(scored({"number": 0.5}), "number", "numbers")
    assert str(caught.value) == "no run is on the suite 'numbers'; did you mean 'number'?"


def test_the_table() -> None:
    frame = SuiteDifferences.of(scored({"a": 0.5, "b": 0.7}), "a", "b").frame()
    assert " ".join(frame.columns) == (
        "models suite other_suite n_models difference standard_error low high p p_method"
    )
    assert frame["difference"].tolist() == pytest.approx([-0.2])
