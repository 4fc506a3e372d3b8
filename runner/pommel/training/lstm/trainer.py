"""The network, and how it is trained step by step."""

import math
import time
from collections.abc import Callable, Mapping
from itertools import pairwise, starmap

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_

from pommel.errors import PommelError
from pommel.training.lstm.recipe import (
    EOS,
    Corpus,
    EpochFigures,
    Progress,
    Recipe,
    perplexity,
    streams,
)

# What carries over from one window to the next: hidden states and cells, (2 x layers x streams x
# hidden size).
Hidden = Tensor

_EMBEDDING_RANGE = 0.1


class WordNetwork(nn.Module):
    """The architecture of PyTorch's word-level language model, and of those that descend from it.

    Its layers are LSTMs of one layer each, so that dropout between them draws from our generator:
    that of cuDNN has a state that can be neither saved nor restored.
    """

    def __init__(self, n_words: int, recipe: Recipe) -> None:
        """Make a network whose weights are not set yet: `initialise` or `load` them."""
        super().__init__()
        self.dropout = recipe.dropout
        self.tied = recipe.tied
        sizes = [recipe.embedding_size, *[recipe.hidden_size] * recipe.n_layers]
        # Without storage: nothing is drawn from torch's own generator, which is the caller's.
        with torch.device("meta"):
            self.encoder = nn.Embedding(n_words, recipe.embedding_size)
            self.layers = nn.ModuleList(starmap(nn.LSTM, pairwise(sizes)))
            self.decoder = nn.Linear(recipe.hidden_size, n_words)
        self.to_empty(device="cpu")
        if recipe.tied:
            self.decoder.weight = self.encoder.weight

    def forward(
        self, inputs: Tensor, hidden: Hidden, generator: torch.Generator | None = None
    ) -> tuple[Tensor, Hidden]:
        """Return the logits of the words that follow `inputs`, and what carries over.

        *Shape:* inputs (times x streams), logits (times x streams x words). Dropout draws from
        `generator`; None is no dropout.
        """
        states = self._dropped(self.encoder(inputs), generator)
        after = []
        for layer, (state, cell) in zip(self.layers, hidden.unbind(1), strict=True):
            states, carried = layer(states, (state[None], cell[None]))
            states = self._dropped(states, generator)
            after.append(torch.cat(carried))
        return self.decoder(states), torch.stack(after, 1)

    def start(self, n_streams: int) -> Hidden:
        """Return what stands before the first word: nothing but zeros."""
        shape = (2, len(self.layers), n_streams, self.decoder.in_features)
        return torch.zeros(shape, device=self.decoder.bias.device)

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> None:
        """Draw the weights as PyTorch's word-level language model does."""
        for name, weight in self.named_parameters():
            if name == "decoder.bias":
                weight.zero_()
                continue
            in_layer = name.startswith("layers.")
            limit = 1 / math.sqrt(self.decoder.in_features) if in_layer else _EMBEDDING_RANGE
            weight.uniform_(-limit, limit, generator=generator)

    def weights(self) -> dict[str, Tensor]:
        """Return a copy of the weights in main memory, by their names in a model's folder."""
        return {
            _name_in_folder(name): weight.detach().to("cpu", copy=True)
            for name, weight in self.named_parameters()
        }

    @torch.no_grad()
    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Take weights by their names in a model's folder. Raises `KeyError` if one is missing."""
        for name, weight in self.named_parameters():
            weight.copy_(weights[_name_in_folder(name)])

    def _dropped(self, states: Tensor, generator: torch.Generator | None) -> Tensor:
        if generator is None or not self.dropout:
            return states
        kept = torch.empty_like(states).bernoulli_(1 - self.dropout, generator=generator)
        return states * kept.div_(1 - self.dropout)


def _name_in_folder(name: str) -> str:
    """Return "rnn.weight_ih_l1" for "layers.1.weight_ih_l0", other names as they are."""
    if not name.startswith("layers."):
        return name
    _, number, weight = name.split(".")
    return f"rnn.{weight.removesuffix('_l0')}_l{number}"


# What the learning rate is divided by: Gulordava et al. (2018), PyTorch's word language model.
_ANNEALING = 4.0
# A loss so many times that of a guess among all words is no model's.
_DIVERGED = 10.0


