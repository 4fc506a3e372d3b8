"""Accuracy along the steps of a training."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.analysis.records import record, seed
from tests.report.printed import cells

from pommel.analysis.training import Training, TrainingAsked, TrainingPath
from pommel.errors import UsageError
from pommel.scoring.run_record import RunRecord
from pommel.statistics import Interval, binomial_p


def step(number: int, holds: str, suite: str = "s", **facts: Any) -> RunRecord:
    member = seed(number, "p", "step")
    return record(f"p/step-{number}", suite, holds, member=member, **facts)


def shares(*counts: int, n_items: int = 20) -> list[RunRecord]:
    """Return steps 100, 200 ... on which so many items hold."""
    return [step(100 * i, "1" * n + "0" * (n_items - n)) for i, n in enumerate(counts, 1)]


def followed(records: list[RunRecord], **chosen: Any) -> Training:
    return TrainingAsked(**chosen).answer(records)


def only_path(records: list[RunRecord], **chosen: Any) -> TrainingPath:
    (path,) = followed(records, **chosen).paths
    return path


def test_points_come_in_the_order_of_training_with_their_intervals() -> None:
    points = followed([step(1000, "1110"), step(90, "1-00"), step(200, "1100")]).points
    assert [(each.member, each.axis_value, each.accuracy) for each in points] == [
        ("step-90", 90, 1 / 3),
        ("step-200", 200, 0.5),
        ("step-1000", 1000, 0.75),
    ]
    interval = Interval.of_share(3, 4)
    assert (points[2].low, points[2].high) == (interval.low, interval.high)
    assert (points[0].n_items, points[0].n_holding) == (3, 1)
    assert points[2].p_above == pytest.approx(binomial_p(3, 4))


def test_nothing_is_drawn_at_random(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("numpy.random.default_rng")
    assert len(followed(shares(10, 14, 15), level="all").points) == 3


def test_points_are_made_where_they_are_looked_at() -> None:
    """Of 1,000 checkpoints on 200 suites there are 200,000."""
    found = followed(shares(10, 14, 15))
    assert (len(found.frame()), len(found.tables())) == (1, 1)
    assert "points" not in vars(found)
    assert len(followed(shares(10, 14, 15), table="points").frame()) == 3


def test_models_that_are_no_steps_are_passed_over() -> None:
    records = [record("m", "s", "10"), record("l/seed-1", "s", "10", member=seed(1))]
    found = followed(records)
    assert (found.points, found.paths, found.without_step, found.incomplete) == ((), (), (), ())


@pytest.mark.parametrize(
    ("counts", "first"),
    [
        # Of 20 items, 15 are significantly above chance and 14 are not.
        ((10, 14, 15, 20), 300),
        ((15, 14, 15, 20), 300),
        ((15, 15, 15, 15), 100),
        ((20, 20, 20, 14), math.nan),
    ],
)
def test_above_chance_means_from_there_on(counts: tuple[int, ...], first: float) -> None:
    found = only_path(shares(*counts)).above_chance_from
    assert found == pytest.approx(first, nan_ok=True)


def test_chance_may_be_another() -> None:
    records = shares(10, 14, 15)
    assert only_path(records).above_chance_from == 300
    quarter = TrainingAsked(chance=0.25).answer(records)
    assert quarter.paths[0].above_chance_from == 100


@pytest.mark.parametrize(
    ("counts", "percent", "first"),
    [
        ((5, 9, 10), 90, 200),
        ((9, 5, 10), 90, 300),
        ((5, 9, 10), 50, 100),
        ((5, 9, 10), 100, 300),
        ((20, 10), 90, 100),
        ((5, 0), 90, math.nan),
    ],
)
def test_the_step_that_has_most_of_the_final_accuracy(
    counts: tuple[int, ...], percent: float, first: float
) -> None:
    path = only_path(shares(*counts), reach_percent=percent)
    assert path.reached_from == pytest.approx(first, nan_ok=True)
    assert path.reach_percent == percent


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.floats(1, 100))
def test_from_the_step_that_is_named_on_there_is_no_way_back(
    counts: list[int], percent: float
) -> None:
    records = shares(*counts, n_items=30)
    path = only_path(records, reach_percent=percent)
    goal = counts[-1] / 30 * percent / 100
    low = [100 * i for i, count in enumerate(counts, 1) if count / 30 < goal - 1e-9]
    if counts[-1] == 0:
        assert math.isnan(path.reached_from)
    else:
        assert path.reached_from == max(low, default=0) + 100
    weak = [100 * i for i, count in enumerate(counts, 1) if not binomial_p(count, 30) < 0.05]
    expected = max(weak, default=0) + 100
    assert path.above_chance_from == pytest.approx(
        math.nan if expected > 100 * len(counts) else expected, nan_ok=True
    )


def test_a_path_is_what_scipy_says_of_it() -> None:
    from scipy.stats import spearmanr

    path = only_path(shares(5, 4, 9, 9, 15))
    assert (path.n_steps, path.first_step, path.last_step) == (5, 100, 500)
    assert (path.first_accuracy, path.final_accuracy) == (0.25, 0.75)
    assert path.rho == pytest.approx(spearmanr([1, 2, 3, 4, 5], [5, 4, 9, 9, 15]).statistic)
    assert 0 < path.rho_p < 0.2


def test_one_step_is_no_path_to_correlate() -> None:
    path = only_path(shares(20))
    assert (path.n_steps, path.above_chance_from, path.reached_from) == (1, 100, 100)
    assert math.isnan(path.rho)


def test_circuits_are_means_over_suites_with_an_interval_of_their_own() -> None:
    records = [
        step(n, holds, suite, circuit="c")
        for n, suite, holds in ((1, "s", "1100"), (1, "t", "11"), (2, "s", "1111"), (2, "t", "10"))
    ]
    first, second = followed(records, level="circuit").points
    assert (first.name, first.accuracy, first.n_items) == ("c", 0.75, 6)
    assert (second.accuracy, second.n_holding) == (0.75, 5)
    assert first.low < 0.75 < first.high
    assert first.low != Interval.of_share(4, 6).low
    assert only_path(records, level="all").name == "all suites"


def test_a_step_that_lacks_a_suite_of_a_mean_is_left_out_and_told() -> None:
    records = [step(1, "10", "s"), step(2, "11", "s"), step(1, "10", "t")]
    result = followed(records, level="all")
    assert [each.member for each in result.points] == ["step-1"]
    assert result.incomplete == ("p/step-2",)
    assert followed(records).incomplete == ()
    assert len(followed(records).points) == 3


def test_where_every_step_lacks_a_suite_there_is_no_path() -> None:
    result = followed([step(1, "10", "s"), step(2, "11", "t")], level="all")
    assert (result.points, result.paths) == ((), ())
    assert result.incomplete == ("p/step-1", "p/step-2")


def test_a_member_without_a_number_is_no_step() -> None:
    main = record(
        "p/main", "s", "11", member=replace(seed(0, "p", "step"), value=None, label="main")
    )
    result = followed([step(1, "10"), main])
    assert [each.member for each in result.points] == ["step-1"]
    assert result.without_step == ("p/main",)


def test_two_score_rules_are_two_paths() -> None:
    records = [step(n, "10", rule=rule) for n in (1, 2) for rule in ("all", "first")]
    paths = followed(records).paths
    assert [(each.family, each.n_steps) for each in paths] == [
        ("p (score=all)", 2),
        ("p (score=first)", 2),
    ]


def test_steps_of_which_only_some_were_run_in_two_ways_are_no_path() -> None:
    records = [step(1, "10"), step(1, "10", rule="first"), step(2, "10")]
    with pytest.raises(UsageError) as caught:
        followed(records)
    assert str(caught.value) == (
        "some members of p were run in several ways (score=all, score=first), others were not; "
        "say which is meant, with --run, --score or --source"
    )


def test_shares_whose_items_nobody_knows_have_no_test() -> None:
    records = [
        record(f"p/step-{n}", "s", share=share, member=seed(n, "p", "epoch"))
        for n, share in ((1, 0.5), (2, 0.9))
    ]
    result = followed(records)
    assert [each.accuracy for each in result.points] == [0.5, 0.9]
    assert (result.points[0].n_items, result.paths[0].axis) == (None, "epoch")
    assert math.isnan(result.paths[0].above_chance_from)
    assert result.paths[0].reached_from == 2
    assert (
        replace(result, asked=replace(result.asked, table="points")).frame()["n_items"].isna().all()
    )


def test_the_tables() -> None:
    result = followed(shares(10, 20))
    points = replace(result, asked=replace(result.asked, table="points")).frame()
    assert " ".join(points.columns) == (
        "family axis level name member axis_value n_items n_holding accuracy low high chance "
        "p_above average"
    )
    assert points["n_items"].tolist() == [20, 20]
    (row,) = result.frame().to_dict("records")
    assert row == pytest.approx(
        {
            "family": "p",
            "axis": "step",
            "level": "suite",
            "name": "s",
            "n_steps": 2,
            "first_step": 100,
            "last_step": 200,
            "first_accuracy": 0.5,
            "final_accuracy": 1.0,
            "above_chance_from": 200,
            "reach_percent": 90,
            "reached_from": 200,
            "rho": 1.0,
            "rho_p": 1.0,
            "rho_p_method": "exact",
            "chance": 0.5,
            "average": "suites",
        }
    )


def two_families() -> Training:
    """Return two suites at two steps, and one at another family's epochs."""
    steps = {("s", 100): 10, ("s", 2000): 20, ("t", 100): 5, ("t", 2000): 0}
    records = [
        record(f"p/{n}", suite, "1" * held + "0" * (20 - held), member=seed(n, "p", "step"))
        for (suite, n), held in steps.items()
    ]
    records += [record("e/1", "s", "10", member=seed(1, "e", "epoch"))]
    return TrainingAsked().answer(records)


