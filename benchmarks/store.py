"""What the store costs: sentences kept and found a second, and room on disk.

    python -m benchmarks.store [--sentences 1000000]

Made-up sentences of about twelve tokens, named as GPT-2's are, are kept in batches of 1,000, each
of them committed, in a store in a temporary folder. Then so many as a set of suites has (3,304) are
looked up: as they were kept, one after the other, and picked from all over the store; each time
after the system was asked to forget the file (cold), and again (warm). All are compared with what
was kept. What results cost is in `benchmarks/many_runs.py`.
"""

import argparse
import os
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pommel.models.model import ModelInfo, Policy
from pommel.store.database import Database
from pommel.store.surprisal_cache import CacheKey, SurprisalCache
from pommel.surprisal import ScoredSentence, Token

BATCH = 1_000
N_LOOKED_UP = 3_304
N_TOKENS = (9, 15)
SYLLABLES = [first + second for first in "bdfgklmnprstv" for second in "aeiou"]
MODEL = ModelInfo(reference="made-up", name="made-up", kind="made-up", fingerprint="0" * 64)


def main() -> None:
    """Print a line for keeping, for the size, and for each look-up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000)
    n_sentences = parser.parse_args().sentences
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite"
        seconds, n_tokens = keep(path, n_sentences)
        print(f"kept      {n_sentences:,} sentences   {n_sentences / seconds:,.0f} sentences/s")
        size = path.stat().st_size
        print(
            f"on disk   {size / 2**20:,.1f} MB   {size / n_tokens:.1f} bytes/token   "
            f"{size / n_sentences:.0f} bytes/sentence"
        )
        for place, asked in places(n_sentences).items():
            forget(path)
            for state in ("cold", "warm"):
                seconds = look_up(path, asked)
                print(f"{state}      {len(asked):,} sentences   {seconds:.3f} s   {place}")


def places(n_sentences: int) -> dict[str, list[int]]:
    """Return the sentences to be looked up: neighbours, and some from everywhere."""
    n_asked = min(N_LOOKED_UP, n_sentences)
    first = (n_sentences - n_asked) // 2
    chance = random.Random(0)  # noqa: S311 - no secret
    return {
        "together": list(range(first, first + n_asked)),
        "all over": sorted(chance.sample(range(n_sentences), n_asked)),
    }


def keep(path: Path, n_sentences: int) -> tuple[float, int]:
    """Fill a store; return the seconds that this took, without making sentences up, and tokens."""
    seconds, n_tokens = 0.0, 0
    with Database.open(path) as database:
        cache, key = cache_of(database)
        for batch in batches(n_sentences):
            n_tokens += sum(len(sentence.tokens) for sentence in batch)
            began = time.perf_counter()
            cache.keep(key, batch)
            seconds += time.perf_counter() - began
        began = time.perf_counter()
    return seconds + time.perf_counter() - began, n_tokens


def look_up(path: Path, asked: list[int]) -> float:
    """Open a store and find sentences; return the seconds that this took."""
    expected = {sentence.text: sentence for sentence in map(made_up, asked)}
    began = time.perf_counter()
    with Database.open(path) as database:
        cache, key = cache_of(database)
        found = cache.known(key, list(expected))
    seconds = time.perf_counter() - began
    if found != expected:
        raise SystemExit("what was found is not what was kept")
    return seconds


def cache_of(database: Database) -> tuple[SurprisalCache, CacheKey]:
    """Return the cache of a store, and the key of the made-up model."""
    cache = SurprisalCache(database=database, provenance=lambda: {"program": "benchmarks/store.py"})
    return cache, cache.key(MODEL, Policy())


def forget(path: Path) -> None:
    """Ask the system to read the file from the disk the next time; not all systems can."""
    if hasattr(os, "posix_fadvise"):
        with path.open("rb") as opened:
            os.fsync(opened.fileno())
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def batches(n_sentences: int) -> Iterator[list[ScoredSentence]]:
    """Yield all the sentences in batches."""
    for start in range(0, n_sentences, BATCH):
        yield [made_up(number) for number in range(start, min(start + BATCH, n_sentences))]


def made_up(number: int) -> ScoredSentence:
    """Return a sentence with its tokens; the same for the same number."""
    chance = random.Random(number)  # noqa: S311 - no secret
    words = [f"{number:x}"]
    words += ["".join(chance.choices(SYLLABLES, k=2)) for _ in range(chance.randint(*N_TOKENS) - 1)]
    text = " ".join(words)
    tokens, end = [], 0
    for word in words:
        start, end = end, end + len(word) + bool(end)
        tokens.append(
            Token(
                text=f"Ġ{word}" if start else word,
                start=start,
                end=end,
                surprisal_bits=chance.expovariate(0.1),
            )
        )
    return ScoredSentence(text=text, tokens=tuple(tokens))


if __name__ == "__main__":
    main()
