"""Whether linear inequalities can hold together, exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from pommel.suite.lint.proofs import Form, Inequality, TooHardError, can_hold


def inequality(*factors: int, bound: int | Fraction = 0, strict: bool = False) -> Inequality:
    """Return factors[0] * x0 + ... <= bound."""
    known = {index: Fraction(factor) for index, factor in enumerate(factors) if factor}
    return Inequality(Form(known, -Fraction(bound)), strict)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], True),
        ([inequality(1, bound=-1)], False),  # x <= -1, and x is 0 or more
        ([inequality(1, bound=0)], True),
        ([inequality(1, bound=0, strict=True)], False),
        ([inequality(1, -1, strict=True), inequality(-1, 1)], False),  # x < y <= x
        ([inequality(1, -1), inequality(-1, 1)], True),
        ([inequality(1, -1, 0, strict=True), inequality(0, 1, -1), inequality(-1, 0, 1)], False),
        # As close as no floating point number is.
        ([inequality(-1, bound=-1), inequality(1, bound=1 - Fraction(1, 10**40))], False),
        ([inequality(-1, bound=-1), inequality(1, bound=1 + Fraction(1, 10**40))], True),
    ],
)
def test_examples(rows: list[Inequality], *, expected: bool) -> None:
    assert can_hold(rows) is expected


def test_variables_that_always_occur_together_cost_nothing() -> None:
    many = Inequality(Form(dict.fromkeys(range(300), Fraction(1)), Fraction(-2)), strict=True)
    few = Inequality(Form(dict.fromkeys(range(300), Fraction(-1)), Fraction(3)), strict=True)
    assert not can_hold([many, few])


def test_what_takes_too_long_is_given_up() -> None:
    rng = np.random.default_rng(0)
    rows = [inequality(*map(int, rng.integers(-9, 10, 9)), bound=5) for _ in range(90)]
    with pytest.raises(TooHardError):
        can_hold(rows)


ROWS = st.lists(
    st.tuples(st.tuples(*[st.integers(-3, 3)] * 3), st.integers(-4, 4), st.booleans()), max_size=6
)


@given(ROWS)
def test_a_linear_program_says_the_same(rows: list[tuple[tuple[int, ...], int, bool]]) -> None:
    own = can_hold(
        [inequality(*factors, bound=bound, strict=strict) for factors, bound, strict in rows]
    )
    # The largest t for which a strict row holds with t to spare.
    matrix = [[*factors, int(strict)] for factors, _, strict in rows]
    found = linprog(
        [0, 0, 0, -1],
        A_ub=matrix or None,
        b_ub=[bound for _, bound, _ in rows] or None,
        bounds=[(0, None)] * 3 + [(0, 1)],
    )
    assert own == (found.status == 0 and -found.fun > 1e-6)
