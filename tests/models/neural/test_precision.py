"""float32 is not rounded before it is multiplied, whatever torch or its libraries were told."""

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from pommel.errors import ModelNotAvailableError  # noqa: E402
from pommel.models.neural.precision import check_products, exact_products  # noqa: E402


@pytest.mark.parametrize(
    ("device", "flags", "rounded"),
    [
        (
            "cuda:0",
            [torch.backends.cuda.matmul, torch.backends.cudnn.conv, torch.backends.cudnn.rnn],
            "tf32",
        ),
        ("cpu", [torch.backends.mkldnn.matmul, torch.backends.mkldnn.conv], "bf16"),
    ],
)
def test_products_are_exact_within_and_as_they_were_afterwards(
    device: str, flags: list[Any], rounded: str
) -> None:
    def said() -> set[str]:
        return {flag.fp32_precision for flag in flags}

    def fail() -> None:
        with exact_products(device):
            assert torch.is_inference_mode_enabled()
            assert said() == {"ieee"}
            raise ZeroDivisionError

    before = [flag.fp32_precision for flag in flags]
    try:
        for flag in flags:
            flag.fp32_precision = rounded
        with pytest.raises(ZeroDivisionError):
            fail()
        assert said() == {rounded}
    finally:
        for flag, old in zip(flags, before, strict=True):
            flag.fp32_precision = old


@pytest.mark.parametrize("n_bits", [10, 7])
def test_a_device_that_rounds_nevertheless_is_refused(
    n_bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_products("cpu")
    matmul = torch.Tensor.__matmul__

    def rounding(left: Any, right: Any) -> Any:
        # As hardware does it: factors lose bits, sums do not.
        return matmul(*(torch.round(each * 2**n_bits) / 2**n_bits for each in (left, right)))

    monkeypatch.setattr(torch.Tensor, "__matmul__", rounding)
    with pytest.raises(ModelNotAvailableError) as caught:
        check_products("cpu")
    assert str(caught.value) == (
        "cpu rounds float32 to fewer bits before it multiplies (TF32, bfloat16); switch that off: "
        "NVIDIA_TF32_OVERRIDE=0, ONEDNN_DEFAULT_FPMATH_MODE=STRICT"
    )
