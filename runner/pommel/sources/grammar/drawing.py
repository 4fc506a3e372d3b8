"""Drawing numbers at random."""

import random
from collections.abc import Iterator


def drawn_numbers(n: int, seed: int | str) -> Iterator[int]:
    """Yield the whole numbers below `n`, which may be large, in random order, each once.

    What comes first does not depend on how many are taken.
    """
    drawn = random.Random(seed)  # noqa: S311 - choosing sentences, not secrets
    seen: set[int] = set()
    # Beyond half of them, most draws would hit one that was there before.
    while 2 * len(seen) < n:
        number = drawn.randrange(n)
        if number not in seen:
            seen.add(number)
            yield number
    rest = [number for number in range(n) if number not in seen]
    drawn.shuffle(rest)
    yield from rest
