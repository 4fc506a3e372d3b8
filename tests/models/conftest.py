"""Tiny Hugging Face models with random weights, and small tokenizers."""

import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.models.tiny_tokenizers import tokenizer_for

FolderOf = Callable[[str], Path]


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> FolderOf:
    """Return a function from a kind ("gpt2", "llama", ...) to the folder of such a model."""
    import torch

    # Threads cost tiny models more than they give.
    torch.set_num_threads(1)
    root = tmp_path_factory.mktemp("tiny")

    def folder_of(kind: str) -> Path:
        folder = root / kind
        if not folder.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _build(kind, folder)
        return folder

    return folder_of


def _build(kind: str, folder: Path) -> None:
    import torch

    logging: Any = import_module("transformers.utils.logging")

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.manual_seed(5)
    tokenizer = tokenizer_for(kind, folder)
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)
    model = _network(kind, 20 if kind.startswith("small") else 400)
    model.save_pretrained(folder)


def _network(kind: str, vocabulary: int) -> Any:
    hf: Any = import_module("transformers")
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    feed = {"intermediate_size": 48}
    # So large that probabilities differ by bits from token to token.
    common = {"vocab_size": vocabulary, "initializer_range": 0.3, "use_cache": True}
    common |= {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 1}
    limit = {"max_position_embeddings": 64}
    name = kind.partition("-")[0]
    if name in _MASKED:
        return _masked_network(kind, vocabulary)
    if name in {"t5", "bart"}:
        return _encoder_decoder_network(kind, vocabulary)
    if name == "llama":
        config = hf.LlamaConfig(**size, **feed, **common, **limit, num_key_value_heads=2)
        return hf.LlamaForCausalLM(config)
    if name == "neox":
        return hf.GPTNeoXForCausalLM(hf.GPTNeoXConfig(**size, **feed, **common, **limit))
    if name == "opt":
        options = {"ffn_dim": 48, "word_embed_proj_dim": 32, "init_std": 0.3}
        return hf.OPTForCausalLM(hf.OPTConfig(**size, **common, **limit, **options))
    if name == "bloom":
        return hf.BloomForCausalLM(hf.BloomConfig(hidden_size=32, n_layer=2, n_head=4, **common))
    if name == "mamba":
        config = hf.MambaConfig(hidden_size=32, num_hidden_layers=2, state_size=8, **common)
        return hf.MambaForCausalLM(config)
    config = hf.GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=64, **common)
    return hf.GPT2LMHeadModel(config)


_MASKED = frozenset({"bert", "roberta", "distilbert", "xlmr", "albert"})


def _masked_network(kind: str, vocabulary: int) -> Any:
    hf: Any = import_module("transformers")
    size: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    size |= {"intermediate_size": 48, "vocab_size": vocabulary, "initializer_range": 0.3}
    limit = {"max_position_embeddings": 64}
    # RoBERTa's positions begin behind that of padding.
    places = {"max_position_embeddings": 66, "pad_token_id": 1}
    match kind:
        case "roberta":
            return hf.RobertaForMaskedLM(hf.RobertaConfig(**size, **places))
        case "xlmr":
            return hf.XLMRobertaForMaskedLM(hf.XLMRobertaConfig(**size, **places))
        case "albert":
            return hf.AlbertForMaskedLM(hf.AlbertConfig(**size, **limit, embedding_size=16))
        case "distilbert":
            size = {"dim": 32, "hidden_dim": 48, "n_layers": 2, "n_heads": 4, **limit}
            config = hf.DistilBertConfig(vocab_size=vocabulary, initializer_range=0.3, **size)
            return hf.DistilBertForMaskedLM(config)
        case "bert-headless":
            return hf.BertModel(hf.BertConfig(**size, **limit))
        case "bert-decoder":
            return hf.BertLMHeadModel(hf.BertConfig(**size, **limit, is_decoder=True))
    return hf.BertForMaskedLM(hf.BertConfig(**size, **limit))


def _encoder_decoder_network(kind: str, vocabulary: int) -> Any:
    hf: Any = import_module("transformers")
    if kind.startswith("t5"):
        size = {"d_model": 32, "d_ff": 48, "num_layers": 2, "num_heads": 2, "d_kv": 8}
        start = {} if kind == "t5-startless" else {"decoder_start_token_id": 0}
        return hf.T5ForConditionalGeneration(hf.T5Config(vocab_size=vocabulary, **start, **size))
    size = {"encoder_layers": 2, "encoder_attention_heads": 4, "encoder_ffn_dim": 48}
    size |= {"decoder_layers": 2, "decoder_attention_heads": 4, "decoder_ffn_dim": 48}
    size |= {"d_model": 32, "max_position_embeddings": 64, "decoder_start_token_id": 0}
    config = hf.BartConfig(vocab_size=vocabulary, init_std=0.3, **size)
    return hf.BartForConditionalGeneration(config)
