"""The model card that is written beside the built-in n-gram model."""

from collections.abc import Mapping
from typing import Any

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
- **Words** are in lower case, cut as `pommel.models.word_level.cutting` says; a capitalised word is
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
