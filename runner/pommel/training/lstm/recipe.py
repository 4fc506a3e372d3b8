"""What a training is asked, its text as numbers, how far it has come, and how it is begun."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from pommel.errors import InputError, UsageError
from pommel.files import sha256_of
from pommel.models import LstmConfig, find_device, read_word_list
from pommel.training.record import option_of
from pommel.training.text import Split, TextFile, most_frequent, numbered, set_aside
from pommel.values import frozen, positional

if TYPE_CHECKING:
    from pommel.training.lstm.session import Member


@frozen
class Recipe:
    """The recipe of the literature: Gulordava et al. (2018), Mueller et al. (2020).

    Stochastic gradient descent, without momentum, on windows of `bptt_steps` words in `batch_size`
    streams, the gradient's norm clipped at `clip`; `learning_rate` is divided by 4 after an epoch
    that does not lower the validation loss, and training ends when it is below
    `min_learning_rate`, or after `n_epochs`. `dropout` is the probability of zero, behind the
    embedding and behind each layer. `vocabulary_size` and `min_count` choose the words of the
    vocabulary (two marks come on top); they say nothing where it is given. Raises
    `UsageError` for what cannot be and an option's own range does not say.
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

    # What a setting is called on the command line.
    option = staticmethod(option_of)

    def __post_init__(self) -> None:
        UsageError.check_choice("split", self.split, ("words", "spaces"))
        LstmConfig.check_sizes(
            self.embedding_size, self.hidden_size, self.n_layers, tied=self.tied, called=self.option
        )
        for name in ("learning_rate", "min_learning_rate", "clip"):
            if not 0 < getattr(self, name) < float("inf"):
                wrong = f"has to be a number above 0, not {getattr(self, name)}"
                raise UsageError(f"{Recipe.option(name)} {wrong}")
        if self.learning_rate < self.min_learning_rate:
            below = f"below --min-learning-rate {self.min_learning_rate:g}, where training ends"
            raise UsageError(f"--learning-rate {self.learning_rate:g} is {below}")


UNK = "<unk>"
EOS = "<eos>"

Words = npt.NDArray[np.int32]


@frozen
class Section:
    """A part of the text: `words` are indices into the vocabulary, `<eos>` after each sentence.

    `n_unknown` of them are `<unk>`.
    """

    words: Words
    n_sentences: int
    n_unknown: int

    @property
    def sizes(self) -> dict[str, int]:
        """How much text it is, as a record says it; `<eos>` is no word."""
        return {
            "n_sentences": self.n_sentences,
            "n_words": len(self.words) - self.n_sentences,
            "n_unknown": self.n_unknown,
        }

    @property
    def unknown_share(self) -> float:
        """The share of `<unk>` among the words."""
        return self.n_unknown / max(1, self.sizes["n_words"])


@frozen
class Corpus:
    """What a network is trained on: its words, in the order of its weights, and the text."""

    vocabulary: tuple[str, ...]
    training: Section
    validation: Section


@frozen
class Sources:
    """The files that a corpus is made of.

    Without `validation`, a share of the sentences of `text` is set aside; without `vocabulary`, it
    is that of the sentences trained on.
    """

    text: Path
    validation: Path | None = None
    vocabulary: Path | None = None

    def sha256s(self) -> Mapping[str, str | None]:
        """Return the SHA-256 of each. Raises `InputError` for one that cannot be read twice."""
        files: dict[str, Path | None] = {
            each.name: getattr(self, each.name) for each in fields(Sources)
        }
        for path in files.values():
            if path and path.exists() and not path.is_file() and not path.is_dir():
                what = f"{path} is no file but a pipe or a device, and it is read twice"
                raise InputError(f"{what}; write the text to a file first")
        return {f"{name}_sha256": sha256_of(path) if path else None for name, path in files.items()}


def read_corpus(sources: Sources, recipe: Recipe) -> Corpus:
    """Read the text and choose the vocabulary.

    Raises `InputError` for a file that cannot be read, is not UTF-8, has no sentence or too few
    words for the streams of a batch, and what `read_word_list` raises.
    """
    ids: dict[str, int] = {UNK: 0, EOS: 1}
    given: tuple[str, ...] | None = None
    if sources.vocabulary:
        words = read_word_list(sources.vocabulary, cased=recipe.cased)
        # A mark that it lacks is added at the end.
        given = (*words, *(mark for mark in (UNK, EOS) if mark not in words))
    training = _read(sources.text, recipe, ids)
    if sources.validation:
        validation = _read(sources.validation, recipe, ids)
    else:
        training, validation = _set_aside(training, recipe.validation_share, sources.text)
    # A word that only the validation has was never seen.
    vocabulary = given or (
        UNK,
        EOS,
        *most_frequent(
            [*ids],
            training.words,
            size=recipe.vocabulary_size,
            min_count=recipe.min_count,
            without={UNK, EOS},
        ),
    )
    index = {word: number for number, word in enumerate(vocabulary)}
    translation = np.array([index.get(word, index[UNK]) for word in ids], np.int32)
    corpus = Corpus(
        vocabulary=vocabulary,
        training=training.section(translation),
        validation=validation.section(translation),
    )
    n_words = len(corpus.training.words)
    if n_words < recipe.batch_size:
        message = f"{sources.text}: {n_words} words and ends of sentences to train on cannot fill"
        hint = "take more text or a smaller --batch-size"
        raise InputError(f"{message} {recipe.batch_size} streams; {hint}")
    return corpus


