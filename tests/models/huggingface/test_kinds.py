"""What a configuration says of a model before its weights are read."""

from typing import Any

import pytest

from pommel.errors import ModelNotAvailableError
from pommel.models.huggingface.loading import kind_of

pytest.importorskip("transformers")

OWN = {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModelForCausalLM": "own.A"}}


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"model_type": "gpt2"}, "causal"),
        ({"model_type": "mamba"}, "causal"),
        ({"model_type": "bert"}, "masked"),
        ({"model_type": "bert", "is_decoder": True}, "causal"),
        ({"model_type": "xlm"}, "masked"),
        ({"model_type": "xlm", "causal": True}, "causal"),
        ({"model_type": "modernbert"}, "masked"),
        ({"model_type": "t5", "is_encoder_decoder": True}, "encoder-decoder"),
        ({"model_type": "bart", "is_encoder_decoder": True}, "encoder-decoder"),
        ({"model_type": "marian", "is_encoder_decoder": True}, "encoder-decoder"),
    ],
)
def test_kinds(config: dict[str, Any], kind: str) -> None:
    assert kind_of(config, trust_remote_code=False) == kind


@pytest.mark.parametrize(
    ("auto_map", "architectures", "kind"),
    [
        ({"AutoModelForCausalLM": "own.A"}, ["A"], "causal"),
        ({"AutoModelForMaskedLM": "own.A"}, ["A"], "masked"),
        ({"AutoModelForSeq2SeqLM": "own.A"}, None, "encoder-decoder"),
        (
            {"AutoModelForMaskedLM": "own.B", "AutoModelForCausalLM": "own.A"},
            ["BForMaskedLM"],
            "masked",
        ),
        (
            {"AutoModelForMaskedLM": "own.B", "AutoModelForCausalLM": "own.A"},
            ["AForCausalLM"],
            "causal",
        ),
        ({"AutoModel": "own.A"}, None, "causal"),
    ],
)
def test_kinds_of_models_with_code_of_their_own(
    auto_map: dict[str, str], architectures: list[str] | None, kind: str
) -> None:
    config = {"model_type": "own", "auto_map": auto_map, "architectures": architectures}
    assert kind_of(config, trust_remote_code=True) == kind


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"model_type": "vit"}, "'vit' is not a language model"),
        (
            {"model_type": "whisper", "is_encoder_decoder": True},
            "'whisper' is not a language model",
        ),
        (
            {"model_type": "gpt9"},
            "this version of transformers does not know the model type 'gpt9'",
        ),
        ({}, "config.json names no model_type"),
        (
            OWN,
            (
                "it needs Python code that comes with the model; if you trust its authors, "
                "run it with --trust-remote-code"
            ),
        ),
    ],
)
def test_what_is_none(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelNotAvailableError) as caught:
        kind_of(config, trust_remote_code=False)
    assert str(caught.value) == message
