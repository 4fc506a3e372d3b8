"""How much goes through a network at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.models.neural.memory import Budget, Footprint, budget_for

FOOTPRINT = Footprint(bytes_per_token=100, bytes_per_row=1_000)


@pytest.mark.parametrize(
    ("max_memory_bytes", "n_tokens", "row_length", "expected"),
    [
        # Half of the memory for tokens, half for rows of logits.
        (20_000, 1_000, 50, Budget(n_tokens=100, n_rows=10, row_length=50)),
        (20_000, 40, 50, Budget(n_tokens=40, n_rows=10, row_length=40)),
        (2_000, 40, 50, Budget(n_tokens=10, n_rows=1, row_length=10)),
        # Something goes through, however little memory there is.
        (1, 40, 50, Budget(n_tokens=1, n_rows=1, row_length=1)),
    ],
)
def test_examples(max_memory_bytes: int, n_tokens: int, row_length: int, expected: Budget) -> None:
    found = budget_for(
        FOOTPRINT, max_memory_bytes=max_memory_bytes, n_tokens=n_tokens, row_length=row_length
    )
    assert found == expected


def test_halving_ends_with_one_token_and_one_row() -> None:
    budget = Budget(n_tokens=10, n_rows=3, row_length=8)
    seen = []
    while budget.halve():
        seen.append((budget.n_tokens, budget.n_rows, budget.row_length))
    assert seen == [(5, 1, 5), (2, 1, 2), (1, 1, 1)]


@given(
    n_bytes=st.integers(1, 10**12),
    n_tokens=st.integers(1, 10**6),
    footprint=st.builds(
        Footprint, bytes_per_token=st.integers(1, 10**7), bytes_per_row=st.integers(1, 10**7)
    ),
)
def test_a_budget_stays_within_memory_unless_it_is_the_smallest(
    n_bytes: int, n_tokens: int, footprint: Footprint
) -> None:
    budget = budget_for(footprint, max_memory_bytes=n_bytes, n_tokens=n_tokens, row_length=128)
    for_tokens = budget.n_tokens * footprint.bytes_per_token
    for_rows = budget.n_rows * footprint.bytes_per_row
    assert for_tokens <= n_bytes / 2 or budget.n_tokens == 1
    assert for_rows <= n_bytes / 2 or budget.n_rows == 1
    assert 1 <= budget.row_length <= budget.n_tokens <= n_tokens
