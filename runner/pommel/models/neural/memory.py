"""The memory of a device: how much scoring may use of it, and what torch says when it runs out."""

import contextlib
from collections.abc import Collection, Iterator

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
    import torch  # noqa: PLC0415 - an extra

    kind = min(devices).partition(":")[0]
    if kind == "cpu":
        return _PROCESSOR_BYTES
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
    import torch  # noqa: PLC0415 - an extra

    try:
        yield
    except RuntimeError as error:
        if not _is_out_of_memory(error):
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
    import torch  # noqa: PLC0415 - an extra

    free, _ = torch.cuda.mem_get_info(device)
    # What torch keeps for itself, it will use again.
    kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(free + kept)


def _is_out_of_memory(error: RuntimeError) -> bool:
    # Only CUDA has a class of its own for it; this is what CUDA, MPS and the processor say.
    text = str(error).lower()
    return any(each in text for each in _OUT_OF_MEMORY)
