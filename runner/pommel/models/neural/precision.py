"""Products of matrices in float32 as it is, by the library that is the quickest at it.

GPUs and processors may round float32 before they multiply, to be faster: TF32 keeps 10 bits of a
number, bfloat16 7. Whoever uses torch beside pommel may have asked for it; of convolutions it is
even what torch does unasked.
"""

import contextlib
from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any, cast

from pommel.errors import ModelNotAvailableError

if TYPE_CHECKING:
    import torch


def linear(
    inputs: "torch.Tensor", weight: "torch.Tensor", bias: "torch.Tensor | None" = None
) -> "torch.Tensor":
    """Return inputs @ weight.t() + bias, as `torch.nn.functional.linear` does.

    *Shape:* inputs (... x n_in), weight (n_out x n_in), bias (n_out,); gives (... x n_out).
    """
    import torch

    if _is_onednns(weight):
        # It is what torch's own compiler calls.
        onednn: Any = torch.ops.mkldnn._linear_pointwise  # noqa: SLF001 - there is no public way
        found: torch.Tensor = onednn(inputs, weight, bias, "none", [], None)
        return found
    return torch.nn.functional.linear(inputs, weight, bias)


def multiply_quickly(model: "torch.nn.Module") -> None:
    """Have the linear layers of a transformers network multiply as `linear` does.

    Layers on GPUs stay as they are: what spreads a network over several has its hooks there.
    """
    import torch

    for module in model.modules():
        # GPT-2's own layer of transformers has its weight the other way round.
        is_turned = type(module).__name__ == "Conv1D"
        if type(module) is torch.nn.Linear or is_turned:
            layer = cast("torch.nn.Linear", module)
            if _is_onednns(layer.weight):
                module.forward = partial(_forward, layer, is_turned=is_turned)


def _is_onednns(weight: "torch.Tensor") -> bool:
    import torch

    return weight.device.type == "cpu" and weight.dtype == torch.float32 and is_onednn_quicker()


def _forward(
    layer: "torch.nn.Linear", inputs: "torch.Tensor", *, is_turned: bool
) -> "torch.Tensor":
    return linear(inputs, layer.weight.t() if is_turned else layer.weight, layer.bias)


@cache
def is_onednn_quicker() -> bool:
    """Say whether torch's products in float32 should be oneDNN's, which it uses for other formats.

    Those of Intel's MKL, which torch uses, leave half of a processor's width unused where the
    processor is not Intel's. It depends on the machine alone, so that numbers there are always the
    same.
    """
    import torch

    capabilities = getattr(torch.cpu, "get_capabilities", dict)
    found: Mapping[str, object] = capabilities()
    libraries: Any = torch.backends
    has_both = libraries.mkl.is_available() and libraries.mkldnn.is_available()
    is_intel = str(found.get("cpu_name", "Intel")).startswith("Intel")
    return has_both and bool(found.get("avx512_f")) and not is_intel


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
        product = linear(factors, factors) / len(factors)
    if (product - (1 + 2**-12) ** 2).abs().max() > 2**-14:
        raise ModelNotAvailableError(
            f"{device} rounds float32 to fewer bits before it multiplies (TF32, bfloat16); "
            f"switch that off: NVIDIA_TF32_OVERRIDE=0, ONEDNN_DEFAULT_FPMATH_MODE=STRICT"
        )
