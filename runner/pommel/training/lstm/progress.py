"""How far a training has come: figures, and who is told of them."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

# The exponential of more is no floating-point number.
_MOST_NATS = 700.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochFigures:
    """What came out of an epoch; perplexities are per word, `<eos>` included.

    `training_perplexity` is that of the words as they were met, dropout and all;
    `n_words_per_second` counts the time of training, `seconds` that of validation, too.
    """

    epoch: int
    learning_rate: float
    training_perplexity: float
    validation_perplexity: float
    is_best: bool
    n_words_per_second: float
    seconds: float


@dataclass(slots=True, kw_only=True)
class Progress:
    """Where a training stands: `step` steps into the epoch that follows `epochs`.

    `nats` and `n_words` add up over these steps, `seconds` are those that they took;
    `best_nats_per_word` is the lowest validation loss, None before the first.
    """

    learning_rate: float
    step: int = 0
    nats: float = 0.0
    n_words: int = 0
    seconds: float = 0.0
    best_nats_per_word: float | None = None
    epochs: list[EpochFigures] = field(default_factory=list)

    @property
    def epoch(self) -> int:
        """The number of the epoch under way, from 1."""
        return len(self.epochs) + 1

    @property
    def best(self) -> EpochFigures | None:
        """The epoch whose weights are kept."""
        return next((each for each in reversed(self.epochs) if each.is_best), None)

    @property
    def training_perplexity(self) -> float:
        """The perplexity of the epoch so far; infinite before its first step."""
        return perplexity(self.nats / self.n_words) if self.n_words else math.inf

    @property
    def n_words_per_second(self) -> float:
        """The speed of the epoch so far."""
        return self.n_words / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values; `from_dict` gives the same back, to the last bit."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "Progress":
        """Return what `to_dict` gave. Raises `KeyError` or `TypeError` for anything else."""
        epochs = [EpochFigures(**each) for each in value["epochs"]]
        return cls(**{**value, "epochs": epochs})


class Watcher:
    """Is told what happens while networks train; this one keeps it to itself."""

    def note(self, message: str) -> None:
        """Take something that is worth a line."""

    def begin(self, seed: int, *, n_epochs: int, n_steps: int) -> None:
        """Learn that a network of that seed begins or goes on; an epoch has `n_steps`."""

    def step(self, progress: Progress) -> None:
        """Learn how far it has come, after every step."""

    def epoch(self, figures: EpochFigures) -> None:
        """Learn what came out of an epoch."""


def perplexity(nats_per_word: float) -> float:
    """Return e to that power."""
    return math.exp(min(nats_per_word, _MOST_NATS))
