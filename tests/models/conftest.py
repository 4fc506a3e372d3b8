"""Tiny Hugging Face models with random weights, and tokenizers trained on a few sentences."""

# ruff: noqa: PLC0415 - torch and transformers are optional

import json
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

SENTENCES = (
    "The cats that the dog saw were here .",
    "The dog that saw the cats was here .",
    "I like the dog 🙂 .",
    "naïve café people saw e\u0301 and 🦒 .",
    "I",
    "the dogs that they saw , and the cats , were not here at all yesterday .",
)

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
    tokenizer = _ctrl(folder) if kind == "gpt2-ctrl" else _TOKENIZERS.get(kind, byte_level)()
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)
    model = _network(kind, 20 if kind.startswith("small") else 400)
    model.save_pretrained(folder)


def byte_level(template: str = "", **marks: str) -> Any:
    """GPT-2's: one mark for both ends, which it never adds by itself."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    marks = marks or {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>"}
    trainer = trainers.BpeTrainer(
        vocab_size=360,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
        special_tokens=sorted(set(marks.values())),
    )
    core.train_from_iterator(SENTENCES * 3, trainer)
    return _finished(core, template, marks)


def metaspace(template: str = "<s> $A") -> Any:
    """Llama's: a dummy space in front, bytes for unknown characters, BOS added by itself."""
    from tokenizers import Tokenizer, models, normalizers, trainers

    core = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    core.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=390, show_progress=False, special_tokens=special)
    plain = [sentence for sentence in SENTENCES if sentence.isascii()]
    core.train_from_iterator(plain * 3, trainer)
    # Those of the bytes are ordinary tokens.
    state = json.loads(core.to_str())
    state["added_tokens"] = [token for token in state["added_tokens"] if token["id"] < 3]
    core = Tokenizer.from_str(json.dumps(state))
    marks = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    return _finished(core, template, marks)


def word_level(template: str = "") -> Any:
    """Lower-cased NFKC words, unknown words, no mark at all."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    core = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    core.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordLevelTrainer(
        vocab_size=100, show_progress=False, special_tokens=["[UNK]", "[CLS]", "[SEP]"]
    )
    core.train_from_iterator([sentence.lower() for sentence in SENTENCES[:2]], trainer)
    marks = {"unk_token": "[UNK]"}
    if template:
        marks |= {"cls_token": "[CLS]", "sep_token": "[SEP]"}
    return _finished(core, template, marks)


def dropping() -> Any:
    """Drops, without a word, what it has no token for."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    core = Tokenizer(models.BPE({"I": 0, "l": 1}, []))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return _finished(core, "", {})


def _finished(core: Any, template: str, marks: dict[str, str]) -> Any:
    from tokenizers import processors

    hf: Any = import_module("transformers")

    if template:
        names = [name for name in template.split() if name != "$A"]
        core.post_processor = processors.TemplateProcessing(
            single=template, special_tokens=[(name, core.token_to_id(name)) for name in names]
        )
    return hf.PreTrainedTokenizerFast(tokenizer_object=core, **marks)


def _ctrl(folder: Path) -> Any:
    """Return a tokenizer in Python, without offsets: CTRL's pieces end in `@@`."""
    hf: Any = import_module("transformers")

    words = ["the", "cats", "dog", "saw", "were", "here", ".", "that", "i", "like"]
    letters = sorted({character for word in words for character in word})
    pieces = [f"{letter}@@" for letter in letters] + letters
    vocabulary = ["<unk>", "do@@", *pieces, *(word for word in words if len(word) > 1)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(vocabulary)}))
    (folder / "merges.txt").write_text("#version: 0.2\nt h\nth e</w>\nd o\ndo g</w>\n")
    return hf.CTRLTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))


_TOKENIZERS: dict[str, Callable[[], Any]] = {
    "llama": metaspace,
    "llama-eos": lambda: metaspace("<s> $A </s>"),
    "llama-words": word_level,
    "llama-cls": lambda: word_level("[CLS] $A [SEP]"),
    "llama-dropping": dropping,
    "opt": lambda: byte_level("</s> $A", bos_token="</s>", eos_token="</s>"),
    "gpt2-bare": lambda: None,
    "small-gpt2": lambda: None,
}


def _network(kind: str, vocabulary: int) -> Any:
    hf: Any = import_module("transformers")

    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    feed = {"intermediate_size": 48}
    # So large that probabilities differ by bits from token to token.
    common = {"vocab_size": vocabulary, "initializer_range": 0.3, "use_cache": True}
    common |= {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 1}
    limit = {"max_position_embeddings": 64}
    name = kind.partition("-")[0]
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
    if name == "bert":
        return hf.BertForMaskedLM(hf.BertConfig(**size, **feed, **common, **limit))
    if name == "t5":
        sizes = {"d_model": 32, "d_ff": 48, "num_layers": 1, "num_heads": 2, "d_kv": 8}
        return hf.T5ForConditionalGeneration(
            hf.T5Config(vocab_size=vocabulary, decoder_start_token_id=0, **sizes)
        )
    config = hf.GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=64, **common)
    return hf.GPT2LMHeadModel(config)