class Trainer:
    """One network on its way from a seed to the weights of its best epoch.

    `advance` makes the next move: a step (one window of each stream) or, behind an epoch's last
    step, its validation. What comes out depends on recipe, seed, corpus, device and number of
    threads, and not on where it was interrupted, if `progress` and `tensors` were kept.
    """

    def __init__(self, corpus: Corpus, recipe: Recipe, *, seed: int, device: str = "cpu") -> None:
        """Make a trainer that has not made a step."""
        self.recipe = recipe
        self.device = device
        eos = corpus.vocabulary.index(EOS)
        self._training, self._validation = (
            streams(
                section.words,
                n_streams=recipe.batch_size,
                window_size=recipe.bptt_steps,
                eos=eos,
                device=device,
            )
            for section in (corpus.training, corpus.validation)
        )
        of_weights = torch.Generator().manual_seed(seed)
        self._network = WordNetwork(len(corpus.vocabulary), recipe)
        self._network.initialise(of_weights)
        self._network.to(device)
        # Dropout draws on the device, from a generator that is there.
        self._generator = torch.Generator(device)
        self._generator.manual_seed(int(torch.randint(1 << 62, (), generator=of_weights)))
        self._hidden = self._network.start(self._training.n_streams)
        self._best: dict[str, Tensor] = {}
        self.progress = Progress(learning_rate=recipe.learning_rate)

    @property
    def n_windows(self) -> int:
        """How many steps an epoch has."""
        return self._training.n_windows

    @property
    def n_steps(self) -> int:
        """How many steps have been made, in all epochs."""
        return len(self.progress.epochs) * self.n_windows + self.progress.step

    @property
    def n_parameters(self) -> int:
        """How many numbers are trained."""
        return sum(weight.numel() for weight in self._network.parameters())

    @property
    def ended_by(self) -> str | None:
        """Why training is over ("epochs", "learning rate"), None while it is not."""
        if len(self.progress.epochs) >= self.recipe.n_epochs:
            return "epochs"
        if self.progress.learning_rate < self.recipe.min_learning_rate:
            return "learning rate"
        return None

    def advance(self, check: Callable[[], None]) -> EpochFigures | None:
        """Make a step or end an epoch, and return the epoch's figures if one has ended.

        `check` is called now and then while an epoch is validated; where it raises, the epoch has
        not ended. Raises `PommelError` if the loss is no number any more.
        """
        if self.progress.step < self.n_windows:
            self._step()
            return None
        return self._end_epoch(check)

    def weights(self) -> dict[str, Tensor]:
        """Return a copy of the weights as they are now, by their names in a model's folder."""
        return self._network.weights()

    def best_weights(self) -> dict[str, Tensor]:
        """Return the weights of the best epoch; those of now before the end of the first."""
        return self._best or self.weights()

    def tensors(self) -> dict[str, Tensor]:
        """Return all that is not in `progress` and decides what comes next."""
        return {
            "hidden": self._hidden.cpu(),
            "generator": self._generator.get_state(),
            **{f"now/{name}": weight for name, weight in self.weights().items()},
            **{f"best/{name}": weight for name, weight in self._best.items()},
        }

    def restore(self, progress: Progress, tensors: Mapping[str, Tensor]) -> None:
        """Go on from a state that was kept. Raises `KeyError` for what lacks a part of one."""
        self._network.load(_below("now/", tensors))
        self._best = _below("best/", tensors)
        self._hidden = tensors["hidden"].to(self._hidden.device)
        self._generator.set_state(tensors["generator"])
        self.progress = progress

    def _step(self) -> None:
        started = time.monotonic()
        inputs, targets, n_words = self._training.window(self.progress.step)
        logits, hidden = self._network(inputs, self._hidden, self._generator)
        loss = cross_entropy(logits.flatten(0, 1), targets.flatten())
        nats = loss.item()
        if not nats < math.inf:
            raise self._diverged()
        self._network.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        clip_grad_norm_(self._network.parameters(), self.recipe.clip)
        with torch.no_grad():
            for weight in self._network.parameters():
                assert weight.grad is not None  # noqa: S101 - every weight has a say in the loss
                weight.sub_(weight.grad, alpha=self.progress.learning_rate)
        self._hidden = hidden.detach()
        self.progress.step += 1
        self.progress.nats += nats * n_words
        self.progress.n_words += n_words
        self.progress.seconds += time.monotonic() - started

    def _end_epoch(self, check: Callable[[], None]) -> EpochFigures:
        started = time.monotonic()
        before = self.progress
        nats_per_word = self._validation_nats_per_word(check)
        # Far beyond a guess among all words: no model's.
        if not nats_per_word < _DIVERGED * math.log(self._network.decoder.out_features):
            raise self._diverged()
        best = before.best_nats_per_word
        is_best = best is None or nats_per_word < best
        if is_best:
            self._best = self.weights()
        figures = EpochFigures(
            epoch=before.epoch,
            learning_rate=before.learning_rate,
            training_perplexity=before.training_perplexity,
            validation_perplexity=perplexity(nats_per_word),
            is_best=is_best,
            n_words_per_second=before.n_words_per_second,
            seconds=before.seconds + time.monotonic() - started,
        )
        self._hidden = self._network.start(self._training.n_streams)
        self.progress = Progress(
            learning_rate=before.learning_rate / (1.0 if is_best else _ANNEALING),
            best_nats_per_word=nats_per_word if is_best else best,
            epochs=[*before.epochs, figures],
        )
        return figures

    @torch.no_grad()
    def _validation_nats_per_word(self, check: Callable[[], None]) -> float:
        hidden = self._network.start(self._validation.n_streams)
        nats, n_words = 0.0, 0
        for index in range(self._validation.n_windows):
            check()
            inputs, targets, n_own = self._validation.window(index)
            logits, hidden = self._network(inputs, hidden)
            nats += cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum").item()
            n_words += n_own
        return nats / n_words

    def _diverged(self) -> PommelError:
        now = self.progress
        return PommelError(
            f"training diverged in step {now.step + 1:,} of epoch {now.epoch}: the loss is not a "
            f"finite number, or far too high; try a --learning-rate below {now.learning_rate:g}, "
            "with --restart"
        )


def _below(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    names = [name for name in tensors if name.startswith(prefix)]
    return {name.removeprefix(prefix): tensors[name] for name in names}
