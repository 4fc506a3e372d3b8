"""By how much models are better on one suite than on another."""

import math
from pathlib import Path

import pytest
from tests.analysis.published_accuracies import multilingual_records
from tests.analysis.records import record, seeds

from pommel.analysis.complexity import SuiteDifferences
from pommel.analysis.models_compared import without_models
from pommel.errors import UsageError
from pommel.scoring.run_record import RunRecord


def scored(shares: dict[str, float], model: str = "m") -> list[RunRecord]:
    return [record(model, suite, share=share) for suite, share in shares.items()]


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


def test_seeds_that_have_one_of_the_two_suites_are_left_out() -> None:
    records = [
        *seeds("l", "a", "11", "00"),
        *seeds("l", "b", "10"),
        *scored({"c": 1.0}, "l/seed-1"),
    ]
    (found,) = SuiteDifferences.of(records, "a", "b").rows
    assert found.difference == 0.5


def test_a_suite_that_there_is_not() -> None:
    with pytest.raises(UsageError) as caught:
        SuiteDifferences.of(scored({"number": 0.5}), "number", "numbers")
    assert str(caught.value) == "no run is on the suite 'numbers'; did you mean 'number'?"


def test_the_table() -> None:
    frame = SuiteDifferences.of(scored({"a": 0.5, "b": 0.7}), "a", "b").frame()
    assert list(frame.columns) == [
        "models",
        "suite",
        "other_suite",
        "n_models",
        "difference",
        "standard_error",
        "low",
        "high",
        "p",
    ]
    assert frame["difference"].tolist() == pytest.approx([-0.2])
