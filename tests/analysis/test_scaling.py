"""Slopes of accuracy against size."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from tests.analysis.published_accuracies import multilingual_records
from tests.analysis.records import record, seed
from tests.report.printed import cells

from pommel.analysis.models_compared import ModelsCompared, without_models
from pommel.analysis.scaling import AVERAGE, ScalingAsked
from pommel.errors import UsageError
from pommel.scoring.run_record import RunRecord

BILLION = 10**9


def sized(name: str, billions: float, share: float, suite: str = "s", **facts: object) -> RunRecord:
    return record(
        name,
        suite,
        share=share,
        **{"n_parameters": round(billions * BILLION), "size_family": "F", **facts},  # type: ignore[arg-type]
    )


@pytest.fixture
def multilingual(shared_data: Path) -> list[RunRecord]:
    """The accuracies of Kryvosheieva and Levy (2025)."""
    return multilingual_records(shared_data)


def test_averages_are_means_of_slopes_as_they_are_not_of_rounded_ones(
    multilingual: list[RunRecord],
) -> None:
    globs = {"mGPT": ["mGPT-*"], "BLOOM": ["bloom*"], "XGLM": ["xglm-*"], "XLM-R": ["xlmr-*"]}
    records = ModelsCompared.with_size_families(without_models(multilingual, ["xglm-4.5B"]), globs)
    own = [
        each for each in ScalingAsked().answer(records).slopes if each.name == "basque-S-IO_S_V_AUX"
    ]
    *slopes, average = (each.slope_percent for each in own)
    assert f"{sum(slopes) / 4:.3f}" == f"{average:.3f}" == "0.553"
    assert round(sum(round(slope, 3) for slope in slopes) / 4, 4) == 0.5525


@given(
    st.lists(
        st.tuples(st.integers(1, 10**12), st.floats(0, 1)),
        min_size=3,
        max_size=8,
        unique_by=lambda x: x[0],
    )
)
def test_slopes_are_those_of_polyfit(points: list[tuple[int, float]]) -> None:
    sizes = np.array([n for n, _ in points], dtype=np.float64)
    assume(np.ptp(sizes) / sizes.max() > 1e-3)
    records = [
        record(str(i), "s", share=share, n_parameters=n, size_family="F")
        for i, (n, share) in enumerate(points)
    ]
    accuracies = 100 * np.array([share for _, share in points])
    for scale, x in (("linear", sizes / BILLION), ("log", np.log10(sizes))):
        slope, intercept = np.polyfit(x, accuracies, 1)
        found = ScalingAsked(scale=scale).answer(records).slopes[0]  # type: ignore[arg-type]
        allowed = 1e-6 * (100 / np.ptp(x) + abs(slope))
        assert found.slope_percent == pytest.approx(slope, abs=allowed)
        assert found.intercept_percent == pytest.approx(
            intercept, abs=1e-6 * (100 + abs(slope) * x.max()) + 1e-6
        )


def test_the_parts_of_a_slope_are_those_of_scipy() -> None:
    from scipy.stats import linregress

    x, y = [1, 2, 4, 8], [0.5, 0.625, 0.75, 0.7]
    (found, _) = (
        ScalingAsked()
        .answer([sized(str(b), b, share) for b, share in zip(x, y, strict=True)])
        .slopes
    )
    fit = linregress(x, [100 * share for share in y])
    assert (found.n_models, found.n_families, found.level, found.name) == (4, 1, "suite", "s")
    assert found.slope_percent == pytest.approx(fit.slope)
    assert found.r == pytest.approx(fit.rvalue)
    assert found.p == pytest.approx(fit.pvalue)
    assert found.standard_error_percent == pytest.approx(fit.stderr)


def test_a_model_that_lacks_a_suite_is_not_in_its_slope_nor_in_its_circuits() -> None:
    records = [
        sized(name, billions, 0.1 * billions, suite, circuit="c")
        for name, billions in (("a", 1), ("b", 2), ("c", 4))
        for suite in ("s", "t")
        if (name, suite) != ("c", "t")
    ]
    n_models = {
        each.name: each.n_models
        for each in ScalingAsked().answer(records).slopes
        if each.family == "F"
    }
    assert n_models == {"s": 3, "t": 2}
    (circuit, _) = ScalingAsked(level="circuit").answer(records).slopes
    assert (circuit.n_models, circuit.slope_percent) == pytest.approx((2, 10))
    points = ScalingAsked(level="circuit").answer(records).points
    assert [math.isnan(each.accuracy) for each in points] == [False, False, True]


def test_one_run_of_another_suite_takes_nothing_away() -> None:
    records = [
        sized(name, billions, 0.1 * billions, suite, circuit="c")
        for name, billions in (("a", 1), ("b", 2), ("c", 4))
        for suite in ("s", "t")
    ]
    alone, own = record("m", "u", share=0.5, circuit="c"), sized("a", 1, 0.9, "v", circuit="c")
    for level in ("circuit", "all"):
        for extra in ([], [alone], [alone, own]):
            result = ScalingAsked(level=level).answer([*records, *extra])
            found, average = result.slopes
            assert (found.n_models, found.n_suites, found.slope_percent) == pytest.approx(
                (3, 2, 10)
            )
            assert average.n_suites == 2
    assert result.notes == ("F, all suites: without v, which not all of the models have",)


def test_a_model_that_lacks_many_suites_is_left_out_and_named() -> None:
    records = [
        sized(name, billions, 0.5, suite)
        for name, billions in (("a", 1), ("b", 2), ("c", 4))
        for suite in "stuv"
        if name != "b" or suite == "s"
    ]
    result = ScalingAsked(level="all").answer(records)
    assert (result.slopes[0].n_models, result.slopes[0].n_suites) == (2, 4)
    assert result.notes == (
        "F, all suites: without b, since suites are missing there that others have",
    )


def test_seeds_that_lack_a_suite_are_in_no_mean_over_it() -> None:
    seeds = [
        sized(f"small/{n}", 1, share, suite, member=seed(n, "small"))
        for n, suite, share in ((1, "s", 1.0), (1, "t", 0.0), (2, "s", 0.0))
    ]
    records = [*seeds, sized("big", 3, 1.0, "s"), sized("big", 3, 1.0, "t")]
    result = ScalingAsked(level="all").answer(records)
    assert [(each.n_members, each.accuracy) for each in result.points] == [(1, 0.5), (1, 1.0)]
    assert result.notes == (
        (
            "F, all suites: small without small/2, since suites are missing there that its other "
            "seeds have"
        ),
    )


def test_seeds_count_once_with_their_mean() -> None:
    small = [
        sized(f"small/{n}", 1, share, member=seed(n, "small")) for n, share in ((1, 0.2), (2, 0.4))
    ]
    result = ScalingAsked().answer([*small, sized("big", 2, 0.5)])
    assert [(each.model_name, each.n_members) for each in result.points] == [
        ("small", 2),
        ("big", 1),
    ]
    assert [each.accuracy for each in result.points] == pytest.approx([0.3, 0.5])
    assert (result.slopes[0].n_models, result.slopes[0].slope_percent) == pytest.approx((2, 20))


def test_a_family_of_one_size_has_no_slope_and_is_not_in_the_average() -> None:
    records = [
        sized("a", 1, 0.5),
        sized("b", 2, 0.6),
        sized("c", 3, 0.6, size_family="G"),
        sized("d", 3, 0.7, size_family="G"),
    ]
    f, g, average = ScalingAsked().answer(records).slopes
    assert (f.family, f.n_models) == ("F", 2)
    assert f.slope_percent == pytest.approx(10)
    assert (g.family, g.n_models) == ("G", 2)
    assert math.isnan(g.slope_percent)
    assert (average.family, average.n_families, average.n_models) == (AVERAGE, 1, 2)
    assert average.slope_percent == f.slope_percent
    assert math.isnan(average.r)


def test_models_without_a_family_or_a_size_are_told() -> None:
    records = [
        sized("a", 1, 0.5),
        sized("human", 1, 0.9, size_family="", n_parameters=None),
        sized("b", 1, 0.9, n_parameters=None),
        sized("c", 0, 0.9),
    ]
    result = ScalingAsked(scale="log").answer(records)
    assert result.without_family == ("human",)
    assert result.without_size == ("b", "c")
    assert [each.model_name for each in result.points] == ["a"]
    assert ScalingAsked().answer(records[1:]).slopes == ()


def test_one_model_run_in_two_ways_may_not_count_twice() -> None:
    records = [sized("a", 1, 0.5), sized("a", 1, 0.6, rule="first"), sized("b", 2, 0.5)]
    with pytest.raises(UsageError, match=r"^a would count 2 times \(score=all, score=first\)"):
        ScalingAsked().answer(records)


def test_the_tables() -> None:
    result = ScalingAsked(level="all").answer([sized("a", 1, 0.5), sized("b", 2, 0.6)])
    slopes = result.frame()
    assert " ".join(slopes.columns) == (
        "family level name scale n_families n_models slope_percent intercept_percent r p "
        "standard_error_percent n_suites average"
    )
    assert slopes["family"].tolist() == ["F", "Average"]
    assert slopes["name"].tolist() == ["all suites", "all suites"]
    points = replace(result, asked=replace(result.asked, table="points")).frame()
    assert points.to_dict("records")[1] == {
        "family": "F",
        "model_name": "b",
        "n_parameters": 2 * BILLION,
        "n_members": 1,
        "level": "all",
        "name": "all suites",
        "accuracy": 0.6,
        "n_suites": 1,
        "average": "suites",
    }


def test_items_of_several_suites_may_be_pooled() -> None:
    facts: dict[str, Any] = {"n_parameters": BILLION, "size_family": "F"}
    shares = (("a/seed-1", "1110", "01"), ("a/seed-2", "1000", "11"))
    records = [
        record(name, suite, holds, member=seed(n, "a"), **facts)
        for n, (name, *own) in enumerate(shares, 1)
        for suite, holds in zip("st", own, strict=True)
    ]
    facts["n_parameters"] = 2 * BILLION
    records += [record("b", suite, share=0.5, **facts) for suite in "st"]
    result = ScalingAsked(level="all", average="items", table="points").answer(records)
    first, second = result.points
    assert first.accuracy == pytest.approx((4 / 6 + 3 / 6) / 2)
    assert first.average == "items"
    assert math.isnan(second.accuracy)
    assert "all items together, every item counts alike" in str(result.tables()[0].caption)


def models() -> list[RunRecord]:
    """Return two families; the biggest model of the first one lacks a suite."""
    shares = {"a": (1, 0.5, 0.2), "b": (2, 0.625, 0.3), "c": (4, 0.75, None)}
    found = [
        record(name, suite, share=share, n_parameters=size * BILLION, size_family="F")
        for name, (size, *own) in shares.items()
        for suite, share in zip("st", own, strict=True)
        if share is not None
    ]
    return [*found, record("d", "s", share=0.5, n_parameters=BILLION, size_family="G")]


def test_a_slope_of_fewer_models_says_of_how_many() -> None:
    table = ScalingAsked().answer(models()).tables()[0]
    assert cells(table) == [
        ["suite", "F (n = 3)", "G (n = 1)", "Average"],
        ["s", "8.036", "-", "8.036"],
        ["t", "10.000 (n = 2)", "- (n = 0)", "10.000"],
    ]
    assert table.title == "Accuracy against size: percentage points per billion parameters"
    assert str(table.caption).endswith("--format csv has r, p and the standard error.")


def test_the_title_says_what_the_slope_is_per() -> None:
    table = ScalingAsked(scale="log").answer(models()).tables()[0]
    assert table.title == "Accuracy against size: percentage points per power of ten of parameters"


def test_models_from_the_smallest_on() -> None:
    records = models()
    assert cells(ScalingAsked(table="points").answer([*records[2:], *records[:2]]).tables()[0]) == [
        ["family", "model", "parameters", "s", "t"],
        ["F", "a", "1,000,000,000", "0.50", "0.20"],
        ["F", "b", "2,000,000,000", "0.62", "0.30"],
        ["F", "c", "4,000,000,000", "0.75", "-"],
        ["G", "d", "1,000,000,000", "0.50", "-"],
    ]


def test_suites_without_a_circuit_are_called_so() -> None:
    table = ScalingAsked(level="circuit").answer(models()).tables()[0]
    assert cells(table)[1][0] == "(none)"
