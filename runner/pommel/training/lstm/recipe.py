"""What a word-level LSTM is trained by: everything that decides its weights but text and seed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pommel.errors import UsageError, check_choice
from pommel.models.lstm.config import check_sizes
from pommel.training.text import Split

# What the recipe and the rest of a training's identity are called on the command line.
OPTIONS = {
    "n_layers": "--layers",
    "bptt_steps": "--bptt",
    "n_epochs": "--epochs",
    "cased": "--lower",
    "text_sha256": "TEXT",
    "validation_sha256": "--validation",
    "vocabulary_sha256": "--vocabulary",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The recipe of the literature: Gulordava et al. (2018), Mueller et al. (2020).

    Stochastic gradient descent, without momentum, on windows of `bptt_steps` words in `batch_size`
    streams, the gradient's norm clipped at `clip`; `learning_rate` is divided by 4 after an epoch
    that does not lower the validation loss, and training ends when it is below
    `min_learning_rate`, or after `n_epochs`. `dropout` is the probability of zero, behind the
    embedding and behind each layer. `vocabulary_size` and `min_count` choose the words of the
    vocabulary (two marks come on top); they say nothing where it is given. Raises
    `UsageError` for what cannot be.
    """

    embedding_size: int = 800
    hidden_size: int = 800
    n_layers: int = 2
    tied: bool = False
    dropout: float = 0.2
    batch_size: int = 20
    bptt_steps: int = 35
    learning_rate: float = 20.0
    min_learning_rate: float = 0.001
    clip: float = 0.25
    n_epochs: int = 40
    vocabulary_size: int = 50_000
    min_count: int = 1
    cased: bool = True
    split: Split = "words"
    validation_share: float = 0.05

    def __post_init__(self) -> None:
        check_choice("split", self.split, ("words", "spaces"))
        check_sizes(
            self.embedding_size, self.hidden_size, self.n_layers, tied=self.tied, called=option
        )
        for name in ("batch_size", "bptt_steps", "n_epochs", "min_count", "vocabulary_size"):
            value = getattr(self, name)
            if value < 1:
                raise UsageError(f"{option(name)} has to be at least 1, not {value}")
        for name in ("learning_rate", "min_learning_rate", "clip"):
            if not 0 < getattr(self, name) < float("inf"):
                message = f"{option(name)} has to be a number above 0, not"
                raise UsageError(f"{message} {getattr(self, name)}")
        if self.learning_rate < self.min_learning_rate:
            below = f"below --min-learning-rate {self.min_learning_rate:g}, where training ends"
            raise UsageError(f"--learning-rate {self.learning_rate:g} is {below}")
        if not 0 <= self.dropout < 1:
            raise UsageError(f"--dropout has to be from 0 to below 1, not {self.dropout}")
        if not 0 < self.validation_share < 1:
            message = "--validation-share has to be between 0 and 1, not"
            raise UsageError(f"{message} {self.validation_share}")

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as JSON values."""
        return asdict(self)


def option(name: str) -> str:
    """Return what a setting is called on the command line."""
    return OPTIONS.get(name) or f"--{name.replace('_', '-')}"


def differences(recorded: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Return how two trainings differ, a setting each: "--clip was 0.25 and is 1.0"."""
    return [
        _difference(name, recorded.get(name), asked.get(name))
        for name in {**asked, **recorded}
        if recorded.get(name) != asked.get(name)
    ]


def _difference(name: str, before: Any, now: Any) -> str:
    if name.endswith("_sha256"):
        if before is None or now is None:
            return f"{option(name)} was {'not ' if before is None else ''}given"
        return f"{option(name)} has another content"
    if name in ("cased", "tied"):
        was_given = before == (name == "tied")
        return f"{option(name)} was {'' if was_given else 'not '}given"
    return f"{option(name)} was {before} and is {now}"
