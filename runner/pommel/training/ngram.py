"""The recipe of the built-in n-gram model: Kneser-Ney on the training English."""

import hashlib
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pommel.models import Model, Policy, load_model
from pommel.training.corpus import FULL_SIZE, held_out_corpus, sample_corpus
from pommel.training.ngram_corpus import NgramEstimate
from pommel.training.ngram_recipe import NgramRecipe, write_arpa
from pommel.training.text import words_of

_CARD = """\
---
license: mit
language: en
---

# en-ngram

An n-gram model of order {order} with interpolated modified Kneser-Ney smoothing (Chen & Goodman
1999), estimated from English that was sampled from pommel's own grammar. It is there so that
pommel can be tried, taught and tested without a download, and as the baseline that sees no
structure: a window of {n_context} words cannot tell which noun a distant verb agrees with.

    python -m pommel.training ngram --seed {seed} --scale {scale:g} --order {order} --out FOLDER

| | |
|---|---|
| sentences, words | {n_sentences:,}, {n_words:,} |
| n-grams of order {orders} | {ngram_counts} |
| kept if seen, by order | {min_counts} times |
| file | {megabytes:.1f} MB |
| time | {seconds:,.0f} s on one CPU core |
| held-out perplexity | {held_out_perplexity:.2f} per word and `</s>`, \
on {n_held_out_sentences:,} sentences |
| held-out loss | {held_out_bits_per_word:.3f} bits per word |
| held-out unknown words | {oov_percent:.3f} % |

- **File**: `model.arpa.gz`, a gzipped ARPA file with {n_decimals} decimals; any toolkit reads it.
- **Words** are in lower case, cut as `pommel.models.word_level` says; a capitalised word is
  looked up in lower case. Sentences are scored one by one from `<s>` to `</s>`.
- **Text**: at scale 1 and with the same seed, the sentences that the built-in GPT-2 is trained on.
- **Licence**: MIT, model and text alike. No text but the grammar's was used.
- **Reproduction**: the same arguments give the same text and the same counts on any machine; the
  file's SHA-256 was `{sha256}`.

## Limits
The model knows the lexicon of `pommel.training` ({vocabulary_size:,} word forms, marks included).
Any other word is `<unk>`, whose probability comes from smoothing alone. The held-out text is from
the same grammar, so its perplexity says how regular the grammar is, nothing about English.
"""


def model_card(recipe: Mapping[str, Any], figures: Mapping[str, Any], *, full_size: int) -> str:
    """Return the card in Markdown, filled with the recipe's settings and the figures.

    `full_size` is the number of sentences at scale 1.
    """
    orders = range(1, recipe["order"] + 1)
    least = recipe["min_count"]
    values = {
        "n_context": recipe["order"] - 1,
        "scale": recipe["n_sentences"] / full_size,
        "orders": ", ".join(str(order) for order in orders),
        "ngram_counts": ", ".join(f"{count:,}" for count in figures["n_ngrams"]),
        "min_counts": ", ".join(str(least[min(order, len(least)) - 1]) for order in orders),
        "megabytes": figures["n_bytes"] / 1e6,
        "oov_percent": 100 * figures["held_out_oov_rate"],
    }
    return _CARD.format(**{**recipe, **figures, **values})


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
    _report(f"counting {n_sentences:,} sentences")
    ngram_recipe = NgramRecipe(order=order, min_count=_MIN_COUNT)
    # Cut as the model will cut what it scores.
    text = (words_of(sentence.lower()) for sentence in sample_corpus(n_sentences, seed))
    model = ngram_recipe.estimate(text)
    _report(f"writing {sum(model.n_ngrams):,} n-grams")
    write_arpa(model, path, n_decimals=_N_DECIMALS, is_gzip=True)
    _report(f"scoring {_N_HELD_OUT:,} held-out sentences")
    held_out = _held_out_figures(load_model(f"ngram://{path}?reader=python"), seed)
    figures = _figures(model, path, held_out, seconds=time.monotonic() - started)
    recipe = {
        "n_sentences": n_sentences,
        "seed": seed,
        "order": order,
        "min_count": _MIN_COUNT,
        "n_decimals": _N_DECIMALS,
    }
    record = {"recipe": recipe, "figures": asdict(figures)}
    (out / "training.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    (out / "README.md").write_text(
        model_card(recipe, asdict(figures), full_size=FULL_SIZE), "utf-8"
    )
    return figures


@dataclass(frozen=True, slots=True, kw_only=True)
class _HeldOut:
    perplexity: float
    bits_per_word: float
    oov_rate: float


def _held_out_figures(model: Model, seed: int) -> _HeldOut:
    sentences = list(held_out_corpus(_N_HELD_OUT, seed))
    scored = [each for _, each in model.score(sentences, Policy())]
    tokens = [token for sentence in scored for token in sentence.tokens]
    bits = [token.surprisal_bits or 0.0 for token in tokens]
    known = [each for each, token in zip(bits, tokens, strict=True) if not token.oov]
    n_words = len(tokens) - len(sentences)
    return _HeldOut(
        perplexity=2 ** (sum(known) / len(known)),
        bits_per_word=sum(bits) / n_words,
        oov_rate=(len(tokens) - len(known)) / n_words,
    )


def _figures(
    model: NgramEstimate, path: Path, held_out: _HeldOut, *, seconds: float
) -> NgramFigures:
    content = path.read_bytes()
    return NgramFigures(
        n_sentences=model.n_sentences,
        n_words=model.n_words,
        vocabulary_size=model.n_ngrams[0],
        n_ngrams=model.n_ngrams,
        discounts=model.discounts,
        n_held_out_sentences=_N_HELD_OUT,
        held_out_perplexity=round(held_out.perplexity, 3),
        held_out_bits_per_word=round(held_out.bits_per_word, 4),
        held_out_oov_rate=round(held_out.oov_rate, 6),
        n_bytes=len(content),
        seconds=round(seconds, 1),
        sha256=hashlib.sha256(content).hexdigest(),
    )


def _report(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
