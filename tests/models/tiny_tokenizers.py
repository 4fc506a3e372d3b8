"""Small tokenizers of every family, trained on a few sentences."""

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

SENTENCES = (
    "The cats that the dog saw were here .",
    "The dog that saw the cats was here .",
    "I like the dog 🙂 .",
    "naïve café people saw e\u0301 and 🦒 .",
    "I",
    "the dogs that they saw , and the cats , were not here at all yesterday .",
)


def tokenizer_for(kind: str, folder: Path) -> Any:
    """Return the tokenizer of a kind of model, None for a model without one."""
    return _ctrl(folder) if kind == "gpt2-ctrl" else _TOKENIZERS.get(kind, byte_level)()


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


def word_pieces(template: str = "[CLS] $A [SEP]") -> Any:
    """BERT's: lower case, punctuation on its own, `##` where a word goes on."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    core = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    core.normalizer = normalizers.BertNormalizer()
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    marks = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    trainer = trainers.WordPieceTrainer(
        vocab_size=90, show_progress=False, special_tokens=list(marks.values())
    )
    plain = [sentence for sentence in SENTENCES if sentence.isascii()]
    core.train_from_iterator(plain * 3, trainer)
    return _finished(core, template, marks)


def unigram(template: str, **marks: str) -> Any:
    """SentencePiece's pieces of words, `▁` where a word begins."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    core = Tokenizer(models.Unigram())
    core.pre_tokenizer = pre_tokenizers.Metaspace()
    marks = {"pad_token": "<pad>", "unk_token": "<unk>", **marks}
    trainer = trainers.UnigramTrainer(
        vocab_size=120,
        show_progress=False,
        special_tokens=list(marks.values()),
        unk_token="<unk>",
    )
    plain = [sentence for sentence in SENTENCES if sentence.isascii()]
    core.train_from_iterator(plain * 3, trainer)
    return _finished(core, template, marks)


def _roberta() -> Any:
    return byte_level(
        "<s> $A </s>",
        bos_token="<s>",
        cls_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        sep_token="</s>",
        mask_token="<mask>",
    )


def _xlmr() -> Any:
    marks = {"bos_token": "<s>", "eos_token": "</s>", "mask_token": "<mask>"}
    return unigram("<s> $A </s>", **marks)


def _albert() -> Any:
    marks = {"cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    return unigram("[CLS] $A [SEP]", **marks)


_TOKENIZERS: dict[str, Callable[[], Any]] = {
    "llama": metaspace,
    "llama-eos": lambda: metaspace("<s> $A </s>"),
    "llama-words": word_level,
    "llama-cls": lambda: word_level("[CLS] $A [SEP]"),
    "llama-dropping": dropping,
    "opt": lambda: byte_level("</s> $A", bos_token="</s>", eos_token="</s>"),
    "gpt2-bare": lambda: None,
    "small-gpt2": lambda: None,
    "bert": word_pieces,
    "bert-decoder": word_pieces,
    "bert-headless": word_pieces,
    "bert-maskless": lambda: word_level("[CLS] $A [SEP]"),
    "distilbert": word_pieces,
    "roberta": _roberta,
    "xlmr": _xlmr,
    "albert": _albert,
    "t5": lambda: unigram("$A </s>", eos_token="</s>"),
    "t5-startless": lambda: unigram("$A </s>", eos_token="</s>"),
    "bart": _roberta,
}
