"""Scored sentences and stores that the tests of the store share."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from pommel.models.model import ModelInfo, Policy
from pommel.store.database import Database
from pommel.store.surprisal_cache import CacheKey, SurprisalCache
from pommel.surprisal import ScoredSentence, Token, Unscored

WREN = ModelInfo(
    reference="wren", name="wren", kind="made-up", fingerprint="a" * 64, methods=("causal",)
)
ROBIN = ModelInfo(reference="robin", name="robin", kind="made-up", fingerprint="b" * 64)


def words_scored(text: str, *bits: float | None, asked: bool = True) -> ScoredSentence:
    """Return a sentence whose words are its tokens; by default word n has n bits."""
    words = text.split()
    values: Sequence[float | None] = bits or [float(n) for n in range(len(words))]
    tokens, at = [], 0
    for word, value in zip(words, values, strict=True):
        start = text.index(word, at)
        at = start + len(word)
        why: Unscored = "no context" if asked else "not asked for"
        tokens.append(Token(text=word, start=start, end=at, surprisal_bits=value, why_unscored=why))
    return ScoredSentence(text=text, tokens=tuple(tokens))


def numbered(n: int, first: int = 0) -> list[ScoredSentence]:
    """Return `n` different sentences of seven words, of 40 to 50 characters."""
    texts = (
        f"the {n} wrens sing in garden{n * 7919 % 100_000} today" for n in range(first, first + n)
    )
    return [words_scored(text) for text in texts]


def cache_of(database: Database, info: ModelInfo = WREN) -> tuple[SurprisalCache, CacheKey]:
    """Return the cache of a store and the key of a model under the default policy."""
    cache = SurprisalCache(database=database, provenance=lambda: {"pommel": "0"})
    return cache, cache.key(info, Policy())


def filled(path: Path, n: int) -> None:
    """Make a store with the numbered sentences, in batches of 500."""
    with Database.open(path) as database:
        cache, key = cache_of(database)
        for start in range(0, n, 500):
            cache.keep(key, numbered(min(500, n - start), start))


def made_with(policy: Policy, sha256: str = "", info: ModelInfo = WREN) -> str:
    """Return the record of a run, of which only what it was made with is known."""
    record: dict[str, object] = {
        "model": {"fingerprint": info.fingerprint},
        "policy": {**policy.to_dict(), "fingerprint": policy.fingerprint},
        "suite": {"sha256": sha256},
        "settings": {},
        "membership": None,
        "reported": None,
        "item_numbers": [],
        "provenance": {},
    }
    return json.dumps(record)


def found_in(path: Path, scored: Sequence[ScoredSentence]) -> dict[str, ScoredSentence]:
    """Return those of the sentences that a store has."""
    with Database.open(path) as database:
        cache, key = cache_of(database)
        return cache.known(key, [each.text for each in scored])


def started(code: str, *arguments: str) -> "subprocess.Popen[str]":
    """Start a Python program that has this module and the store's at hand."""
    head = (
        "import sys\n"
        "from pathlib import Path\n"
        "from pommel.errors import StoreError\n"
        "from pommel.store.database import Database\n"
        "from tests.store.store_samples import *\n"
        "path = Path(sys.argv[1])\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", head + code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def ended(process: "subprocess.Popen[str]", given: str = "") -> str:
    """Return what a program printed; fails if it failed."""
    printed, complaints = process.communicate(given, timeout=60)
    assert process.returncode == 0, complaints
    return printed
