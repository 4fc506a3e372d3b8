"""Recurrent networks over words: shared beginnings once, and no more than is asked for.

All sentences are one prefix tree. It goes through the network breadth-first: the words of one depth
at once, each from the state after the word before it. A state is computed once, whatever begins so,
and is gone when the depth below has been computed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pommel.models.model import LoadOptions
from pommel.models.neural.memory import Budget, memory_errors, usable_bytes
from pommel.models.neural.network import at_least_float32, reading
from pommel.models.neural.passes import PrefixTree, prefix_tree, sort_key, work_of
from pommel.models.neural.precision import exact_products, linear
from pommel.models.neural.questions import Answers, Ids, Questions, Request
from pommel.values import frozen, positional

if TYPE_CHECKING:
    import torch


@positional(eq=False)
class LayerState:
    """What a layer knows after some words: `hidden` and `cell`, both (n x hidden_size)."""

    hidden: "torch.Tensor"
    cell: "torch.Tensor"


@frozen(eq=False)
class _Layer:
    """A layer's weights, transposed, and the sum of its two biases."""

    from_input: "torch.Tensor"
    from_hidden: "torch.Tensor"
    bias: "torch.Tensor"


class LstmNetwork:
    """An embedding, layers of LSTM cells and a projection to the vocabulary, on one device.

    Cells are those of torch's `LSTM` (Hochreiter and Schmidhuber 1997, with the forget gate of
    Gers et al. 2000, without peepholes). Nothing is dropped out.
    """

    def __init__(self, weights: "Mapping[str, torch.Tensor]", *, device: str, dtype: str) -> None:
        """Take weights by their names in torch's modules `encoder`, `rnn` and `decoder`.

        Without a `decoder.weight` it is the encoder's. `dtype` is the number format that everything
        is computed in, but for the projection to the vocabulary: that is in float32 at least.
        """
        import torch

        number_format = getattr(torch, dtype)
        # Copied: what lies in a file's pages changes, or is gone, when somebody writes there.
        own = {
            name: each.detach().to(device, number_format, copy=True)
            for name, each in weights.items()
        }
        self.device = device
        self.dtype = number_format
        self._encoder = own["encoder.weight"]
        # As for other networks: sums rounded to 8 or 11 bits would be off by more than all else.
        self._decoder = at_least_float32(own.get("decoder.weight", self._encoder))
        self._decoder_bias = at_least_float32(own["decoder.bias"])
        n_layers = sum(name.startswith("rnn.weight_hh_l") for name in own)
        self._layers = [
            _Layer(
                from_input=own[f"rnn.weight_ih_l{number}"],
                from_hidden=own[f"rnn.weight_hh_l{number}"],
                bias=own[f"rnn.bias_ih_l{number}"] + own[f"rnn.bias_hh_l{number}"],
            )
            for number in range(n_layers)
        ]

    @property
    def n_known(self) -> int:
        """How many words it knows; as many numbers a row of logits has."""
        return int(self._encoder.shape[0])

    @property
    def n_layers(self) -> int:
        """How many layers it has."""
        return len(self._layers)

    @property
    def hidden_size(self) -> int:
        """How wide a layer's state is."""
        return int(self._layers[0].from_hidden.shape[1])

    def inputs(self, words: Ids) -> "torch.Tensor":
        """Return what words give to the first layer's gates, (n_words x 4 * hidden_size)."""
        first = self._layers[0]
        with exact_products(self.device):
            return linear(self._encoder[self.tensor(words)], first.from_input, first.bias)

    def step(
        self, inputs: "torch.Tensor", before: Sequence[LayerState], parents: Ids
    ) -> list[LayerState]:
        """Return the states after one more word each, layer by layer.

        *Shape:* `inputs` (n x 4 * hidden_size), which is used up. Word i comes after row
        `parents[i]` of the states `before`, or first of all if there are none.
        """
        rows = self.tensor(parents)
        after: list[LayerState] = []
        with exact_products(self.device):
            for number, layer in enumerate(self._layers):
                gates = inputs
                if after:
                    gates = linear(after[-1].hidden, layer.from_input, layer.bias)
                state = before[number] if before else None
                after.append(_cells(gates, state, rows, layer))
        return after

    def chosen(self, states: Sequence[LayerState], rows: Ids) -> list[LayerState]:
        """Return the states in some rows only."""
        if not states or len(rows) == len(states[0].hidden):
            return list(states)
        which = self.tensor(rows)
        return [LayerState(state.hidden[which], state.cell[which]) for state in states]

    def logits(self, hidden: "torch.Tensor") -> "torch.Tensor":
        """Return the logits after each of the top layer's `hidden`, (n_rows x n_known)."""
        with exact_products(self.device):
            return linear(at_least_float32(hidden), self._decoder, self._decoder_bias)

    def tensor(self, array: Ids) -> "torch.Tensor":
        """Return an array on the network's device."""
        import torch

        return torch.as_tensor(array, device=self.device)


