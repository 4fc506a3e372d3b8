"""Recurrent networks over words: shared beginnings once, and no more than is asked for.

All sentences are one prefix tree. It goes through the network breadth-first: the words of one depth
at once, each from the state after the word before it. A state is computed once, whatever begins so,
and is gone when the depth below has been computed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pommel.models.neural.budget import Budget, Footprint, budget_for
from pommel.models.neural.lstm_network import LayerState, LstmNetwork
from pommel.models.neural.memory import memory_errors, usable_bytes
from pommel.models.neural.network import Counts
from pommel.models.neural.prefix_tree import PrefixTree, prefix_tree, sort_key
from pommel.models.neural.projection import read
from pommel.models.neural.questions import Asked, Questions
from pommel.models.neural.requests import Answer, Ids, Request

if TYPE_CHECKING:
    import torch

# So many requests share a tree at most: more would hardly share more.
_MOST_REQUESTS = 1 << 14


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecurrentEngine:
    """A recurrent network, and how much goes through it at once.

    `max_memory_bytes` and `batch_tokens` are as in `LoadOptions`.
    """

    network: LstmNetwork
    max_memory_bytes: int | None = None
    batch_tokens: int | None = None

    @property
    def n_known(self) -> int:
        """How many words the network knows."""
        return self.network.n_known

    @property
    def counts(self) -> Counts:
        """The work that has been done since the network was loaded."""
        return self.network.counts

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        """Yield (index into `requests`, answer), each index once, in any order.

        Contexts that requests share are computed once, and only those that something is asked of
        go through the vocabulary projection. A token is a word: nothing is asked at boundaries.
        Raises `MemoryError` if a single request does not fit into the device's memory, and
        `RuntimeError` if the network fails.
        """
        budget = self._budget()
        contexts = [_context(request) for request in requests]
        # Neighbours share their beginnings.
        waiting = sorted(range(len(requests)), key=lambda index: sort_key(contexts[index]))
        while waiting:
            # No depth of a tree has more nodes than the tree has sequences.
            own, waiting = waiting[: budget.n_tokens], waiting[budget.n_tokens :]
            tree = prefix_tree([contexts[index] for index in own])
            pairs = zip(own, tree.paths, strict=True)
            questions = Questions([_asked(requests[index], nodes) for index, nodes in pairs])
            left = dict(enumerate(own))
            try:
                with memory_errors(self.network.device):
                    for place, answer in self._answers(tree, questions, budget):
                        yield left.pop(place), answer
            except MemoryError:
                if not budget.halve():
                    raise
                waiting = [*left.values(), *waiting]

    def log_probabilities(self, ids: Sequence[int]) -> "torch.Tensor":
        """Return the natural logarithms of what is expected after each of `ids`, float32.

        *Shape:* (n_ids x n_known), a tensor on the processor; row i is what follows
        `ids[:i + 1]`. Raises as `answers` does.
        """
        import torch  # noqa: PLC0415 - an extra

        if not len(ids):
            return torch.empty(0, self.n_known)
        tree = prefix_tree([np.asarray(ids, dtype=np.int64)])
        with memory_errors(self.network.device):
            hidden = torch.cat([top for _, top in self._depths(tree, n_words=len(ids))])
            return self.network.logits(hidden).float().log_softmax(-1).cpu()

    def _answers(
        self, tree: PrefixTree, questions: Questions, budget: Budget
    ) -> Iterator[tuple[int, Answer]]:
        """Yield (request, answer) as soon as all that a request needs has been projected."""
        yield from questions.nothing_asked()
        n_rows = budget.n_rows
        for places, hidden in self._needed(tree, questions.rows, budget):
            for first in range(0, len(places), n_rows):
                own = places[first : first + n_rows]
                row_of_target, targets = questions.targets_of(own)
                logits = self.network.logits(hidden[first : first + n_rows])
                bits, _ = read(logits, row_of_target, targets)
                questions.record(own, bits, None)
                yield from questions.complete(own)

    def _needed(
        self, tree: PrefixTree, needed: Ids, budget: Budget
    ) -> Iterator[tuple[Ids, "torch.Tensor"]]:
        """Yield places in `needed`, nodes of the tree, and the top layer's states after them.

        As many at a time as are projected at once or more, and at last the rest. *Shape:* (n,) and
        (n x hidden_size).
        """
        import torch  # noqa: PLC0415 - an extra

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
        return budget_for(
            _footprint(self.network),
            max_memory_bytes=self.max_memory_bytes or usable_bytes([self.network.device]),
            n_tokens=min(self.batch_tokens or _MOST_REQUESTS, _MOST_REQUESTS),
            # Nothing is packed into rows.
            row_length=1,
        )


def _context(request: Request) -> Ids:
    """Return the ids that must go through the network: nothing after what is asked for."""
    return request.ids[: int(request.positions[-1]) if len(request.positions) else 0]


def _asked(request: Request, nodes: Ids) -> Asked:
    """Return a request's questions: node i of its path is what follows its first i + 1 ids."""
    return Asked(
        rows=nodes[request.positions - 1],
        targets=request.ids[request.positions],
        boundary_rows=nodes[:0],
    )


def _footprint(network: LstmNetwork) -> Footprint:
    """Guess generously what a request takes, whose longest path may have a node at each depth."""
    n_bytes = network.dtype.itemsize
    # Two depths' states; a word's input, gates twice, and what is gathered for them.
    alive = 4 * network.n_layers + 18
    return Footprint(
        bytes_per_token=n_bytes * network.hidden_size * alive,
        bytes_per_row=(n_bytes + 4) * network.n_known,
    )
