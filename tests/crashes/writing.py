"""A program that scores random sentences into a store for some seconds.

    python writing.py STORE SECONDS SEED

The numbers tell who wrote them: two processes give one sentence different ones. Prints how many
sentences its model was asked for.
"""

import random
import sys
import time
from pathlib import Path

from tests.word_model import WordModel

from pommel.models.model import Policy, score_all
from pommel.store import Store
from pommel.store.surprisal_cache import CachedModel

N_SENTENCES = 200_000


def write(path: Path, *, seconds: float, seed: int) -> int:
    """Score one draw of sentences after another; return how many were not in the store."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    model = WordModel(bits={"who": float(seed)}, n_together=chance.choice([None, 50]))
    deadline = time.monotonic() + seconds
    with Store.open(path) as store:
        while time.monotonic() < deadline:
            first = chance.randrange(N_SENTENCES)
            texts = [f"who wrote {first + n}" for n in range(chance.randint(1, 300))]
            scored = score_all(CachedModel(model, store.cache), texts, Policy())
            assert [each.text for each in scored] == texts
            again = store.cache.known(store.cache.key(model.info, Policy()), texts)
            assert [again[text] for text in texts] == scored
    return sum(map(len, model.asked))


if __name__ == "__main__":
    print(write(Path(sys.argv[1]), seconds=float(sys.argv[2]), seed=int(sys.argv[3])))  # noqa: T201
