"""On which devices a model's weights go, by what they need and by what is free."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

from pommel.errors import ModelNotAvailableError
from pommel.models.huggingface.files import ModelFiles

# The rest of a GPU is for what is computed.
_FOR_WEIGHTS = 0.9
_GB = 10**9


def place_weights(
    weight_bytes: int, free_bytes: Mapping[str, int], *, reference: str
) -> tuple[str, ...]:
    """Return the GPUs that hold a model: the first that it fits on, or all of them together.

    `free_bytes` is what is free on each GPU; none gives none. Raises `ModelNotAvailableError` if
    even all of them do not hold the weights.
    """
    for device, free in free_bytes.items():
        if weight_bytes <= free * _FOR_WEIGHTS:
            return (device,)
    if free_bytes and weight_bytes > sum(free_bytes.values()) * _FOR_WEIGHTS:
        raise ModelNotAvailableError(
            f"{reference}: its weights take {_gb(weight_bytes)}, and only "
            f"{_gb(sum(free_bytes.values()))} are free on {', '.join(free_bytes)}; "
            "use --device cpu, or a smaller --dtype"
        )
    return tuple(free_bytes)


def require_accelerate(weight_bytes: int, *, reference: str) -> None:
    """Raise `ModelNotAvailableError` if what spreads weights over GPUs is not installed."""
    try:
        import accelerate  # type: ignore[import-not-found,unused-ignore]  # noqa: F401, PLC0415 - an extra
    except ImportError:
        raise ModelNotAvailableError(
            f"{reference}: its weights take {_gb(weight_bytes)}, more than any one GPU has free; "
            "to spread them over several: pip install accelerate"
        ) from None


def bytes_of_weights(files: ModelFiles, item_bytes: int) -> int:
    """Return how much memory a model's weights take as numbers of `item_bytes` each.

    For pickles, which are not opened to find out, it is the size of the files.
    """
    if not files.safe:
        return sum(path.stat().st_size for path in files.weights)
    return sum(_n_numbers(path) for path in files.weights) * item_bytes


def _n_numbers(safetensors: Path) -> int:
    """Return how many numbers are in a file, by its header; 0 if it has none that can be read."""
    try:
        with safetensors.open("rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        header.pop("__metadata__", None)
        return sum(math.prod(tensor["shape"]) for tensor in header.values())
    # Whatever it is, loading it will say what is wrong with it.
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, MemoryError):
        return 0


def _gb(n_bytes: int) -> str:
    return f"{n_bytes / _GB:.1f} GB"
