"""Where weights go: by bytes, without a GPU."""

import contextlib
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.models.huggingface.opened import FolderOf, open_tiny

from pommel.errors import ModelNotAvailableError
from pommel.models.huggingface.files import ModelFiles, find_files
from pommel.models.huggingface.loading import (
    bytes_of_weights,
    place_weights,
    require_accelerate,
)

GB = 10**9


@pytest.mark.parametrize(
    ("weight_gb", "free_gb", "devices"),
    [
        (9, {}, ()),
        (9, {"cuda:0": 10}, ("cuda:0",)),
        (9, {"cuda:0": 10, "cuda:1": 80}, ("cuda:0",)),
        # somebody else is at work on the first
        (9, {"cuda:0": 2, "cuda:1": 10}, ("cuda:1",)),
        (15, {"cuda:0": 10, "cuda:1": 10}, ("cuda:0", "cuda:1")),
        (18, {"cuda:0": 10, "cuda:1": 10}, ("cuda:0", "cuda:1")),
    ],
)
def test_the_first_gpu_that_holds_them_or_all(
    weight_gb: int, free_gb: dict[str, int], devices: tuple[str, ...]
) -> None:
    free = {name: n * GB for name, n in free_gb.items()}
    assert place_weights(weight_gb * GB, free) == devices


@pytest.mark.parametrize(
    ("free_gb", "where"),
    [
        ({"cuda:0": 10, "cuda:1": 10}, "20.0 GB are free on cuda:0, cuda:1"),
        ({"cuda:0": 8}, "8.0 GB are free on cuda:0"),
    ],
)
def test_more_than_all_of_them_hold(free_gb: dict[str, int], where: str) -> None:
    free = {name: n * GB for name, n in free_gb.items()}
    with pytest.raises(ModelNotAvailableError) as caught:
        place_weights(140 * GB, free)
    assert str(caught.value) == (
        f"its weights take 140.0 GB, and only {where}; use --device cpu, or a smaller --dtype"
    )


@given(weights=st.integers(0, 100), free=st.lists(st.integers(0, 50), min_size=1, max_size=4))
def test_there_is_always_room_for_what_is_computed(weights: int, free: list[int]) -> None:
    by_device = {f"cuda:{number}": n for number, n in enumerate(free)}
    try:
        devices = place_weights(weights, by_device)
    except ModelNotAvailableError:
        assert weights > 0.9 * sum(free)
    else:
        assert weights <= 0.9 * sum(by_device[device] for device in devices)


@pytest.mark.parametrize(("device", "n_looks"), [("cpu", 0), ("auto", 1)])
def test_gpus_are_looked_at_only_for_auto(
    tiny_folder: FolderOf, monkeypatch: pytest.MonkeyPatch, device: str, n_looks: int
) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    folder = tiny_folder("gpt2")
    looks: list[int] = []

    def busy(number: int) -> tuple[int, int]:
        looks.append(number)
        raise RuntimeError("CUDA error: out of memory")

    # A first look at a GPU takes some of its memory, which may not be there.
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "mem_get_info", busy)
    with contextlib.suppress(RuntimeError):
        assert open_tiny(folder, device=device).info.device == "cpu"
    assert len(looks) == n_looks


def test_spreading_needs_accelerate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "accelerate", None)
    with pytest.raises(ModelNotAvailableError) as caught:
        require_accelerate(26 * GB)
    assert str(caught.value) == (
        "its weights take 26.0 GB, more than any one GPU has free; to spread them over several: "
        "pip install accelerate"
    )


def test_how_much_weights_take(tiny_folder: FolderOf) -> None:
    pytest.importorskip("transformers")
    files = find_files(tiny_folder("gpt2"), allow_pickle=False)
    # 40,320 parameters, see the description of this model
    assert bytes_of_weights(files, 4) == 4 * 40_320
    assert bytes_of_weights(files, 2) == 2 * 40_320


def test_how_much_other_files_take(tmp_path: Path) -> None:
    def files(name: str, content: bytes) -> ModelFiles:
        path = tmp_path / name
        path.write_bytes(content)
        return ModelFiles(config=path, weights=(path,), tokenizer=(), code=())

    assert bytes_of_weights(files("pytorch_model.bin", b"1234567"), 4) == 7
    for broken in (b"", b"nothing", b"\x02" + bytes(7) + b"[]", b"\xff" * 20):
        assert bytes_of_weights(files("model.safetensors", broken), 4) == 0
