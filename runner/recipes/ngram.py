"""The recipe of the built-in n-gram models: Kneser-Ney on the training text of a language."""

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from pommel.models import Model, Policy, load_model
from pommel.training.ngram_recipe import NgramRecipe, write_arpa
from pommel.training.text import words_of
from recipes.texts import TEXTS, TrainingText

MODEL_FILE = "model.arpa.gz"
# Of what was tried on the full English text, the lowest held-out perplexity in less than 3.5 MB.
# Pruning costs little: 4.4 MB, with every trigram seen twice, are better by less than 2 %.
ORDER = 5
_MIN_COUNT = (1, 2, 3, 4)
# Of other languages there is less text, and less room.
SMALL_ORDER = 4
_SMALL_MIN_COUNT = (1, 1, 2, 2)
# Each number is then off by less than 0.0002 bits; a word adds up at most five of them.
_N_DECIMALS = 4
_N_HELD_OUT = 2_000
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramFigures:
    """What was made and how well it predicts sentences from the same grammar.

    The held-out figures are those of the file, read back. Following SRILM, perplexity is per word
    and `</s>`, without unknown words, whose share of the words is `held_out_oov_rate`.
    `held_out_bits_per_word` counts all there is, per word: the measure of the built-in GPT-2.
    `text_sha256` is that of the text's beginning (`TrainingText.sha256`).
    """

    n_sentences: int
    n_words: int
    vocabulary_size: int
    n_ngrams: tuple[int, ...]
    discounts: tuple[tuple[float, float, float], ...]
    n_held_out_sentences: int
    held_out_perplexity: float
    held_out_bits_per_word: float
    held_out_oov_rate: float
    n_bytes: int
    seconds: float
    sha256: str
    text_sha256: str


def train_ngram(
    out: Path,
    *,
    language: str = "en",
    scale: float = 1.0,
    seed: int = 1,
    order: int | None = None,
) -> NgramFigures:
    """Sample the text, estimate, and write model, card and figures into the folder `out`.

    `scale` is the share of the full text of the language, which has a usual order, too.

    The text is lower-cased, so that a word is the same at the beginning of a sentence: the model
    then knows capitalised words by their lower-case form. The model file is the same, byte by
    byte, for the same arguments; stages are reported on standard error.
    """
    started = time.monotonic()
    sampled = TEXTS[language]
    n_sentences = round(sampled.full_size * scale)
    is_small = language != "en"
    order = order or (SMALL_ORDER if is_small else ORDER)
    min_count = (_SMALL_MIN_COUNT if is_small else _MIN_COUNT)[:order]
    out.mkdir(parents=True, exist_ok=True)
    path = out / MODEL_FILE
    click.echo(f"counting {n_sentences:,} sentences", err=True)
    text = (words_of(sentence.lower()) for sentence in sampled.sample(n_sentences, seed))
    model = NgramRecipe(order=order, min_count=min_count).estimate(text)
    click.echo(f"writing {sum(model.n_ngrams):,} n-grams", err=True)
    write_arpa(model, path, n_decimals=_N_DECIMALS, is_gzip=True)
    click.echo(f"scoring {_N_HELD_OUT:,} held-out sentences", err=True)
    held_out = list(sampled.held_out(_N_HELD_OUT, seed))
    losses = _losses(load_model(f"ngram://{path}?reader=python"), held_out)
    perplexity, bits_per_word, oov_rate = losses
    content = path.read_bytes()
    figures = NgramFigures(
        n_sentences=model.n_sentences,
        n_words=model.n_words,
        vocabulary_size=model.n_ngrams[0],
        n_ngrams=model.n_ngrams,
        discounts=model.discounts,
        n_held_out_sentences=_N_HELD_OUT,
        held_out_perplexity=round(perplexity, 3),
        held_out_bits_per_word=round(bits_per_word, 4),
        held_out_oov_rate=round(oov_rate, 6),
        n_bytes=len(content),
        seconds=round(time.monotonic() - started, 1),
        sha256=hashlib.sha256(content).hexdigest(),
        text_sha256=sampled.sha256(seed),
    )
    recipe = {"language": language, "n_sentences": n_sentences, "seed": seed, "order": order}
    recipe |= {"min_count": min_count, "n_decimals": _N_DECIMALS}
    record = {"recipe": recipe, "figures": asdict(figures)}
    (out / "training.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    card = _card(figures, min_count, sampled=sampled, seed=seed, order=order)
    (out / "README.md").write_text(card, "utf-8")
    return figures


def _losses(model: Model, sentences: Sequence[str]) -> tuple[float, float, float]:
    """Return perplexity, bits per word and the share of unknown words; see `NgramFigures`."""
    scored = (each for _, each in model.score(sentences, Policy()))
    tokens = [token for sentence in scored for token in sentence.tokens]
    bits = [token.surprisal_bits or 0.0 for token in tokens]
    known = [each for each, token in zip(bits, tokens, strict=True) if not token.oov]
    n_words = len(tokens) - len(sentences)
    return 2 ** (sum(known) / len(known)), sum(bits) / n_words, (len(bits) - len(known)) / n_words


def _card(
    figures: NgramFigures,
    min_count: Sequence[int],
    *,
    sampled: TrainingText,
    seed: int,
    order: int,
) -> str:
    """Return the card in Markdown."""
    orders, n_bytes = range(1, order + 1), figures.n_bytes
    card = Path(__file__).with_name("ngram_card.md").read_text("utf-8")
    return card.format(
        **asdict(figures),
        language=sampled.language,
        language_name=sampled.name,
        kind="unigram" if order == 1 else "ngram",
        seed=seed,
        order=order,
        n_decimals=_N_DECIMALS,
        n_context=order - 1,
        scale=figures.n_sentences / sampled.full_size,
        orders=", ".join(map(str, orders)),
        ngram_counts=", ".join(f"{count:,}" for count in figures.n_ngrams),
        min_counts=", ".join(str(min_count[min(n, len(min_count)) - 1]) for n in orders),
        size=f"{n_bytes / 1e6:.1f} MB" if n_bytes >= _MEGABYTE else f"{n_bytes / 1e3:.0f} kB",
        oov_percent=100 * figures.held_out_oov_rate,
    )
