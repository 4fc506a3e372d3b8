"""How much memory scoring may use, and how it is told that there is none left."""

from typing import Any

import pytest

from pommel.models.neural.memory import memory_errors, usable_bytes

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
