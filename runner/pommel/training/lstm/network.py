"""The network: an embedding, layers of LSTM, a decoder; dropout between them."""

import math
from collections.abc import Mapping
from itertools import pairwise, starmap

import torch
from torch import Tensor, nn

from pommel.training.lstm.recipe import Recipe

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
