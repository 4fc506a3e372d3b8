"""Standard errors within items (Cousineau 2005, Morey 2008), against computations by hand."""

import math

import numpy as np
import pytest

from pommel.statistics import Spread, Values

NAN = math.nan


def errors(*items: tuple[float, ...]) -> list[float]:
    return [*map(float, Spread.errors_within_items(np.array(items)))]


def test_three_conditions_by_hand() -> None:
    # Less the items' means (2, 6, 4): -1 0 1, -2 0 2, 1 -1 0; the variances of these columns are
    # 7/3, 1/3 and 1, and Morey's factor is 3/2.
    found = errors((1.0, 2.0, 3.0), (4.0, 6.0, 8.0), (5.0, 3.0, 4.0))
    assert found == pytest.approx([math.sqrt(v * 3 / 2 / 3) for v in (7 / 3, 1 / 3, 1)])


def test_two_conditions_have_that_of_their_difference() -> None:
    generator = np.random.default_rng(2)
    items = generator.normal(25, 9, 24)
    values: Values = np.column_stack([items, items + generator.normal(-1.8, 3.4, 24)])
    difference = Spread.of((values[:, 0] - values[:, 1]).tolist())
    found = Spread.errors_within_items(values)
    assert found == pytest.approx(difference.standard_error / math.sqrt(2))
    # Items differ by far more than conditions do within them.
    assert found[0] < Spread.of(values[:, 0].tolist()).standard_error / 2


def test_items_that_differ_in_nothing_else_leave_nothing() -> None:
    assert errors((1.0, 2.0), (11.0, 12.0), (5.5, 6.5)) == pytest.approx([0, 0])


def test_a_condition_alone_has_its_plain_error() -> None:
    plain = Spread.of([1.0, 2.0, 4.0]).standard_error
    assert errors((1.0,), (2.0,), (4.0,)) == pytest.approx([plain])
    # The other one is in no item.
    assert errors((1.0, NAN), (2.0, NAN), (4.0, NAN)) == pytest.approx([plain, NAN], nan_ok=True)


@pytest.mark.parametrize("missing", [NAN, math.inf, -math.inf])
def test_items_that_lack_a_value_do_not_count(missing: float) -> None:
    whole = errors((1.0, 4.0), (2.0, 8.0), (5.0, 6.0))
    assert errors((1.0, 4.0), (9.0, missing), (2.0, 8.0), (5.0, 6.0)) == whole


def test_without_two_items_there_is_none() -> None:
    nothing = pytest.approx([NAN, NAN], nan_ok=True)
    assert errors((1.0, 2.0)) == nothing
    assert errors((1.0, NAN), (NAN, 2.0), (1.0, 2.0)) == nothing
    assert errors((NAN, NAN), (NAN, NAN)) == nothing
    # Of two items there is one.
    assert errors((1.0, 2.0), (2.0, 5.0)) == pytest.approx([1 / math.sqrt(2)] * 2)