def test_one_table_a_family_and_one_row_a_suite() -> None:
    steps, epochs = two_families().tables()
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
        ["s", "2", "0.50 (100)", "1.00 (2000)", "2000", "2000", "1.00", "1.000 exact"],
        ["t", "2", "0.25 (100)", "0.00 (2000)", "-", "-", "-1.00", "1.000 exact"],
    ]
    assert steps.title == "p by step: accuracy on the way"
    assert cells(epochs)[0][:3] == ["suite", "epochs", "first (epoch)"]
    assert cells(epochs)[1][-2:] == ["-", ""]


def test_where_nobody_knows_chance_no_step_is_above_it() -> None:
    records = [
        record(f"p/{n}", "s", "1" * 20, formulas=[""], member=seed(n, "p", "step")) for n in (1, 2)
    ]
    (table,) = TrainingAsked().answer(records).tables()
    assert cells(table)[1][4] == "unknown"
    assert "p < .05, from there on at every step. Where chance is unknown" in str(table.caption)


def test_one_row_a_step_and_one_column_a_suite() -> None:
    found = two_families()
    steps, _ = replace(found, asked=replace(found.asked, table="points")).tables()
    assert cells(steps) == [
        ["step", "s", "t"],
        ["100", "0.50 [0.30, 0.70]", "0.25 [0.11, 0.47]"],
        ["2000", "1.00 [0.84, 1.00]", "0.00 [0.00, 0.16]"],
    ]
