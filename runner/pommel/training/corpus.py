"""The training text: sentences of the training English by number and seed."""

import random
from collections.abc import Iterator

from pommel.training.english_grammar import Grammar

# How many sentences the built-in neural model sees.
FULL_SIZE = 300_000

# Far from every seed in use, so that a held-out set is never a shifted training set.
_HELD_OUT = 1_000_003


def sample_corpus(n_sentences: int, seed: int) -> Iterator[str]:
    """Yield `n_sentences` sentences, the same for the same seed, on any machine."""
    grammar = Grammar(random.Random(seed))  # noqa: S311 - sampling text, not secrets
    for _ in range(n_sentences):
        yield grammar.sentence()


def held_out_corpus(n_sentences: int, seed: int) -> Iterator[str]:
    """Yield sentences drawn apart from those of `sample_corpus` with the same seed.

    A short sentence may occur in both: the split is by seed, not by sentence.
    """
    return sample_corpus(n_sentences, seed + _HELD_OUT)
