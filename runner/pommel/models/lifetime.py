"""How long models live: one goes before the next one comes."""

import gc
import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T")


def one_after_another(models: Iterable[_T]) -> Iterator[_T]:
    """Yield models that are to be loaded in turn; what one has left is freed before the next.

    What is left are reference cycles, and what torch keeps of a GPU's memory for itself.
    """
    for number, model in enumerate(models):
        if number:
            gc.collect()
            if torch := sys.modules.get("torch"):
                torch.cuda.empty_cache()
        yield model
