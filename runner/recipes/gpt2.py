"""The recipe of the built-in neural models: small GPT-2s trained on the text of a language."""

import json
import math
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

import click
import torch
from tokenizers import ByteLevelBPETokenizer, Tokenizer
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from recipes.texts import TEXTS

END_OF_TEXT = "<|endoftext|>"
_POOL_BATCHES = 64

Sentence = list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Everything that decides the weights, but for the machine's arithmetic."""

    language: str = "en"
    seed: int = 1
    scale: float = 1.0
    n_sentences_full: int = TEXTS["en"].full_size
    n_validation_sentences: int = 2_000
    n_tokenizer_sentences: int = 60_000
    vocabulary_size: int = 1_500
    n_positions: int = 128
    width: int = 160
    n_layers: int = 4
    n_heads: int = 4
    batch_size: int = 64
    learning_rate: float = 2e-3
    weight_decay: float = 0.01
    warmup_share: float = 0.04
    bfloat16: bool = True

    @classmethod
    def of(cls, language: str, *, seed: int = 1, scale: float = 1.0) -> Self:
        """Return the recipe of a language's model; but for English there is less text and room."""
        recipe = cls(language=language, seed=seed, scale=scale)
        if language == "en":
            return recipe
        return replace(
            recipe,
            n_sentences_full=TEXTS[language].full_size,
            n_validation_sentences=1_000,
            n_tokenizer_sentences=10_000,
            vocabulary_size=1_600,
            width=64,
            n_layers=2,
            batch_size=32,
            learning_rate=5e-3,
            bfloat16=False,
        )

    @property
    def n_sentences(self) -> int:
        """How many sentences the model sees, each once."""
        return max(self.batch_size, round(self.n_sentences_full * self.scale))


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingFigures:
    """What came out: losses in bits, `start` before the first step, `seconds` by the clock."""

    steps: int
    seconds: float
    n_threads: int
    n_parameters: int
    n_training_tokens: int
    unigram_bits_per_token: float
    start_bits_per_token: float
    validation_bits_per_token: float
    validation_bits_per_word: float


def train_gpt2(folder: Path, recipe: Recipe) -> TrainingFigures:
    """Train by `recipe` and write model, tokenizer, card and figures into `folder`.

    Progress goes to standard error. The weights are stored in float16 and rounded to it before
    the last validation; config.json asks for float32, so that they are computed with in float32.
    """
    started = time.monotonic()
    torch.manual_seed(recipe.seed)
    tokenizer, text = train_tokenizer(recipe), TEXTS[recipe.language]
    sentences = _encoded(tokenizer, list(text.sample(recipe.n_sentences, recipe.seed)))
    held_out = list(text.held_out(recipe.n_validation_sentences, recipe.seed))
    validation = _encoded(tokenizer, held_out)
    model = GPT2LMHeadModel(_config(recipe))
    start_bits = _total_bits(model, validation)
    steps = _fit(model, sentences, recipe)
    for weight in model.parameters():
        weight.data = weight.data.half().float()
    bits = _total_bits(model, validation)
    n_tokens = _n_predicted(validation)
    figures = TrainingFigures(
        steps=steps,
        seconds=round(time.monotonic() - started, 1),
        n_threads=torch.get_num_threads(),
        n_parameters=sum(weight.numel() for weight in model.parameters()),
        n_training_tokens=_n_predicted(sentences),
        unigram_bits_per_token=round(_unigram_bits(sentences, validation), 4),
        start_bits_per_token=round(start_bits / n_tokens, 4),
        validation_bits_per_token=round(bits / n_tokens, 4),
        validation_bits_per_word=round(bits / sum(len(text.split()) for text in held_out), 4),
    )
    _save(folder, model, tokenizer, recipe, figures)
    return figures


def train_tokenizer(recipe: Recipe) -> Tokenizer:
    """Train a byte-level BPE tokenizer, set up as GPT-2's is; any text can be encoded."""
    tokenizer = ByteLevelBPETokenizer(trim_offsets=False)
    # A seed of its own: the tokenizer is the same whatever the scale.
    text = TEXTS[recipe.language].sample(recipe.n_tokenizer_sentences, recipe.seed + 1)
    tokenizer.train_from_iterator(
        text, recipe.vocabulary_size, 0, show_progress=False, special_tokens=[END_OF_TEXT]
    )
    return Tokenizer.from_str(tokenizer.to_str())


def _encoded(tokenizer: Tokenizer, sentences: list[str]) -> list[Sentence]:
    end = tokenizer.get_vocab()[END_OF_TEXT]
    encodings = tokenizer.encode_batch(sentences)
    return [[end, *encoding.ids, end] for encoding in encodings]


def _config(recipe: Recipe) -> GPT2Config:
    return GPT2Config(
        vocab_size=recipe.vocabulary_size,
        n_positions=recipe.n_positions,
        n_embd=recipe.width,
        n_layer=recipe.n_layers,
        n_head=recipe.n_heads,
        bos_token_id=0,
        eos_token_id=0,
        # Every sentence is seen once: there is nothing to regularise.
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
    )


