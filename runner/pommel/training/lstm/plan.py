"""What `pommel train lstm` is asked to do."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pommel.training.lstm.corpus import Sources
from pommel.training.lstm.recipe import Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A family: one recipe, one text, several seeds, each in a folder `seed-N` below `out`.

    What is from `device` on decides no weight, but for rounding: the device and the number of
    threads (None: as many as torch would take); every how many seconds the state is kept, beside
    the end of each epoch; every how many steps the weights stay as a checkpoint (or after each
    "epoch"); whether what is in the folders goes.
    """

    out: Path
    sources: Sources
    recipe: Recipe
    seeds: tuple[int, ...] = (1,)
    device: str = "cpu"
    n_threads: int | None = None
    save_every_seconds: float = 600.0
    checkpoints: int | Literal["epoch"] | None = None
    restart: bool = False
