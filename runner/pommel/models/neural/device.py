"""Which of torch's devices and number formats are meant, and whether they are there."""

import re
from typing import Any

from pommel.errors import ModelNotAvailableError, UsageError

DTYPES = ("float32", "bfloat16", "float16", "float64")


def find_device(wanted: str) -> Any:
    """Return the `torch.device` that `wanted` names: "cpu", "cuda", "cuda:N", "mps" or "auto".

    "auto" is the first GPU, else the processor; where a model is too big for that one GPU is
    another matter (`placement`). Raises `ModelNotAvailableError` for a device that
    this computer has not got, and `UsageError` for what is no device's name.
    """
    import torch  # noqa: PLC0415 - an extra

    there = _devices()
    if wanted == "auto":
        return torch.device(there[0])
    if not re.fullmatch(r"cpu|mps|cuda(:\d+)?", wanted):
        raise UsageError(f"no such device: {wanted!r}; write cpu, cuda, cuda:N, mps or auto")
    name = "cuda:0" if wanted == "cuda" else wanted
    if name not in there:
        message = f"the device {wanted!r} is not available here"
        raise ModelNotAvailableError(f"{message}; there is: {', '.join(there)}")
    return torch.device(name)


def find_dtype(wanted: str) -> Any:
    """Return the `torch.dtype` of that name; raises `UsageError` if it is none of `DTYPES`."""
    import torch  # noqa: PLC0415 - an extra

    if wanted not in DTYPES:
        raise UsageError(f"no such dtype: {wanted!r}; write {', '.join(DTYPES)}")
    return getattr(torch, wanted)


def free_gpu_bytes() -> dict[str, int]:
    """Return how much memory is free on each CUDA device, in order; nothing where there is none."""
    import torch  # noqa: PLC0415 - an extra

    n_devices = torch.cuda.device_count()
    return {f"cuda:{number}": torch.cuda.mem_get_info(number)[0] for number in range(n_devices)}


def _devices() -> list[str]:
    """Return what is there, the fastest first."""
    import torch  # noqa: PLC0415 - an extra

    devices = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        devices.append("mps")
    return [*devices, "cpu"]