def _fit(model: GPT2LMHeadModel, sentences: list[Sentence], recipe: Recipe) -> int:
    """Train for one pass over `sentences`; returns the number of steps."""
    batches = list(_batches(sentences, recipe))
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr=recipe.learning_rate,
        weight_decay=recipe.weight_decay,
        betas=(0.9, 0.98),
        fused=True,
    )
    model.train()
    started = time.monotonic()
    for step, batch in enumerate(batches):
        share = (step + 1) / len(batches)
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate * _schedule(share, recipe.warmup_share)
        with torch.autocast("cpu", torch.bfloat16, enabled=recipe.bfloat16):
            loss = _nats(model, batch) / _n_predicted(batch)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0 or step + 1 == len(batches):
            bits, seconds = loss.item() / math.log(2), time.monotonic() - started
            said = f"step {step + 1}/{len(batches)}: {bits:.3f} bits per token, {seconds:.0f} s"
            click.echo(said, err=True)
    return len(batches)


def _batches(sentences: list[Sentence], recipe: Recipe) -> Iterator[list[Sentence]]:
    """Yield batches of sentences of like length, in random order: little padding, little bias."""
    size = recipe.batch_size
    order = random.Random(recipe.seed)  # noqa: S311 - shuffling, not secrets
    for start in range(0, len(sentences), size * _POOL_BATCHES):
        pool = sorted(sentences[start : start + size * _POOL_BATCHES], key=len)
        groups = [pool[first : first + size] for first in range(0, len(pool), size)]
        order.shuffle(groups)
        yield from groups


def _nats(model: GPT2LMHeadModel, batch: Sequence[Sentence]) -> torch.Tensor:
    """Return the sum of the surprisals, in nats, of every token but the first of each sentence."""
    # Padding stands on the right, where causal attention does not see it, and is no target.
    tokens = pad_sequence(list(map(torch.tensor, batch)), batch_first=True, padding_value=-100)
    logits = model(input_ids=tokens[:, :-1].clamp(min=0), use_cache=False).logits
    targets = tokens[:, 1:].flatten()
    return functional.cross_entropy(logits.float().flatten(0, 1), targets, reduction="sum")


def _n_predicted(batch: Sequence[Sentence]) -> int:
    return sum(len(sentence) - 1 for sentence in batch)


def _schedule(share: float, warmup_share: float) -> float:
    """Return the part of the learning rate at this share of the steps."""
    if share < warmup_share:
        return share / warmup_share
    done = (share - warmup_share) / (1 - warmup_share)
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done))


@torch.no_grad()
def _total_bits(model: GPT2LMHeadModel, sentences: list[Sentence]) -> float:
    model.eval()  # type: ignore[no-untyped-call]
    ordered = sorted(sentences, key=len)
    starts = range(0, len(ordered), 100)
    nats = sum(_nats(model, ordered[start : start + 100]).item() for start in starts)
    return nats / math.log(2)


def _unigram_bits(sentences: list[Sentence], validation: list[Sentence]) -> float:
    """Return the bits per validation token of the best guess that sees no context."""
    counts = Counter(token for sentence in sentences for token in sentence[1:])
    total = counts.total() + len(counts)
    tokens = [token for sentence in validation for token in sentence[1:]]
    return -sum(math.log2((counts[token] + 1) / total) for token in tokens) / len(tokens)


def _save(
    folder: Path,
    model: GPT2LMHeadModel,
    tokenizer: Tokenizer,
    recipe: Recipe,
    figures: TrainingFigures,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    model.half().save_pretrained(folder)  # type: ignore[no-untyped-call]
    # Either name of the same setting: transformers 5 reads the first, 4 the second.
    _amend(folder / "config.json", {"dtype": "float32", "torch_dtype": "float32"})
    # Sampling settings would suggest that the model is meant to write text.
    (folder / "generation_config.json").unlink(missing_ok=True)
    wrapped = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        bos_token=END_OF_TEXT,
        eos_token=END_OF_TEXT,
        unk_token=END_OF_TEXT,
        model_max_length=recipe.n_positions,
        clean_up_tokenization_spaces=False,
    )
    wrapped.save_pretrained(folder)
    # transformers 5 writes a class name that 4 does not know.
    _amend(folder / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast"})
    # safetensors lets nobody but the owner read, which an installed package must not keep.
    (folder / "model.safetensors").chmod(0o644)
    record = {"recipe": asdict(recipe), "torch": torch.__version__, "figures": asdict(figures)}
    (folder / "training.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    limits = "gpt2_limits_en.md" if recipe.language == "en" else "gpt2_limits.md"
    card, limits = (
        Path(__file__).with_name(name).read_text("utf-8") for name in ("gpt2_card.md", limits)
    )
    values = {**asdict(recipe), "n_sentences": recipe.n_sentences, **asdict(figures)}
    values |= {"language_name": TEXTS[recipe.language].name, "limits": limits}
    (folder / "README.md").write_text(card.format(**values), "utf-8")


def _amend(path: Path, settings: Mapping[str, str]) -> None:
    config = json.loads(path.read_text("utf-8")) | settings
    path.write_text(json.dumps(config, indent=1, sort_keys=True) + "\n", "utf-8")