@positional
class _Numbered:
    """A text as numbers of its distinct words; `n_words` of each sentence, `<eos>` included."""

    words: Words
    n_words: Words

    def part(self, chosen: npt.NDArray[np.bool_]) -> "_Numbered":
        """Return the sentences that are chosen."""
        in_part = np.repeat(chosen, self.n_words)
        return _Numbered(self.words[in_part], self.n_words[chosen])

    def section(self, translation: Words) -> Section:
        """Return the text as a model sees it: `translation` gives each word its number there."""
        words = translation[self.words]
        n_unknown = int(np.count_nonzero(words == translation[0]))
        return Section(words=words, n_sentences=len(self.n_words), n_unknown=n_unknown)


def _read(path: Path, recipe: Recipe, ids: dict[str, int]) -> _Numbered:
    """Read a text, adding to `ids` the words that it does not have."""
    sentences = TextFile(path=path, split=recipe.split, cased=recipe.cased).sentences()
    return _Numbered(*numbered(([*words, EOS] for words in sentences), ids))


def _set_aside(text: _Numbered, share: float, path: Path) -> tuple[_Numbered, _Numbered]:
    """Split a text into what is trained on and what validates, by whole sentences."""
    n_sentences = len(text.n_words)
    chosen = np.zeros(n_sentences, np.bool_)
    hint = "take more text, or give another file as --validation"
    chosen[set_aside(n_sentences, share, path, hint)] = True
    return text.part(~chosen), text.part(chosen)


# Where a stream has no word any more; what torch's cross entropy leaves out by default.
NO_WORD = -100


@frozen
class Streams:
    """A text in streams of equal length, but for one word.

    `inputs` and `targets` are tensors of word indices, (words x streams). A target is what follows
    its input in the text; each word of the text is the target exactly once, the first word's input
    being `<eos>`.
    """

    inputs: Any
    targets: Any
    n_words: int
    window_size: int

    @property
    def n_streams(self) -> int:
        """How many streams there are."""
        return int(self.inputs.shape[1])

    @property
    def n_windows(self) -> int:
        """How many windows of at most `window_size` words there are."""
        return -(-len(self.inputs) // self.window_size)

    def window(self, index: int) -> tuple[Any, Any, int]:
        """Return inputs and targets of a window, (words x streams), and how many words it has."""
        first = index * self.window_size
        inputs = self.inputs[first : first + self.window_size]
        targets = self.targets[first : first + self.window_size]
        # To ask the device how many words there are would be to wait for it.
        left_over = self.n_words % self.n_streams
        is_last = first + self.window_size >= len(self.inputs)
        n_missing = self.n_streams - left_over if is_last and left_over else 0
        return inputs.long(), targets.long(), targets.numel() - n_missing


def streams(words: Words, *, n_streams: int, window_size: int, eos: int, device: str) -> Streams:
    """Cut a text into streams on a torch device; there are no more of them than words."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    n_streams = min(n_streams, len(words))

    def side_by_side(text: Words, padding: int) -> torch.Tensor:
        parts = [torch.from_numpy(part) for part in np.array_split(text, n_streams)]
        return pad_sequence(parts, padding_value=padding).to(device)

    before = np.roll(words, 1)
    before[0] = eos
    return Streams(
        inputs=side_by_side(before, eos),
        targets=side_by_side(words, NO_WORD),
        n_words=len(words),
        window_size=window_size,
    )


@frozen
class Plan(Sources):
    """A family: one recipe, one text, several seeds, each in a folder `seed-N` below `out`.

    What is from `device` on decides no weight, but for rounding: the device and the number of
    threads (None: as many as torch would take); every how many seconds the state is kept, beside
    the end of each epoch; every how many steps the weights stay as a checkpoint (or after each
    "epoch"); whether what is in the folders goes.
    """

    out: Path
    recipe: Recipe
    seeds: tuple[int, ...] = (1,)
    device: str = "cpu"
    n_threads: int | None = None
    save_every_seconds: float = 600.0
    checkpoints: int | Literal["epoch"] | None = None
    restart: bool = False

    def train(self, watcher: "Watcher") -> "list[Member]":
        """Train each seed that is not trained yet, one after another; return all of them.

        A training that was interrupted goes on where it stood. Raises `UsageError` if a folder
        holds another training (nothing is trained then), `InputError` for a text that cannot be
        trained on, `ModelNotAvailableError` without torch or the device, and what `Session.train`
        raises.
        """
        find_device(self.device, asked_by="training an LSTM")
        # Imported here: it needs torch.
        from pommel.training.lstm.session import train_members

        return train_members(self, watcher)


# The exponential of more is no floating-point number.
_MOST_NATS = 700.0


@frozen
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

    @property
    def figures(self) -> str:
        """The speed and the perplexities so far, in words."""
        validation = f", validation {self.best.validation_perplexity:.2f}" if self.best else ""
        return (
            f"{self.n_words_per_second:,.0f} words/s, perplexity "
            f"{self.training_perplexity:.2f}{validation}"
        )

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "Progress":
        """Return what `asdict` gave. Raises `KeyError` or `TypeError` for anything else."""
        epochs = [EpochFigures(**each) for each in value["epochs"]]
        return cls(**{**value, "epochs": epochs})


class Watcher:
    """Is told what happens while networks train; this one keeps it to itself."""

    def note(self, message: str) -> None:
        """Take something that is worth a line."""

    def begin(self, seed: int, *, n_epochs: int, n_steps: int) -> None:
        """Learn that a network of that seed begins or goes on; an epoch has `n_steps`."""

    def step(self, number: int, epoch: int, figures: str) -> None:
        """Learn how far it has come: after every step, of an epoch; both count from 1."""

    def epoch(self, figures: EpochFigures) -> None:
        """Learn what came out of an epoch."""


def perplexity(nats_per_word: float) -> float:
    """Return e to that power."""
    return math.exp(min(nats_per_word, _MOST_NATS))
