"""Networks of well-known shapes with random weights, tokenizers trained on the text they read.

How fast a network is does not depend on its weights.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

SEED = 4
N_SUBWORDS = 5_000
GPT2_VOCABULARY, BERT_VOCABULARY = 50_257, 30_522
END_OF_TEXT = "<|endoftext|>"


def make_gpt2(folder: Path, texts: Iterable[str], *, tiny: bool = False) -> None:
    """Write a causal network of GPT-2-small's shape; `tiny` is for trying things out."""
    import torch

    hf: Any = import_module("transformers")
    size = {"n_layer": 2, "n_embd": 16, "n_head": 2} if tiny else {}
    torch.manual_seed(SEED)
    marks = make_gpt2_tokenizer(folder, texts)
    config = hf.GPT2Config(vocab_size=GPT2_VOCABULARY, **size, **marks)
    hf.GPT2LMHeadModel(config).save_pretrained(folder)


def make_gpt2_tokenizer(folder: Path, texts: Iterable[str]) -> dict[str, int]:
    """Write a tokenizer like GPT-2's; return the ids of its marks, as configurations name them."""
    hf: Any = import_module("transformers")
    # A mark behind the vocabulary, which is never added: who wants no mark has the same tokens.
    tokenizer = hf.PreTrainedTokenizerFast(
        tokenizer_object=byte_level_bpe(texts), bos_token=END_OF_TEXT, eos_token=END_OF_TEXT
    )
    tokenizer.save_pretrained(folder)
    return dict.fromkeys(("bos_token_id", "eos_token_id"), int(tokenizer.bos_token_id))


def make_bert(folder: Path, texts: Iterable[str], *, tiny: bool = False) -> None:
    """Write a masked network of BERT-base's shape; `tiny` is for trying things out."""
    import torch

    hf: Any = import_module("transformers")
    width = {"hidden_size": 16, "intermediate_size": 64}
    size = {"num_hidden_layers": 2, "num_attention_heads": 2, **width} if tiny else {}
    torch.manual_seed(SEED)
    config = hf.BertConfig(vocab_size=BERT_VOCABULARY, **size)
    hf.BertForMaskedLM(config).save_pretrained(folder)
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    tokenizer = hf.PreTrainedTokenizerFast(
        tokenizer_object=word_piece(texts, list(names.values())), **names
    )
    tokenizer.save_pretrained(folder)


def byte_level_bpe(texts: Iterable[str]) -> Any:
    """Return a tokenizer like GPT-2's, of 5,000 items at most, which adds no mark."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=N_SUBWORDS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def word_piece(texts: Iterable[str], marks: list[str]) -> Any:
    """Return a tokenizer like BERT's (uncased), of 5,000 items at most, which adds its marks."""
    from tokenizers import (
        Tokenizer,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )

    tokenizer: Any = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=N_SUBWORDS, special_tokens=marks, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", tokenizer.token_to_id("[SEP]")), ("[CLS]", tokenizer.token_to_id("[CLS]"))
    )
    return tokenizer


def load(folder: Path, *, masked: bool, device: str, dtype: str) -> tuple[Any, Any]:
    """Return the network and tokenizer that others score with: as transformers loads them."""
    import torch

    hf: Any = import_module("transformers")
    kind = hf.AutoModelForMaskedLM if masked else hf.AutoModelForCausalLM
    network = kind.from_pretrained(folder, dtype=getattr(torch, dtype)).to(device).eval()
    return network, hf.AutoTokenizer.from_pretrained(folder)
