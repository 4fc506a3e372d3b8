"""What scoring may use: a device that is there, how much of its memory, how much at once."""

import contextlib
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from pommel.errors import ModelNotAvailableError, UsageError


@dataclass(slots=True, kw_only=True)
class Budget:
    """How many tokens and how many rows of the vocabulary projection one pass may have.

    `row_length` is how long packed rows of the prefix tree should be; one that must hold a longer
    path is longer.
    """

    n_tokens: int
    n_rows: int = sys.maxsize
    row_length: int = 1

    def limit(self, max_memory_bytes: int, *, bytes_per_token: int, bytes_per_row: int) -> None:
        """Stay within a memory, by what a token takes in a network's body, and a row of logits."""
        # Half of the memory for the body, half for logits.
        share = max_memory_bytes // 2
        self._shrink(share // bytes_per_token, share // bytes_per_row)

    def halve(self) -> bool:
        """Halve it; False if there is nothing left to halve."""
        if self.n_tokens <= 1 and self.n_rows <= 1:
            return False
        self._shrink(self.n_tokens // 2, self.n_rows // 2)
        return True

    def _shrink(self, n_tokens: int, n_rows: int) -> None:
        self.n_tokens = min(self.n_tokens, max(1, n_tokens))
        self.n_rows = min(self.n_rows, max(1, n_rows))
        self.row_length = max(1, min(self.row_length, self.n_tokens))


# What scoring may use where nobody says how much: of a GPU's memory, half of what is free.
_PROCESSOR_BYTES = 1 << 30
_GPU_SHARE = 0.5
_OUT_OF_MEMORY = (
    "out of memory",
    "can't allocate memory",
    "not enough memory",
    "cublas_status_alloc_failed",
)


def usable_bytes(devices: Collection[str]) -> int:
    """Return what scoring may use on each of `devices`, which are of one kind."""
    kind = min(devices).partition(":")[0]
    if kind == "cpu":
        return _PROCESSOR_BYTES
    import torch

    if kind == "cuda":
        return int(min(map(_free_cuda_bytes, devices)) * _GPU_SHARE)
    # Older torch does not say how much there is.
    recommended = getattr(torch.mps, "recommended_max_memory", None)
    if recommended is None:
        return _PROCESSOR_BYTES
    free = recommended() - torch.mps.driver_allocated_memory()
    return int(max(free, _PROCESSOR_BYTES) * _GPU_SHARE)


@contextlib.contextmanager
def memory_errors(device: str) -> Iterator[None]:
    """Turn what torch says when the device's memory does not suffice into `MemoryError`."""
    import torch

    try:
        yield
    except RuntimeError as error:
        # Only CUDA has a class of its own for it; this is what CUDA, MPS and the processor say.
        if not any(each in str(error).lower() for each in _OUT_OF_MEMORY):
            raise
    else:
        return
    # Outside of `except`, where the error still holds on to what has been used.
    if device.startswith("cuda"):
        torch.cuda.empty_cache()
    elif device.startswith("mps"):
        torch.mps.empty_cache()
    raise MemoryError


def _free_cuda_bytes(device: str) -> int:
    import torch

    free, _ = torch.cuda.mem_get_info(device)
    # What torch keeps for itself, it will use again.
    kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(free + kept)


DTYPES = ("float32", "bfloat16", "float16", "float64")


def require_torch(reference: str) -> None:
    """Raise `ModelNotAvailableError` if torch or safetensors are not installed."""
    try:
        import safetensors  # noqa: F401 - an extra
        import torch  # noqa: F401 - an extra
    except ImportError:
        message = f"{reference} needs torch and safetensors: {UsageError.install('hf')}"
        raise ModelNotAvailableError(message) from None


def find_device(wanted: str, *, asked_by: str | None = None) -> str:
    """Return what torch calls the device `wanted`: "cpu", "cuda", "cuda:N", "mps" or "auto".

    "auto" is the first GPU, else the processor; where a model is too big for that one GPU is
    another matter (`placement`). Raises `ModelNotAvailableError` for a device that
    this computer has not got, and `UsageError` for what is no device's name. Where torch may be
    missing, `asked_by` is who misses it: see `require_torch`.
    """
    if not re.fullmatch(r"auto|cpu|mps|cuda(:\d+)?", wanted):
        raise UsageError(f"no such device: {wanted!r}; write cpu, cuda, cuda:N, mps or auto")
    if asked_by is not None:
        require_torch(asked_by)
    import torch

    # The fastest first.
    there = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    there += ["mps"] * torch.backends.mps.is_available() + ["cpu"]
    if wanted == "auto":
        return there[0]
    name = "cuda:0" if wanted == "cuda" else wanted
    if name not in there:
        raise ModelNotAvailableError(
            f"the device {wanted!r} is not available here; there is: {', '.join(there)}"
        )
    return name


def find_dtype(wanted: str) -> Any:
    """Return the `torch.dtype` of that name; raises `UsageError` if it is none of `DTYPES`."""
    if wanted not in DTYPES:
        raise UsageError(f"no such dtype: {wanted!r}; write {', '.join(DTYPES)}")
    import torch

    return getattr(torch, wanted)


def free_gpu_bytes() -> dict[str, int]:
    """Return how much memory is free on each CUDA device, in order; nothing where there is none."""
    import torch

    n_devices = torch.cuda.device_count()
    return {f"cuda:{number}": torch.cuda.mem_get_info(number)[0] for number in range(n_devices)}
