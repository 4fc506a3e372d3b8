"""The recipe of the built-in n-gram model: Kneser-Ney on the training English."""

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
from recipes.english.grammar import FULL_SIZE, held_out_corpus, sample_corpus

MODEL_FILE = "model.arpa.gz"
# Of what was tried on the full text, the lowest held-out perplexity in less than 3.5 MB. Pruning
# costs little: 4.4 MB, with every trigram seen twice, are better by less than 2 %.
ORDER = 5
_MIN_COUNT = (1, 2, 3, 4)
# Each number is then off by less than 0.0002 bits; a word adds up at most five of them.
_N_DECIMALS = 4
_N_HELD_OUT = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramFigures:
    """What was made and how well it predicts sentences from the same grammar.

    The held-out figures are those of the file, read back. Following SRILM, perplexity is per word
    and `</s>`, without unknown words, whose share of the words is `held_out_oov_rate`.
    `held_out_bits_per_word` counts all there is, per word: the measure of the built-in GPT-2.
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


def train_ngram(
    out: Path, *, n_sentences: int = FULL_SIZE, seed: int = 1, order: int = ORDER
) -> NgramFigures:
    """Sample the text, estimate, and write model, card and figures into the folder `out`.

    The text is lower-cased, so that a word is the same at the beginning of a sentence: the model
    then knows capitalised words by their lower-case form. The model file is the same, byte by
    byte, for the same arguments; stages are reported on standard error.
    """
    started = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    path = out / MODEL_FILE
    click.echo(f"counting {n_sentences:,} sentences", err=True)
    text = (words_of(sentence.lower()) for sentence in sample_corpus(n_sentences, seed))
    model = NgramRecipe(order=order, min_count=_MIN_COUNT).estimate(text)
    click.echo(f"writing {sum(model.n_ngrams):,} n-grams", err=True)
    write_arpa(model, path, n_decimals=_N_DECIMALS, is_gzip=True)
    click.echo(f"scoring {_N_HELD_OUT:,} held-out sentences", err=True)
    held_out = list(held_out_corpus(_N_HELD_OUT, seed))
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
    )
    recipe = {"n_sentences": n_sentences, "seed": seed, "order": order, "min_count": _MIN_COUNT}
    recipe["n_decimals"] = _N_DECIMALS
    record = {"recipe": recipe, "figures": asdict(figures)}
    (out / "training.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    (out / "README.md").write_text(_card(figures, seed=seed, order=order), "utf-8")
    return figures


def _losses(model: Model, sentences: Sequence[str]) -> tuple[float, float, float]:
    """Return perplexity, bits per word and the share of unknown words; see `NgramFigures`."""
    scored = (each for _, each in model.score(sentences, Policy()))
    tokens = [token for sentence in scored for token in sentence.tokens]
    bits = [token.surprisal_bits or 0.0 for token in tokens]
    known = [each for each, token in zip(bits, tokens, strict=True) if not token.oov]
    n_words = len(tokens) - len(sentences)
    return 2 ** (sum(known) / len(known)), sum(bits) / n_words, (len(bits) - len(known)) / n_words


def _card(figures: NgramFigures, *, seed: int, order: int) -> str:
    """Return the card in Markdown."""
    orders = range(1, order + 1)
    card = Path(__file__).with_name("ngram_card.md").read_text("utf-8")
    return card.format(
        **asdict(figures),
        seed=seed,
        order=order,
        n_decimals=_N_DECIMALS,
        n_context=order - 1,
        scale=figures.n_sentences / FULL_SIZE,
        orders=", ".join(map(str, orders)),
        ngram_counts=", ".join(f"{count:,}" for count in figures.n_ngrams),
        min_counts=", ".join(str(_MIN_COUNT[min(n, len(_MIN_COUNT)) - 1]) for n in orders),
        megabytes=figures.n_bytes / 1e6,
        oov_percent=100 * figures.held_out_oov_rate,
    )
