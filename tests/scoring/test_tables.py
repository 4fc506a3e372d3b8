"""The tidy tables of suites and families."""

import statistics
from typing import Any

import numpy as np
import pytest
from tests.scoring.family_results import member, scored

from pommel.files import WrittenFloat
from pommel.files.tables import frame_text
from pommel.scoring.family_scores import FamilyScore
from pommel.scoring.results import SuiteResult

SEEDS = [member(f"seed-{seed}") for seed in (1, 2, 3)]


def rows(results: list[SuiteResult], level: str = "suite") -> list[dict[str, Any]]:
    frame = FamilyScore.frame(results)
    return [row for row in WrittenFloat.of_rows(frame) if row["level"] == level]


def test_suites_say_which_member_of_which_family_a_model_is() -> None:
    frame = SuiteResult.scores_frame([scored("s", "gpt2", "11"), scored("s", SEEDS[1], "10")])
    assert frame.columns[-4:].tolist() == ["family", "axis", "member", "axis_value"]
    assert frame["axis_value"].dtype == np.float64
    single, seed = (list(row.values())[-4:] for row in WrittenFloat.of_rows(frame))
    assert single == [None] * 4
    assert seed == ["lstm", "seed", "seed-2", 2.0]
    assert frame_text(frame, "csv").splitlines()[1].endswith(",,,,")
    # Alone as beside others.
    assert SuiteResult.scores_frame([scored("s", "gpt2", "11")])["axis_value"].dtype == np.float64


def test_mean_and_standard_deviations_over_members() -> None:
    shares = (0.75, 0.5, 1.0)
    results = [
        scored("s", seed, marks, circuit="c")
        for seed, marks in zip(SEEDS, ("1110", "1100", "1111"), strict=True)
    ]
    (row,) = rows([*results, scored("s", "gpt2", "0000")])
    assert row == {
        "family": "lstm",
        "axis": "seed",
        "level": "suite",
        "circuit": "c",
        "suite": "s",
        "score_rule": "all",
        "prediction_id": "",
        "n_members": 3,
        "n_items": 4,
        "mean": 0.75,
        "sd": pytest.approx(statistics.stdev(shares)),
        "sd_population": pytest.approx(statistics.pstdev(shares)),
        "min": 0.5,
        "max": 1.0,
    }


def test_circuits_and_all_suites_are_the_spread_of_the_members_own_means() -> None:
    marks = {"a": ("11", "10"), "b": ("10", "10"), "c": ("00", "11")}
    circuits = {"a": "one", "b": "one", "c": "two"}
    results = [
        scored(suite, seed, own, circuit=circuits[suite])
        for suite, of_it in marks.items()
        for seed, own in zip(SEEDS, of_it, strict=False)
    ]
    one, two = rows(results, "circuit")
    assert [one["circuit"], one["mean"], one["n_items"]] == ["one", (0.75 + 0.5) / 2, 4]
    assert one["sd"] == pytest.approx(statistics.stdev([0.75, 0.5]))
    assert [two["circuit"], two["mean"], two["n_items"]] == ["two", 0.5, 2]
    (every,) = rows(results, "all")
    means = [(1 + 0.5 + 0) / 3, (0.5 + 0.5 + 1) / 3]
    assert every["mean"] == pytest.approx(statistics.fmean(means))
    assert every["sd"] == pytest.approx(statistics.stdev(means))
    assert [every["circuit"], every["suite"], every["n_members"]] == ["", "", 2]


def test_each_prediction_has_a_row_of_its_own() -> None:
    results = [
        scored("s", SEEDS[0], "11", "00", rule="each"),
        scored("s", SEEDS[1], "10", "01", rule="each"),
    ]
    found = [(row["prediction_id"], row["mean"], row["score_rule"]) for row in rows(results)]
    assert found == [("0", 0.75, "each"), ("1", 0.25, "each")]


def test_the_number_of_members_is_that_of_those_with_a_score() -> None:
    results = [
        scored("a", SEEDS[0], "11"),
        scored("b", SEEDS[0], "10"),
        scored("a", SEEDS[1], "10"),  # it failed on the other suite
        scored("a", SEEDS[2], "--"),  # all of its items are skipped
        scored("b", SEEDS[2], "11"),
    ]
    a, b = rows(results)
    assert [a["n_members"], a["mean"], b["n_members"], b["mean"]] == [2, 0.75, 2, 0.75]
    # A mean over other suites than the others' compares with none of them.
    (every,) = rows(results, "all")
    assert [every["n_members"], every["mean"], every["sd"]] == [1, 0.75, None]


def test_a_suite_without_predictions_has_no_mean_and_is_no_part_of_others() -> None:
    results = [scored("a", seed, "11") for seed in SEEDS] + [scored("b", seed) for seed in SEEDS]
    _, b = rows(results)
    assert [b["suite"], b["n_members"], b["mean"], b["sd"]] == ["b", 0, None, None]
    (every,) = rows(results, "all")
    assert [every["n_members"], every["mean"], every["sd"]] == [3, 1.0, 0.0]


def test_one_member_has_no_standard_deviation() -> None:
    (row,) = rows([scored("s", SEEDS[0], "10")])
    assert [row["n_members"], row["mean"], row["sd"], row["sd_population"]] == [1, 0.5, None, 0.0]


def test_steps_have_no_mean() -> None:
    steps = [member(f"step-{n}", axis="step") for n in (1, 2)]
    frame = FamilyScore.frame([scored("s", each, "11") for each in steps])
    assert len(frame) == 0
    assert frame.columns[:3].tolist() == ["family", "axis", "level"]


def test_families_stay_apart() -> None:
    other = member("seed-1", family="gru")
    results = [scored("s", SEEDS[0], "11"), scored("s", other, "00"), scored("s", SEEDS[1], "10")]
    found = [(row["family"], row["n_members"], row["mean"]) for row in rows(results)]
    assert found == [("lstm", 2, 0.75), ("gru", 1, 0.0)]
