"""The training text depends on its number and its seed, and on nothing else."""

import os
import subprocess
import sys
from itertools import islice

from recipes.english.grammar import held_out_corpus, sample_corpus


def test_the_same_seed_gives_the_same_text() -> None:
    assert list(sample_corpus(200, 5)) == list(sample_corpus(200, 5))


def test_another_seed_gives_another_text() -> None:
    assert list(sample_corpus(20, 5)) != list(sample_corpus(20, 6))


def test_a_longer_text_begins_with_the_shorter() -> None:
    assert list(islice(sample_corpus(1_000, 5), 50)) == list(sample_corpus(50, 5))


def test_no_sentences_are_no_text() -> None:
    assert list(sample_corpus(0, 5)) == []


def test_the_held_out_text_is_another_one() -> None:
    assert list(held_out_corpus(20, 5)) != list(sample_corpus(20, 5))


def test_the_text_does_not_depend_on_the_order_of_hashes() -> None:
    program = "from recipes.english.grammar import sample_corpus; print(*sample_corpus(50, 5))"
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(texts) == 1
