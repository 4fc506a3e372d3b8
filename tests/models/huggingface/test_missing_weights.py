"""Parameters that a model's files lack: tied and unused ones do not matter, all others do."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.models.huggingface.opened import FolderOf, open_tiny

from pommel.errors import ModelNotAvailableError
from pommel.models.huggingface.loading import needed_but_missing
from pommel.models.model import Policy, score_all

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


def without(folder: Path, target: Path, *names: str) -> Path:
    """Return a copy of a model's folder whose weights lack some parameters."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(folder, target)
    weights = load_file(target / "model.safetensors")
    for name in names:
        del weights[name]
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})
    return target


@pytest.mark.parametrize(
    ("kind", "name", "what"),
    [
        ("gpt2", "transformer.h.1.ln_1.weight", "a causal language model"),
        ("bert", "cls.predictions.transform.dense.weight", "a masked language model"),
        ("bert", "bert.embeddings.token_type_embeddings.weight", "a masked language model"),
        ("roberta", "lm_head.dense.weight", "a masked language model"),
        ("distilbert", "vocab_transform.bias", "a masked language model"),
        ("t5", "decoder.final_layer_norm.weight", "an encoder-decoder language model"),
        (
            "t5",
            "encoder.block.0.layer.0.SelfAttention.q.weight",
            "an encoder-decoder language model",
        ),
    ],
)
def test_what_is_missing_is_never_random(
    tiny_folder: FolderOf, tmp_path: Path, kind: str, name: str, what: str
) -> None:
    folder = without(tiny_folder(kind), tmp_path / kind, name)
    with pytest.raises(ModelNotAvailableError) as caught:
        open_tiny(folder)
    assert str(caught.value) == (
        f"huggingface://{folder}: the weights lack 1 of the model's parameters ({name}); they are "
        f"not those of {what}"
    )


def test_a_model_that_was_saved_without_its_head(tiny_folder: FolderOf) -> None:
    with pytest.raises(ModelNotAvailableError, match=r": the weights lack \d of the model's "):
        open_tiny(tiny_folder("bert-headless"))


def test_what_is_tied_is_not_missing(tiny_folder: FolderOf) -> None:
    for kind in ("bert", "roberta", "distilbert", "albert", "t5", "bart", "gpt2"):
        assert open_tiny(tiny_folder(kind)).info.n_parameters


def test_a_tied_name_counts_as_there() -> None:
    from transformers import GPT2Config, GPT2LMHeadModel

    network = GPT2LMHeadModel(GPT2Config(n_embd=8, n_layer=1, n_head=1, vocab_size=9))
    assert needed_but_missing(network, ["lm_head.weight"]) == []
    both = ["transformer.wte.weight", "lm_head.weight"]
    assert needed_but_missing(network, both) == sorted(both)


def test_what_feeds_nothing_is_not_needed() -> None:
    from transformers import BertConfig, BertForMaskedLM

    sizes: dict[str, Any] = {
        "hidden_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
        "vocab_size": 9,
    }
    network = BertForMaskedLM(BertConfig(**sizes, intermediate_size=8))
    network.train(mode=False)
    network.pooler = torch.nn.Linear(8, 8)
    assert needed_but_missing(network, ["pooler.weight", "pooler.bias"]) == []
    assert needed_but_missing(network, ["pooler.weight", "bert.embeddings.LayerNorm.bias"]) == [
        "bert.embeddings.LayerNorm.bias",
        "pooler.weight",
    ]
    # A name that is no parameter (a buffer) can't be tried.
    assert needed_but_missing(network, ["bert.something"]) == ["bert.something"]


def test_a_network_with_an_unused_pooler_scores(tiny_folder: FolderOf, tmp_path: Path) -> None:
    """BigBird's masked model has a pooler, which older files lack."""
    from transformers import BigBirdConfig, BigBirdForMaskedLM

    sizes: dict[str, Any] = {
        "hidden_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    config = BigBirdConfig(
        **sizes, vocab_size=400, intermediate_size=48, attention_type="original_full"
    )
    whole = tmp_path / "whole"
    shutil.copytree(tiny_folder("bert"), whole)
    (whole / "model.safetensors").unlink()
    BigBirdForMaskedLM(config).save_pretrained(whole)
    poolers = ("bert.pooler.weight", "bert.pooler.bias")
    lacking = without(whole, tmp_path / "lacking", *poolers)
    one, other = (score_all(open_tiny(each), ["the dog"], Policy()) for each in (whole, lacking))
    assert one == other