def _cells(
    gates: "torch.Tensor", before: LayerState | None, rows: "torch.Tensor", layer: _Layer
) -> LayerState:
    """Return a layer's state; its inputs `gates` become what they open."""
    if before is not None:
        # Once for each state, however many words come after it.
        gates += linear(before.hidden, layer.from_hidden)[rows]
    into, forget, new, out = gates.chunk(4, -1)
    cell = into.sigmoid_() * new.tanh_()
    if before is not None:
        cell += forget.sigmoid_() * before.cell[rows]
    return LayerState(out.sigmoid_() * cell.tanh(), cell)


# So many requests share a tree at most: more would hardly share more.
_MOST_REQUESTS = 1 << 14


@positional(eq=False)
class RecurrentEngine:
    """A recurrent network, and how much goes through it at once."""

    network: LstmNetwork
    options: LoadOptions = field(default_factory=LoadOptions)

    def answers(self, requests: Sequence[Request]) -> Answers:
        """Yield (index into `requests`, answer), each index once, in any order.

        Contexts that requests share are computed once, and only those that something is asked of
        go through the vocabulary projection. A token is a word: nothing is asked at boundaries.
        Raises `MemoryError` if a single request does not fit into the device's memory, and
        `RuntimeError` if the network fails.
        """
        budget = self._budget()
        contexts = [request.ids[: request.n_context] for request in requests]
        # Neighbours share their beginnings.
        waiting = sorted(range(len(requests)), key=lambda index: sort_key(contexts[index]))
        while waiting:
            # No depth of a tree has more nodes than the tree has sequences.
            own, waiting = waiting[: budget.n_tokens], waiting[budget.n_tokens :]
            tree = prefix_tree([contexts[index] for index in own])
            pairs = zip(own, tree.paths, strict=True)
            questions = Questions([requests[index].asked_of(nodes) for index, nodes in pairs])
            left = dict(enumerate(own))
            try:
                with memory_errors(self.network.device):
                    for place, answer in self._answers(tree, questions, budget):
                        yield left.pop(place), answer
            except MemoryError:
                if not budget.halve():
                    raise
                waiting = [*left.values(), *waiting]

    def work(self, requests: Sequence[Request]) -> tuple[int, int]:
        """Return how many nodes of a prefix tree, and rows of the projection, requests are."""
        return work_of(requests, [each.ids[: each.n_context] for each in requests])

    def log_probabilities(self, ids: Sequence[int]) -> "torch.Tensor":
        """Return the natural logarithms of what is expected after each of `ids`, float32.

        *Shape:* (n_ids x n_known), a tensor on the processor; row i is what follows
        `ids[:i + 1]`. Raises as `answers` does.
        """
        import torch

        if not len(ids):
            return torch.empty(0, self.network.n_known)
        tree = prefix_tree([np.asarray(ids, dtype=np.int64)])
        with memory_errors(self.network.device):
            hidden = torch.cat([top for _, top in self._depths(tree, n_words=len(ids))])
            return self.network.logits(hidden).float().log_softmax(-1).cpu()

    def _answers(self, tree: PrefixTree, questions: Questions, budget: Budget) -> Answers:
        """Yield (request, answer) as soon as all that a request needs has been projected."""
        yield from questions.nothing_asked()
        n_rows = budget.n_rows
        for places, hidden in self._needed(tree, questions.rows, budget):
            for first in range(0, len(places), n_rows):
                own = places[first : first + n_rows]
                row_of_target, targets = questions.targets_of(own)
                logits = self.network.logits(hidden[first : first + n_rows])
                bits, _ = reading(logits, row_of_target, targets)()
                questions.record(own, bits, None)
                yield from questions.complete(own)

    def _needed(
        self, tree: PrefixTree, needed: Ids, budget: Budget
    ) -> Iterator[tuple[Ids, "torch.Tensor"]]:
        """Yield places in `needed`, nodes of the tree, and the top layer's states after them.

        As many at a time as are projected at once or more, and at last the rest. *Shape:* (n,) and
        (n x hidden_size).
        """
        import torch

        place_of = np.full(len(tree), -1)
        place_of[needed] = np.arange(len(needed))
        places: list[Ids] = []
        hidden: list[torch.Tensor] = []
        for nodes, top in self._depths(tree, n_words=budget.n_tokens):
            rows = np.flatnonzero(place_of[nodes] >= 0)
            places.append(place_of[nodes[rows]])
            hidden.append(top[self.network.tensor(rows)])
            if sum(map(len, places)) >= budget.n_rows:
                yield np.concatenate(places), torch.cat(hidden)
                places, hidden = [], []
        if places:
            yield np.concatenate(places), torch.cat(hidden)

    def _depths(self, tree: PrefixTree, *, n_words: int) -> Iterator[tuple[Ids, "torch.Tensor"]]:
        """Yield, depth by depth, the nodes of it and the top layer's states after them.

        *Shape:* (n,) ascending, and (n x hidden_size). `n_words` is as in `_inputs`.
        """
        inputs = self._inputs(tree, n_words)
        order = np.argsort(tree.depths, kind="stable")
        starts = np.searchsorted(tree.depths[order], np.arange(tree.depths.max(initial=-1) + 2))
        # Where the state after a node is among those that are kept.
        row_of = np.zeros(len(tree), dtype=np.int64)
        kept: list[LayerState] = []
        for first, last in pairwise(starts.tolist()):
            nodes = order[first:last]
            states = self.network.step(inputs(nodes), kept, row_of[tree.parents[nodes]])
            yield nodes, states[-1].hidden
            # Nothing comes after a leaf.
            rows = np.flatnonzero(tree.ends[nodes] > nodes + 1)
            row_of[nodes[rows]] = np.arange(len(rows))
            kept = self.network.chosen(states, rows)

    def _inputs(self, tree: PrefixTree, n_words: int) -> Callable[[Ids], "torch.Tensor"]:
        """Return what gives nodes' input to the first layer.

        Each distinct word's is computed once if there are at most `n_words`, which are all kept.
        """
        words, word_of = np.unique(tree.ids, return_inverse=True)
        if len(words) > n_words:
            return lambda nodes: self.network.inputs(tree.ids[nodes])
        table = self.network.inputs(words)
        return lambda nodes: table[self.network.tensor(word_of[nodes])]

    def _budget(self) -> Budget:
        """Return how many requests share a tree, and how many rows are projected at once."""
        network, n_bytes = self.network, self.network.dtype.itemsize
        most = min(self.options.batch_tokens or _MOST_REQUESTS, _MOST_REQUESTS)
        budget = Budget(n_tokens=most)
        # Guessed generously: a request's longest path may have a node at each depth. Two depths'
        # states; a word's input, gates twice, and what is gathered for them.
        alive = 4 * network.n_layers + 18
        budget.limit(
            self.options.max_memory_bytes or usable_bytes([network.device]),
            bytes_per_token=n_bytes * network.hidden_size * alive,
            bytes_per_row=(n_bytes + 4) * network.n_known,
        )
        return budget
