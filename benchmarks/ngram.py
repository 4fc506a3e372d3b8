"""What n-gram models cost: loading a large ARPA file and scoring with it, by either reader.

    python benchmarks/ngram.py [--megabytes 100] [--sentences 20000]

The file is made here: words whose frequencies fall as in Zipf's law, drawn with a fixed seed, and a
4-gram model of them, unpruned. Each reader has a process of its own; its memory is the largest that
the process ever had, Python and numpy included. What is scored is drawn in the same way.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pommel.models.model import Model, Policy
from pommel.models.registry import load_model
from pommel.training.kneser_ney import estimate
from pommel.training.ngram_corpus import read_corpus
from pommel.training.ngram_recipe import write_arpa

SEED = 7
READERS = ("python", "kenlm")
N_REPETITIONS = 3
N_TYPES = 100_000
WORDS_A_SENTENCE = 12
# A word of the text makes so many bytes of the file, about.
BYTES_A_WORD = 63


def main() -> None:
    """Print all figures; with `--one`, measure one reader and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--one", nargs=2, metavar=("READER", "FILE"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(measured(chosen.one[0], chosen.one[1], chosen.sentences)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.arpa"
        sizes = make_model(path, round(chosen.megabytes * 1e6))
        counts = ", ".join(f"{size:,}" for size in sizes)
        print(f"{path.stat().st_size / 1e6:.0f} MB, n-grams of order 1 to {len(sizes)}: {counts}")
        for reader in READERS:
            again = [sys.executable, __file__, "--sentences", str(chosen.sentences)]
            done = subprocess.run(  # noqa: S603
                [*again, "--one", reader, str(path)], stdout=subprocess.PIPE, text=True, check=True
            )
            figures = json.loads(done.stdout)
            print(
                f"{reader:6}  load {figures['load_s']:6.2f} s   "
                f"peak {figures['peak_mb']:6.0f} MB (before: {figures['before_mb']:.0f} MB)   "
                f"{figures['words_per_s']:9,.0f} words/s   {figures['bits_per_word']:.4f} bits/word"
            )


def make_model(path: Path, n_bytes: int) -> tuple[int, ...]:
    """Write a model of about `n_bytes`; return how many n-grams it has, by order."""
    corpus = read_corpus(sentences(n_bytes // BYTES_A_WORD // WORDS_A_SENTENCE, SEED))
    model = estimate(corpus, order=4)
    write_arpa(model, path, n_decimals=6)
    return model.n_ngrams


def sentences(n_sentences: int, seed: int) -> Iterator[list[str]]:
    """Yield sentences of random words."""
    random = np.random.default_rng(seed)
    for _ in range(n_sentences):
        ranks = np.minimum(random.zipf(1.2, WORDS_A_SENTENCE), N_TYPES)
        yield [f"word{rank:x}" for rank in ranks.tolist()]


def measured(reader: str, path: str, n_sentences: int) -> dict[str, float]:
    """Load the model and score with it; the time of scoring is the least of several."""
    before_mb = peak_mb()
    began = time.perf_counter()
    model = load_model(f"ngram://{path}?reader={reader}")
    load_s = time.perf_counter() - began
    loaded_mb = peak_mb()
    texts = [" ".join(words) for words in sentences(n_sentences, SEED + 1)]
    times = []
    for _ in range(N_REPETITIONS):
        began = time.perf_counter()
        n_words, bits = score(model, texts)
        times.append(time.perf_counter() - began)
    return {
        "load_s": load_s,
        "before_mb": before_mb,
        "peak_mb": loaded_mb,
        "words_per_s": n_words / min(times),
        "bits_per_word": bits / n_words,
    }


def score(model: Model, texts: list[str]) -> tuple[int, float]:
    """Return how many tokens have been scored, and their surprisal."""
    tokens = [token for _, scored in model.score(texts, Policy()) for token in scored.tokens]
    return len(tokens), sum(token.surprisal_bits or 0.0 for token in tokens)


def peak_mb() -> float:
    """Return the most memory that this process has had."""
    status = Path("/proc/self/status")
    if status.exists():
        # On Linux `getrusage` begins with the memory of the process that started this one.
        line = next(each for each in status.read_text().splitlines() if each.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    main()
