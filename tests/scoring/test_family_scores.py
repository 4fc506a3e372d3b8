"""What families score, where one of their members lacks a score."""

import math

import pytest
from tests.scoring.family_results import member, scored

from pommel.scoring.family_scores import FamilyScore

NAN = math.nan


@pytest.mark.parametrize(
    ("scores", "means"),
    [
        ([{"m": 1.0, "n": 0.5}, {"m": 0.0, "n": 0.5}], [0.5, 0.5]),
        ([{"m": 1.0, "n": 0.5}, {"m": 0.0}], [0.5]),
        ([{"m": 1.0, "n": 0.5}, {"n": NAN, "m": 0.0}], [0.5]),
        # A suite on which nobody has a score is no reason to leave anybody out.
        ([{"m": 1.0, "n": 0.5}, {"m": NAN, "n": NAN}], [1.0, 0.5]),
        ([{"m": NAN}], []),
        ([], []),
    ],
)
def test_a_mean_is_one_over_the_same_suites(
    scores: list[dict[str, float]], means: list[float]
) -> None:
    assert FamilyScore.means_of_members(scores) == means


def test_families_without_an_order_have_scores() -> None:
    results = [
        scored("s", member(f"{axis}-{number}", family=axis, axis=axis), "10")
        for axis in ("seed", "step", "epoch", "member")
        for number in (1, 2)
    ]
    found = [(each.family, each.level, each.scores.n) for each in FamilyScore.of(results)]
    assert found == [(axis, level, 2) for axis in ("seed", "member") for level in ("suite", "all")]
