"""The model card that is written beside the built-in neural model."""

from collections.abc import Mapping

_CARD = """\
---
license: mit
language: en
---

# en-gpt2

A GPT-2 of {n_parameters:,} weights ({n_layers} layers, width {width}, {n_heads} heads, \
{vocabulary_size:,} byte-level
BPE tokens) trained on English that was sampled from pommel's own grammar. It is there so that
pommel can be tried, taught and tested without a download.

    python -m pommel.training gpt2 --seed {seed} --scale {scale} --out FOLDER

| | |
|---|---|
| sentences seen, each once | {n_sentences:,} |
| tokens seen | {n_training_tokens:,} |
| steps, batch size | {steps:,}, {batch_size} |
| time by the clock, threads | {seconds:,.0f} s, {n_threads} |
| held-out loss | {validation_bits_per_token:.3f} bits per token, \
{validation_bits_per_word:.3f} bits per word |
| the same without any context | {unigram_bits_per_token:.3f} bits per token |
| the same before training | {start_bits_per_token:.3f} bits per token |

- **Sentences** are scored one by one after `<|endoftext|>`, which also ends each of them. The text
  is tokenised as in the suites of Hu et al. (2020): ` .` and ` ,` are written with a blank.
- **Licence**: MIT, weights and text alike. No text but the grammar's was used.
- **Storage**: float16; config.json asks for float32, and all figures were measured on the rounded
  weights in float32.
- **Reproduction**: the same seed on the same machine with the same number of threads and the same
  torch gives the same weights; elsewhere the figures agree, the last digits do not.

## Limits
The model knows the lexicon of `pommel.training` (about 2,950 word forms), sentences of up to
about 40 words and one sentence at a time. What it gets right says that the structure can be
learned from such text by such a network; it says nothing about English models, nor about people.
Words, verbs' frames and frequencies are the authors' choice: reduced relatives and missing commas
are rare by design, so garden-path effects follow from that choice. A first model, whose text had
reduced relatives about as often as the main clauses they look like, hardly showed their effect; the
text was changed, the suites were not.

Held-out sentences are drawn with another seed; of the full text's, 1 in 200 (short ones) were also
drawn for training. The shipped English suites use the same lexicon and were written by the same
authors: high scores on them are what the model was made for.
"""


def model_card(recipe: Mapping[str, object], figures: Mapping[str, object]) -> str:
    """Return the card in Markdown, filled with the recipe's settings and the figures."""
    return _CARD.format(**recipe, **figures)
