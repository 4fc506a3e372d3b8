"""The recipe of the built-in neural models: small GPT-2s trained on the text of a language."""

import json
import time
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Self

import click
import torch
from tokenizers import Tokenizer

from pommel.training import TransformerRecipe, Watcher
from pommel.training.transformer import trainer
from pommel.training.transformer.trainer import Trainer, encoded, n_predicted_in
from recipes.texts import TEXTS


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

    @property
    def of_network(self) -> TransformerRecipe:
        """What decides the weights beside text and seed; every sentence is seen once."""
        shared = {each.name for each in fields(TransformerRecipe)} & {
            each.name for each in fields(Recipe)
        }
        return TransformerRecipe(n_epochs=1, **{name: getattr(self, name) for name in shared})


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


class _Lines(Watcher):
    """Writes a line every hundred steps."""

    def __init__(self) -> None:
        self.n_steps = 0
        self.started = time.monotonic()

    def begin(self, seed: int, *, n_epochs: int, n_steps: int) -> None:  # noqa: ARG002
        self.n_steps = n_steps
        self.started = time.monotonic()

    def step(self, number: int, epoch: int, figures: str) -> None:  # noqa: ARG002
        if number % 100 == 1 or number == self.n_steps:
            seconds = time.monotonic() - self.started
            click.echo(f"step {number}/{self.n_steps}: {figures}, {seconds:.0f} s", err=True)


def train_gpt2(folder: Path, recipe: Recipe) -> TrainingFigures:
    """Train by `recipe` and write model, tokenizer, card and figures into `folder`.

    Progress goes to standard error. The weights are stored in float16 and rounded to it before
    the last validation; config.json asks for float32, so that they are computed with in float32.
    """
    started = time.monotonic()
    tokenizer, text = train_tokenizer(recipe), TEXTS[recipe.language]
    held_out = list(text.held_out(recipe.n_validation_sentences, recipe.seed))
    sentences, validation = (
        encoded(tokenizer, list(each), recipe.of_network)
        for each in (text.sample(recipe.n_sentences, recipe.seed), held_out)
    )
    training = Trainer(
        recipe.of_network,
        tokenizer,
        seed=recipe.seed,
        bfloat16=recipe.bfloat16,
        float16_weights=True,
    )
    found = training.train(sentences, validation, _Lines())
    bits = found.validation_bits_per_token * n_predicted_in(validation)
    figures = TrainingFigures(
        steps=found.n_steps,
        seconds=round(time.monotonic() - started, 1),
        n_threads=torch.get_num_threads(),
        n_parameters=found.n_parameters,
        n_training_tokens=found.n_training_tokens,
        unigram_bits_per_token=round(found.unigram_bits_per_token, 4),
        start_bits_per_token=round(found.start_bits_per_token, 4),
        validation_bits_per_token=round(found.validation_bits_per_token, 4),
        validation_bits_per_word=round(bits / sum(len(text.split()) for text in held_out), 4),
    )
    training.save(folder)
    _describe(folder, recipe, figures)
    return figures


def train_tokenizer(recipe: Recipe) -> Tokenizer:
    """Train a byte-level BPE tokenizer, set up as GPT-2's is; any text can be encoded."""
    # A seed of its own: the tokenizer is the same whatever the scale.
    text = TEXTS[recipe.language].sample(recipe.n_tokenizer_sentences, recipe.seed + 1)
    return trainer.train_tokenizer(text, recipe.of_network)


def _describe(folder: Path, recipe: Recipe, figures: TrainingFigures) -> None:
    """Write the figures and the card."""
    record = {"recipe": asdict(recipe), "torch": torch.__version__, "figures": asdict(figures)}
    (folder / "training.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    limits = "gpt2_limits_en.md" if recipe.language == "en" else "gpt2_limits.md"
    card, limits = (
        Path(__file__).with_name(name).read_text("utf-8") for name in ("gpt2_card.md", limits)
    )
    values = {**asdict(recipe), "n_sentences": recipe.n_sentences, **asdict(figures)}
    values |= {"language_name": TEXTS[recipe.language].name, "limits": limits}
    (folder / "README.md").write_text(card.format(**values), "utf-8")
