"""float32 as it is: GPUs and processors may round it before they multiply, to be faster.

TF32 keeps 10 bits of a number, bfloat16 7. Whoever uses torch beside pommel may have asked for it;
of convolutions it is even what torch does unasked.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from pommel.errors import ModelNotAvailableError


@contextlib.contextmanager
def exact_products(device: str) -> Iterator[None]:
    """Infer, and keep float32 from being rounded in products, whatever else torch was told."""
    import torch

    backends: Any = torch.backends
    # Torch before 2.9 has other flags; newer ones are confused if both are used.
    is_new = hasattr(backends.cuda.matmul, "fp32_precision")
    name, exact = ("fp32_precision", "ieee") if is_new else ("allow_tf32", False)
    flags = [backends.cuda.matmul, backends.cudnn]
    if is_new:
        flags[1:] = backends.cudnn.conv, backends.cudnn.rnn
    if not device.startswith("cuda"):
        flags = [backends.mkldnn.matmul, backends.mkldnn.conv] if is_new else []
    chosen = [getattr(flag, name) for flag in flags]
    try:
        for flag in flags:
            setattr(flag, name, exact)
        with torch.inference_mode():
            yield
    finally:
        for flag, before in zip(flags, chosen, strict=True):
            setattr(flag, name, before)


def check_products(device: str) -> None:
    """Raise `ModelNotAvailableError` for a device that rounds what float32 products are made of.

    The environment can have libraries do so that torch calls, and torch does not know of it.
    """
    import torch

    factors = torch.full((256, 256), 1 + 2**-12, device=device)
    with exact_products(device):
        product = factors @ factors / len(factors)
    if (product - (1 + 2**-12) ** 2).abs().max() > 2**-14:
        raise ModelNotAvailableError(
            f"{device} rounds float32 to fewer bits before it multiplies (TF32, bfloat16); "
            f"switch that off: NVIDIA_TF32_OVERRIDE=0, ONEDNN_DEFAULT_FPMATH_MODE=STRICT"
        )
