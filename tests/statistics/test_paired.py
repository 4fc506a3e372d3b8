"""McNemar's test and Holm's correction against scipy, statsmodels and their definitions."""

import math

import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from pommel.analysis.inference import holm, mcnemar

SHARES = st.floats(0, 1)


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (0, 5, 0.0625), (0, 6, 0.03125), (3, 3, 1.0), (3, 10, 0.0923)],
)
def test_mcnemar(first: int, second: int, p: float) -> None:
    assert mcnemar(first, second) == mcnemar(second, first) == pytest.approx(p, abs=5e-5)


@given(st.integers(0, 120), st.integers(0, 120).filter(bool))
def test_mcnemar_is_a_binomial_test_of_the_discordant_items(first: int, second: int) -> None:
    found = mcnemar(first, second)
    assert found == pytest.approx(binomtest(first, first + second).pvalue, rel=1e-9)


def test_a_count_is_not_negative() -> None:
    with pytest.raises(ValueError, match=r"^a count of items is 0 or more: -1, 3$"):
        mcnemar(-1, 3)


def test_what_has_no_p_is_no_test() -> None:
    found = holm(iter([math.nan, 0.02, math.nan, 0.03]))
    assert [found[1], found[3]] == pytest.approx([0.04, 0.04])
    assert math.isnan(found[0])
    assert math.isnan(found[2])


@settings(max_examples=25)
@given(st.lists(SHARES, min_size=1, max_size=30))
def test_holm_is_that_of_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


@given(st.lists(SHARES, max_size=30))
def test_holm_keeps_the_order_and_lowers_nothing(p_values: list[float]) -> None:
    found = holm(p_values)
    assert all(raw <= adjusted <= 1 for raw, adjusted in zip(p_values, found, strict=True))
    ordered = [adjusted for _, adjusted in sorted(zip(p_values, found, strict=True))]
    assert ordered == sorted(ordered)
