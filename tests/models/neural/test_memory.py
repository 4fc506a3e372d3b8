"""How much memory scoring may use, and how it is told that there is none left."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from pommel.models.neural.memory import Budget, memory_errors, usable_bytes

torch: Any = pytest.importorskip("torch")

GB = 1 << 30


def test_on_the_processor_it_is_a_gigabyte() -> None:
    assert usable_bytes(["cpu"]) == GB


def test_on_gpus_it_is_half_of_what_is_free_on_the_fullest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    free = {"cuda:0": 10 * GB, "cuda:1": 4 * GB}
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (free[device], 80 * GB))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda _device: 3 * GB)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda _device: GB)
    # What torch keeps for itself is free, too.
    assert usable_bytes(["cuda:0"]) == 6 * GB
    assert usable_bytes({"cuda:0", "cuda:1"}) == 3 * GB


def test_on_a_mac_it_is_half_of_what_is_recommended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.mps, "recommended_max_memory", lambda: 12 * GB, raising=False)
    monkeypatch.setattr(torch.mps, "driver_allocated_memory", lambda: 2 * GB)
    assert usable_bytes(["mps:0"]) == 5 * GB
    monkeypatch.setattr(torch.mps, "driver_allocated_memory", lambda: 12 * GB)
    assert usable_bytes(["mps:0"]) == GB / 2
    monkeypatch.delattr(torch.mps, "recommended_max_memory")
    assert usable_bytes(["mps:0"]) == GB


@pytest.mark.parametrize(
    ("device", "emptied"), [("cpu", []), ("cuda:0", ["cuda"]), ("mps:0", ["mps"])]
)
def test_memory_that_runs_out_is_an_error_of_its_own(
    monkeypatch: pytest.MonkeyPatch, device: str, emptied: list[str]
) -> None:
    found: list[str] = []
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: found.append("cuda"))
    monkeypatch.setattr(torch.mps, "empty_cache", lambda: found.append("mps"))
    with pytest.raises(MemoryError), memory_errors(device):
        raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB.")
    assert found == emptied
    with pytest.raises(RuntimeError, match=r"^shapes$"), memory_errors(device):
        raise RuntimeError("shapes")
    with memory_errors(device):
        pass
    assert found == emptied


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
    found = Budget(n_tokens=n_tokens, row_length=row_length)
    found.limit(max_memory_bytes, bytes_per_token=100, bytes_per_row=1_000)
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
    bytes_per_token=st.integers(1, 10**7),
    bytes_per_row=st.integers(1, 10**7),
)
def test_a_budget_stays_within_memory_unless_it_is_the_smallest(
    n_bytes: int, n_tokens: int, bytes_per_token: int, bytes_per_row: int
) -> None:
    budget = Budget(n_tokens=n_tokens, row_length=128)
    budget.limit(n_bytes, bytes_per_token=bytes_per_token, bytes_per_row=bytes_per_row)
    for_tokens = budget.n_tokens * bytes_per_token
    for_rows = budget.n_rows * bytes_per_row
    assert for_tokens <= n_bytes / 2 or budget.n_tokens == 1
    assert for_rows <= n_bytes / 2 or budget.n_rows == 1
    assert 1 <= budget.row_length <= budget.n_tokens <= n_tokens
