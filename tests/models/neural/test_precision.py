"""float32 is not rounded before it is multiplied, whatever torch or its libraries were told."""

from typing import Any

import numpy as np
import pytest
from tests.models.neural.networks import network

torch = pytest.importorskip("torch")

from pommel.errors import ModelNotAvailableError  # noqa: E402
from pommel.models.neural import precision  # noqa: E402
from pommel.models.neural.network import Network  # noqa: E402
from pommel.models.neural.precision import (  # noqa: E402
    check_products,
    exact_products,
    linear,
    multiply_quickly,
)


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

    def rounding(left: Any, right: Any) -> Any:
        # As hardware does it: factors lose bits, sums do not.
        return linear(*(torch.round(each * 2**n_bits) / 2**n_bits for each in (left, right)))

    monkeypatch.setattr(precision, "linear", rounding)
    with pytest.raises(ModelNotAvailableError) as caught:
        check_products("cpu")
    assert str(caught.value) == (
        "cpu rounds float32 to fewer bits before it multiplies (TF32, bfloat16); switch that off: "
        "NVIDIA_TF32_OVERRIDE=0, ONEDNN_DEFAULT_FPMATH_MODE=STRICT"
    )


AMD, INTEL = "AMD EPYC", "Intel(R) Xeon(R) Platinum 8488C"


@pytest.mark.parametrize(
    ("found", "is_quicker"),
    [
        ({"cpu_name": AMD, "avx512_f": True}, True),
        # As wide as MKL's.
        ({"cpu_name": AMD, "avx512_f": False}, False),
        # MKL is Intel's.
        ({"cpu_name": INTEL, "avx512_f": True}, False),
        # An ARM processor, and a torch that does not say.
        ({"cpu_name": "Apple M2"}, False),
        ({}, False),
    ],
)
def test_whose_products_are_quicker_follows_from_the_processor(
    monkeypatch: pytest.MonkeyPatch, *, found: dict[str, object], is_quicker: bool
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: True)
    assert precision.is_onednn_quicker.__wrapped__() is is_quicker


@pytest.fixture(params=[True, False])
def _either_library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param and not torch.backends.mkldnn.is_available():
        pytest.skip("this torch has no oneDNN")
    monkeypatch.setattr(precision, "is_onednn_quicker", lambda: request.param)


@pytest.mark.usefixtures("_either_library")
@pytest.mark.parametrize("shape", [(40,), (1, 40), (7, 40), (3, 5, 40), (0, 40)])
@pytest.mark.parametrize("is_turned", [True, False])
@pytest.mark.parametrize("has_bias", [True, False])
def test_products_are_those_of_float64_but_for_rounding(
    shape: tuple[int, ...], *, is_turned: bool, has_bias: bool
) -> None:
    chance = torch.Generator().manual_seed(1)
    inputs = torch.randn(shape, generator=chance)
    weight = torch.randn((300, 40), generator=chance)
    weight = weight.t().contiguous().t() if is_turned else weight
    bias = torch.randn(300, generator=chance) if has_bias else None
    with exact_products("cpu"):
        found = linear(inputs, weight, bias)
    exact = inputs.double() @ weight.double().t() + (0 if bias is None else bias.double())
    assert (found.shape, found.dtype) == (exact.shape, torch.float32)
    # A factor rounded to bfloat16 would be off by a hundred times as much.
    torch.testing.assert_close(found.double(), exact, atol=2e-5, rtol=1e-5)


def test_other_formats_are_torchs_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "is_onednn_quicker", lambda: True)
    for dtype in (torch.float64, torch.bfloat16):
        inputs, weight = (torch.ones(each, 4, dtype=dtype) for each in (2, 3))
        assert linear(inputs, weight).dtype == dtype


@pytest.mark.usefixtures("_either_library")
@pytest.mark.parametrize("name", ["GPT2", "Llama", "Bert"])
def test_networks_give_the_same_logits_with_either_library(name: str) -> None:
    transformers = pytest.importorskip("transformers")
    config = getattr(transformers, f"{name}Config")(
        **SIZES["GPT2" if name == "GPT2" else "others"], vocab_size=90
    )
    torch.manual_seed(3)
    kind = {"GPT2": "LMHeadModel", "Llama": "ForCausalLM", "Bert": "ForMaskedLM"}[name]
    model = getattr(transformers, name + kind)(config).eval()
    ids = torch.arange(24).reshape(2, 12)
    with exact_products("cpu"):
        exact = model.double()(ids).logits
        model.float()
        multiply_quickly(model)
        found = model(ids).logits
    torch.testing.assert_close(found.double(), exact, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", ["GPT2", "Llama"])
def test_every_layer_of_a_network_asks_for_them(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []

    def noted(inputs: Any, weight: Any, bias: Any = None) -> Any:
        asked.append(tuple(weight.shape))
        return torch.nn.functional.linear(inputs, weight, bias)

    monkeypatch.setattr(precision, "is_onednn_quicker", lambda: True)
    monkeypatch.setattr(precision, "linear", noted)
    model = network(name)
    Network(model, device="cpu").logits_of(np.arange(5))
    layers = [each for each in model.modules() if type(each).__name__ in {"Linear", "Conv1D"}]
    shapes = [tuple(each.weight.shape) for each in layers]
    turned = [type(each).__name__ == "Conv1D" for each in layers]
    assert sorted(asked) == sorted(
        own[::-1] if is_turned else own for own, is_turned in zip(shapes, turned, strict=True)
    )


def test_layers_elsewhere_and_in_other_formats_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(precision, "is_onednn_quicker", lambda: True)
    for model in (network("GPT2").to("meta"), network("GPT2").double()):
        multiply_quickly(model)
        assert not any("forward" in vars(each) for each in model.modules())


SIZES = {
    "GPT2": {"n_embd": 32, "n_layer": 2, "n_head": 2},
    "others": {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    },
}
